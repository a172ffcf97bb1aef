//! Temporaries that are computed beside one another.
//!
//! The loops of two reductions over the entries of the same operands are one: `m[i] = a / b where ∀j a
//! += A[i,j] where ∀j b += present(A[i,j])` is `m[i] = a / b where ∀j (a += A[i,j]; b +=
//! present(A[i,j]))`, which reads each row of `A` once.

use super::Nest;
use crate::concrete::fusion::Fusion;
use crate::concrete::{Stmt, Temporary};
use crate::notation::Access;

impl Nest<'_> {
    /// Returns `consumer where producer`. A producer of the consumer that visits the same entries
    /// shares its loops.
    pub(super) fn computed(&self, temporary: Temporary, consumer: Stmt, producer: Stmt) -> Stmt {
        let producer = self.aligned(&consumer, producer);
        match self.beside(temporary, &consumer, &producer) {
            Some(shared) => shared,
            None => Stmt::where_(vec![temporary], consumer, producer),
        }
    }

    fn beside(&self, temporary: Temporary, consumer: &Stmt, producer: &Stmt) -> Option<Stmt> {
        let Stmt::Where { temporaries, consumer: reader, producer: other } = consumer else {
            return None;
        };
        let fusion = Fusion { program: self.program, depth: self.order.len() };
        let visited = self.visited(producer);
        // rustc computes one scalar of a dense loop in vectors, and several with fewer elements each.
        let is_in_vectors = visited.is_empty() && reduces(producer);
        if !is_in_vectors
            && visited == self.visited(other)
            && let Some(both) = fusion.fuse(producer, other)
        {
            let temporaries = [&[temporary], &temporaries[..]].concat();
            return Some(Stmt::where_(temporaries, (**reader).clone(), both));
        }
        // The temporary of the other producer is computed first, unless it depends on this one.
        let depends = other.reads().iter().any(|access| access.tensor == temporary.tensor);
        let reader = self.beside(temporary, reader, producer).filter(|_| !depends)?;
        Some(Stmt::where_(temporaries.clone(), reader, (**other).clone()))
    }

    /// Returns the accesses that decide which coordinates the loops of a producer visit, in an order
    /// that does not depend on its values.
    fn visited<'s>(&self, producer: &'s Stmt) -> Vec<&'s Access> {
        let mut visited = producer.reads();
        visited.retain(|access| self.program.tensor(access.tensor).format.is_sparse());
        visited.sort_by_key(|access| (access.tensor, &access.indices));
        visited
    }
}

/// Returns whether loops reduce values to scalars.
fn reduces(producer: &Stmt) -> bool {
    let mut reduces = false;
    producer.for_each_assign(&mut |target, accumulate, _| {
        reduces |= target.indices.is_empty() && accumulate.is_some();
    });
    reduces
}

#[cfg(test)]
mod tests {
    use crate::testing::loops;

    #[test]
    fn reductions_of_the_same_entries_share_loops() {
        let cases = [
            (
                "m[i] = sum[j](A[i,j]) / sum[j](square(A[i,j]))",
                "m = 'dense', A = 'csr'",
                "∀i (m[i] = sum / sum_j where ∀j (sum += A[i,j]; sum_j += square(A[i,j])))",
            ),
            // The loops over two operands between them are others.
            (
                "m[i] = sum[j](A[i,j]) / (sum[j](A[i,j] * B[i,j]) + max[j](A[i,j]))",
                "m = 'dense', A = 'csr', B = 'csr'",
                "∀i (m[i] = sum / (sum_j + max_j) where ∀j (sum += A[i,j]; max_j max= A[i,j]) \
                 where ∀j sum_j += A[i,j] * B[i,j])",
            ),
            // One sum depends on the other.
            (
                "m[i] = sum[j](A[i,j] * (A[i,j] > sum[k](A[i,k])))",
                "m = 'dense', A = 'csr'",
                "∀i (m[i] = sum_j where ∀j sum_j += A[i,j] * f64(sum < A[i,j]) \
                 where ∀k sum += A[i,k])",
            ),
            // Each is computed in vectors.
            (
                "m[i] = sum[j](A[i,j]) / sum[j](square(A[i,j]))",
                "m = 'dense', A = 'dense'",
                "∀i (m[i] = sum / sum_j where ∀j sum_j += square(A[i,j]) where ∀j sum += A[i,j])",
            ),
            // So are the sums that a row is divided by, while the row is in cache.
            (
                "Y[i,j] = (A[i,j] - sum[k](A[i,k])) / sum[k](square(A[i,k]))",
                "Y = 'dense', A = 'dense'",
                "∀i (∀j Y[i,j] = (A[i,j] - sum) / sum_k where ∀k sum_k += square(A[i,k]) \
                 where ∀k sum += A[i,k])",
            ),
        ];
        for (expr, tensors, expected) in cases {
            assert_eq!(loops(expr, tensors, &[]), expected, "{expr}");
        }
    }
}
