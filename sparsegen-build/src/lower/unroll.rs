//! Which loops of the body the schedule wants several iterations at a time of.

use crate::concrete::pos;
use crate::ir::Unroll;
use crate::iteration::plan::{Loop, Plan};
use crate::notation::VariableId;
use crate::notation::schedule::Action;

use super::Lowering;

impl Lowering<'_> {
    pub(super) fn unrolled(&self, plan: &Plan) -> Vec<Unroll> {
        let mut unrolled: Vec<Unroll> = Vec::new();
        for command in &self.program.kernel.schedule {
            let Action::Unroll { variable, by } = command.action else { continue };
            let variable = pos::loop_of(&self.program.kernel.schedule, variable);
            plan.for_each_loop(&mut |inner| {
                let name = self.loop_name(inner, variable);
                let known = |name: &String| unrolled.iter().any(|known| known.variable == *name);
                if let Some(name) = name.filter(|name| !known(name)) {
                    unrolled.push(Unroll { variable: name, by: by as usize });
                }
            });
        }
        unrolled
    }

    /// What counts the iterations of a loop over a variable.
    fn loop_name(&self, inner: &Loop, variable: VariableId) -> Option<String> {
        if inner.variable != variable {
            return None;
        }
        let mut drivers = inner.points.first()?.drivers.members();
        let by_position = drivers
            .next()
            .map(|driver| &inner.iterators[driver])
            .filter(|driver| driver.spec(self.program).level.coordinate_iteration().is_none());
        Some(match by_position {
            Some(driver) => self.names.position(&driver.access, driver.level),
            None => self.names.variable(variable).to_owned(),
        })
    }
}
