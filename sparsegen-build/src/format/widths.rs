//! The integer types of the positions and coordinates of each level.

use std::fmt;

use super::builtin::LARGEST_ORDER;
use super::define::{DefinedMap, Definition};
use super::{Format, LevelSpec};
use crate::error::{Code, Diagnostic, Span};
use crate::level::{Holds, Levels};
use crate::manifest::FormatText;
use crate::types::Width;

/// The integer types of the positions, or of the coordinates, of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Widths {
    /// One type for all levels.
    Same(Width),
    /// A type for each level with such an array, outermost first.
    Each(Vec<Width>),
}

impl LevelSpec {
    /// Returns whether the level has an array of positions.
    pub fn has_positions(&self) -> bool {
        let holds = |holds: Holds| matches!(holds, Holds::Positions | Holds::Indices(_));
        self.level.arrays().iter().any(|array| holds(array.holds))
    }

    /// Returns whether the level has an array of coordinates.
    pub fn has_coordinates(&self) -> bool {
        self.level.arrays().iter().any(|array| array.holds == Holds::Coordinates)
    }
}

impl Format {
    /// Returns the widest type of positions.
    pub fn pos(&self) -> Width {
        self.levels.iter().map(|spec| spec.pos).max().unwrap_or_default()
    }

    /// Returns the widest type of coordinates.
    pub fn crd(&self) -> Width {
        self.levels.iter().map(|spec| spec.crd).max().unwrap_or_default()
    }

    /// Returns the types of positions and of coordinates, if all levels have the same.
    pub(super) fn uniform_widths(&self) -> Option<(Width, Width)> {
        let widths = (self.pos(), self.crd());
        self.levels.iter().all(|spec| (spec.pos, spec.crd) == widths).then_some(widths)
    }

    /// Returns the format with these types, or `None` if a list is not as long as the number of
    /// levels with such an array.
    pub(super) fn with_widths(mut self, pos: &Widths, crd: &Widths) -> Option<Format> {
        assign(&mut self, pos, LevelSpec::has_positions, |spec| &mut spec.pos)?;
        assign(&mut self, crd, LevelSpec::has_coordinates, |spec| &mut spec.crd)?;
        Some(self)
    }
}

/// Sets the type of each level. A level without such an array gets the widest one of a list, so that
/// a list of equal types is the same as this type for all levels.
fn assign(
    format: &mut Format,
    widths: &Widths,
    has_array: impl Fn(&LevelSpec) -> bool,
    field: impl Fn(&mut LevelSpec) -> &mut Width,
) -> Option<()> {
    let list = match widths {
        Widths::Same(width) => {
            format.levels.iter_mut().for_each(|spec| *field(spec) = *width);
            return Some(());
        }
        Widths::Each(list) => list,
    };
    let widest = list.iter().copied().max().unwrap_or_default();
    let mut rest = list.iter().copied();
    for spec in &mut format.levels {
        *field(spec) = if has_array(spec) { rest.next()? } else { widest };
    }
    rest.next().is_none().then_some(())
}

impl fmt::Display for Widths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Widths::Same(width) => width.fmt(f),
            Widths::Each(list) => {
                let names: Vec<_> = list.iter().map(|width| width.name()).collect();
                f.write_str(&names.join(", "))
            }
        }
    }
}

impl Definition {
    /// Sets the types that a manifest gives. A list may determine the order of a built-in format
    /// that has several.
    pub(super) fn set_widths(
        &mut self,
        text: &FormatText,
        levels: &Levels,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<()> {
        // Only a list has to fit the levels of some order.
        let is_list = |given: &Option<(Widths, Span)>| matches!(given, Some((Widths::Each(_), _)));
        let mut formats: Vec<_> = match is_list(&text.pos) || is_list(&text.crd) {
            true => {
                let orders = self.order().map_or(1..=LARGEST_ORDER, |order| order..=order);
                orders.filter_map(|order| self.of_order(order, levels)).collect()
            }
            false => Vec::new(),
        };
        let is_generic = formats.len() > 1;
        type HasArray = fn(&LevelSpec) -> bool;
        let positions: HasArray = LevelSpec::has_positions;
        let coordinates: HasArray = LevelSpec::has_coordinates;
        let lists = [
            (&text.pos, &mut self.pos, positions, "positions"),
            (&text.crd, &mut self.crd, coordinates, "coordinates"),
        ];
        let mut is_valid = true;
        for (given, own, has_array, array) in lists {
            let Some((widths, span)) = given else { continue };
            own.clone_from(widths);
            let Widths::Each(list) = widths else { continue };
            let count =
                |format: &Format| format.levels.iter().filter(|spec| has_array(spec)).count();
            let counts: Vec<_> = formats.iter().map(count).collect();
            if counts.contains(&list.len()) {
                formats.retain(|format| count(format) == list.len());
                continue;
            }
            is_valid = false;
            let message = format!("this list has {} for {array}", number_of(list.len(), "type"));
            let has = match counts[..] {
                [count] => format!("the format has {} with {array}", number_of(count, "level")),
                _ => format!("no order of the format has as many levels with {array}"),
            };
            diagnostics.push(
                Diagnostic::new(Code::WidthCount, *span, message).note(has).help(format!(
                    "give a type for each level with {array}, or one for all levels"
                )),
            );
        }
        match &formats[..] {
            [only] if is_generic => self.map = DefinedMap::Declared(only.clone()),
            [_, _, ..] => {
                // Each order has one such array, or none.
                for own in [&mut self.pos, &mut self.crd] {
                    if let Widths::Each(list) = own {
                        *own = Widths::Same(list.first().copied().unwrap_or_default());
                    }
                }
            }
            [] | [_] => {}
        }
        is_valid.then_some(())
    }
}

/// Returns `1 type`, `2 types`.
fn number_of(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
