//! Contests on conversions between formats: of the runtime, by generated kernels and by hand.

use sparsegen::{Csc, Csr, Dia, Ell, Tensor};

use crate::contest::{Answer, Contest, Side};
use crate::kernels;
use crate::operands::Pair;
use crate::packing::columns_answer;

/// The rows of a matrix as slices.
struct Rows<'a> {
    shape: [usize; 2],
    pos: &'a [u32],
    crd: &'a [u32],
    vals: &'a [f64],
}

impl<'a> Rows<'a> {
    fn of(a: &'a Tensor<f64, Csr>) -> Rows<'a> {
        let columns = &a.levels().1;
        Rows { shape: a.shape(), pos: &columns.pos, crd: &columns.crd, vals: a.vals() }
    }

    /// Calls a function with the row, column and value of each entry of a range of rows.
    fn visit(&self, rows: std::ops::Range<usize>, mut function: impl FnMut(usize, usize, f64)) {
        for row in rows {
            for p in self.pos[row] as usize..self.pos[row + 1] as usize {
                function(row, self.crd[p] as usize, self.vals[p]);
            }
        }
    }
}

/// Adds three conversions from rows: of the runtime, by a generated kernel, and by hand.
macro_rules! conversion {
    ($function:ident, $format:ty, $kernel:path, $hand:path, $answer:path, $doc:literal) => {
        #[doc = $doc]
        pub fn $function<'a>(contest: &mut Contest<'a>, a: &'a Tensor<f64, Csr>) {
            let run = move |&mut (): &mut ()| a.to::<$format>().expect("it fits");
            contest.enter(Side::Ours, "to", (), run, |(), b| $answer(&b));
            let run = move |&mut (): &mut ()| $kernel(a).expect("it fits");
            contest.enter(Side::Variant, "kernel", (), run, |(), b| $answer(&b));
            let run = move |&mut (): &mut ()| $hand(Rows::of(a));
            contest.enter(Side::Peer, "by hand", (), run, |(), (pos, crd, vals)| {
                let widen = |array: Vec<i32>| array.into_iter().map(|number| number as usize);
                Answer::sparse(widen(pos), widen(crd), &vals)
            });
        }
    };
}

conversion!(to_columns, Csc, kernels::turn, columns, columns_answer, "Rows to columns.");
conversion!(
    to_blocks,
    kernels::Blocks4,
    kernels::to_blocks,
    blocks,
    blocks_answer,
    "Rows to blocks."
);
conversion!(to_dia, Dia, kernels::to_dia, diagonals, diagonals_answer, "Rows to diagonals.");
conversion!(to_ell, Ell, kernels::to_ell, slots, slots_answer, "Rows to slots.");

/// The sum of two matrices that are stored by diagonals: by a generated kernel, through rows, and by
/// hand.
pub fn add_diagonals(contest: &mut Contest<'_>, pair: &Pair) {
    let [a, b] = [&pair.a, &pair.b].map(|matrix| matrix.to::<Dia>().expect("it fits"));
    let run = |(a, b): &mut (Tensor<f64, Dia>, Tensor<f64, Dia>)| {
        kernels::add_dia(&*a, &*b).expect("it fits")
    };
    contest.enter(Side::Ours, "merged", (a.clone(), b.clone()), run, |_, c| diagonals_answer(&c));
    let run = |(a, b): &mut (Tensor<f64, Dia>, Tensor<f64, Dia>)| {
        let rows = [a, b].map(|matrix| matrix.to::<Csr>().expect("it fits"));
        let sum = kernels::add(&rows[0], &rows[1]).expect("it fits");
        sum.to::<Dia>().expect("it fits")
    };
    contest.enter(Side::Variant, "through rows", (a.clone(), b.clone()), run, |_, c| {
        diagonals_answer(&c)
    });
    let run = |(a, b): &mut (Tensor<f64, Dia>, Tensor<f64, Dia>)| sum_of_diagonals(a, b);
    contest.enter(Side::Peer, "by hand", (a, b), run, |_, (crd, vals)| {
        Answer::sparse([], crd.into_iter().map(|diagonal| diagonal as usize), &vals)
    });
}

