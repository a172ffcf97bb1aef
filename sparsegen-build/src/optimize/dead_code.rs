//! Dead-code elimination: removes unused variables, `mut`, arrays and extents of operands.
//!
//! For readability, and because rustc would warn of them in the user's build.

use super::dead_assignments;
use crate::ir::{Conversion, Expr, Function, Operand, Rearrange, Stmt, TensorOperand, Uses};

/// Runs the pass.
pub(super) fn run(mut function: Function) -> Function {
    let mut end = Uses::default();
    end.count_ends(&function);
    // Removing a use may make another variable unused.
    loop {
        let body = drop_unread(function.body.clone(), &end);
        if body == function.body {
            break;
        }
        function.body = body;
    }
    let mut uses = Uses::of_function(&function);
    if let Some(parallel) = &function.parallel {
        parallel.range.arrays(&mut |array| uses.count_expr(&Expr::len(array)));
        let traced = parallel.intervals.iter().flat_map(|intervals| intervals.coordinate.arrays());
        traced.for_each(|array| uses.count_expr(&Expr::len(array)));
    }
    for operand in &mut function.operands {
        match operand {
            Operand::Tensor(tensor) => keep_read(tensor, &uses),
            Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => {}
        }
    }
    function.conversions.retain_mut(|Conversion { into, .. }| {
        keep_read(into, &uses);
        !into.arrays.is_empty() || !into.extents.is_empty()
    });
    for size in &mut function.sizes {
        size.used = uses.reads(&size.name) > 0;
    }
    function.restate_bounds();
    function
}

/// Keeps only the arrays and extents of a tensor that are read.
fn keep_read(tensor: &mut TensorOperand, uses: &Uses) {
    tensor.arrays.retain(|array| uses.reads(&array.name) + uses.measures(&array.name) > 0);
    tensor.extents.retain(|extent| uses.reads(&extent.name) > 0);
}

/// Returns whether statements read a variable that is declared before them, and not another one of the
/// same name.
fn is_read_outside(body: &[Stmt], name: &str) -> bool {
    let reads = |expr: &Expr| *expr == Expr::var(name);
    for stmt in body {
        let is_another = |inner: &[Stmt]| {
            let binds = !stmt.bodies().is_empty() && stmt.bound().contains(&name);
            binds || !is_read_outside(inner, name)
        };
        if stmt.any_expression(&reads) || !stmt.bodies().into_iter().all(is_another) {
            return true;
        }
        if stmt.binds().contains(&name) {
            return false;
        }
    }
    false
}

/// Removes variables that neither these statements nor later ones read, and `mut` of variables that
/// do not change.
fn drop_unread(mut rest: Vec<Stmt>, after: &Uses) -> Vec<Stmt> {
    let mut kept = Vec::new();
    while !rest.is_empty() {
        let stmt = rest.remove(0);
        if let Stmt::Scratch { name, .. } = &stmt {
            let uses = Uses::of_name(&rest, name);
            if uses.reads(name) + uses.measures(name) == 0 {
                rest = without_filling(&rest, name);
            } else {
                kept.push(stmt);
            }
        } else if let Stmt::Let { name, value, .. } = &stmt {
            let shadowed = rest.iter().position(|stmt| stmt.binds().contains(&name.as_str()));
            let later = rest.split_off(shadowed.unwrap_or(rest.len()));
            let mut uses = Uses::of_name(&rest, name);
            // A variable of the same name may be computed from this one.
            let mut is_read_at_end = later.is_empty() && after.reads(name) > 0;
            if let Some(Stmt::Let { value, .. }) = later.first() {
                uses.count_expr(value);
                is_read_at_end = value.mentions(name);
            }
            // Inner bodies may have variables of the same name.
            let is_shadowed = uses.writes(name) == 0 && !is_read_outside(&rest, name);
            let is_read = uses.reads(name) > 0 && !is_shadowed || is_read_at_end;
            if !is_read {
                rest = without_assignments(&rest, name);
            } else if uses.writes(name) > 0 {
                rest = dead_assignments::without(rest, name, is_read_at_end);
            }
            rest.extend(later);
            if !is_read {
                continue;
            }
            if uses.writes(name) == 0 {
                kept.push(Stmt::bind(name, value.clone()));
            } else {
                kept.push(stmt);
            }
        } else if let Stmt::Harvest { workspace, crd, vals } = &stmt
            && is_ignored(crd, &rest)
            && vals.as_ref().is_none_or(|vals| is_ignored(vals, &rest))
        {
            // What is stored in the workspace before is not read, unless these statements do.
            let before = without_filling(&kept, workspace);
            if before == kept || Uses::of_name(&before, workspace).touches(workspace) {
                kept.push(Stmt::clear(workspace));
            } else {
                kept = before;
            }
        } else if let Stmt::Harvest { workspace, crd, vals: Some(vals) } = &stmt
            && is_ignored(vals, &rest)
        {
            let (workspace, crd) = (workspace.clone(), crd.clone());
            kept.push(Stmt::Harvest { workspace, crd, vals: None });
        } else {
            let nothing = Uses::default();
            kept.extend(stmt.with_bodies(&mut |inner| drop_unread(inner, &nothing)));
        }
    }
    kept
}

