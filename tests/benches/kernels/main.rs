//! Benchmarks of generated kernels against other crates for the same operations.
//!
//! ```text
//! cargo bench -p sparsegen-tests --features benchmarks                   all
//! cargo bench -p sparsegen-tests --features benchmarks -- spmv/banded    contests with this in their names
//! SPARSEGEN_BENCH=tenth cargo bench -p sparsegen-tests --features benchmarks    operands of a tenth
//! SPARSEGEN_BENCH=small cargo bench -p sparsegen-tests --features benchmarks    small ones, in a minute
//! ```
//!
//! In each contest all entrants run once in each of at least ten rounds, on the same operands, and the
//! least time of each counts; criterion reports the same samples. Every round has another order,
//! because a run finds the memory and caches that the previous one left. The result is the final
//! table of ratios, as only ratios can be compared between machines. The same ratios are written as a
//! table and as a picture to `benchmarks/kernels.md` and `kernels.svg` in the target directory, and
//! the mean of each operation as a picture to `operations.svg`.
//!
//! - **Entrants**: `sprs`, `nalgebra-sparse` and `faer`, each with its own function that does the
//!   operation with the least work, if it has one: only `sprs` multiplies elementwise, and none
//!   supports MTTKRP. In those cases a hand-written loop is an entrant.
//! - **SciPy**, if `python3` has it, runs in a process of its own and measures its times itself, with
//!   32-bit indices and new results. Its products of sparse matrices are sorted as ours are.
//! - **Sampled products** `sddmm` and `masked` have hand-written loops as peers.
//! - **Conversions** `columns`, `blocks`, `dia` and `ell` have `Tensor::to` as ours, the generated
//!   kernel as a variant, and a hand-written loop as the peer. In `threads`, ours is SpMV with equal
//!   numbers of entries per thread, the variant has equal numbers of rows, and the peer is a
//!   hand-written loop on one thread.
//! - **Repeated calls**: in `step`, ours keeps its workspaces, the variant does not, and the peer is a
//!   hand-written loop that keeps them. In `compute_…`, ours computes the values of a result whose
//!   structure is known, the variant reuses its memory, and the peer is the kernel that returns a
//!   new result.
//! - **Structure that is shared**: `refill` has `Assembly::fill_into` and `fill` beside functions that
//!   pack the entries, ours among them, and `add_shared` has `Tensor::zip_vals` beside a sum of two
//!   vectors, and our kernel that merges as a variant.
//! - **Setting**: otherwise one thread, `f64`, the baseline instruction set of the processor unless
//!   `RUSTFLAGS` changes it. Ours has `u32` positions and coordinates, its default; the peers have
//!   `usize`, their default, and in SpMV also `u32` if they support it.
//! - **Method**: products write to existing memory in all entrants; sums and elementwise products
//!   create a new matrix, on pages from the allocator (4 KiB pages, if the system provides huge
//!   pages only on demand), and ours also reuses one (`into`). Operands are created, in each
//!   crate's own types and preferred order of dense matrices, before the time is taken; results are
//!   dropped after it. All results are compared beforehand.

mod contest;
mod conversions;
mod layouts;
mod matrices;
mod operands;
mod packing;
mod peers;
mod products;
mod repeated;
mod report;
mod sampled;
mod scipy;
mod tensors;

/// The kernels of `benchmarks.toml`.
#[allow(clippy::all, dead_code, reason = "generated code; products are timed in one of two forms")]
mod kernels {
    include!(concat!(env!("OUT_DIR"), "/benchmarks.rs"));
}

use std::cell::RefCell;
use std::env;
use std::rc::Rc;

use criterion::Criterion;
use sparsegen::{Csr, Tensor};

use contest::{Contest, Ranking};
use operands::{FILES, MATRICES, Scale, TENSORS};
use scipy::SciPy;

