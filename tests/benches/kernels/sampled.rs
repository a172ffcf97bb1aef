//! Contests on products that are computed at the entries of a sparse matrix.

use sparsegen::{Csr, Dense, Tensor, Workspaces};

use crate::contest::{Answer, Contest, Side};
use crate::kernels;
use crate::matrices::dense;
use crate::operands::{Pair, values};
use crate::peers::our_answer;

/// `C[i,j] = S[i,j] * A[i,k] * B[j,k]`, with 32 columns in the dense matrices.
pub fn sddmm<'a>(contest: &mut Contest<'a>, s: &'a Tensor<f64, Csr>) {
    const WIDTH: usize = 32;
    let factors = || s.shape().map(|rows| dense(rows, WIDTH, values(rows * WIDTH)));

    let run = move |[a, b]: &mut [Tensor<f64, Dense<2>>; 2]| {
        kernels::sddmm(s, &*a, &*b).expect("the extents agree")
    };
    contest.enter(Side::Ours, "csr", factors(), run, |_, c| our_answer(&c));
    let [a, b] = factors();
    let c = kernels::sddmm_assemble(s, &a, &b).expect("the extents agree");
    let run = move |c: &mut _| {
        kernels::sddmm_compute(c, s, &a, &b).expect("the structure is known");
    };
    contest.enter(Side::Variant, "compute", c, run, |c, ()| our_answer(c));

    let run = move |[a, b]: &mut [Tensor<f64, Dense<2>>; 2]| {
        sddmm_by_hand::<WIDTH>(s, a.vals(), b.vals())
    };
    contest.enter(Side::Peer, "by hand", factors(), run, |_, (pos, crd, vals)| {
        let widen = |indices: Vec<u32>| indices.into_iter().map(|index| index as usize);
        Answer::sparse(widen(pos), widen(crd), &vals)
    });
}

type Arrays = (Vec<u32>, Vec<u32>, Vec<f64>);

/// A scalar product at each entry, in eight sums that do not wait for each other.
fn sddmm_by_hand<const WIDTH: usize>(s: &Tensor<f64, Csr>, a: &[f64], b: &[f64]) -> Arrays {
    let matrix = &s.levels().1;
    let mut vals = Vec::with_capacity(s.vals().len());
    for (bounds, a) in matrix.pos.windows(2).zip(a.chunks_exact(WIDTH)) {
        let entries = bounds[0] as usize..bounds[1] as usize;
        for (column, value) in matrix.crd[entries.clone()].iter().zip(&s.vals()[entries]) {
            let b = &b[*column as usize * WIDTH..][..WIDTH];
            let mut sums = [0.0; 8];
            for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
                for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                    *sum += a * b;
                }
            }
            vals.push(value * sums.iter().sum::<f64>());
        }
    }
    (matrix.pos.clone(), matrix.crd.clone(), vals)
}

/// `C[i,j] = A[i,k] * B[k,j]` where `M[i,j]` is stored; `A` and `B` are the matrix of which `M` is
/// one too.
pub fn masked<'a>(contest: &mut Contest<'a>, Pair { a, b: mask, .. }: &'a Pair) {
    let run = move |&mut (): &mut ()| kernels::masked(mask, a, a).expect("the extents agree");
    contest.enter(Side::Ours, "csr", (), run, |(), c| our_answer(&c));
    let c = Tensor::<f64, Csr>::zeros(a.shape()).expect("it fits");
    let run = move |(workspaces, c): &mut (Workspaces, Tensor<f64, Csr>)| {
        kernels::masked_with(workspaces, c, mask, a, a).expect("the extents agree");
    };
    contest.enter(Side::Variant, "kept", (Workspaces::new(), c), run, |(_, c), ()| our_answer(c));
    let run = move |&mut (): &mut ()| masked_by_hand(mask, a, a);
    contest.enter(Side::Peer, "by hand", (), run, |(), (pos, crd, vals)| {
        let widen = |indices: Vec<u32>| indices.into_iter().map(|index| index as usize);
        Answer::sparse(widen(pos), widen(crd), &vals)
    });
}

/// Marks the entries of each row of the mask, and adds the products at marked columns only.
fn masked_by_hand(mask: &Tensor<f64, Csr>, a: &Tensor<f64, Csr>, b: &Tensor<f64, Csr>) -> Arrays {
    const ABSENT: u32 = 0;
    const MARKED: u32 = 1;
    const FOUND: u32 = 2;
    let [rows, columns] = mask.shape();
    let (allowed, left, right) = (&mask.levels().1, &a.levels().1, &b.levels().1);
    let (mut sums, mut marks) = (vec![0.0; columns], vec![ABSENT; columns]);
    let (mut pos, mut crd, mut vals) = (vec![0], Vec::new(), Vec::new());
    for row in 0..rows {
        let wanted = &allowed.crd[allowed.pos[row] as usize..allowed.pos[row + 1] as usize];
        wanted.iter().for_each(|column| marks[*column as usize] = MARKED);
        for p in left.pos[row] as usize..left.pos[row + 1] as usize {
            let (inner, factor) = (left.crd[p] as usize, a.vals()[p]);
            let entries = right.pos[inner] as usize..right.pos[inner + 1] as usize;
            for (column, value) in right.crd[entries.clone()].iter().zip(&b.vals()[entries]) {
                let column = *column as usize;
                if marks[column] != ABSENT {
                    marks[column] = FOUND;
                    sums[column] += factor * value;
                }
            }
        }
        for column in wanted {
            let place = *column as usize;
            let sum = std::mem::take(&mut sums[place]);
            if std::mem::replace(&mut marks[place], ABSENT) == FOUND {
                crd.push(*column);
                vals.push(sum);
            }
        }
        pos.push(crd.len() as u32);
    }
    (pos, crd, vals)
}
