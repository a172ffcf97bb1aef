//! The built-in formats, each with its map in the notation of a manifest.
//!
//! `P` and `C` are the integer types of positions and coordinates.

use core::marker::PhantomData;

use crate::level::{Compressed, Dense as DenseLevel, Hashed, Offset, Range, Singleton};
use crate::{Format, LevelExpr, LevelMap, Map, Width};

/// The dimensions of a tensor, by number.
const DIMENSION: [LevelExpr; 12] = {
    let mut dimensions = [LevelExpr::Dimension(0); 12];
    let mut dimension = 0;
    while dimension < dimensions.len() {
        dimensions[dimension] = LevelExpr::Dimension(dimension);
        dimension += 1;
    }
    dimensions
};

/// Declares built-in formats: a type, its name, its order, and a line per level.
macro_rules! formats {
    ($(
        impl[$($parameters:tt)*] $format:ty = $name:literal, $order:literal {
            $($expr:expr => $level:literal $(($($property:ident),*))?, $storage:ty;)*
        }
    )*) => {$(
        impl<$($parameters)*> Format for $format {
            const NAME: &'static str = $name;
            const MAP: Map = Map::new(&[
                $(LevelMap::new($expr, $level)$($(.$property())*)?),*
            ]);
            type Shape = [usize; $order];
            type Levels = ($($storage,)*);
        }
    )*};
}

/// A scalar: `() -> ()`.
///
/// ```
/// use sparsegen::{Scalar, Tensor};
///
/// let a = Tensor::<f64, Scalar>::from_dense([], &[5.0])?;
/// assert_eq!((a.get([]), a.levels()), (Some(5.0), &()));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scalar;

/// A dense tensor in row-major order, for orders from 1 to 12.
///
/// ```
/// use sparsegen::{Dense, Tensor};
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Dense<2>>::from_triplets([2, 3], entries)?;
/// assert_eq!(a.vals(), [0.0, 2.0, 0.0, 3.0, 0.0, 4.0]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dense<const N: usize>;

/// A dense tensor in column-major order, for orders from 1 to 12.
///
/// ```
/// use sparsegen::{DenseCol, Tensor};
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, DenseCol<2>>::from_triplets([2, 3], entries)?;
/// assert_eq!(a.vals(), [0.0, 3.0, 2.0, 0.0, 0.0, 4.0]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DenseCol<const N: usize>;

/// A sparse vector: `(i) -> (i : compressed)`.
///
/// ```
/// use sparsegen::{SparseVector, Tensor};
///
/// let x = Tensor::<f64, SparseVector>::from_triplets([9], [([2], 5.0), ([7], 6.0)])?;
/// assert_eq!((&*x.levels().0.crd, x.vals()), (&[2, 7][..], &[5.0, 6.0][..]));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SparseVector<P = u32, C = u32>(PhantomData<(P, C)>);

/// Compressed sparse rows: `(i, j) -> (i : dense, j : compressed)`.
///
/// ```
/// use sparsegen::{Csr, Tensor};
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Csr>::from_triplets([2, 3], entries)?;
/// let (_, columns) = a.levels();
/// assert_eq!((&*columns.pos, &*columns.crd), (&[0, 1, 3][..], &[1, 0, 2][..]));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Csr<P = u32, C = u32>(PhantomData<(P, C)>);

/// Compressed sparse columns: `(i, j) -> (j : dense, i : compressed)`.
///
/// ```
/// use sparsegen::{Csc, Tensor};
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Csc>::from_triplets([2, 3], entries)?;
/// let (_, rows) = a.levels();
/// assert_eq!((&*rows.pos, &*rows.crd), (&[0, 1, 2, 3][..], &[1, 0, 1][..]));
/// assert_eq!(a.vals(), [3.0, 2.0, 4.0]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Csc<P = u32, C = u32>(PhantomData<(P, C)>);

/// Doubly compressed sparse rows: `(i, j) -> (i : compressed, j : compressed)`. Empty rows take no
/// space.
///
/// ```
/// use sparsegen::{Dcsr, Tensor};
///
/// let entries = [([0, 1], 2.0), ([900, 0], 3.0), ([900, 2], 4.0)];
/// let a = Tensor::<f64, Dcsr>::from_triplets([1000, 3], entries)?;
/// let (rows, columns) = a.levels();
/// assert_eq!((&*rows.crd, &*columns.crd), (&[0, 900][..], &[1, 0, 2][..]));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dcsr<P = u32, C = u32>(PhantomData<(P, C)>);

/// Doubly compressed sparse columns: `(i, j) -> (j : compressed, i : compressed)`. Empty columns
/// take no space.
///
/// ```
/// use sparsegen::{Dcsc, Tensor};
///
/// let entries = [([0, 900], 2.0), ([1, 0], 3.0), ([1, 900], 4.0)];
/// let a = Tensor::<f64, Dcsc>::from_triplets([2, 1000], entries)?;
/// let (columns, rows) = a.levels();
/// assert_eq!((&*columns.crd, &*rows.crd), (&[0, 900][..], &[1, 0, 1][..]));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dcsc<P = u32, C = u32>(PhantomData<(P, C)>);

