//! Elements of types that MPI does not send.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, MulAssign};

use sparsegen::distributed::{Distributed, Exchanged, Layout, Pretended, World};
use sparsegen::{Csr, Dense, Fill, Format, Tensor, Value, f16};

use super::asserts::{assert_identical, assert_same};
use super::kernels;
use super::random::{Random, layout};

type Rows = Csr<u64, u64>;

/// An integer modulo 7.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mod7(u8);

impl Add for Mod7 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Mod7((self.0 + other.0) % 7)
    }
}

impl AddAssign for Mod7 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Mul for Mod7 {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Mod7(self.0 * other.0 % 7)
    }
}

impl MulAssign for Mod7 {
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl fmt::Display for Mod7 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Value for Mod7 {
    const ZERO: Self = Mod7(0);
    const ONE: Self = Mod7(1);

    fn filled(fill: Fill) -> Self {
        Mod7(fill.to_f64().rem_euclid(7.0) as u8)
    }

    fn sum(self, other: Self) -> Self {
        self + other
    }
}

impl Exchanged for Mod7 {
    type Message = u8;

    fn to_message(self) -> u8 {
        self.0
    }

    fn of_message(number: u8) -> Self {
        Mod7(number)
    }
}

/// Compares kernels on such elements with those in one process. Returns the number of comparisons.
pub fn compare(world: &World, [i, j, k, _]: [usize; 4], kind: usize, seed: u64) -> usize {
    let mut random = Random::new(seed);
    let of =
        |extent: usize| layout(&mut Random::new(seed + extent as u64), extent, world.size(), kind);
    let (of_i, of_j) = (of(i), of(j));
    let what = format!("of {i}x{j}x{k}, layout {kind}, on {} ranks", world.size());
    let a = random.tensor::<Rows>([i, j], 0.2);
    let b = random.tensor::<Rows>([j, k], 0.2);
    let x = random.tensor::<Dense<1>>([j], 1.0);
    let z = random.tensor::<Dense<1>>([i], 1.0);

    // Patterns: the entries are sent once, when the plan is made, and nothing in a run.
    let (graph, other) = (a.pattern(), b.pattern());
    let (dgraph, dother) = (part(world, &graph, &of_i), part(world, &other, &of_j));
    let dx = part(world, &x, &of_j);
    let mut plan = kernels::degrees_plan(world, &dgraph, &dx).expect("the layouts agree");
    let degrees = plan.run(&dgraph, &dx).expect("the structure is the same");
    assert_same(&what, world, &degrees, &kernels::degrees(&graph, &x).expect("fits"));
    let mut plan = kernels::two_steps_plan(world, &dgraph, &dother).expect("the layouts agree");
    assert_eq!(plan.report().volume(), 0, "{what}");
    let steps = plan.run(&dgraph, &dother).expect("the structure is the same");
    assert_eq!(
        steps.gather(world).expect("fits"),
        kernels::two_steps(&graph, &other).expect("fits"),
        "{what}"
    );
    let pretended = (Pretended::distributed(&graph, &of_i), Pretended::distributed(&other, &of_j));
    let simulated = kernels::two_steps_simulate(world.size(), pretended.0, pretended.1);
    assert_eq!(*plan.report(), simulated.expect("the layouts agree"), "{what}");
    let mut plan = kernels::turned_plan(world, &dgraph).expect("the layouts agree");
    let turned = plan.run(&dgraph).expect("the structure is the same");
    assert_eq!(
        turned.gather(world).expect("fits"),
        kernels::turned(&graph).expect("fits"),
        "{what}"
    );

    let half = |value: f64| f16::from_f64(value);
    let (a_half, x_half) = (a.map(|_, value| half(value)), x.map(|_, value| half(value)));
    let (da, dx) = (part(world, &a_half, &of_i), part(world, &x_half, &of_j));
    let mut plan = kernels::spmv_half_plan(world, &da, &dx).expect("the layouts agree");
    let y = plan.run(&da, &dx).expect("the structure is the same");
    assert_same(&what, world, &y, &kernels::spmv_half(&a_half, &x_half).expect("fits"));

    let [of_a, of_x] = [&of_i, &of_j];
    let single = |value: f64| value as f32;
    generic(world, &what, &a.map(|_, v| single(v)), &x.map(|_, v| single(v)), [of_a, of_x], 2.5);
    generic(world, &what, &a, &x, [of_a, of_x], 2.5);

    let modular = |value: f64| Mod7((value + 8.5) as u8 % 7);
    let (a, z) = (a.map(|_, value| modular(value)), z.map(|_, value| modular(value)));
    let (da, dz) = (part(world, &a, &of_i), part(world, &z, &of_i));
    let mut plan = kernels::modular_plan(world, &da, &dz).expect("the layouts agree");
    let y = plan.run(&da, &dz).expect("the structure is the same");
    assert_same(&what, world, &y, &kernels::modular(&a, &z).expect("fits"));
    7
}

/// Compares kernels whose caller chooses the type of the elements.
fn generic<V>(
    world: &World,
    what: &str,
    a: &Tensor<V, Rows>,
    x: &Tensor<V, Dense<1>>,
    [of_i, of_j]: [&Layout; 2],
    alpha: V,
) where
    V: Value + Exchanged + sparsegen::num_traits::NumAssign,
{
    let (da, dx) = (part(world, a, of_i), part(world, x, of_j));
    let mut plan = kernels::combine_plan(world, &da, &dx).expect("the layouts agree");
    let (y, s) = plan.run(alpha, &da, &dx).expect("the structure is the same");
    let (expected, sum) = kernels::combine(alpha, a, x).expect("fits");
    assert_same(what, world, &y, &expected);
    assert!(s.is_close(sum, 1e-6), "{what}: {s}, not {sum}");

    let mut plan = kernels::columns_plan(world, &da, &dx).expect("the layouts agree");
    let (mut sums, mut expected) = (y, expected);
    plan.run_into(&mut sums, &da, &dx).expect("the layout is the same");
    kernels::columns_into(&mut expected, a, x).expect("fits");
    assert_same(what, world, &sums, &expected);
    let again = part(world, &expected, of_i);
    assert_identical(&again, &again.redistribute(world, of_i).expect("fits"));
}

fn part<V: Exchanged, F: Format>(
    world: &World,
    tensor: &Tensor<V, F>,
    layout: &Layout,
) -> Distributed<V, F> {
    Distributed::part_of(world, tensor, layout).expect("the layout fits")
}
