//! Fuzz targets, functions of bytes that panic, or read out of bounds, if there is an error.

use std::io::Cursor;

use sparsegen::level::{Compressed, Dense as DenseLevel, Hashed, Offset, Range, Singleton};
use sparsegen::{Coo, Csc, Csr, Dcsr, Dense, Dia, Ell, Format, HashVector, Tensor, io};
use sparsegen_build::compile_str;

/// Generated kernels, from the golden files.
#[allow(missing_docs, unused_imports, dead_code, clippy::all)]
mod kernels {
    pub mod coo {
        include!("../../golden/spmv_coo.rs");
    }
    pub mod csr {
        include!("../../golden/spmv_csr.rs");
    }
    pub mod dia {
        include!("../../golden/spmv_dia.rs");
    }
    pub mod ell {
        include!("../../golden/spmv_ell.rs");
    }
    pub mod hash {
        include!("../../golden/spmv_hash.rs");
    }
    pub mod add {
        include!("../../golden/add_csr.rs");
    }
    pub mod product {
        include!("../../golden/spgemm_csr.rs");
    }
    pub mod quotient {
        include!("../../golden/add_dcsr.rs");
    }
    pub mod transposed {
        include!("../../golden/add_csr_csc.rs");
    }
}

/// Checks that every manifest results in source or in diagnostics.
pub fn manifest(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let output = compile_str("kernels.toml", text);
    let shown = output.diagnostics.render("kernels.toml", text);
    assert_eq!(output.diagnostics.is_empty(), shown.is_empty());
    assert!(output.diagnostics.is_empty() || output.source.is_empty());
}

/// Checks that every Matrix Market file results in a valid tensor or in an error.
pub fn matrix_market(bytes: &[u8]) {
    fn read<F: Format<Shape = [usize; 2]>>(bytes: &[u8]) {
        if let Ok(tensor) = io::read_mtx_from::<f64, F>(Cursor::new(bytes), "fuzz.mtx") {
            valid(tensor);
        }
    }
    if is_small(bytes) {
        read::<Csr>(bytes);
        read::<Coo<2>>(bytes);
        read::<Csc<u16, u16>>(bytes);
    }
}

/// Checks that every FROSTT file results in a valid tensor or in an error.
pub fn frostt(bytes: &[u8]) {
    if !is_small(bytes) {
        return;
    }
    if let Ok(tensor) = io::read_tns_from::<f64, Coo<3>>(Cursor::new(bytes), "fuzz.tns") {
        valid(tensor);
    }
    if let Ok(tensor) = io::read_tns_from::<f64, sparsegen::Csf<2>>(Cursor::new(bytes), "fuzz.tns")
    {
        valid(tensor);
    }
}

/// Returns whether no number of a file leads to dense levels that exceed memory.
fn is_small(bytes: &[u8]) -> bool {
    let numbers = bytes.split(|byte| !byte.is_ascii_digit());
    numbers.map(<[u8]>::len).max().unwrap_or(0) < 7
}

fn valid<F: Format>(tensor: Tensor<f64, F>) {
    let entries = tensor.iter().count();
    let (shape, levels, vals) = tensor.into_parts();
    let again =
        Tensor::<f64, F>::from_parts(shape, levels, vals).expect("the parts of a tensor are valid");
    assert_eq!(again.iter().count(), entries);
}

