//! The report on a kernel: what each stage decides, and why.

use std::fmt::Write as _;

use sparsegen_build::inspect::{Kernel, Loop, MergePoint, Statement};

use crate::lines::changes;
use crate::manifest::Manifest;

/// The largest number of changed lines that are shown of a pass.
const CHANGES: usize = 12;

/// Returns the report on a kernel.
pub fn report(manifest: &Manifest, kernel: &Kernel) -> String {
    let (name, line) = (&kernel.name, manifest.line(kernel.span.start));
    let mut text = format!("━━ {name} ({}:{line})\n", manifest.name);
    for tensor in &kernel.tensors {
        let result = if tensor.is_result { ", the result" } else { "" };
        let levels: Vec<&str> = tensor.levels.iter().map(|level| level.text.as_str()).collect();
        let levels = match levels.join(", ") {
            levels if levels.is_empty() || tensor.format.contains("->") => String::new(),
            levels => format!(" ({levels})"),
        };
        let _ = writeln!(
            text,
            "    {}: {}{levels} of {}{result}",
            tensor.name, tensor.format, tensor.dtype
        );
    }
    for statement in &kernel.statements {
        text.push('\n');
        if kernel.statements.len() > 1 {
            let _ = writeln!(text, "── {}", statement.name);
        }
        statement_report(statement, &mut text);
    }
    let _ = writeln!(text, "\n{}", kernel.time.replace("Time: ", "time: "));
    text
}

/// Returns the result of every stage.
pub fn stages(kernel: &Kernel) -> String {
    let mut text = String::new();
    for statement in &kernel.statements {
        let mut last = "";
        for stage in &statement.stages {
            if stage.text != last {
                let (name, stage) = (&statement.name, stage);
                let _ = writeln!(text, "── {name}: {}\n{}\n", stage.name, stage.text);
            }
            last = &stage.text;
        }
    }
    let _ = writeln!(text, "── {}: source\n{}", kernel.name, kernel.source);
    text
}

fn statement_report(statement: &Statement, text: &mut String) {
    let notation = statement.stage("index notation").lines().next().unwrap_or_default();
    section(text, "index notation", [notation]);
    let graph = graph(statement);
    section(text, "iteration graph", graph.iter().map(String::as_str));
    let concrete = match statement.stage("concrete notation") {
        "" => statement.stage("shared loops"),
        concrete => concrete,
    };
    section(text, "concrete notation", concrete.lines());
    let loops: Vec<String> = statement.loops.iter().flat_map(lines_of_loop).collect();
    section(text, "loops", loops.iter().map(String::as_str));
    section(text, "assembly", statement.stage("assembly").lines());
    section(text, "loops of its own", statement.stage("loops of its own").lines());
    for (before, after) in statement.passes() {
        let changes = changes(&before.text, &after.text, CHANGES);
        section(text, &after.name, changes.iter().map(String::as_str));
    }
}

/// Returns the loops of all statements.
pub fn loops(kernel: &Kernel) -> String {
    let loops = kernel.statements.iter().flat_map(|statement| &statement.loops);
    loops.flat_map(lines_of_loop).collect::<Vec<_>>().join("\n")
}

fn section<'l>(text: &mut String, title: &str, lines: impl IntoIterator<Item = &'l str>) {
    let mut lines = lines.into_iter().peekable();
    if lines.peek().is_some() {
        let _ = writeln!(text, "{title}");
    }
    for line in lines {
        let _ = writeln!(text, "    {line}");
    }
}

/// Returns the edges of the iteration graph, each once, with all of its reasons.
fn graph(statement: &Statement) -> Vec<String> {
    let mut edges: Vec<(String, Vec<&str>)> = Vec::new();
    for edge in &statement.edges {
        let shown = format!("{} → {}", edge.before, edge.after);
        match edges.iter_mut().find(|(known, _)| *known == shown) {
            Some((_, reasons)) => reasons.push(&edge.reason),
            None => edges.push((shown, vec![&edge.reason])),
        }
    }
    edges.into_iter().map(|(edge, reasons)| format!("{edge}    {}", reasons.join(", "))).collect()
}

