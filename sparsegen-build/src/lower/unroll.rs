//! The loops of the body that the schedule unrolls.

use crate::ir::Unroll;
use crate::iteration::plan::{Loop, Plan};

use super::Lowering;

impl Lowering<'_> {
    pub(super) fn unrolled(&self, plan: &Plan) -> Vec<Unroll> {
        let mut unrolled: Vec<Unroll> = Vec::new();
        plan.for_each_loop(&mut |inner| {
            let Some(by) = inner.annotations.unroll else { return };
            let known = |name: &String| unrolled.iter().any(|known| known.variable == *name);
            if let Some(name) = self.loop_name(inner).filter(|name| !known(name)) {
                unrolled.push(Unroll { variable: name, by: by as usize });
            }
        });
        unrolled
    }

    /// Returns the variable that counts the iterations of a loop in generated code.
    fn loop_name(&self, inner: &Loop) -> Option<String> {
        let mut drivers = inner.points.first()?.drivers.members();
        let by_position = drivers
            .next()
            .map(|driver| &inner.iterators[driver])
            .filter(|driver| driver.spec(self.program).level.coordinate_iteration().is_none());
        Some(match by_position {
            Some(driver) => self.names.position(&driver.access, driver.level),
            None => self.names.variable(inner.variable).to_owned(),
        })
    }
}
