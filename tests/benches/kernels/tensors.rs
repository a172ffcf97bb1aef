//! The contests on sparse tensors of order 3.

use sparsegen::{Csf, Dense, Tensor};

use crate::contest::{Answer, Contest, Side};
use crate::kernels;
use crate::matrices::dense;
use crate::operands::values;

/// `M[i,r] = X[i,j,k] * B[j,r] * C[k,r]`, of rank 32.
pub fn mttkrp<'a>(contest: &mut Contest<'a>, x: &'a Tensor<f64, Csf<3>>) {
    const RANK: usize = 32;
    let [rows, middle, inner] = x.shape();
    let factor = |rows| dense(rows, RANK, values(rows * RANK));

    macro_rules! own {
        ($side:ident, $name:literal, $kernel:path) => {
            let m = Tensor::<f64, Dense<2>>::zeros([rows, RANK]).expect("it fits");
            let (b, c) = (factor(middle), factor(inner));
            let run = move |m: &mut _| $kernel(m, x, &b, &c).expect("the extents agree");
            contest.enter(Side::$side, $name, m, run, |m, ()| Answer::dense(m.vals()));
        };
    }
    own!(Ours, "csf", kernels::mttkrp_into);
    own!(Variant, "any rank", kernels::mttkrp_any_into);

    let (b, c) = (factor(middle), factor(inner));
    let run = move |m: &mut Vec<f64>| mttkrp_by_hand::<RANK>(m, x, b.vals(), c.vals());
    let read = |m: &Vec<f64>, ()| Answer::dense(m);
    contest.enter(Side::Peer, "by hand", vec![0.0; rows * RANK], run, read);
}

/// A hand-written MTTKRP.
fn mttkrp_by_hand<const RANK: usize>(m: &mut [f64], x: &Tensor<f64, Csf<3>>, b: &[f64], c: &[f64]) {
    let (slices, fibers, entries) = x.levels();
    let segment = |pos: &[u32], parent: usize| pos[parent] as usize..pos[parent + 1] as usize;
    let row = |index: u32| index as usize * RANK..(index as usize + 1) * RANK;
    m.fill(0.0);
    for slice in segment(&slices.pos, 0) {
        let m = &mut m[row(slices.crd[slice])];
        for fiber in segment(&fibers.pos, slice) {
            let b = &b[row(fibers.crd[fiber])];
            for entry in segment(&entries.pos, fiber) {
                let c = &c[row(entries.crd[entry])];
                let value = x.vals()[entry];
                for ((m, b), c) in m.iter_mut().zip(b).zip(c) {
                    *m += value * b * c;
                }
            }
        }
    }
}
