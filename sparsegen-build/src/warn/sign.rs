//! Comparisons of indices that hold for all coordinates, or for none.

use crate::coordinate::Affine;
use crate::notation::{BinaryOp, Expr, Kernel};

/// Returns whether a comparison of index expressions holds, if that is the same for all coordinates.
pub(super) fn truth(kernel: &Kernel, op: BinaryOp, a: &Expr, b: &Expr) -> Option<bool> {
    let difference = Expr::difference(a, b)?;
    let is_index = |of: &Expr| matches!(of, Expr::Index(_));
    if !difference.variables().any(is_index) {
        return None;
    }
    let (least, most) = range(kernel, &difference);
    let (is_negative, is_positive) = (most.is_some_and(|n| n < 0), least.is_some_and(|n| n > 0));
    let (not_positive, not_negative) =
        (most.is_some_and(|n| n <= 0), least.is_some_and(|n| n >= 0));
    let known = |holds: bool, fails: bool| match (holds, fails) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        (false, false) => None,
    };
    match op {
        BinaryOp::Lt => known(is_negative, not_negative),
        BinaryOp::Le => known(not_positive, is_positive),
        BinaryOp::Gt => known(is_positive, not_positive),
        BinaryOp::Ge => known(not_negative, is_negative),
        BinaryOp::Eq => known(false, is_negative || is_positive),
        BinaryOp::Ne => known(is_negative || is_positive, false),
        _ => None,
    }
}

/// Returns the least and the greatest value of a function of coordinates, where they are known.
fn range(kernel: &Kernel, function: &Affine<Expr>) -> (Option<i64>, Option<i64>) {
    let mut least = Some(function.offset());
    let mut most = least;
    for term in function.terms() {
        let last = match &term.of {
            Expr::Index(v) => {
                kernel.variable(*v).declared_size().and_then(|size| i64::try_from(size).ok())
            }
            _ => None,
        };
        // Products and quotients of coordinates and parameters are not negative either.
        let farthest = last.and_then(|size| term.times.checked_mul((size - 1).max(0)));
        let (low, high) = match term.times < 0 {
            true => (farthest, Some(0)),
            false => (Some(0), farthest),
        };
        let plus = |sum: Option<i64>, by: Option<i64>| sum?.checked_add(by?);
        (least, most) = (plus(least, low), plus(most, high));
    }
    (least, most)
}

#[cfg(test)]
mod tests {
    use crate::compile_str;

    /// Returns the messages of the warnings of a kernel with the factor `condition`.
    fn warned(condition: &str, keys: &str) -> Vec<String> {
        let manifest = format!(
            "[kernels.k]\nexpr = \"y[i] = A[i,j] * ({condition})\"\n\
             tensors = {{ y = 'dense', A = 'csr' }}\n{keys}"
        );
        let output = compile_str("kernels.toml", &manifest);
        assert!(output.diagnostics.is_empty(), "{}", output.diagnostics.render("", &manifest));
        output.warnings.iter().map(|warning| warning.message.clone()).collect()
    }

    #[test]
    fn comparisons_that_never_hold_are_found() {
        assert_eq!(warned("j < 0", ""), ["the condition `j < 0` never holds"]);
        assert_eq!(warned("i + j >= 0", ""), ["the condition `0 <= i + j` always holds"]);
        assert_eq!(warned("j == -1", ""), ["the condition `j == -1` never holds"]);
        assert_eq!(warned("j >= 9", "sizes = { j = 9 }"), ["the condition `9 <= j` never holds"]);
        assert_eq!(warned("j >= 9", "sizes = { j = 10 }"), [""; 0]);
        assert_eq!(warned("i < j", ""), [""; 0]);
        assert_eq!(warned("j < 0", "allow = [\"unused\"]"), [""; 0]);
    }
}
