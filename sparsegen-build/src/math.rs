//! Mathematical functions, which all stages use.

use crate::types::{Domain, Dtype, Literal};

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
    Pow,
    Hypot,
}

use Domain::{Complex, Field, Float, Number, Signed, SignedReal};
use Function::{
    Abs, Acos, Acosh, Arg, Asin, Asinh, Atan, Atan2, Atanh, Cbrt, Ceil, Conj, Cos, Cosh, Cube, Exp,
    Exp2, Expm1, Floor, Hypot, Im, Ln, Ln1p, Log2, Log10, Pow, Re, Recip, Round, Sign, Sin, Sinh,
    Sqrt, Square, Tan, Tanh, Trunc,
};

/// The properties of a function, and its values for real numbers of both precisions.
struct Row {
    function: Function,
    name: &'static str,
    arity: usize,
    domain: Domain,
    of_real: fn(f64, f64) -> f64,
    of_single: fn(f32, f32) -> f32,
}

macro_rules! row {
    ($function:expr, $name:expr, $arity:expr, $domain:expr, $value:expr) => {
        Row {
            function: $function,
            name: $name,
            arity: $arity,
            domain: $domain,
            of_real: $value,
            of_single: $value,
        }
    };
}

/// The functions, in the order of the variants.
static TABLE: [Row; 37] = [
    row!(Abs, "abs", 1, Signed, |a, _| a.abs()),
    row!(Sqrt, "sqrt", 1, Field, |a, _| a.sqrt()),
    row!(Cbrt, "cbrt", 1, Float, |a, _| a.cbrt()),
    row!(Exp, "exp", 1, Field, |a, _| a.exp()),
    row!(Exp2, "exp2", 1, Float, |a, _| a.exp2()),
    row!(Expm1, "expm1", 1, Float, |a, _| a.exp_m1()),
    row!(Ln, "ln", 1, Field, |a, _| a.ln()),
    row!(Ln1p, "ln1p", 1, Float, |a, _| a.ln_1p()),
    row!(Log2, "log2", 1, Float, |a, _| a.log2()),
    row!(Log10, "log10", 1, Float, |a, _| a.log10()),
    row!(Sin, "sin", 1, Field, |a, _| a.sin()),
    row!(Cos, "cos", 1, Field, |a, _| a.cos()),
    row!(Tan, "tan", 1, Field, |a, _| a.tan()),
    row!(Asin, "asin", 1, Field, |a, _| a.asin()),
    row!(Acos, "acos", 1, Field, |a, _| a.acos()),
    row!(Atan, "atan", 1, Field, |a, _| a.atan()),
    row!(Atan2, "atan2", 2, Float, |a, b| a.atan2(b)),
    row!(Sinh, "sinh", 1, Field, |a, _| a.sinh()),
    row!(Cosh, "cosh", 1, Field, |a, _| a.cosh()),
    row!(Tanh, "tanh", 1, Field, |a, _| a.tanh()),
    row!(Asinh, "asinh", 1, Field, |a, _| a.asinh()),
    row!(Acosh, "acosh", 1, Field, |a, _| a.acosh()),
    row!(Atanh, "atanh", 1, Field, |a, _| a.atanh()),
    row!(Floor, "floor", 1, Float, |a, _| a.floor()),
    row!(Ceil, "ceil", 1, Float, |a, _| a.ceil()),
    row!(Round, "round", 1, Float, |a, _| a.round()),
    row!(Trunc, "trunc", 1, Float, |a, _| a.trunc()),
    row!(Sign, "sign", 1, SignedReal, |a, _| if a == 0.0 { 0.0 } else { a.signum() }),
    row!(Recip, "recip", 1, Field, |a, _| a.recip()),
    row!(Square, "square", 1, Number, |a, _| a * a),
    row!(Cube, "cube", 1, Number, |a, _| a * a * a),
    row!(Conj, "conj", 1, Complex, |a, _| a),
    row!(Re, "re", 1, Complex, |a, _| a),
    row!(Im, "im", 1, Complex, |_, _| 0.0),
    // That is atan2(0, a), with a zero of the same precision.
    row!(Arg, "arg", 1, Complex, |a, _| a.abs().min(0.0).atan2(a)),
    row!(Pow, "pow", 2, Number, |a, b| a.powf(b)),
    row!(Hypot, "hypot", 2, Float, |a, b| a.hypot(b)),
];

