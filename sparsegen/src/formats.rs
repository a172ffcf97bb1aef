//! The built-in formats, each with the map that it has in a manifest.
//!
//! `P` and `C` are the widths of positions and coordinates.

use std::marker::PhantomData;

use crate::level::{Compressed, Dense as DenseLevel, Singleton};
use crate::{Format, LevelMap, Map, Width};

/// Declares built-in formats: a type, its name, its order, and a line per level.
macro_rules! formats {
    ($(
        impl[$($parameters:tt)*] $format:ty = $name:literal, $order:literal {
            $($dimension:literal: $level:literal $(($property:ident))?, $storage:ty;)*
        }
    )*) => {$(
        // SAFETY: each line of the table gives a level's entry in `MAP` and its storage together.
        unsafe impl<$($parameters)*> Format for $format {
            const NAME: &'static str = $name;
            const MAP: Map = Map::new(&[
                $(LevelMap::dimension($dimension, $level)$(.$property())?),*
            ]);
            type Shape = [usize; $order];
            type Levels = ($($storage,)*);
        }
    )*};
}

/// A single number: `() -> ()`.
#[derive(Clone, Copy, Debug)]
pub struct Scalar;

/// All levels dense, in row-major order; for orders from 1 to 8.
#[derive(Clone, Copy, Debug)]
pub struct Dense<const N: usize>;

/// All levels dense, the last mode outermost: column-major order; for orders from 1 to 8.
#[derive(Clone, Copy, Debug)]
pub struct DenseCol<const N: usize>;

/// A sparse vector: `(i) -> (i : compressed)`.
#[derive(Clone, Copy, Debug)]
pub struct SparseVector<P = u32, C = u32>(PhantomData<(P, C)>);

/// Compressed sparse rows: `(i, j) -> (i : dense, j : compressed)`.
#[derive(Clone, Copy, Debug)]
pub struct Csr<P = u32, C = u32>(PhantomData<(P, C)>);

/// Compressed sparse columns: `(i, j) -> (j : dense, i : compressed)`.
#[derive(Clone, Copy, Debug)]
pub struct Csc<P = u32, C = u32>(PhantomData<(P, C)>);

/// Doubly compressed sparse rows: `(i, j) -> (i : compressed, j : compressed)`. Empty rows take no
/// space.
#[derive(Clone, Copy, Debug)]
pub struct Dcsr<P = u32, C = u32>(PhantomData<(P, C)>);

/// Doubly compressed sparse columns: `(i, j) -> (j : compressed, i : compressed)`. Empty columns
/// take no space.
#[derive(Clone, Copy, Debug)]
pub struct Dcsc<P = u32, C = u32>(PhantomData<(P, C)>);

/// A sorted list of coordinates; for orders from 1 to 8. Of order 3:
/// `(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)`.
#[derive(Clone, Copy, Debug)]
pub struct Coo<const N: usize, P = u32, C = u32>(PhantomData<(P, C)>);

/// Compressed sparse fibers, all levels compressed; for orders from 1 to 8. Of order 3:
/// `(i, j, k) -> (i : compressed, j : compressed, k : compressed)`.
#[derive(Clone, Copy, Debug)]
pub struct Csf<const N: usize, P = u32, C = u32>(PhantomData<(P, C)>);

formats! {
    impl[] Scalar = "scalar", 0 {}
    impl[P: Width, C: Width] SparseVector<P, C> = "sparse_vector", 1 {
        0: "compressed", Compressed<P, C>;
    }
    impl[P: Width, C: Width] Csr<P, C> = "csr", 2 {
        0: "dense", DenseLevel;
        1: "compressed", Compressed<P, C>;
    }
    impl[P: Width, C: Width] Csc<P, C> = "csc", 2 {
        1: "dense", DenseLevel;
        0: "compressed", Compressed<P, C>;
    }
    impl[P: Width, C: Width] Dcsr<P, C> = "dcsr", 2 {
        0: "compressed", Compressed<P, C>;
        1: "compressed", Compressed<P, C>;
    }
    impl[P: Width, C: Width] Dcsc<P, C> = "dcsc", 2 {
        1: "compressed", Compressed<P, C>;
        0: "compressed", Compressed<P, C>;
    }
    impl[P: Width, C: Width] Coo<1, P, C> = "coo", 1 {
        0: "compressed", Compressed<P, C>;
    }
}

/// Declares the formats of every order in which all dimensions are stored alike. A line gives an
/// order, and its dimensions forwards and backwards.
macro_rules! formats_of_order {
    ($($order:literal: $($dimension:literal)*, $($reverse:literal)*;)*) => {$(
        formats! {
            impl[] Dense<$order> = "dense", $order {
                $($dimension: "dense", DenseLevel;)*
            }
            impl[] DenseCol<$order> = "dense_col", $order {
                $($reverse: "dense", DenseLevel;)*
            }
            impl[P: Width, C: Width] Csf<$order, P, C> = "csf", $order {
                $($dimension: "compressed", Compressed<P, C>;)*
            }
        }
    )*};
}

formats_of_order! {
    1: 0, 0;
    2: 0 1, 1 0;
    3: 0 1 2, 2 1 0;
    4: 0 1 2 3, 3 2 1 0;
    5: 0 1 2 3 4, 4 3 2 1 0;
    6: 0 1 2 3 4 5, 5 4 3 2 1 0;
    7: 0 1 2 3 4 5 6, 6 5 4 3 2 1 0;
    8: 0 1 2 3 4 5 6 7, 7 6 5 4 3 2 1 0;
}

/// Declares `coo` of every order above 1: the order, the dimensions between the first and the
/// last, and the last.
macro_rules! coo_of_order {
    ($($order:literal: $($middle:literal)*, $last:literal;)*) => {
        formats! {$(
            impl[P: Width, C: Width] Coo<$order, P, C> = "coo", $order {
                0: "compressed" (nonunique), Compressed<P, C>;
                $($middle: "singleton" (nonunique), Singleton<C>;)*
                $last: "singleton", Singleton<C>;
            }
        )*}
    };
}

coo_of_order! {
    2: , 1;
    3: 1, 2;
    4: 1 2, 3;
    5: 1 2 3, 4;
    6: 1 2 3 4, 5;
    7: 1 2 3 4 5, 6;
    8: 1 2 3 4 5 6, 7;
}
