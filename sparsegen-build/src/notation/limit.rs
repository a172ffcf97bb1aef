//! Predicates that limit one of their variables: `i / 4 == k` holds at one coordinate of `k`, and
//! at four consecutive ones of `i`.

use super::{BinaryOp, Expr, Function, Kernel, VariableId};
use crate::coordinate::Affine;
use crate::types::Dtype;

/// The only coordinate of a variable at which a predicate holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Determined {
    /// A function that does not depend on the variable, by a divisor greater than 0. The predicate holds
    /// nowhere if that does not divide the function.
    Quotient(Affine<Expr>, u64),
    /// A value that does not depend on the variable. The predicate holds nowhere if that is no
    /// coordinate.
    Class(Expr),
}

/// A bound of a variable that is a value, such as an element of a list: `p < stop[r]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueLimit<'e> {
    pub value: &'e Expr,
    /// `true` for an upper bound.
    pub is_end: bool,
    /// `true` if the first coordinate, or the one after the last, is the one after the value.
    pub is_after: bool,
}

impl Kernel {
    /// Returns the value and its type, an integer, that bounds a variable where a predicate holds.
    pub fn value_limit<'e>(
        &self,
        predicate: &'e Expr,
        v: VariableId,
    ) -> Option<(ValueLimit<'e>, Dtype)> {
        let (limit, _) = predicate.as_value_limit().filter(|(_, of)| *of == v)?;
        // An element at `v + 1` depends on `v`, too.
        let depends = |of: VariableId| self.variables_of_index(of).contains(&v);
        if limit.value.variables().into_iter().any(depends) {
            return None;
        }
        let dtype = self.dtype_of(limit.value).filter(|dtype| dtype.is_integer())?;
        Some((limit, dtype))
    }

    /// Returns the coordinate of a variable at which a predicate holds, if it holds at one at most.
    pub fn coordinate_of(&self, predicate: &Expr, v: VariableId) -> Option<Determined> {
        let is_real = |dtype: Dtype| dtype.is_integer() || matches!(dtype, Dtype::F32 | Dtype::F64);
        predicate.determines(v).filter(|determined| match determined {
            Determined::Quotient(..) => true,
            Determined::Class(class) => self.dtype_of(class).is_none_or(is_real),
        })
    }
}

impl Expr {
    /// Returns the coordinate of a variable at which this predicate holds, if it holds at one at most and
    /// a class has a type of real numbers.
    fn determines(&self, v: VariableId) -> Option<Determined> {
        if let Some((class, of)) = self.as_class() {
            return (of == v).then(|| Determined::Class(class.clone()));
        }
        let (BinaryOp::Eq, difference) = self.compared_places()? else { return None };
        let (own, times) = (Expr::Index(v), difference.stride(&Expr::Index(v)));
        let rest = difference.minus(&Affine::term(times, own))?;
        if times == 0 || rest.variables().any(|of| of.variables().contains(&v)) {
            return None;
        }
        // Quotients that may be negative, and those by parameters, are computed as values.
        if rest.variables().any(Expr::may_be_negative_place) {
            let (class, _) = self.equated().into_iter().flatten().find(|(_, of)| *of == v)?;
            return Some(Determined::Class(class.clone()));
        }
        let of = if times > 0 { rest.times(-1)? } else { rest };
        Some(Determined::Quotient(of, times.unsigned_abs()))
    }

    /// Returns the value and the variable of a comparison of a variable with a class, a value that does
    /// not depend on it: `trunc(x[i] / w) == b`.
    pub(crate) fn as_class(&self) -> Option<(&Expr, VariableId)> {
        let is_class =
            |(value, v): &(&Expr, VariableId)| !value.is_place() && !value.variables().contains(v);
        self.equated().into_iter().flatten().find(is_class)
    }

    /// Returns the bound and the variable of a comparison of a variable with a value that does not depend
    /// on it: `p < stop[r]`.
    pub(crate) fn as_value_limit(&self) -> Option<(ValueLimit<'_>, VariableId)> {
        let Expr::Call(Function::Operator(op @ (BinaryOp::Lt | BinaryOp::Le)), sides) = self else {
            return None;
        };
        let (is_end, v, value) = match &sides[..] {
            [Expr::Index(v), value] => (true, *v, value),
            [value, Expr::Index(v)] => (false, *v, value),
            _ => return None,
        };
        let is_after = is_end == (*op == BinaryOp::Le);
        let is_limit = !value.is_place() && !value.variables().contains(&v);
        is_limit.then_some((ValueLimit { value, is_end, is_after }, v))
    }

    /// Returns each side of an equality whose other side is a variable, and this variable.
    fn equated(&self) -> [Option<(&Expr, VariableId)>; 2] {
        let Expr::Call(Function::Operator(BinaryOp::Eq), sides) = self else { return [None; 2] };
        let [a, b] = &sides[..] else { return [None; 2] };
        [(a, b), (b, a)].map(|(value, other)| match other {
            Expr::Index(v) => Some((value, *v)),
            _ => None,
        })
    }

    /// Returns functions of a variable and of others that are all at most 0 where this predicate holds,
    /// and only there, or none if it is not of that kind. The factor of the variable is 1 or -1.
    pub fn limits(&self, v: VariableId) -> Vec<Affine<Expr>> {
        self.limited(v).unwrap_or_default()
    }