/// A sorted list of coordinates, for orders from 1 to 12. For order 3:
/// `(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton)`.
///
/// ```
/// use sparsegen::{Coo, Tensor};
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Coo<2>>::from_triplets([2, 3], entries)?;
/// let (rows, columns) = a.levels();
/// assert_eq!((&*rows.crd, &*columns.crd), (&[0, 1, 1][..], &[1, 0, 2][..]));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Coo<const N: usize, P = u32, C = u32>(PhantomData<(P, C)>);

/// Compressed sparse fibers, for orders from 1 to 12. For order 3:
/// `(i, j, k) -> (i : compressed, j : compressed, k : compressed)`.
///
/// ```
/// use sparsegen::{Csf, Tensor};
///
/// let entries = [([0, 1, 3], 2.0), ([1, 0, 0], 3.0), ([1, 2, 2], 4.0), ([1, 2, 3], 5.0)];
/// let a = Tensor::<f64, Csf<3>>::from_triplets([2, 3, 4], entries)?;
/// let (i, j, k) = a.levels();
/// assert_eq!((&*i.crd, &*j.crd), (&[0, 1][..], &[1, 0, 2][..]));
/// assert_eq!(k.crd, [3, 0, 2, 3]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Csf<const N: usize, P = u32, C = u32>(PhantomData<(P, C)>);

/// A sparse vector in a hash table: `(i) -> (i : hashed)`. It stores no positions; `P` exists so
/// that all formats have the same parameters.
///
/// ```
/// use sparsegen::{HashVector, Tensor, level};
///
/// let x = Tensor::<f64, HashVector>::from_triplets([900], [([2], 5.0), ([700], 6.0)])?;
/// let (table,): &(level::Hashed,) = x.levels();
/// // Four slots for two entries.
/// assert_eq!((table.width, x.stored(), x.get([700])), (4, 2, Some(6.0)));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HashVector<P = u32, C = u32>(PhantomData<(P, C)>);

/// A hash table for each row: `(i, j) -> (i : dense, j : hashed)`. It stores no positions; `P`
/// exists so that all formats have the same parameters.
///
/// ```
/// use sparsegen::{HashRows, Tensor};
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, HashRows>::from_triplets([2, 3], entries)?;
/// let (_, columns) = a.levels();
/// // Each row has as many slots as the longest one needs.
/// assert_eq!((columns.width, a.get([1, 2])), (4, Some(4.0)));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HashRows<P = u32, C = u32>(PhantomData<(P, C)>);

/// An unsorted list of coordinates, which may be repeated; for orders from 1 to 12. For order 2:
/// `(i, j) -> (i : compressed(nonordered, nonunique), j : singleton(nonordered, nonunique))`.
/// Packing keeps the order of the entries.
///
/// ```
/// use sparsegen::{CooUnordered, Tensor};
///
/// let entries = [([1, 0], 3.0), ([0, 1], 2.0), ([1, 0], 4.0)];
/// let a = Tensor::<f64, CooUnordered<2>>::from_triplets([2, 3], entries)?;
/// assert!(a.iter().eq(entries));
/// assert_eq!(a.get([1, 0]), Some(7.0));
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CooUnordered<const N: usize, P = u32, C = u32>(PhantomData<(P, C)>);

/// The diagonal format: `(i, j) -> (j - i : compressed, i : range, j : offset)`. The number of a
/// diagonal, `j - i`, may be negative, so that it is stored as the signed type of `C`'s size.
///
/// ```
/// use sparsegen::{Dia, Tensor};
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Dia>::from_triplets([2, 3], entries)?;
/// // The diagonals below and above the main one, of two positions each.
/// assert_eq!(a.levels().0.crd, [-1, 1]);
/// assert_eq!(a.vals(), [0.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dia<P = u32, C = u32>(PhantomData<(P, C)>);

/// The ELLPACK format: as many slots for each row as the fullest row has entries, grouped by slot:
/// `(i, j) -> (#i : dense, i : dense, j : singleton(padded))`. Unused slots hold column 0 and the
/// value 0. It stores no positions; `P` exists so that all formats have the same parameters.
///
/// ```
/// use sparsegen::{Ell, Tensor};
///
/// let entries = [([0, 1], 2.0), ([1, 0], 3.0), ([1, 2], 4.0)];
/// let a = Tensor::<f64, Ell>::from_triplets([2, 3], entries)?;
/// // The first and the second entry of each row.
/// assert_eq!(a.levels().2.crd, [1, 0, 0, 2]);
/// assert_eq!(a.vals(), [2.0, 3.0, 0.0, 4.0]);
/// # Ok::<(), sparsegen::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ell<P = u32, C = u32>(PhantomData<(P, C)>);

