//! Binsparse's descriptors of formats, in JSON.

use super::json::Json;
use super::{FileLevels, Role};
use crate::{Format, LevelExpr};

/// The version of the specification.
const VERSION: &str = "0.1.0";

/// The levels of a tensor, outermost first, and the dimension that each of their coordinates is of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) levels: Vec<Stage>,
    pub(super) dimensions: Vec<usize>,
}

/// A level in the terms of Binsparse, which may store several dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stage {
    /// Every coordinate of one dimension.
    Dense,
    /// Coordinates of one or more dimensions for each node.
    Sparse(usize),
}

/// The content of a descriptor.
pub(super) struct Descriptor {
    pub(super) shape: Vec<usize>,
    /// The layout; `None` of a format that Binsparse does not define.
    pub(super) layout: Option<Layout>,
    pub(super) stored: usize,
    pub(super) has_fill: bool,
    /// The part of a matrix that is stored, if not the whole: `"symmetric_lower"`.
    pub(super) structure: Option<String>,
    /// The type of the values: `"iso[float64]"`.
    pub(super) values: String,
}

/// The names of layouts of which the specification defines one.
const NAMES: [(&str, &[Stage], &[usize]); 12] = {
    use Stage::{Dense, Sparse};
    [
        ("DVEC", &[Dense], &[0]),
        ("DMATR", &[Dense, Dense], &[0, 1]),
        ("DMATC", &[Dense, Dense], &[1, 0]),
        ("CVEC", &[Sparse(1)], &[0]),
        ("CSR", &[Dense, Sparse(1)], &[0, 1]),
        ("CSC", &[Dense, Sparse(1)], &[1, 0]),
        ("DCSR", &[Sparse(1), Sparse(1)], &[0, 1]),
        ("DCSC", &[Sparse(1), Sparse(1)], &[1, 0]),
        ("COOR", &[Sparse(2)], &[0, 1]),
        ("COOC", &[Sparse(2)], &[1, 0]),
        // Other names of the same.
        ("DMAT", &[Dense, Dense], &[0, 1]),
        ("COO", &[Sparse(2)], &[0, 1]),
    ]
};

impl Layout {
    /// Returns the layout of a format, or `None` if Binsparse cannot describe it.
    pub(super) fn of<F: Format<Levels: FileLevels>>() -> Option<Layout> {
        let mut layout = Layout { levels: Vec::new(), dimensions: Vec::new() };
        // `true` if this level continues the node of the previous one.
        let mut is_open = false;
        for (level, role) in F::MAP.levels.iter().zip(F::Levels::ROLES) {
            let LevelExpr::Dimension(dimension) = level.expr else { return None };
            layout.dimensions.push(dimension);
            let is_last = level.properties.unique;
            match (role.as_ref()?, layout.levels.last_mut()) {
                (Role::Dense, _) if !is_open => layout.levels.push(Stage::Dense),
                (Role::Sparse, _) if !is_open && level.properties.ordered => {
                    layout.levels.push(Stage::Sparse(1));
                    is_open = !is_last;
                }
                (Role::Continued, Some(Stage::Sparse(rank)))
                    if is_open && level.properties.ordered =>
                {
                    *rank += 1;
                    is_open = !is_last;
                }
                _ => return None,
            }
        }
        (!is_open).then_some(layout)
    }

