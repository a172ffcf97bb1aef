//! Sums and elementwise products of sparse matrices.

use std::io::Write;
use std::path::Path;

use sparsegen::{Coo, Csr, Dcsr, Error, Tensor};

use example_app::input;

use crate::{Outcome, kernels};

type Matrix = Tensor<f64, Csr>;

/// The results of merging two matrices `A` and `B`.
pub(crate) struct Merged {
    /// `A + B`
    pub(crate) sum: Matrix,
    /// `A ∘ B`
    pub(crate) product: Matrix,
    /// `A + B - A ∘ B`
    pub(crate) combined: Matrix,
}

/// Merges a matrix with itself rotated by 180 degrees, and prints and checks the results.
pub(crate) fn run(file: Option<&Path>, out: &mut dyn Write) -> Outcome<()> {
    let path = input::or_bundled(file, "bcsstk13.mtx");
    writeln!(out, "Sums and elementwise products: {}", input::name(&path))?;
    let a = input::matrix(&path)?;
    let b = turned(&a)?;
    let Merged { sum, product, combined } = merge(&a, &b)?;

    writeln!(out, "                     entries   sum of the entries")?;
    let b_title = "B, which is A rotated";
    let rows = [("A", &a), (b_title, &b), ("A + B", &sum), ("A ∘ B", &product)];
    for (title, matrix) in rows.into_iter().chain([("A + B - A ∘ B", &combined)]) {
        let total = kernels::sum_entries(matrix)?;
        writeln!(out, "  {title:<20} {:>7}   {total:.9e}", matrix.stored())?;
    }

    // The union and the intersection together have as many entries as the two operands.
    check(out, "A + B and A ∘ B have as many entries as A and B", {
        sum.stored() + product.stored() == a.stored() + b.stored()
    })?;
    let [of_a, of_b] = [kernels::sum_entries(&a)?, kernels::sum_entries(&b)?];
    let [of_sum, of_product] = [kernels::sum_entries(&sum)?, kernels::sum_entries(&product)?];
    check(out, "the sum over A + B equals the sums over A and B", {
        close(of_sum, of_a + of_b, magnitude(&a)? + magnitude(&b)?)
    })?;
    check(out, "the sum over A ∘ B equals the inner product of A and B", {
        close(of_product, kernels::inner(&a, &b)?, magnitude(&product)?)
    })?;
    check(out, "the sum over A + B - A ∘ B equals that of its terms", {
        let scale = magnitude(&a)? + magnitude(&b)? + magnitude(&product)?;
        close(kernels::sum_entries(&combined)?, of_a + of_b - of_product, scale)
    })
}

/// Computes `A + B`, `A ∘ B` and, from operands in three formats, `A + B - A ∘ B`.
pub(crate) fn merge(a: &Matrix, b: &Matrix) -> Result<Merged, Error> {
    let sum = kernels::add(a, b)?;
    let product = kernels::hadamard(a, b)?;
    let combined = kernels::combine(a, &b.to::<Coo<2>>()?, &product.to::<Dcsr>()?)?;
    Ok(Merged { sum, product, combined })
}

/// Returns the matrix with its rows and columns in reverse order.
pub(crate) fn turned(a: &Matrix) -> Result<Matrix, Error> {
    let [rows, columns] = a.shape();
    Tensor::from_triplets(
        [rows, columns],
        a.iter().map(|([i, j], value)| ([rows - 1 - i, columns - 1 - j], value)),
    )
}

/// Returns the sum of the magnitudes of all entries, the scale of rounding errors.
fn magnitude(a: &Matrix) -> Result<f64, Error> {
    kernels::sum_entries(&a.clone().map_vals(f64::abs))
}

/// Returns whether two sums agree up to rounding errors of sums of this magnitude.
fn close(a: f64, b: f64, magnitude: f64) -> bool {
    (a - b).abs() <= 1e-12 * magnitude
}

/// Prints a claim that holds, or returns an error.
fn check(out: &mut dyn Write, claim: &str, holds: bool) -> Outcome<()> {
    if !holds {
        return Err(format!("this does not hold: {claim}").into());
    }
    writeln!(out, "  checked: {claim}")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Compares the kernels with a merge of ordered maps.
    fn compare(a: &Matrix, b: &Matrix) {
        let Merged { sum, product, combined } = merge(a, b).unwrap();
        let in_b: BTreeMap<[usize; 2], f64> = b.iter().collect();
        let mut union = in_b.clone();
        let mut difference = in_b.clone();
        let mut intersection = BTreeMap::new();
        for (coordinate, value) in a {
            *union.entry(coordinate).or_default() += value;
            let other = in_b.get(&coordinate);
            if let Some(other) = other {
                intersection.insert(coordinate, value * other);
            }
            let other = other.copied().unwrap_or(0.0);
            difference.insert(coordinate, value + other - value * other);
        }
        assert!(sum.iter().eq(union));
        assert!(product.iter().eq(intersection));
        assert!(combined.iter().eq(difference));
    }

    fn bundled(name: &str) -> Matrix {
        input::matrix(&input::or_bundled(None, name)).unwrap()
    }

    #[test]
    fn sums_and_products_are_those_of_a_merge_by_hand() {
        for name in ["bcsstk13.mtx", "1138_bus.mtx", "hep-th.mtx"] {
            let a = bundled(name);
            let b = turned(&a).unwrap();
            compare(&a, &b);
            compare(&a, &a);
        }
    }

    #[test]
    fn degenerate_matrices_merge_too() {
        for shape in [[0, 4], [3, 0], [3, 4]] {
            let empty = Matrix::zeros(shape).unwrap();
            compare(&empty, &empty);
        }
        let a = Matrix::from_triplets([3, 4], [([2, 0], 1.5), ([2, 3], 0.0)]).unwrap();
        compare(&a, &Matrix::zeros([3, 4]).unwrap());
        compare(&a, &turned(&a).unwrap());
    }

    #[test]
    fn shapes_that_differ_are_named() {
        let a = Matrix::zeros([3, 4]).unwrap();
        let b = Matrix::zeros([3, 5]).unwrap();
        let error = merge(&a, &b).err().unwrap().to_string();
        for part in ["`add`", "`A`", "`B`", "4", "5"] {
            assert!(error.contains(part), "{error}");
        }
    }
}
