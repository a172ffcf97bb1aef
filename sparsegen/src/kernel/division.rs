//! Integer division that records divisions by zero.

use core::sync::atomic::{AtomicBool, Ordering};

use num_traits::{CheckedDiv, CheckedRem, Zero};

use crate::Error;

/// Divides integers and records divisions by zero, which the kernel reports when it is done.
/// Threads may share it.
#[derive(Debug, Default)]
pub struct Division {
    by_zero: AtomicBool,
}

impl Division {
    /// Returns `a / b`, rounded towards zero. Wraps on overflow; returns 0 if `b` is 0.
    #[inline(always)]
    pub fn quotient<V: CheckedDiv + Zero>(&self, a: V, b: V) -> V {
        match a.checked_div(&b) {
            Some(quotient) => quotient,
            None if b.is_zero() => self.note(),
            // The least number divided by -1 overflows and wraps to itself.
            None => a,
        }
    }

    /// Returns `a % b`, with the sign of `a`, or 0 if `b` is 0.
    #[inline(always)]
    pub fn remainder<V: CheckedRem + Zero>(&self, a: V, b: V) -> V {
        match a.checked_rem(&b) {
            Some(remainder) => remainder,
            None if b.is_zero() => self.note(),
            None => V::zero(),
        }
    }

    #[cold]
    fn note<V: Zero>(&self) -> V {
        self.by_zero.store(true, Ordering::Relaxed);
        V::zero()
    }

    /// Checks that no division was by zero.
    ///
    /// # Errors
    /// [`Error::Division`] if one was.
    pub fn check(&self, kernel: &'static str) -> Result<(), Error> {
        if self.by_zero.load(Ordering::Relaxed) {
            return Err(Error::Division { kernel });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_divided_towards_zero() {
        let division = Division::default();
        assert_eq!((division.quotient(-7, 2), division.remainder(-7, 2)), (-3, -1));
        assert_eq!(
            (division.quotient(i32::MIN, -1), division.remainder(i8::MIN, -1)),
            (i32::MIN, 0)
        );
        assert_eq!(division.quotient(u64::MAX, 3), 6_148_914_691_236_517_205);
        assert_eq!(division.check("halve"), Ok(()));
    }

    #[test]
    fn a_division_by_zero_is_noted() {
        let divisions: [fn(&Division) -> i32; 2] =
            [|division| division.quotient(1, 0), |division| division.remainder(0, 0)];
        for divide in divisions {
            let division = Division::default();
            assert_eq!(divide(&division), 0);
            assert_eq!(
                division.check("halve").unwrap_err().to_string(),
                "kernel `halve` divides an integer by zero"
            );
        }
    }
}
