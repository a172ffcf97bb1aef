//! Generated kernels beside the crates that people use for the same operations today.
//!
//! ```text
//! cargo bench -p sparsegen-tests --features benchmarks                   all, in three minutes
//! cargo bench -p sparsegen-tests --features benchmarks -- spmv/banded    what has that in its name
//! SPARSEGEN_BENCH=tenth cargo bench -p sparsegen-tests --features benchmarks    smaller operands
//! SPARSEGEN_BENCH=small cargo bench -p sparsegen-tests --features benchmarks    small ones
//! ```
//!
//! In each contest all entrants run in turns, ten rounds or more, on the same operands, and the
//! least time of each counts; criterion reports on the same samples. What matters is the table in
//! the end, of ratios: only they can be compared between machines.
//!
//! - **Who**: `sprs`, `nalgebra-sparse` and `faer`, each with the function of its own that does the
//!   operation with the least work, where it has one: no peer multiplies elementwise but `sprs`,
//!   and none knows MTTKRP. There a loop stands in as somebody would write it who needs just that.
//! - **What**: one thread, `f64`, the processor's baseline instruction set unless `RUSTFLAGS` says
//!   otherwise. Ours has `u32` positions and coordinates, its default; the peers have `usize`,
//!   theirs, and in SpMV also `u32` where they can.
//! - **How**: products write to memory that was there before, in all entrants; sums and elementwise
//!   products make a new matrix, on pages that the allocator gives (4 KiB pages, where the system
//!   gives huge ones only on demand), and ours also reuses one (`into`). Operands are made, in each
//!   crate's own types and preferred order of dense matrices, before the time is taken; results are
//!   dropped after it. Before that, all answers are compared.

mod contest;
mod conversions;
mod matrices;
mod operands;
mod packing;
mod peers;
mod products;
mod tensors;

/// The kernels of `benchmarks.toml`.
#[allow(clippy::all, dead_code, reason = "generated code; products are timed in one of two forms")]
mod kernels {
    include!(concat!(env!("OUT_DIR"), "/benchmarks.rs"));
}

use std::env;

use criterion::Criterion;
use sparsegen::{Csr, Tensor};

use contest::{Contest, Ranking};
use operands::{FILES, MATRICES, Scale, TENSORS};

fn main() {
    let scale = match env::var("SPARSEGEN_BENCH").as_deref() {
        Ok("small") => Scale::Small,
        Ok("tenth") => Scale::Tenth,
        Ok(_) | Err(_) => Scale::Full,
    };
    let mut session = Session {
        criterion: Criterion::default().configure_from_args(),
        wanted: env::args().skip(1).find(|argument| !argument.starts_with('-')),
        rankings: Vec::new(),
    };
    for make in MATRICES {
        let pair = make(scale);
        session.hold("spmv", pair.name, |contest| matrices::spmv(contest, &pair.a));
        session.hold("spmm", pair.name, |contest| matrices::spmm(contest, &pair.a));
        session.hold("add", pair.name, |contest| matrices::add(contest, &pair));
        session.hold("multiply", pair.name, |contest| matrices::multiply(contest, &pair));
        session.hold("compress", pair.name, |contest| conversions::compress(contest, &pair.a));
        session.hold("turn", pair.name, |contest| conversions::turn(contest, &pair.a));
        session.hold("symmetrize", pair.name, |contest| conversions::symmetrize(contest, &pair.a));
        session.pack(pair.name, &pair.a);
    }
    for make in MATRICES {
        let pair = make(scale.of_products());
        session.hold("spgemm", pair.name, |contest| products::spgemm(contest, &pair));
    }
    for (name, file) in FILES {
        let matrix = operands::read(file);
        session.pack(name, &matrix);
        session.hold("to_dense", name, |contest| packing::to_dense(contest, &matrix));
    }
    for make in TENSORS {
        let single = make(scale);
        session.hold("mttkrp", single.name, |contest| tensors::mttkrp(contest, &single.x));
    }
    session.finish();
}

/// What is timed, and how it went so far.
struct Session {
    criterion: Criterion,
    /// The name, or a part of it, of the only contests to hold.
    wanted: Option<String>,
    rankings: Vec<Ranking>,
}

impl Session {
    fn hold<'a>(
        &mut self,
        operation: &'static str,
        operand: &'static str,
        enter: impl FnOnce(&mut Contest<'a>),
    ) {
        let name = format!("{operation}/{operand}");
        if self.wanted.as_ref().is_none_or(|part| name.contains(part.as_str())) {
            let mut contest = Contest::new(operation, operand);
            enter(&mut contest);
            self.rankings.push(contest.run(&mut self.criterion));
        }
    }

    fn pack(&mut self, name: &'static str, matrix: &Tensor<f64, Csr>) {
        self.hold("pack", name, |contest| packing::pack(contest, matrix));
        self.hold("to_csr", name, |contest| packing::to_csr(contest, matrix));
        self.hold("to_csc", name, |contest| packing::to_csc(contest, matrix));
    }

    fn finish(mut self) {
        self.criterion.final_summary();
        println!(
            "\n{:<9} {:<10} {:>5}  {:<17} {:<70} our variants by the fastest peer",
            "operation", "operand", "ratio", "fastest peer", "ours by each peer"
        );
        self.rankings.sort_by_key(|ranking| ranking.operation);
        for same in self.rankings.chunk_by(|a, b| a.operation == b.operation) {
            for ranking in same {
                println!("{ranking}");
            }
            let logarithms = same.iter().map(|ranking| ranking.ratio.ln()).sum::<f64>();
            let mean = (logarithms / same.len() as f64).exp();
            println!("{:<9} {:<10} {mean:>5.2}", same[0].operation, "(mean)");
        }
    }
}
