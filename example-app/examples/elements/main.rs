//! Finite elements for heat in a plate whose conductivity depends on the temperature.
//!
//! ```sh
//! cargo run --release -p example-app --example elements
//! ```
//!
//! The equation is -div((1 + u²) grad u) = f on a square, with u = 0 on the boundary, and f such that u
//! is sin(πx) sin(πy). Each iteration assembles the stiffness matrix for the conductivities of the last
//! solution: the coordinates of its entries never change, so an `Assembly` sorts them once. On a mesh
//! of half the width, the error is a quarter.

use std::f64::consts::PI;

use example_app::draw::Picture;
use example_app::input::Progress;
use example_app::{Outcome, at_most};
use sparsegen::{Assembly, Csr, Dense, Pattern, Tensor};

sparsegen::include_kernels!(mod kernels = "elements");

type Vector = Tensor<f64, Dense<1>>;

/// The change of the solution at which the iteration ends.
const TOLERANCE: f64 = 1e-10;

/// A mesh of triangles.
struct Mesh {
    /// The places of the nodes.
    nodes: Vec<[f64; 2]>,
    /// The nodes at the corners of each element.
    corners: Vec<[usize; 3]>,
    /// 1 for each node inside of the square, 0 on the boundary.
    free: Vec<f64>,
}

impl Mesh {
    /// Divides each cell of a grid, which is slightly twisted, into two triangles.
    fn new(cells: usize) -> Mesh {
        let side = cells + 1;
        let points = (0..side * side).map(|node| [node % side, node / side]);
        let place = |[column, row]: [usize; 2]| {
            let [x, y] = [column, row].map(|number| number as f64 / cells as f64);
            let twist = 0.05 * (PI * x).sin() * (PI * y).sin();
            [x + twist * (2.0 * PI * y).sin(), y - twist * (2.0 * PI * x).sin()]
        };
        let is_inside = |number: usize| number > 0 && number < cells;
        let free = points.clone().map(|[x, y]| f64::from(is_inside(x) && is_inside(y)));
        let corners = (0..cells * cells).flat_map(|cell| {
            let first = cell / cells * side + cell % cells;
            let [second, third, fourth] = [first + 1, first + side, first + side + 1];
            [[first, second, fourth], [first, fourth, third]]
        });
        Mesh {
            free: free.collect(),
            corners: corners.collect(),
            nodes: points.map(place).collect(),
        }
    }

    /// Returns the area of an element, and the gradients of its shape functions.
    fn element(&self, corners: [usize; 3]) -> (f64, [[f64; 2]; 3]) {
        let [a, b, c] = corners.map(|node| self.nodes[node]);
        let double = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        let across =
            |from: [f64; 2], to: [f64; 2]| [(from[1] - to[1]) / double, (to[0] - from[0]) / double];
        (double / 2.0, [across(b, c), across(c, a), across(a, b)])
    }
}

/// The exact solution.
fn exact([x, y]: [f64; 2]) -> f64 {
    (PI * x).sin() * (PI * y).sin()
}

/// The source that has this solution.
fn source([x, y]: [f64; 2]) -> f64 {
    let u = exact([x, y]);
    let gradient = [(PI * x).cos() * (PI * y).sin(), (PI * x).sin() * (PI * y).cos()];
    let square = PI * PI * (gradient[0].powi(2) + gradient[1].powi(2));
    (1.0 + u * u) * 2.0 * PI * PI * u - 2.0 * u * square
}

fn main() -> Outcome<()> {
    let mut errors = Vec::new();
    for cells in [16, 32, 64] {
        let mesh = Mesh::new(cells);
        let (u, assemblies) = solve(&mesh)?;
        let differences =
            u.vals().iter().zip(&mesh.nodes).map(|(u, node)| (u - exact(*node)).abs());
        let error = differences.fold(0.0, f64::max);
        println!(
            "{:5} elements, {:4} nodes: {assemblies} assemblies, greatest error {error:.2e}",
            mesh.corners.len(),
            mesh.nodes.len()
        );
        errors.push(error);
        if cells == 16 {
            println!("picture  {}", plate(&mesh, &u).save("elements")?.display());
        }
    }
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        println!("half the width: the error is divided by {ratio:.2}");
        at_most("the distance of this ratio from 4", (ratio - 4.0).abs(), 0.25)?;
    }
    Ok(())
}

