//! `sparsegen new`

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::arguments::Arguments;
use crate::checkout::{built_from, checkout, dependency};
use crate::failure::Failure;

pub const HELP: &str = "\
usage: sparsegen new [FOLDER] [--checkout FOLDER]

Creates a crate in a folder, the current one by default, with a manifest of two kernels, a build
script that compiles it, and a program that calls the kernels. `cargo run` in it builds and runs it.

  --checkout FOLDER   depend on the crates of this checkout of sparsegen; by default on those of the
                      checkout from which this command was installed, if it still exists, and on the
                      published ones otherwise
";

pub fn run(arguments: Arguments) -> Result<String, Failure> {
    arguments.at_most(1)?;
    let folder = PathBuf::from(arguments.words.first().map_or(".", String::as_str));
    let checkout = match arguments.option("checkout") {
        Some(given) => Some(checkout(Path::new(given)).ok_or_else(|| {
            Failure::error(format!(
                "`{given}` is no checkout of sparsegen: it has no crate `sparsegen`"
            ))
        })?),
        None => built_from(),
    };
    fs::create_dir_all(folder.join("src"))
        .map_err(|error| Failure::file("create", &folder, error))?;
    let whole = folder.canonicalize().map_err(|error| Failure::file("read", &folder, error))?;
    let files = [
        ("Cargo.toml", cargo_toml(&whole, checkout.as_deref())),
        ("build.rs", include_str!("../template/build.rs").to_owned()),
        ("kernels.toml", include_str!("../template/kernels.toml").to_owned()),
        ("src/main.rs", include_str!("../template/main.rs").to_owned()),
        (".gitignore", "/target\n".to_owned()),
    ];
    if let Some((name, _)) = files.iter().find(|(name, _)| folder.join(name).exists()) {
        let path = folder.join(name);
        return Err(Failure::error(format!("`{}` exists, and is not replaced", path.display())));
    }
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| Failure::file("write", &path, error))?;
    }
    let depends = match checkout {
        Some(checkout) => format!("the checkout `{}`", checkout.display()),
        None => format!("version {}", env!("CARGO_PKG_VERSION")),
    };
    let enter = match arguments.words.first() {
        Some(folder) => format!("cd {folder}; "),
        None => String::new(),
    };
    Ok(format!("created a crate that depends on {depends}; run it with `{enter}cargo run`\n"))
}

fn cargo_toml(folder: &Path, checkout: Option<&Path>) -> String {
    let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    let dependency = |name: &str| dependency(name, checkout, &[]);
    let workspace = match is_in_workspace(folder) {
        true => "\n# The crate is not a member of the workspace around it.\n[workspace]\n",
        false => "",
    };
    format!(
        "[package]\nname = {:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n{}\n\n\
         [build-dependencies]\n{}\n{workspace}",
        package_name(&name),
        dependency("sparsegen"),
        dependency("sparsegen-build"),
    )
}

/// Returns a valid name of a package for a folder's name.
fn package_name(folder: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let name: String = folder.chars().map(valid).collect();
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name,
        Some(_) | None => format!("kernels-{name}").trim_end_matches('-').to_owned(),
    }
}

/// Returns whether a manifest of a workspace is above a folder.
fn is_in_workspace(folder: &Path) -> bool {
    let mut above = folder.ancestors().skip(1).map(|folder| folder.join("Cargo.toml"));
    above.any(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("[workspace]")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_valid_names() {
        assert_eq!(package_name("first"), "first");
        assert_eq!(package_name("my kernels"), "my-kernels");
        assert_eq!(package_name("2024"), "kernels-2024");
        assert_eq!(package_name(""), "kernels");
    }

    #[test]
    fn without_a_checkout_versions_are_asked_for() {
        let text = cargo_toml(Path::new("/first"), None);
        let expected =
            format!("\nsparsegen-build = {{ version = {:?} }}\n", env!("CARGO_PKG_VERSION"));
        assert!(text.contains(&expected), "{text}");
    }
}
