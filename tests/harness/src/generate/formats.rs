//! Random formats: built-in ones, and maps with all kinds of levels.

use sparsegen_build::compile_str;

use crate::random::Random;

/// A format.
pub(super) enum Chosen {
    /// A built-in format.
    Named(String),
    /// The declaration of a format.
    Declared(String),
}

const BUILTIN: [&[&str]; 3] = [
    &["dense", "sparse_vector", "hash_vector", "coo_unordered"],
    &[
        "dense",
        "csr",
        "csr",
        "csc",
        "dcsr",
        "dcsc",
        "coo",
        "coo_unordered",
        "dia",
        "ell",
        "hash_rows",
    ],
    &["dense", "dense_col", "csf", "coo", "coo_unordered"],
];

const DIMENSIONS: [&str; 6] = ["i", "j", "k", "l", "m", "n"];

/// Returns a format of an order from 1 to 6. `repeats` is `true` if it may store duplicates.
pub(super) fn of_order(order: usize, repeats: bool, random: &mut Random) -> Chosen {
    if random.chance(0.4) {
        let names = BUILTIN[(order - 1).min(2)];
        let name = names[random.below(names.len())];
        if repeats || name != "coo_unordered" {
            return Chosen::Named(name.to_owned());
        }
    }
    loop {
        let levels = match random.below(8) {
            0 => blocks(order, random),
            1 if order > 1 => diagonals(order, random),
            2 if order > 1 => counted(order, random),
            3 => structured(order, random),
            4 if order > 1 => list(order, repeats, random),
            _ => plain(order, repeats, random),
        };
        let dimensions = DIMENSIONS[..order].join(", ");
        let map = format!("({dimensions}) -> ({})", levels.join(", "));
        if is_legal(&map) {
            return Chosen::Declared(match random.below(4) {
                0 => {
                    let mut width = || ["u16", "u32", "u64", "usize"][random.below(4)];
                    let (pos, crd) = (width(), width());
                    format!("{{ map = \"{map}\", pos = \"{pos}\", crd = \"{crd}\" }}")
                }
                _ => map,
            });
        }
    }
}

/// Returns whether the compiler accepts a map.
fn is_legal(map: &str) -> bool {
    compile_str("format.toml", &format!("[formats]\nf = \"{map}\"\n")).diagnostics.is_empty()
}

fn modes(order: usize, random: &mut Random) -> Vec<&'static str> {
    let mut modes = DIMENSIONS[..order].to_vec();
    random.shuffle(&mut modes);
    modes
}

/// Returns a kind of level that has its own coordinates, with options.
fn kind(repeats: bool, random: &mut Random) -> String {
    let name = ["dense", "compressed", "compressed", "loose_compressed", "hashed", "bitmap"]
        [random.below(6)];
    let mut options = Vec::new();
    let is_list = matches!(name, "compressed" | "loose_compressed");
    if is_list && random.chance(0.2) {
        options.push("nonordered");
    }
    if is_list && repeats && random.chance(0.2) {
        options.push("nonunique");
    }
    if is_list && random.chance(0.05) {
        options.push("full");
    }
    if name != "dense" && random.chance(0.08) {
        options.push(["padded", "unpadded"][random.below(2)]);
    }
    if options.is_empty() { name.to_owned() } else { format!("{name}({})", options.join(", ")) }
}

/// Returns one level for each dimension, in any order.
fn plain(order: usize, repeats: bool, random: &mut Random) -> Vec<String> {
    let modes = modes(order, random);
    modes.into_iter().map(|mode| format!("{mode} : {}", kind(repeats, random))).collect()
}

/// Returns levels with some dimensions in blocks.
fn blocks(order: usize, random: &mut Random) -> Vec<String> {
    let mut levels = Vec::new();
    let mut inner = Vec::new();
    for mode in modes(order, random) {
        if random.chance(0.3) {
            levels.push(format!("{mode} : {}", kind(false, random)));
            continue;
        }
        let block = 2 + random.below(3);
        levels.push(format!("{mode} / {block} : {}", kind(false, random)));
        let within = if random.chance(0.7) { "dense".to_owned() } else { kind(false, random) };
        inner.push(format!("{mode} % {block} : {within}"));
    }
    if random.chance(0.3) {
        random.shuffle(&mut inner);
    }
    levels.extend(inner);
    levels
}

/// Returns levels for the sum or difference of two dimensions, and for the others around them.
fn diagonals(order: usize, random: &mut Random) -> Vec<String> {
    let modes = modes(order, random);
    let (a, b) = (modes[0], modes[1]);
    let sign = if random.chance(0.7) { "-" } else { "+" };
    let outer = ["compressed", "dense", "hashed", "bitmap", "loose_compressed"][random.below(5)];
    let mut levels = vec![format!("{a} {sign} {b} : {outer}")];
    if random.chance(0.6) {
        levels.push(format!("{b} : range"));
        levels.push(format!("{a} : offset"));
    } else {
        levels.push(format!("{b} : {}", kind(false, random)));
    }
    for mode in &modes[2..] {
        let level = format!("{mode} : {}", kind(false, random));
        let at = if random.chance(0.5) { 0 } else { levels.len() };
        levels.insert(at, level);
    }
    levels
}

/// Returns levels with slots for the entries of one dimension, as in `ell`.
fn counted(order: usize, random: &mut Random) -> Vec<String> {
    let modes = modes(order, random);
    let mut levels = vec![format!("#{} : dense", modes[0]), format!("{} : dense", modes[0])];
    if random.chance(0.3) {
        levels.swap(0, 1);
    }
    levels.extend(modes[1..].iter().map(|mode| format!("{mode} : singleton(padded)")));
    levels
}

/// Returns levels that store a fixed number of entries of each block of the last dimension.
fn structured(order: usize, random: &mut Random) -> Vec<String> {
    let modes = modes(order, random);
    let last = modes[order - 1];
    let block = [2, 4, 4, 8][random.below(4)];
    let kept = 1 + random.below(block);
    let mut levels: Vec<String> =
        modes[..order - 1].iter().map(|mode| format!("{mode} : {}", kind(false, random))).collect();
    let outer = ["dense", "compressed"][random.below(2)];
    levels.push(format!("{last} / {block} : {outer}"));
    levels.push(format!("{last} % {block} : structured({kept}, {block})"));
    levels
}

/// Returns a list of coordinates below other levels.
fn list(order: usize, repeats: bool, random: &mut Random) -> Vec<String> {
    let modes = modes(order, random);
    let above = random.below(order - 1);
    let order_of = if random.chance(0.4) { "nonordered, " } else { "" };
    let list = ["compressed", "loose_compressed"][random.below(2)];
    let may_repeat = repeats && random.chance(0.5);
    modes
        .iter()
        .enumerate()
        .map(|(k, mode)| {
            let is_last = k + 1 == order && !may_repeat;
            let options = if is_last {
                order_of.trim_end_matches(", ").to_owned()
            } else {
                format!("{order_of}nonunique")
            };
            let options = if options.is_empty() { options } else { format!("({options})") };
            if k < above {
                format!("{mode} : {}", ["dense", "compressed"][random.below(2)])
            } else if k == above {
                format!("{mode} : {list}{options}")
            } else {
                format!("{mode} : singleton{options}")
            }
        })
        .collect()
}
