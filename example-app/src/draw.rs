//! Pictures in SVG, which follow the light or dark colors of the viewer.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::Outcome;

/// The classes of all shapes: `ink` and `faint` for lines and letters, `s0` to `s3` for series, and
/// `f0` to `f3` for the same colors as a fill.
const STYLE: &str = "
  svg { background: #ffffff; font: 13px sans-serif }
  .page { fill: #ffffff } text { fill: #222222 } .ink { stroke: #222222; fill: none }
  .faint { stroke: #c8c8c8; fill: none } .series { fill: none; stroke-width: 2 }
  .s0 { stroke: #1f6fb4 } .s1 { stroke: #c2521b } .s2 { stroke: #2a8a4a } .s3 { stroke: #8a4fae }
  .f0 { fill: #1f6fb4 } .f1 { fill: #c2521b } .f2 { fill: #2a8a4a } .f3 { fill: #8a4fae }
  .light { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    svg { background: #16181c } .page { fill: #16181c } text { fill: #e4e4e4 }
    .ink { stroke: #e4e4e4 } .faint { stroke: #4a4e55 }
    .s0 { stroke: #6cb2f0 } .s1 { stroke: #f0935c } .s2 { stroke: #6ccb8b } .s3 { stroke: #c99be6 }
    .f0 { fill: #6cb2f0 } .f1 { fill: #f0935c } .f2 { fill: #6ccb8b } .f3 { fill: #c99be6 }
    .light { fill: #16181c }
  }";

/// A picture, in pixels from its left upper corner.
pub struct Picture {
    size: [f64; 2],
    body: String,
}

impl Picture {
    /// Creates an empty picture with a title.
    pub fn new(size: [f64; 2], title: &str) -> Picture {
        let mut picture = Picture { size, body: String::new() };
        picture.text([size[0] / 2.0, 24.0], "middle", title);
        picture
    }

    /// Adds text that starts, ends or is centered at a point: `start`, `end` or `middle`.
    pub fn text(&mut self, [x, y]: [f64; 2], anchor: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.add(&format!("<text x='{x:.1}' y='{y:.1}' text-anchor='{anchor}'>{text}</text>"));
    }

    /// Adds a line through points.
    pub fn line(&mut self, points: impl IntoIterator<Item = [f64; 2]>, class: &str) {
        let points: Vec<String> =
            points.into_iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        self.add(&format!("<polyline class='{class}' points='{}'/>", points.join(" ")));
    }

    /// Adds a filled circle.
    pub fn circle(&mut self, [x, y]: [f64; 2], radius: f64, class: &str) {
        self.add(&format!("<circle class='{class}' cx='{x:.1}' cy='{y:.1}' r='{radius}'/>"));
    }

    /// Adds a filled rectangle, of some opacity from 0 to 1.
    pub fn rectangle(
        &mut self,
        [x, y]: [f64; 2],
        [width, height]: [f64; 2],
        class: &str,
        opacity: f64,
    ) {
        self.add(&format!(
            "<rect class='{class}' x='{x:.1}' y='{y:.1}' width='{width:.1}' height='{height:.1}' \
             fill-opacity='{opacity:.2}'/>"
        ));
    }

    /// Adds a filled triangle, of some opacity from 0 to 1.
    pub fn triangle(&mut self, corners: [[f64; 2]; 3], class: &str, opacity: f64) {
        let [a, b, c] = corners.map(|[x, y]| format!("{x:.1},{y:.1}"));
        self.add(&format!(
            "<polygon class='{class}' points='{a} {b} {c}' fill-opacity='{opacity:.2}'/>"
        ));
    }

    /// Adds a matrix as a square for each element, whose opacity is the element.
    pub fn matrix(
        &mut self,
        [x, y]: [f64; 2],
        side: f64,
        shape: [usize; 2],
        element: impl Fn(usize, usize) -> f64,
        class: &str,
    ) {
        // One path for all elements of about the same opacity.
        let mut paths = BTreeMap::<u32, String>::new();
        for row in 0..shape[0] {
            for column in 0..shape[1] {
                let percent = (element(row, column).clamp(0.0, 1.0) * 100.0).round() as u32;
                if percent > 0 {
                    let path = paths.entry(percent).or_default();
                    let _ = write!(path, "M{column} {row}h1v1h-1z");
                }
            }
        }
        self.add(&format!(
            "<g class='{class}' transform='translate({x} {y}) scale({side})' \
             shape-rendering='crispEdges'>"
        ));
        for (percent, path) in paths {
            let opacity = f64::from(percent) / 100.0;
            self.add(&format!("<path fill-opacity='{opacity}' d='{path}'/>"));
        }
        self.add("</g>");
        let [height, width] = shape.map(|extent| extent as f64 * side);
        self.line(
            [[x, y], [x + width, y], [x + width, y + height], [x, y + height], [x, y]],
            "faint",
        );
    }

    fn add(&mut self, shape: &str) {
        self.body.push_str(shape);
        self.body.push('\n');
    }

    /// Returns the text of the picture.
    pub fn svg(&self) -> String {
        let [width, height] = self.size;
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' \
             width='{width}' height='{height}' role='img'>\n<style>{STYLE}\n</style>\n\
             <rect class='page' width='{width}' height='{height}'/>"
        );
        svg.push_str(&self.body);
        svg.push_str("</svg>\n");
        svg
    }

    /// Writes the picture to `NAME.svg` in the directory `target/pictures`, and returns the path.
    ///
    /// # Errors
    /// The errors of creating the directory and of writing the file, with its name.
    pub fn save(&self, name: &str) -> Outcome<PathBuf> {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target");
        let target = env::var_os("CARGO_TARGET_DIR").map_or(workspace, PathBuf::from);
        let folder = target.join("pictures");
        let write = || {
            fs::create_dir_all(&folder)?;
            let path = folder.canonicalize()?.join(name).with_extension("svg");
            fs::write(&path, self.svg())?;
            Ok(path)
        };
        write().map_err(|error: std::io::Error| {
            format!("cannot write {name}.svg to {}: {error}", folder.display()).into()
        })
    }
}

/// A chart of several series over their numbers 1, 2, …
pub struct Chart<'a> {
    /// The title.
    pub title: &'a str,
    /// What is counted from left to right.
    pub across: &'a str,
    /// The label of the values.
    pub up: &'a str,
    /// `true` if values are shown by their logarithm, for positive ones.
    pub is_logarithmic: bool,
    /// The names and values of up to four series.
    pub series: &'a [(&'a str, &'a [f64])],
}

impl Chart<'_> {
    /// Draws the chart.
    pub fn draw(&self) -> Picture {
        let mut picture = Picture::new([640.0, 400.0], self.title);
        let [left, right, top, bottom] = [76.0, 620.0, 44.0, 344.0];
        let height = |value: f64| if self.is_logarithmic { value.log10() } else { value };
        let values =
            || self.series.iter().flat_map(|(_, values)| values.iter().copied().map(height));
        let longest = self.series.iter().map(|(_, values)| values.len()).max().unwrap_or(1);
        let least = values().fold(f64::INFINITY, f64::min);
        let greatest = values().fold(f64::NEG_INFINITY, f64::max);
        let mut unit = round_up((greatest - least) / 6.0);
        if self.is_logarithmic {
            unit = unit.max(1.0);
        }
        let [low, high] = [(least / unit).floor() * unit, (greatest / unit).ceil() * unit];
        let x = |number: f64| left + (right - left) * (number - 1.0) / (longest.max(2) - 1) as f64;
        let y = |value: f64| bottom - (bottom - top) * (value - low) / (high - low);

        for row in 0..=((high - low) / unit).round() as usize {
            let value = low + unit * row as f64;
            picture.line([[left, y(value)], [right, y(value)]], "faint");
            let label =
                if self.is_logarithmic { format!("1e{value}") } else { format!("{value:.2}") };
            picture.text([left - 8.0, y(value) + 4.0], "end", &label);
        }
        picture.line([[left, top], [left, bottom], [right, bottom]], "ink");
        picture.text([left, bottom + 20.0], "middle", "1");
        picture.text([right, bottom + 20.0], "end", &longest.to_string());
        picture.text([f64::midpoint(left, right), bottom + 20.0], "middle", self.across);
        picture.text([12.0, top - 12.0], "start", self.up);
        for (number, (name, values)) in self.series.iter().enumerate() {
            let points = values.iter().enumerate();
            let points = points.map(|(step, value)| [x(step as f64 + 1.0), y(height(*value))]);
            picture.line(points, &format!("series s{number}"));
            let at = [left + 136.0 * number as f64, bottom + 44.0];
            picture.rectangle([at[0], at[1] - 10.0], [12.0, 12.0], &format!("f{number}"), 1.0);
            picture.text([at[0] + 18.0, at[1]], "start", name);
        }
        picture
    }
}

/// Returns the next of the numbers 1, 2 and 5 times a power of 10 that is not less than a positive
/// one; 1 for others.
fn round_up(number: f64) -> f64 {
    if !(number > 0.0 && number.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powf(number.log10().floor());
    [1.0, 2.0, 5.0]
        .map(|digit| digit * power)
        .into_iter()
        .find(|round| *round >= number)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_round() {
        for (number, unit) in [(0.04, 0.05), (1.83, 2.0), (1.0, 1.0), (70.0, 100.0), (0.0, 1.0)] {
            assert!((round_up(number) - unit).abs() < 1e-12, "{number}");
        }
    }

    #[test]
    fn text_and_shapes_are_in_the_picture() {
        let values = [1.0, 0.1, 0.001];
        let series = [("a < b", &values[..])];
        let chart =
            Chart { title: "t", across: "x", up: "y", is_logarithmic: true, series: &series };
        let svg = chart.draw().svg();
        for part in ["<svg ", "a &lt; b", "1e-3", "class='series s0'", "prefers-color-scheme: dark"]
        {
            assert!(svg.contains(part), "{part}");
        }
        let mut picture = Picture::new([9.0, 9.0], "matrix");
        picture.matrix([0.0, 0.0], 1.0, [2, 2], |i, j| if i == j { 0.5 } else { 0.0 }, "f0");
        assert!(picture.svg().contains("<path fill-opacity='0.5' d='M0 0h1v1h-1zM1 1h1v1h-1z'/>"));
    }
}
