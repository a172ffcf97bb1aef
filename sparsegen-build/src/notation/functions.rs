//! The reserved words: functions, reductions, types, constants. They cannot name a tensor, a
//! variable or a parameter.

use crate::math;
use crate::operator::BinaryOp;

use super::reduction::ReduceOp;
use super::syntax::Constant;

/// The functions besides those of numbers, with their numbers of arguments.
const FUNCTIONS: [(&str, usize); 4] =
    [("select", 3), ("replace", 2), ("present", 1), ("absent", 1)];

/// Returns the functions, with their numbers of arguments.
pub fn all() -> impl Iterator<Item = (&'static str, usize)> {
    let math = math::Function::all().map(|function| (function.name(), function.arity()));
    math.chain(BinaryOp::named().map(|op| (op.name(), 2))).chain(FUNCTIONS)
}

/// Functions of other systems, as expressions of this language.
const ELSEWHERE: [(&str, &str); 31] = [
    ("average", "sum[i](x[i]) / n"),
    ("clamp", "min(max(x, low), high)"),
    ("clip", "min(max(x, low), high)"),
    ("count", "sum[i](x[i] > 0)"),
    ("div", "a / b"),
    ("dot", "sum[i](a[i] * b[i])"),
    ("exp_m1", "expm1(x)"),
    ("fma", "a * b + c"),
    ("fmod", "rem(a, b)"),
    ("if", "select(condition, a, b)"),
    ("imag", "im(z)"),
    ("ln_1p", "ln1p(x)"),
    ("log", "ln(x)"),
    ("log1p", "ln1p(x)"),
    ("maximum", "max(a, b)"),
    ("mean", "sum[i](x[i]) / n"),
    ("minimum", "min(a, b)"),
    ("mod", "rem(a, b)"),
    ("nnz", "sum[i](present(x[i]))"),
    ("norm", "sqrt(sum[i](square(x[i])))"),
    ("not", "!condition"),
    ("power", "pow(a, b)"),
    ("product", "prod[i](x[i])"),
    ("real", "re(z)"),
    ("relu", "max(x, 0)"),
    ("rsqrt", "recip(sqrt(x))"),
    ("sgn", "sign(x)"),
    ("sigmoid", "recip(1 + exp(-x))"),
    ("stored", "present(x)"),
    ("transpose", "A[j,i]"),
    ("where", "select(condition, a, b)"),
];

/// Returns how a function of other systems is written in this language.
pub fn elsewhere(name: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(known, _)| *known == name).map(|(_, here)| *here)
}

/// The element types, which are conversions when called.
pub const TYPES: [&str; 16] = [
    "f64", "f32", "f16", "bf16", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "usize",
    "bool", "c64", "c32",
];

/// The constants.
pub const CONSTANTS: [(&str, Constant); 5] = [
    ("inf", Constant::Inf),
    ("nan", Constant::Nan),
    ("pi", Constant::Pi),
    ("true", Constant::True),
    ("false", Constant::False),
];

/// The keywords of slices and index sets.
pub const WORDS: [&str; 3] = ["in", "step", "shift"];

/// Returns the kind of a reserved word, or `None` if a name is free.
pub fn reserved(name: &str) -> Option<&'static str> {
    if ReduceOp::of(name).is_some() {
        Some("a reduction")
    } else if all().any(|(function, _)| function == name) {
        Some("a function")
    } else if TYPES.contains(&name) {
        Some("an element type")
    } else if CONSTANTS.iter().any(|(constant, _)| *constant == name) {
        Some("a constant")
    } else if WORDS.contains(&name) {
        Some("a keyword of the language")
    } else {
        None
    }
}

/// Returns whether a name is that of a constant number.
pub fn is_number(name: &str) -> bool {
    let numbers = [Constant::Inf, Constant::Nan, Constant::Pi];
    CONSTANTS.iter().any(|(known, constant)| *known == name && numbers.contains(constant))
}

/// Returns the number of arguments of a function or a conversion, or `None` if there is no such
/// function.
pub fn arguments(name: &str) -> Option<usize> {
    if TYPES.contains(&name) {
        return Some(1);
    }
    all().find(|(function, _)| *function == name).map(|(_, count)| count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_other_systems_have_none_of_the_own_names() {
        assert!(ELSEWHERE.iter().all(|(name, _)| reserved(name).is_none()));
        assert!(ELSEWHERE.is_sorted());
    }
}
