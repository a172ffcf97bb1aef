//! Tests that kernels compute the same in every format.

use sparsegen::{Csf, Csr, Error, Format, SparseVector, Tensor};
use sparsegen_harness::random::Random;

use crate::{
    band, column_runs, deltas, lists_in_blocks, lists_in_diagonals, mixed, runs, runs_of_runs,
    small_runs, tables, tables_of_tables, whole_diagonals,
};

type Matrix = Tensor<f64, Csr>;

const ROUNDS: usize = 60;

/// Returns a shape with mostly short rows, and occasionally rows that exceed the range of a byte.
fn shape(random: &mut Random, round: usize) -> [usize; 2] {
    if round.is_multiple_of(10) { [2, 900] } else { [1 + random.below(6), random.below(9)] }
}

/// Returns a matrix whose rows have runs and gaps; if `narrow`, within three columns.
fn matrix(random: &mut Random, [rows, columns]: [usize; 2], narrow: bool) -> Matrix {
    let mut entries = Vec::new();
    for row in 0..rows {
        let first = random.below(columns + 1);
        for column in 0..columns {
            let near = column >= first && column < first + 3;
            let chance = match (near, narrow) {
                (true, _) => 0.8,
                (false, true) => 0.0,
                (false, false) if columns < 100 => 0.3,
                (false, false) => 0.01,
            };
            if random.chance(chance) {
                entries.push(([row, column], 1.0 + random.below(9) as f64));
            }
        }
    }
    Tensor::from_triplets([rows, columns], entries).unwrap()
}

/// Returns the stored entries that are not zero, since a level may pad.
fn entries<F: Format<Shape = [usize; N]>, const N: usize>(
    of: &Tensor<f64, F>,
) -> Vec<([usize; N], f64)> {
    let mut entries: Vec<_> = of.iter().filter(|(_, value)| *value != 0.0).collect();
    entries.sort_by_key(|(coordinate, _)| *coordinate);
    entries
}

/// Checks that validation accepts a result.
fn valid<F: Format>(of: &Tensor<f64, F>) {
    let (shape, levels, vals) = of.clone().into_parts();
    Tensor::<f64, F>::from_parts(shape, levels, vals).unwrap();
}

/// Checks that a result stores the same as another tensor, where the order of coordinates does not
/// matter in the same arrays.
fn same<F: Format<Shape = [usize; 2]>>(a: &Tensor<f64, F>, b: &Tensor<f64, F>) {
    valid(a);
    match std::any::type_name::<F::Levels>().contains("Table") {
        true => assert_eq!(entries(a), entries(b)),
        false => assert_eq!(a, b),
    }
}

/// Runs every kernel of a format, and compares it with the one of `csr`.
macro_rules! agrees_with_csr {
    ($($format:ident: $narrow:expr, $columns:expr;)*) => {$(
        #[test]
        fn $format() -> Result<(), Error> {
            let mut random = Random::seeded(stringify!($format));
            for round in 0..ROUNDS {
                let [rows, columns] = shape(&mut random, round);
                let shape = [rows, columns.min($columns)];
                let [a, b] = [(); 2].map(|()| matrix(&mut random, shape, $narrow));
                let [mine, yours] = [&a, &b].map(|of| of.to::<$format::Mine>());
                let (mine, yours) = (mine?, yours?);
                assert_eq!(entries(&mine), entries(&a));

                let x: Vec<f64> = (0..shape[1]).map(|_| random.below(9) as f64).collect();
                assert_eq!($format::spmv(&mine, &x)?, mixed::spmv(&a, &x)?);
                let dense = b.to()?;
                let sum = entries(&mixed::add_csr(&a, &b)?);
                let product = entries(&mixed::multiply_csr(&a, &b)?);
                assert_eq!(entries(&$format::add_to_csr(&mine, &b)?), sum);
                assert_eq!(entries(&$format::add_dense(&mine, &dense)?), sum);
                assert_eq!(entries(&$format::multiply_by_csr(&mine, &b)?), product);
                assert_eq!(entries(&$format::multiply_dense(&mine, &dense)?), product);
                assert_eq!(entries(&$format::copy_back(&mine)?), entries(&a));

                let mut copy = $format::copy(&a)?;
                same(&copy, &mine);
                $format::copy_into(&mut copy, &b)?;
                same(&copy, &yours);
                let multiplied = $format::multiply(&mine, &yours)?;
                valid(&multiplied);
                assert_eq!(entries(&multiplied), product);
                // A sum may not be representable although its operands are, which may pad.
                let (a_padded, b_padded) = ($format::copy_back(&mine)?, $format::copy_back(&yours)?);
                if mixed::add_csr(&a_padded, &b_padded)?.to::<$format::Mine>().is_ok() {
                    for added in [
                        $format::add(&mine, &yours)?,
                        $format::add_csr_to(&a, &yours)?,
                        $format::checked(&mine, &b)?,
                    ] {
                        valid(&added);
                        assert_eq!(entries(&added), sum);
                    }
                }
            }
            Ok(())
        }
    )*};
}

