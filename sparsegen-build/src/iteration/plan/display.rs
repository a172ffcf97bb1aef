//! Formats plans as text.

use std::fmt::Write as _;

use super::{Loop, Plan, either};
use crate::concrete::{Program, Stmt};
use crate::iteration::lattice::Set;
use crate::iteration::resumed::{Order, Resumed};
use crate::notation::{Expr, Function};

impl Plan {
    /// Formats the plan: each loop with its merge points, indented.
    pub fn show(&self, program: &Program) -> String {
        let mut text = String::new();
        self.write(program, 0, &mut text);
        text
    }

    fn write(&self, program: &Program, depth: usize, text: &mut String) {
        let indent = "    ".repeat(depth);
        match self {
            Plan::Loop(inner) => inner.write(program, depth, text),
            Plan::Where { temporaries, consumer, producer } => {
                let names = temporaries.iter().map(|t| program.tensor(t.tensor).name.as_str());
                let names: Vec<&str> = names.collect();
                let _ = writeln!(text, "{indent}{} from", names.join(", "));
                producer.write(program, depth + 1, text);
                let _ = writeln!(text, "{indent}then");
                // The regions of the consumer are printed as those of a loop.
                let is_region = matches!(**consumer, Plan::If { .. });
                consumer.write(program, if is_region { depth } else { depth + 1 }, text);
            }
            Plan::Assign { target, accumulate, value } => {
                let stmt = Stmt::Assign {
                    target: target.clone(),
                    accumulate: *accumulate,
                    value: value.clone(),
                };
                let _ = writeln!(text, "{indent}{}", program.show(&stmt));
            }
            Plan::Visit(_) => {}
            Plan::If { condition, body } => {
                write_region(program, condition, depth, text);
                body.write(program, depth + 1, text);
            }
            Plan::Sequence(plans) => match either(plans) {
                Some((condition, holds, otherwise)) => {
                    write_region(program, condition, depth, text);
                    holds.write(program, depth + 1, text);
                    let _ = writeln!(text, "{indent}  in {{}}");
                    otherwise.write(program, depth + 1, text);
                }
                None => plans.iter().for_each(|plan| plan.write(program, depth, text)),
            },
        }
    }
}

/// Formats the regions in which a condition holds as those of a loop: each is a set of predicates,
/// and a temporary denotes that it has an entry.
fn write_region(program: &Program, condition: &Expr, depth: usize, text: &mut String) {
    let predicate = |predicate: &&Expr| match predicate {
        Expr::Call(Function::Found(temporary), _) => program.tensor(*temporary).name.clone(),
        other => program.kernel.show(other),
    };
    let sets = condition.disjuncts().into_iter().map(|set| {
        let predicates: Vec<String> = set.conjuncts().iter().map(predicate).collect();
        format!("{{{}}}", predicates.join(", "))
    });
    let sets: Vec<String> = sets.collect();
    let _ = writeln!(text, "{}  in {}", "    ".repeat(depth), sets.join(", "));
}

impl Loop {
    fn write(&self, program: &Program, depth: usize, text: &mut String) {
        let indent = "    ".repeat(depth);
        let name = &program.kernel.variable(self.variable).name;
        let names = |set: Set| {
            let names: Vec<_> = set.members().map(|k| self.iterators[k].show(program)).collect();
            names.join(", ")
        };
        for point in &self.points {
            let mut how = match (point.drivers.is_empty(), point.by_dimension) {
                (true, _) => "the dimension".to_owned(),
                (false, false) => names(point.drivers),
                (false, true) => format!("the dimension beside {}", names(point.drivers)),
            };
            if !point.ended.is_empty() {
                let _ = write!(how, ", while any of {} lasts", names(point.ended));
            }
            if !point.located.is_empty() {
                let _ = write!(how, ", locate {}", names(point.located));
            }
            if self.order == Order::Backward {
                how.push_str(", backward");
            }
            if let Some(Resumed { around, .. }) = self.resumes {
                let around = &program.kernel.variable(around).name;
                let _ = write!(how, ", resumed for each {around}");
            }
            let _ = writeln!(text, "{indent}∀{name} over {how}");
            for (sets, outcome) in point.arms() {
                let bare = point.cases.len() == 1;
                if !bare {
                    let sets: Vec<_> =
                        sets.iter().map(|present| format!("{{{}}}", names(*present))).collect();
                    let _ = writeln!(text, "{indent}  in {}", sets.join(", "));
                }
                self.bodies[outcome].write(program, depth + 1, text);
            }
        }
        if let Some(rest) = self.rest {
            let _ = writeln!(text, "{indent}∀{name} over the rest of the dimension, in one step");
            self.bodies[rest].write(program, depth + 1, text);
        }
    }
}
