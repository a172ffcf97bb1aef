//! The levels that a compiler knows.

use std::rc::Rc;

use super::{
    Level, bitmap, check, compressed, dense, hashed, loose_compressed, offset, range, singleton,
    structured,
};
use crate::error::Diagnostic;

/// The kinds of level that a manifest may name.
#[derive(Debug, Clone)]
pub struct Levels {
    known: Vec<Rc<dyn Level>>,
    /// Why levels of the user's own cannot be used.
    refused: Vec<Diagnostic>,
}

impl Default for Levels {
    fn default() -> Levels {
        let known: Vec<Rc<dyn Level>> = vec![
            Rc::new(dense::Dense),
            Rc::new(compressed::Compressed),
            Rc::new(singleton::Singleton),
            Rc::new(range::Range),
            Rc::new(offset::Offset),
            Rc::new(hashed::Hashed),
            Rc::new(loose_compressed::LooseCompressed),
            Rc::new(bitmap::Bitmap),
            Rc::new(structured::Structured::default()),
        ];
        Levels { known, refused: Vec::new() }
    }
}

impl Levels {
    /// Adds a level of the user's own. One that cannot be used is known all the same, so that formats
    /// that name it are not reported as well.
    pub fn register(&mut self, level: Rc<dyn Level>) {
        let name = level.name();
        if self.find(name).is_some() {
            let message = format!("there are two levels named `{name}`");
            self.refused.push(
                Diagnostic::unplaced(message)
                    .note("a level that is registered cannot replace another one")
                    .help("give the level of your own another name"),
            );
            return;
        }
        self.refused.extend(check::refusal(level.as_ref()));
        self.known.push(level);
    }

    /// Why levels cannot be used.
    pub(crate) fn refused(&self) -> &[Diagnostic] {
        &self.refused
    }

    /// The level of a name.
    pub fn find(&self, name: &str) -> Option<Rc<dyn Level>> {
        self.known.iter().find(|level| level.name() == name).cloned()
    }

    /// The names of all levels, in the order of registration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|level| level.name())
    }
}
