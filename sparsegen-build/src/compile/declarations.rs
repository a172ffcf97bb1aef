//! The declarations of formats in generated code.

use std::fmt::Write as _;

use crate::coordinate::Coordinate;
use crate::format::{LevelExpr, LevelSpec};
use crate::ir;
use crate::notation::{DeclaredFormat, DeclaredKind};

/// Returns the declaration of the type of a format.
pub(super) fn declaration(format: &DeclaredFormat) -> ir::FormatDeclaration {
    let (docs, kind) = match &format.kind {
        DeclaredKind::Alias(of) => {
            (vec![format!("The format [`{of}`].")], ir::FormatKind::Alias(of.clone()))
        }
        DeclaredKind::Marker(of) => (
            vec![format!("`{of}`")],
            ir::FormatKind::Marker {
                key: of.name.clone().unwrap_or_default(),
                order: of.order(),
                levels: of.levels.iter().map(level).collect(),
                fill: (!of.fill.is_zero()).then_some(of.fill),
            },
        ),
    };
    ir::FormatDeclaration { name: format.marker.clone(), docs, kind }
}

fn level(spec: &LevelSpec) -> ir::LevelDeclaration {
    let LevelSpec { expr, pos, crd, .. } = spec;
    let crd = if expr.may_be_negative() { crd.signed_name() } else { crd.name() };
    ir::LevelDeclaration { map: level_map(spec), storage: spec.level.storage(pos.name(), crd) }
}

/// Returns the initializer of the runtime crate's `LevelMap` for a level.
fn level_map(spec: &LevelSpec) -> String {
    let name = spec.level.name();
    let mut map = match spec.expr {
        LevelExpr::Dimension(dimension) => format!("LevelMap::dimension({dimension}, {name:?})"),
        LevelExpr::Count(_) | LevelExpr::Computed(_) => {
            format!("LevelMap::new({}, {name:?})", level_expr(&spec.expr))
        }
    };
    let parameters = spec.level.parameters();
    if !parameters.is_empty() {
        let _ = write!(map, ".parameters(&[{}])", parameters.join(", "));
    }
    for property in spec.properties.set_beyond(spec.level.properties()) {
        let _ = write!(map, ".{property}()");
    }
    map
}

/// Returns the initializer of the runtime crate's `LevelExpr` for an expression of dimensions.
fn level_expr(expr: &LevelExpr) -> String {
    match expr {
        LevelExpr::Dimension(dimension) => format!("LevelExpr::Dimension({dimension})"),
        LevelExpr::Count(dimension) => format!("LevelExpr::Count({dimension})"),
        LevelExpr::Computed(computed) => match &**computed {
            Coordinate::Div(of, block) => format!("LevelExpr::Div(&{}, {block})", level_expr(of)),
            Coordinate::Mod(of, block) => format!("LevelExpr::Mod(&{}, {block})", level_expr(of)),
            Coordinate::Affine(_) => {
                let sum = if expr.may_be_negative() { "Sub" } else { "Add" };
                let modes: Vec<_> = expr.modes().iter().map(usize::to_string).collect();
                format!("LevelExpr::{sum}({})", modes.join(", "))
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinate::Affine;
    use crate::level::{Levels, Property};

    #[test]
    fn maps_are_declared_as_constants() {
        let check = |expr: LevelExpr, properties: &[Property], expected: &str| {
            let level = Levels::default().find("compressed").expect("a level of this crate");
            let set = properties.iter().fold(level.properties(), |all, one| all.with(*one));
            assert_eq!(
                level_map(&LevelSpec { properties: set, ..LevelSpec::new(expr, level) }),
                expected
            );
        };
        let dimension = LevelExpr::Dimension;
        let affine = |a: usize, times: i64, b: usize| {
            let sum = Affine::variable(dimension(a)).plus(&Affine::term(times, dimension(b)));
            LevelExpr::from(Coordinate::Affine(sum.unwrap()))
        };
        let properties = [Property::Nonordered, Property::Nonunique];
        let expected = "LevelMap::dimension(1, \"compressed\").nonordered().nonunique()";
        check(dimension(1), &properties, expected);
        let nested = Coordinate::Mod(LevelExpr::from(Coordinate::Div(dimension(1), 2)), 4).into();
        let expected = "LevelMap::new(LevelExpr::Mod(&LevelExpr::Div(&LevelExpr::Dimension(1), 2), 4), \
                        \"compressed\")";
        check(nested, &[], expected);
        check(affine(1, -1, 0), &[], "LevelMap::new(LevelExpr::Sub(1, 0), \"compressed\")");
        check(affine(0, 1, 1), &[], "LevelMap::new(LevelExpr::Add(0, 1), \"compressed\")");
        check(LevelExpr::Count(0), &[], "LevelMap::new(LevelExpr::Count(0), \"compressed\")");
    }
}
