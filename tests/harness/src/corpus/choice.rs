//! The choices of a line of the corpus.

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::Semiring;
use crate::oracle::arithmetic::convert;

/// One alternative of each word: formats by tensor, and keys of the kernel after `@`.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'c>(pub &'c [(&'c str, &'c str)]);

/// The storage of a tensor: `csr:f32:one`, `csr:fillinf`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Storage<'c> {
    /// The name of the format.
    pub format: &'c str,
    /// The element type, if it differs from the kernel's.
    pub dtype: Option<Dtype>,
    /// `true` if the tensor is a pattern.
    pub is_pattern: bool,
    /// The fill value, if it is set: `inf` in `csr:fillinf`.
    pub fill: Option<&'c str>,
}

impl<'c> Choice<'c> {
    /// Returns the word of a tensor or a key.
    pub fn word(&self, key: &str) -> Option<&'c str> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, word)| *word)
    }

    /// Returns the storage of a tensor.
    pub fn storage(&self, tensor: &str) -> Option<Storage<'c>> {
        let mut words = self.word(tensor)?.split(':');
        let format = words.next()?;
        let words: Vec<&str> = words.collect();
        let dtype = words.iter().find_map(|word| Dtype::named(word));
        let fill = words.iter().find_map(|word| word.strip_prefix("fill"));
        Some(Storage { format, dtype, is_pattern: words.contains(&"one"), fill })
    }

    /// Returns the element type of a tensor.
    pub fn dtype(&self, tensor: &str) -> Dtype {
        let own = self.storage(tensor).and_then(|storage| storage.dtype);
        let of_all = || self.word("@dtype").and_then(Dtype::named);
        own.or_else(of_all).unwrap_or(Dtype::F64)
    }

    /// Returns the fill value of a tensor, if it is set.
    pub fn fill(&self, tensor: &str) -> Option<Number> {
        let fill: f64 = match self.storage(tensor)?.fill? {
            "true" => 1.0,
            "false" => 0.0,
            number => number.parse().ok()?,
        };
        let dtype = self.dtype(tensor);
        let number = match dtype.range() {
            Some((least, _)) if fill == f64::NEG_INFINITY => Number::Whole(least),
            Some((_, most)) if fill == f64::INFINITY => Number::Whole(most),
            Some(_) => Number::Whole(fill as i128),
            None => Number::Real(fill),
        };
        convert(number, dtype).ok()
    }

    /// Returns the semiring of `+` and `*`.
    pub fn semiring(&self) -> Semiring {
        self.word("@semiring").and_then(Semiring::named).unwrap_or(Semiring::PlusTimes)
    }

    /// Returns the declared parameters, each with its kind.
    pub fn parameters(&self) -> Vec<(&'c str, &'c str)> {
        let declared = self.word("@params").into_iter().flat_map(|words| words.split(','));
        declared.map(|word| word.split_once(':').unwrap_or((word, "index"))).collect()
    }

    /// Returns the constant extents: `@sizes=k:4,l:2`.
    pub fn sizes(&self) -> Vec<(String, usize)> {
        let declared = self.word("@sizes").into_iter().flat_map(|words| words.split(','));
        let size = |word: &str| {
            let (name, extent) = word.split_once(':')?;
            Some((name.to_owned(), extent.parse().ok()?))
        };
        declared.filter_map(size).collect()
    }

    /// Returns the names of the declared parameters.
    pub fn parameter_names(&self) -> Vec<&'c str> {
        self.parameters().into_iter().map(|(name, _)| name).collect()
    }
}
