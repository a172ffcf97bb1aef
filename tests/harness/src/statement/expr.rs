//! Right-hand sides.

use std::fmt;

use crate::dtype::Dtype;
use crate::number::Number;
use crate::own::Own;
use crate::statement::Access;

/// A right-hand side.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant. A constant without a fraction is an integer until its type is known.
    Number(Number),
    /// An operand's element.
    Access(Access),
    /// An index variable's value.
    Variable(String),
    /// A parameter's value.
    Parameter(String),
    /// `-a`
    Unary(Unary, Box<Expr>),
    /// `a + b`
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `max(a, b)`
    Call(Function, Vec<Expr>),
    /// A call of a user function of the corpus.
    Own(&'static Own, Vec<Expr>),
    /// `f64(a)`
    Convert(Dtype, Box<Expr>),
    /// `sum[i,j](a)`
    Reduce(Reduction, Vec<String>, Box<Expr>),
}

/// Declares an enum of words with their notation.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$each:meta])* $word:ident $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $word,)*
        }

        impl $name {
            /// All words.
            pub const ALL: &[$name] = &[$($name::$word),*];

            /// Returns the word with this notation.
            pub fn named(name: &str) -> Option<$name> {
                match name {
                    $($text => Some($name::$word),)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $($name::$word => $text,)*
                })
            }
        }
    };
}

words! {
    /// A unary operator.
    Unary {
        Negative "-",
        Not "!",
    }
}

words! {
    /// A binary operator.
    Binary {
        Sum "+",
        Difference "-",
        Product "*",
        Quotient "/",
        And "&",
        Or "|",
        LessEqual "<=",
        Less "<",
        GreaterEqual ">=",
        Greater ">",
        Equal "==",
        Unequal "!=",
    }
}

words! {
    /// A function.
    Function {
        Abs "abs",
        Sqrt "sqrt",
        Cbrt "cbrt",
        Exp "exp",
        Exp2 "exp2",
        Expm1 "expm1",
        Ln "ln",
        Ln1p "ln1p",
        Log2 "log2",
        Log10 "log10",
        Sin "sin",
        Cos "cos",
        Tan "tan",
        Asin "asin",
        Acos "acos",
        Atan "atan",
        Atan2 "atan2",
        Sinh "sinh",
        Cosh "cosh",
        Tanh "tanh",
        Asinh "asinh",
        Acosh "acosh",
        Atanh "atanh",
        Floor "floor",
        Ceil "ceil",
        Round "round",
        Trunc "trunc",
        Sign "sign",
        Recip "recip",
        Square "square",
        Cube "cube",
        Conj "conj",
        Re "re",
        Im "im",
        Arg "arg",
        Min "min",
        Max "max",
        Pow "pow",
        Hypot "hypot",
        Rem "rem",
        Xor "xor",
        Select "select",
        Replace "replace",
        Present "present",
        Absent "absent",
    }
}

words! {
    /// A reduction operator.
    Reduction {
        Sum "sum",
        Prod "prod",
        Min "min",
        Max "max",
        Any "any",
        All "all",
        Argmin "argmin",
        Argmax "argmax",
    }
}

impl Function {
    const BINARY: [Function; 8] = [
        Function::Atan2,
        Function::Min,
        Function::Max,
        Function::Pow,
        Function::Hypot,
        Function::Rem,
        Function::Xor,
        Function::Replace,
    ];

    /// Returns the number of arguments.
    pub fn arguments(self) -> usize {
        if self == Function::Select {
            3
        } else if Function::BINARY.contains(&self) {
            2
        } else {
            1
        }
    }
}

impl Expr {
    /// Returns the direct subexpressions.
    pub fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Number(_) | Expr::Access(_) | Expr::Variable(_) | Expr::Parameter(_) => vec![],
            Expr::Unary(_, a) | Expr::Convert(_, a) | Expr::Reduce(_, _, a) => vec![a],
            Expr::Binary(_, a, b) => vec![a, b],
            Expr::Call(_, parts) | Expr::Own(_, parts) => parts.iter().collect(),
        }
    }

    /// Returns the direct subexpressions for modification.
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Number(_) | Expr::Access(_) | Expr::Variable(_) | Expr::Parameter(_) => vec![],
            Expr::Unary(_, a) | Expr::Convert(_, a) | Expr::Reduce(_, _, a) => vec![a],
            Expr::Binary(_, a, b) => vec![a, b],
            Expr::Call(_, parts) | Expr::Own(_, parts) => parts.iter_mut().collect(),
        }
    }

    /// Calls a function with this expression and all its subexpressions, in the order of the text.
    pub fn visit<'e>(&'e self, see: &mut impl FnMut(&'e Expr)) {
        see(self);
        for part in self.parts() {
            part.visit(see);
        }
    }

    /// Returns the variables that no reduction in the expression binds, in the order of first use.
    pub fn free(&self) -> Vec<String> {
        let all = match self {
            Expr::Access(access) => access.variables.clone(),
            Expr::Variable(variable) => vec![variable.clone()],
            Expr::Reduce(_, bound, a) => {
                a.free().into_iter().filter(|variable| !bound.contains(variable)).collect()
            }
            Expr::Number(_)
            | Expr::Parameter(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Call(..)
            | Expr::Own(..)
            | Expr::Convert(..) => self.parts().into_iter().flat_map(Expr::free).collect(),
        };
        let mut once: Vec<String> = Vec::new();
        for variable in all {
            if !once.contains(&variable) {
                once.push(variable);
            }
        }
        once
    }

    /// Returns a sum over variables.
    pub fn sum(variables: Vec<String>, body: Expr) -> Expr {
        Expr::Reduce(Reduction::Sum, variables, Box::new(body))
    }

    /// Returns a binary operation.
    pub fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }
}

/// Prints the expression fully parenthesized.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Number(number) => write!(f, "{number}"),
            Expr::Access(access) => write!(f, "{access}"),
            Expr::Variable(name) | Expr::Parameter(name) => f.write_str(name),
            Expr::Unary(op, a) => write!(f, "{op}{a}"),
            Expr::Binary(op, a, b) => write!(f, "({a} {op} {b})"),
            Expr::Call(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(Expr::to_string).collect();
                write!(f, "{function}({})", arguments.join(", "))
            }
            Expr::Own(own, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(Expr::to_string).collect();
                write!(f, "{}({})", own.name, arguments.join(", "))
            }
            Expr::Convert(dtype, a) => write!(f, "{dtype}({a})"),
            Expr::Reduce(op, variables, a) => write!(f, "{op}[{}]({a})", variables.join(",")),
        }
    }
}