/// Returns whether statements neither read an array nor take its length, until they bind its name
/// again.
fn is_ignored(array: &str, body: &[Stmt]) -> bool {
    let shadowed = body.iter().position(|stmt| stmt.binds().contains(&array));
    let uses = Uses::of_name(&body[..shadowed.unwrap_or(body.len())], array);
    uses.reads(array) + uses.measures(array) == 0
}

/// Removes the assignments to a variable.
fn without_assignments(body: &[Stmt], variable: &str) -> Vec<Stmt> {
    let assigns = |stmt: &Stmt| matches!(stmt, Stmt::Assign { name, .. } if name == variable);
    without(body, &assigns)
}

/// Removes the statements that fill a vector.
fn without_filling(body: &[Stmt], vector: &str) -> Vec<Stmt> {
    let fills = |stmt: &Stmt| match stmt {
        Stmt::Clear { array }
        | Stmt::Reserve { array, .. }
        | Stmt::Push { array, .. }
        | Stmt::Extend { array, .. }
        | Stmt::Resize { array, .. }
        | Stmt::Grow { array, .. }
        | Stmt::Store { array, .. }
        | Stmt::Sort { array }
        | Stmt::Rearrange(Rearrange::Entries { array, .. }) => array == vector,
        Stmt::Comment(_)
        | Stmt::Let { .. }
        | Stmt::Assign { .. }
        | Stmt::Scratch { .. }
        | Stmt::Tile { .. }
        | Stmt::Workspace { .. }
        | Stmt::Harvest { .. }
        | Stmt::Places { .. }
        | Stmt::Rearrange(Rearrange::Sort { .. } | Rearrange::Widen { .. })
        | Stmt::Refuse { .. }
        | Stmt::Break
        | Stmt::For { .. }
        | Stmt::ForOnes { .. }
        | Stmt::While { .. }
        | Stmt::If { .. } => false,
    };
    without(body, &fills)
}

