//! What a manifest's formats stand for: names resolved to maps.

use crate::error::{Diagnostic, nearest, quoted};
use crate::level::Levels;
use crate::manifest::{FormatText, Manifest, Text};
use crate::types::{Literal, Width};

use super::builtin::{BUILTINS, Builtin, LARGEST_ORDER, find};
use super::{Format, parse};

/// What a format stands for: a map, or a built-in format that may have a map for every order.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name under which the manifest knows it.
    name: Option<String>,
    map: DefinedMap,
    pos: Width,
    crd: Width,
    fill: Literal,
}

#[derive(Clone, Debug)]
enum DefinedMap {
    Declared(Format),
    Builtin(&'static Builtin),
}

impl Definition {
    /// The only order that it fits, if there is one.
    pub fn order(&self) -> Option<usize> {
        match &self.map {
            DefinedMap::Declared(format) => Some(format.order()),
            DefinedMap::Builtin(builtin) => builtin.order(),
        }
    }

    /// Whether a tensor of this order may have it.
    pub fn fits(&self, order: usize) -> bool {
        match &self.map {
            DefinedMap::Declared(format) => format.order() == order,
            DefinedMap::Builtin(builtin) => builtin.fits(order),
        }
    }

    /// The value of what is not stored.
    pub fn fill(&self) -> Literal {
        self.fill
    }

    /// The name that it has in messages.
    pub fn title(&self) -> String {
        match (&self.name, &self.map) {
            (Some(name), _) => format!("`{name}`"),
            (None, DefinedMap::Builtin(builtin)) => format!("`{}`", builtin.name),
            (None, DefinedMap::Declared(_)) => "this map".to_owned(),
        }
    }

    /// The format for a tensor of an order that fits.
    pub fn of_order(&self, order: usize, levels: &Levels) -> Option<Format> {
        if !self.fits(order) {
            return None;
        }
        let (mut format, builtin) = match &self.map {
            DefinedMap::Declared(format) => (format.clone(), recognize(format, levels)),
            DefinedMap::Builtin(builtin) => (of_builtin(builtin, order, levels)?, Some(*builtin)),
        };
        format.name = self.name.clone().or(builtin.map(|builtin| builtin.name.to_owned()));
        format.pos = self.pos;
        format.crd = self.crd;
        format.builtin = builtin.map(|builtin| builtin.marker(order, self.pos, self.crd));
        if !self.fill.is_zero() && self.family("N").is_some() {
            // A marker of its own is for one order alone.
            format.name = None;
        }
        if !self.fill.is_zero() && self.name.is_none() {
            format.name = None;
        }
        Some(format.filled(self.fill))
    }

    /// A built-in format with widths.
    pub(super) fn of_builtin(builtin: &'static Builtin, pos: Width, crd: Width) -> Definition {
        let fill = Literal::Int(0);
        Definition { name: None, map: DefinedMap::Builtin(builtin), pos, crd, fill }
    }

    /// The type of a built-in format of every order, over an order of this name.
    pub fn family(&self, order: &str) -> Option<String> {
        match &self.map {
            DefinedMap::Builtin(builtin) if builtin.order().is_none() => {
                Some(builtin.marker_over(order, self.pos, self.crd))
            }
            DefinedMap::Builtin(_) | DefinedMap::Declared(_) => None,
        }
    }
}

/// The format of a built-in map.
fn of_builtin(builtin: &Builtin, order: usize, levels: &Levels) -> Option<Format> {
    let (pos, crd) = (Width::default(), Width::default());
    if order == 0 {
        let (dimensions, levels) = (Vec::new(), Vec::new());
        return Some(Format {
            name: None,
            dimensions,
            levels,
            pos,
            crd,
            builtin: None,
            fill: Literal::Int(0),
        });
    }
    parse::parse(&Text::unplaced(&builtin.map(order)), levels, pos, crd).ok()
}

/// The built-in format that has the same map.
pub(super) fn recognize(format: &Format, levels: &Levels) -> Option<&'static Builtin> {
    const TABLE: &[Builtin] = &BUILTINS;
    TABLE.iter().filter(|builtin| builtin.fits(format.order())).find(|builtin| {
        of_builtin(builtin, format.order(), levels).is_some_and(|known| known.same_map(format))
    })
}

impl Format {
    /// Whether two formats are the same but for their names.
    pub fn is_same(&self, other: &Format) -> bool {
        self.same_map(other)
            && (self.pos, self.crd, self.fill) == (other.pos, other.crd, other.fill)
    }

    /// Whether two formats have the same levels, whatever their dimensions are called.
    pub fn same_map(&self, other: &Format) -> bool {
        self.order() == other.order()
            && self.levels.len() == other.levels.len()
            && self.levels.iter().zip(&other.levels).all(|(a, b)| {
                a.expr == b.expr
                    && a.level.name() == b.level.name()
                    && a.level.parameters() == b.level.parameters()
                    && a.properties == b.properties
            })
    }
}

/// The formats that a manifest knows.
#[derive(Debug)]
pub struct Formats<'m> {
    levels: &'m Levels,
    pos: Width,
    crd: Width,
    /// What the manifest declares; nothing where a declaration is wrong.
    declared: Vec<(&'m str, Option<Definition>)>,
}

