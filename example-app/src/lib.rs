//! Parts that the program and the examples share: input files, progress reports and pictures.

use std::error::Error;

pub mod draw;
pub mod input;

/// The result of a part of the program, or of an example.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// Returns an error that names a number if it exceeds a bound, or is NaN.
pub fn at_most(what: &str, number: f64, bound: f64) -> Outcome<()> {
    if number <= bound {
        Ok(())
    } else {
        Err(format!("{what} is {number:e}, not {bound:e}").into())
    }
}

/// Returns a generator of pseudorandom numbers from 0 to 1: SplitMix64 of Steele, Lea and Flood
/// (2014).
pub fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }
}
