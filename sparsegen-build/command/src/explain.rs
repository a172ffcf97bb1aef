//! `sparsegen explain`

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::html;
use crate::manifest::Manifest;
use crate::report;

pub const HELP: &str = "\
usage: sparsegen explain [KERNEL…] [--stages | --html] [KERNELS.TOML]
       sparsegen explain CODE

Prints what the compiler decides about each kernel, or about some of them: the iteration graph, the
loops with their regions, merge points and costs, the reasons why others are gone, the assembly of
results, and what each pass changes.

With the code of a diagnostic, such as SG0501, prints its cause, an example and the repair.

  --stages   print the whole result of every stage instead
  --html     print a page on a kernel instead, for a browser: the iteration graph, the lattices before
             and after simplification, the storage of a small example, and the source, in which a line
             and the merge point, operand and statement that it comes from light up together:
             `sparsegen explain spmv --html > spmv.html`
";

pub fn run(arguments: Arguments) -> Result<String, Failure> {
    if let [code] = &arguments.words[..]
        && let Some(page) = sparsegen_build::explain_code(code)
    {
        return Ok(page.to_owned());
    }
    let manifest = Manifest::read(&arguments.manifest()?)?;
    let kernels = manifest.select(&arguments.words)?;
    if arguments.option("html").is_some() {
        return match kernels[..] {
            [kernel] => Ok(html::page(&manifest, kernel)),
            [..] => Err(arguments.wrong("a page has one kernel: name it")),
        };
    }
    let shown = kernels.into_iter().map(|kernel| match arguments.option("stages") {
        Some(_) => report::stages(kernel),
        None => report::report(&manifest, kernel),
    });
    Ok(shown.collect::<Vec<_>>().join("\n"))
}