/// Solves the equation on a mesh; returns the solution and the number of matrices on the way.
fn solve(mesh: &Mesh) -> Outcome<(Vector, usize)> {
    let (count, size) = (mesh.corners.len(), mesh.nodes.len());
    let mut area = Vec::new();
    let mut gradients = Vec::new();
    for corners in &mesh.corners {
        let (of_element, of_corners) = mesh.element(*corners);
        area.push(of_element);
        gradients.extend(of_corners.as_flattened());
    }
    let gradients = Tensor::<f64, Dense<3>>::from_dense([count, 3, 2], &gradients)?;
    let numbers: Vec<u32> = mesh.corners.as_flattened().iter().map(|node| *node as u32).collect();
    let numbers = Tensor::<u32, Dense<2>>::from_dense([count, 3], &numbers)?;

    // The entries of the matrices of all elements, in the order in which `stiffness` stores them.
    let entries = mesh.corners.iter().flat_map(|corners| {
        corners.iter().flat_map(|row| corners.iter().map(|column| [*row, *column]))
    });
    let assembly = Assembly::<Csr>::new([size, size], entries)?;

    let centers = mesh.corners.iter().map(|corners| {
        let places = corners.map(|node| mesh.nodes[node]);
        [0, 1].map(|axis| places.iter().map(|place| place[axis]).sum::<f64>() / 3.0)
    });
    let sources: Vec<f64> = centers.map(source).collect();
    let touches = mesh.corners.iter().enumerate();
    let touches = touches.flat_map(|(e, corners)| corners.map(|node| ([node, e], Pattern::ONE)));
    let touches = Tensor::<Pattern<f64>, Csr>::from_triplets([size, count], touches)?;
    let load = kernels::load(&touches, &area, &sources)?;

    let mut progress = Progress::new();
    let mut u = Vector::zeros([size])?;
    let mut matrix = assembly.fill(&vec![0.0; 9 * count])?;
    for assemblies in 1.. {
        let conductivity = kernels::conductivity(&u, &numbers)?;
        let matrices = kernels::stiffness(&area, &conductivity, &gradients)?;
        assembly.fill_into(&mut matrix, matrices.vals())?;
        let before = u.clone();
        conjugate_gradients(&matrix, &load, &mesh.free, &mut u)?;
        let changes = u.vals().iter().zip(before.vals()).map(|(a, b)| (a - b).abs());
        let change = changes.fold(0.0, f64::max);
        progress.tell(|| format!("{assemblies} assemblies: the solution changes by {change:.1e}"));
        if change <= TOLERANCE {
            return Ok((u, assemblies));
        }
        if assemblies == 200 {
            break;
        }
    }
    Err("the iteration does not converge".into())
}

/// Improves `u` until it solves the system at the free nodes.
fn conjugate_gradients(
    a: &Tensor<f64, Csr>,
    b: &Vector,
    free: &[f64],
    u: &mut Vector,
) -> Result<(), sparsegen::Error> {
    let mut r = kernels::residual(free, b, a, &*u)?;
    let mut p = r.clone();
    let mut q = Vector::zeros(b.shape())?;
    let mut square: f64 = r.vals().iter().map(|r| r * r).sum();
    let target = 1e-24 * b.vals().iter().map(|b| b * b).sum::<f64>();
    for _ in 0..10 * free.len() {
        if square <= target {
            break;
        }
        let curvature = kernels::product_into(&mut q, a, &p)?;
        let next = kernels::step_into(u, &mut r, square / curvature, &p, free, &q)?;
        kernels::turn_into(&mut p, &r, next / square)?;
        square = next;
    }
    Ok(())
}

/// Draws the mesh, each element in a color as strong as it is hot.
fn plate(mesh: &Mesh, u: &Vector) -> Picture {
    let mut picture = Picture::new([640.0, 670.0], "Temperature of a plate, whose edges are cold");
    let place = |node: usize| mesh.nodes[node].map(|x| 40.0 + 560.0 * x);
    for corners in &mesh.corners {
        let heat = corners.iter().map(|node| u.vals()[*node]).sum::<f64>() / 3.0;
        picture.triangle(corners.map(place), "f1", heat);
        let [a, b, c] = corners.map(place);
        picture.line([a, b, c, a], "faint");
    }
    picture.text(
        [40.0, 640.0],
        "start",
        "Each triangle is an element; the stronger the color, the hotter, up to 1.",
    );
    picture
}
