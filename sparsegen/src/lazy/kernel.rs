//! The kernels of lazy results.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{Error, Format, Stored, Tensor};

use super::operands::{Operands, sealed};
use super::thunk::{Done, Structure, Thunk};

/// How often a result has been computed; see [`Lazy::runs`](super::Lazy::runs).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// The number of computations of structure and values.
    pub whole: usize,
    /// The number of computations of the values only.
    pub values: usize,
}

impl Runs {
    /// Returns the number of all computations.
    ///
    /// ```
    /// use sparsegen::lazy::Runs;
    ///
    /// assert_eq!(Runs { whole: 1, values: 3 }.total(), 4);
    /// ```
    pub fn total(&self) -> usize {
        self.whole + self.values
    }
}

/// The counters of [`Runs`].
#[derive(Default)]
pub(super) struct Counts {
    whole: AtomicUsize,
    values: AtomicUsize,
}

impl Counts {
    pub(super) fn read(&self) -> Runs {
        let [whole, values] =
            [&self.whole, &self.values].map(|count| count.load(Ordering::Relaxed));
        Runs { whole, values }
    }
}

/// The kernel of a result, with its operands.
pub(super) trait Origin<V: Stored, F: Format>: Send + Sync {
    /// Returns the value for the operands as they are, which is computed when it is needed. It may
    /// reuse the structure of the previous one; the first value has none.
    fn bound(self: Arc<Self>, previous: Option<Arc<Thunk<V, F>>>) -> Arc<Thunk<V, F>>;

    /// Returns whether these are the numbers of the operands' values as they are.
    fn is_current(&self, seen: &[u64]) -> bool;
}

type Whole<O, V, F> =
    Box<dyn Fn(&<O as sealed::Operands>::Tensors) -> Result<Tensor<V, F>, Error> + Send + Sync>;
type Values<O, V, F> = Box<
    dyn Fn(&mut Tensor<V, F>, &<O as sealed::Operands>::Tensors) -> Result<(), Error> + Send + Sync,
>;

/// Functions of operands.
pub(super) struct Kernel<O: Operands, V: Stored, F: Format> {
    operands: O,
    whole: Whole<O, V, F>,
    /// Computes the values of a result with known structure.
    values: Option<Values<O, V, F>>,
    runs: Arc<Counts>,
}

impl<O: Operands, V: Stored, F: Format> Kernel<O, V, F> {
    pub(super) fn new(operands: O, whole: Whole<O, V, F>, values: Option<Values<O, V, F>>) -> Self {
        Kernel { operands, whole, values, runs: Arc::default() }
    }

    pub(super) fn counts(&self) -> Arc<Counts> {
        Arc::clone(&self.runs)
    }

    /// Computes the value for some operands; reuses the structure of the previous one if its operands
    /// had the same structure.
    fn compute(
        &self,
        bound: O::Bound,
        previous: Option<Arc<Thunk<V, F>>>,
        seen: Vec<u64>,
    ) -> Done<V, F> {
        let tensors = match O::force(&bound) {
            Ok(tensors) => tensors,
            Err(error) => return Done { result: Err(error), structures: Vec::new(), seen },
        };
        // Operands that are not used elsewhere may be changed in place from now on.
        drop(bound);
        let structures = O::structures(&tensors);
        let is_same = |before: &[Structure]| {
            before.len() == structures.len()
                && before.iter().zip(&structures).all(|(a, b)| a.ptr_eq(b))
        };
        let previous =
            previous.filter(|it| it.done().is_some_and(|done| is_same(&done.structures)));
        let values = previous.and_then(|previous| self.values_of(previous, &tensors));
        let result = values.unwrap_or_else(|| {
            self.runs.whole.fetch_add(1, Ordering::Relaxed);
            (self.whole)(&tensors)
        });
        Done { result: result.map(Arc::new), structures, seen }
    }

    /// Computes the values of the previous result again. Returns `None` if its structure is another one:
    /// the one of `present(x[i]) * y[i]` depends on values.
    fn values_of(
        &self,
        previous: Arc<Thunk<V, F>>,
        tensors: &O::Tensors,
    ) -> Option<Result<Tensor<V, F>, Error>> {
        let values = self.values.as_ref()?;
        let mut result = Thunk::into_tensor(previous)?;
        match values(&mut result, tensors) {
            Err(Error::Structure { .. }) => None,
            computed => {
                self.runs.values.fetch_add(1, Ordering::Relaxed);
                Some(computed.map(|()| result))
            }
        }
    }
}

impl<O: Operands, V: Stored, F: Format> Origin<V, F> for Kernel<O, V, F> {
    fn bound(self: Arc<Self>, previous: Option<Arc<Thunk<V, F>>>) -> Arc<Thunk<V, F>> {
        let bound = self.operands.current();
        let seen = previous.is_some().then(|| O::ids(&bound));
        Thunk::deferred(seen, move || {
            // Writes from now on make the first value out of date.
            let seen = O::ids(&self.operands.current());
            self.compute(bound, previous, seen)
        })
    }

    fn is_current(&self, seen: &[u64]) -> bool {
        O::ids(&self.operands.current()) == seen
    }
}
