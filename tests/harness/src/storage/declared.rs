//! The formats that generated code names: built-in ones, and declarations of a module.

use std::collections::BTreeMap;

use sparsegen_build::Literal;
use sparsegen_build::ir::{FormatDeclaration, FormatKind, LevelDeclaration};

use super::{Expr, Format, Kind, Level};

/// The formats of a generated module, by the names of their types.
#[derive(Clone, Debug, Default)]
pub struct Formats {
    declared: BTreeMap<String, Declared>,
}

#[derive(Clone, Debug)]
enum Declared {
    /// The name of another format.
    Alias(String),
    Format(Format),
}

impl Formats {
    /// Reads the declarations of a module.
    ///
    /// # Errors
    /// Returns a description of the declaration that cannot be parsed.
    pub fn of(declarations: &[FormatDeclaration]) -> Result<Formats, String> {
        let mut declared = BTreeMap::new();
        for declaration in declarations {
            // The name without generic parameters: `BigCoo` for `BigCoo<const N: usize>`.
            let name = declaration.name.split('<').next().unwrap_or_default();
            let format = match &declaration.kind {
                FormatKind::Alias(of) => Declared::Alias(of.clone()),
                FormatKind::Marker { order, levels, fill, .. } => {
                    let levels: Result<_, String> = levels
                        .iter()
                        .map(|level| {
                            level_of(level).ok_or_else(|| format!("no level is `{}`", level.map))
                        })
                        .collect();
                    let fill = fill.unwrap_or(Literal::Int(0));
                    Declared::Format(Format { order: *order, levels: levels?, fill })
                }
            };
            declared.insert(name.to_owned(), format);
        }
        Ok(Formats { declared })
    }

    /// Returns the format of a type such as `Csr`, `Coo<3, u64, u32>` or `Blocks4`.
    pub fn find(&self, marker: &str) -> Option<Format> {
        let (name, arguments) = marker.split_once('<').unwrap_or((marker, ">"));
        let arguments = arguments.trim_end_matches('>').split(',').map(str::trim);
        let arguments: Vec<&str> = arguments.filter(|argument| !argument.is_empty()).collect();
        match self.declared.get(name) {
            Some(Declared::Format(format)) => Some(format.clone()),
            Some(Declared::Alias(of)) => match arguments.first() {
                Some(order) => self.find(&of.replacen('N', order, 1)),
                None => self.find(of),
            },
            None => builtin(name, &arguments),
        }
    }
}

/// Returns the largest value of an unsigned type.
fn largest(width: &str) -> Option<i128> {
    Some(match width {
        "u8" => u8::MAX.into(),
        "u16" => u16::MAX.into(),
        "u32" => u32::MAX.into(),
        "u64" | "usize" => u64::MAX.into(),
        "i8" => i8::MAX.into(),
        "i16" => i16::MAX.into(),
        "i32" => i32::MAX.into(),
        "i64" | "isize" => i64::MAX.into(),
        _ => return None,
    })
}

fn range(width: &str) -> Option<(i128, i128)> {
    let most = largest(width)?;
    Some((if width.starts_with('i') { -most - 1 } else { 0 }, most))
}

/// Returns a level that is ordered, unique and padded.
fn plain(expr: Expr, kind: Kind, pos: &str, crd: &str) -> Option<Level> {
    let (pos, crd) = (largest(pos)?, range(crd)?);
    Some(Level { expr, kind, full: false, ordered: true, unique: true, padded: true, pos, crd })
}

