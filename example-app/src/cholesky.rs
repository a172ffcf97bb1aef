//! Small dense systems of equations.

/// Solves `x A = b` in place for every row `b` of `rows`, by a Cholesky factorization of the
/// symmetric matrix `A`, which is given in row-major order and as wide as a row.
///
/// Returns `false`, with the rows unchanged, if the matrix is not positive definite.
#[must_use]
pub(crate) fn solve_rows(matrix: &[f64], rows: &mut [f64], width: usize) -> bool {
    let Some(lower) = factor(matrix, width) else {
        return false;
    };
    for row in rows.chunks_exact_mut(width) {
        for i in 0..width {
            let known: f64 = (0..i).map(|j| lower[i * width + j] * row[j]).sum();
            row[i] = (row[i] - known) / lower[i * width + i];
        }
        for i in (0..width).rev() {
            let known: f64 = (i + 1..width).map(|j| lower[j * width + i] * row[j]).sum();
            row[i] = (row[i] - known) / lower[i * width + i];
        }
    }
    true
}

/// Returns the lower triangular `L` with `L Lᵀ = A`, if there is one.
fn factor(matrix: &[f64], width: usize) -> Option<Vec<f64>> {
    let mut lower = vec![0.0; width * width];
    for i in 0..width {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| lower[i * width + k] * lower[j * width + k]).sum();
            let rest = matrix[i * width + j] - known;
            lower[i * width + j] = if j < i {
                rest / lower[j * width + j]
            } else if rest > 0.0 && rest.is_finite() {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    Some(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_solved() {
        let matrix = [4.0, 2.0, 2.0, 10.0];
        // The rows [1, 2] and [-1, 0.5], times the matrix.
        let mut rows = [8.0, 22.0, -3.0, 3.0];
        assert!(solve_rows(&matrix, &mut rows, 2));
        for (found, expected) in rows.into_iter().zip([1.0, 2.0, -1.0, 0.5]) {
            assert!((found - expected).abs() < 1e-14, "{found} instead of {expected}");
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        for matrix in [[1.0, 2.0, 2.0, 1.0], [0.0; 4], [f64::NAN; 4]] {
            let mut rows = [1.0, 2.0];
            assert!(!solve_rows(&matrix, &mut rows, 2));
            assert_eq!(rows, [1.0, 2.0]);
        }
    }
}
