//! Levels of the test crate, which neither of our crates knows: kernels read them and write them like
//! any other.
//!
//! The compiler's side of each is in the folder `build`, and part of this crate's build script; the
//! runtime's is in the folder `levels`.

mod agree;
mod arrays;
mod guide;
mod levels;
mod refused;

/// Kernels with a matrix in a format of such levels.
macro_rules! kernels {
    ($($name:ident)*) => {$(
        #[deny(warnings)]
        #[allow(clippy::all, dead_code, reason = "a kernel may be called in only one of its forms")]
        mod $name {
            include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
        }
    )*};
}

kernels! {
    runs column_runs small_runs runs_of_runs deltas band
    lists_in_blocks whole_diagonals lists_in_diagonals
    mixed
}
