//! Renames the variables, arrays and arguments of a function.

use super::{
    Array, Assembly, Buckets, ByParent, Conversion, ConversionKind, Counted, Descent, DescentStep,
    Divided, Divisible, Expr, Extent, Fit, Function, Limit, List, Measure, Operand, Part, Progress,
    Reads, Rearrange, Result, Returned, Steps, Stmt, TensorOperand, TensorResult, Traced,
};

impl Function {
    /// Replaces all names in the body, the signature and calls. Names in messages do not change.
    pub fn rename(&mut self, to: &mut dyn FnMut(&str) -> String) {
        self.visit_names(&mut |name| *name = to(name));
    }

    /// Returns all names in the body, the signature and calls.
    pub fn names(&self) -> std::collections::BTreeSet<String> {
        let mut names = std::collections::BTreeSet::new();
        self.clone().visit_names(&mut |name| {
            // Most names stand in many places, each of which has a copy.
            if !names.contains(name) {
                names.insert(std::mem::take(name));
            }
        });
        names
    }

    fn visit_names(&mut self, visit: &mut dyn FnMut(&mut String)) {
        for operand in &mut self.operands {
            match operand {
                Operand::Tensor(tensor) => of_tensor(tensor, visit),
                Operand::Scalar { name, .. }
                | Operand::Index { name }
                | Operand::Indices { name } => visit(name),
            }
        }
        for Conversion { kind, into, .. } in &mut self.conversions {
            of_tensor(into, visit);
            match kind {
                ConversionKind::Format => {}
                ConversionKind::Inverse(size) => visit(size),
            }
        }
        self.sizes.iter_mut().for_each(|size| visit(&mut size.name));
        self.parts.iter_mut().for_each(|part| of_part(part, visit));
        of_result(&mut self.result, visit);
        self.others.iter_mut().for_each(|result| of_result(result, visit));
        self.unroll.iter_mut().for_each(|unroll| visit(&mut unroll.variable));
        if let Some(parallel) = &mut self.parallel {
            visit(&mut parallel.variable);
            visit(&mut parallel.begin);
            visit(&mut parallel.end);
            of_divided(&mut parallel.range, visit);
            of_expr(&mut parallel.block, visit);
            for Returned { name, key, .. } in &mut parallel.returned {
                std::iter::once(name).chain(key).for_each(&mut *visit);
            }
            let intervals = parallel.intervals.iter_mut().map(|intervals| {
                intervals.own.iter_mut().for_each(&mut *visit);
                let Traced { segments, coordinates } = &mut intervals.coordinate;
                segments.iter_mut().chain(coordinates).for_each(&mut *visit);
                &mut intervals.copies
            });
            let intervals: Vec<_> = intervals.collect();
            for copies in parallel.copies.iter_mut().chain(intervals) {
                visit(&mut copies.result);
                of_expr(&mut copies.neutral, visit);
            }
            for joined in &mut parallel.joined {
                let ByParent { result, parents, coordinates, ends, entries, .. } = joined;
                of_expr(parents, visit);
                let arrays = coordinates.iter_mut().chain(ends);
                [result, entries].into_iter().chain(arrays).for_each(&mut *visit);
            }
            for buckets in &mut parallel.buckets {
                let Buckets { slots, width, below, parents, .. } = buckets;
                [slots, width].into_iter().for_each(&mut *visit);
                for (array, initial) in below {
                    visit(&mut array.name);
                    of_expr(initial, visit);
                }
                parents.iter_mut().for_each(|parents| of_expr(parents, visit));
            }
            for Descent { result, steps } in &mut parallel.descents {
                visit(result);
                for step in steps {
                    match step {
                        DescentStep::Search { array, below } => {
                            visit(&mut array.name);
                            of_expr(below, visit);
                        }
                        DescentStep::Segments(array) => visit(&mut array.name),
                        DescentStep::Each(each) => of_expr(each, visit),
                    }
                }
            }
        }
        self.division.iter_mut().for_each(&mut *visit);
        for bound in &mut self.unchecked {
            visit(&mut bound.array);
            of_expr(&mut bound.most, visit);
        }
        of_body(&mut self.body, visit);
        self.given.iter_mut().for_each(|given| visit(&mut given.name));
        let compute = self.compute.iter_mut().map(|compute| &mut **compute);
        for function in compute.chain(&mut self.phases) {
            function.visit_names(visit);
        }
    }
}

