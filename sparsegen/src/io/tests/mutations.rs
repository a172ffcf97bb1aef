//! Files damaged by a pseudorandom generator with a fixed seed: each is read or refused with an
//! error, without a panic.

use std::fs;

use super::data;
use crate::{Coo, Error, io};

/// Marsaglia's xorshift with 64 bits of state.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Returns a number below `bound`, which is not 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Pieces of text that are likely to expose errors of readers.
const PIECES: &[&[u8]] = &[
    b"0",
    b"-1",
    b"+",
    b"-",
    b".",
    b"e",
    b"D",
    b"nan",
    b"inf",
    b"1e999",
    b"18446744073709551615",
    b"18446744073709551616",
    b"%",
    b"#",
    b"\n",
    b"\r\n",
    b"\r",
    b" ",
    b"\t",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"symmetric",
    b"skew-symmetric",
    b"hermitian",
    b"complex",
    b"integer",
    b"pattern",
    b"array",
    b"coordinate",
    b"general",
    b"real",
    b"%%MatrixMarket",
    "…".as_bytes(),
];

/// Changes a few places of a file; half of the changes are near its beginning.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let head = if random.below(2) == 0 { 100 } else { usize::MAX };
        let at = random.below(bytes.len().min(head) + 1);
        let end = (at + random.below(12)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            3 => {
                let noise: Vec<u8> = (at..end).map(|_| random.next() as u8).collect();
                bytes.splice(at..end, noise);
            }
            4 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..end, piece.iter().copied());
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
}

/// Damages a file many times, and counts successful and failed reads.
fn check(
    name: &str,
    rounds: usize,
    read: impl Fn(&[u8], &mut dyn FnMut(Option<Error>)),
) -> (usize, usize) {
    let original = fs::read(data(name)).unwrap();
    // A short file finds the same errors in less time.
    let original = &original[..original.len().min(4000)];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut successes, mut failures) = (0, 0);
    for _ in 0..rounds {
        let mut bytes = original.to_vec();
        damage(&mut bytes, &mut random);
        read(&bytes, &mut |error| match error {
            None => successes += 1,
            Some(Error::Parse { line, message, .. }) => {
                failures += 1;
                let lines = bytes.split(|&byte| byte == b'\n').count();
                assert!((1..=lines).contains(&line), "line {line} of {lines}: {message}");
                assert!(!message.is_empty() && !message.contains(char::is_control));
            }
            Some(_) => failures += 1,
        });
    }
    (successes, failures)
}

#[test]
fn matrices() {
    let names = [
        "array_int_sym5.mtx",
        "array_real_4x5.mtx",
        "empty_3x4.mtx",
        "hermitian5.mtx",
        "karate.mtx",
        "LFAT5_hypersparse.mtx",
        "one_complex_1x1.mtx",
        "plskz362.mtx",
        "skew_real5.mtx",
        "west0067_jumbled.mtx",
        "young1c.mtx",
        "zero_rows_0x4.mtx",
    ];
    let (mut successes, mut failures) = (0, 0);
    for name in names {
        let counts = check(name, 500, |bytes, report| {
            report(io::read_mtx_from::<f64, Coo<2>>(bytes, name).err());
            report(io::read_mtx_from::<i8, Coo<2>>(bytes, name).err());
            #[cfg(feature = "complex")]
            report(io::read_mtx_from::<num_complex::Complex<f32>, Coo<2>>(bytes, name).err());
        });
        successes += counts.0;
        failures += counts.1;
    }
    // If damage always, or never, caused an error, the test would be ineffective.
    assert!(successes > 500 && failures > 5000, "{successes} read, {failures} refused");
}

#[test]
fn tensors() {
    let (successes, failures) = check("small4.tns", 5000, |bytes, report| {
        report(io::read_tns_from::<f64, Coo<4>>(bytes, "small4.tns").err());
        report(io::read_tns_from::<u16, Coo<3>>(bytes, "small4.tns").err());
    });
    assert!(successes > 500 && failures > 5000, "{successes} read, {failures} refused");
}

#[test]
fn noise() {
    let mut random = Random(1);
    for length in 0..2000 {
        let bytes: Vec<u8> = (0..length % 300).map(|_| random.next() as u8).collect();
        assert!(io::read_mtx_from::<f64, Coo<2>>(bytes.as_slice(), "noise").is_err());
        drop(io::read_tns_from::<f64, Coo<2>>(bytes.as_slice(), "noise"));
    }
}
