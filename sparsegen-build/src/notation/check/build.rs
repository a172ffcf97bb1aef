//! Building a canonical kernel from a statement without errors: sums become explicit, numbers get
//! the type that their context requires, constants are folded.

use std::sync::Arc;

use crate::notation::schedule::Action;
use crate::notation::syntax::{self, Statement};
use crate::notation::{
    Access, Assignment, Expr, Extent, Kernel, Slice, Subscript, Tensor, TensorId, TensorRole,
    Variable, VariableRole,
};
use crate::types::{Dtype, Literal};

use super::Context;
use super::bindings::parameter;
use super::bounds::parameters;
use super::choices::chosen_from;
use super::names::Names;
use super::schedule::Resolved;
use super::slices::bind_fixed;
use super::values::Builder;

/// Builds the kernel of a statement; returns `None` if it contains an error that was reported
/// before.
pub(super) fn build(context: Context<'_>, names: &Names<'_>, schedule: Resolved) -> Option<Kernel> {
    let entry = context.entry;
    let statement = context.statement;
    let result = &statement.left.name.text;
    let role_of = |name: &str| {
        if name == result { TensorRole::Result } else { TensorRole::Operand }
    };
    let mut tensors: Vec<Tensor> = names
        .tensors
        .iter()
        .map(|operand| {
            let format = Arc::new(operand.format.clone()?);
            Some(Tensor {
                name: operand.first.name.text.clone(),
                argument: operand.argument.clone(),
                by_value: format.order() == 0,
                format,
                dtype: operand.dtype,
                pattern: operand.pattern,
                may_be_infinite: false,
                role: role_of(&operand.first.name.text),
                span: operand.first.span,
            })
        })
        .collect::<Option<_>>()?;
    let scalar = Arc::new(context.formats.scalar()?.of_order(0, context.formats.levels())?);
    for name in parameters(context) {
        tensors.push(Tensor {
            name: name.text.clone(),
            argument: name.text.clone(),
            by_value: true,
            format: Arc::clone(&scalar),
            dtype: Dtype::Usize,
            pattern: false,
            may_be_infinite: false,
            role: TensorRole::Parameter(parameter(context, name)?),
            span: name.span,
        });
    }
    let old = is_update(statement).then_some(TensorId(tensors.len()));
    tensors.extend(old.map(|_| {
        if tensors[0].by_value {
            return Tensor { role: TensorRole::Previous, ..tensors[0].clone() };
        }
        let mut argument = format!("{}_old", crate::names::plain(&tensors[0].argument));
        while tensors.iter().any(|tensor| tensor.argument == argument) {
            argument.push('_');
        }
        Tensor { argument, role: TensorRole::Previous, ..tensors[0].clone() }
    }));
    let size = |name: &str| entry.sizes.iter().find(|(known, _)| known.text == name);
    let computed = &context.statement.computed;
    let expression = |name: &str| {
        computed.iter().find(|(known, _)| known == name).map(|(_, index)| index.clone())
    };
    let variables = names.variables.iter().map(|name| Variable {
        name: (*name).to_owned(),
        extent: size(name).map_or(Extent::OfModes, |(_, extent)| Extent::Declared(*extent)),
        role: VariableRole::Index,
        expression: expression(name),
    });
    let defined = schedule.defined.iter();
    let defined = defined.map(|defined| Variable {
        name: defined.name.clone(),
        extent: Extent::OfModes,
        role: match defined.is_stored {
            true => VariableRole::Stored,
            false => VariableRole::Scheduled,
        },
        expression: None,
    });
    let mut of_parts = names.parts.variables(names.known(context));
    for variable in &mut of_parts {
        if let VariableRole::Mode(Slice { at: Subscript::Element(access), .. }) = &mut variable.role
            && let Some(old) = old
            && access.tensor == TensorId(0)
        {
            access.tensor = old;
        }
    }
    let variables: Vec<Variable> = variables.chain(of_parts).chain(defined).collect();
    let is_threads = |action: &Action<_, _, _>| matches!(action, Action::Parallelize(_));
    let parallelizes = schedule.commands.iter().any(|command| is_threads(&command.action));
    let builder = Builder {
        context,
        names,
        dtype: names.tensors.first()?.dtype,
        old,
        semiring: entry.semiring,
    };
    let result = builder.access(&statement.left)?;
    let mut accesses = Vec::new();
    statement.right.for_each_access(&mut |access| {
        if !names.is_place(context, access) {
            accesses.extend(builder.read(access));
            access.for_each_gather(&mut |gather| accesses.extend(builder.read(gather)));
        }
    });
    let before = old.map(|tensor| Access { tensor, ..result.clone() });
    let value = builder.terms(&statement.right)?;
    let value = match statement.update.zip(before) {
        Some((op, before)) => {
            accesses.push(before.clone());
            builder.updated(op, Expr::Access(before), value)
        }
        None => value,
    };
    let value = bind_fixed(value, &result, &variables);
    let assignment = Assignment { result, value };
    Some(Kernel {
        name: entry.name.text.clone(),
        doc: entry.doc.clone(),
        text: context.text.value.split_whitespace().collect::<Vec<_>>().join(" "),
        span: statement.span,
        tensors,
        variables,
        assignment,
        in_place: false,
        unassigned: Literal::Int(0),
        packed: None,
        accesses,
        paths: context.functions.paths().to_vec(),
        chosen_from: chosen_from(names, &statement.right)?,
        semiring: entry.semiring,
        bounds: entry.bounds,
        parallel: entry.parallel || parallelizes,
        reassociate: entry.reassociate,
        distribute: statement.distribute.clone(),
        simd: entry.simd,
        allow: entry.allow,
        schedule: schedule.commands,
    })
}

/// Builds a part of a statement in canonical form, without enclosing implicit sums; returns `None`
/// if it has errors.
pub(super) fn part(context: Context<'_>, names: &Names<'_>, expr: &syntax::Expr) -> Option<Expr> {
    Builder {
        context,
        names,
        dtype: names.tensors.first()?.dtype,
        old: None,
        semiring: context.entry.semiring,
    }
    .expr(expr, names.tensors.first()?.dtype)
}

/// Returns whether a statement updates an existing result.
pub(super) fn is_update(statement: &Statement) -> bool {
    let mut reads = false;
    let result = &statement.left.name.text;
    statement.right.for_each_access(&mut |access| {
        reads |= access.name.text == *result;
        access.for_each_gather(&mut |gather| reads |= gather.name.text == *result);
    });
    reads || statement.update.is_some()
}
