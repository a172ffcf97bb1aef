//! Diagnostics: the place, the reason and the remedy of an error or a warning.

mod code;
mod render;
mod suggest;
mod warning;

pub use code::{Code, errors};
pub use suggest::{nearest, quoted};
pub use warning::{Warning, Warnings};

/// A range of bytes in the text of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

impl Span {
    /// Returns the smallest range that contains both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A name and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// The place.
    pub span: Span,
}

/// Returns the explanation of a diagnostic's code, such as `SG0103`, as Markdown: its cause, an
/// example, and the repaired example. `None` if there is no such code.
pub fn explain_code(code: &str) -> Option<&'static str> {
    code::find(code).map(Code::page)
}

/// The severity of diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Severity {
    /// Nothing is generated.
    #[default]
    Error,
    /// The kernels are generated, but one of them differs from what was asked for.
    Warning,
}

/// An error or a warning, usually in a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The cause, which `sparsegen explain CODE` explains.
    pub code: Code,
    /// The place in the manifest; `None` for an error in the configuration of the compiler.
    pub span: Option<Span>,
    /// The error or the warning, in one sentence without a final full stop.
    pub message: String,
    /// The text next to the carets; may be empty.
    pub label: Box<str>,
    /// The reason, or other relevant facts.
    pub notes: Vec<String>,
    /// The remedy.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Creates a diagnostic at a place.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            span: Some(span),
            message: message.into(),
            label: Box::default(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// Creates a diagnostic for the configuration of a compiler, such as a level.
    pub fn unplaced(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: None, ..Diagnostic::new(code, Span::default(), message) }
    }

    /// Adds text next to the carets.
    pub fn label(mut self, label: impl Into<Box<str>>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds a remedy.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Suggests the known name nearest to an unknown one, or lists all known names.
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

/// The errors or the warnings of a manifest, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    severity: Severity,
    all: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Returns an empty list of warnings.
    pub(crate) fn warnings() -> Diagnostics {
        Diagnostics { severity: Severity::Warning, all: Vec::new() }
    }

    /// Returns the severity of all diagnostics of the list.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds diagnostics, sorted by place.
    pub fn extend(&mut self, more: impl IntoIterator<Item = Diagnostic>) {
        self.all.extend(more);
        self.all.sort_by_key(|diagnostic| diagnostic.span.map(|span| (span.start, span.end)));
        self.all.dedup();
    }

    /// Returns the diagnostics, sorted by place.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.all.iter()
    }

    /// Renders each diagnostic with its place in the file `name`, whose content is `text`.
    pub fn render(&self, name: &str, text: &str) -> String {
        let pages: Vec<_> = self
            .iter()
            .map(|diagnostic| render::render(diagnostic, self.severity, name, text))
            .collect();
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