    /// Parses the key `format`, and `custom`.
    fn parse(object: &Json, order: usize) -> Result<Option<Layout>, String> {
        let name = object.get("format").and_then(Json::text).ok_or("`format` is not a text")?;
        if name == "sparsegen" {
            return Ok(None);
        }
        if let Some((_, levels, dimensions)) = NAMES.iter().find(|(alias, ..)| *alias == name) {
            let layout = Layout { levels: levels.to_vec(), dimensions: dimensions.to_vec() };
            return Ok(Some(layout));
        }
        let custom = object.get("custom").filter(|_| name == "custom");
        let custom = custom.ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|(alias, ..)| *alias).collect();
            format!("the format `{name}` is not one of {}", names.join(", "))
        })?;
        let mut levels = Vec::new();
        let mut level = custom.get("level");
        loop {
            let field = |key: &str| level.and_then(|level| level.get(key));
            let rank = || {
                let rank = field("rank").and_then(Json::number);
                let rank = rank.filter(|rank| (1..=order).contains(rank));
                rank.ok_or("the `rank` of a level is not valid")
            };
            match field("level_desc").and_then(Json::text) {
                Some("element") => break,
                Some("dense") => levels.extend(vec![Stage::Dense; rank()?]),
                Some("sparse") => levels.push(Stage::Sparse(rank()?)),
                Some(other) => return Err(format!("a level `{other}` is not known")),
                None => return Err("a level has no `level_desc`".to_owned()),
            }
            if levels.len() > order {
                return Err(format!("there are more levels than the {order} modes"));
            }
            level = field("level");
        }
        let dimensions = match custom.get("transpose") {
            None | Some(Json::Null) => (0..order).collect(),
            Some(list) => list.numbers().ok_or("`transpose` is not a list of dimensions")?,
        };
        let mut sorted = dimensions.clone();
        sorted.sort_unstable();
        let layout = Layout { levels, dimensions };
        match sorted.into_iter().eq(0..order) && layout.order() == order {
            true => Ok(Some(layout)),
            false => Err(format!("the levels do not store each of {order} dimensions once")),
        }
    }

    fn order(&self) -> usize {
        self.levels.iter().map(|stage| stage.rank()).sum()
    }

    /// Returns the value of `format` and, if the layout has no name, that of `custom`.
    fn describe(&self) -> (&'static str, Option<Json>) {
        let named = NAMES.iter().find(|(_, levels, dimensions)| {
            *levels == self.levels && *dimensions == self.dimensions
        });
        if let Some((name, ..)) = named {
            return (name, None);
        }
        let element = Json::object([("level_desc", "element".into())]);
        let level = self.levels.iter().rev().fold(element, |inner, stage| {
            let name = match stage {
                Stage::Dense => "dense",
                Stage::Sparse(_) => "sparse",
            };
            let rank = Json::Number(stage.rank());
            Json::object([("level_desc", name.into()), ("rank", rank), ("level", inner)])
        });
        let custom = match self.dimensions.is_sorted() {
            true => Json::object([("level", level)]),
            false => {
                let transpose = Json::list(&self.dimensions);
                Json::object([("level", level), ("transpose", transpose)])
            }
        };
        ("custom", Some(custom))
    }
}

impl Stage {
    /// Returns the number of dimensions.
    pub(super) fn rank(self) -> usize {
        match self {
            Stage::Dense => 1,
            Stage::Sparse(rank) => rank,
        }
    }
}

impl Descriptor {
    /// Returns the text of the descriptor, with the types of all arrays.
    pub(super) fn text(&self, types: &[(String, String)]) -> String {
        let described = self.layout.as_ref().map(Layout::describe);
        let (format, custom) = described.unwrap_or(("sparsegen", None));
        let custom = custom.map(|custom| ("custom", custom));
        let fill = self.has_fill.then_some(("fill", Json::Bool(true)));
        let types = types.iter().map(|(array, name)| (array.clone(), (&**name).into()));
        let keys = [("version", VERSION.into()), ("format", format.into())]
            .into_iter()
            .chain(custom)
            .chain(fill)
            .chain([
                ("shape", Json::list(&self.shape)),
                ("number_of_stored_values", Json::Number(self.stored)),
                ("data_types", Json::Object(types.collect())),
            ]);
        let keys = keys.map(|(key, value)| (key.to_owned(), value));
        Json::object([("binsparse", Json::Object(keys.collect()))]).to_string()
    }

