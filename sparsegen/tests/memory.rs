//! Tests that conversions take memory in proportion to their operand and their result: the peak of
//! the bytes allocated, counted by the allocator, for every pair of formats.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::{Random, declare};
use sparsegen::level::{Bitmap, Compressed, Dense as D, LevelViews, Levels};
use sparsegen::*;

/// An allocator that counts the bytes that each thread has allocated.
struct Counting;

thread_local! {
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

fn add(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_add(bytes));
    // Memory may be freed by another thread than the one that allocated it.
    PEAK.set(PEAK.get().max(LIVE.get().cast_signed().max(0).cast_unsigned()));
}

fn remove(bytes: usize) {
    LIVE.set(LIVE.get().wrapping_sub(bytes));
}

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        remove(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may exist at once.
        add(size);
        remove(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const I: LevelExpr = LevelExpr::Dimension(0);
const J: LevelExpr = LevelExpr::Dimension(1);

declare! {
    Blocks = "blocks", 2 {
        (LevelExpr::Div(&I, 4)): "dense", D; (LevelExpr::Div(&J, 4)): "compressed", Compressed;
        (LevelExpr::Mod(&I, 4)): "dense", D; (LevelExpr::Mod(&J, 4)): "dense", D;
    }
    Bits = "bits", 2 { 0: "dense", D; 1: "bitmap", Bitmap; }
}

/// Returns the bytes of the arrays of a tensor.
fn bytes<F: Format>(tensor: &Tensor<f64, F>) -> usize {
    let views = tensor.levels().views();
    let levels = (0..F::Levels::KINDS.len()).map(|level| {
        let arrays = views.level(level).arrays();
        let element = |name: &str| if name == "bits" { 8 } else { 4 };
        arrays.iter().map(|(name, array)| element(name) * array.len()).sum::<usize>()
    });
    levels.sum::<usize>() + size_of_val(tensor.vals())
}

/// Converts a tensor, and checks that the memory in use during the conversion, including the
/// result, is at most `factor` times the size of the operand and the result.
fn converts<F: Format, G: Format<Shape = F::Shape>>(operand: &Tensor<f64, F>, factor: f64) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = operand.to::<G>().unwrap();
    let peak = PEAK.get() - before;
    let sizes = bytes(operand) + bytes(&result);
    let ratio = peak as f64 / sizes as f64;
    let names = format!("{} to {}", F::NAME, G::NAME);
    assert!(ratio <= factor, "{names}: {peak} bytes for {sizes} of data, {ratio:.2} times as many");
}

macro_rules! all_pairs {
    ($matrix:expr, $factor:expr; $($format:ty),*) => {$(
        let operand = $matrix.to::<$format>().unwrap();
        all_pairs!(@from operand, $factor; Csr, Csc, Coo<2>, CooUnordered<2>, Dcsr, Dcsc, Csf<2>);
        all_pairs!(@from operand, $factor; Dia, Ell, HashRows, Dense<2>, DenseCol<2>, Blocks, Bits);
    )*};
    (@from $operand:ident, $factor:expr; $($format:ty),*) => {
        $(converts::<_, $format>(&$operand, $factor);)*
    };
}

fn convert_all(matrix: &Tensor<f64, Csr>) {
    all_pairs!(matrix, 2.0; Csr, Csc, Coo<2>, CooUnordered<2>, Dcsr, Dcsc, Csf<2>);
    all_pairs!(matrix, 2.0; Dia, Ell, HashRows, Dense<2>, DenseCol<2>, Blocks, Bits);
}

#[test]
fn conversions_of_bands() {
    let near = |i: usize| (i.saturating_sub(4)..(i + 5).min(300)).map(move |j| ([i, j], 1.0));
    convert_all(&Tensor::from_triplets([300, 300], (0..300).flat_map(near)).unwrap());
}

#[test]
fn conversions_of_scattered_entries() {
    let mut random = Random(9);
    let entries = random.entries([200, 300], 3000);
    let entries = entries.into_iter().map(|(at, value)| (at, value as f64 + 0.5));
    convert_all(&Tensor::from_triplets([200, 300], entries).unwrap());
}
