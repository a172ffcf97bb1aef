//! The registered levels of a compiler.

use std::sync::Arc;

use super::{
    Level, batch, bitmap, block_compressed, check, compressed, dense, hashed, loose_compressed,
    offset, range, singleton, structured,
};
use crate::error::{Code, Diagnostic};

/// The levels that a manifest may name.
#[derive(Debug, Clone)]
pub struct Levels {
    known: Vec<Arc<dyn Level>>,
    /// The diagnostics for user-defined levels that cannot be used.
    refused: Vec<Diagnostic>,
}

impl Default for Levels {
    fn default() -> Levels {
        let known: Vec<Arc<dyn Level>> = vec![
            Arc::new(dense::Dense),
            Arc::new(compressed::Compressed::default()),
            Arc::new(singleton::Singleton),
            Arc::new(range::Range),
            Arc::new(offset::Offset),
            Arc::new(hashed::Hashed),
            Arc::new(loose_compressed::LooseCompressed),
            Arc::new(bitmap::Bitmap),
            Arc::new(block_compressed::BlockCompressed::default()),
            Arc::new(structured::Structured::default()),
            Arc::new(batch::Batch),
        ];
        Levels { known, refused: Vec::new() }
    }
}

impl Levels {
    /// Registers a user-defined level. A level that cannot be used is also registered, so that
    /// formats that name it cause no further diagnostics.
    pub fn register(&mut self, level: Arc<dyn Level>) {
        let name = level.name();
        if self.find(name).is_some() {
            let message = format!("there are two levels named `{name}`");
            self.refused.push(
                Diagnostic::unplaced(Code::InvalidLevel, message)
                    .note("a level cannot replace a registered one")
                    .help("choose another name for your level"),
            );
            return;
        }
        self.refused.extend(check::refusal(level.as_ref()));
        self.known.push(level);
    }

    /// Returns the diagnostics for levels that cannot be used.
    pub(crate) fn refused(&self) -> &[Diagnostic] {
        &self.refused
    }

    /// Returns the level with this name.
    pub fn find(&self, name: &str) -> Option<Arc<dyn Level>> {
        self.known.iter().find(|level| level.name() == name).cloned()
    }

    /// Returns the names of all levels, in the order of registration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|level| level.name())
    }
}
