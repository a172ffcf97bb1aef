//! Programs with separate loops for each additive term, one after another.

use super::convert::Conversion;
use super::cost::cost;
use super::nest::{Sums, nest_into};
use super::starts::starts;
use super::{Candidate, cheapest_of, commands, pairs};
use crate::concrete::space::Basis;
use crate::concrete::terms::{additive_terms, takes_duplicates};
use crate::concrete::{Program, Stmt};
use crate::iteration::plan::plan;
use crate::limits::Budget;
use crate::notation::{Assignment, Expr, Kernel, ReduceOp, Tensor};

/// Returns a program with separate loops for each additive term, one after another.
pub(super) fn term_by_term(conversion: &Conversion, budget: &Budget) -> Option<Candidate> {
    if !takes_duplicates(&conversion.kernel) {
        return None;
    }
    let starts = starts(conversion);
    let fewest = starts.iter().map(|start| start.precomputed.len()).min()?;
    let mut programs: Vec<&Program> = Vec::new();
    for start in starts.iter().filter(|start| start.precomputed.len() == fewest) {
        if !programs.iter().any(|known| has_tables_of(start, known)) {
            programs.push(start);
        }
    }
    // All terms have the same blocks.
    let has_blocks = starts.iter().any(|start| start.basis.has_limits());
    let bases: Vec<Option<&Basis>> = match has_blocks {
        true => starts.iter().map(|start| Some(&start.basis)).collect(),
        false => vec![None],
    };
    let each = programs.iter().flat_map(|program| bases.iter().map(move |basis| (program, basis)));
    let candidates =
        each.filter_map(|(program, basis)| terms_within(conversion, program, *basis, budget));
    candidates.min_by(|a, b| a.cost.total_cmp(&b.cost))
}

/// Returns the program with the cheapest loops for each additive term, which agree with a basis.
fn terms_within(
    conversion: &Conversion,
    start: &Program,
    basis: Option<&Basis>,
    budget: &Budget,
) -> Option<Candidate> {
    let mut terms = Vec::new();
    for term in additive_terms(conversion.kernel.assignment.value.clone()) {
        let of_term =
            Conversion { kernel: with_value(&conversion.kernel, &term), ..conversion.clone() };
        let mut starts = starts(&of_term);
        starts.retain(|of_term| {
            let agrees = basis.is_none_or(|basis| basis.agrees_with(&of_term.basis));
            agrees && has_tables_of(of_term, start)
        });
        terms.push(cheapest_of(&of_term, starts, budget)?);
    }
    let mut program = start.clone();
    program.body = nest_terms(&mut program, &terms, &Expr::clone)?;
    if pairs::repeats(&program) {
        return None;
    }
    let plan = plan(&program, budget).ok()?;
    commands::check(&program, &plan).ok()?;
    let cost = cost(&program, &plan);
    let (conversion, order) = (conversion.clone(), Vec::new());
    Some(Candidate { conversion, order, terms, sums: Sums::Temporary, program, plan, cost })
}

/// Returns whether the tensors and the variables of a start mean the same in a program, so that
/// loops of both may follow each other.
fn has_tables_of(start: &Program, program: &Program) -> bool {
    let (kernel, other) = (&start.kernel, &program.kernel);
    // The inverse of a list takes the place of a comparison with it.
    let is_same = |(a, b): (&Tensor, &Tensor)| a.role == b.role;
    start.precomputed.len() == program.precomputed.len()
        && kernel.variables == other.variables
        && kernel.tensors.len() == other.tensors.len()
        && kernel.tensors.iter().zip(&other.tensors).all(is_same)
}

/// Returns the loops of terms, one after another, with values computed from theirs.
pub(super) fn nest_terms(
    program: &mut Program,
    terms: &[Candidate],
    value_of: &dyn Fn(&Expr) -> Expr,
) -> Option<Stmt> {
    let mut statements = Vec::new();
    for term in terms {
        let accumulate = program.kernel.in_place || !statements.is_empty();
        let accumulate = accumulate.then_some(ReduceOp::SUM);
        let value = value_of(&term.program.kernel.assignment.value);
        program.basis = term.program.basis.clone();
        statements.push(nest_into(program, &term.order, term.sums, accumulate, value)?);
    }
    for term in terms {
        program.basis.join(&term.program.basis);
    }
    Some(Stmt::sequence(statements))
}

fn with_value(kernel: &Kernel, value: &Expr) -> Kernel {
    let result = kernel.assignment.result.clone();
    Kernel { assignment: Assignment { result, value: value.clone() }, ..kernel.clone() }
}
