//! Element types that the user's crate defines.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Mutex;

/// The path of an element type, such as `crate::Fp`.
///
/// Paths are interned: each distinct path is allocated once and never freed, so that element types
/// are `Copy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UserType(&'static str);

impl UserType {
    /// Returns the type with this path.
    pub fn new(path: &str) -> UserType {
        static PATHS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
        let mut paths = PATHS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = paths.get(path) {
            return UserType(known);
        }
        let path: &'static str = String::from(path).leak();
        paths.insert(path);
        UserType(path)
    }

    /// Returns the path.
    pub fn path(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for UserType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
