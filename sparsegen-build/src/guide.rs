#![doc = include_str!("guide/links.md")]
#![doc = include_str!("../guide/index.md")]

/// Defines a module for each chapter.
///
/// The definitions of the links to chapters precede the text, and have precedence over those at the
/// end of it, which lead to the files of the book.
macro_rules! chapters {
    ($($name:ident)*) => {
        $(
            #[doc = include_str!("guide/links.md")]
            #[doc = include_str!(concat!("../guide/", stringify!($name), ".md"))]
            pub mod $name {}
        )*
    };
}

chapters! {
    first_kernel
    formats
    updates
    schedules
    masks_and_graphs
    indices
    tensors
    other_crates
    mpi
    generated_code
    own_levels
    how_it_works
    performance
    coming_from
}

#[doc(inline)]
pub use crate::error::errors;
