//! Warnings: what a user may not expect of the loops of a kernel that is compiled.
//!
//! Each is placed at the operand or the statement that it is about, and says how to
//! avoid it. `allow` in a manifest silences each kind.

mod growth;
mod sign;

use crate::concrete::Program;
use crate::error::{Code, Diagnostic, Span, Warning};
use crate::format::Format;
use crate::iteration::plan::Plan;
use crate::level::Levels;
use crate::limits::{Budget, WARNED};
use crate::lower::complexity::time;
use crate::notation::{Access, Domain, Expr, Function, Kernel, TensorId, TensorRole};
use crate::schedule::{schedule_within, with_other_formats};

use growth::{at_scale, grows_faster};
use sign::truth;

/// The number of operands up to which the formats of each are compared with others.
const COMPARED: usize = 4;

/// Returns the warnings of a statement, whose loops are planned.
pub fn warnings(
    statement: &Kernel,
    program: &Program,
    plan: &Plan,
    levels: &Levels,
) -> Vec<Diagnostic> {
    let kinds: [(Warning, &dyn Fn() -> Vec<Diagnostic>); 5] = [
        (Warning::Conversion, &|| conversions(statement, program, plan)),
        (Warning::Density, &|| density(statement).into_iter().collect()),
        (Warning::Format, &|| formats(statement, program, plan, levels).into_iter().collect()),
        (Warning::Schedule, &|| slower(statement, program, plan, levels).into_iter().collect()),
        (Warning::Unused, &|| unused(statement)),
    ];
    let reported = kinds.into_iter().filter(|(kind, _)| !statement.allow.contains(*kind));
    reported
        .flat_map(|(kind, found)| found().into_iter().map(move |it| silenced_by(it, kind)))
        .collect()
}

/// Returns the warning that loops run on one thread although several were asked for.
pub fn on_one_thread(statement: &Kernel, program: &Program) -> Option<Diagnostic> {
    let Some(Err(reason)) = &program.threads else { return None };
    if statement.allow.contains(Warning::Threads) {
        return None;
    }
    let message = format!("the loops of `{}` run on one thread", statement.name);
    let warning = Diagnostic::new(Code::OneThread, statement.span, message).note(reason);
    Some(silenced_by(warning.help("write `parallel = false`"), Warning::Threads))
}

/// Adds the key that silences a warning to its remedy.
fn silenced_by(mut warning: Diagnostic, kind: Warning) -> Diagnostic {
    let allow = format!("`allow = [\"{}\"]` silences this", kind.name());
    warning.help = Some(match warning.help {
        Some(help) => format!("{help}\n{allow}"),
        None => allow,
    });
    warning
}

/// Returns the format as a manifest names it.
fn named(format: &Format) -> String {
    match (&format.builtin, &format.name) {
        (Some(_), Some(name)) => name.clone(),
        (_, _) => format.to_string(),
    }
}

/// Returns warnings of operands that every call converts or sorts, and of results that it packs.
fn conversions(statement: &Kernel, program: &Program, plan: &Plan) -> Vec<Diagnostic> {
    let kernel = &program.kernel;
    let mut found = Vec::new();
    for (into, converted) in kernel.converted() {
        let (operand, format) = (kernel.tensor(converted.of), named(&kernel.tensor(into).format));
        let reason = match converted.for_lookup {
            true => "its elements are looked up",
            false => "the loops traverse it in another order",
        };
        let message = format!("every call of `{}` converts `{}`", statement.name, operand.name);
        let help = format!(
            "declare `{}` as \"{format}\", and convert it once, with `Tensor::to`",
            operand.name
        );
        let warning = Diagnostic::new(Code::Converted, operand.span, message);
        found.push(warning.label(format!("to `{format}`")).note(reason).help(help));
    }
    for target in program.targets.iter().filter(|target| target.packed.is_some()) {
        let result = kernel.tensor(target.access.tensor);
        let message = format!("every call of `{}` packs `{}`", statement.name, result.name);
        let note = format!("the loops compute its entries as `{}`", named(&result.format));
        found.push(Diagnostic::new(Code::Converted, result.span, message).note(note));
    }
    let mut sorted: Vec<TensorId> = Vec::new();
    plan.for_each_loop(&mut |inner| {
        let copies = inner.iterators.iter().filter(|iterator| iterator.reorders());
        sorted.extend(copies.map(|iterator| iterator.access.tensor));
    });
    sorted.sort();
    sorted.dedup();
    for operand in sorted.into_iter().map(|id| kernel.tensor(id)) {
        let message =
            format!("every call of `{}` sorts entries of `{}`", statement.name, operand.name);
        let warning = Diagnostic::new(Code::Converted, operand.span, message)
            .note("its entries are merged with others, in order");
        found.push(warning.help(format!("choose an ordered format for `{}`", operand.name)));
    }
    found
}

/// Returns the warning that a sparse result stores every coordinate.
fn density(statement: &Kernel) -> Option<Diagnostic> {
    let result = statement.tensor(statement.result());
    let value = &statement.assignment.value;
    let sparse = statement.sparse_accesses(value);
    if !result.format.is_sparse() || sparse.is_empty() || statement.is_update() {
        return None;
    }
    let unstored =
        value.substitute(&|access| sparse.contains(&access).then(|| statement.fill(access.tensor)));
    let fill = statement.fill_value(statement.result());
    let unstored = unstored.as_literal().filter(|value| !value.is_same(fill))?;
    let message = format!("`{}` stores an entry at every coordinate", result.name);
    let note = format!("where no operand has an entry, the value is {unstored}");
    let warning = Diagnostic::new(Code::StoredEverywhere, result.span, message).note(note);
    Some(warning.help(format!(
        "give its format the option `fill = {unstored}`, make it dense, or multiply the value by \
         `present(…)` of an operand"
    )))
}

