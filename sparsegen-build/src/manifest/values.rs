//! Parsing TOML values of an expected kind, each with its place.

use toml::de::{DeTable, DeValue};

use crate::error::{Code, Diagnostic, Name, Span};

use super::Text;
use crate::types::Literal;

/// A key of a table and its value.
pub(super) struct Entry<'t> {
    pub(super) key: Name,
    pub(super) value: Value<'t>,
}

/// A value and its place.
pub(super) struct Value<'t> {
    value: &'t DeValue<'t>,
    pub(super) span: Span,
    source: &'t str,
}

/// Returns the entries of a table in the order of the file.
pub(super) fn entries<'t>(table: &'t DeTable<'t>, source: &'t str) -> Vec<Entry<'t>> {
    let mut entries: Vec<_> = table
        .iter()
        .map(|(key, value)| Entry {
            key: Name {
                text: key.get_ref().to_string(),
                span: Span { start: key.span().start, end: key.span().end },
            },
            value: Value::of(value, source),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key.span.start);
    entries
}

impl<'t> Value<'t> {
    fn of(value: &'t toml::Spanned<DeValue<'t>>, source: &'t str) -> Value<'t> {
        let span = Span { start: value.span().start, end: value.span().end };
        Value { value: value.get_ref(), span, source }
    }

    /// Returns whether this is a table.
    pub(super) fn is_table(&self) -> bool {
        self.value.is_table()
    }

    /// Returns the text of the value, if it is a single line.
    pub(super) fn line(&self) -> Option<&'t str> {
        let text = self.source.get(self.span.start..self.span.end)?;
        // The place of a table may be its header.
        let is_value = !self.is_table() || text.starts_with('{');
        Some(text).filter(|text| is_value && !text.contains('\n'))
    }

    /// Returns whether this is an array.
    pub(super) fn is_array(&self) -> bool {
        self.value.is_array()
    }

    /// Parses a string; `expected` describes it in the error.
    pub(super) fn text(&self, expected: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<Text> {
        let text = self.value.as_str().map(|value| Text::of(value, self.span, self.source));
        if text.is_none() {
            diagnostics.push(self.unexpected(expected));
        }
        text
    }

    /// Parses a boolean.
    pub(super) fn boolean(
        &self,
        expected: &str,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<bool> {
        let boolean = self.value.as_bool();
        if boolean.is_none() {
            diagnostics.push(self.unexpected(expected));
        }
        boolean
    }

    /// Parses an extent.
    pub(super) fn extent(&self, expected: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<u64> {
        let extent = self
            .value
            .as_integer()
            .and_then(|integer| u64::from_str_radix(integer.as_str(), integer.radix()).ok())
            .filter(|extent| *extent <= u64::from(u32::MAX) * u64::from(u32::MAX));
        if extent.is_none() {
            diagnostics.push(self.unexpected(expected));
        }
        extent
    }

    /// Parses a constant: a number, a truth value, `"inf"` or `"-inf"`.
    pub(super) fn constant(&self, diagnostics: &mut Vec<Diagnostic>) -> Option<Literal> {
        let constant = self.literal();
        if constant.is_none() {
            diagnostics.push(self.unexpected("a number, a boolean, \"inf\" or \"-inf\""));
        }
        constant
    }

    /// Returns the value as a constant, if it is one.
    pub(super) fn literal(&self) -> Option<Literal> {
        let integer = self.value.as_integer();
        let integer = integer.and_then(|n| i64::from_str_radix(n.as_str(), n.radix()).ok());
        let float = self.value.as_float().and_then(|x| x.as_str().parse::<f64>().ok());
        let named = self.value.as_str().and_then(|text| match text {
            "inf" => Some(Literal::Greatest),
            "-inf" => Some(Literal::Least),
            _ => None,
        });
        let truth = self.value.as_bool().map(Literal::Bool);
        let number = integer.map(Literal::Int).or(float.map(Literal::real));
        number.or(named).or(truth)
    }

    /// Parses an array; returns `None` for another kind of value.
    pub(super) fn array(
        &self,
        expected: &str,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Value<'t>>> {
        let array = self.value.as_array();
        if array.is_none() {
            diagnostics.push(self.unexpected(expected));
        }
        array.map(|array| array.iter().map(|value| Value::of(value, self.source)).collect())
    }

    /// Parses a table; returns no entries for another kind of value.
    pub(super) fn table(
        &self,
        expected: &str,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Vec<Entry<'t>> {
        match self.value.as_table() {
            Some(table) => entries(table, self.source),
            None => {
                diagnostics.push(self.unexpected(expected));
                Vec::new()
            }
        }
    }

    /// Returns the diagnostic for a value of an unexpected kind.
    pub(super) fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = match self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(integer) if integer.as_str().starts_with('-') => "a negative number",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        Diagnostic::new(Code::WrongKind, self.span, format!("expected {expected}, found {found}"))
    }
}
