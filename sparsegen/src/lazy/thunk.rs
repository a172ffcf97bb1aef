//! Values that are computed at most once.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use crate::{Error, Format, Stored, Tensor};

/// The identity of the structure of a tensor.
pub type Structure = Weak<dyn Any + Send + Sync>;

/// A tensor, or the computation of one from operands that do not change.
pub struct Thunk<V: Stored, F: Format> {
    /// A number that no other value has.
    pub(super) id: u64,
    /// The numbers of the operands' values from which a later value than the first is computed.
    bound: Option<Vec<u64>>,
    done: OnceLock<Done<V, F>>,
    /// The computation, which holds the operands until it has run.
    run: Mutex<Option<Run<V, F>>>,
}

type Run<V, F> = Box<dyn FnOnce() -> Done<V, F> + Send>;

/// A computed value.
pub(super) struct Done<V: Stored, F: Format> {
    pub(super) result: Result<Arc<Tensor<V, F>>, Error>,
    /// The structures of the operands.
    pub(super) structures: Vec<Structure>,
    /// The numbers of the values that the operands had when this one was computed, which for the
    /// first value may be later ones than those from which it was computed.
    pub(super) seen: Vec<u64>,
}

impl<V: Stored, F: Format> Thunk<V, F> {
    /// Returns the value of a tensor.
    pub(super) fn of(tensor: Tensor<V, F>) -> Arc<Self> {
        let result = Ok(Arc::new(tensor));
        let done = Done { result, structures: Vec::new(), seen: Vec::new() };
        let (done, run) = (OnceLock::from(done), Mutex::new(None));
        Arc::new(Thunk { id: new_id(), bound: None, done, run })
    }

    /// Returns a value that is computed when it is needed.
    pub(super) fn deferred(
        bound: Option<Vec<u64>>,
        run: impl FnOnce() -> Done<V, F> + Send + 'static,
    ) -> Arc<Self> {
        let run: Run<V, F> = Box::new(run);
        let (done, run) = (OnceLock::new(), Mutex::new(Some(run)));
        Arc::new(Thunk { id: new_id(), bound, done, run })
    }

    /// Returns the numbers of the operands' values for which this value is up to date, or `None` if
    /// it is the first one and has not been computed, so that it does not follow its operands.
    pub(super) fn seen(&self) -> Option<&[u64]> {
        self.bound.as_deref().or(self.done().map(|done| &*done.seen))
    }

    /// Returns the computed value, if it has been computed.
    pub(super) fn done(&self) -> Option<&Done<V, F>> {
        self.done.get()
    }

    /// Returns the tensor, which is computed if it has not been.
    ///
    /// # Panics
    /// Panics if the computation panics, and whenever it is then needed again.
    pub(super) fn force(&self) -> Result<Arc<Tensor<V, F>>, Error> {
        let compute = || {
            let run = self.run.lock().unwrap_or_else(PoisonError::into_inner).take();
            run.expect("the kernel of this lazy result has not panicked before")()
        };
        self.done.get_or_init(compute).result.clone()
    }

    /// Returns the computed tensor, without a copy if no other variable or result needs it, or `None`
    /// if it is an error or has not been computed.
    pub(super) fn into_tensor(thunk: Arc<Self>) -> Option<Tensor<V, F>> {
        let result = match Arc::try_unwrap(thunk) {
            Ok(thunk) => thunk.done.into_inner()?.result,
            Err(shared) => shared.done()?.result.clone(),
        };
        Some(Arc::unwrap_or_clone(result.ok()?))
    }

    /// Replaces a computed value by one that a function changes, in place if no other variable or
    /// result needs it. A value that is an error stays.
    pub(super) fn write<T>(
        thunk: &mut Arc<Self>,
        function: impl FnOnce(&mut Tensor<V, F>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(only) = Arc::get_mut(thunk)
            && let Some(Done { result: Ok(tensor), .. }) = only.done.get_mut()
        {
            only.id = new_id();
            return function(Arc::make_mut(tensor));
        }
        let mut copy = Tensor::clone(&*thunk.force()?);
        let changed = function(&mut copy);
        *thunk = Thunk::of(copy);
        changed
    }
}

/// Returns the identity of the structure of a tensor. No other structure has it while it exists.
pub(super) fn structure<V: Stored, F: Format>(tensor: &Tensor<V, F>) -> Structure {
    let structure: Weak<_> = Arc::downgrade(tensor.structure());
    structure
}

fn new_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
