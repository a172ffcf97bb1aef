//! The banner and the size line of a Matrix Market file.

use super::COMMENT;
use crate::Error;
use crate::io::element::{Element, Field, complex_refusal};
use crate::io::lines::{Fields, Lines, quoted};
use crate::io::number;

/// The layout of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// A list of entries with their indices.
    Coordinate,
    /// All entries, column by column, without indices.
    Array,
}

/// The rule by which listed entries imply others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symmetry {
    /// None: unlisted entries are zero.
    General,
    /// `A[j,i] = A[i,j]`.
    Symmetric,
    /// `A[j,i] = -A[i,j]`; the diagonal is zero and not listed.
    SkewSymmetric,
    /// `A[j,i] = conj(A[i,j])`.
    Hermitian,
}

/// The content of the banner and the size line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) layout: Layout,
    pub(super) field: Field,
    pub(super) symmetry: Symmetry,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// The declared number of entries. It is not trusted: no memory is allocated for it.
    pub(super) entries: usize,
}

const OBJECTS: &[(&str, ())] = &[("matrix", ())];
const LAYOUTS: &[(&str, Layout)] = &[("coordinate", Layout::Coordinate), ("array", Layout::Array)];
const FIELDS: &[(&str, Field)] = &[
    ("real", Field::Real),
    ("integer", Field::Integer),
    ("complex", Field::Complex),
    ("pattern", Field::Pattern),
];
const SYMMETRIES: &[(&str, Symmetry)] = &[
    ("general", Symmetry::General),
    ("symmetric", Symmetry::Symmetric),
    ("skew-symmetric", Symmetry::SkewSymmetric),
    ("hermitian", Symmetry::Hermitian),
];

/// Nonstandard words, with the words of the standard.
const NONSTANDARD: &[(&str, &str)] = &[
    ("double", "real"),
    ("float", "real"),
    ("int", "integer"),
    ("unsigned-integer", "integer"),
    ("vector", "matrix"),
    ("dense", "array"),
    ("sparse", "coordinate"),
    ("unsymmetric", "general"),
    ("skew", "skew-symmetric"),
];

impl Header {
    /// Parses the banner and the size line of a file whose values become elements `V`.
    pub(super) fn parse<V: Element>(lines: &mut Lines<'_>) -> Result<Header, Error> {
        // The banner is the first line.
        let any = lines.advance()?;
        let banner = if any { parse_banner(lines) } else { Err(no_banner("an empty file")) };
        let (layout, field, symmetry) = banner.map_err(|message| lines.error(message))?;
        if field == Field::Complex && V::FIELD != Field::Complex {
            return Err(lines.error(complex_refusal(V::NAME)));
        }
        if !lines.advance_to_data(COMMENT)? {
            let size = size_words(layout);
            return Err(lines.error(format!("expected the size line ({size}), found the end")));
        }
        parse_size(lines, layout, field, symmetry).map_err(|message| lines.error(message))
    }

    /// Returns the first row of a column that an array lists.
    pub(super) fn first_row(&self, column: usize) -> usize {
        match self.symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric | Symmetry::Hermitian => column,
            Symmetry::SkewSymmetric => column + 1,
        }
    }

    /// Returns the indices of an array's entry with a number, which any file has that lists it.
    /// Takes the time of visiting the columns before it.
    pub(super) fn cell(&self, number: usize) -> [usize; 2] {
        let (mut column, mut rest) = (0, number);
        // An array with more entries has rows, and ends before the last column.
        while number < self.entries && column < self.columns {
            let first = self.first_row(column);
            let listed = self.rows.saturating_sub(first);
            if rest < listed {
                return [first + rest, column];
            }
            rest -= listed;
            column += 1;
        }
        [self.first_row(0), 0]
    }
}

fn no_banner(found: &str) -> String {
    format!(
        "expected the banner `%%MatrixMarket matrix coordinate real general` (or `array`; \
         `integer`, `complex`, `pattern`; `symmetric`, `skew-symmetric`, `hermitian`), \
         found {found}"
    )
}

