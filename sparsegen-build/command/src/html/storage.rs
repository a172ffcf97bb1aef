//! Drawings of coordinate hierarchies: how a small example of each tensor is stored, level by level.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sparsegen_build::inspect::{Kernel, Level, Tensor};

use super::escaped;

/// The distance between two levels, and between two leaves.
const ROW: f64 = 46.0;
const COLUMN: f64 = 28.0;
/// The width of the names of the levels.
const NAMES: f64 = 190.0;

/// The largest number of leaves that are drawn.
const LEAVES: usize = 40;

/// Returns a drawing for each format of tensors of the kernel with modes.
pub fn section(kernel: &Kernel) -> String {
    let mut groups: Vec<Vec<&Tensor>> = Vec::new();
    for tensor in kernel.tensors.iter().filter(|tensor| !tensor.modes.is_empty()) {
        let same = |group: &&mut Vec<&Tensor>| group[0].levels == tensor.levels;
        match groups.iter_mut().find(same) {
            Some(group) => group.push(tensor),
            None => groups.push(vec![tensor]),
        }
    }
    groups.iter().filter_map(|group| drawing(group)).collect()
}

/// A node of a hierarchy: the coordinate of its level, and the nodes below.
struct Node {
    coordinate: i64,
    below: Vec<Node>,
    value: Option<usize>,
}

/// Returns the drawing of tensors with the same format.
fn drawing(tensors: &[&Tensor]) -> Option<String> {
    let tensor = tensors.first()?;
    let order = tensor.modes.len();
    let shape = shape(order)?;
    let grid = grid(&shape);
    let is_dense = tensor.levels.iter().all(|level| level.is_full);
    let entries: Vec<Vec<i64>> = match is_dense {
        true => grid.clone(),
        false => sample(order),
    };
    let mapped = |at: &Vec<i64>, slot: &dyn Fn(usize) -> i64| {
        let value = |level: &Level| evaluate(&level.expression, &tensor.dimensions, at, slot);
        tensor.levels.iter().map(value).collect::<Option<Vec<i64>>>()
    };
    // A slot counts the preceding entries with the same coordinate.
    let slot_of = |k: usize| {
        let entries = &entries;
        move |mode: usize| {
            entries[..k].iter().filter(|other| other[mode] == entries[k][mode]).count() as i64
        }
    };
    let stored: Option<Vec<Vec<i64>>> =
        entries.iter().enumerate().map(|(k, at)| mapped(at, &slot_of(k))).collect();
    let stored = stored?;
    let most = stored.iter().map(|coordinates| coordinates[0]).max().unwrap_or(0);
    let has_slots = tensor.levels.iter().any(|level| level.expression.starts_with('#'));
    let slots = if has_slots { most } else { 0 };
    let all: Option<Vec<Vec<i64>>> = grid
        .iter()
        .flat_map(|at| (0..=slots).map(move |slot| (at, slot)))
        .map(|(at, slot)| mapped(at, &|_| slot))
        .collect();
    let every: Vec<Vec<i64>> = all?;
    let members: Vec<usize> = (0..stored.len()).collect();
    let roots = nodes(&tensor.levels, 0, &members, &stored, &every, &[]);
    let leaves: usize = roots.iter().map(count).sum();
    (leaves > 0 && leaves <= LEAVES).then(|| drawn(tensors, &shape, &entries, &roots, leaves))
}