/// Returns the lines on a loop: its merge points with their bodies, its cost, and why other merge
/// points and regions are gone.
fn lines_of_loop(inner: &Loop) -> Vec<String> {
    let indent = "    ".repeat(inner.depth);
    let times = match inner.iterations.as_str() {
        "" => String::new(),
        iterations => format!("    runs {iterations} times"),
    };
    let mut lines = Vec::new();
    for (k, point) in inner.points.iter().enumerate() {
        let then = if k == 0 { "" } else { "then " };
        let own = if k == 0 { times.as_str() } else { "" };
        lines.push(format!("{indent}{then}∀{} {}{own}", inner.variable, iteration(inner, point)));
        if point.cases.len() > 1 {
            for (sets, body) in &point.cases {
                let sets: Vec<String> = sets.iter().map(|set| braces(inner, set)).collect();
                let body = match inner.bodies.get(*body).map(String::as_str) {
                    None | Some("") => "nothing",
                    Some(body) => body,
                };
                lines.push(format!("{indent}  {}: {body}", sets.join(", ")));
            }
        }
    }
    lines.extend(gone(inner).into_iter().map(|line| format!("{indent}  {line}")));
    lines
}

/// Returns the sentences on the regions and merge points that are gone.
pub fn gone(inner: &Loop) -> Vec<String> {
    let mut lines = Vec::new();
    // Where all iterators have all coordinates, there is nothing to tell.
    if inner.full.len() == inner.iterators.len() {
        return lines;
    }
    for k in &inner.full {
        let name = &inner.iterators[*k];
        lines
            .push(format!("{name} has every coordinate: no region lacks it, no loop ends with it"));
    }
    for (what, gone) in [("region", regions(inner)), ("merge point", points(inner))] {
        for (reason, sets) in gone {
            let plural = if sets.len() == 1 { "" } else { "s" };
            lines.push(format!("no {what}{plural} {}: {reason}", sets.join(", ")));
        }
    }
    lines
}

/// Returns the iterators of a merge point: `over A2, locate x1`.
pub fn iteration(inner: &Loop, point: &MergePoint) -> String {
    let names = |members: &[usize]| {
        let names = members.iter().map(|k| inner.iterators[*k].as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let over = match (point.drivers.is_empty(), point.by_dimension) {
        (true, _) => "over the dimension".to_owned(),
        (false, false) => format!("over {}", names(&point.drivers)),
        (false, true) => format!("over the dimension beside {}", names(&point.drivers)),
    };
    let located = match point.located.is_empty() {
        true => String::new(),
        false => format!(", locate {}", names(&point.located)),
    };
    let backward = if inner.backward { ", backward" } else { "" };
    let resumed = match &inner.resumed_for {
        Some(around) => format!(", resumed for each {around}"),
        None => String::new(),
    };
    format!("{over}{located}{backward}{resumed}")
}

fn braces(inner: &Loop, members: &[usize]) -> String {
    let names: Vec<&str> = members.iter().map(|k| inner.iterators[*k].as_str()).collect();
    format!("{{{}}}", names.join(", "))
}

/// Returns the regions of all full iterators that are gone, by their reason.
fn regions(inner: &Loop) -> Vec<(&str, Vec<String>)> {
    let gone = inner.regions.iter().filter(|region| region.body.is_none());
    let gone = gone.filter(|region| is_possible(inner, &region.present));
    let gone = gone.map(|region| (region.reason.as_str(), braces(inner, &region.present)));
    by_reason(gone.filter(|_| inner.iterators.len() > 1))
}

/// Returns the merge points of all full iterators that are gone, by their reason.
fn points(inner: &Loop) -> Vec<(&str, Vec<String>)> {
    let gone = inner.candidates.iter().filter(|candidate| candidate.point.is_none());
    let gone = gone.filter(|candidate| is_possible(inner, &candidate.remaining));
    by_reason(gone.map(|gone| (gone.reason.as_str(), braces(inner, &gone.remaining))))
}

fn is_possible(inner: &Loop, members: &[usize]) -> bool {
    inner.full.iter().all(|k| members.contains(k))
}

fn by_reason<'r>(gone: impl Iterator<Item = (&'r str, String)>) -> Vec<(&'r str, Vec<String>)> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for (reason, set) in gone {
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, sets)) => sets.push(set),
            None => groups.push((reason, vec![set])),
        }
    }
    groups
}
