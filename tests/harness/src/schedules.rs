//! Random schedules: for a few statements in random formats, as text of the corpus, and for random
//! kernels.

use std::fmt::Write;

use crate::generate::Draft;
use crate::random::Random;

/// The formats that the lines declare.
const DECLARED: &str = "\
format bits = (i, j) -> (i : dense, j : bitmap)
format gaps = (i, j) -> (i : dense, j : loose_compressed)
format blocks = (i, j) -> (i / 2 : dense, j / 2 : compressed, i % 2 : dense, j % 2 : dense)
format short = (i, j) -> (i : dense, j : block_compressed(2))

";

/// The formats of matrices, the commonest one several times.
const MATRICES: [&str; 18] = [
    "csr",
    "csr",
    "csr",
    "csr",
    "csc",
    "coo",
    "dcsr",
    "dcsc",
    "dense",
    "dense_col",
    "ell",
    "dia",
    "hash_rows",
    "coo_unordered",
    "bits",
    "gaps",
    "blocks",
    "short",
];

/// The formats of vectors.
const VECTORS: [&str; 4] = ["dense", "dense", "sparse_vector", "hash_vector"];

/// A statement: its variables, its result, and its operands. Lower-case letters are vectors.
struct Template {
    statement: &'static str,
    variables: &'static [&'static str],
    result: Option<&'static str>,
    operands: &'static [&'static str],
}

const fn template(
    statement: &'static str,
    variables: &'static [&'static str],
    result: Option<&'static str>,
    operands: &'static [&'static str],
) -> Template {
    Template { statement, variables, result, operands }
}

const TEMPLATES: [Template; 15] = [
    template("y[i] = A[i,j] * x[j]", &["i", "j"], Some("y"), &["A", "x"]),
    template("y[i] += A[i,j] * x[j]", &["i", "j"], Some("y"), &["A", "x"]),
    template("y[i] = A[i,j] * x[j] + z[i]", &["i", "j"], Some("y"), &["A", "x", "z"]),
    template("y[i] = max[j](A[i,j])", &["i", "j"], Some("y"), &["A"]),
    template("s = A[i,j] * B[i,j]", &["i", "j"], None, &["A", "B"]),
    template("C[i,j] = A[i,j]", &["i", "j"], Some("C"), &["A"]),
    template("C[i,j] = A[j,i]", &["i", "j"], Some("C"), &["A"]),
    template("C[i,j] = A[i,j] + B[i,j]", &["i", "j"], Some("C"), &["A", "B"]),
    template("C[i,j] = A[i,j] * B[i,j]", &["i", "j"], Some("C"), &["A", "B"]),
    template("C[i,j] = A[i,j] * x[j] - B[i,j]", &["i", "j"], Some("C"), &["A", "x", "B"]),
    template("C[i,j] = A[i,k] * B[k,j]", &["i", "j", "k"], Some("C"), &["A", "B"]),
    template("C[i,j] += A[i,k] * B[k,j]", &["i", "j", "k"], Some("C"), &["A", "B"]),
    template("C[i,j] = M[i,j] * A[i,k] * B[k,j]", &["i", "j", "k"], Some("C"), &["M", "A", "B"]),
    template("y[i] = A[i,j] * x[j]; s = x[i] * y[i]", &["i", "j"], Some("y"), &["A", "x"]),
    template(
        "C[i,j] = A[i,j] + B[i,j]; D[i,j] = A[i,j] * B[i,j]",
        &["i", "j"],
        Some("C"),
        &["D", "A", "B"],
    ),
];

/// Returns `count` cases of a seed.
pub fn lines(seed: &str, count: usize) -> String {
    let mut lines = DECLARED.to_owned();
    for k in 0..count {
        let random = &mut Random::seeded(&format!("{seed} {k}"));
        let Template { statement, variables, result, operands } =
            &TEMPLATES[random.below(TEMPLATES.len())];
        let mut formats = String::new();
        for tensor in result.iter().chain(*operands) {
            let is_matrix = tensor.starts_with(|letter: char| letter.is_uppercase());
            let format = if is_matrix { one(random, &MATRICES) } else { one(random, &VECTORS) };
            write!(formats, "{tensor}={format} ").expect("a string takes text");
        }
        let parallel = if random.chance(0.3) { "@parallel=true " } else { "" };
        let commands = schedule(random, variables, operands);
        writeln!(lines, "s{k}: {statement}\n    {formats}{parallel}@schedule={commands}")
            .expect("a string takes text");
    }
    lines
}

/// Returns a kernel with the schedule of a seed; the kernel itself if nothing can be scheduled.
pub fn scheduled(mut draft: Draft, seed: &str) -> Draft {
    let (variables, tensors) = draft.names();
    if variables.is_empty() {
        return draft;
    }
    let [variables, tensors] =
        [&variables, &tensors].map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
    let commands = schedule(&mut Random::seeded(seed), &variables, &tensors);
    draft.choice.push(("@schedule".to_owned(), commands));
    draft
}

fn one<'s>(random: &mut Random, of: &[&'s str]) -> &'s str {
    of[random.below(of.len())]
}

/// Returns one to four commands, each over the loops that those before it leave.
fn schedule(random: &mut Random, variables: &[&str], operands: &[&str]) -> String {
    let mut loops: Vec<String> = variables.iter().map(|v| (*v).to_owned()).collect();
    let mut commands: Vec<String> = Vec::new();
    let wanted = 1 + random.below(4);
    while commands.len() < wanted {
        let (at, number) = (random.below(loops.len()), commands.len());
        let v = loops[at].clone();
        match random.below(9) {
            kind @ (0 | 1) => {
                let [block, place] = [format!("{v}o"), format!("{v}i")];
                let name = if kind == 0 { "split" } else { "divide" };
                commands.push(format!("{name}({v},{block},{place},{})", 2 + random.below(3)));
                loops.splice(at..=at, [block, place]);
            }
            2 if loops.len() > 1 => {
                random.shuffle(&mut loops);
                let (inner, outer) = (loops.pop(), loops.pop());
                let [outer, inner] = [outer, inner].map(|part| part.expect("a second loop"));
                commands.push(format!("fuse({outer},{inner},f{number})"));
                loops.push(format!("f{number}"));
            }
            3 => {
                commands.push(format!("pos({v},p{number},{})", one(random, operands)));
                loops[at] = format!("p{number}");
            }
            4 if loops.len() > 1 => {
                random.shuffle(&mut loops);
                let some = 2 + random.below(loops.len() - 1);
                commands.push(format!("reorder({})", loops[..some].join(",")));
            }
            5 => commands.push(format!("unroll({v},{})", 2 + 2 * random.below(2))),
            6 => commands.push(format!("parallelize({v})")),
            7 => commands.push(format!("merge({v},{})", one(random, &["walk", "gallop"]))),
            8 => commands.push(format!("locate({v},{})", one(random, operands))),
            _ => {}
        }
    }
    commands.join(";")
}