/// Returns the nodes of a level below a path of coordinates.
fn nodes(
    levels: &[Level],
    depth: usize,
    members: &[usize],
    stored: &[Vec<i64>],
    every: &[Vec<i64>],
    path: &[i64],
) -> Vec<Node> {
    let Some(level) = levels.get(depth) else { return Vec::new() };
    let within = |coordinate: i64| {
        let own = members.iter().copied().filter(|k| stored[*k][depth] == coordinate);
        own.collect::<Vec<usize>>()
    };
    let node = |coordinate: i64, own: &[usize]| {
        let path: Vec<i64> = path.iter().copied().chain([coordinate]).collect();
        let is_last = depth + 1 == levels.len();
        Node {
            coordinate,
            below: nodes(levels, depth + 1, own, stored, every, &path),
            value: is_last.then(|| own.first().map_or(0, |k| k + 1)),
        }
    };
    if !level.is_unique {
        return members.iter().map(|k| node(stored[*k][depth], &[*k])).collect();
    }
    let coordinates: BTreeSet<i64> = match level.is_full {
        true => {
            let below = every.iter().filter(|coordinates| coordinates[..depth] == *path);
            below.map(|coordinates| coordinates[depth]).collect()
        }
        false => members.iter().map(|k| stored[*k][depth]).collect(),
    };
    coordinates.into_iter().map(|coordinate| node(coordinate, &within(coordinate))).collect()
}

fn count(node: &Node) -> usize {
    node.below.iter().map(count).sum::<usize>().max(1)
}

fn drawn(
    tensors: &[&Tensor],
    shape: &[i64],
    entries: &[Vec<i64>],
    roots: &[Node],
    leaves: usize,
) -> String {
    let tensor = tensors[0];
    let mut html = String::new();
    let mut next = 0.0;
    for root in roots {
        draw(root, 0, &mut next, &mut html);
    }
    for (k, level) in tensor.levels.iter().enumerate() {
        let _ = writeln!(
            html,
            "<text class=\"dim\" x=\"4\" y=\"{:.0}\">{}</text>",
            20.0 + ROW * k as f64 + 4.0,
            escaped(&shortened(&level.text))
        );
    }
    let depth = tensor.levels.len() as f64;
    let _ = writeln!(
        html,
        "<text class=\"dim\" x=\"4\" y=\"{:.0}\">values</text>",
        20.0 + ROW * depth + 4.0
    );
    let shown = shape.iter().map(i64::to_string).collect::<Vec<_>>().join(" × ");
    let list = match entries.len() as i64 == shape.iter().product::<i64>() {
        true => "an entry everywhere".to_owned(),
        false => {
            let shown = entries.iter().enumerate().map(|(k, at)| {
                let at = at.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
                format!("({at}) = {}", k + 1)
            });
            shown.collect::<Vec<_>>().join(", ")
        }
    };
    let names = tensors.iter().map(|tensor| {
        let name = escaped(&tensor.name);
        format!("<i class=\"mono\" data-of=\"{name}\">{name}</i>")
    });
    let names = names.collect::<Vec<_>>().join(", ");
    let (width, height) = (NAMES + COLUMN * leaves as f64 + 10.0, ROW * depth + 40.0);
    format!(
        "<figure class=\"stored\"><figcaption>{names}: <span class=\"mono\">{}</span>, {shown}; {list}</figcaption>\n\
         <div class=\"panel scroll\"><svg width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" \
         aria-label=\"storage\">\n{html}</svg></div></figure>\n",
        escaped(&tensor.format),
    )
}

/// Draws a node above its children, and returns its place.
fn draw(node: &Node, depth: usize, next: &mut f64, html: &mut String) -> f64 {
    let y = 20.0 + ROW * depth as f64;
    let below: Vec<f64> =
        node.below.iter().map(|below| draw(below, depth + 1, next, html)).collect();
    let x = match (below.first(), below.last()) {
        (Some(first), Some(last)) => (first + last) / 2.0,
        _ => {
            *next += 1.0;
            NAMES + COLUMN * (*next - 0.5)
        }
    };
    for child in &below {
        let _ = writeln!(
            html,
            "<path class=\"edge\" d=\"M{x:.0} {:.0} L{child:.0} {:.0}\"/>",
            y + 11.0,
            y + ROW - 11.0
        );
    }
    if let Some(value) = node.value {
        let _ = writeln!(
            html,
            "<path class=\"edge\" d=\"M{x:.0} {:.0} L{x:.0} {:.0}\"/><text class=\"dim\" x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{value}</text>",
            y + 11.0,
            y + ROW - 11.0,
            y + ROW + 4.0
        );
    }
    let _ = writeln!(
        html,
        "<rect class=\"box\" x=\"{:.0}\" y=\"{:.0}\" width=\"22\" height=\"22\" rx=\"4\"/><text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
        x - 11.0,
        y - 11.0,
        y + 4.0,
        node.coordinate
    );
    x
}

