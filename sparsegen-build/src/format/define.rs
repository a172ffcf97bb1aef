//! Definitions of a manifest's formats: names resolved to maps.

use crate::error::{Code, Diagnostic, nearest, quoted};
use crate::level::Levels;
use crate::manifest::{FormatText, Manifest, Text};
use crate::types::{Literal, Width};

use super::builtin::{BUILTINS, Builtin, LARGEST_ORDER, find};
use super::{Format, LevelSpec, Widths, parse};

/// The definition of a format: a map, or a built-in format, which may have a map for every order.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name of the format in the manifest.
    name: Option<String>,
    pub(super) map: DefinedMap,
    pub(super) pos: Widths,
    pub(super) crd: Widths,
    fill: Literal,
}

/// The map of a format, or a built-in format with a map for each of its orders.
#[derive(Clone, Debug)]
pub(super) enum DefinedMap {
    Declared(Format),
    Builtin(&'static Builtin),
}

impl Definition {
    /// Returns the only order of the format, if it has one.
    pub fn order(&self) -> Option<usize> {
        match &self.map {
            DefinedMap::Declared(format) => Some(format.order()),
            DefinedMap::Builtin(builtin) => builtin.order(),
        }
    }

    /// Returns whether a tensor of this order can have this format.
    pub fn fits(&self, order: usize) -> bool {
        match &self.map {
            DefinedMap::Declared(format) => format.order() == order,
            DefinedMap::Builtin(builtin) => builtin.fits(order),
        }
    }

    /// Returns the fill value.
    pub fn fill(&self) -> Literal {
        self.fill
    }

    /// Returns the name of the format in messages.
    pub fn title(&self) -> String {
        match (&self.name, &self.map) {
            (Some(name), _) => format!("`{name}`"),
            (None, DefinedMap::Builtin(builtin)) => format!("`{}`", builtin.name),
            (None, DefinedMap::Declared(_)) => "this map".to_owned(),
        }
    }

    /// Returns the format for a tensor of a supported order.
    pub fn of_order(&self, order: usize, levels: &Levels) -> Option<Format> {
        if !self.fits(order) {
            return None;
        }
        let (mut format, builtin) = match &self.map {
            DefinedMap::Declared(format) => (format.clone(), recognize(format, levels)),
            DefinedMap::Builtin(builtin) => (of_builtin(builtin, order, levels)?, Some(*builtin)),
        };
        format.name = self.name.clone().or(builtin.map(|builtin| builtin.name.to_owned()));
        format = format.with_widths(&self.pos, &self.crd)?;
        format.builtin = builtin
            .zip(format.uniform_widths())
            .map(|(builtin, (pos, crd))| builtin.marker(order, pos, crd));
        if !self.fill.is_zero() && self.family("N").is_some() {
            // A declared marker type has a single order.
            format.name = None;
        }
        if self.name.is_none() && (!self.fill.is_zero() || format.builtin.is_none()) {
            format.name = None;
        }
        Some(format.filled(self.fill))
    }

    /// Returns a built-in format with these integer types.
    pub(super) fn of_builtin(builtin: &'static Builtin, pos: Width, crd: Width) -> Definition {
        let fill = Literal::Int(0);
        let (pos, crd) = (Widths::Same(pos), Widths::Same(crd));
        Definition { name: None, map: DefinedMap::Builtin(builtin), pos, crd, fill }
    }

    /// Returns the type of a built-in format of every order, generic over an order of this name.
    pub fn family(&self, order: &str) -> Option<String> {
        match &self.map {
            DefinedMap::Builtin(builtin) if builtin.order().is_none() => {
                let (Widths::Same(pos), Widths::Same(crd)) = (&self.pos, &self.crd) else {
                    return None;
                };
                Some(builtin.marker_over(order, *pos, *crd))
            }
            DefinedMap::Builtin(_) | DefinedMap::Declared(_) => None,
        }
    }
}

/// Returns the format of a built-in map.
fn of_builtin(builtin: &Builtin, order: usize, levels: &Levels) -> Option<Format> {
    if order == 0 {
        let (dimensions, levels) = (Vec::new(), Vec::new());
        return Some(Format {
            name: None,
            dimensions,
            levels,
            builtin: None,
            fill: Literal::Int(0),
            counts_first: false,
        });
    }
    parse::parse(&Text::unplaced(&builtin.map(order)), levels).ok()
}

/// Returns the built-in format with the same map.
pub(super) fn recognize(format: &Format, levels: &Levels) -> Option<&'static Builtin> {
    const TABLE: &[Builtin] = &BUILTINS;
    let order = format.order();
    let names = || format.levels.iter().map(|spec| spec.level.name());
    let mut fitting =
        TABLE.iter().filter(|known| known.fits(order) && known.has_levels(order, names()));
    fitting.find(|known| of_builtin(known, order, levels).is_some_and(|it| it.same_map(format)))
}

