//! The report on how the loops assemble results.

use crate::concrete::{Program, Target};
use crate::format::{Format, Places};

/// Returns how each result is assembled, level by level, or that it is packed.
pub fn show_assembly(program: &Program) -> String {
    let results = program.targets.iter().map(|target| of_result(program, target));
    results.collect::<Vec<_>>().join("\n")
}

fn of_result(program: &Program, target: &Target) -> String {
    let tensor = program.tensor(target.access.tensor);
    let (name, format) = (&tensor.name, &tensor.format);
    let levels = format.levels.iter().enumerate().map(|(level, spec)| {
        let variable = program.level_variable(&target.access, level);
        let variable = variable.map_or("", |v| &program.kernel.variable(v).name);
        format!("{variable} ({}) is {}", spec.level.name(), way(format, level))
    });
    let levels = levels.collect::<Vec<_>>().join(", ");
    match &target.packed {
        None if format.levels.is_empty() => format!("{name} is a value"),
        None => format!("{name} is assembled directly: {levels}"),
        Some(packed) => format!(
            "{name} is assembled as {format}, then packed as {packed}, because no order of the loops \
             suits its levels: {levels}"
        ),
    }
}

/// Returns how the coordinates of a level are stored.
fn way(format: &Format, level: usize) -> &'static str {
    let level_of = &format.levels[level].level;
    match format.placed().filter(|(leaf, _)| *leaf == level) {
        Some((_, Places::Counted)) => {
            "stored behind the entries of its parent, which are counted first"
        }
        Some((_, Places::Slots)) => "stored in the next slot, whose number is counted first",
        Some((_, Places::Fixed)) => "stored in the next of a fixed number of positions",
        None if level_of.insert().is_some() => "inserted",
        None if format.scattered() == Some(level) => match format.has_structure_first() {
            true => "appended in any order and sorted in a first pass, before the values",
            false => "appended in any order, and sorted",
        },
        None if format.has_structure_first() => "found in a first pass, before the values",
        None if level_of.append().is_some() => "appended",
        None => "implied",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Levels;
    use crate::schedule::schedule;
    use crate::testing::kernel;

    fn shown(expr: &str, tensors: &str) -> String {
        let (program, _) = schedule(&kernel(expr, tensors), &Levels::default()).expect("loops");
        show_assembly(&program)
    }

    #[test]
    fn the_report_says_how_results_are_assembled() {
        let copied = |format: &str, of: &str| {
            shown("B[i,j] = A[i,j]", &format!("B = '{format}', A = '{of}'"))
        };
        assert_eq!(
            copied("csr", "csr"),
            "B is assembled directly: i (dense) is inserted, j (compressed) is appended"
        );
        assert!(copied("csc", "csr").ends_with(
            "i (compressed) is stored behind the entries of its parent, which are counted first"
        ));
        assert!(copied("ell", "csr").contains("in the next slot"));
        assert!(copied("blocks", "coo").contains("jo (compressed) is appended in any order"));
        assert_eq!(shown("s = x[i]", "x = 'dense'"), "s is a value");
        let turned = shown("C[i,j,k] = A[k,j,l] * B[l,i]", "C = 'csf', A = 'csf', B = 'dcsr'");
        assert!(turned.contains("then packed as"), "{turned}");
    }
}