fn main() {
    let scale = match env::var("SPARSEGEN_BENCH").as_deref() {
        Ok("small") => Scale::Small,
        Ok("tenth") => Scale::Tenth,
        Ok(_) | Err(_) => Scale::Full,
    };
    let scipy = SciPy::start();
    if scipy.is_none() {
        println!("`python3` has no SciPy, which takes no part");
    }
    let mut session = Session {
        criterion: Criterion::default().configure_from_args(),
        wanted: env::args().skip(1).find(|argument| !argument.starts_with('-')),
        scale,
        scipy,
        rankings: Vec::new(),
    };
    for make in MATRICES {
        let pair = make(scale);
        session.hold("spmv", (pair.name, &[&pair.a, &pair.b]), |contest| {
            matrices::spmv(contest, &pair.a)
        });
        session.hold("spmm", (pair.name, &[&pair.a, &pair.b]), |contest| {
            matrices::spmm(contest, &pair.a)
        });
        session
            .hold("add", (pair.name, &[&pair.a, &pair.b]), |contest| matrices::add(contest, &pair));
        session.hold("multiply", (pair.name, &[&pair.a, &pair.b]), |contest| {
            matrices::multiply(contest, &pair)
        });
        session.hold("compress", (pair.name, &[&pair.a, &pair.b]), |contest| {
            conversions::compress(contest, &pair.a)
        });
        session.hold("turn", (pair.name, &[&pair.a, &pair.b]), |contest| {
            conversions::turn(contest, &pair.a)
        });
        session.hold("symmetrize", (pair.name, &[&pair.a, &pair.b]), |contest| {
            conversions::symmetrize(contest, &pair.a)
        });
        session.pack(pair.name, &pair.a);
        session.hold("refill", (pair.name, &[&pair.a, &pair.b]), |contest| {
            packing::refill(contest, &pair.a)
        });
        session.hold("add_shared", (pair.name, &[&pair.a, &pair.b]), |contest| {
            packing::add_shared(contest, &pair.a)
        });
        session.hold("columns", (pair.name, &[&pair.a, &pair.b]), |contest| {
            layouts::to_columns(contest, &pair.a)
        });
        session.hold("blocks", (pair.name, &[&pair.a, &pair.b]), |contest| {
            layouts::to_blocks(contest, &pair.a)
        });
        if pair.is_regular {
            session.hold("dia", (pair.name, &[&pair.a, &pair.b]), |contest| {
                layouts::to_dia(contest, &pair.a)
            });
            session.hold("ell", (pair.name, &[&pair.a, &pair.b]), |contest| {
                layouts::to_ell(contest, &pair.a)
            });
            session.hold("add_dia", (pair.name, &[&pair.a, &pair.b]), |contest| {
                layouts::add_diagonals(contest, &pair)
            });
        }
        session.hold("step", (pair.name, &[&pair.a, &pair.b]), |contest| {
            repeated::step(contest, &pair.a)
        });
        session.hold("compute_add", (pair.name, &[&pair.a, &pair.b]), |contest| {
            repeated::add(contest, &pair)
        });
        session.hold("compute_mul", (pair.name, &[&pair.a, &pair.b]), |contest| {
            repeated::multiply(contest, &pair)
        });
        session.hold("compute_blocks", (pair.name, &[&pair.a, &pair.b]), |contest| {
            repeated::blocks(contest, &pair.a)
        });
        if pair.is_regular {
            session.hold("compute_dia", (pair.name, &[&pair.a, &pair.b]), |contest| {
                repeated::diagonals(contest, &pair.a)
            });
        }
        session.hold("sddmm", (pair.name, &[&pair.a, &pair.b]), |contest| {
            sampled::sddmm(contest, &pair.a)
        });
        session.hold("threads", (pair.name, &[&pair.a, &pair.b]), |contest| {
            matrices::threads(contest, &pair.a)
        });
    }
    for make in MATRICES {
        let pair = make(scale.of_products());
        session.hold("spgemm", (pair.name, &[&pair.a, &pair.b]), |contest| {
            products::spgemm(contest, &pair)
        });
        session.hold("masked", (pair.name, &[&pair.a, &pair.b]), |contest| {
            sampled::masked(contest, &pair)
        });
        session.hold("compute_spgemm", (pair.name, &[&pair.a, &pair.b]), |contest| {
            repeated::spgemm(contest, &pair)
        });
        if !pair.has_long_rows {
            session.hold("compute_hashed", (pair.name, &[&pair.a, &pair.b]), |contest| {
                repeated::hashed(contest, &pair)
            });
        }
    }
    for (name, file) in FILES {
        let matrix = operands::read(file);
        session.pack(name, &matrix);
        session.hold("to_dense", (name, &[&matrix]), |contest| packing::to_dense(contest, &matrix));
    }
    for make in TENSORS {
        let single = make(scale);
        session.hold("mttkrp", (single.name, &[]), |contest| tensors::mttkrp(contest, &single.x));
    }
    session.finish();
}

/// The state of a benchmark run.
struct Session {
    criterion: Criterion,
    /// The name, or a part of it, of the selected contests.
    wanted: Option<String>,
    scale: Scale,
    scipy: Option<Rc<RefCell<SciPy>>>,
    rankings: Vec<Ranking>,
}

impl Session {
    fn hold<'a>(
        &mut self,
        operation: &'static str,
        (operand, matrices): (&'static str, &[&Tensor<f64, Csr>]),
        enter: impl FnOnce(&mut Contest<'a>),
    ) {
        let name = format!("{operation}/{operand}");
        if self.wanted.as_ref().is_none_or(|part| name.contains(part.as_str())) {
            let mut contest = Contest::new(operation, operand);
            enter(&mut contest);
            if let Some(scipy) = &self.scipy {
                SciPy::enter(scipy, &mut contest, matrices);
            }
            self.rankings.push(contest.run(&mut self.criterion, self.scale.patience()));
        }
    }

    fn pack(&mut self, name: &'static str, matrix: &Tensor<f64, Csr>) {
        self.hold("pack", (name, &[matrix]), |contest| packing::pack(contest, matrix));
        self.hold("to_csr", (name, &[matrix]), |contest| packing::to_csr(contest, matrix));
        self.hold("to_csc", (name, &[matrix]), |contest| packing::to_csc(contest, matrix));
    }

    fn finish(mut self) {
        self.criterion.final_summary();
        println!(
            "\n{:<14} {:<10} {:>5}  {:<17} {:<70} our variants by the fastest peer",
            "operation", "operand", "ratio", "fastest peer", "ours by each peer"
        );
        self.rankings.sort_by_key(|ranking| ranking.operation);
        for same in self.rankings.chunk_by(|a, b| a.operation == b.operation) {
            for ranking in same {
                println!("{ranking}");
            }
            println!("{:<14} {:<10} {:>5.2}", same[0].operation, "(mean)", report::mean(same));
        }
        match report::write(&self.rankings) {
            Ok(files) => files.iter().for_each(|file| println!("{}", file.display())),
            Err(error) => println!("the report cannot be written: {error}"),
        }
    }
}