/// Returns the warning that an operand in another format would take asymptotically less time. Only
/// those are examined that another format may help: each examination plans the kernel anew.
fn formats(
    statement: &Kernel,
    program: &Program,
    plan: &Plan,
    levels: &Levels,
) -> Option<Diagnostic> {
    if statement.accesses.len() > COMPARED || !statement.schedule.is_empty() {
        return None;
    }
    let searches = plan.searches_entries(program);
    let is_operand = |tensor: TensorId| statement.tensor(tensor).role == TensorRole::Operand;
    let operands = statement.accesses.iter().filter(|access| is_operand(access.tensor));
    let examined = operands.filter(|access| searches || is_read_across(statement, access));
    let own = time(program, plan);
    let others = examined.flat_map(|access| {
        let kernels = with_other_formats(statement, access, levels).into_iter();
        kernels.map(|kernel| (access.tensor, kernel))
    });
    let others = others.filter_map(|(operand, kernel)| {
        let (program, plan) = schedule_within(&kernel, levels, &Budget::of(WARNED)).ok()?;
        let other = time(&program, &plan);
        grows_faster(&own, &other).then_some((operand, kernel, other))
    });
    let (operand, kernel, other) =
        others.min_by(|(_, _, a), (_, _, b)| at_scale(a).total_cmp(&at_scale(b)))?;
    let (operand, format) = (statement.tensor(operand), named(&kernel.tensor(operand).format));
    let message =
        format!("`{}` would take less time with `{}` as `{format}`", statement.name, operand.name);
    let warning = Diagnostic::new(Code::SlowFormat, operand.span, message);
    let note = format!("O({own}) as `{}`, O({other}) as `{format}`", named(&operand.format));
    Some(warning.note(note).help(format!("declare `{}` as \"{format}\"", operand.name)))
}

/// Returns whether a sparse tensor is read at a single coordinate of a mode other than its first
/// level, so that the loops search below every coordinate of the levels above.
fn is_read_across(statement: &Kernel, access: &Access) -> bool {
    let format = &statement.tensor(access.tensor).format;
    let is_single = |mode: usize| {
        let slice = statement.variable(access.indices[mode]).role.slice();
        slice.is_some_and(|slice| !slice.varies())
    };
    let mut single = (0..access.indices.len()).filter(|mode| is_single(*mode));
    format.is_sparse() && single.any(|mode| format.mode_of(0) != Some(mode))
}

/// Returns the warning that the schedule makes loops asymptotically slower.
fn slower(
    statement: &Kernel,
    program: &Program,
    plan: &Plan,
    levels: &Levels,
) -> Option<Diagnostic> {
    let spans = statement.schedule.iter().map(|command| command.span);
    let span = spans.reduce(Span::to)?;
    let free = Kernel { schedule: Vec::new(), ..statement.clone() };
    let (free_program, free_plan) = schedule_within(&free, levels, &Budget::of(WARNED)).ok()?;
    let (own, free) = (time(program, plan), time(&free_program, &free_plan));
    if !grows_faster(&own, &free) {
        return None;
    }
    let message = format!("`{}` would take less time without its schedule", statement.name);
    let note = format!("O({own}) with it, O({free}) without it");
    Some(
        Diagnostic::new(Code::SlowSchedule, span, message)
            .note(note)
            .help("remove the commands, or change their order"),
    )
}

/// Returns warnings of operands, conditions and slices without effect.
fn unused(statement: &Kernel) -> Vec<Diagnostic> {
    let value = &statement.assignment.value;
    let mut used: Vec<TensorId> = Vec::new();
    value.for_each_access(&mut |access| used.push(access.tensor));
    let mut found = Vec::new();
    for id in statement.tensor_ids() {
        let tensor = statement.tensor(id);
        let is_named = statement.accesses.iter().any(|access| access.tensor == id);
        if tensor.role == TensorRole::Operand
            && is_named
            && !used.contains(&id)
            && !statement.is_subscript(id)
        {
            let message = format!("`{}` has no effect on the result", tensor.name);
            found.push(
                Diagnostic::new(Code::NoEffect, tensor.span, message)
                    .help("remove it from the statement"),
            );
        }
    }
    let mut conditions: Vec<(String, bool)> = Vec::new();
    collect_known(statement, value, &mut conditions);
    for (condition, holds) in conditions {
        let always = if holds { "always" } else { "never" };
        let message = format!("the condition `{condition}` {always} holds");
        let note = "coordinates begin at 0, and end below the extents in `sizes`";
        found.push(Diagnostic::new(Code::NoEffect, statement.span, message).note(note));
    }
    let is_empty = |domain: &Domain| match domain {
        Domain::Range(range) => range.start == range.end,
        Domain::Any | Domain::Mode => false,
    };
    for (mode, _) in statement.slices().filter(|(_, slice)| is_empty(&slice.domain)) {
        let message = format!("the slice `{}` is empty", statement.show_index(mode));
        found.push(Diagnostic::new(Code::NoEffect, statement.span, message));
    }
    found
}

/// Collects the comparisons of indices whose truth is known.
fn collect_known(statement: &Kernel, value: &Expr, found: &mut Vec<(String, bool)>) {
    if let Expr::Call(Function::Operator(op), operands) = value
        && let [a, b] = &operands[..]
        && let Some(holds) = truth(statement, *op, a, b)
    {
        let known = (statement.show(value), holds);
        if !found.contains(&known) {
            found.push(known);
        }
    }
    value.children().for_each(|child| collect_known(statement, child, found));
}