formats! {
    impl[] Scalar = "scalar", 0 {}
    impl[P: Width, C: Width] SparseVector<P, C> = "sparse_vector", 1 {
        DIMENSION[0] => "compressed", Compressed<P, C>;
    }
    impl[P: Width, C: Width] Csr<P, C> = "csr", 2 {
        DIMENSION[0] => "dense", DenseLevel;
        DIMENSION[1] => "compressed", Compressed<P, C>;
    }
    impl[P: Width, C: Width] Csc<P, C> = "csc", 2 {
        DIMENSION[1] => "dense", DenseLevel;
        DIMENSION[0] => "compressed", Compressed<P, C>;
    }
    impl[P: Width, C: Width] Dcsr<P, C> = "dcsr", 2 {
        DIMENSION[0] => "compressed", Compressed<P, C>;
        DIMENSION[1] => "compressed", Compressed<P, C>;
    }
    impl[P: Width, C: Width] Dcsc<P, C> = "dcsc", 2 {
        DIMENSION[1] => "compressed", Compressed<P, C>;
        DIMENSION[0] => "compressed", Compressed<P, C>;
    }
    impl[P: Width, C: Width] Coo<1, P, C> = "coo", 1 {
        DIMENSION[0] => "compressed", Compressed<P, C>;
    }
    impl[P: Width, C: Width] CooUnordered<1, P, C> = "coo_unordered", 1 {
        DIMENSION[0] => "compressed" (nonordered, nonunique), Compressed<P, C>;
    }
    impl[P: Width, C: Width] HashVector<P, C> = "hash_vector", 1 {
        DIMENSION[0] => "hashed", Hashed<C>;
    }
    impl[P: Width, C: Width] HashRows<P, C> = "hash_rows", 2 {
        DIMENSION[0] => "dense", DenseLevel;
        DIMENSION[1] => "hashed", Hashed<C>;
    }
    impl[P: Width, C: Width] Dia<P, C> = "dia", 2 {
        LevelExpr::Sub(1, 0) => "compressed", Compressed<P, C::Signed>;
        DIMENSION[0] => "range", Range;
        DIMENSION[1] => "offset", Offset;
    }
    impl[P: Width, C: Width] Ell<P, C> = "ell", 2 {
        LevelExpr::Count(0) => "dense", DenseLevel;
        DIMENSION[0] => "dense", DenseLevel;
        DIMENSION[1] => "singleton" (padded), Singleton<C>;
    }
}

/// Declares the formats of every order that store all dimensions alike. Each line lists an order,
/// then its dimensions forwards and backwards.
macro_rules! formats_of_order {
    ($($order:literal: $($dimension:literal)*, $($reverse:literal)*;)*) => {$(
        formats! {
            impl[] Dense<$order> = "dense", $order {
                $(DIMENSION[$dimension] => "dense", DenseLevel;)*
            }
            impl[] DenseCol<$order> = "dense_col", $order {
                $(DIMENSION[$reverse] => "dense", DenseLevel;)*
            }
            impl[P: Width, C: Width] Csf<$order, P, C> = "csf", $order {
                $(DIMENSION[$dimension] => "compressed", Compressed<P, C>;)*
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
    9: 0 1 2 3 4 5 6 7 8, 8 7 6 5 4 3 2 1 0;
    10: 0 1 2 3 4 5 6 7 8 9, 9 8 7 6 5 4 3 2 1 0;
    11: 0 1 2 3 4 5 6 7 8 9 10, 10 9 8 7 6 5 4 3 2 1 0;
    12: 0 1 2 3 4 5 6 7 8 9 10 11, 11 10 9 8 7 6 5 4 3 2 1 0;
}

/// Declares `coo` and `coo_unordered` of every order above 1. Each line lists the order, the
/// dimensions between the first and the last, and the last.
macro_rules! coo_of_order {
    ($($order:literal: $($middle:literal)*, $last:literal;)*) => {
        formats! {$(
            impl[P: Width, C: Width] Coo<$order, P, C> = "coo", $order {
                DIMENSION[0] => "compressed" (nonunique), Compressed<P, C>;
                $(DIMENSION[$middle] => "singleton" (nonunique), Singleton<C>;)*
                DIMENSION[$last] => "singleton", Singleton<C>;
            }
            impl[P: Width, C: Width] CooUnordered<$order, P, C> = "coo_unordered", $order {
                DIMENSION[0] => "compressed" (nonordered, nonunique), Compressed<P, C>;
                $(DIMENSION[$middle] => "singleton" (nonordered, nonunique), Singleton<C>;)*
                DIMENSION[$last] => "singleton" (nonordered, nonunique), Singleton<C>;
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
    9: 1 2 3 4 5 6 7, 8;
    10: 1 2 3 4 5 6 7 8, 9;
    11: 1 2 3 4 5 6 7 8 9, 10;
    12: 1 2 3 4 5 6 7 8 9 10, 11;
}
