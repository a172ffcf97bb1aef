//! The loops: their merge points, and the lattices before and after simplification.

use std::fmt::Write as _;

use sparsegen_build::inspect::{Loop, Statement};

use super::{escaped, width};

/// The distance between two rows of a lattice.
const ROW: f64 = 64.0;
/// The height of a node.
const HEIGHT: f64 = 26.0;

/// Returns the loops of a statement.
pub fn section(statement: &Statement) -> String {
    statement.loops.iter().map(loop_section).collect()
}

fn loop_section(inner: &Loop) -> String {
    let number = inner.number;
    let mut html = format!(
        "<div class=\"panel\" style=\"margin: .5rem 0 .5rem {}rem\">\n<h3 style=\"margin-top: 0\">∀{} <span class=\"note\">{}</span></h3>\n<ul class=\"rows mono\">\n",
        inner.depth.min(3) as f64 * 0.75,
        escaped(&inner.variable),
        match inner.iterations.as_str() {
            "" => String::new(),
            iterations => format!("runs {} times", escaped(iterations)),
        }
    );
    for (p, point) in inner.points.iter().enumerate() {
        let then = if p == 0 { "" } else { "then " };
        let _ = writeln!(
            html,
            "<li data-parts=\"{number}.p{p}\">{then}{}</li>",
            escaped(&crate::report::iteration(inner, point))
        );
        for (sets, body) in point.cases.iter().filter(|(_, body)| *body > 0) {
            let sets = sets.iter().filter(|_| point.cases.len() > 1);
            let sets: Vec<String> = sets.map(|set| braces(inner, set)).collect();
            let statement = inner.bodies.get(*body).map_or("", String::as_str);
            let statement = if statement.is_empty() { "counts the coordinate" } else { statement };
            let _ = writeln!(
                html,
                "<li data-parts=\"{number}.b{body}\">{} {}</li>",
                match sets.is_empty() {
                    true => "&emsp;".to_owned(),
                    false => format!("<span class=\"set\">{}</span>", escaped(&sets.join(", "))),
                },
                escaped(statement)
            );
        }
    }
    let others = inner.bodies.iter().enumerate().skip(1);
    let is_listed = |body: usize| {
        inner.points.iter().any(|point| point.cases.iter().any(|(_, known)| *known == body))
    };
    for (body, statement) in others.filter(|(body, _)| !is_listed(*body)) {
        let _ = writeln!(
            html,
            "<li data-parts=\"{number}.b{body}\"><span class=\"set\">elsewhere</span> {}</li>",
            escaped(statement)
        );
    }
    html.push_str("</ul>\n");
    if inner.candidates.len() > 1 && inner.full.len() < inner.iterators.len() {
        let before = lattice(inner, false);
        let after = lattice(inner, true);
        let _ = writeln!(
            html,
            "<div class=\"pair\">\n<figure class=\"scroll\"><figcaption>before simplification</figcaption>\n{before}</figure>\n\
             <figure class=\"scroll\"><figcaption>after</figcaption>\n{after}</figure>\n</div>"
        );
    }
    let gone = crate::report::gone(inner);
    if !gone.is_empty() {
        html.push_str("<ul class=\"rows note\">\n");
        for line in gone {
            let _ = writeln!(html, "<li>{}</li>", escaped(&line.replace('`', "")));
        }
        html.push_str("</ul>\n");
    }
    html + "</div>\n"
}

/// Returns the drawing of the merge points, those of more iterators above; of all sets of iterators
/// or of those that are left.
fn lattice(inner: &Loop, only_left: bool) -> String {
    let points: Vec<_> = inner
        .candidates
        .iter()
        .filter(|candidate| !only_left || candidate.point.is_some())
        .collect();
    let mut sizes: Vec<usize> = points.iter().map(|point| point.remaining.len()).collect();
    sizes.dedup();
    let label = |set: &[usize]| braces(inner, set);
    let row_width = |size: &usize| {
        let row = points.iter().filter(|point| point.remaining.len() == *size);
        row.map(|point| width(&label(&point.remaining)) + 16.0 + 14.0).sum::<f64>()
    };
    let whole = sizes.iter().map(row_width).fold(80.0, f64::max);
    let mut places: Vec<(f64, f64)> = Vec::new();
    for (row, size) in sizes.iter().enumerate() {
        let mut x = (whole - row_width(size)) / 2.0;
        for point in points.iter().filter(|point| point.remaining.len() == *size) {
            let own = width(&label(&point.remaining)) + 16.0 + 14.0;
            places.push((x + own / 2.0, ROW * row as f64 + 20.0));
            x += own;
        }
    }
    let mut html = String::new();
    for (k, above) in points.iter().enumerate() {
        for (m, below) in points.iter().enumerate() {
            let is_within = |small: &[usize], large: &[usize]| {
                small.len() < large.len() && small.iter().all(|one| large.contains(one))
            };
            let is_next = is_within(&below.remaining, &above.remaining)
                && !points.iter().any(|between| {
                    is_within(&below.remaining, &between.remaining)
                        && is_within(&between.remaining, &above.remaining)
                });
            if is_next {
                let ((x1, y1), (x2, y2)) = (places[k], places[m]);
                let _ = writeln!(
                    html,
                    "<path class=\"edge\" d=\"M{x1:.1} {:.1} L{x2:.1} {:.1}\"/>",
                    y1 + HEIGHT / 2.0,
                    y2 - HEIGHT / 2.0
                );
            }
        }
    }
    for (point, (x, y)) in points.iter().zip(&places) {
        let text = label(&point.remaining);
        let half = width(&text) / 2.0 + 8.0;
        let (class, title) = match point.point {
            Some(left) => (format!("data-parts=\"{}.p{left}\"", inner.number), String::new()),
            None => {
                ("class=\"gone\"".to_owned(), format!("<title>{}</title>", escaped(&point.reason)))
            }
        };
        let _ = writeln!(
            html,
            "<g {class}>{title}<rect class=\"box\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{HEIGHT}\" rx=\"5\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></g>",
            x - half,
            y - HEIGHT / 2.0,
            2.0 * half,
            y + 4.0,
            escaped(&text)
        );
    }
    let height = ROW * (sizes.len().max(1) - 1) as f64 + 40.0;
    format!(
        "<svg width=\"{whole:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"merge lattice\">\n{html}</svg>\n"
    )
}

fn braces(inner: &Loop, members: &[usize]) -> String {
    let names: Vec<&str> = members.iter().map(|k| inner.iterators[*k].as_str()).collect();
    format!("{{{}}}", names.join(", "))
}
