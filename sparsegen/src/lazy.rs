//! Lazy evaluation: tensors that are computed when they are read, and again when operands have
//! changed.
//!
//! A [`Lazy`] is a variable: a tensor, or the result of a kernel whose operands are other variables.
//! Declaring a result computes nothing. The first [`Lazy::get`] computes it, with the operands that
//! it needs and that are not computed; each later one returns the same tensor, until an operand is
//! written.
//!
//! ```
//! use sparsegen::lazy::Lazy;
//! use sparsegen::{Csr, Error, Tensor};
//!
//! # /// Stands for a generated kernel.
//! # fn double(a: &Tensor<f64, Csr>) -> Result<Tensor<f64, Csr>, Error> {
//! #     Ok(a.map(|_, value| 2.0 * value))
//! # }
//! let a = Lazy::new(Tensor::<f64, Csr>::from_triplets([2, 2], [([0, 1], 2.0)])?);
//! let b = Lazy::of((a.clone(),), |(a,)| double(a));
//! let c = Lazy::of((b.clone(),), |(b,)| double(b));
//! assert_eq!(b.runs().total(), 0);
//! assert_eq!(c.get()?.vals(), [8.0]);
//! a.set_vals(vec![3.0])?;
//! assert_eq!(c.get()?.vals(), [12.0]);
//! assert_eq!((b.runs().total(), c.runs().total()), (2, 2));
//! # Ok::<(), sparsegen::Error>(())
//! ```
//!
//! # What a result means
//!
//! - A result that has not been computed is that of its operands *as they were when it was
//!   declared*. A write to an operand does not affect it: the result keeps the tensor as it was. The
//!   arrays are copied only if both are needed.
//! - Once it has been computed, a result *follows* its operands: a write makes it out of date, and
//!   the next read computes it for the operands as they are at that time. Results between the two
//!   are computed first, each once, and only if they are out of date.
//! - A tensor that [`Lazy::get`] has returned never changes.
//!
//! If no operand's structure has changed since the last computation, only the values are computed,
//! and the result shares its structure with the one before, so that results of it compute only
//! values as well. [`Lazy::runs`] counts both.
//!
//! These are the semantics of Noyola, *A New API for the taco Tensor Algebra Compiler* (MIT 2019),
//! section 5, where an expression is computed at the last moment at which its operands still have
//! the values of its declaration. Snapshots take the place of the computations that writes trigger
//! there.
//!
//! A result holds its operands, so that a loop that makes each result an operand of the next one
//! makes a chain of all of them. [`Lazy::detach`] cuts it.

use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Error, Format, Stored, Tensor, View};

mod kernel;
mod operands;
mod thunk;

pub use kernel::Runs;
use kernel::{Counts, Kernel, Origin};
pub use operands::Operands;
use thunk::Thunk;

/// The number of writes to all variables. A result that was up to date at a number of writes still
/// is at the same number.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// A variable: a tensor, or a result that is computed when it is read; see the [module](self).
///
/// Clones are the same variable. Threads may read and write variables at the same time: each result
/// is computed once, and other threads that read it wait.
pub struct Lazy<V: Stored, F: Format> {
    state: Arc<Mutex<State<V, F>>>,
    runs: Arc<Counts>,
}

/// The state of a variable.
struct State<V: Stored, F: Format> {
    value: Arc<Thunk<V, F>>,
    /// The kernel of a result; `None` of a tensor.
    origin: Option<Arc<dyn Origin<V, F>>>,
    /// The number of writes at which the value was last found to be up to date.
    checked: Option<u64>,
}