    fn limited(&self, v: VariableId) -> Option<Vec<Affine<Expr>>> {
        let (op, difference) = self.compared_places()?;
        let bounds = match op {
            BinaryOp::Lt => vec![difference.plus(&Affine::constant(1))?],
            BinaryOp::Le => vec![difference],
            BinaryOp::Eq => vec![difference.times(-1)?, difference],
            _ => return None,
        };
        let bounds: Vec<_> =
            bounds.into_iter().map(|bound| undivided(bound, v)).collect::<Option<_>>()?;
        let own = Expr::Index(v);
        let is_limit = |bound: &Affine<Expr>| {
            bound.stride(&own).unsigned_abs() == 1
                && bound.variables().all(|of| *of == own || !of.variables().contains(&v))
        };
        bounds.iter().all(is_limit).then_some(bounds)
    }

    /// Returns the operator and the difference of a comparison of index expressions.
    fn compared_places(&self) -> Option<(BinaryOp, Affine<Expr>)> {
        let Expr::Call(Function::Operator(op), sides) = self else { return None };
        Some((*op, Expr::difference(&sides[0], &sides[1])?))
    }

    /// Returns the dividend, which is never negative, and the divisor of a quotient or remainder of
    /// index expressions.
    pub fn divided(&self) -> Option<(Affine<Expr>, i64)> {
        let Expr::Call(Function::Quotient | Function::Remainder, both) = self else { return None };
        let (of, by) = (both[0].as_affine()?, both[1].as_affine()?.as_constant()?);
        (by > 0 && !of.may_be_negative(Expr::may_be_negative_place)).then_some((of, by))
    }

    /// Returns whether a variable of an affine index expression may be negative.
    fn may_be_negative_place(&self) -> bool {
        match self {
            Expr::Index(_) | Expr::Parameter(_) => false,
            Expr::Binary(BinaryOp::Mul, a, b) => [a, b].into_iter().any(|side| {
                side.as_affine()
                    .is_none_or(|side| side.may_be_negative(Expr::may_be_negative_place))
            }),
            other => other.divided().is_none(),
        }
    }
}

/// Returns a function that is at most 0 where `bound` is, in which no quotient depends on a variable:
/// `i - (4*k + 3)` for `i / 4 - k`.
fn undivided(bound: Affine<Expr>, v: VariableId) -> Option<Affine<Expr>> {
    let depends = |term: &&crate::coordinate::Term<Expr>| {
        matches!(term.of, Expr::Call(Function::Quotient, _)) && term.of.variables().contains(&v)
    };
    let Some(quotient) = bound.terms().iter().find(depends).cloned() else { return Some(bound) };
    let (of, by) = quotient.of.divided()?;
    let rest = bound.minus(&Affine::term(quotient.times, quotient.of))?.times(by)?;
    let without = match quotient.times {
        // `of / by <= -rest` where `of <= by * -rest + by - 1`.
        1 => of.plus(&rest)?.minus(&Affine::constant(by - 1))?,
        // `rest <= of / by` where `by * rest <= of`.
        -1 => rest.minus(&of)?,
        _ => return None,
    };
    undivided(without, v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::VariableId;

    const I: VariableId = VariableId(0);
    const K: VariableId = VariableId(1);

    fn index(v: VariableId) -> Expr {
        Expr::Index(v)
    }

    fn number(n: i64) -> Expr {
        Expr::Literal(crate::types::Literal::Int(n))
    }

    fn quotient(of: Expr, by: i64) -> Expr {
        Expr::call(Function::Quotient, vec![of, number(by)])
    }

    fn compare(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        Expr::call(Function::Operator(op), vec![a, b])
    }

    fn show(of: &Affine<Expr>) -> String {
        of.show(|of| match of {
            Expr::Index(I) => "i".to_owned(),
            Expr::Index(K) => "k".to_owned(),
            other => format!("{other:?}"),
        })
    }

    fn limits(condition: &Expr, v: VariableId) -> Vec<String> {
        condition.limits(v).iter().map(show).collect()
    }

    #[test]
    fn a_quotient_limits_its_dividend() {
        let equal = compare(BinaryOp::Eq, quotient(index(I), 4), index(K));
        assert_eq!(limits(&equal, I), ["4*k - i", "i - 4*k - 3"]);
        let below = compare(BinaryOp::Lt, quotient(index(I), 4), index(K));
        assert_eq!(limits(&below, I), ["i - 4*k + 1"]);
        let above = compare(BinaryOp::Le, index(K), quotient(index(I), 4));
        assert_eq!(limits(&above, I), ["4*k - i"]);
        // The quotient of a negative number is rounded up.
        let shifted = Expr::binary(BinaryOp::Sub, index(I), number(1));
        let negative = compare(BinaryOp::Eq, quotient(shifted, 4), index(K));
        assert_eq!(limits(&negative, I), [""; 0]);
    }

    #[test]
    fn an_equality_determines_a_coordinate() {
        let twice = Expr::binary(BinaryOp::Mul, number(2), index(I));
        let equal = compare(BinaryOp::Eq, twice, index(K));
        let of = |v| {
            equal.determines(v).map(|determined| match determined {
                Determined::Quotient(of, by) => (show(&of), by),
                Determined::Class(class) => (format!("{class:?}"), 0),
            })
        };
        assert_eq!(of(K), Some(("2*i".to_owned(), 1)));
        assert_eq!(of(I), Some(("k".to_owned(), 2)));
        let rest = Expr::call(Function::Remainder, vec![index(I), number(4)]);
        let equal = compare(BinaryOp::Eq, rest, index(K));
        assert!(equal.determines(K).is_some() && equal.determines(I).is_none());
        let below = compare(BinaryOp::Le, index(I), index(K));
        assert_eq!(below.determines(K), None);
    }
}
