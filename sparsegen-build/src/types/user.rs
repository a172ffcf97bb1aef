//! Element types that the user's crate defines.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The path of an element type, such as `crate::Fp`.
///
/// Paths are interned: each distinct path is allocated once and never freed, and a type is its
/// number, so that element types are small and `Copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UserType(u32);

/// Returns the known paths, by number.
fn paths() -> MutexGuard<'static, Vec<&'static str>> {
    static PATHS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl UserType {
    /// Returns the type with this path.
    pub fn new(path: &str) -> UserType {
        let mut paths = paths();
        let number = paths.iter().position(|known| *known == path).unwrap_or_else(|| {
            paths.push(String::from(path).leak());
            paths.len() - 1
        });
        UserType(number as u32)
    }

    /// Returns the path.
    pub fn path(self) -> &'static str {
        paths()[self.0 as usize]
    }
}

impl fmt::Display for UserType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_paths_are_one_type() {
        let [a, b, c] = ["crate::A", "crate::B", "crate::A"].map(UserType::new);
        assert_eq!((a, a.path()), (c, "crate::A"));
        assert!(a != b && b.to_string() == "crate::B");
    }
}
