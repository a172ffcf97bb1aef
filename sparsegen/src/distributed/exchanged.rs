//! The entries that ranks send to each other.

use mpi::traits::Equivalence;

#[cfg(doc)]
use super::Distributed;
use super::World;
use crate::{Error, Pattern, Stored, Value};

/// An entry that ranks can send to each other: a number, a truth value, or a [`Pattern`], whose
/// coordinates only are sent.
///
/// The elements of a [`Distributed`] tensor implement it. A type of the program does by what MPI sends
/// in its place: a number, or a structure that derives [`Equivalence`], with the feature `derive` of the
/// crate `mpi`.
///
/// ```
/// # use std::fmt;
/// use sparsegen::distributed::Exchanged;
/// # use sparsegen::{Fill, Value};
///
/// /// An integer modulo 7.
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// struct Mod7(u8);
///
/// impl Exchanged for Mod7 {
///     type Message = u8;
///
///     fn to_message(self) -> u8 {
///         self.0
///     }
///
///     fn of_message(message: u8) -> Self {
///         Mod7(message)
///     }
/// }
/// # impl Value for Mod7 {
/// #     const ZERO: Self = Mod7(0);
/// #     const ONE: Self = Mod7(1);
/// #     fn filled(fill: Fill) -> Self {
/// #         Mod7(fill.to_f64() as u8)
/// #     }
/// #     fn sum(self, other: Self) -> Self {
/// #         Mod7((self.0 + other.0) % 7)
/// #     }
/// # }
/// # impl fmt::Display for Mod7 {
/// #     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
/// #         self.0.fmt(f)
/// #     }
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "ranks cannot send elements of the type `{Self}`",
    note = "implement `sparsegen::distributed::Exchanged` for it: what MPI sends in its place"
)]
pub trait Exchanged: Stored {
    /// The type that MPI sends.
    type Message: Equivalence + Copy + Default;

    /// Returns what is sent of an entry.
    fn to_message(self) -> Self::Message;

    /// Returns the entry of which this has been sent.
    fn of_message(message: Self::Message) -> Self;
}

macro_rules! sent_as_they_are {
    ($($value:ty)*) => {$(
        impl Exchanged for $value {
            type Message = $value;

            #[inline]
            fn to_message(self) -> $value {
                self
            }

            #[inline]
            fn of_message(message: $value) -> $value {
                message
            }
        }
    )*};
}

sent_as_they_are!(f64 f32 i8 i16 i32 i64 u8 u16 u32 u64 usize bool);
#[cfg(feature = "complex")]
sent_as_they_are!(crate::c64 crate::c32);

#[cfg(feature = "half")]
macro_rules! sent_as_bits {
    ($($half:ident)*) => {$(
        impl Exchanged for half::$half {
            type Message = u16;

            #[inline]
            fn to_message(self) -> u16 {
                self.to_bits()
            }

            #[inline]
            fn of_message(message: u16) -> Self {
                half::$half::from_bits(message)
            }
        }
    )*};
}

#[cfg(feature = "half")]
sent_as_bits!(f16 bf16);

/// Ranks that run a plan send no messages for a pattern. Entries that are sent with their coordinates are
/// bytes.
impl<V: Value> Exchanged for Pattern<V> {
    type Message = u8;

    #[inline]
    fn to_message(self) -> u8 {
        1
    }

    #[inline]
    fn of_message(_: u8) -> Self {
        Pattern::ONE
    }
}

/// Returns the entries that all ranks have, in the order of the ranks. Collective.
pub(super) fn gather<V: Exchanged>(world: &World, own: &[V]) -> Result<Vec<V>, Error> {
    let messages: Vec<_> = own.iter().map(|entry| entry.to_message()).collect();
    Ok(world.gather_all(&messages)?.into_iter().map(V::of_message).collect())
}
