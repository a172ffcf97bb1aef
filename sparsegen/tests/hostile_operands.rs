//! Generated kernels on valid but unusual operands: empty ones, unsorted and repeated entries,
//! unused slots, explicit zeros, partial blocks. The results are compared with loops over all
//! coordinates.
//!
//! The tests are small enough for an interpreter that detects undefined behavior; `.ci/run` runs
//! them in it and with an address sanitizer, if these are installed.

mod common;

use common::{Random, coordinates, declare, operands};
use sparsegen::level::{Compressed, Dense as D, Hashed, LooseCompressed, Singleton};
use sparsegen::*;

/// Declares modules of generated kernels.
macro_rules! kernels {
    ($($name:ident)*) => {$(
        #[allow(clippy::all, dead_code, reason = "generated code, called in some of its forms")]
        mod $name {
            include!(concat!("../../tests/golden/", stringify!($name), ".rs"));
        }
    )*};
}

kernels! {
    add3_csr add_coo add_coo_unordered add_coo_unordered_to_csr add_csr add_csr_csc add_dcsr
    argmin_csr both_products_csr convolution_csr dot_gallop dot_sparse gather_csr laplacian_csr
    lower_triangle_csr masked_product_csr mttkrp_csf multiply_coo_unordered multiply_csr residual_csc
    sddmm_csr spgemm_csr spmm_csr spmm_tiled spmv_antidiagonals spmv_blocks spmv_blocks_2x3 spmv_coo spmv_csr spmv_dia spmv_ell
    spmv_balanced spmv_hash spmv_parallel spmv_pattern spmv_structured triangles_csr
}

type Entries = Vec<([usize; 2], f64)>;

/// Returns shapes with the unsorted and repeated entries of two matrices.
fn pairs() -> impl Iterator<Item = ([usize; 2], Entries, Entries)> {
    let mut random = Random(5);
    let numbers = |entries: Vec<([usize; 2], i64)>| {
        entries.into_iter().map(|(c, value)| (c, value as f64)).collect()
    };
    small(operands(3)).map(move |(shape, entries)| {
        let repeated = entries.iter().rev().chain(&entries).copied().collect();
        (shape, numbers(repeated), numbers(random.entries(shape, 9)))
    })
}

/// Returns all operands or, for an interpreter, which is a thousand times slower, a few small ones.
fn small<S: Shape, E>(operands: Vec<(S, E)>) -> impl Iterator<Item = (S, E)> {
    let (every, most) = if cfg!(miri) { (12, 5) } else { (1, usize::MAX) };
    let is_small = move |shape: &S| shape.as_ref().iter().all(|extent| *extent <= most);
    operands.into_iter().filter(move |(shape, _)| is_small(shape)).step_by(every)
}

/// Returns the sum of the entries at a coordinate.
fn at<const N: usize>(entries: &[([usize; N], f64)], coordinate: [usize; N]) -> f64 {
    entries.iter().filter(|(c, _)| *c == coordinate).map(|(_, value)| value).sum()
}

