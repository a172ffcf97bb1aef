//! Comments, and marks that tell where statements come from.

use std::fmt;

/// A statement without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comment {
    /// Text for readers of the generated code.
    Text(String),
    /// The origin of the statements that follow in the block, until the next mark. Only plans with
    /// numbered loops have marks.
    Origin(Origin),
}

impl From<String> for Comment {
    fn from(text: String) -> Comment {
        Comment::Text(text)
    }
}

impl From<&str> for Comment {
    fn from(text: &str) -> Comment {
        Comment::Text(text.to_owned())
    }
}

/// The part of a loop that statements were generated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The number of the loop in its kernel.
    pub number: usize,
    /// The part of the loop.
    pub part: Part,
}

/// A part of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// A merge point, by its index: the iteration itself.
    Point(usize),
    /// A body, by its index: the statement of one or several regions.
    Body(usize),
}

/// The start of the text of a mark.
const MARK: &str = "\u{1}";

impl Origin {
    /// Parses the text of a mark.
    pub fn parse(text: &str) -> Option<Origin> {
        let (number, part) = text.strip_prefix(MARK)?.split_once('.')?;
        let number = number.parse().ok()?;
        let part = match (part.strip_prefix('p'), part.strip_prefix('b')) {
            (Some(point), _) => Part::Point(point.parse().ok()?),
            (None, body) => Part::Body(body?.parse().ok()?),
        };
        Some(Origin { number, part })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number;
        match self.part {
            Part::Point(point) => write!(f, "{MARK}{number}.p{point}"),
            Part::Body(body) => write!(f, "{MARK}{number}.b{body}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_parsed() {
        for part in [Part::Point(0), Part::Body(12)] {
            let origin = Origin { number: 3, part };
            assert_eq!(Origin::parse(&origin.to_string()), Some(origin));
        }
        assert_eq!(Origin::parse("Only `A` has entries left."), None);
    }
}