fn parse_banner(lines: &Lines<'_>) -> Result<(Layout, Field, Symmetry), String> {
    let text = lines.text().map_err(|_| no_banner("a line that is not text in UTF-8"))?;
    // Some editors write a byte order mark.
    let mut words = Fields::of(text.strip_prefix('\u{feff}').unwrap_or(text));
    match words.next() {
        Some(word) if word.eq_ignore_ascii_case("%%MatrixMarket") => {}
        Some(word) => return Err(no_banner(&quoted(word))),
        None => return Err(no_banner("a blank line")),
    }
    keyword(&mut words, "object", OBJECTS)?;
    let layout = keyword(&mut words, "layout", LAYOUTS)?;
    let field = keyword(&mut words, "field", FIELDS)?;
    let symmetry = keyword(&mut words, "symmetry", SYMMETRIES)?;
    words.finish("the symmetry")?;
    if field == Field::Pattern && layout == Layout::Array {
        return Err("an array lists every entry, so its field cannot be `pattern`".to_owned());
    }
    let signed = matches!(symmetry, Symmetry::SkewSymmetric | Symmetry::Hermitian);
    if field == Field::Pattern && signed {
        return Err("a pattern has no signs: its symmetry is `general` or `symmetric`".to_owned());
    }
    if field != Field::Complex && symmetry == Symmetry::Hermitian {
        return Err("a hermitian matrix has the field `complex`, one without complex values is \
                    `symmetric`"
            .to_owned());
    }
    Ok((layout, field, symmetry))
}

/// Parses the next word of the banner, one of `choices` in any case.
fn keyword<T: Copy>(
    words: &mut Fields<'_>,
    what: &str,
    choices: &[(&str, T)],
) -> Result<T, String> {
    let expected = || {
        let listed: Vec<String> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
        match listed.split_last() {
            Some((last, rest)) if !rest.is_empty() => {
                format!("the {what} {} or {last}", rest.join(", "))
            }
            Some(_) | None => format!("the {what} {}", listed.concat()),
        }
    };
    let word = words.expect(expected())?;
    let found = choices.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
    found.map(|&(_, choice)| choice).ok_or_else(|| {
        let standard = NONSTANDARD.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
        let hint = match standard {
            Some((_, standard)) => format!(" (the standard's word is `{standard}`)"),
            None => String::new(),
        };
        format!("expected {}, found {}{hint}", expected(), quoted(word))
    })
}

fn size_words(layout: Layout) -> &'static str {
    match layout {
        Layout::Coordinate => "rows, columns, entries",
        Layout::Array => "rows, columns",
    }
}

fn parse_size(
    lines: &Lines<'_>,
    layout: Layout,
    field: Field,
    symmetry: Symmetry,
) -> Result<Header, String> {
    let expected = format!("the size line ({})", size_words(layout));
    let text = lines.text().map_err(|_| format!("expected {expected}, found other bytes"))?;
    let mut words = Fields::of(text);
    let mut size = |what: &str| {
        let word = words.expect(format!("the number of {what} in {expected}"))?;
        number::index(word).map_err(|reason| {
            format!("the number of {what} {} {reason}; expected {expected}", quoted(word))
        })
    };
    let rows = size("rows")?;
    let columns = size("columns")?;
    let entries = match layout {
        Layout::Coordinate => size("entries")?,
        Layout::Array => array_entries(rows, columns, symmetry)?,
    };
    words.finish(&expected)?;
    if symmetry != Symmetry::General && rows != columns {
        return Err(format!(
            "a matrix with this symmetry is square, the size line says {rows} x {columns}"
        ));
    }
    Ok(Header { layout, field, symmetry, rows, columns, entries })
}

/// Returns the number of entries of an array: all, or a triangle with or without the diagonal.
fn array_entries(rows: usize, columns: usize, symmetry: Symmetry) -> Result<usize, String> {
    let (m, n) = (rows as u128, columns as u128);
    let entries = match symmetry {
        Symmetry::General => m * n,
        Symmetry::Symmetric | Symmetry::Hermitian => n * (n + 1) / 2,
        Symmetry::SkewSymmetric => n * n.saturating_sub(1) / 2,
    };
    usize::try_from(entries)
        .map_err(|_| format!("an array of {rows} x {columns} has more entries than can be counted"))
}
