//! Conversions that give a function and an operator the types they are defined for.

use crate::error::{Code, Diagnostic, Span};
use crate::notation::Function;
use crate::types::Dtype;

use super::unparenthesized;

/// Returns the diagnostic for a function that is not defined for the type of its arguments; `text`
/// is the first argument.
pub(super) fn not_defined(function: Function, span: Span, of: Dtype, text: &str) -> Diagnostic {
    let name = function.symbol();
    let diagnostic =
        Diagnostic::new(Code::NotDefinedFor, span, format!("`{name}` is not defined for {of}"));
    if of.is_complex() {
        return diagnostic
            .help("convert complex numbers to real ones by `re`, `im`, `abs` or `arg`");
    }
    if of.is_opaque() {
        return diagnostic.help("declare the tensors with a `dtype`, such as \"f64\"");
    }
    diagnostic.help(match function.takes(Dtype::F64) {
        true => format!("convert what it takes: `f64({})`", unparenthesized(text)),
        false => "declare the tensors with another `dtype`".to_owned(),
    })
}

/// Returns the better conversion of two operands: the type, and the operand to convert.
pub(super) fn wider<'t>(a: Dtype, x: &'t str, b: Dtype, y: &'t str) -> (Dtype, &'t str) {
    let rank = |dtype: Dtype| Dtype::ALL.iter().rev().position(|known| *known == dtype);
    let holds_more = |dtype: Dtype| (dtype.is_complex(), dtype.is_float(), rank(dtype));
    if holds_more(a) >= holds_more(b) { (a, y) } else { (b, x) }
}