fn builtin(name: &str, arguments: &[&str]) -> Option<Format> {
    let order = match name {
        "Scalar" => 0,
        "SparseVector" | "HashVector" => 1,
        "Csr" | "Csc" | "Dcsr" | "Dcsc" | "HashRows" | "Dia" | "Ell" => 2,
        "Dense" | "DenseCol" | "Coo" | "CooUnordered" | "Csf" => arguments.first()?.parse().ok()?,
        _ => return None,
    };
    let widths: Vec<&str> =
        arguments.iter().filter(|argument| largest(argument).is_some()).copied().collect();
    let (pos, crd) = match widths[..] {
        [pos, crd] => (pos, crd),
        [pos] => (pos, "u32"),
        _ => ("u32", "u32"),
    };
    let level = |mode: usize, kind: Kind| plain(Expr::Dimension(mode), kind, pos, crd);
    let list = |is_ordered: bool| {
        let level = |k: usize| {
            let kind = if k == 0 { Kind::Compressed } else { Kind::Singleton };
            let unique = is_ordered && k + 1 == order;
            Some(Level { ordered: is_ordered, unique, ..level(k, kind)? })
        };
        (0..order).map(level).collect::<Option<Vec<Level>>>()
    };
    let two = |outer: (usize, Kind), inner: (usize, Kind)| {
        Some(vec![level(outer.0, outer.1)?, level(inner.0, inner.1)?])
    };
    let every = |kind: Kind, modes: &mut dyn Iterator<Item = usize>| {
        modes.map(|mode| level(mode, kind)).collect::<Option<Vec<Level>>>()
    };
    let levels = match name {
        "Scalar" => Vec::new(),
        "SparseVector" | "Csf" => every(Kind::Compressed, &mut (0..order))?,
        "HashVector" => every(Kind::Hashed, &mut (0..1))?,
        "Dense" => every(Kind::Dense, &mut (0..order))?,
        "DenseCol" => every(Kind::Dense, &mut (0..order).rev())?,
        "Csr" => two((0, Kind::Dense), (1, Kind::Compressed))?,
        "Csc" => two((1, Kind::Dense), (0, Kind::Compressed))?,
        "Dcsr" => two((0, Kind::Compressed), (1, Kind::Compressed))?,
        "Dcsc" => two((1, Kind::Compressed), (0, Kind::Compressed))?,
        "HashRows" => two((0, Kind::Dense), (1, Kind::Hashed))?,
        "Coo" => list(true)?,
        "CooUnordered" => list(false)?,
        "Dia" => {
            let signed = crd.replace('u', "i");
            vec![
                plain(Expr::Sub(1, 0), Kind::Compressed, pos, &signed)?,
                level(0, Kind::Range)?,
                level(1, Kind::Offset)?,
            ]
        }
        "Ell" => vec![
            plain(Expr::Count(0), Kind::Dense, pos, crd)?,
            level(0, Kind::Dense)?,
            level(1, Kind::Singleton)?,
        ],
        _ => return None,
    };
    Some(Format { order, levels, fill: Literal::Int(0) })
}

/// Parses the declaration of a level.
fn level_of(declaration: &LevelDeclaration) -> Option<Level> {
    let (mut text, rest) = declaration.map.strip_prefix("LevelMap::")?.split_once(", \"")?;
    let expr = if let Some(dimension) = text.strip_prefix("dimension(") {
        Expr::Dimension(dimension.parse().ok()?)
    } else {
        text = text.strip_prefix("new(")?;
        expr(&mut text)?
    };
    let (name, properties) = rest.split_once("\")")?;
    let (_, arguments) = declaration.storage.split_once('<').unwrap_or(("", ""));
    let arguments: Vec<&str> = arguments.trim_end_matches('>').split(',').map(str::trim).collect();
    let (pos, crd) = match name {
        "compressed" | "loose_compressed" | "block_compressed" => {
            (arguments[0], *arguments.get(1)?)
        }
        "hashed" | "singleton" | "structured" => ("u32", arguments[0]),
        _ => ("u32", "u32"),
    };
    let kind = match name {
        "dense" | "batch" => Kind::Dense,
        "range" => Kind::Range,
        "compressed" => Kind::Compressed,
        "loose_compressed" => Kind::Loose,
        "block_compressed" => Kind::Blocks(arguments.get(3)?.parse().ok()?),
        "singleton" => Kind::Singleton,
        "offset" => Kind::Offset,
        "hashed" => Kind::Hashed,
        "bitmap" => Kind::Bitmap,
        "structured" => {
            Kind::Structured(arguments.get(1)?.parse().ok()?, arguments.get(2)?.parse().ok()?)
        }
        _ => return None,
    };
    let level = plain(expr, kind, pos, crd)?;
    let has = |property: &str| properties.contains(&format!(".{property}()"));
    Some(Level {
        full: has("full"),
        ordered: !has("nonordered"),
        unique: !has("nonunique"),
        padded: !has("unpadded"),
        ..level
    })
}

/// Parses an expression at the start of the text and removes it.
fn expr(text: &mut &str) -> Option<Expr> {
    let rest = text.trim_start_matches('&').strip_prefix("LevelExpr::")?;
    let (name, rest) = rest.split_once('(')?;
    *text = rest;
    let of = match name {
        "Div" | "Mod" => Some(Box::new(expr(text)?)),
        _ => None,
    };
    let end = text.find(')').unwrap_or(text.len());
    let numbers: Result<Vec<usize>, _> =
        text[..end].split(',').filter(|n| !n.trim().is_empty()).map(|n| n.trim().parse()).collect();
    *text = text.get(end + 1..).unwrap_or_default();
    Some(match (name, of, &numbers.ok()?[..]) {
        ("Div", Some(of), [block]) => Expr::Div(of, *block),
        ("Mod", Some(of), [block]) => Expr::Mod(of, *block),
        ("Dimension", None, [dimension]) => Expr::Dimension(*dimension),
        ("Sub", None, [a, b]) => Expr::Sub(*a, *b),
        ("Add", None, [a, b]) => Expr::Add(*a, *b),
        ("Count", None, [dimension]) => Expr::Count(*dimension),
        _ => return None,
    })
}
