//! `singleton`: exactly one child per parent, at the parent's position.

use std::ops::Range;

use super::{Axis, Fault, Kind, Level, LevelView, Node, Parents, narrowed, widened, zeros};
use crate::Width;

/// A level that stores one coordinate per parent; the child has its parent's position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Singleton<C = u32> {
    /// The coordinate at each position.
    pub crd: Vec<C>,
}

/// A borrowed [`Singleton`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingletonView<'a, C = u32> {
    /// The coordinate at each position.
    pub crd: &'a [C],
}

// SAFETY: `build` stores one coordinate per parent, that of its node or the padding 0, which is a
// coordinate as it refuses to pad a dimension without any.
unsafe impl<C: Width> Level for Singleton<C> {
    const KIND: Kind = Kind { name: "singleton", full: false, branchless: true };

    type View<'a> = SingletonView<'a, C>;

    fn view(&self) -> SingletonView<'_, C> {
        SingletonView { crd: &self.crd }
    }

    fn build(
        axis: &Axis,
        parents: usize,
        nodes: impl ExactSizeIterator<Item = (usize, usize)>,
    ) -> Result<(Self, Vec<usize>), Fault> {
        axis.fits::<C>()?;
        if axis.size == 0 && parents > 0 {
            let reason = "a singleton level needs a coordinate under each coordinate of the level \
                          above, and the dimension has size 0";
            return Err(Fault::broken(0, reason));
        }
        check_full(axis, parents)?;
        let mut crd = zeros(parents)?;
        let mut positions = Vec::with_capacity(nodes.len());
        for (index, (parent, coordinate)) in nodes.enumerate() {
            if positions.last() == Some(&parent) {
                let reason = "a singleton level has room for one coordinate under each coordinate \
                              of the level above, and a second one is given; declare the level \
                              above nonunique if it is compressed, or this one compressed";
                return Err(Fault::broken(index, reason));
            }
            crd[parent] = narrowed("coordinates", coordinate)?;
            positions.push(parent);
        }
        Ok((Singleton { crd }, positions))
    }
}

/// Refuses the promise that one coordinate is all that the dimension has, where there are more.
fn check_full(axis: &Axis, parents: usize) -> Result<(), Fault> {
    if axis.properties.full && axis.size > 1 && parents > 0 {
        let reason = format!("a full level has 1 of {} coordinates here", axis.size);
        return Err(Fault::broken(0, reason));
    }
    Ok(())
}

// SAFETY: `validate` checks that there is one coordinate per parent, so a parent's position is a
// child's too, and every coordinate against the size of the axis.
unsafe impl<C: Width> LevelView for SingletonView<'_, C> {
    fn children(&self, parents: usize) -> Option<usize> {
        Some(parents)
    }

    fn expand(&self, parent: Node<'_>) -> Range<usize> {
        parent.position..parent.position + 1
    }

    fn child(&self, _: Node<'_>, slot: usize) -> Option<(usize, usize)> {
        Some((self.crd[slot].to_usize(), slot))
    }

    fn validate(&self, parents: &Parents<'_>, axis: &Axis) -> Result<usize, Fault> {
        axis.fits::<C>()?;
        if self.crd.len() != parents.count() {
            let (length, count) = (self.crd.len(), parents.count());
            let reason = format!("`crd` has {length} elements for {count} parents");
            return Err(Fault::broken(length, reason));
        }
        check_full(axis, parents.count())?;
        for (index, coordinate) in self.crd.iter().enumerate() {
            axis.contains(coordinate.to_usize(), index)?;
        }
        Ok(self.crd.len())
    }

    fn arrays(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("crd", widened(self.crd))]
    }
}