impl<V: Stored, F: Format> Lazy<V, F> {
    /// Creates a variable of a tensor.
    ///
    /// ```
    /// use sparsegen::lazy::Lazy;
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Lazy::new(Tensor::<f64, Csr>::eye(2)?);
    /// assert_eq!(*a.get()?, Tensor::eye(2)?);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn new(tensor: Tensor<V, F>) -> Self {
        Lazy::with(Thunk::of(tensor), None, Arc::default())
    }

    /// Declares the result of a function of operands. Computes nothing.
    ///
    /// ```
    /// use sparsegen::lazy::Lazy;
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Lazy::new(Tensor::<f64, Csr>::eye(2)?);
    /// let b = Lazy::new(Tensor::<f64, Csr>::eye(2)?);
    /// let sum = Lazy::of((a, b), |(a, b)| a.zip_vals(b, |a, b| a + b));
    /// assert_eq!(sum.get()?.vals(), [2.0, 2.0]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// The function gets a tuple of the operands' tensors. It is called each time the result is out
    /// of date, so it must return the same for the same operands.
    pub fn of<O: Operands>(
        operands: O,
        function: impl Fn(&O::Tensors) -> Result<Tensor<V, F>, Error> + Send + Sync + 'static,
    ) -> Self {
        Lazy::declare(Kernel::new(operands, Box::new(function), None))
    }

    /// Declares the result of a kernel that has a function for the whole result, such as `NAME`, and
    /// one for its values only, such as `NAME_compute`. Computes nothing.
    ///
    /// ```
    /// use sparsegen::lazy::Lazy;
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Lazy::new(Tensor::<f64, Csr>::eye(2)?);
    /// let square = Lazy::of_kernel(
    ///     (a.clone(),),
    ///     |(a,)| Ok(a.map(|_, value| value * value)),
    ///     |square, (a,)| square.update_vals(a, |square, a| *square = a * a),
    /// );
    /// square.get()?;
    /// a.set_vals(vec![2.0, 3.0])?;
    /// assert_eq!(square.get()?.vals(), [4.0, 9.0]);
    /// assert_eq!((square.runs().whole, square.runs().values), (1, 1));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// The second function gets the previous result, if its operands had the same structure. If it
    /// returns [`Error::Structure`], as the structure also depends on values, the first one is called.
    pub fn of_kernel<O: Operands>(
        operands: O,
        whole: impl Fn(&O::Tensors) -> Result<Tensor<V, F>, Error> + Send + Sync + 'static,
        values: impl Fn(&mut Tensor<V, F>, &O::Tensors) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Self {
        Lazy::declare(Kernel::new(operands, Box::new(whole), Some(Box::new(values))))
    }

    fn declare<O: Operands>(kernel: Kernel<O, V, F>) -> Self {
        let runs = kernel.counts();
        let kernel = Arc::new(kernel);
        let value = Arc::clone(&kernel).bound(None);
        Lazy::with(value, Some(kernel), runs)
    }

    fn with(
        value: Arc<Thunk<V, F>>,
        origin: Option<Arc<dyn Origin<V, F>>>,
        runs: Arc<Counts>,
    ) -> Self {
        Lazy { state: Arc::new(Mutex::new(State { value, origin, checked: None })), runs }
    }

    /// Returns the tensor, after computing whatever is out of date.
    ///
    /// Takes constant time, and a step for each operand and their operands if a variable has been
    /// written since the last read.
    ///
    /// ```
    /// use sparsegen::lazy::Lazy;
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Lazy::new(Tensor::<f64, Csr>::eye(2)?);
    /// let twice = Lazy::of((a,), |(a,)| Ok(a.map(|_, value| 2.0 * value)));
    /// assert_eq!(twice.get()?.vals(), [2.0, 2.0]);
    /// // Computed once.
    /// assert!(std::sync::Arc::ptr_eq(&twice.get()?, &twice.get()?));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of the kernels of this result and of its operands. The same error is returned until
    /// an operand is written.
    pub fn get(&self) -> Result<Arc<Tensor<V, F>>, Error> {
        self.current().force()
    }

    /// Replaces the tensor. A result becomes a variable without operands.
    ///
    /// ```
    /// use sparsegen::lazy::Lazy;
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Lazy::new(Tensor::<f64, Csr>::zeros([2, 2])?);
    /// a.set(Tensor::eye(2)?);
    /// assert_eq!(a.get()?.nnz(), 2);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn set(&self, tensor: Tensor<V, F>) {
        let mut state = self.lock();
        (state.value, state.origin) = (Thunk::of(tensor), None);
        WRITES.fetch_add(1, Ordering::SeqCst);
    }

    /// Replaces the values of the tensor, and keeps its structure, so that results compute only
    /// their values.
    ///
    /// ```
    /// use sparsegen::lazy::Lazy;
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Lazy::new(Tensor::<f64, Csr>::eye(2)?);
    /// a.set_vals(vec![3.0, 4.0])?;
    /// assert_eq!(a.get()?.get([1, 1]), Some(4.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Tensor::with_vals`] and, for a result, those of [`Lazy::get`].
    pub fn set_vals(&self, vals: Vec<V>) -> Result<(), Error> {
        self.update(|tensor| {
            *tensor = tensor.with_vals(vals)?;
            Ok(())
        })
    }

    /// Stores a value at a coordinate, like [`Tensor::insert`].
    ///
    /// ```
    /// use sparsegen::lazy::Lazy;
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Lazy::new(Tensor::<f64, Csr>::zeros([2, 2])?);
    /// a.insert([0, 1], 5.0)?;
    /// assert_eq!(a.get()?.get([0, 1]), Some(5.0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Tensor::insert`] and, for a result, those of [`Lazy::get`].
    pub fn insert(&self, coordinate: F::Shape, value: V) -> Result<(), Error> {
        self.update(|tensor| tensor.insert(coordinate, value))
    }

    /// Changes the tensor by a function. A result is computed first, and becomes a variable without
    /// operands.
    ///
    /// ```
    /// use sparsegen::lazy::Lazy;
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Lazy::new(Tensor::<f64, Csr>::eye(3)?);
    /// a.update(|a| {
    ///     a.remove([0, 0])?;
    ///     a.add_at([1, 1], 0.5)
    /// })?;
    /// assert!(a.get()?.iter().eq([([1, 1], 1.5), ([2, 2], 1.0)]));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// The tensor is changed in place. If a result that has not been computed, or a caller of
    /// [`Lazy::get`], still needs it as it is, the change is made to a copy, which shares the arrays
    /// of the structure as long as only values change.
    ///
    /// # Errors
    /// The errors of the function, whose changes until then remain, and, for a result, those of
    /// [`Lazy::get`].
    pub fn update<T>(
        &self,
        function: impl FnOnce(&mut Tensor<V, F>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let current = self.current();
        current.force()?;
        let mut state = self.lock();
        // Another thread may have written since.
        state.value.force()?;
        drop(current);
        state.origin = None;
        let changed = Thunk::write(&mut state.value, function);
        WRITES.fetch_add(1, Ordering::SeqCst);
        changed
    }

    /// Computes a result, and makes it a variable without operands, which no longer follows them.
    ///
    /// ```
    /// use sparsegen::lazy::Lazy;
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Lazy::new(Tensor::<f64, Csr>::eye(2)?);
    /// let mut x = a.clone();
    /// for _ in 0..1000 {
    ///     x = Lazy::of((x,), |(x,)| Ok(x.map(|_, value| 0.5 * value + 1.0)));
    ///     x.detach()?;
    /// }
    /// assert_eq!(x.get()?.vals(), [2.0, 2.0]);
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Lazy::get`].
    pub fn detach(&self) -> Result<(), Error> {
        self.get()?;
        self.lock().origin = None;
        Ok(())
    }

    /// Returns how often this result has been computed.
    ///
    /// ```
    /// use sparsegen::lazy::Lazy;
    /// use sparsegen::{Csr, Tensor};
    ///
    /// let a = Lazy::new(Tensor::<f64, Csr>::eye(2)?);
    /// let twice = Lazy::of((a,), |(a,)| Ok(a.map(|_, value| 2.0 * value)));
    /// twice.get()?;
    /// twice.get()?;
    /// assert_eq!((twice.runs().whole, twice.runs().values), (1, 0));
    /// # Ok::<(), sparsegen::Error>(())
    /// ```
    pub fn runs(&self) -> Runs {
        self.runs.read()
    }

    /// Returns the value as it is at present: computed or not, and for the operands as they are, if
    /// it follows them.
    fn current(&self) -> Arc<Thunk<V, F>> {
        let mut state = self.lock();
        let State { value, origin, checked } = &mut *state;
        let writes = WRITES.load(Ordering::SeqCst);
        if let Some(origin) = origin
            && let Some(seen) = value.seen()
            && *checked != Some(writes)
        {
            if !origin.is_current(seen) {
                *value = Arc::clone(origin).bound(Some(Arc::clone(value)));
            }
            *checked = Some(writes);
        }
        Arc::clone(value)
    }

    fn lock(&self) -> MutexGuard<'_, State<V, F>> {
        // A panic leaves a state that is as it was, or replaced as a whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V: Stored, F: Format> Clone for Lazy<V, F> {
    fn clone(&self) -> Self {
        Lazy { state: Arc::clone(&self.state), runs: Arc::clone(&self.runs) }
    }
}

/// Displays whether the value is computed, and the value; computes nothing.
impl<V: Stored, F: Format> Debug for Lazy<V, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lock().value.done() {
            Some(done) => f.debug_tuple("Lazy").field(&done.result).finish(),
            None => f.write_str("Lazy(pending)"),
        }
    }
}

/// Kernels take the tensors that [`Lazy::get`] returns.
impl<'a, V: Stored, F: Format> From<&'a Arc<Tensor<V, F>>> for View<'a, V, F> {
    #[inline]
    fn from(tensor: &'a Arc<Tensor<V, F>>) -> Self {
        tensor.view()
    }
}
