//! Replaces indices by slices, fixed coordinates, sums of indices, index sets and gathers, and
//! variables by elements of lists.

use super::Draft;
use crate::random::Random;
use crate::statement::{Access, Binary, Expr};

/// The tensor with coordinates as elements.
pub(super) const GATHERS: &str = "w";

/// The tensor whose elements are compared with coordinates.
pub(super) const KEYS: &str = "keys";

/// The parameter that is a list of coordinates.
pub(super) const LIST: &str = "rows";

/// Replaces indices of some accesses by slices, such that every variable still has an extent.
pub(super) fn cut(draft: &mut Draft, random: &mut Random) {
    let all = draft.statements.clone();
    for line in &mut draft.statements {
        let plain = |variable: &String, but: Option<&Access>| {
            let mut count = 0;
            for line in &all {
                line.value.visit(&mut |part| {
                    if let Expr::Access(access) = part {
                        let is_plain = Some(access) != but && access.variables.contains(variable);
                        count += usize::from(is_plain);
                    }
                });
            }
            count > 0
        };
        let mut accesses = Vec::new();
        collect(&mut line.value, &mut accesses);
        let Some(last) = accesses.len().checked_sub(1) else { continue };
        let access = &mut *accesses[random.below(last + 1)];
        let Some(last) = access.variables.len().checked_sub(1) else { continue };
        let mode = random.below(last + 1);
        let variable = access.variables[mode].clone();
        let is_distinct = access.variables.iter().filter(|v| **v == variable).count() == 1;
        let has_extent = plain(&variable, Some(access));
        if !is_distinct {
            continue;
        }
        let other = access.variables.iter().find(|other| **other != variable).cloned();
        let (text, variables) = match random.below(8) {
            0 => (format!("{variable} in 0..hi"), vec![variable]),
            1 => (format!("{variable} in lo..hi step 2"), vec![variable]),
            2 => (format!("{variable} in {LIST}"), vec![variable]),
            3 if has_extent => {
                (format!("{variable} in 1..3 shift {}", random.below(3)), vec![variable])
            }
            4 if has_extent => (format!("{variable} + {}", 1 + random.below(2)), vec![variable]),
            5 if has_extent => (format!("2*{variable}"), vec![variable]),
            6 if has_extent => (format!("{GATHERS}[{variable}]"), vec![variable]),
            7 if has_extent => match other {
                Some(other) if plain(&other, Some(access)) => {
                    (format!("{variable} - {other} + 1"), vec![variable, other])
                }
                Some(_) | None => continue,
            },
            _ => continue,
        };
        let mut indices = access.variables.clone();
        indices[mode] = text;
        let mut named: Vec<String> = Vec::new();
        for (k, index) in access.variables.iter().enumerate() {
            let own = if k == mode { variables.clone() } else { vec![index.clone()] };
            named.extend(own.into_iter().filter(|v| !access.variables[..k].contains(v)));
        }
        let mut distinct: Vec<String> = Vec::new();
        for variable in named {
            if !distinct.contains(&variable) {
                distinct.push(variable);
            }
        }
        access.tensor = format!("{}[{}]", access.tensor, indices.join(","));
        access.variables = distinct;
    }
    if let [line] = &mut draft.statements[..]
        && random.chance(0.2)
        && !line.result.variables.is_empty()
    {
        let mut indices = line.result.variables.clone();
        let variable = indices[0].clone();
        indices[0] = match random.below(3) {
            0 => format!("{variable} in 1..4"),
            1 => format!("{variable} in 0..hi"),
            _ => format!("{variable} in {{2, 0}}"),
        };
        line.result.tensor = format!("{}[{}]", line.result.tensor, indices.join(","));
    }
}

/// Replaces comparisons of two variables by those of one with the elements of a list.
pub(super) fn compare(expr: &mut Expr, random: &mut Random) {
    if let Expr::Binary(op, left, right) = expr
        && let (Expr::Variable(variable), Expr::Variable(_)) = (&**left, &**right)
        && random.chance(0.3)
    {
        let variables = vec![variable.clone()];
        **left = Expr::Access(Access { tensor: KEYS.to_owned(), variables });
        *op = if random.chance(0.8) { Binary::Equal } else { Binary::Unequal };
    }
    for part in expr.parts_mut() {
        compare(part, random);
    }
}

fn collect<'e>(expr: &'e mut Expr, found: &mut Vec<&'e mut Access>) {
    if let Expr::Access(access) = expr {
        found.push(access);
        return;
    }
    for part in expr.parts_mut() {
        collect(part, found);
    }
}
