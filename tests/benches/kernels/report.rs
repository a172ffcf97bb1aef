//! The report on a run: tables of ratios, and a picture of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::contest::Ranking;

/// The height of a row of the picture, and the widths of its parts, in pixels.
const ROW: f64 = 18.0;
const NAMES: f64 = 210.0;
const BARS: f64 = 480.0;
const PEERS: f64 = 260.0;

/// The smallest and the largest ratio that the picture shows.
const RANGE: (f64, f64) = (0.125, 8.0);

/// Writes the ratios as a table in Markdown and as a picture, and a picture of the mean of each
/// operation; returns the paths of the files.
///
/// # Errors
/// Those of the file system.
pub fn write(rankings: &[Ranking]) -> io::Result<[PathBuf; 3]> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("benchmarks");
    fs::create_dir_all(&folder)?;
    let [table, image, means] =
        ["kernels.md", "kernels.svg", "operations.svg"].map(|file| folder.join(file));
    fs::write(&table, markdown(rankings))?;
    fs::write(&image, svg(&rankings.iter().map(Bar::of_one).collect::<Vec<_>>()))?;
    let operations = rankings.chunk_by(|a, b| a.operation == b.operation);
    fs::write(&means, svg(&operations.map(Bar::of_mean).collect::<Vec<_>>()))?;
    Ok([table, image, means])
}

/// A ratio in a picture.
struct Bar {
    name: String,
    ratio: f64,
    /// The fastest others.
    best: String,
}

impl Bar {
    fn of_one(ranking: &Ranking) -> Bar {
        let Ranking { operation, operand, best, ratio, .. } = ranking;
        Bar { name: format!("{operation} {operand}"), ratio: *ratio, best: (*best).to_owned() }
    }

    /// Returns the mean of the ratios of an operation.
    fn of_mean(rankings: &[Ranking]) -> Bar {
        let mut best: Vec<String> = rankings.iter().map(|of| of.best.to_owned()).collect();
        best.sort_unstable();
        best.dedup();
        let name = rankings.first().map_or_else(String::new, |of| of.operation.to_owned());
        Bar { name, ratio: mean(rankings), best: best.join(", ") }
    }
}

/// Returns the geometric mean of ratios.
pub fn mean<'r>(rankings: impl IntoIterator<Item = &'r Ranking>) -> f64 {
    let (count, sum) = rankings
        .into_iter()
        .fold((0, 0.0), |(count, sum), ranking| (count + 1, sum + ranking.ratio.ln()));
    (sum / f64::from(count)).exp()
}

fn markdown(rankings: &[Ranking]) -> String {
    let mut text = String::from(
        "The least time of our kernel divided by that of the fastest other implementation; less than \
         1 is better.\n\n\
         | operation | operand | ratio | fastest other | by each | our variants by the fastest |\n\
         |---|---|---|---|---|---|\n",
    );
    for ranking in rankings {
        let Ranking { operation, operand, best, ratio, .. } = ranking;
        let (others, variants) = (ranking.others(), ranking.variants());
        let _ = writeln!(
            text,
            "| {operation} | {operand} | {ratio:.2} | {best} | {others} | {variants} |"
        );
    }
    let _ = writeln!(text, "\nGeometric mean: {:.2}", mean(rankings));
    text
}

/// Draws a bar from 1 to each ratio, on a logarithmic scale.
fn svg(bars: &[Bar]) -> String {
    let height = ROW * (bars.len() as f64 + 2.0);
    let width = NAMES + BARS + PEERS;
    let (least, most) = RANGE;
    let place = |ratio: f64| {
        let part = (ratio.clamp(least, most) / least).ln() / (most / least).ln();
        NAMES + BARS * part
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for ratio in [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0] {
        let (x, color) = (place(ratio), if ratio == 1.0 { "black" } else { "#ccc" });
        let _ = writeln!(
            text,
            "<line x1=\"{x:.1}\" y1=\"{ROW}\" x2=\"{x:.1}\" y2=\"{height}\" stroke=\"{color}\"/>\
             <text x=\"{x:.1}\" y=\"13\" text-anchor=\"middle\">{ratio}</text>"
        );
    }
    for (k, Bar { name, ratio, best }) in bars.iter().enumerate() {
        let top = ROW * (k as f64 + 1.25);
        let (x, base) = (place(*ratio), place(1.0));
        let (start, length) = (x.min(base), (x - base).abs().max(1.0));
        let color = if *ratio <= 1.0 { "#4a7db3" } else { "#c0583c" };
        let _ = writeln!(
            text,
            "<text x=\"4\" y=\"{:.1}\">{name}</text>\
             <rect x=\"{start:.1}\" y=\"{top:.1}\" width=\"{length:.1}\" height=\"{:.1}\" \
             fill=\"{color}\"/><text x=\"{:.1}\" y=\"{:.1}\">{ratio:.2} × {best}</text>",
            top + 0.65 * ROW,
            0.75 * ROW,
            NAMES + BARS + 8.0,
            top + 0.65 * ROW,
        );
    }
    text.push_str("</svg>\n");
    text
}
