//! `sparsegen formats`

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use sparsegen::io::{read_mtx, read_tns};
use sparsegen::level::LevelViews;
use sparsegen::*;

use crate::arguments::Arguments;
use crate::failure::Failure;

pub const HELP: &str = "\
usage: sparsegen formats FILE

Stores a tensor in each built-in format of its order, and prints the size of each. A small tensor is
drawn level by level, with the arrays of each level. The file is a Matrix Market or a FROSTT file
(`.mtx`, `.tns`). Positions and coordinates are `u32`, and values `f64`.
";

/// The largest number of stored values of a tensor that is drawn.
const DRAWN: usize = 24;

/// The largest size of a tensor that is stored, relative to its list of entries.
const LARGEST: usize = 100;

/// The sizes of a value and of a position or coordinate.
const BYTES: [usize; 2] = [size_of::<f64>(), size_of::<u32>()];

pub fn run(arguments: Arguments) -> Result<String, Failure> {
    arguments.at_most(1)?;
    let Some(path) = arguments.words.first() else {
        return Err(arguments.wrong("a file is missing"));
    };
    let path = Path::new(path);
    if is_frostt(path) {
        return match order(path)? {
            1 => vectors(&read_tns(path)),
            2 => matrices(&read_tns(path)),
            3 => tensors::<3>(&read_tns(path)),
            4 => tensors::<4>(&read_tns(path)),
            5 => tensors::<5>(&read_tns(path)),
            order => Err(Failure::error(format!("tensors of order {order} are not drawn"))),
        };
    }
    matrices(&read_mtx(path))
}

/// Returns whether a file has the format of FROSTT, by its name.
pub fn is_frostt(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.is_some_and(|name| name.split('.').skip(1).any(|part| part == "tns"))
}

/// Returns the order of a tensor: the number of words of its first line minus one.
fn order(path: &Path) -> Result<usize, Failure> {
    let file = File::open(path).map_err(|error| Failure::file("read", path, error))?;
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|error| Failure::file("read", path, error))?;
        let words = line.split_whitespace().take_while(|word| !word.starts_with('#')).count();
        if words > 0 {
            return Ok(words - 1);
        }
    }
    Err(Failure::file("read", path, "it has no entries"))
}

type Entries<const N: usize> = Result<Tensor<f64, Coo<N>>, Error>;

fn vectors(read: &Entries<1>) -> Result<String, Failure> {
    let mut table = Table::of(read)?;
    table.add::<SparseVector>();
    table.add::<HashVector>();
    table.add::<Dense<1>>();
    Ok(table.text())
}

fn matrices(read: &Entries<2>) -> Result<String, Failure> {
    let mut table = Table::of(read)?;
    table.add::<Csr>();
    table.add::<Csc>();
    table.add::<Dcsr>();
    table.add::<Dcsc>();
    table.add::<Coo<2>>();
    table.add::<HashRows>();
    table.add::<Dia>();
    table.add::<Ell>();
    table.add::<Dense<2>>();
    Ok(table.text())
}

fn tensors<const N: usize>(read: &Entries<N>) -> Result<String, Failure>
where
    Coo<N>: Format<Shape = [usize; N]>,
    Csf<N>: Format<Shape = [usize; N]>,
    Dense<N>: Format<Shape = [usize; N]>,
{
    let mut table = Table::of(read)?;
    table.add::<Csf<N>>();
    table.add::<Coo<N>>();
    table.add::<Dense<N>>();
    Ok(table.text())
}

/// The sizes and drawings of a tensor in several formats.
struct Table<'t, const N: usize>
where
    Coo<N>: Format<Shape = [usize; N]>,
{
    entries: &'t Tensor<f64, Coo<N>>,
    head: String,
    /// The name, the map, the number of bytes if it is stored, and the drawing.
    rows: Vec<(String, String, Result<usize, String>, String)>,
}

