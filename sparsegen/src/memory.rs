//! Arrays that may be larger than memory: asking first, where a plain `vec!` would abort.

/// An array of `count` copies of `value`, or `None` where memory does not reach.
///
/// Zeros come straight from the system, which hands out pages of zeros only once they are touched.
pub(crate) fn filled<T: Clone>(value: T, count: usize) -> Option<Vec<T>> {
    Vec::<T>::new().try_reserve_exact(count).ok()?;
    Some(vec![value; count])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused() {
        assert_eq!(filled(7u8, 3), Some(vec![7, 7, 7]));
        assert_eq!(filled(0u64, usize::MAX), None);
        assert_eq!(filled(0u64, usize::MAX / 32), None);
    }
}