/// Checks that every tensor that is accepted from raw parts can be passed to kernels.
pub fn parts(bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    let shape = [bytes.number(6), bytes.number(6)];
    let [rows, columns] = shape;
    let x = Tensor::<f64, Dense<1>>::from_parts(
        [columns],
        (DenseLevel { size: columns },),
        vec![1.0; columns],
    )
    .expect("a dense vector is valid");
    let kind = bytes.number(6);
    if kind == 0 {
        let level = bytes.compressed();
        let vals = bytes.values(level.crd.len());
        let levels = (DenseLevel { size: bytes.near(rows) }, level);
        if let Ok(a) = Tensor::<f64, Csr>::from_parts(shape, levels, vals) {
            let y = kernels::csr::spmv_csr(&a, &x).expect("the shapes agree");
            let b = a.to::<Csc>().expect("it is small");
            assert_eq!(b.iter().count(), a.iter().count());
            let sum = kernels::add::add_csr(&a, &a).expect("the shapes agree");
            assert_eq!(sum.iter().count(), a.iter().count());
            kernels::transposed::add(&a, &b).expect("the shapes agree");
            if rows == columns {
                kernels::product::spgemm(&a, &a).expect("the shapes agree");
            }
            same(&y, &a);
        }
    } else if kind == 1 {
        let outer = bytes.compressed();
        let crd = bytes.numbers(outer.crd.len());
        let vals = bytes.values(crd.len());
        let levels = (outer, Singleton { crd });
        if let Ok(a) = Tensor::<f64, Coo<2>>::from_parts(shape, levels, vals) {
            same(&kernels::coo::spmv_coo(&a, &x).expect("the shapes agree"), &a);
        }
    } else if kind == 2 {
        let (outer, inner) = (bytes.compressed(), bytes.compressed());
        let vals = bytes.values(inner.crd.len());
        if let Ok(a) = Tensor::<f64, Dcsr>::from_parts(shape, (outer, inner), vals) {
            let sum = kernels::quotient::add_dcsr(&a, &a).expect("the shapes agree");
            assert_eq!(sum.iter().count(), a.iter().count());
        }
    } else if kind == 3 {
        let width = bytes.number(8);
        let mut crd = bytes.numbers(width);
        crd.iter_mut().filter(|c| **c >= 5).for_each(|c| *c = u32::MAX);
        let vals = bytes.values(crd.len());
        let level = (Hashed { width, crd },);
        if let Ok(h) = Tensor::<f64, HashVector>::from_parts([columns], level, vals) {
            let all = (0..rows * columns).map(|k| ([k / columns, k % columns], 1.0));
            let ones = Tensor::<f64, Csr>::from_triplets(shape, all).expect("it is small");
            let y = kernels::hash::spmv_hash(&ones, &h).expect("the shapes agree");
            let sum: f64 = h.iter().map(|(_, value)| value).sum();
            assert!(y.vals().iter().all(|value| *value == sum));
        }
    } else if kind == 4 {
        let Compressed { pos, crd } = bytes.compressed();
        let crd: Vec<i32> = crd.into_iter().map(|c| c as i32 - 4).collect();
        let vals = bytes.values(crd.len() * rows);
        let levels = (Compressed { pos, crd }, Range, Offset);
        if let Ok(a) = Tensor::<f64, Dia>::from_parts(shape, levels, vals) {
            same(&kernels::dia::spmv_dia(&a, &x).expect("the shapes agree"), &a);
        }
    } else {
        let slots = bytes.number(4);
        let crd = bytes.numbers(slots * rows);
        let vals = bytes.values(crd.len());
        let levels = (DenseLevel { size: slots }, DenseLevel { size: rows }, Singleton { crd });
        if let Ok(a) = Tensor::<f64, Ell>::from_parts(shape, levels, vals) {
            same(&kernels::ell::spmv_ell(&a, &x).expect("the shapes agree"), &a);
        }
    }
}

/// Checks a product with a vector of ones, which is the sum of each row.
fn same<F: Format<Shape = [usize; 2]>>(y: &Tensor<f64, Dense<1>>, a: &Tensor<f64, F>) {
    let mut sums = vec![0.0; a.shape()[0]];
    a.iter().for_each(|([i, _], value)| sums[i] += value);
    assert_eq!(y.vals(), sums);
}

/// Bytes as numbers, followed by zeros.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn number(&mut self, limit: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % limit
    }

    /// Returns the number or, occasionally, the next one.
    fn near(&mut self, number: usize) -> usize {
        if self.number(16) == 15 { number + 1 } else { number }
    }

    fn numbers(&mut self, count: usize) -> Vec<u32> {
        let count = self.near(count);
        (0..count).map(|_| self.number(8) as u32).collect()
    }

    /// Returns segments that are contiguous in most cases.
    fn compressed(&mut self) -> Compressed {
        let mut pos = vec![self.number(16) as u32 / 15];
        for _ in 0..self.number(8) {
            let end = pos[pos.len() - 1] + self.number(5) as u32;
            pos.push(end);
        }
        let end = pos[pos.len() - 1] as usize;
        Compressed { crd: self.numbers(end), pos }
    }

    fn values(&mut self, count: usize) -> Vec<f64> {
        let count = self.near(count);
        (0..count).map(|_| self.number(4) as f64 - 1.0).collect()
    }
}
