//! The reserved words: functions, reductions, types, constants. They cannot name a tensor, a
//! variable or a parameter.

use super::syntax::Constant;

/// The functions, with their numbers of arguments.
pub const FUNCTIONS: [(&str, usize); 45] = [
    ("abs", 1),
    ("sqrt", 1),
    ("cbrt", 1),
    ("exp", 1),
    ("exp2", 1),
    ("expm1", 1),
    ("ln", 1),
    ("ln1p", 1),
    ("log2", 1),
    ("log10", 1),
    ("sin", 1),
    ("cos", 1),
    ("tan", 1),
    ("asin", 1),
    ("acos", 1),
    ("atan", 1),
    ("atan2", 2),
    ("sinh", 1),
    ("cosh", 1),
    ("tanh", 1),
    ("asinh", 1),
    ("acosh", 1),
    ("atanh", 1),
    ("floor", 1),
    ("ceil", 1),
    ("round", 1),
    ("trunc", 1),
    ("sign", 1),
    ("recip", 1),
    ("square", 1),
    ("cube", 1),
    ("conj", 1),
    ("re", 1),
    ("im", 1),
    ("arg", 1),
    ("min", 2),
    ("max", 2),
    ("pow", 2),
    ("hypot", 2),
    ("rem", 2),
    ("xor", 2),
    ("select", 3),
    ("replace", 2),
    ("present", 1),
    ("absent", 1),
];

/// The reductions.
pub const REDUCTIONS: [&str; 8] = ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax"];

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
    if REDUCTIONS.contains(&name) {
        Some("a reduction")
    } else if FUNCTIONS.iter().any(|(function, _)| *function == name) {
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

/// Returns the number of arguments of a function or a conversion, or `None` if there is no such
/// function.
pub fn arguments(name: &str) -> Option<usize> {
    if TYPES.contains(&name) {
        return Some(1);
    }
    FUNCTIONS.iter().find(|(function, _)| *function == name).map(|(_, count)| *count)
}