impl<'m> Formats<'m> {
    /// Resolves what a manifest declares.
    pub fn of(
        manifest: &'m Manifest,
        levels: &'m Levels,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Formats<'m> {
        let (pos, crd) = (manifest.defaults.pos, manifest.defaults.crd);
        let mut formats = Formats { levels, pos, crd, declared: Vec::new() };
        let mut open: Vec<_> = manifest.formats.iter().collect();
        // A format may stand on one that is declared after it; each round resolves all that stand
        // on what earlier rounds resolved.
        while !open.is_empty() {
            let names: Vec<_> = open.iter().map(|entry| entry.name.text.as_str()).collect();
            let (waiting, ready): (Vec<_>, Vec<_>) = open
                .iter()
                .copied()
                .partition(|entry| names.contains(&entry.format.map.value.as_str()));
            for entry in &ready {
                let mut definition = formats.define(&entry.format, diagnostics);
                if let Some(definition) = &mut definition {
                    definition.name = Some(entry.name.text.clone());
                }
                formats.declared.push((entry.name.text.as_str(), definition));
            }
            if ready.is_empty() {
                for entry in &waiting {
                    let message = format!("the format `{}` is declared by itself", entry.name.text);
                    diagnostics.push(
                        Diagnostic::new(entry.format.map.inner(), message)
                            .note("following the names never leads to a map")
                            .help("give one of these formats a map"),
                    );
                    formats.declared.push((entry.name.text.as_str(), None));
                }
                break;
            }
            open = waiting;
        }
        formats
    }

    /// What the manifest declares, by name; nothing where a declaration is wrong.
    pub fn declared(&self, name: &str) -> Option<&Definition> {
        self.declared.iter().find(|(known, _)| *known == name)?.1.as_ref()
    }

    /// The levels that formats are made of.
    pub fn levels(&self) -> &'m Levels {
        self.levels
    }

    /// Resolves a format as written.
    pub fn define(
        &self,
        text: &FormatText,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Definition> {
        let mut definition = if is_map(&text.map.value) {
            match parse::parse(&text.map, self.levels, self.pos, self.crd) {
                Ok(format) => {
                    let (pos, crd) = (self.pos, self.crd);
                    Definition {
                        fill: Literal::Int(0),
                        name: None,
                        map: DefinedMap::Declared(format),
                        pos,
                        crd,
                    }
                }
                Err(mistakes) => {
                    diagnostics.extend(mistakes);
                    return None;
                }
            }
        } else {
            self.named(&text.map, diagnostics)?
        };
        definition.pos = text.pos.unwrap_or(definition.pos);
        definition.crd = text.crd.unwrap_or(definition.crd);
        definition.fill = text.fill.unwrap_or(definition.fill);
        if (text.pos, text.crd, text.fill) != (None, None, None) {
            // With other widths or another fill it is another format than the one of that name.
            definition.name = None;
        }
        Some(definition)
    }

    /// The format of a name, declared or built in.
    fn named(&self, text: &Text, diagnostics: &mut Vec<Diagnostic>) -> Option<Definition> {
        let name = text.value.as_str();
        if let Some((_, definition)) = self.declared.iter().find(|(known, _)| *known == name) {
            return definition.clone();
        }
        if let Some(builtin) = find(name) {
            let (pos, crd) = (self.pos, self.crd);
            return Some(Definition::of_builtin(builtin, pos, crd));
        }
        diagnostics.push(self.unknown(text));
        None
    }

    fn unknown(&self, text: &Text) -> Diagnostic {
        let name = text.value.as_str();
        let span = text.inner();
        let diagnostic = Diagnostic::new(span, format!("there is no format `{name}`"));
        if self.levels.find(name).is_some() {
            return diagnostic
                .note(format!("`{name}` is a kind of level; a format says which level stores what"))
                .help(format!("write a map, such as \"(i) -> (i : {name})\""));
        }
        match nearest(name, self.names()) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!(
                "the formats are {}; others are declared in `[formats]`",
                quoted(&self.names())
            )),
        }
    }

    fn names(&self) -> Vec<&str> {
        let builtin = BUILTINS.iter().map(|builtin| builtin.name);
        self.declared.iter().map(|(name, _)| *name).chain(builtin).collect()
    }

    /// The names of the formats that fit a tensor of an order.
    pub fn fitting(&self, order: usize) -> Vec<&str> {
        let declared = self
            .declared
            .iter()
            .filter(|(_, definition)| definition.as_ref().is_some_and(|known| known.fits(order)))
            .map(|(name, _)| *name);
        let builtin =
            BUILTINS.iter().filter(|builtin| builtin.fits(order)).map(|builtin| builtin.name);
        builtin.chain(declared).collect()
    }

    /// Why no built-in format fits a tensor of many modes.
    pub fn largest_order(&self) -> String {
        format!("built-in formats have at most {LARGEST_ORDER} modes")
    }

    /// What a scalar is stored as.
    pub fn scalar(&self) -> Option<Definition> {
        let (pos, crd) = (self.pos, self.crd);
        Some(Definition::of_builtin(find("scalar")?, pos, crd))
    }
}

/// Whether a format as written is a map rather than a name.
fn is_map(text: &str) -> bool {
    !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') || text.is_empty()
}
