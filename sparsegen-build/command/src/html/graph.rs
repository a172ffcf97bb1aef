//! The drawing of an iteration graph: the loops from top to bottom, and an arrow for each edge.

use std::fmt::Write as _;

use sparsegen_build::inspect::Statement;

use super::{escaped, width};

/// The distance between two loops.
const ROW: f64 = 62.0;
/// The radius of a node.
const RADIUS: f64 = 16.0;
/// The distance of the nodes from the left.
const LEFT: f64 = 40.0;

/// Returns the graph of a statement; nothing if it has no loops.
pub fn section(statement: &Statement) -> String {
    let mut variables: Vec<&str> = Vec::new();
    let of_loops = statement.loops.iter().map(|inner| inner.variable.as_str());
    let of_edges = statement.edges.iter().flat_map(|edge| [edge.before.as_str(), &edge.after]);
    for variable in of_loops.chain(of_edges) {
        if !variables.contains(&variable) {
            variables.push(variable);
        }
    }
    if variables.is_empty() {
        return String::new();
    }
    let row = |name: &str| variables.iter().position(|known| *known == name).unwrap_or(0);
    let mut arrows: Vec<(usize, usize, Vec<&str>)> = Vec::new();
    for edge in &statement.edges {
        let (from, to) = (row(&edge.before), row(&edge.after));
        match arrows.iter_mut().find(|(a, b, _)| (*a, *b) == (from, to)) {
            Some((.., reasons)) => reasons.push(&edge.reason),
            None => arrows.push((from, to, vec![&edge.reason])),
        }
    }
    // Short arrows are straight; each long one bends further to the right than the labels before it.
    arrows.sort_by_key(|(from, to, _)| from.abs_diff(*to));
    let mut html = String::new();
    let mut right = LEFT + RADIUS;
    for (from, to, reasons) in &arrows {
        let (y1, y2) = (ROW * *from as f64 + 30.0, ROW * *to as f64 + 30.0);
        let middle = (y1 + y2) / 2.0 + 4.0;
        let label = reasons.join(", ");
        let is_straight = from.abs_diff(*to) == 1;
        let sign = if y2 > y1 { 1.0 } else { -1.0 };
        // At the labels it has this share of the way to its control points.
        let start = LEFT + RADIUS;
        let x = if is_straight { LEFT } else { start + (right + 12.0 - start) / 0.62 };
        let path = match is_straight {
            true => {
                format!("M{LEFT} {} L{LEFT} {}", y1 + sign * RADIUS, y2 - sign * (RADIUS + 6.0))
            }
            false => {
                format!("M{} {y1} C{x} {y1} {x} {y2} {} {y2}", LEFT + RADIUS, LEFT + RADIUS + 6.0)
            }
        };
        let at = if is_straight { LEFT } else { LEFT + RADIUS + 0.75 * (x - LEFT - RADIUS) };
        let _ = writeln!(
            html,
            "<g><path class=\"edge\" d=\"{path}\" marker-end=\"url(#tip)\"/>\
             <text class=\"dim\" x=\"{}\" y=\"{middle}\">{}</text></g>",
            at + 8.0,
            linked(&label)
        );
        right = right.max(at + 8.0 + width(&label));
    }
    for (k, name) in variables.iter().enumerate() {
        let y = ROW * k as f64 + 30.0;
        let parts: Vec<String> = statement
            .loops
            .iter()
            .filter(|inner| inner.variable == *name)
            .flat_map(|inner| {
                (0..inner.points.len()).map(move |p| format!("{}.p{p}", inner.number))
            })
            .collect();
        let parts = match parts.is_empty() {
            true => String::new(),
            false => format!(" data-parts=\"{}\"", parts.join(" ")),
        };
        // A long name widens its node.
        let half = RADIUS.max(width(name) / 2.0 + 5.0).min(LEFT - 2.0);
        let _ = writeln!(
            html,
            "<g{parts}><rect class=\"box\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{RADIUS}\"/>\
             <text x=\"{LEFT}\" y=\"{}\" text-anchor=\"middle\">{}</text></g>",
            LEFT - half,
            y - RADIUS,
            2.0 * half,
            2.0 * RADIUS,
            y + 4.0,
            escaped(name)
        );
    }
    let (w, h) = (right + 20.0, ROW * (variables.len() - 1) as f64 + 60.0);
    let note = match statement.edges.is_empty() {
        true => "<p class=\"note\">No format demands an order of these loops.</p>\n",
        false => {
            "<p class=\"note\">The loop at the start of an arrow contains the one at its end, \
                  because the levels of this access are reached in that order.</p>\n"
        }
    };
    format!(
        "{note}<div class=\"panel scroll\"><svg width=\"{w:.0}\" height=\"{h:.0}\" role=\"img\" \
         aria-label=\"iteration graph\">\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"2\" refY=\"4\" \
         markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path class=\"tip\" d=\"M0 0 L8 4 L0 8 z\"/>\
         </marker></defs>\n{html}</svg></div>\n"
    )
}

/// Returns a label with the tensors of its accesses linked.
fn linked(label: &str) -> String {
    let part = |part: &str| match part.find('[') {
        Some(end) => {
            let name = escaped(part[..end].trim_start());
            format!("<tspan data-of=\"{name}\">{}</tspan>", escaped(part))
        }
        None => escaped(part),
    };
    // Commas within subscripts do not separate accesses.
    label
        .split("], ")
        .map(|text| {
            if text.contains('[') && !text.ends_with(']') {
                format!("{text}]")
            } else {
                text.to_owned()
            }
        })
        .map(|text| part(&text))
        .collect::<Vec<_>>()
        .join(", ")
}
