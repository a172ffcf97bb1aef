// Times kernels; written by `sparsegen bench`.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[allow(unused_imports)]
use kernels::*;
#[allow(unused_imports)]
use sparsegen::*;

#[allow(warnings)]
mod kernels;

/// Ends the program with the reason on standard error.
macro_rules! or_exit {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::FAILURE;
            }
        }
    };
}

/// The extents of variables.
struct Extents {
    known: BTreeMap<String, usize>,
    other: usize,
    state: std::cell::Cell<u64>,
    said: std::cell::RefCell<Vec<String>>,
}

#[allow(dead_code)]
impl Extents {
    fn new(given: &[(&str, usize)], other: usize) -> Extents {
        let known = given.iter().map(|(name, extent)| (name.to_string(), *extent)).collect();
        Extents { known, other, state: std::cell::Cell::new(1), said: Default::default() }
    }

    /// Learns the extents of the modes of a tensor.
    fn learn<V: Stored, const N: usize>(
        &mut self,
        name: &str,
        modes: &[&str; N],
        tensor: &Tensor<V, Coo<N>>,
        path: &str,
    ) where
        Coo<N>: Format<Shape = [usize; N]>,
    {
        for (mode, extent) in modes.iter().zip(tensor.shape()) {
            self.known.insert(mode.to_string(), extent);
        }
        println!("entries\t{}", tensor.stored());
        let shape = tensor.shape().map(|extent| extent.to_string()).join(" × ");
        println!("operand\t{name}: {path}, {shape}, {} entries", tensor.stored());
    }

    fn shape<const N: usize>(&self, modes: &[&str; N]) -> [usize; N] {
        modes.map(|mode| *self.known.get(mode).unwrap_or(&self.other))
    }

    /// Returns the value of a parameter that is a coordinate.
    fn index(&self, name: &str) -> usize {
        let index = self.known.get(name).copied().unwrap_or(0);
        self.say(format!("operand\t{name}: {index}"));
        index
    }

    /// Returns the coordinates of a list: every one below a length, or below the least extent.
    fn indices(&self, name: &str) -> Vec<usize> {
        let least = self.known.values().copied().min().unwrap_or(self.other);
        let length = self.known.get(name).copied().unwrap_or(least.min(self.other));
        self.say(format!("operand\t{name}: the first {length} coordinates"));
        (0..length).collect()
    }

    /// Prints a line once.
    fn say(&self, line: String) {
        if !self.said.borrow().contains(&line) {
            println!("{line}");
            self.said.borrow_mut().push(line);
        }
    }

    /// Returns a number between 0 and 1.
    fn next(&self) -> f64 {
        let state = self.state.get().wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.state.set(state);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a tensor of random values: everywhere, or at a few coordinates of each row.
    fn made<V: Stored, F: Format<Shape = [usize; N]>, const N: usize>(
        &self,
        name: &str,
        modes: &[&str; N],
        is_dense: bool,
        value: impl Fn(f64) -> V,
    ) -> Result<Tensor<V, F>, Error> {
        let shape = self.shape(modes);
        let all = shape.iter().product::<usize>();
        let shown = shape.map(|extent| extent.to_string()).join(" × ");
        let wanted = if is_dense { all } else { shape[0].saturating_mul(8).min(all) };
        let what = if is_dense { "random values".to_owned() } else { format!("{wanted} random entries") };
        self.say(format!("operand\t{name}: made, {shown}, {what}"));
        let step = all / wanted.max(1);
        let coordinates = (0..wanted).map(|k| {
            let mut rest = k * step + (self.next() * step as f64) as usize;
            let mut at = shape;
            for (mode, extent) in shape.iter().enumerate().rev() {
                at[mode] = rest % extent;
                rest /= extent;
            }
            (at, value(self.next()))
        });
        Tensor::from_triplets(shape, coordinates.collect::<Vec<_>>())
    }
}

/// Returns the tensor of a file in the format of an operand; prints how long that takes.
#[allow(dead_code)]
fn converted<V: Stored, F: Format<Shape = [usize; N]>, const N: usize>(
    variant: usize,
    name: &str,
    file: &Tensor<V, Coo<N>>,
) -> Result<Tensor<V, F>, Error>
where
    Coo<N>: Format<Shape = [usize; N]>,
{
    let start = Instant::now();
    let tensor = file.to()?;
    println!("converted\t{variant}\t{name}\t{}", start.elapsed().as_nanos());
    Ok(tensor)
}

/// Prints the median and the least time of a call, and the number of calls.
fn measured(variant: usize, mut call: impl FnMut() -> Result<(), Error>) -> Result<(), Error> {
    call()?;
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < 5 || start.elapsed() < Duration::from_millis(400) && times.len() < 2000 {
        let before = Instant::now();
        call()?;
        times.push(before.elapsed().as_nanos());
    }
    times.sort();
    println!("time\t{variant}\t{}\t{}\t{}", times[times.len() / 2], times[0], times.len());
    Ok(())
}

/// Prints the error of a variant.
fn report(variant: usize, result: Result<(), Error>) {
    if let Err(error) = result {
        println!("failed\t{variant}\t{}", error.to_string().replace('\n', " "));
    }
}
