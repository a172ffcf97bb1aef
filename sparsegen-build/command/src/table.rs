//! Tables of a manifest that are changed and written again.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

/// A table, by keys.
pub type Table = BTreeMap<String, Value>;

/// A value of a manifest.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    String(String),
    /// A number, a boolean or a date, as it is written.
    Word(String),
    Array(Vec<Value>),
    Table(Table),
}

impl Value {
    /// Returns the table, if it is one.
    pub fn as_table(&self) -> Option<&Table> {
        match self {
            Value::Table(table) => Some(table),
            Value::String(_) | Value::Word(_) | Value::Array(_) => None,
        }
    }

    /// Returns the table to be changed, if it is one.
    pub fn as_table_mut(&mut self) -> Option<&mut Table> {
        match self {
            Value::Table(table) => Some(table),
            Value::String(_) | Value::Word(_) | Value::Array(_) => None,
        }
    }

    /// Returns the string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            Value::Word(_) | Value::Array(_) | Value::Table(_) => None,
        }
    }

    /// Returns the value, if it is a number that is not negative.
    pub fn as_size(&self) -> Option<usize> {
        match self {
            Value::Word(word) => word.replace('_', "").parse().ok(),
            Value::String(_) | Value::Array(_) | Value::Table(_) => None,
        }
    }
}

/// Returns the tables of a manifest; none if it is no TOML.
pub fn parse(text: &str) -> Table {
    DeTable::parse(text).map(|table| of_table(table.get_ref())).unwrap_or_default()
}

fn of_table(table: &DeTable<'_>) -> Table {
    let entries = table.iter();
    entries.map(|(key, value)| (key.get_ref().to_string(), of(value.get_ref()))).collect()
}

fn of(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => Value::Word(number.to_string()),
        DeValue::Float(number) => Value::Word(number.to_string()),
        DeValue::Boolean(value) => Value::Word(value.to_string()),
        DeValue::Datetime(time) => Value::Word(time.to_string()),
        DeValue::Array(values) => {
            Value::Array(values.iter().map(|value| of(value.get_ref())).collect())
        }
        DeValue::Table(table) => Value::Table(of_table(table)),
    }
}

/// Writes the tables `[NAME]` and `[NAME.NAME]` with inline values.
pub fn write(whole: &Table) -> String {
    let (mut head, mut text) = (String::new(), String::new());
    for (key, value) in whole {
        match value {
            Value::Table(tables) if tables.values().all(|value| value.as_table().is_some()) => {
                for (name, table) in tables {
                    text.push_str(&format!("[{}.{}]\n", quoted(key), quoted(name)));
                    entries(table.as_table(), &mut text);
                }
            }
            Value::Table(table) => {
                text.push_str(&format!("[{}]\n", quoted(key)));
                entries(Some(table), &mut text);
            }
            value => head.push_str(&format!("{} = {}\n", quoted(key), shown(value))),
        }
    }
    head + &text
}

fn entries(table: Option<&Table>, text: &mut String) {
    for (key, value) in table.into_iter().flatten() {
        text.push_str(&format!("{} = {}\n", quoted(key), shown(value)));
    }
    text.push('\n');
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Word(word) => word.clone(),
        Value::Array(values) => {
            format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        Value::Table(table) => {
            let entry =
                |(key, value): (&String, &Value)| format!("{} = {}", quoted(key), shown(value));
            format!("{{ {} }}", table.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}

fn quoted(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(is_bare) { key.to_owned() } else { string(key) }
}

fn string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_the_same() {
        let text = "a = 1\n[b.c]\nd = [\"x\\\"\", 2.5]\ne = { f = true, \"g h\" = -1 }\n\n[b.i]\n\n[j]\nk = \"l\\nm\"\n\n";
        let table = parse(text);
        assert_eq!(write(&table), text);
        assert_eq!(parse(&write(&table)), table);
        assert_eq!(table["a"].as_size(), Some(1));
    }
}
