//! `sparsegen try`

use std::fmt::Write as _;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::manifest::Manifest;
use crate::report;

pub const HELP: &str = "\
usage: sparsegen try EXPRESSION [TENSOR=FORMAT…] [--dtype TYPE] [--semiring NAME]

Compiles an expression without a manifest, and prints the report on it and its source:

    sparsegen try \"y[i] = A[i,j] * x[j]\" A=csr

A format is a name, such as `csr`, or a map, such as `(i, j) -> (i : dense, j : compressed)`. Tensors
without one get a format, which is printed.
";

pub fn run(arguments: Arguments) -> Result<String, Failure> {
    let Some((expression, given)) = arguments.words.split_first() else {
        return Err(arguments.wrong("an expression is missing"));
    };
    let used = tensors(expression);
    let mut formats: Vec<(String, String)> = Vec::new();
    for word in given {
        let Some((name, format)) = word.split_once('=') else {
            return Err(arguments.wrong(format!("`{word}` is not of the form TENSOR=FORMAT")));
        };
        if !used.iter().any(|(used, _)| used == name) {
            let used: Vec<String> = used.iter().map(|(name, _)| format!("`{name}`")).collect();
            let reason =
                format!("there is no tensor `{name}`; its tensors are {}", used.join(", "));
            return Err(Failure::error(reason));
        }
        formats.push((name.to_owned(), format.to_owned()));
    }
    let assumed = assumed(&used, &formats);
    let all: Vec<String> =
        formats.iter().chain(&assumed).map(|(name, of)| format!("{name} = {of:?}")).collect();
    let mut text = format!("[kernels.{NAME}]\nexpr = {expression:?}\n");
    let _ = writeln!(text, "tensors = {{ {} }}", all.join(", "));
    for key in ["dtype", "semiring"] {
        if let Some(value) = arguments.option(key) {
            let _ = writeln!(text, "{key} = {value:?}");
        }
    }
    let manifest = Manifest::compile("kernels.toml".to_owned(), text)?;
    let kernel = manifest.find(NAME)?;
    let mut shown = String::new();
    if !assumed.is_empty() {
        let assumed = assumed.iter().map(|(name, format)| format!("{name}={format}"));
        let assumed: Vec<String> = assumed.collect();
        let _ = writeln!(shown, "assumed: {}\n", assumed.join(" "));
    }
    let _ = writeln!(shown, "the manifest:\n\n{}", manifest.text);
    let _ = writeln!(shown, "{}", report::report(&manifest, kernel));
    let _ = writeln!(shown, "━━ source\n{}", kernel.source);
    Ok(shown)
}

/// The name of the kernel.
const NAME: &str = "tried";

/// Returns the tensors of a statement that have indices, each with its order; the result is first.
fn tensors(statement: &str) -> Vec<(String, usize)> {
    let bytes = statement.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut found: Vec<(String, usize)> = Vec::new();
    for open in (0..bytes.len()).filter(|k| bytes[*k] == b'[') {
        let (mut depth, mut order, mut close) = (0, 1, open);
        for (k, byte) in bytes.iter().enumerate().skip(open) {
            match byte {
                b'[' | b'(' => depth += 1,
                b']' | b')' => depth -= 1,
                b',' if depth == 1 => order += 1,
                _ => {}
            }
            close = k;
            if depth == 0 {
                break;
            }
        }
        // `sum[j](…)` is a reduction.
        let is_reduction = bytes.get(close + 1) == Some(&b'(');
        let length = bytes[..open].iter().rev().take_while(|byte| is_word(byte)).count();
        let name = &statement[open - length..open];
        if length > 0 && !is_reduction && !found.iter().any(|(known, _)| known == name) {
            found.push((name.to_owned(), order));
        }
    }
    found
}

/// Returns formats for the tensors without one: operands of the highest order are sparse, and so is
/// a result that no dense matrix contributes to. All others are dense.
fn assumed(tensors: &[(String, usize)], given: &[(String, String)]) -> Vec<(String, String)> {
    let Some(((result, order), operands)) = tensors.split_first() else { return Vec::new() };
    let highest = operands.iter().map(|(_, order)| *order).max().unwrap_or(0);
    let sparse = |order: usize| if order == 2 { "csr" } else { "csf" };
    let format_of = |name: &str| given.iter().find(|(known, _)| known == name).map(|(_, of)| of);
    let mut assumed = Vec::new();
    let mut some_dense = false;
    for (name, order) in operands {
        let own = if *order == highest && *order > 1 { sparse(*order) } else { "dense" };
        some_dense |= *order > 1 && format_of(name).map_or(own, String::as_str) == "dense";
        if format_of(name).is_none() && name != result {
            assumed.push((name.clone(), own.to_owned()));
        }
    }
    if format_of(result).is_none() {
        let own = if *order > 1 && !some_dense && highest > 1 { sparse(*order) } else { "dense" };
        assumed.insert(0, (result.clone(), own.to_owned()));
    }
    assumed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(statement: &str, given: &[(&str, &str)]) -> String {
        let given: Vec<(String, String)> =
            given.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        let assumed = assumed(&tensors(statement), &given);
        assumed.iter().map(|(name, of)| format!("{name}={of}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn operands_of_the_highest_order_are_sparse() {
        assert_eq!(shown("y[i] = A[i,j] * x[j]", &[]), "y=dense A=csr x=dense");
        assert_eq!(shown("C[i,j] = A[i,k] * B[k,j]", &[("A", "coo")]), "C=csr B=csr");
        assert_eq!(
            shown("M[i,r] = X[i,j,k] * B[j,r] * C[k,r]", &[]),
            "M=dense X=csf B=dense C=dense"
        );
        assert_eq!(shown("s = x[i] * y[i]", &[]), "x=dense y=dense");
    }

    #[test]
    fn reductions_are_no_tensors() {
        let found = tensors("n[i] = sqrt(sum[j](square(A[i, j])))");
        assert_eq!(found, [("n".to_owned(), 1), ("A".to_owned(), 2)]);
        assert_eq!(tensors("E[i,j] = T[w[i], 2 * j + 1]").len(), 3);
    }
}