    /// Parses a descriptor.
    pub(super) fn parse(text: &str) -> Result<Descriptor, String> {
        let value = Json::parse(text)?;
        // Earlier versions did not nest the keys in an archive, whose array has that name.
        let object = value.get("binsparse").unwrap_or(&value);
        let text = |key: &str| object.get(key).and_then(Json::text);
        let version = text("version").unwrap_or(VERSION);
        if !version.starts_with("0.1") && !version.starts_with("1.") {
            return Err(format!("the version {version} is neither {VERSION} nor 1"));
        }
        let shape = object.get("shape").and_then(Json::numbers);
        let shape = shape.ok_or("`shape` is not a list of extents")?;
        let stored = object.get("number_of_stored_values").and_then(Json::number);
        let values = object.get("data_types").and_then(|types| types.get("values")?.text());
        Ok(Descriptor {
            layout: Layout::parse(object, shape.len())?,
            shape,
            stored: stored.ok_or("`number_of_stored_values` is not a number")?,
            has_fill: object.get("fill") == Some(&Json::Bool(true)),
            structure: text("structure").map(str::to_owned),
            values: values.ok_or("`data_types` has no type of `values`")?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Coo, CooUnordered, Csc, Csf, Csr, Dense, DenseCol, Dia, Ell, Scalar};

    fn check<F: Format<Levels: FileLevels>>(expected: &str) {
        let shape = vec![5; F::MAP.levels.len()];
        let layout = Layout::of::<F>();
        let written = Descriptor {
            shape,
            layout: layout.clone(),
            stored: 3,
            has_fill: false,
            structure: None,
            values: String::new(),
        };
        let text = written.text(&[("values".to_owned(), "uint8".to_owned())]);
        assert!(text.contains(expected), "{text}");
        assert_eq!(Descriptor::parse(&text).unwrap().layout, layout);
    }

    #[test]
    fn layouts_are_described() {
        check::<Csr>(r#""format":"CSR""#);
        check::<Csc>(r#""format":"CSC""#);
        check::<Coo<2>>(r#""format":"COOR""#);
        check::<Dense<1>>(r#""format":"DVEC""#);
        check::<DenseCol<2>>(r#""format":"DMATC""#);
        check::<Scalar>(
            r#""format":"custom","custom":{"level":{"level_desc":"element"}},"shape":[]"#,
        );
        check::<Csf<3>>(r#""rank":1,"level":{"level_desc":"element"}}}}},"shape":[5,5,5]"#);
        check::<DenseCol<3>>(r#""transpose":[2,1,0]"#);
        check::<CooUnordered<2>>(r#""format":"sparsegen""#);
        check::<Dia>(r#""format":"sparsegen""#);
        check::<Ell>(r#""format":"sparsegen""#);
    }

    #[test]
    fn descriptors_that_are_wrong_are_refused() {
        let check = |change: &str, message: &str| {
            let text = format!(
                r#"{{"binsparse":{{"version":"0.1","format":"CSR","shape":[2,3],
                "number_of_stored_values":4,"data_types":{{"values":"uint8"}}{change}}}}}"#
            );
            let found = Descriptor::parse(&text).map(|_| String::new()).unwrap_or_else(|e| e);
            assert_eq!(found, message, "{change}");
        };
        check("", "");
        check(r#","version":"2.0""#, "the version 2.0 is neither 0.1.0 nor 1");
        check(r#","shape":[2,-3]"#, "`shape` is not a list of extents");
        let names = "DVEC, DMATR, DMATC, CVEC, CSR, CSC, DCSR, DCSC, COOR, COOC, DMAT, COO";
        check(r#","format":"ELL""#, &format!("the format `ELL` is not one of {names}"));
        let custom = |level: &str| format!(r#","format":"custom","custom":{{"level":{level}}}"#);
        check(&custom("1"), "a level has no `level_desc`");
        check(&custom(r#"{"level_desc":"hash"}"#), "a level `hash` is not known");
        let rank = r#"{"level_desc":"dense","rank":0}"#;
        check(&custom(rank), "the `rank` of a level is not valid");
        let vector = r#"{"level_desc":"dense","rank":1,"level":{"level_desc":"element"}}"#;
        check(&custom(vector), "the levels do not store each of 2 dimensions once");
    }
}
