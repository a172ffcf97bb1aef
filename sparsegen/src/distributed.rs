//! Tensors and kernels on the ranks of an MPI program.
//!
//! Every rank runs the same program on its part. A [`Distributed`] tensor is divided by its outermost
//! mode: each rank owns consecutive coordinates, which a [`Layout`] lists, and stores them as an
//! ordinary [`Tensor`](crate::Tensor). A kernel with the key
//!
//! ```toml
//! [kernels.spmv]
//! expr = "y[i] = A[i,j] * x[j]"
//! tensors = { y = "dense", A = "csr", x = "dense" }
//! distribute = "i"
//! ```
//!
//! has, beside its ordinary functions, `spmv_plan`. It determines which elements of `x` this rank
//! needs for its rows of `A` and which ranks own them, once for many runs:
//!
//! ```ignore
//! let universe = mpi::initialize().expect("MPI is not yet initialized");
//! let world = World::new(&universe.world());
//! let layout = Layout::equal(n, world.size());
//! let a = Distributed::from_triplets(&world, [n, n], &layout, my_entries)?;
//! let x = Distributed::from_triplets(&world, [n], &layout, my_elements)?;
//!
//! let mut plan = kernels::spmv_plan(&world, &a, &x)?;
//! println!("{}", plan.report());
//! let y = plan.run(&a, &x)?;
//! ```
//!
//! # What is exchanged
//!
//! Let `i` be the distributed variable. An operand whose outermost mode `i` indexes is used where it
//! is. Of an operand whose outermost mode another variable `v` indexes, a rank receives the entries at
//! the coordinates of `v` at which its own entries permit an effect: for a product the coordinates at
//! which the other factors have entries, for a sum those of any operand, and all coordinates if an
//! operand stores all of them. These coordinates are numbered anew, and the ordinary generated kernel runs on
//! the smaller local problem. A result that `i` indexes stays where it is computed. The contributions
//! to one that `v` indexes are sent to their owners, which combine them by the operator of the
//! reduction, in the order of the ranks; so are those to a scalar. A tensor that is not distributed is
//! used on every rank as it is.
//!
//! The result of a run is bit-identical for the same number of ranks and the same layouts.
//!
//! # Files
//!
//! [`Distributed::read_mtx`] and [`Distributed::read_tns`] read a file in parallel, and
//! [`Distributed::write_mtx`] and [`Distributed::write_tns`] write one in the order of the ranks.
//!
//! # Errors
//!
//! All functions that take a [`World`], and those of a plan, are collective: all ranks call them. If
//! one rank has an error, all return the same [`Error::Rank`](crate::Error::Rank).

mod column;
mod entries;
mod exchange;
mod exchanged;
mod inspect;
mod layout;
mod needed;
mod part;
mod plan;
mod read;
mod report;
#[doc(hidden)]
pub mod scheme;
mod simulate;
mod tensor;
mod world;
mod write;

pub use mpi;

pub use exchanged::Exchanged;
pub use layout::Layout;
#[doc(hidden)]
#[doc(hidden)]
pub use part::Part;
pub use plan::Operand;
#[doc(hidden)]
pub use plan::{Inspected, Plan};
pub use read::Distribution;
pub use report::{Report, Traffic};
pub use simulate::Pretended;
#[doc(hidden)]
pub use simulate::simulate;
pub use tensor::Distributed;
pub use world::World;