impl<'t, const N: usize> Table<'t, N>
where
    Coo<N>: Format<Shape = [usize; N]>,
{
    fn of(read: &'t Entries<N>) -> Result<Table<'t, N>, Failure> {
        let entries = read.as_ref().map_err(Failure::error)?;
        let shape = entries.shape().map(|extent| extent.to_string()).join(" × ");
        let head = format!("{shape}, {} entries\n", entries.stored());
        Ok(Table { entries, head, rows: Vec::new() })
    }

    /// Adds a row for a format, unless it would take far more memory than the entries.
    fn add<F: Format<Shape = [usize; N]>>(&mut self) {
        let limit = (self.entries.stored() + 1000).saturating_mul(LARGEST);
        let (bytes, drawing) = match self.stored_in::<F>(limit) {
            Ok(stored) => {
                let (bytes, arrays) = arrays(&stored);
                let drawing = match stored.stored() <= DRAWN {
                    true => format!("{arrays}{}\n", indented(&tree(&stored))),
                    false => String::new(),
                };
                (Ok(bytes), drawing)
            }
            Err(reason) => (Err(reason), String::new()),
        };
        let row = (F::NAME.to_owned(), F::MAP.to_string(), bytes, drawing);
        self.rows.push(row);
    }

    /// Returns the tensor in a format, if it has at most so many values.
    fn stored_in<F: Format<Shape = [usize; N]>>(
        &self,
        limit: usize,
    ) -> Result<Tensor<f64, F>, String> {
        match values(self.entries, F::NAME) {
            Some(values) if values <= limit => {
                self.entries.to::<F>().map_err(|error| error.to_string())
            }
            Some(values) => Err(format!("not stored: it has {values} values")),
            None => Err("not stored: its values cannot be counted".to_owned()),
        }
    }

    fn text(mut self) -> String {
        let mut text = self.head;
        let least =
            self.rows.iter().filter_map(|(.., bytes, _)| bytes.as_ref().ok()).min().copied();
        self.rows.sort_by_key(|(.., bytes, _)| bytes.as_ref().copied().unwrap_or(usize::MAX));
        let _ = writeln!(text);
        for (name, map, bytes, _) in &self.rows {
            let _ = match bytes {
                Ok(bytes) => {
                    let ratio = *bytes as f64 / least.unwrap_or(1).max(1) as f64;
                    writeln!(text, "{name:14} {bytes:>12} bytes {ratio:>8.2} ×   {map}")
                }
                Err(reason) => writeln!(text, "{name:14} {reason}   {map}"),
            };
        }
        for (name, .., drawing) in self.rows.iter().filter(|(.., drawing)| !drawing.is_empty()) {
            let _ = write!(text, "\n━━ {name}\n{drawing}");
        }
        text
    }
}

/// Returns the number of values that a format stores: of diagonals and slots as many as there are
/// times the rows, of a dense format one for each coordinate.
pub fn values<const N: usize>(entries: &Tensor<f64, Coo<N>>, format: &str) -> Option<usize>
where
    Coo<N>: Format<Shape = [usize; N]>,
{
    let shape = entries.shape();
    let dense = || shape.iter().try_fold(1_usize, |all, extent| all.checked_mul(*extent));
    let keys: fn(&[usize]) -> usize = match format {
        "dia" => |at| at[1].wrapping_sub(at[0]),
        "ell" => |at| at[0],
        "dense" | "dense_col" => return dense(),
        _ => return Some(entries.stored()),
    };
    let mut counts = std::collections::HashMap::<usize, usize>::new();
    entries.iter().for_each(|(at, _)| *counts.entry(keys(at.as_ref())).or_default() += 1);
    let times =
        if format == "dia" { counts.len() } else { counts.into_values().max().unwrap_or(0) };
    shape[0].checked_mul(times)
}

/// Returns the number of bytes of all arrays, and the arrays as text.
fn arrays<F: Format>(tensor: &Tensor<f64, F>) -> (usize, String) {
    let (mut bytes, mut text) = (tensor.vals().len() * BYTES[0], String::new());
    let levels = tensor.view().levels();
    let texts = level_texts(&F::MAP.to_string());
    for (k, level) in texts.iter().enumerate() {
        let mut line = format!("    {level:28}");
        for (name, numbers) in levels.level(k).arrays() {
            // An extent is no array.
            bytes += if ["size", "width"].contains(&name) { 0 } else { numbers.len() * BYTES[1] };
            // A negative coordinate is stored as a signed number; the largest one marks a free place.
            let numbers = numbers.iter().map(|number| match *number == u32::MAX as usize {
                true => "·".to_owned(),
                false => (*number as isize).to_string(),
            });
            let _ = write!(line, " {name} [{}]", numbers.collect::<Vec<_>>().join(" "));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let values = tensor.vals().iter().map(|value| short(*value)).collect::<Vec<_>>().join(" ");
    let _ = writeln!(text, "    {:28} [{values}]\n", "values");
    (bytes, text)
}

/// Returns a value with at most three decimals.
fn short(value: f64) -> String {
    let rounded = format!("{value:.3}");
    match rounded.parse() == Ok(value) {
        true => value.to_string(),
        false => rounded,
    }
}

/// Returns the levels as a tree, with at most three decimals of each value.
fn tree<F: Format>(tensor: &Tensor<f64, F>) -> String {
    match tensor.vals().iter().all(|value| short(*value) == value.to_string()) {
        true => tensor.tree().to_string(),
        false => format!("{:.3}", tensor.tree()),
    }
}

/// Returns the levels in the notation of a map: `(i, j) -> (i : dense, j : compressed)`.
fn level_texts(map: &str) -> Vec<String> {
    let levels = map.split_once("-> (").map_or("", |(_, levels)| levels);
    let (mut texts, mut depth) = (vec![String::new()], 1);
    for c in levels.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match (c, depth, texts.last_mut()) {
            (_, 0, _) => break,
            (',', 1, _) => texts.push(String::new()),
            (c, _, Some(last)) => last.push(c),
            (_, _, None) => {}
        }
    }
    texts.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect()
}

fn indented(text: &str) -> String {
    text.lines().skip(1).map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
