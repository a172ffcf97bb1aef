//! Arrays that may be larger than memory: asking first, where a plain `vec!` would abort.

/// An array of `count` copies of `value`, or `None` where memory does not reach.
///
/// Zeros come straight from the system, which hands out pages of zeros only once they are touched.
pub(crate) fn filled<T: Clone>(value: T, count: usize) -> Option<Vec<T>> {
    has_room::<T>(count).then(|| vec![value; count])
}

/// Returns whether there is memory for an array of `count` elements.
pub(crate) fn has_room<T>(count: usize) -> bool {
    match count.checked_mul(size_of::<T>()) {
        None => false,
        Some(bytes) => bytes < ASKED || can_reserve::<T>(count),
    }
}

/// The number of bytes from which on the system is asked whether it has them.
const ASKED: usize = 1 << 20;

#[cold]
fn can_reserve<T>(count: usize) -> bool {
    let mut room = Vec::<T>::new();
    let is_had = room.try_reserve_exact(count).is_ok();
    // Room that is never used might otherwise not be asked for at all.
    std::hint::black_box(&mut room);
    is_had
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