fn pack<F: Format<Shape = [usize; N]>, const N: usize>(
    shape: [usize; N],
    entries: &[([usize; N], f64)],
) -> Option<Tensor<f64, F>> {
    let packed = Tensor::from_triplets(shape, entries.to_vec());
    match packed {
        Ok(packed) => Some(packed),
        // A branchless level may lack a coordinate for padding, and a structured one a slot for an
        // entry.
        Err(Error::Pack { .. } | Error::Level { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// Checks the parts of a result, and its values at all coordinates.
fn check<F: Format<Shape = [usize; N]>, const N: usize>(
    result: &Tensor<f64, F>,
    value: impl Fn([usize; N]) -> f64,
) {
    let (shape, levels, vals) = result.clone().into_parts();
    Tensor::<f64, F>::from_parts(shape, levels, vals).unwrap();
    let entries: Vec<_> = result.iter().collect();
    for coordinate in coordinates(shape) {
        assert_eq!(at(&entries, coordinate), value(coordinate), "{coordinate:?}");
    }
}

fn vector(size: usize) -> Vec<f64> {
    (0..size).map(|k| k as f64 - 1.0).collect()
}

#[test]
fn matrices_times_vectors() -> Result<(), Error> {
    for (shape, a, _) in pairs() {
        let x = vector(shape[1]);
        let product = |[i]: [usize; 1]| (0..x.len()).map(|j| at(&a, [i, j]) * x[j]).sum();
        macro_rules! check {
            ($($module:ident::$kernel:ident)*) => {$(
                if let Some(packed) = pack(shape, &a) {
                    check(&$module::$kernel(&packed, &x)?, product);
                }
            )*};
        }
        check! {
            spmv_csr::spmv_csr spmv_coo::spmv_coo spmv_dia::spmv_dia spmv_ell::spmv_ell
            spmv_blocks::spmv_blocks spmv_blocks_2x3::spmv_blocks_2x3
            spmv_structured::spmv_structured spmv_parallel::spmv
            spmv_balanced::spmv_balanced
        }
        let packed: Tensor<f64, spmv_antidiagonals::Antidiagonals> = pack(shape, &a).unwrap();
        check(&spmv_antidiagonals::spmv_antidiagonals(&packed, &x)?, product);
        let mut entries: Vec<_> = x.iter().enumerate().map(|(j, x)| ([j], *x)).collect();
        entries.retain(|(_, value)| *value != 0.0);
        let sparse = Tensor::from_triplets([x.len()], entries)?;
        let csr: Tensor<f64, Csr> = Tensor::from_triplets(shape, a.clone())?;
        check(&spmv_hash::spmv_hash(&csr, &sparse)?, product);
        let ones = csr.pattern();
        let one = |c| f64::from(u8::from(a.iter().any(|(stored, _)| *stored == c)));
        let counted = |[i]: [usize; 1]| (0..x.len()).map(|j| one([i, j]) * x[j]).sum();
        check(&spmv_pattern::spmv_pattern(&ones, &x)?, counted);
    }
    Ok(())
}

#[test]
fn several_results() -> Result<(), Error> {
    for (shape, a, _) in pairs() {
        let (x, w) = (vector(shape[1]), vector(shape[0]));
        let times = |i: usize| -> f64 { (0..x.len()).map(|j| at(&a, [i, j]) * x[j]).sum() };
        let csr: Tensor<f64, Csr> = Tensor::from_triplets(shape, a.clone())?;
        let (y, z) = both_products_csr::both_products(&csr, &x, &w)?;
        check(&y, |[i]| times(i));
        check(&z, |[j]| (0..w.len()).map(|i| at(&a, [i, j]) * w[i]).sum());
        let csc: Tensor<f64, Csc> = csr.to()?;
        check(&residual_csc::residual_csc(&w, &csc, &x)?, |[i]| w[i] - times(i));
        let size = shape[0].min(shape[1]);
        let is_inside = |c: &[usize; 2]| c[0] < size && c[1] < size;
        let inside: Entries = a.iter().copied().filter(|(c, _)| is_inside(c)).collect();
        let square: Tensor<f64, Csr> = Tensor::from_triplets([size; 2], inside.clone())?;
        let (l, u, ..) = triangles_csr::triangles(&square, &x[..size])?;
        check(&l, |[i, j]| if i > j { at(&inside, [i, j]) } else { 0.0 });
        check(&u, |[i, j]| if i <= j { at(&inside, [i, j]) } else { 0.0 });
        let row = |i| (0..size).map(|k| at(&inside, [i, k])).sum::<f64>();
        let degree = |[i, j]: [usize; 2]| if i == j { row(i) } else { 0.0 };
        check(&laplacian_csr::laplacian(&square)?, |c| degree(c) - at(&inside, c));
        let lower = coordinates(shape).filter(|[i, j]| i >= j).map(|c| at(&a, c)).sum::<f64>();
        assert_eq!(lower_triangle_csr::lower_triangle(&csr)?, lower);
        if shape[1] > 0 {
            argmin_csr::argmin(&csr)?;
        }
    }
    Ok(())
}

#[test]
fn sums_and_products_of_matrices() -> Result<(), Error> {
    for (shape, a, b) in pairs() {
        let sum = |c| at(&a, c) + at(&b, c);
        macro_rules! check_sum {
            ($($module:ident::$kernel:ident)*) => {$(
                let (left, right) = (pack(shape, &a).unwrap(), pack(shape, &b).unwrap());
                check(&$module::$kernel(&left, &right)?, sum);
            )*};
        }
        check_sum! {
            add_coo::add_coo add_coo_unordered::add_coo_unordered add_csr::add_csr add_csr_csc::add
            add_coo_unordered_to_csr::add_coo_unordered_to_csr add_dcsr::add_dcsr
        }
        let (x, y) = (pack::<Csr, 2>(shape, &a).unwrap(), pack::<Csr, 2>(shape, &b).unwrap());
        check(&add3_csr::add3_csr(&x, &y, &x)?, |c| sum(c) + at(&a, c));
        check(&multiply_csr::multiply_csr(&x, &y)?, |c| at(&a, c) * at(&b, c));
        let (left, right) = (pack(shape, &a).unwrap(), pack(shape, &b).unwrap());
        let product = multiply_coo_unordered::multiply_coo_unordered(&left, &right)?;
        check(&product, |c| at(&a, c) * at(&b, c));
        // Results with previous entries, and values that are recomputed.
        let mut reused = x.clone();
        add_csr::add_csr_into(&mut reused, &x, &y)?;
        check(&reused, sum);
        let mut apart = add_csr::add_csr_assemble(&x, &y)?;
        add_csr::add_csr_compute(&mut apart, &x, &y)?;
        check(&apart, sum);
        let mut other = x.clone();
        match add_csr::add_csr_compute(&mut other, &x, &y) {
            Ok(()) => check(&other, sum),
            Err(error) => assert!(matches!(error, Error::Structure { .. }), "{error}"),
        }

        let transposed: Entries = b.iter().map(|([i, j], value)| ([*j, *i], *value)).collect();
        let inner = |[i, j]: [usize; 2]| -> f64 {
            (0..shape[1]).map(|k| at(&a, [i, k]) * at(&transposed, [k, j])).sum()
        };
        let back = [shape[1], shape[0]];
        let right: Tensor<f64, Csr> = Tensor::from_triplets(back, transposed.clone())?;
        check(&spgemm_csr::spgemm(&x, &right)?, inner);
        let dense = right.to()?;
        check(&spmm_csr::spmm_csr(&x, &dense)?, inner);
        check(&spmm_tiled::spmm_tiled(&x, &dense)?, inner);
        let square = [shape[0]; 2];
        let mask: Tensor<Pattern<f64>, Csr> =
            Tensor::from_triplets(square, (0..shape[0]).map(|i| ([i; 2], Pattern::ONE)))?;
        let on_diagonal = |c: [usize; 2]| if c[0] == c[1] { inner(c) } else { 0.0 };
        let product = masked_product_csr::masked_product(&mask, &x, &right.to()?)?;
        check(&product, on_diagonal);
        let sampled = mask.map_vals(|entry| entry.value());
        check(&sddmm_csr::sddmm_csr(&sampled, &x.to()?, &y.to()?)?, on_diagonal);

        let f = [([0, 1], 2.0), ([1, 1], -1.0), ([2, 0], 3.0)];
        let convolved = |[i, j]: [usize; 2]| -> f64 {
            let moved = |at: usize, by: usize| (at + by).wrapping_sub(1);
            let term =
                |([k, l], value): &([usize; 2], f64)| value * at(&a, [moved(i, *k), moved(j, *l)]);
            at(&b, [i, j]) * f.iter().map(term).sum::<f64>()
        };
        let window = Tensor::from_triplets([3, 3], f)?;
        check(&convolution_csr::convolve(&window, &x, &y)?, convolved);

        let words: Vec<u32> = (0..shape[0] as u32).rev().chain(0..shape[0] as u32).collect();
        check(&gather_csr::embed(&x, &words)?, |[i, j]| at(&a, [words[i] as usize, j]));
    }
    Ok(())
}

#[test]
fn vectors_and_tensors() -> Result<(), Error> {
    for (shape, entries) in small(operands::<[usize; 1]>(8)) {
        let numbers = |entries: &[([usize; 1], i64)]| -> Vec<_> {
            entries.iter().map(|(c, value)| (*c, *value as f64)).collect()
        };
        let (a, b) = (numbers(&entries), numbers(&entries[entries.len() / 2..]));
        let dot: f64 = coordinates(shape).map(|c| at(&a, c) * at(&b, c)).sum();
        let (a, b) = (pack(shape, &a).unwrap(), pack(shape, &b).unwrap());
        assert_eq!(dot_sparse::dot_sparse(&a, &b)?, dot);
        assert_eq!(dot_gallop::dot_gallop(&a, &b)?, dot);
    }
    for (shape, entries) in small(operands::<[usize; 3]>(9)).step_by(4) {
        let entries: Vec<_> = entries.iter().map(|(c, value)| (*c, *value as f64)).collect();
        let factor = |rows: usize| {
            let entries = coordinates([rows, 2]).map(|[i, j]| ([i, j], (i + 2 * j) as f64));
            Tensor::<f64, Dense<2>>::from_triplets([rows, 2], entries)
        };
        let (c, d) = (factor(shape[1])?, factor(shape[2])?);
        let b = pack(shape, &entries).unwrap();
        check(&mttkrp_csf::mttkrp_csf(&b, &c, &d)?, |[i, j]| {
            let term = |([_, k, l], value): &([usize; 3], f64)| {
                value * (k + 2 * j) as f64 * (l + 2 * j) as f64
            };
            entries.iter().filter(|(c, _)| c[0] == i).map(term).sum()
        });
    }
    Ok(())
}

#[test]
fn raw_parts_that_packing_never_makes() -> Result<(), Error> {
    // Slots that wrap around, with unused ones between them.
    let empty = u32::MAX;
    let hashed = Hashed { width: 4, crd: vec![7, empty, empty, 3] };
    let x = Tensor::<f64, HashVector>::from_parts([8], (hashed,), vec![2.0, 9.0, 9.0, 5.0])?;
    let a = Tensor::<f64, Csr>::from_triplets([1, 8], (0..8).map(|j| ([0, j], 1.0)))?;
    assert_eq!(spmv_hash::spmv_hash(&a, &x)?.vals(), [7.0]);

    // Padding of two slots in rows without entries, explicit zeros in the first column.
    let levels = (D { size: 2 }, D { size: 3 }, Singleton { crd: vec![0, 0, 1, 0, 0, 0] });
    let a = Tensor::<f64, Ell>::from_parts([3, 2], levels, vec![0.0, 1.0, 2.0, 0.0, 4.0, 0.0])?;
    assert_eq!(spmv_ell::spmv_ell(&a, &[1.0, 10.0])?.vals(), [0.0, 5.0, 20.0]);

    // Diagonals at the corners, whose values outside of the matrix are ignored.
    let levels = (Compressed { pos: vec![0, 2], crd: vec![-2, 1] }, level::Range, level::Offset);
    let a = Tensor::<f64, Dia>::from_parts([3, 2], levels, vec![f64::NAN, 8.0, 3.0, 4.0, 7.0, 6.0]);
    if let Ok(a) = a {
        assert_eq!(spmv_dia::spmv_dia(&a, &[1.0, 10.0])?.vals(), [40.0, 0.0, 3.0]);
    }

    // One coordinate repeated more often than there are rows, in a list and in its transpose.
    let most = if cfg!(miri) { 50 } else { 1000 };
    let crd = |value: u32| Compressed { pos: vec![0, most], crd: vec![value; most as usize] };
    let levels = (crd(1), Singleton { crd: vec![0; most as usize] });
    let vals = vec![1.0; most as usize];
    let many = Tensor::<f64, CooUnordered<2>>::from_parts([2, 1], levels, vals)?;
    let sum = add_coo_unordered::add_coo_unordered(&many, &many)?;
    assert_eq!(at(&sum.iter().collect::<Vec<_>>(), [1, 0]), 2.0 * f64::from(most));
    let sum = add_coo_unordered_to_csr::add_coo_unordered_to_csr(&many, &many)?;
    assert_eq!(sum.vals(), [2.0 * f64::from(most)]);

    // Each repetition meets the same entry of the other factor.
    let one: Tensor<f64, HashRows> = Tensor::from_triplets([2, 1], [([1, 0], 3.0)])?;
    let product = multiply_coo_unordered::multiply_coo_unordered(&many, &one)?;
    assert_eq!(product.vals(), vec![3.0; most as usize]);

    // An antidiagonal at each corner, whose values outside of the matrix are ignored.
    let levels = (Compressed { pos: vec![0, 2], crd: vec![0, 3] }, level::Range, level::Offset);
    let a = Tensor::<f64, spmv_antidiagonals::Antidiagonals>::from_parts(
        [3, 2],
        levels,
        vec![2.0, f64::NAN, f64::NAN, f64::NAN, f64::NAN, 5.0],
    );
    if let Ok(a) = a {
        let y = spmv_antidiagonals::spmv_antidiagonals(&a, &[1.0, 10.0])?;
        assert_eq!(y.vals(), [2.0, 0.0, 50.0]);
    }

    // Segments with gaps between them, out of order.
    let loose = LooseCompressed { lo: vec![3, 0], hi: vec![5, 1], crd: vec![1, 9, 9, 0, 1] };
    let a = Tensor::<f64, Gaps>::from_parts([2, 2], (D { size: 2 }, loose), vec![1.0; 5])?;
    assert_eq!(a.to::<Csr>()?.vals(), [1.0; 3]);
    Ok(())
}

declare! {
    Gaps = "gaps", 2 { 0: "dense", D; 1: "loose_compressed", LooseCompressed; }
}