fn of_divided(divided: &mut Divided<String>, visit: &mut dyn FnMut(&mut String)) {
    let Divided { variable, below, range, work, steps, counted } = divided;
    visit(variable);
    match counted {
        Counted::Own => {}
        Counted::Blocks(each) => of_expr(each, visit),
        Counted::Slice { variable, start, size, .. } => {
            visit(variable);
            of_expr(start, visit);
            of_expr(size, visit);
        }
    }
    of_expr(below, visit);
    match range {
        Divisible::Coordinates(extent) => of_expr(extent, visit),
        Divisible::Positions(array) => visit(array),
    }
    work.iter_mut().for_each(|work| work.for_each(&mut |name| visit(name)));
    for Steps { all, units } in steps {
        for measure in std::iter::once(all).chain(units) {
            match measure {
                Measure::Extent(extent) => of_expr(extent, visit),
                Measure::Length(array) => visit(array),
            }
        }
    }
}

fn of_tensor(tensor: &mut TensorOperand, visit: &mut dyn FnMut(&mut String)) {
    visit(&mut tensor.name);
    of_arrays(&mut tensor.arrays, visit);
    of_extents(&mut tensor.extents, visit);
}

fn of_arrays(arrays: &mut [Array], visit: &mut dyn FnMut(&mut String)) {
    arrays.iter_mut().for_each(|array| visit(&mut array.name));
}

fn of_extents(extents: &mut [Extent], visit: &mut dyn FnMut(&mut String)) {
    extents.iter_mut().for_each(|extent| visit(&mut extent.name));
}

fn of_part(part: &mut Part, visit: &mut dyn FnMut(&mut String)) {
    let mut of_limit = |limit: &mut Limit| match limit {
        Limit::Number(_) => {}
        Limit::Argument(name) => visit(name),
    };
    match &mut part.reads {
        Reads::Range { start, end, .. } => [start, end].into_iter().for_each(of_limit),
        Reads::At(at) => of_limit(at),
        Reads::Listed(list) => of_list(list, visit),
    }
}

fn of_list(list: &mut List, visit: &mut dyn FnMut(&mut String)) {
    match list {
        List::Numbers { name, .. } | List::Argument(name) => visit(name),
        List::LastOf { of, name } => {
            visit(of);
            visit(name);
        }
    }
}

fn of_result(result: &mut Result, visit: &mut dyn FnMut(&mut String)) {
    match result {
        Result::Scalar { value, .. } => of_expr(value, visit),
        Result::Tensor(tensor) => of_tensor_result(tensor, visit),
    }
}

fn of_tensor_result(tensor: &mut TensorResult, visit: &mut dyn FnMut(&mut String)) {
    visit(&mut tensor.name);
    match &mut tensor.assembly {
        Assembly::Computed { vals, structure, numbers, .. } => {
            visit(&mut vals.name);
            of_arrays(structure, visit);
            of_extents(numbers, visit);
        }
        Assembly::Assembled { arrays, extents, fits } => {
            of_arrays(arrays, visit);
            of_extents(extents, visit);
            for Fit { array, length_of, .. } in fits {
                visit(array);
                visit(length_of);
            }
        }
    }
    if let Some(cover) = &mut tensor.cover {
        cover.coordinate.iter_mut().for_each(&mut *visit);
        of_expr(&mut cover.inside, visit);
        cover.listed.iter_mut().for_each(|(_, list)| of_list(list, visit));
    }
}

fn of_body(body: &mut [Stmt], visit: &mut dyn FnMut(&mut String)) {
    body.iter_mut().for_each(|stmt| of_stmt(stmt, visit));
}

