//! A constraint system as zero-knowledge provers have it: sparse matrices A, B and C over a prime
//! field, and an assignment z for which `(A z) * (B z) = C z` in every row.
//!
//! The kernels are declared for the program's own type [`field::Fp`], and compute with its operators.
//! Their results are checked against 128-bit integers.
//!
//! ```sh
//! cargo run --release -p example-app --example field
//! ```

use sparsegen::{Csr, Error, Tensor};

mod field;

use field::Fp;

sparsegen::include_kernels!(mod kernels = "field");

type Matrix = Tensor<Fp, Csr>;

/// The constraints of a chain `z[k + 1] = (z[k] + 3) * (5 * z[k - 1] + z[0])`, with 1 in `z[0]`, and
/// an assignment that satisfies them.
fn chain(length: usize) -> Result<([Matrix; 3], Vec<Fp>), Error> {
    let [three, five, one] = [3, 5, 1].map(Fp::new);
    let mut z = vec![one, Fp::new(7), Fp::new(11)];
    let [mut a, mut b, mut c] = [const { Vec::new() }; 3];
    for row in 0..length {
        let (before, last) = (row + 1, row + 2);
        a.extend([([row, 0], three), ([row, last], one)]);
        b.extend([([row, 0], one), ([row, before], five)]);
        c.push(([row, last + 1], one));
        z.push((z[last] + three) * (five * z[before] + z[0]));
    }
    let shape = [length, length + 3];
    let matrix = |entries| Matrix::from_triplets(shape, entries);
    Ok(([matrix(a)?, matrix(b)?, matrix(c)?], z))
}

/// Computes a product with a vector in 128-bit integers.
fn product(matrix: &Matrix, z: &[Fp]) -> Vec<u128> {
    let modulus = u128::from(Fp::MODULUS);
    let mut sums = vec![0; matrix.shape()[0]];
    for ([row, column], value) in matrix.iter() {
        let term = u128::from(value.number()) * u128::from(z[column].number()) % modulus;
        sums[row] = (sums[row] + term) % modulus;
    }
    sums
}

/// Returns whether the elements of the field are these integers.
fn equal(found: &[Fp], expected: &[u128]) -> bool {
    found.iter().map(|element| u128::from(element.number())).eq(expected.iter().copied())
}

/// Checks kernels for a chain of constraints; returns whether everything is as expected.
fn check(length: usize) -> Result<bool, Error> {
    let ([a, b, c], mut z) = chain(length)?;
    let modulus = u128::from(Fp::MODULUS);
    let is_zero = |violations: &Tensor<Fp, sparsegen::Dense<1>>| {
        violations.vals().iter().all(|violation| violation.number() == 0)
    };
    let satisfied = is_zero(&kernels::violations(&a, &z, &b, &c)?);

    let r = Fp::new(0x1234_5678_9abc_def0);
    let combined = kernels::combination(&a, r, &b, &c)?;
    let [x, y, w] = [&a, &b, &c].map(|matrix| product(matrix, &z));
    let r = u128::from(r.number());
    let expected = (0..length).map(|row| {
        let inner = (y[row] + r * w[row] % modulus) % modulus;
        (x[row] + r * inner % modulus) % modulus
    });
    let combines = equal(kernels::times(&combined, &z)?.vals(), &expected.collect::<Vec<_>>());

    // A wrong assignment violates the constraints that use it, by the amount that integers give.
    z[length] += Fp::new(1);
    let violations = kernels::violations(&a, &z, &b, &c)?;
    let [x, y, w] = [&a, &b, &c].map(|matrix| product(matrix, &z));
    let expected = (0..length).map(|row| (x[row] * y[row] % modulus + modulus - w[row]) % modulus);
    let detects = equal(violations.vals(), &expected.collect::<Vec<_>>()) && !is_zero(&violations);

    println!("{length} constraints over {} elements, {} entries", Fp::MODULUS, combined.nnz());
    println!("  all satisfied                 {satisfied}");
    println!("  combination as in integers    {combines}");
    println!("  a wrong assignment is found   {detects}");
    Ok(satisfied && combines && detects)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for length in [1, 2, 100_000] {
        if !check(length)? {
            return Err("the kernels disagree with integers".into());
        }
    }
    Ok(())
}
