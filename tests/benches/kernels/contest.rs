//! Contests: several implementations of one operation on the same operands, which are compared with
//! each other and then timed in rounds.

use std::fmt;
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use criterion::Criterion;

use crate::operands::Random;

/// The least and the largest number of rounds. Every entrant runs once in each.
const ROUNDS: RangeInclusive<usize> = 10..=50;

/// The result of an entrant, in a common form.
#[derive(PartialEq)]
pub struct Answer {
    /// The positions and coordinates of a sparse result by rows; empty for a dense result.
    pub structure: Vec<usize>,
    /// The values, row by row.
    pub vals: Vec<f64>,
}

impl Answer {
    /// Returns a dense result.
    pub fn dense(vals: &[f64]) -> Answer {
        Answer { structure: Vec::new(), vals: vals.to_vec() }
    }

    /// Returns a dense matrix that is stored by columns.
    pub fn by_columns(vals: &[f64], rows: usize) -> Answer {
        let row = |row: usize| vals.iter().skip(row).step_by(rows);
        Answer { structure: Vec::new(), vals: (0..rows).flat_map(row).copied().collect() }
    }

    /// Returns a sparse result.
    pub fn sparse(
        pos: impl IntoIterator<Item = usize>,
        crd: impl IntoIterator<Item = usize>,
        vals: &[f64],
    ) -> Answer {
        Answer { structure: pos.into_iter().chain(crd).collect(), vals: vals.to_vec() }
    }

    /// Returns whether both are equal up to the order of summation.
    fn agrees(&self, other: &Answer) -> bool {
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-10 * a.abs().max(b.abs());
        self.structure == other.structure
            && self.vals.len() == other.vals.len()
            && self.vals.iter().zip(&other.vals).all(close)
    }
}

/// The origin of an entrant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// A generated kernel, the numerator of the ratio.
    Ours,
    /// Another generated kernel, with another format or function, for comparison.
    Variant,
    /// Another library, or a hand-written loop.
    Peer,
}

struct Entrant<'a> {
    name: &'static str,
    side: Side,
    run: Box<dyn FnMut() -> Duration + 'a>,
    times: Vec<Duration>,
}

impl Entrant<'_> {
    fn best(&self) -> f64 {
        self.times.iter().min().map_or(f64::NAN, Duration::as_secs_f64)
    }
}

/// One operation on one kind of operand, with its entrants.
pub struct Contest<'a> {
    /// The name of the operation.
    pub operation: &'static str,
    operand: &'static str,
    entrants: Vec<Entrant<'a>>,
    answer: Option<Answer>,
}

impl<'a> Contest<'a> {
    /// Creates a contest without entrants.
    pub fn new(operation: &'static str, operand: &'static str) -> Contest<'a> {
        Contest { operation, operand, entrants: Vec::new(), answer: None }
    }

    /// Adds an entrant, runs it once, and checks that its result agrees with the others.
    ///
    /// `state` is the existing result of `run`. The value that `run` returns is dropped after its
    /// time is taken; `read` converts both to an answer.
    pub fn enter<S: 'a, R: 'a>(
        &mut self,
        side: Side,
        name: &'static str,
        mut state: S,
        mut run: impl FnMut(&mut S) -> R + 'a,
        read: impl FnOnce(&S, R) -> Answer,
    ) {
        let result = run(&mut state);
        let answer = read(&state, result);
        let timed = move || {
            let start = Instant::now();
            let result = black_box(run(black_box(&mut state)));
            let time = start.elapsed();
            drop(result);
            time
        };
        self.enter_timed(side, name, timed, answer);
    }

    /// Adds an entrant that returns its own time, and checks that its answer agrees with the others.
    ///
    /// # Panics
    /// Panics if it does not.
    pub fn enter_timed(
        &mut self,
        side: Side,
        name: &'static str,
        run: impl FnMut() -> Duration + 'a,
        answer: Answer,
    ) {
        let (operation, operand) = (self.operation, self.operand);
        match &self.answer {
            Some(expected) => assert!(
                expected.agrees(&answer),
                "{operation} of {operand} matrices: {name} computes something else"
            ),
            None => self.answer = Some(answer),
        }
        self.entrants.push(Entrant { name, side, run: Box::new(run), times: Vec::new() });
    }

    /// Times the entrants in rounds, each in another order, so that disturbances affect all of them,
    /// and passes the times to criterion. After the time of `patience`, there are no more rounds than
    /// necessary.
    pub fn run(mut self, criterion: &mut Criterion, patience: Duration) -> Ranking {
        let start = Instant::now();
        let mut rounds = 0;
        // Each run finds the memory and the caches that another one left, so that the order matters.
        let mut order: Vec<usize> = (0..self.entrants.len()).collect();
        let mut random = Random(8);
        while rounds < *ROUNDS.start() || rounds < *ROUNDS.end() && start.elapsed() < patience {
            rounds += 1;
            random.shuffle(&mut order);
            for entrant in &order {
                let entrant = &mut self.entrants[*entrant];
                let time = (entrant.run)();
                entrant.times.push(time);
            }
        }
        let mut group = criterion.benchmark_group(format!("{}/{}", self.operation, self.operand));
        group.sample_size(rounds).warm_up_time(Duration::from_nanos(1)).nresamples(1000);
        for entrant in &self.entrants {
            let mut times = entrant.times.iter().cycle();
            group.bench_function(entrant.name, |bencher| {
                bencher.iter_custom(|runs| {
                    times.next().map_or(Duration::ZERO, |time| time.mul_f64(runs as f64))
                })
            });
        }
        group.finish();
        Ranking::of(&self)
    }
}

/// The outcome of a contest.
pub struct Ranking {
    /// The operation.
    pub operation: &'static str,
    /// The name of the operands.
    pub operand: &'static str,
    /// The fastest peer.
    pub best: &'static str,
    /// The least time of our entrant divided by the least time of the fastest peer.
    pub ratio: f64,
    /// The ratios with each peer, and then the ratio of each of our variants with the fastest peer.
    others: Vec<(&'static str, f64)>,
    variants: Vec<(&'static str, f64)>,
}

impl Ranking {
    fn of(contest: &Contest<'_>) -> Ranking {
        let on = |side| contest.entrants.iter().filter(move |entrant| entrant.side == side);
        let best = on(Side::Peer).min_by(|a, b| a.best().total_cmp(&b.best()));
        let (best, least) = best.map_or(("nobody", f64::NAN), |peer| (peer.name, peer.best()));
        let ours = on(Side::Ours).map(Entrant::best).fold(f64::NAN, f64::min);
        Ranking {
            operation: contest.operation,
            operand: contest.operand,
            best,
            ratio: ours / least,
            others: on(Side::Peer).map(|peer| (peer.name, ours / peer.best())).collect(),
            variants: on(Side::Variant).map(|own| (own.name, own.best() / least)).collect(),
        }
    }

    /// Returns our ratio with each peer.
    pub fn others(&self) -> String {
        list(&self.others)
    }

    /// Returns the ratio of each of our variants with the fastest peer.
    pub fn variants(&self) -> String {
        list(&self.variants)
    }
}

fn list(ratios: &[(&str, f64)]) -> String {
    let shown = ratios.iter().map(|(name, ratio)| format!("{name} {ratio:.2}"));
    shown.collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ranking { operation, operand, best, ratio, .. } = self;
        write!(f, "{operation:<14} {operand:<10} {ratio:>5.2}  {best:<17} ")?;
        write!(f, "{:<70} {}", self.others(), self.variants())
    }
}