/// Merges the diagonals of two matrices, each of which stores a value for each row.
fn sum_of_diagonals(a: &Tensor<f64, Dia>, b: &Tensor<f64, Dia>) -> (Vec<i32>, Vec<f64>) {
    let rows = a.shape()[0];
    let [of_a, of_b] = [a, b].map(|matrix| &matrix.levels().0.crd);
    let mut crd: Vec<i32> = of_a.iter().chain(of_b).copied().collect();
    crd.sort_unstable();
    crd.dedup();
    let mut vals = Vec::with_capacity(crd.len() * rows);
    for diagonal in &crd {
        let stored = |of: &'_ [i32]| of.binary_search(diagonal).ok();
        match (stored(of_a), stored(of_b)) {
            (Some(p), Some(q)) => {
                let (a, b) = (&a.vals()[p * rows..][..rows], &b.vals()[q * rows..][..rows]);
                vals.extend(a.iter().zip(b).map(|(a, b)| a + b));
            }
            (Some(p), None) => vals.extend_from_slice(&a.vals()[p * rows..][..rows]),
            (None, Some(q)) => vals.extend_from_slice(&b.vals()[q * rows..][..rows]),
            (None, None) => unreachable!("each diagonal is one of the operands'"),
        }
    }
    (crd, vals)
}

type Arrays = (Vec<i32>, Vec<i32>, Vec<f64>);

fn columns(a: Rows<'_>) -> Arrays {
    let mut pos = vec![0; a.shape[1] + 1];
    a.crd.iter().for_each(|column| pos[*column as usize + 1] += 1);
    (1..pos.len()).for_each(|column| pos[column] += pos[column - 1]);
    let mut next = pos.clone();
    let (mut crd, mut vals) = (vec![0; a.crd.len()], vec![0.0; a.crd.len()]);
    for row in 0..a.shape[0] {
        for p in a.pos[row] as usize..a.pos[row + 1] as usize {
            let next = &mut next[a.crd[p] as usize];
            (crd[*next as usize], vals[*next as usize]) = (row as i32, a.vals[p]);
            *next += 1;
        }
    }
    (pos, crd, vals)
}

fn blocks(a: Rows<'_>) -> Arrays {
    let [rows, columns] = a.shape;
    let block = |number: usize| 4 * number..rows.min(4 * number + 4);
    let (mut pos, mut crd) = (vec![0], Vec::new());
    let mut last = vec![usize::MAX; columns.div_ceil(4)];
    for number in 0..rows.div_ceil(4) {
        let start = crd.len();
        a.visit(block(number), |_, column, _| {
            if last[column / 4] != number {
                last[column / 4] = number;
                crd.push(column as i32 / 4);
            }
        });
        crd[start..].sort_unstable();
        pos.push(crd.len() as i32);
    }
    let mut vals = vec![0.0; 16 * crd.len()];
    let mut places = last;
    for number in 0..rows.div_ceil(4) {
        for p in pos[number] as usize..pos[number + 1] as usize {
            places[crd[p] as usize] = 16 * p;
        }
        a.visit(block(number), |row, column, value| {
            vals[places[column / 4] + row % 4 * 4 + column % 4] = value;
        });
    }
    (pos, crd, vals)
}

fn diagonals(a: Rows<'_>) -> Arrays {
    let [rows, columns] = a.shape;
    let mut places = vec![0; rows + columns];
    a.visit(0..rows, |row, column, _| places[rows + column - row] = 1);
    let mut crd = Vec::new();
    for (diagonal, place) in places.iter_mut().enumerate().filter(|(_, place)| **place == 1) {
        *place = crd.len() * rows;
        crd.push(diagonal as i32 - rows as i32);
    }
    let mut vals = vec![0.0; crd.len() * rows];
    a.visit(0..rows, |row, column, value| {
        vals[places[rows + column - row] + row] = value;
    });
    (Vec::new(), crd, vals)
}

fn slots(a: Rows<'_>) -> Arrays {
    let rows = a.shape[0];
    let width = a.pos.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0) as usize;
    let (mut crd, mut vals) = (vec![0; width * rows], vec![0.0; width * rows]);
    for row in 0..rows {
        for (slot, p) in (a.pos[row] as usize..a.pos[row + 1] as usize).enumerate() {
            (crd[slot * rows + row], vals[slot * rows + row]) = (a.crd[p] as i32, a.vals[p]);
        }
    }
    (Vec::new(), crd, vals)
}

fn blocks_answer(matrix: &Tensor<f64, kernels::Blocks4>) -> Answer {
    let columns = &matrix.levels().1;
    let widen = |indices: &[u32]| indices.iter().map(|index| *index as usize).collect::<Vec<_>>();
    Answer::sparse(widen(&columns.pos), widen(&columns.crd), matrix.vals())
}

fn diagonals_answer(matrix: &Tensor<f64, Dia>) -> Answer {
    let diagonals = matrix.levels().0.crd.iter().map(|diagonal| *diagonal as usize);
    Answer::sparse([], diagonals, matrix.vals())
}

fn slots_answer(matrix: &Tensor<f64, Ell>) -> Answer {
    let columns = matrix.levels().2.crd.iter().map(|column| *column as usize);
    Answer::sparse([], columns, matrix.vals())
}
