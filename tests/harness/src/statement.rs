//! A parser of index notation that is independent of the compiler, so that an error in one is
//! detected by the other.

mod expr;
mod parse;
mod sums;

use std::fmt;

pub use expr::{Binary, Expr, Function, Reduction, Unary};

/// `y[i] = A[i,j] * x[j]`
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The result.
    pub result: Access,
    /// The value, in which every sum is explicit.
    pub value: Expr,
    /// The accesses of subranges of modes. Each is replaced in the value by a tensor that consists
    /// of the subrange.
    pub views: Vec<View>,
    /// The constant extents, by variable.
    pub sizes: Vec<(String, usize)>,
}

/// `A[i,j]`; a scalar has no variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// The tensor's name.
    pub tensor: String,
    /// The index variable of each mode.
    pub variables: Vec<String>,
}

/// A tensor that consists of subranges of the modes of another one.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The name, which is the access: `A[i in 2..n,3]`.
    pub name: String,
    /// The other tensor.
    pub of: String,
    /// The subrange of each mode of the other tensor.
    pub modes: Vec<Mode>,
}

/// A subrange of a mode.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    /// The whole mode, with its variable.
    Whole(String),
    /// `i in 2..n step 3`
    Slice(String, Bound, Bound, usize),
    /// A fixed coordinate.
    Fixed(Bound),
    /// `i in 2..n step 3 shift -1`, where `i` ranges over the whole mode.
    Shifted(String, Bound, Bound, usize, isize),
    /// `2*i + k - 1`: the factor and the addend of each term.
    Sum(Vec<(i64, Addend)>),
    /// `(i + 1) / 2` or `rem(i + 1, 4)`: the dividend, the divisor and which of both it is.
    Divided(Vec<(i64, Addend)>, usize, Division),
    /// `word[i]`
    Element(Access),
    /// `i in {2, 3}` or `i in rows`
    Listed(String, List),
}

/// The parts of a division of integers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Division {
    /// The number of times that the divisor is in the dividend, towards zero.
    Quotient,
    /// What is left of the dividend.
    Remainder,
}

/// An addend of an affine index.
#[derive(Clone, Debug, PartialEq)]
pub enum Addend {
    /// 1
    One,
    /// `i`
    Variable(String),
    /// `far`
    Parameter(String),
}

/// The coordinates of an index set.
#[derive(Clone, Debug, PartialEq)]
pub enum List {
    /// `{2, 3}`
    Numbers(Vec<usize>),
    /// `rows`
    Parameter(String),
}

impl Mode {
    /// Returns the variables of the subscript.
    pub fn variables(&self) -> Vec<&String> {
        match self {
            Mode::Whole(v) | Mode::Slice(v, ..) | Mode::Shifted(v, ..) | Mode::Listed(v, _) => {
                vec![v]
            }
            Mode::Fixed(_) => Vec::new(),
            Mode::Sum(addends) | Mode::Divided(addends, ..) => {
                let variables = addends.iter().filter_map(|(_, addend)| match addend {
                    Addend::Variable(v) => Some(v),
                    Addend::One | Addend::Parameter(_) => None,
                });
                variables.collect()
            }
            Mode::Element(access) => access.variables.iter().collect(),
        }
    }

    /// Returns whether each coordinate of the mode is read for at most one coordinate of the
    /// variable.
    pub fn is_part(&self) -> bool {
        match self {
            Mode::Whole(_) | Mode::Slice(..) | Mode::Fixed(_) | Mode::Shifted(..) => true,
            Mode::Sum(_) | Mode::Divided(..) | Mode::Element(_) | Mode::Listed(..) => false,
        }
    }
}

/// A coordinate. Variables have one letter, so longer names are parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// `2`
    Number(usize),
    /// `lo`
    Parameter(String),
}

impl Bound {
    /// Returns the parameter, if it is one.
    fn parameter(&self) -> Option<&String> {
        match self {
            Bound::Parameter(name) => Some(name),
            Bound::Number(_) => None,
        }
    }
}

impl Statement {
    /// Returns a statement with the last result that reads all tensors of these statements, so that
    /// operands that fit it fit all of them. Variables with the same name have the same extent.
    pub fn united(statements: &[Statement]) -> Option<Statement> {
        let (last, earlier) = statements.split_last()?;
        let mut united = last.clone();
        for statement in earlier.iter().rev() {
            let result = Expr::Access(statement.result.clone());
            let both = Expr::binary(Binary::Sum, statement.value.clone(), result);
            united.value = Expr::binary(Binary::Sum, both, united.value);
            for view in &statement.views {
                if !united.views.contains(view) {
                    united.views.push(view.clone());
                }
            }
        }
        Some(united)
    }

