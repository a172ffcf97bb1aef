//! The command line tool, which compiles or explains a `kernels.toml`.

use std::io::Write as _;
use std::process::ExitCode;
use std::{env, fs, io};

const USAGE: &str = "\
usage: sparsegen [check | emit | explain] [KERNELS.TOML]

  check     say whether the manifest compiles, or what is wrong with it
  emit      print the generated source (the default)
  explain   print what every stage of the compiler makes of each kernel

The manifest is kernels.toml if none is named.";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (command, path) = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => ("emit", "kernels.toml"),
        ["-h" | "--help" | "help"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        [command @ ("check" | "emit" | "explain")] => (*command, "kernels.toml"),
        [command @ ("check" | "emit" | "explain"), path] => (*command, *path),
        [path] if !path.starts_with('-') => ("emit", *path),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: cannot read `{path}`: {error}");
            return ExitCode::FAILURE;
        }
    };
    let output = sparsegen_build::compile_str(path, &text);
    let mistakes = output.diagnostics.render(path, &text);
    if !mistakes.is_empty() {
        eprint!("{mistakes}");
        return ExitCode::FAILURE;
    }
    eprint!("{}", output.warnings.render(path, &text));
    let shown = match command {
        "check" => format!("{path}: {} kernels compile\n", output.kernels.len()),
        "explain" => sparsegen_build::explain(path, &text),
        _ => output.source,
    };
    // A closed pipe, as from `head`, is not a failure.
    let _ = io::stdout().write_all(shown.as_bytes());
    ExitCode::SUCCESS
}
