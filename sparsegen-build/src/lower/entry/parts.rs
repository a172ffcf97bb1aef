//! The instructions that run loops in parts: divide the range, call the loops for each part, and join
//! what these have stored.

use super::names::Names;
use super::run::{Run, number, vector};
use super::signature::{extent, held, is_passed};
use crate::ir::{
    Array, Assembly, Buckets, Call, Combining, DescentStep, Dtype, Element, Expr, Fit, Follows,
    Instruction, Intervals, Join, Joined, Joining, Ordered, Own, Parallel, Place, Reduced,
    Returned, Share, Tables, Target, TensorResult,
};
use crate::names::plain;

impl Run<'_> {
    /// Divides the range of the outermost loop, if it runs in parts.
    pub(super) fn parts(&self) -> Option<Instruction> {
        let loops = self.loops;
        let parallel = loops.parallel.as_ref()?;
        let find = |name: &String| self.array(name);
        let range = Box::new(parallel.range.map(&find, &|extent| self.in_arguments(extent))?);
        let copied = |result: &&TensorResult| {
            parallel.copies.iter().any(|copies| copies.result == result.name)
        };
        let copies = loops.results().filter(copied).map(|result| self.holder(result)).collect();
        let name = self.names().parts.all;
        let joined = parallel.joined.iter().map(|joined| &joined.parents);
        let merged = parallel.buckets.iter().filter_map(|buckets| buckets.parents.as_ref());
        let lengths = joined.chain(merged).map(|parents| self.in_arguments(parents));
        let block = self.in_arguments(&parallel.block);
        let (lengths, count) = (lengths.collect(), parallel.count);
        Some(Instruction::Parts { name, range, block, copies, lengths, count })
    }

    /// Returns an extent in terms of the arguments.
    fn in_arguments(&self, size: &Expr) -> Expr {
        let known = self.loops.sizes.iter().filter(|size| !is_passed(size));
        known.fold(size.clone(), |whole, size| match extent(self.loops, size, true) {
            Some(extent) => whole.substitute(&size.name, &extent),
            None => whole,
        })
    }

    /// Returns an array of an operand, with the tensor that has it.
    fn array(&self, name: &str) -> Option<(String, Array)> {
        let loops = self.loops;
        loops.tensors().find_map(|tensor| {
            let array = tensor.arrays.iter().find(|array| array.name == name)?;
            let mut conversions = loops.conversions.iter();
            let conversion = conversions.find(|conversion| conversion.into.name == tensor.name);
            // A result that is not converted is read where it is.
            let read = conversion.and_then(|conversion| held(loops, conversion));
            let read = read.map_or(&tensor.name, |result| &result.name);
            Some((read.clone(), array.clone()))
        })
    }

    /// Calls the loops for each part, or those for known structures where these are known.
    pub(super) fn run_parts(
        &self,
        parallel: &Parallel,
        names: Names,
        call: Call,
        known: Option<(String, Call)>,
    ) -> Instruction {
        let Names { parts, filled, agrees, .. } = names;
        if let Some(intervals) = &parallel.intervals
            && let Some(result) = self.loops.results().next()
            && let Assembly::Computed { vals, .. } = &result.assembly
            && let Some(coordinate) = intervals.coordinate.map(&|name: &String| self.array(name))
        {
            let Intervals { own: variables, mode, copies, .. } = intervals.clone();
            return Instruction::SplitIntervals {
                parts,
                tensor: self.holder(result),
                vals: vals.name.clone(),
                own: names.own,
                variable: parallel.variable.clone(),
                intervals: Box::new(Intervals { own: variables, mode, coordinate, copies }),
                call,
            };
        }
        let what = || format!("arrays of {}", plain(&self.builder.kernel.name));
        let (mut own, mut orders, mut vectors) = (Vec::new(), Vec::new(), Vec::new());
        let (mut numbers, mut tables) = (Vec::new(), Vec::new());
        for result in self.loops.results() {
            let names = self.names_of(result);
            match &result.assembly {
                Assembly::Computed { vals, .. } => own.push(Own {
                    tensor: self.holder(result),
                    vals: vals.name.clone(),
                    share: self.share(parallel, result, names),
                }),
                Assembly::Assembled { arrays, extents, fits } => {
                    let mut by_parent = parallel.joined.iter();
                    let by = by_parent.find(|joined| joined.result == result.name);
                    vectors.extend(arrays.iter().map(|array| Joined {
                        name: array.name.clone(),
                        into: vector(&names.storage, array),
                        by: match by {
                            Some(by) => Joining::Ordered(names.order.clone(), by.contents(array)),
                            None => joining(array, fits, (arrays, &names.storage.vals)),
                        },
                    }));
                    orders.extend(by.map(|by| Ordered {
                        name: names.order,
                        what: what(),
                        by: by.clone(),
                    }));
                    let buckets = parallel.buckets.iter();
                    tables.extend(buckets.filter_map(|by| {
                        let width = extents.iter().find(|extent| extent.name == by.width)?;
                        let parents = by.parents.as_ref().map(|size| self.in_arguments(size));
                        Some(Tables {
                            into: number(&names.storage, width),
                            what: what(),
                            by: Buckets { parents, ..by.clone() },
                        })
                    }));
                    numbers.extend(extents.iter().map(|extent| extent.name.clone()));
                }
            }
        }
        let compares = self.loops.results().any(|result| !result.structure().is_empty());
        let answer = Target::Let { name: agrees.clone(), is_mutable: false };
        let combined = compares.then_some(answer).into_iter().chain(self.scalars_read()).collect();
        let agrees = compares.then(|| Returned {
            name: agrees,
            key: None,
            reduced: Reduced { dtype: Dtype::Bool, combining: both() },
        });
        let returned: Vec<Returned> = agrees.into_iter().chain(parallel.returned.clone()).collect();
        match &mut own[..] {
            [Own { tensor, vals, share: Share::Chunk }]
                if vectors.is_empty() && returned.is_empty() =>
            {
                let [tensor, vals] = [tensor, vals].map(std::mem::take);
                Instruction::Split { parts, tensor, vals, call }
            }
            _ => Instruction::Join(Join {
                parts,
                filled,
                own,
                orders,
                returned,
                combined,
                numbers,
                tables,
                vectors,
                call,
                known,
            }),
        }
    }

    /// Returns the values of a result that each part stores to.
    fn share(&self, parallel: &Parallel, result: &TensorResult, names: Names) -> Share {
        let mut copies = parallel.copies.iter();
        if let Some(copies) = copies.find(|copies| copies.result == result.name) {
            return Share::Copies(names.copies, copies.clone());
        }
        let mut descents = parallel.descents.iter();
        match descents.find(|descent| descent.result == result.name) {
            None => Share::Chunk,
            Some(descent) => Share::Below {
                storage: names.storage,
                variable: parallel.range.variable.clone(),
                steps: descent.steps.iter().map(|step| self.step(step)).collect(),
            },
        }
    }

    /// Returns a step in terms of the arguments.
    fn step(&self, step: &DescentStep) -> DescentStep {
        match step {
            DescentStep::Segments(_) => step.clone(),
            DescentStep::Search { array, below } => {
                DescentStep::Search { array: array.clone(), below: self.in_arguments(below) }
            }
            DescentStep::Each(each) => DescentStep::Each(self.in_arguments(each)),
        }
    }
}

/// Returns the answers of two parts, combined.
fn both() -> Combining {
    let values = ["earlier", "later"].map(str::to_owned);
    let [earlier, later] = values.each_ref().map(|name| Expr::var(name));
    Combining { values, combined: Expr::and(earlier, later) }
}

/// Returns how the arrays of parts are joined, if these follow each other.
fn joining(array: &Array, fits: &[Fit], (arrays, vals): (&[Array], &str)) -> Joining {
    let positions = fits.iter().find(|fit| fit.array == array.name);
    let mut values = arrays.iter().filter(|array| array.place == Place::Values);
    match array.place {
        _ if array.element == Element::Bits => Joining::Bits {
            of: values.next().map_or_else(String::new, |values| values.name.clone()),
            after: vals.to_owned(),
        },
        Place::Level { .. } if let Some(fit) = positions => match fit.follows {
            Follows::Segment => Joining::Ends,
            Follows::Ends => Joining::Positions,
            Follows::Shifted => Joining::Shifted { by: fit.length_of.clone() },
        },
        Place::Level { .. } | Place::Values => Joining::Appending,
    }
}