/// Removes unwanted statements at any depth.
fn without(body: &[Stmt], is_unwanted: &impl Fn(&Stmt) -> bool) -> Vec<Stmt> {
    let keep = |stmt: &Stmt| stmt.map(&mut Expr::clone, &mut |inner| without(inner, is_unwanted));
    body.iter().filter(|stmt| !is_unwanted(stmt)).flat_map(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{
        Assembly, ConversionKind, Element, Extent, Result, Source, TensorResult, Width, samples,
    };

    #[test]
    fn a_chain_that_ends_unread_goes() {
        let mut function = samples::scaled_sum();
        let mut body = vec![
            Stmt::bind("p", Expr::len("x_vals")),
            Stmt::bind_mut("q", Expr::var("p")),
            Stmt::accumulate("q", Expr::Index(1)),
        ];
        body.extend(function.body.clone());
        let expected = function.clone();
        function.body = body;
        assert_eq!(run(function), expected);
    }

    #[test]
    fn a_workspace_whose_entries_are_unread_is_not_filled() {
        let harvest = |vals: Option<&str>| Stmt::Harvest {
            workspace: "w".to_owned(),
            crd: "w1_crd".to_owned(),
            vals: vals.map(str::to_owned),
        };
        let fill = Stmt::store("w", Expr::Index(3), Expr::Index(1));
        let body = vec![fill.clone(), harvest(Some("w_vals"))];
        assert_eq!(drop_unread(body, &Uses::default()), []);
        // Entries that are stored elsewhere are removed.
        let body = vec![harvest(Some("w_vals"))];
        assert_eq!(drop_unread(body, &Uses::default()), [Stmt::clear("w")]);
        let count = Stmt::store("n", Expr::Index(0), Expr::len("w1_crd"));
        let body = vec![fill.clone(), harvest(Some("w_vals")), count.clone()];
        assert_eq!(drop_unread(body, &Uses::default()), [fill, harvest(None), count]);
    }

    #[test]
    fn a_variable_ends_where_another_has_its_name() {
        let counted = |then: Vec<Stmt>| {
            let step = Stmt::combine("n", crate::ir::BinaryOp::Sub, Expr::Index(1));
            let steps = Stmt::for_range("i", Expr::Index(0), Expr::var("m"), vec![step]);
            [vec![Stmt::bind_mut("n", Expr::var("m"))], steps, then].concat()
        };
        let read = vec![Stmt::store("y", Expr::Index(0), Expr::var("n"))];
        let body = [counted(Vec::new()), counted(read.clone())].concat();
        assert_eq!(drop_unread(body, &Uses::default()), counted(read));
    }

    #[test]
    fn a_variable_that_inner_ones_hide_is_unread() {
        let bound = || Stmt::bind("p", Expr::var("i"));
        let store = || Stmt::store("y", Expr::var("p"), Expr::Index(1));
        let arms = |inner: Vec<Stmt>| Stmt::choose(vec![(Expr::var("b"), inner.clone())], inner);
        let hidden = arms(vec![bound(), store()]);
        assert_eq!(drop_unread([vec![bound()], hidden.clone()].concat(), &Uses::default()), hidden);
        let read = [vec![bound()], arms(vec![store(), bound(), store()])].concat();
        assert_eq!(drop_unread(read.clone(), &Uses::default()), read);
    }

    #[test]
    fn a_name_is_unread_in_its_own_scope() {
        let scope = |reads: bool| {
            let mut body = vec![Stmt::bind("j", Expr::Index(1))];
            let index = if reads { Expr::var("j") } else { Expr::Index(0) };
            body.push(Stmt::store("y", index, Expr::Index(2)));
            Stmt::for_range("i", Expr::Index(0), Expr::var("n"), body)
        };
        let body = [scope(true), scope(false)].concat();
        let text: String =
            drop_unread(body, &Uses::default()).iter().map(Stmt::to_string).collect();
        assert_eq!(text.matches("let j").count(), 1, "{text}");
    }

    #[test]
    fn unread_operands_are_not_fetched() {
        let mut function = samples::scaled_sum();
        function.body = Vec::new();
        function.result = match function.result {
            Result::Scalar { dtype, updates, .. } => {
                Result::Scalar { dtype, value: Expr::var("alpha"), updates }
            }
            Result::Tensor(_) => panic!("the sample has a scalar result"),
        };
        let function = run(function);
        assert!(!function.sizes[0].used);
        match &function.operands[1] {
            Operand::Tensor(tensor) => assert_eq!(tensor.arrays, []),
            Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => {
                panic!("the sample's second operand is a tensor")
            }
        }
    }

    #[test]
    fn what_never_changes_is_not_mutable() {
        let body = vec![
            Stmt::bind_mut("p", Expr::Index(1)),
            Stmt::store("y", Expr::var("p"), Expr::var("p")),
        ];
        let kept = drop_unread(body, &Uses::default());
        assert_eq!(kept[0], Stmt::bind("p", Expr::Index(1)));
    }

    #[test]
    fn scratch_that_is_never_read_is_not_filled() {
        let body = vec![
            Stmt::scratch("a2_order", Element::Index(Width::U32)),
            Stmt::push("a2_order", Expr::Index(1)),
            Stmt::sort("a2_order"),
            Stmt::sort_by("a2_order", 1),
            Stmt::push("c2_crd", Expr::Index(1)),
        ];
        let kept = drop_unread(body, &Uses::default());
        assert_eq!(kept, [Stmt::push("c2_crd", Expr::Index(1))]);
    }

    #[test]
    fn extents_that_levels_keep_are_read_at_the_end() {
        let extent = |name: &str| Extent { name: name.into(), level: 1, field: "width".into() };
        let mut function = samples::add();
        match &mut function.operands[0] {
            Operand::Tensor(tensor) => tensor.extents = vec![extent("a2_width")],
            Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => {
                panic!("the sample's operands are tensors")
            }
        }
        match &mut function.result {
            Result::Tensor(TensorResult {
                assembly: Assembly::Assembled { extents, .. }, ..
            }) => {
                *extents = vec![extent("c2_width")];
            }
            result => panic!("the sample assembles its result, not {result:?}"),
        }
        let width = Stmt::bind("c2_width", Expr::Index(4));
        function.body.push(width.clone());
        let function = run(function);
        assert_eq!(function.body.last(), Some(&width));
        match &function.operands[0] {
            Operand::Tensor(tensor) => assert_eq!(tensor.extents, []),
            Operand::Scalar { .. } | Operand::Index { .. } | Operand::Indices { .. } => {
                panic!("the sample's operands are tensors")
            }
        }
    }

    #[test]
    fn conversions_that_are_never_read_go() {
        let mut function = samples::spmv();
        let Operand::Tensor(read) = function.operands[0].clone() else {
            panic!("the sample's operands are tensors")
        };
        let unread = TensorOperand { arrays: Vec::new(), ..read.clone() };
        let of = Source::Operand(0);
        let convert = |into| Conversion { of, kind: ConversionKind::Format, into };
        function.conversions = vec![convert(read), convert(unread)];
        assert_eq!(run(function).conversions.len(), 1);
    }
}
