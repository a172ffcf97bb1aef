//! Formats plans as text.

use std::fmt::Write as _;

use super::{Loop, Plan};
use crate::concrete::{Program, Stmt};
use crate::iteration::lattice::Set;

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
            Plan::Where { temporaries, consumer, producer, only_if_present } => {
                let names = temporaries.iter().map(|t| program.tensor(t.tensor).name.as_str());
                let names: Vec<&str> = names.collect();
                let _ = writeln!(text, "{indent}{} from", names.join(", "));
                producer.write(program, depth + 1, text);
                let only =
                    if only_if_present.is_empty() { "" } else { ", only if an entry was found," };
                let _ = writeln!(text, "{indent}then{only}");
                consumer.write(program, depth + 1, text);
            }
            Plan::Assign { target, accumulate, value } => {
                let stmt = Stmt::Assign {
                    target: target.clone(),
                    accumulate: *accumulate,
                    value: value.clone(),
                };
                let _ = writeln!(text, "{indent}{}", program.show(&stmt));
            }
            Plan::If { condition, body } => {
                let _ = writeln!(text, "{indent}if {}", program.kernel.show(condition));
                body.write(program, depth + 1, text);
            }
            Plan::Sequence(plans) => {
                for plan in plans {
                    plan.write(program, depth, text);
                }
            }
        }
    }
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
    }
}
