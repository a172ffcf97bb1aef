//! Resolution of bare names.

use crate::statement::parse::expression::bare;
use crate::statement::{Expr, Statement};

/// Resolves a bare name: to a parameter if it is one of `parameters` or a parameter of an index, to
/// a variable if it indexes a tensor or is bound, and to a scalar otherwise.
pub fn with_names(statement: &mut Statement, parameters: &[&str]) {
    let positions = statement.parameters();
    let parameters: Vec<String> =
        parameters.iter().chain(&positions).map(|name| (*name).to_owned()).collect();
    let mut variables: Vec<String> =
        statement.accesses().iter().flat_map(|access| access.variables.clone()).collect();
    statement.value.visit(&mut |expr| {
        if let Expr::Reduce(_, bound, _) = expr {
            variables.extend(bound.iter().cloned());
        }
    });
    resolve(&mut statement.value, &parameters, &variables);
}

fn resolve(expr: &mut Expr, parameters: &[String], variables: &[String]) {
    if let Some(name) = bare(expr).map(str::to_owned) {
        if parameters.contains(&name) {
            *expr = Expr::Parameter(name);
        } else if variables.contains(&name) {
            *expr = Expr::Variable(name);
        }
    }
    for part in expr.parts_mut() {
        resolve(part, parameters, variables);
    }
}