    /// Returns every access, the result first, in the order of the text.
    pub fn accesses(&self) -> Vec<&Access> {
        let mut all = vec![&self.result];
        self.value.visit(&mut |expr| {
            if let Expr::Access(access) = expr {
                self.add(access, &mut all);
            }
        });
        all
    }

    /// Adds an access and the accesses in its indices.
    fn add<'s>(&'s self, access: &'s Access, all: &mut Vec<&'s Access>) {
        all.push(access);
        for mode in self.view(access).into_iter().flat_map(|view| &view.modes) {
            if let Mode::Element(element) = mode {
                self.add(element, all);
            }
        }
    }

    /// Returns the tensors whose elements are coordinates, each with the tensor and the mode that
    /// it indexes.
    pub fn gathers(&self) -> Vec<(&str, &str, usize)> {
        let mut gathers = Vec::new();
        for view in &self.views {
            for (k, mode) in view.modes.iter().enumerate() {
                if let Mode::Element(element) = mode {
                    gathers.push((self.tensor(element), view.of.as_str(), k));
                }
            }
        }
        gathers
    }

    /// Returns every index variable, in the order of first use.
    pub fn variables(&self) -> Vec<&str> {
        let mut found: Vec<&String> = self.result.variables.iter().collect();
        self.value.visit(&mut |expr| match expr {
            Expr::Access(access) => found.extend(&access.variables),
            Expr::Variable(variable) => found.push(variable),
            Expr::Reduce(_, bound, _) => found.extend(bound),
            Expr::Parameter(_)
            | Expr::Number(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Call(..)
            | Expr::Convert(..)
            | Expr::Own(..) => {}
        });
        let mut all: Vec<&str> = Vec::new();
        for variable in found {
            if !all.contains(&variable.as_str()) {
                all.push(variable);
            }
        }
        all
    }

    /// Returns the names of the operands, in the order of first use. They include a result that is
    /// assigned in part.
    pub fn operands(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for access in self.reads() {
            let tensor = self.tensor(access);
            if !all.contains(&tensor) {
                all.push(tensor);
            }
        }
        all
    }

    /// Returns the accesses that determine the extents of the operands.
    pub fn reads(&self) -> Vec<&Access> {
        let mut reads = self.accesses();
        if self.view(&self.result).is_none() {
            reads.remove(0);
        }
        reads
    }

    /// Returns the tensor that an access reads, in whole or in part.
    pub fn tensor<'s>(&'s self, access: &'s Access) -> &'s str {
        self.view(access).map_or(&access.tensor, |view| &view.of)
    }

    /// Returns the subranges that an access reads, if it does not read whole modes.
    pub fn view(&self, access: &Access) -> Option<&View> {
        self.views.iter().find(|view| view.name == access.tensor)
    }

    /// Returns the subrange of each mode that an access reads.
    pub fn modes(&self, access: &Access) -> Vec<Mode> {
        match self.view(access) {
            Some(view) => view.modes.clone(),
            None => access.variables.iter().cloned().map(Mode::Whole).collect(),
        }
    }

    /// Returns the parameters, those in indices first.
    pub fn parameters(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for mode in self.views.iter().flat_map(|view| &view.modes) {
            let names: Vec<&String> = match mode {
                Mode::Whole(_) | Mode::Element(_) | Mode::Listed(_, List::Numbers(_)) => vec![],
                Mode::Slice(_, start, end, _) | Mode::Shifted(_, start, end, ..) => {
                    [start, end].into_iter().filter_map(Bound::parameter).collect()
                }
                Mode::Fixed(at) => at.parameter().into_iter().collect(),
                Mode::Listed(_, List::Parameter(name)) => vec![name],
                Mode::Sum(addends) | Mode::Divided(addends, ..) => {
                    let names = addends.iter().filter_map(|(_, addend)| match addend {
                        Addend::Parameter(name) => Some(name),
                        Addend::One | Addend::Variable(_) => None,
                    });
                    names.collect()
                }
            };
            for name in names {
                if !all.contains(&name.as_str()) {
                    all.push(name);
                }
            }
        }
        self.value.visit(&mut |expr| match expr {
            Expr::Parameter(name) if !all.contains(&name.as_str()) => all.push(name),
            Expr::Parameter(_)
            | Expr::Number(_)
            | Expr::Access(_)
            | Expr::Variable(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Call(..)
            | Expr::Own(..)
            | Expr::Convert(..)
            | Expr::Reduce(..) => {}
        });
        all
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tensor)?;
        // The name of a view is its access.
        if self.tensor.ends_with(']') {
            return Ok(());
        }
        if self.variables.is_empty() { Ok(()) } else { write!(f, "[{}]", self.variables.join(",")) }
    }
}
