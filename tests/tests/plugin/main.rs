//! Tests of levels that are defined in the test crate: kernels read and write them like built-in
//! ones.
//!
//! The compiler's half of each level is in the folder `build`, and part of this crate's build
//! script; the runtime's half is in the folder `levels`.

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
    runs column_runs small_runs runs_of_runs deltas tables tables_of_tables band
    lists_in_blocks whole_diagonals lists_in_diagonals
    mixed
}