impl Function {
    /// All functions.
    pub fn all() -> impl Iterator<Item = Function> {
        TABLE.iter().map(|row| row.function)
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Returns the function with this name.
    pub fn of(name: &str) -> Option<Function> {
        Function::all().find(|function| function.name() == name)
    }

    /// Returns the name in a statement.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the number of arguments.
    pub fn arity(self) -> usize {
        self.row().arity
    }

    /// Returns whether the function is defined for arguments of a type.
    pub fn takes(self, dtype: Dtype) -> bool {
        self.row().domain.contains(dtype)
    }

    /// Returns the type of the value for arguments of a type.
    pub fn result(self, dtype: Dtype) -> Dtype {
        if matches!(self, Abs | Re | Im | Arg) { dtype.real() } else { dtype }
    }

    /// Returns whether the function is computed in many steps: it is neither algebraic nor a root.
    pub fn takes_long(self) -> bool {
        match self {
            Cbrt | Exp | Exp2 | Expm1 | Ln | Ln1p | Log2 | Log10 | Sin | Cos | Tan | Asin
            | Acos | Atan | Atan2 | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Arg | Pow => true,
            Abs | Sqrt | Floor | Ceil | Round | Trunc | Sign | Recip | Square | Cube | Conj
            | Re | Im | Hypot => false,
        }
    }

    /// Evaluates the function for real numbers.
    pub fn of_real(self, a: f64, b: f64) -> f64 {
        (self.row().of_real)(a, b)
    }

    /// Evaluates the function for real numbers in single precision.
    pub fn of_single(self, a: f32, b: f32) -> f32 {
        (self.row().of_single)(a, b)
    }

    /// Evaluates the function for integers, if it is defined for them and does not overflow.
    pub fn of_integer(self, a: i128, b: i128) -> Option<i128> {
        match self {
            Abs => a.checked_abs(),
            Sign => Some(a.signum()),
            Square => a.checked_mul(a),
            Cube => a.checked_mul(a)?.checked_mul(a),
            Pow => a.checked_pow(u32::try_from(b).ok()?),
            _ => None,
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
            && let Some(folded) = self.of_integer(a.into(), b.into())
            && let Ok(folded) = i64::try_from(folded)
        {
            return Some(Literal::Int(folded));
        }
        Some(Literal::real(self.of_real(a.as_real()?, b.as_real()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_variants() {
        for (k, row) in TABLE.iter().enumerate() {
            assert_eq!(row.function as usize, k, "{}", row.name);
            assert_eq!(Function::of(row.name), Some(row.function));
        }
    }

    #[test]
    fn real_numbers_have_an_angle() {
        let pi = std::f64::consts::PI;
        for (number, angle) in
            [(2.0, 0.0), (0.0, 0.0), (-0.0, pi), (-2.0, pi), (f64::INFINITY, 0.0)]
        {
            assert_eq!(Arg.of_real(number, 0.0), angle, "{number}");
        }
        assert!(Arg.of_real(f64::NAN, 0.0).is_nan());
    }

    #[test]
    fn precisions_and_integers_agree() {
        for function in Function::all() {
            let (wide, single) = (function.of_real(1.0, 1.0), function.of_single(1.0, 1.0));
            let is_near =
                |a: f64, b: f64| a == b || (a - b).abs() < 1e-6 || a.is_nan() && b.is_nan();
            assert!(is_near(wide, single.into()), "{}", function.name());
            if let Some(integer) = function.of_integer(3, 2) {
                assert_eq!(integer as f64, function.of_real(3.0, 2.0), "{}", function.name());
            }
        }
    }
}
