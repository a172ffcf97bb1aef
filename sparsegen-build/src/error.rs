//! Errors as a user sees them: where, why, and the way out.

mod render;
mod suggest;

use std::fmt;

pub use suggest::{nearest, quoted};

/// A range of bytes of the manifest's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// The smallest range that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// One mistake, mostly in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it is in the manifest; `None` of a mistake in what a compiler was made of.
    pub span: Option<Span>,
    /// What is wrong, in one sentence without a full stop at the end.
    pub message: String,
    /// What stands beside the caret; may be empty.
    pub label: String,
    /// The reason, or facts that help to understand it.
    pub notes: Vec<String>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A mistake at a place.
    pub fn new(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            span: Some(span),
            message: message.into(),
            label: String::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// A mistake in what a compiler was made of, such as a level.
    pub fn unplaced(message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: None, ..Diagnostic::new(Span::default(), message) }
    }

    /// Something of the language that the compiler understands but cannot compile yet: `what` says
    /// which, in the plural, such as "slices".
    pub fn unsupported(span: Span, what: impl fmt::Display) -> Diagnostic {
        Diagnostic::new(span, format!("{what} are not supported yet"))
    }

    /// Adds what stands beside the caret.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Adds a reason.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds the way out.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds the known name that is nearest to an unknown one, or else all of them.
    pub fn suggest<'n>(
        self,
        unknown: &str,
        known: impl IntoIterator<Item = &'n str>,
        what: &str,
    ) -> Diagnostic {
        let known: Vec<_> = known.into_iter().collect();
        match nearest(unknown, known.iter().copied()) {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None if known.is_empty() => self,
            None => self.help(format!("{what} are {}", quoted(&known))),
        }
    }
}

/// All mistakes of a manifest, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds more of them, each in its place.
    pub fn extend(&mut self, more: impl IntoIterator<Item = Diagnostic>) {
        self.0.extend(more);
        self.0.sort_by_key(|diagnostic| diagnostic.span.map(|span| (span.start, span.end)));
        self.0.dedup();
    }

    /// The mistakes, by place.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// What a user reads: each mistake with its place in the file `name`, whose content is `text`.
    pub fn render(&self, name: &str, text: &str) -> String {
        let pages: Vec<_> =
            self.iter().map(|diagnostic| render::render(diagnostic, name, text)).collect();
        pages.join("\n")
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(iter: I) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        diagnostics.extend(iter);
        diagnostics
    }
}
