//! Tests of small statements with both evaluators.

use std::collections::{BTreeMap, HashMap};

use crate::dtype::Dtype;
use crate::number::Number;
use crate::oracle::{Cells, Fault, Knowledge, Meaning, Operands, Semiring, Setting};
use crate::oracle::{grid, relation};
use crate::statement::Statement;

type Entry<'a> = (&'a [usize], f64);

/// Returns matrices and vectors of extent 3, scalars, and tensors of other types.
fn operands() -> Operands {
    let stored = |entries: &[Entry<'_>]| {
        entries.iter().map(|(at, value)| (at.to_vec(), Number::Real(*value))).collect()
    };
    let converted = |make: &dyn Fn(f64) -> Number, entries: &[Entry<'_>]| {
        entries.iter().map(|(at, value)| (at.to_vec(), make(*value))).collect()
    };
    let whole = |x: f64| Number::Whole(x as i128);
    Operands::from([
        ("A".into(), stored(&[(&[0, 0], 2.0), (&[0, 1], 3.0), (&[2, 2], 0.0)])),
        ("B".into(), stored(&[(&[0, 1], 5.0), (&[1, 0], 7.0)])),
        ("x".into(), stored(&[(&[0], f64::INFINITY), (&[1], 1.0), (&[2], f64::NAN)])),
        ("c".into(), stored(&[(&[], 4.0)])),
        ("I".into(), converted(&whole, &[(&[0, 0], 2.0), (&[0, 1], -3.0), (&[1, 1], 0.0)])),
        ("n".into(), converted(&whole, &[(&[0], 2.0), (&[1], 1.0), (&[2], 0.0)])),
        ("T".into(), converted(&|_| Number::Bool(true), &[(&[0, 1], 1.0), (&[1, 2], 1.0)])),
        ("Z".into(), converted(&|x| Number::Complex(x, 1.0), &[(&[0, 0], 2.0)])),
    ])
}

struct Try {
    statement: &'static str,
    semiring: Semiring,
    result: Dtype,
}

/// Returns a test of a statement in which the bare name `far` is a parameter with value 1.
fn of(statement: &'static str) -> Try {
    Try { statement, semiring: Semiring::PlusTimes, result: Dtype::F64 }
}

impl Try {
    fn within(self, semiring: Semiring) -> Try {
        Try { semiring, ..self }
    }

    fn into(self, result: Dtype) -> Try {
        Try { result, ..self }
    }

    fn meaning(&self) -> Result<Meaning, String> {
        let statement = Statement::parse(self.statement, &["far"]).unwrap();
        let extents: BTreeMap<String, usize> =
            statement.variables().iter().map(|name| ((*name).to_owned(), 3)).collect();
        let dtypes = HashMap::from([
            (statement.result.tensor.clone(), self.result),
            ("I".to_owned(), Dtype::Integer(32, true)),
            ("n".to_owned(), Dtype::Usize),
            ("T".to_owned(), Dtype::Bool),
            ("Z".to_owned(), Dtype::C64),
        ]);
        let parameters = BTreeMap::from([("far".to_owned(), 1)]);
        let semiring = self.semiring;
        let setting = Setting {
            extents: &extents,
            parameters: &parameters,
            dtypes: &dtypes,
            semiring,
            fills: &HashMap::new(),
        };
        Meaning::of(&statement, &setting)
    }

    /// Returns the cells, on which the evaluators must agree if both have a result.
    fn answer(&self) -> Result<Cells, Fault> {
        let meaning = self.meaning().unwrap();
        let visited = grid::evaluate(&meaning, &operands());
        if let (Some(joined), Ok(visited)) = (relation::evaluate(&meaning, &operands()), &visited) {
            let joined: BTreeMap<_, _> = joined.into_iter().collect();
            assert_eq!(format!("{joined:?}"), format!("{visited:?}"), "{}", self.statement);
        }
        visited
    }

    /// Checks that these entries are stored, and those at the coordinates `may` are optional.
    fn check(self, expected: &[Entry<'_>], may: &[&[usize]]) {
        let cells = self.answer().unwrap();
        let stored = cells.iter().filter(|(at, _)| !may.contains(&at.as_slice()));
        let coordinates: Vec<&[usize]> = stored.clone().map(|(at, _)| at.as_slice()).collect();
        let wanted: Vec<&[usize]> = expected.iter().map(|(at, _)| *at).collect();
        assert_eq!(coordinates, wanted, "{}", self.statement);
        for ((at, cell), (_, value)) in stored.zip(expected) {
            let is_like = Number::Real(cell.value.re()).is_like(Number::Real(*value), 1e-9);
            assert!(is_like, "{} at {at:?}: {}", self.statement, cell.value);
        }
        for at in may {
            assert_eq!(cells[*at].knowledge, Knowledge::Either, "{} at {at:?}", self.statement);
        }
    }

    fn is(self, expected: &[Entry<'_>]) {
        self.check(expected, &[]);
    }
}

/// Returns every coordinate of a matrix, with a value.
fn all(value: impl Fn(usize, usize) -> f64) -> Vec<([usize; 2], f64)> {
    (0..9).map(|k| ([k / 3, k % 3], value(k / 3, k % 3))).collect()
}

fn entries(all: &[([usize; 2], f64)]) -> Vec<Entry<'_>> {
    all.iter().map(|(at, value)| (at.as_slice(), *value)).collect()
}

mod language;
mod plain;
