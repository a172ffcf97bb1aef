//! Mathematical functions, which all stages use.

use crate::types::{Dtype, Literal};

/// A mathematical function, for which Rust has an implementation for each supported type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each variant is the function of its name")]
pub enum Function {
    Abs,
    Sqrt,
    Cbrt,
    Exp,
    Exp2,
    Expm1,
    Ln,
    Ln1p,
    Log2,
    Log10,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Floor,
    Ceil,
    Round,
    Trunc,
    Sign,
    Recip,
    Square,
    Cube,
    Conj,
    Re,
    Im,
    Arg,
    Min,
    Max,
    Pow,
    Hypot,
    Rem,
}

use Function::{
    Abs, Acos, Acosh, Arg, Asin, Asinh, Atan, Atan2, Atanh, Cbrt, Ceil, Conj, Cos, Cosh, Cube, Exp,
    Exp2, Expm1, Floor, Hypot, Im, Ln, Ln1p, Log2, Log10, Max, Min, Pow, Re, Recip, Rem, Round,
    Sign, Sin, Sinh, Sqrt, Square, Tan, Tanh, Trunc,
};

/// Evaluates a function in a real type of Rust.
macro_rules! real {
    ($function:expr, $a:expr, $b:expr, $real:ty) => {{
        let (a, b) = ($a, $b);
        match $function {
            Abs => a.abs(),
            Sqrt => a.sqrt(),
            Cbrt => a.cbrt(),
            Exp => a.exp(),
            Exp2 => a.exp2(),
            Expm1 => a.exp_m1(),
            Ln => a.ln(),
            Ln1p => a.ln_1p(),
            Log2 => a.log2(),
            Log10 => a.log10(),
            Sin => a.sin(),
            Cos => a.cos(),
            Tan => a.tan(),
            Asin => a.asin(),
            Acos => a.acos(),
            Atan => a.atan(),
            Atan2 => a.atan2(b),
            Sinh => a.sinh(),
            Cosh => a.cosh(),
            Tanh => a.tanh(),
            Asinh => a.asinh(),
            Acosh => a.acosh(),
            Atanh => a.atanh(),
            Floor => a.floor(),
            Ceil => a.ceil(),
            Round => a.round(),
            Trunc => a.trunc(),
            Sign if a == 0.0 => 0.0,
            Sign => a.signum(),
            Recip => a.recip(),
            Square => a * a,
            Cube => a * a * a,
            Conj | Re => a,
            Im => 0.0,
            Arg if a.is_nan() => a,
            Arg => <$real>::atan2(0.0, a),
            Min => a.min(b),
            Max => a.max(b),
            Pow => a.powf(b),
            Hypot => a.hypot(b),
            Rem => a % b,
        }
    }};
}

impl Function {
    /// All functions, with their names in a statement.
    pub const ALL: [(&'static str, Function); 40] = [
        ("abs", Abs),
        ("sqrt", Sqrt),
        ("cbrt", Cbrt),
        ("exp", Exp),
        ("exp2", Exp2),
        ("expm1", Expm1),
        ("ln", Ln),
        ("ln1p", Ln1p),
        ("log2", Log2),
        ("log10", Log10),
        ("sin", Sin),
        ("cos", Cos),
        ("tan", Tan),
        ("asin", Asin),
        ("acos", Acos),
        ("atan", Atan),
        ("atan2", Atan2),
        ("sinh", Sinh),
        ("cosh", Cosh),
        ("tanh", Tanh),
        ("asinh", Asinh),
        ("acosh", Acosh),
        ("atanh", Atanh),
        ("floor", Floor),
        ("ceil", Ceil),
        ("round", Round),
        ("trunc", Trunc),
        ("sign", Sign),
        ("recip", Recip),
        ("square", Square),
        ("cube", Cube),
        ("conj", Conj),
        ("re", Re),
        ("im", Im),
        ("arg", Arg),
        ("min", Min),
        ("max", Max),
        ("pow", Pow),
        ("hypot", Hypot),
        ("rem", Rem),
    ];

    /// Returns the function with this name.
    pub fn of(name: &str) -> Option<Function> {
        Function::ALL.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
    }

    /// Returns the name in a statement.
    pub fn name(self) -> &'static str {
        Function::ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Returns the number of arguments.
    pub fn arity(self) -> usize {
        if matches!(self, Atan2 | Min | Max | Pow | Hypot | Rem) { 2 } else { 1 }
    }

    /// Returns whether the function is defined for arguments of a type.
    pub fn takes(self, dtype: Dtype) -> bool {
        let (float, complex) = (dtype.is_float() || dtype == Dtype::Generic, dtype.is_complex());
        let number = dtype != Dtype::Bool;
        match self {
            Sqrt | Exp | Ln | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh
            | Acosh | Atanh | Recip => float || complex,
            Conj | Re | Im | Arg => dtype.is_float() || complex,
            Cbrt | Exp2 | Expm1 | Ln1p | Log2 | Log10 | Atan2 | Hypot => float,
            Abs => number && !dtype.is_unsigned(),
            Sign => number && !complex && !dtype.is_unsigned(),
            Floor | Ceil | Round | Trunc => float,
            Square | Cube => number,
            Pow => number,
            Min | Max | Rem => number && !complex,
        }
    }

    /// Returns the type of the value for arguments of a type.
    pub fn result(self, dtype: Dtype) -> Dtype {
        if matches!(self, Abs | Re | Im | Arg) { dtype.real() } else { dtype }
    }

    /// Evaluates the function for real numbers.
    pub fn of_real(self, a: f64, b: f64) -> f64 {
        real!(self, a, b, f64)
    }

    /// Evaluates the function for real numbers in single precision.
    pub fn of_single(self, a: f32, b: f32) -> f32 {
        real!(self, a, b, f32)
    }

    /// Evaluates the function for integers, if the value is small enough for every type.
    pub fn of_integer(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Abs => a.checked_abs(),
            Sign => Some(a.signum()),
            Square => a.checked_mul(a),
            Cube => a.checked_mul(a)?.checked_mul(a),
            Min => Some(a.min(b)),
            Max => Some(a.max(b)),
            Pow => a.checked_pow(u32::try_from(b).ok()?),
            Rem => a.checked_rem(b),
            Sqrt | Cbrt | Exp | Exp2 | Expm1 | Ln | Ln1p | Log2 | Log10 | Sin | Cos | Tan
            | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Floor
            | Ceil | Round | Trunc | Recip | Conj | Re | Im | Arg | Hypot => None,
        }
    }

    /// Evaluates the function for constants, if the value is the same in every type.
    pub fn of_literals(self, arguments: &[Literal]) -> Option<Literal> {
        let [a, b] = match arguments {
            [a] => [*a, Literal::Int(0)],
            [a, b] => [*a, *b],
            _ => return None,
        };
        if let (Literal::Int(a), Literal::Int(b)) = (a, b)
            && let Some(folded) = self.of_integer(a, b)
        {
            return Some(Literal::Int(folded));
        }
        Some(Literal::real(self.of_real(a.as_real()?, b.as_real()?)))
    }
}
