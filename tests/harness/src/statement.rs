//! Reads index notation, apart from the compiler, so that a mistake in one does not hide in the
//! other.

mod expr;
mod parse;
mod sums;

use std::fmt;

pub use expr::{Binary, Expr, Function, Reduction, Unary};

/// `y[i] = A[i,j] * x[j]`
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What is computed.
    pub result: Access,
    /// From what; every sum is explicit.
    pub value: Expr,
    /// The accesses that read only parts of modes: of each there is a tensor that has just these, which
    /// stands in the value in its stead.
    pub views: Vec<View>,
    /// The extents that are constants, by variable.
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

/// Parts of the modes of a tensor, as a tensor of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Its name, as it is written: `A[i in 2..n,3]`.
    pub name: String,
    /// The tensor.
    pub of: String,
    /// What is read of each of the tensor's modes.
    pub modes: Vec<Mode>,
}

/// What is read of a mode.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    /// All of it, by a variable.
    Whole(String),
    /// `i in 2..n step 3`
    Slice(String, Bound, Bound, usize),
    /// One coordinate.
    Fixed(Bound),
    /// `i in 2..n step 3 shift -1`, where `i` runs over the whole mode.
    Shifted(String, Bound, Bound, usize, isize),
    /// `2*i + k - 1`: what each addend is multiplied by, and the addend.
    Sum(Vec<(i64, Addend)>),
    /// `word[i]`
    Element(Access),
    /// `i in {2, 3}` or `i in rows`
    Listed(String, List),
}

/// An addend of an index.
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
    /// The variables that it reads by.
    pub fn variables(&self) -> Vec<&String> {
        match self {
            Mode::Whole(v) | Mode::Slice(v, ..) | Mode::Shifted(v, ..) | Mode::Listed(v, _) => {
                vec![v]
            }
            Mode::Fixed(_) => Vec::new(),
            Mode::Sum(addends) => {
                let variables = addends.iter().filter_map(|(_, addend)| match addend {
                    Addend::Variable(v) => Some(v),
                    Addend::One | Addend::Parameter(_) => None,
                });
                variables.collect()
            }
            Mode::Element(access) => access.variables.iter().collect(),
        }
    }

    /// Whether each coordinate of the mode is read by one of the variables' at most.
    pub fn is_part(&self) -> bool {
        match self {
            Mode::Whole(_) | Mode::Slice(..) | Mode::Fixed(_) | Mode::Shifted(..) => true,
            Mode::Sum(_) | Mode::Element(_) | Mode::Listed(..) => false,
        }
    }
}

/// A coordinate. Variables have one letter, so that names with more are parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// `2`
    Number(usize),
    /// `lo`
    Parameter(String),
}

impl Bound {
    /// The parameter, if it is one.
    fn parameter(&self) -> Option<&String> {
        match self {
            Bound::Parameter(name) => Some(name),
            Bound::Number(_) => None,
        }
    }
}

impl Statement {
    /// A statement with the last result that reads whatever any of these reads or computes: operands
    /// that fit it fit all of them. Variables of one name have one extent.
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

    /// Every access, the result's first, in the order of the text.
    pub fn accesses(&self) -> Vec<&Access> {
        let mut all = vec![&self.result];
        self.value.visit(&mut |expr| {
            if let Expr::Access(access) = expr {
                self.add(access, &mut all);
            }
        });
        all
    }

    /// Adds an access and those that stand in its indices.
    fn add<'s>(&'s self, access: &'s Access, all: &mut Vec<&'s Access>) {
        all.push(access);
        for mode in self.view(access).into_iter().flat_map(|view| &view.modes) {
            if let Mode::Element(element) = mode {
                self.add(element, all);
            }
        }
    }

    /// The tensors whose elements are coordinates, with what is read there: a mode of a tensor.
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

    /// Every index variable, in order of first appearance.
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

    /// The operands' names, in order of first appearance. A result of which a part is computed is one.
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

    /// The accesses that tell of the operands' modes.
    pub fn reads(&self) -> Vec<&Access> {
        let mut reads = self.accesses();
        if self.view(&self.result).is_none() {
            reads.remove(0);
        }
        reads
    }

    /// The tensor that an access reads, be it only parts of it.
    pub fn tensor<'s>(&'s self, access: &'s Access) -> &'s str {
        self.view(access).map_or(&access.tensor, |view| &view.of)
    }

    /// The parts of a tensor that an access reads, if it does not read all of it.
    pub fn view(&self, access: &Access) -> Option<&View> {
        self.views.iter().find(|view| view.name == access.tensor)
    }

    /// What an access reads of each mode of its tensor.
    pub fn modes(&self, access: &Access) -> Vec<Mode> {
        match self.view(access) {
            Some(view) => view.modes.clone(),
            None => access.variables.iter().cloned().map(Mode::Whole).collect(),
        }
    }

    /// The parameters, those that stand in indices first.
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
                Mode::Sum(addends) => {
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
        // The name of a part says what it reads.
        if self.tensor.ends_with(']') {
            return Ok(());
        }
        if self.variables.is_empty() { Ok(()) } else { write!(f, "[{}]", self.variables.join(",")) }
    }
}
