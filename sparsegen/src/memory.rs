//! Arrays that may exceed memory, whose allocation fails instead of aborting the process.

/// Returns an array of `count` copies of `value`, or `None` if memory does not suffice.
///
/// An array of zeros is allocated as zeroed pages, which take memory only once they are written.
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

/// The smallest array, in bytes, for which a trial allocation is made.
const ASKED: usize = 1 << 20;

#[cold]
fn can_reserve<T>(count: usize) -> bool {
    let mut room = Vec::<T>::new();
    let is_had = room.try_reserve_exact(count).is_ok();
    // Keeps the compiler from removing the unused allocation.
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
