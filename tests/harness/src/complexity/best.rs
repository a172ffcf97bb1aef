//! The list of kernels with the best known complexity.
//!
//! A file is written like those of the corpus, and each line of formats ends with the best known
//! complexity, in the notation of the documentation of kernels:
//!
//! ```text
//! spmv: y[i] = A[i,j] * x[j]
//!     A=csr|csc           : i + nnz(A)
//!     A=hashes            : i + nnz(A)    known worse: visits vacant slots
//! ```
//!
//! A line says why the kernel is known to be worse, if it is.

use sparsegen_build::ir::{Factor, Term, Time};

use crate::corpus::{self, Case};

/// A kernel with the best known complexity.
#[derive(Clone, Debug)]
pub struct Best {
    /// The kernel.
    pub case: Case,
    /// The best known complexity.
    pub time: Time,
    /// The reason why the compiled kernel is worse.
    pub known_worse: Option<String>,
}

/// Parses a file.
///
/// # Errors
/// The place and the description of the error.
pub fn parse(file: &str, text: &str) -> Result<Vec<Best>, String> {
    let mut kernels = Vec::new();
    let mut above = String::new();
    let mut group = "";
    for (number, line) in text.lines().enumerate() {
        let place = format!("{file}:{}", number + 1);
        let wrong = |reason: String| format!("{place}: {reason}");
        match line.trim() {
            "" => {}
            _ if line.starts_with('#') => {}
            _ if line.starts_with("format ") => above = format!("{above}{line}\n"),
            _ if !line.starts_with(' ') => group = line,
            words => {
                let (words, time) =
                    words.rsplit_once(" : ").ok_or_else(|| wrong("no ` : `".into()))?;
                let (time, known_worse) = match time.split_once("known worse:") {
                    Some((time, reason)) => (time, Some(reason.trim().to_owned())),
                    None => (time, None),
                };
                let time = written(time.trim()).map_err(wrong)?;
                let text = format!("{above}{group}\n    {words}\n");
                let cases = corpus::parse(file, &text)?.into_iter().map(|case| Best {
                    case: Case { place: place.clone(), ..case },
                    time: time.clone(),
                    known_worse: known_worse.clone(),
                });
                kernels.extend(cases);
            }
        }
    }
    Ok(kernels)
}

/// Parses a time complexity: `i + nnz(A) · nnz(B) / k`.
fn written(text: &str) -> Result<Time, String> {
    let terms = text.split(" + ").map(|term| {
        let mut parts = term.split(" / ");
        let factors = parts.next().unwrap_or_default().split(" · ").filter(|factor| *factor != "1");
        Ok(Term {
            factors: factors.map(factor).collect::<Result<_, String>>()?,
            divisors: parts.map(factor).collect::<Result<_, String>>()?,
        })
    });
    let time = Time { terms: terms.collect::<Result<_, String>>()? };
    match time.to_string() == text {
        true => Ok(time),
        false => Err(format!("`{text}` would be written `{time}`")),
    }
}

fn factor(text: &str) -> Result<Factor, String> {
    let inside = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    if let Some((tensor, mode)) = inside("dim").and_then(|inside| inside.split_once(", ")) {
        let mode = mode.parse().map_err(|_| format!("`{mode}` is no mode"))?;
        return Ok(Factor::Mode(tensor.to_owned(), mode));
    }
    if let Some(tensor) = inside("nnz") {
        return Ok(Factor::Entries(tensor.to_owned()));
    }
    if let Some(of) = inside("log") {
        return Ok(Factor::Log(Box::new(factor(of)?)));
    }
    let is_name = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| Factor::Extent(text.to_owned())).ok_or(format!("`{text}` is no factor"))
}