impl Format {
    /// Returns whether two formats are equal except for their names.
    pub fn is_same(&self, other: &Format) -> bool {
        let same_widths = |(a, b): (&LevelSpec, &LevelSpec)| (a.pos, a.crd) == (b.pos, b.crd);
        self.same_map(other)
            && self.fill == other.fill
            && self.levels.iter().zip(&other.levels).all(same_widths)
    }

    /// Returns whether two formats have the same levels, whatever the names of their dimensions.
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

/// The formats of a manifest.
#[derive(Debug)]
pub struct Formats<'m> {
    levels: &'m Levels,
    pos: Width,
    crd: Width,
    /// The declared formats; `None` for a declaration with errors.
    declared: Vec<(&'m str, Option<Definition>)>,
}

impl<'m> Formats<'m> {
    /// Resolves the declarations of a manifest.
    pub fn of(
        manifest: &'m Manifest,
        levels: &'m Levels,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Formats<'m> {
        let (pos, crd) = (manifest.defaults.pos, manifest.defaults.crd);
        let mut formats = Formats { levels, pos, crd, declared: Vec::new() };
        let mut open: Vec<_> = manifest.formats.iter().collect();
        // A format may refer to one that is declared after it; each round resolves all formats that
        // refer to formats of earlier rounds.
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
                    let message = format!("the format `{}` is defined by itself", entry.name.text);
                    diagnostics.push(
                        Diagnostic::new(Code::FormatCycle, entry.format.map.inner(), message)
                            .note("the chain of names does not lead to a map")
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

    /// Returns a declared format by its name; `None` if its declaration has errors.
    pub fn declared(&self, name: &str) -> Option<&Definition> {
        self.declared.iter().find(|(known, _)| *known == name)?.1.as_ref()
    }

    /// Returns the levels of which formats consist.
    pub fn levels(&self) -> &'m Levels {
        self.levels
    }

    /// Resolves a format in the notation of a manifest.
    pub fn define(
        &self,
        text: &FormatText,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<Definition> {
        let mut definition = if is_map(&text.map.value) {
            match parse::parse(&text.map, self.levels) {
                Ok(format) => {
                    let (pos, crd) = (Widths::Same(self.pos), Widths::Same(self.crd));
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
        let differs = (&text.pos, &text.crd, text.fill) != (&None, &None, None);
        definition.set_widths(text, self.levels, diagnostics)?;
        definition.fill = text.fill.unwrap_or(definition.fill);
        if differs {
            // With other integer types or another fill value, it differs from the format with this
            // name.
            definition.name = None;
        }
        Some(definition)
    }

    /// Returns the declared or built-in format with this name.
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
        let diagnostic =
            Diagnostic::new(Code::UnknownFormat, span, format!("there is no format `{name}`"));
        if self.levels.find(name).is_some() {
            return diagnostic
                .note(format!("`{name}` is a level; a format maps dimensions to levels"))
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

    /// Returns the names of the formats for tensors of an order.
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

    /// Returns the message that no built-in format supports this many modes.
    pub fn largest_order(&self) -> String {
        format!("built-in formats have at most {LARGEST_ORDER} modes")
    }

    /// Returns the format of scalars.
    pub fn scalar(&self) -> Option<Definition> {
        let (pos, crd) = (self.pos, self.crd);
        Some(Definition::of_builtin(find("scalar")?, pos, crd))
    }
}

/// Returns whether a format in a manifest is a map and not a name.
fn is_map(text: &str) -> bool {
    !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') || text.is_empty()
}