fn of_stmt(stmt: &mut Stmt, visit: &mut dyn FnMut(&mut String)) {
    match stmt {
        Stmt::Comment(_) | Stmt::Break => {}
        Stmt::Let { name, value, .. }
        | Stmt::Assign { name, value, .. }
        | Stmt::Push { array: name, value }
        | Stmt::Reserve { array: name, additional: value } => {
            visit(name);
            of_expr(value, visit);
        }
        Stmt::Store { array, index: a, value: b, .. }
        | Stmt::Resize { array, len: a, value: b } => {
            visit(array);
            of_expr(a, visit);
            of_expr(b, visit);
        }
        Stmt::Workspace { name, size, initial, .. } => {
            visit(name);
            size.iter_mut().chain([initial]).for_each(|expr| of_expr(expr, visit));
        }
        Stmt::Extend { array, of, within } => {
            [array, of].into_iter().for_each(&mut *visit);
            if let Some(Progress { at, start, end }) = within {
                [at, start, end].into_iter().for_each(|expr| of_expr(expr, visit));
            }
        }
        Stmt::Grow { array, factors, value } => {
            visit(array);
            factors.iter_mut().chain([value]).for_each(|expr| of_expr(expr, visit));
        }
        Stmt::Scratch { name, .. } | Stmt::Sort { array: name } | Stmt::Clear { array: name } => {
            visit(name);
        }
        Stmt::Places { name, size: value } | Stmt::Tile { name, initial: value, .. } => {
            visit(name);
            of_expr(value, visit);
        }
        Stmt::Rearrange(Rearrange::Sort { places, crd, vals, start, each }) => {
            [crd, vals].into_iter().for_each(&mut *visit);
            [start, each].into_iter().for_each(|expr| of_expr(expr, visit));
            if let Some((places, first)) = places {
                visit(places);
                of_expr(first, visit);
            }
        }
        Stmt::Rearrange(Rearrange::Entries { array, .. }) => visit(array),
        Stmt::Rearrange(Rearrange::Widen { width, crd, below }) => {
            [width, crd].into_iter().for_each(&mut *visit);
            for (array, initial) in below {
                visit(array);
                of_expr(initial, visit);
            }
        }
        Stmt::Harvest { workspace, crd, vals } => {
            visit(workspace);
            visit(crd);
            vals.iter_mut().for_each(visit);
        }
        Stmt::Refuse { condition, error } => {
            of_expr(condition, visit);
            let coordinate = error.iter_mut().flat_map(|error| &mut error.coordinate);
            coordinate.for_each(|coordinate| of_expr(coordinate, visit));
        }
        Stmt::For { name, start, end, body } => {
            visit(name);
            of_expr(start, visit);
            of_expr(end, visit);
            of_body(body, visit);
        }
        Stmt::ForOnes { name, start, end, bits, body } => {
            visit(name);
            [start, end, bits].into_iter().for_each(|expr| of_expr(expr, visit));
            of_body(body, visit);
        }
        Stmt::While { condition, body } => {
            of_expr(condition, visit);
            of_body(body, visit);
        }
        Stmt::If { arms, otherwise } => {
            for (condition, body) in arms {
                of_expr(condition, visit);
                of_body(body, visit);
            }
            of_body(otherwise, visit);
        }
    }
}

fn of_expr(expr: &mut Expr, visit: &mut dyn FnMut(&mut String)) {
    match expr {
        Expr::Index(_)
        | Expr::Value(..)
        | Expr::Constant(..)
        | Expr::Bool(_)
        | Expr::Largest(_)
        | Expr::LargestOffset => {}
        Expr::Var(name) | Expr::Len(name) | Expr::Extent(name, _) => visit(name),
        Expr::Load { array, index } | Expr::Contains { workspace: array, index } => {
            visit(array);
            of_expr(index, visit);
        }
        Expr::Search { array, start, end, index } => {
            visit(array);
            [start, end, index].into_iter().for_each(|expr| of_expr(expr, visit));
        }
        Expr::Entry(fields) => fields.iter_mut().for_each(|field| of_expr(field, visit)),
        Expr::Binary(_, a, b) => {
            of_expr(a, visit);
            of_expr(b, visit);
        }
        Expr::Unary(_, value)
        | Expr::ToIndex(_, value)
        | Expr::Field(value, _)
        | Expr::Cast { value, .. } => of_expr(value, visit),
        Expr::Call(_, _, arguments) => arguments.iter_mut().for_each(|a| of_expr(a, visit)),
        Expr::Choose { condition, holds, otherwise } => {
            [condition, holds, otherwise].into_iter().for_each(|expr| of_expr(expr, visit));
        }
    }
}
