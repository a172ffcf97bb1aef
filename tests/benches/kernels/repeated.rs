//! Contests on kernels that are called again and again: with kept workspaces, and with a result whose
//! structure is known.

use sparsegen::{Csr, Error, Format, SparseVector, Tensor, View, Workspaces};

use crate::contest::{Answer, Contest, Side};
use crate::kernels;
use crate::operands::Pair;
use crate::peers::our_answer;

/// `y[j] = A[i,j] * x[i]` for 100 entries of `x`, as a step of a breadth-first search.
pub fn step<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
    let [rows, columns] = a.shape();
    let nodes = (0..100).map(|k| ([k * rows / 100], 1.0 + k as f64));
    let x = Tensor::<f64, SparseVector>::from_triplets([rows], nodes).expect("it fits");
    let y = || Tensor::<f64, SparseVector>::zeros([columns]).expect("it fits");
    let read = |y: &Tensor<f64, SparseVector>| {
        Answer::sparse([], y.iter().map(|([column], _)| column), y.vals())
    };

    let (own, state) = (x.clone(), (Workspaces::new(), y()));
    let run = move |(workspaces, y): &mut (Workspaces, _)| {
        kernels::step_with(workspaces, y, a, &own).expect("the extents agree");
    };
    contest.enter(Side::Ours, "kept", state, run, move |(_, y), ()| read(y));
    let own = x.clone();
    let run = move |y: &mut _| kernels::step_into(y, a, &own).expect("the extents agree");
    contest.enter(Side::Variant, "into", y(), run, move |y, ()| read(y));

    // The values and the marks of all columns are cleared by the columns that were touched.
    let state = (vec![0.0; columns], vec![false; columns], Vec::new(), Vec::new());
    let run = move |(sums, marks, crd, vals): &mut (Vec<f64>, Vec<bool>, Vec<u32>, Vec<f64>)| {
        let matrix = &a.levels().1;
        crd.clear();
        for ([row], factor) in x.iter() {
            for p in matrix.pos[row] as usize..matrix.pos[row + 1] as usize {
                let column = matrix.crd[p] as usize;
                if !std::mem::replace(&mut marks[column], true) {
                    crd.push(column as u32);
                }
                sums[column] += a.vals()[p] * factor;
            }
        }
        crd.sort_unstable();
        vals.clear();
        for column in crd.iter() {
            marks[*column as usize] = false;
            vals.push(std::mem::take(&mut sums[*column as usize]));
        }
    };
    contest.enter(Side::Peer, "by hand", state, run, |(_, _, crd, vals), ()| {
        Answer::sparse([], crd.iter().map(|column| *column as usize), vals)
    });
}

/// Computes the values of a result with a known structure, beside a call that assembles a new result
/// and one that reuses its memory.
fn compute<'a, F: Format<Shape = [usize; 2]> + 'a>(
    contest: &mut Contest<'a>,
    make: impl Fn() -> Result<Tensor<f64, F>, Error> + 'a,
    reuse: impl Fn(&mut Tensor<f64, F>) -> Result<(), Error> + 'a,
    compute: impl Fn(&mut Tensor<f64, F>) -> Result<(), Error> + 'a,
) {
    let read = |c: &Tensor<f64, F>| our_answer(&c.to::<Csr>().expect("it fits"));
    let [reused, known] = [(); 2].map(|()| make().expect("the extents agree"));
    let run = move |c: &mut _| compute(c).expect("the structure is known");
    contest.enter(Side::Ours, "compute", known, run, move |c, ()| read(c));
    let run = move |c: &mut _| reuse(c).expect("the extents agree");
    contest.enter(Side::Variant, "into", reused, run, move |c, ()| read(c));
    let run = move |&mut (): &mut ()| make().expect("the extents agree");
    contest.enter(Side::Peer, "assembled anew", (), run, move |(), c| read(&c));
}

macro_rules! elementwise {
    ($name:ident, $kernel:ident, $into:ident, $compute:ident, $docs:literal) => {
        #[doc = $docs]
        pub fn $name<'a>(contest: &mut Contest<'a>, Pair { a, b, .. }: &'a Pair) {
            let [a, b]: [View<'a, f64, Csr>; 2] = [a.view(), b.view()];
            compute(
                contest,
                move || kernels::$kernel(a, b),
                move |c| kernels::$into(c, a, b),
                move |c| kernels::$compute(c, a, b),
            );
        }
    };
}

elementwise!(add, add, add_into, add_compute, "`C[i,j] = A[i,j] + B[i,j]`");
elementwise!(multiply, multiply, multiply_into, multiply_compute, "`C[i,j] = A[i,j] * B[i,j]`");
elementwise!(spgemm, spgemm, spgemm_into, spgemm_compute, "`C[i,j] = A[i,k] * B[k,j]`");
elementwise!(
    hashed,
    spgemm_hashed,
    spgemm_hashed_into,
    spgemm_hashed_compute,
    "`C[i,j] = A[i,k] * B[k,j]`, with hash tables of the rows of `C`."
);

/// Rows to blocks.
pub fn blocks<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
    compute(
        contest,
        move || kernels::to_blocks(a),
        move |c| kernels::to_blocks_into(c, a),
        move |c| kernels::to_blocks_compute(c, a),
    );
}

/// Rows to diagonals.
pub fn diagonals<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
    compute(
        contest,
        move || kernels::to_dia(a),
        move |c| kernels::to_dia_into(c, a),
        move |c| kernels::to_dia_compute(c, a),
    );
}
