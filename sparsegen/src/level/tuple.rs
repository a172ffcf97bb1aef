//! The levels of a format as one type, a tuple.

use core::fmt::Debug;

use super::{Kind, Level, LevelView};
use crate::Error;

/// The largest number of levels that a format can have.
pub const MAX_LEVELS: usize = 12;

/// The storage of all levels of a tensor, outermost first. Implemented by tuples of up to
/// [`MAX_LEVELS`] levels.
pub trait Levels: sealed::Sealed + Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The properties of each level type.
    const KINDS: &'static [Kind];

    /// The borrowed storage: the tuple of the views of the levels.
    type Views<'a>: LevelViews + Copy + Debug + Send + Sync + 'a;

    /// Borrows the storage.
    fn views(&self) -> Self::Views<'_>;

    /// Builds the levels from a source, outermost first.
    ///
    /// # Errors
    /// The errors of the source.
    fn collect(source: &mut impl LevelSource) -> Result<Self, Error>;
}

/// The borrowed storage of all levels of a tensor. Implemented by tuples of views.
pub trait LevelViews: sealed::Sealed {
    /// Returns a level, counted from 0.
    ///
    /// # Panics
    /// Panics if there is no such level.
    fn level(&self, level: usize) -> &dyn LevelView;
}

/// A source of the levels of a tensor, outermost first.
pub trait LevelSource {
    /// Builds the next level.
    ///
    /// # Errors
    /// Returns an error if the level cannot be built.
    fn next_level<L: Level>(&mut self) -> Result<L, Error>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! tuple {
    ($($name:ident $index:tt)*) => {
        impl<$($name),*> sealed::Sealed for ($($name,)*) {}

        impl<$($name: Level),*> Levels for ($($name,)*) {
            const KINDS: &'static [Kind] = &[$($name::KIND),*];

            type Views<'a> = ($($name::View<'a>,)*);

            #[allow(clippy::unused_unit, reason = "the tuple without levels")]
            fn views(&self) -> Self::Views<'_> {
                ($(self.$index.view(),)*)
            }

            #[allow(unused_variables, reason = "the tuple without levels")]
            fn collect(source: &mut impl LevelSource) -> Result<Self, Error> {
                Ok(($(source.next_level::<$name>()?,)*))
            }
        }

        impl<$($name: LevelView),*> LevelViews for ($($name,)*) {
            #[inline]
            fn level(&self, level: usize) -> &dyn LevelView {
                match level {
                    $($index => &self.$index,)*
                    absent => panic!("there is no level {absent}"),
                }
            }
        }
    };
}

tuple!();
tuple!(A 0);
tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);
tuple!(A 0 B 1 C 2 D 3 E 4);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
