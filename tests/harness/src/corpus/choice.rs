//! What a line of the corpus says of a kernel.

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::Semiring;
use crate::oracle::arithmetic::convert;

/// One alternative of each word: formats by tensor, and keys of the kernel behind `@`.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'c>(pub &'c [(&'c str, &'c str)]);

/// What is said of a tensor: `csr:f32:one`, `csr:fillinf`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Storage<'c> {
    /// The format's name.
    pub format: &'c str,
    /// The element type, where it is not that of the kernel.
    pub dtype: Option<Dtype>,
    /// Whether only structure is stored.
    pub is_pattern: bool,
    /// What is not stored, where it is said: `inf`, of `csr:fillinf`.
    pub fill: Option<&'c str>,
}

impl<'c> Choice<'c> {
    /// The value of a tensor or a key.
    pub fn word(&self, key: &str) -> Option<&'c str> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, word)| *word)
    }

    /// What is said of a tensor.
    pub fn storage(&self, tensor: &str) -> Option<Storage<'c>> {
        let mut words = self.word(tensor)?.split(':');
        let format = words.next()?;
        let words: Vec<&str> = words.collect();
        let dtype = words.iter().find_map(|word| Dtype::named(word));
        let fill = words.iter().find_map(|word| word.strip_prefix("fill"));
        Some(Storage { format, dtype, is_pattern: words.contains(&"one"), fill })
    }

    /// The element type of a tensor.
    pub fn dtype(&self, tensor: &str) -> Dtype {
        let own = self.storage(tensor).and_then(|storage| storage.dtype);
        let of_all = || self.word("@dtype").and_then(Dtype::named);
        own.or_else(of_all).unwrap_or(Dtype::F64)
    }

    /// What a tensor is where it is not stored, where that is said.
    pub fn fill(&self, tensor: &str) -> Option<Number> {
        let fill: f64 = self.storage(tensor)?.fill?.parse().ok()?;
        let dtype = self.dtype(tensor);
        let number = match dtype.range() {
            Some((least, _)) if fill == f64::NEG_INFINITY => Number::Whole(least),
            Some((_, most)) if fill == f64::INFINITY => Number::Whole(most),
            Some(_) => Number::Whole(fill as i128),
            None => Number::Real(fill),
        };
        convert(number, dtype).ok()
    }

    /// What `+` and `*` are.
    pub fn semiring(&self) -> Semiring {
        self.word("@semiring").and_then(Semiring::named).unwrap_or(Semiring::PlusTimes)
    }

    /// The parameters that are declared, each with its kind.
    pub fn parameters(&self) -> Vec<(&'c str, &'c str)> {
        let declared = self.word("@params").into_iter().flat_map(|words| words.split(','));
        declared.map(|word| word.split_once(':').unwrap_or((word, "index"))).collect()
    }

    /// The extents that are constants: `@sizes=k:4,l:2`.
    pub fn sizes(&self) -> Vec<(String, usize)> {
        let declared = self.word("@sizes").into_iter().flat_map(|words| words.split(','));
        let size = |word: &str| {
            let (name, extent) = word.split_once(':')?;
            Some((name.to_owned(), extent.parse().ok()?))
        };
        declared.filter_map(size).collect()
    }

    /// The names of the parameters that are declared.
    pub fn parameter_names(&self) -> Vec<&'c str> {
        self.parameters().into_iter().map(|(name, _)| name).collect()
    }
}