agrees_with_csr! {
    runs: false, usize::MAX;
    column_runs: false, usize::MAX;
    small_runs: false, 8;
    runs_of_runs: false, usize::MAX;
    deltas: false, usize::MAX;
    tables: false, usize::MAX;
    tables_of_tables: false, usize::MAX;
    band: true, usize::MAX;
    lists_in_blocks: false, usize::MAX;
    whole_diagonals: false, 8;
    lists_in_diagonals: false, usize::MAX;
}

#[test]
fn they_meet_each_other() -> Result<(), Error> {
    let mut random = Random::seeded("meeting");
    for round in 0..ROUNDS {
        let shape = shape(&mut random, round);
        let [a, b, e] = [(); 3].map(|()| matrix(&mut random, shape, false));
        let d = matrix(&mut random, shape, true);
        let found = mixed::all(&a.to()?, &b.to()?, &d.to()?, &e.to()?)?;
        valid(&found);
        assert_eq!(entries(&found), entries(&mixed::all_csr(&a, &b, &d, &e)?));
    }
    Ok(())
}

#[test]
fn vectors_leave_zeros_out() -> Result<(), Error> {
    let a = Tensor::<f64, _>::from_triplets([9], [2, 3, 4, 7].map(|at| ([at], at as f64)))?;
    let b = Tensor::<f64, SparseVector>::from_triplets([9], [([3], 3.0), ([8], 1.0)])?;
    assert_eq!(mixed::dot(&a, &b)?, 9.0);
    let c = mixed::subtract(&a, &b)?;
    valid(&c);
    assert_eq!((&c.levels().0.start, &c.levels().0.first), (&vec![2, 4, 7], &vec![0, 1, 2, 4]));
    assert_eq!(c.vals(), [2.0, 4.0, 7.0, -1.0]);
    Ok(())
}

#[test]
fn tensors_have_them_above_others() -> Result<(), Error> {
    let mut random = Random::seeded("tensors");
    for round in 0..ROUNDS {
        let shape = [1 + random.below(4), if round.is_multiple_of(9) { 700 } else { 5 }, 6];
        let mut tensor = || {
            let place = |_| shape.map(|size| random.below(size));
            let places: Vec<_> = (0..20).map(place).collect();
            Tensor::<f64, Csf<3>>::from_triplets(shape, places.into_iter().map(|at| (at, 1.0)))
        };
        let (s, t) = (tensor()?, tensor()?);
        let mine = t.to()?;
        let x: Vec<f64> = (0..6).map(f64::from).collect();
        assert_eq!(entries(&mixed::ttv(&mine, &x)?), entries(&mixed::ttv_csf(&t, &x)?));
        let sum = mixed::add_tensors(&s, &mine)?;
        valid(&sum);
        assert_eq!(entries(&sum), entries(&mixed::add_tensors_csf(&s, &t)?));
    }
    Ok(())
}