/// Returns a level's text without the properties, if it is too long.
fn shortened(text: &str) -> String {
    let longest = (NAMES / 7.3) as usize;
    match text.chars().count() > longest {
        true => text.split('(').next().unwrap_or(text).chars().take(longest).collect(),
        false => text.to_owned(),
    }
}

/// Returns the extents of the example of an order.
fn shape(order: usize) -> Option<Vec<i64>> {
    Some(match order {
        1 => vec![6],
        2 => vec![4, 4],
        3 => vec![3, 3, 2],
        4 => vec![2, 2, 2, 2],
        _ => return None,
    })
}

fn grid(shape: &[i64]) -> Vec<Vec<i64>> {
    shape.iter().fold(vec![Vec::new()], |grid, extent| {
        let with = |at: &Vec<i64>| {
            let at = at.clone();
            (0..*extent).map(move |c| at.iter().copied().chain([c]).collect::<Vec<i64>>())
        };
        grid.iter().flat_map(with).collect()
    })
}

/// Returns some coordinates: in rows of different lengths, one of them empty.
fn sample(order: usize) -> Vec<Vec<i64>> {
    let coordinates: &[&[i64]] = match order {
        1 => &[&[1], &[2], &[4]],
        2 => &[&[0, 0], &[0, 2], &[2, 1], &[2, 2], &[2, 3], &[3, 3]],
        3 => &[&[0, 0, 0], &[0, 0, 1], &[0, 2, 1], &[2, 1, 0], &[2, 1, 1], &[2, 2, 0]],
        _ => &[&[0, 0, 0, 0], &[0, 0, 0, 1], &[0, 1, 1, 0], &[1, 0, 1, 0], &[1, 0, 1, 1]],
    };
    coordinates.iter().map(|at| at.to_vec()).collect()
}

/// Returns the value of an expression of dimensions: `i`, `i / 4`, `j - i`, `(i / 4) % 2`, `#i`.
fn evaluate(
    text: &str,
    dimensions: &[String],
    at: &[i64],
    slot: &dyn Fn(usize) -> i64,
) -> Option<i64> {
    let text = text.trim();
    let of = |text: &str| evaluate(text, dimensions, at, slot);
    if let Some(name) = text.strip_prefix('#') {
        return Some(slot(dimensions.iter().position(|known| known == name.trim())?));
    }
    if let Some(mode) = dimensions.iter().position(|known| known == text) {
        return at.get(mode).copied();
    }
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let outside = |wanted: &[char]| {
        let mut depth = 0;
        let mut last = None;
        for (k, c) in text.char_indices() {
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth == 0 && wanted.contains(&c) {
                last = Some((k, c));
            }
        }
        last
    };
    if let Some((k, c)) = outside(&['+', '-']).or_else(|| outside(&['*', '/', '%'])) {
        let (a, b) = (of(&text[..k])?, of(&text[k + 1..])?);
        return match c {
            '+' => a.checked_add(b),
            '-' => a.checked_sub(b),
            '*' => a.checked_mul(b),
            '/' => a.checked_div(b),
            _ => a.checked_rem(b),
        };
    }
    of(text.strip_prefix('(')?.strip_suffix(')')?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_dimensions_have_values() {
        let names = ["i".to_owned(), "j".to_owned()];
        let value = |text: &str| evaluate(text, &names, &[13, 4], &|mode| mode as i64 + 70);
        assert_eq!(value("i"), Some(13));
        assert_eq!(value("j - i"), Some(-9));
        assert_eq!(value("(i / 4) % 2"), Some(1));
        assert_eq!(value("i % 4"), Some(1));
        assert_eq!(value("#j"), Some(71));
        assert_eq!(value("k"), None);
    }
}
