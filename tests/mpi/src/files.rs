//! Files that the ranks read and write together: tensors and errors are those of one process.

use std::fmt::{Debug, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use sparsegen::distributed::{Distributed, Distribution, Exchanged, Layout, World};
use sparsegen::io::{self, Element, RealElement};
use sparsegen::{Csc, Csf, Csr, Dcsr, Dense, Dia, Error, Format, Tensor, Value, c64};

use super::asserts::assert_identical;
use super::random::{Random, layout};

/// A folder for the files of all ranks.
pub struct Folder<'w> {
    world: &'w World,
    path: PathBuf,
}

impl<'w> Folder<'w> {
    /// Creates a folder whose name has a number that all ranks pass.
    pub fn new(world: &'w World, number: u32) -> Folder<'w> {
        let path = env::temp_dir().join(format!("sparsegen-ranks-{number}"));
        if world.rank() == 0 {
            fs::create_dir_all(&path).expect("the folder for temporary files can be written");
        }
        Folder { world, path }
    }

    /// Writes a file on one rank, and returns its path on all of them.
    fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        // The ranks have read the previous file of this name, and begin when this one is complete.
        self.world.agree(Ok(())).expect("no rank fails");
        let path = self.path.join(name);
        if self.world.rank() == 0 {
            fs::write(&path, content).expect("the folder can be written");
        }
        self.world.agree(Ok(())).expect("no rank fails");
        path
    }
}

impl Drop for Folder<'_> {
    fn drop(&mut self) {
        self.world.agree(Ok(())).expect("no rank fails");
        if self.world.rank() == 0 {
            fs::remove_dir_all(&self.path).expect("the folder is there");
        }
    }
}

/// Reads valid files, broken ones and those with random changes. Returns the number of files.
pub fn compare(folder: &Folder<'_>) -> usize {
    let mut count = 0;
    let mut random = Random::new(17);
    let mut number = 0;
    let mut entry = || {
        number = (number * 7 + 3) % 91;
        [number % 13 + 1, number / 13 + 1]
    };
    let coordinates: Vec<[usize; 2]> = (0..60).map(|_| entry()).collect();
    let mut lists = vec![
        "%%MatrixMarket matrix coordinate real general\n5 5 0\n".to_owned(),
        "%%MatrixMarket matrix coordinate real general\n0 0 0".to_owned(),
        "%%MatrixMarket matrix coordinate real general\n%\n5 4 2\n\n1 4 2.5\n5 1 1e3".to_owned(),
        String::new(),
    ];
    let long = "% a comment that is longer than all entries together\n".repeat(40);
    for (banner, rows) in [
        ("coordinate real general", 13),
        ("coordinate integer general", 13),
        ("coordinate pattern general", 13),
        ("coordinate pattern symmetric", 13),
        ("coordinate real symmetric", 13),
        ("coordinate real skew-symmetric", 13),
        ("coordinate complex hermitian", 13),
    ] {
        let is_general = banner.ends_with("general");
        let kept = |[i, j]: &&[usize; 2]| {
            is_general || i > j || i == j && !banner.ends_with("skew-symmetric")
        };
        let kept: Vec<_> = coordinates.iter().filter(kept).collect();
        let columns = if is_general { 7 } else { rows };
        let mut file = format!("%%MatrixMarket matrix {banner}\n{rows} {columns} {}\n", kept.len());
        for (line, [i, j]) in kept.iter().enumerate() {
            let value = random.next() % 1000;
            let fraction = if banner.contains("real") { "e-3" } else { "" };
            let imaginary = if banner.contains("complex") { " 0.25" } else { "" };
            match banner.contains("pattern") {
                true => writeln!(file, "{i} {j}").expect("strings grow"),
                false => {
                    writeln!(file, " {i}\t{j} {value}{fraction}{imaginary} ").expect("strings grow")
                }
            }
            if line % 9 == 4 {
                file += "\n% between the entries\n";
            }
        }
        lists.push(file.replace('\n', "\r\n"));
        lists.push(file.trim_end().to_owned());
        lists.push(file.replace("\n%", &format!("\n{long}%")));
        // The other triangle, too many and too few entries, and a line that is no entry.
        lists.push(file.replace(&format!(" {}\n", kept.len()), &format!(" {}\n", kept.len() + 1)));
        let again = format!("{file}2 3{}\n", if banner.contains("pattern") { "" } else { " 1" });
        lists.push(again.replace(&format!(" {}\n", kept.len()), &format!(" {}\n", kept.len() + 1)));
        lists.push(again);
        lists.push(format!("{file}{}", "x".repeat(3000)));
        lists.push(file);
    }
    for (banner, cells) in [
        ("general", 30),
        ("symmetric", 21),
        ("skew-symmetric", 15),
        ("general", 29),
        ("general", 31),
    ] {
        let columns = if banner == "general" { 5 } else { 6 };
        let mut file = format!("%%MatrixMarket matrix array real {banner}\n6 {columns}\n");
        (0..cells).for_each(|cell| writeln!(file, "{cell}.5").expect("strings grow"));
        lists.push(file);
    }
    // Two triangles in the shares of different ranks, with the diagonal between them, or one.
    for sides in [[[1, 0], [0, 0], [0, 1]], [[0, 1], [0, 0], [1, 0]], [[0, 0], [0, 1], [0, 1]]] {
        let mut file = "%%MatrixMarket matrix coordinate real symmetric\n21 21 60\n".to_owned();
        for [below, right] in sides {
            let line = |at: usize| format!("{} {} 1.5\n", at + below, at + right);
            file.extend((1..=20).map(line));
        }
        lists.push(file);
    }
    // Sums of duplicates, of which one does not fit.
    let banner = "%%MatrixMarket matrix coordinate integer general\n";
    for value in [50, 100] {
        let entries: String = (0..9).map(|line| format!("{} 1 {value}\n", line % 7 + 1)).collect();
        lists.push(format!("{banner}7 2 9\n{entries}"));
    }
    for file in &lists {
        count += matrix_in_all_layouts(folder, file.as_bytes());
    }
    for round in 0..40 {
        let file = lists[round % lists.len()].as_bytes();
        let path = folder.file("changed.mtx", &changed(&mut random, file));
        count += matrix::<f64, Csr>(folder.world, &path, Distribution::Balanced);
    }

    let mut tensors = vec![String::new(), "# nothing\n".to_owned(), "1 1 1 2".to_owned()];
    let mut file = "# order 3\n".to_owned();
    for [i, j] in &coordinates {
        writeln!(file, "{i} {} {j} {}.25", (i * j) % 5 + 1, random.next() % 100).expect("grows");
    }
    for change in [("\n", "\r\n"), (".25", ".25\n\n#"), ("13 ", "0 "), ("12 ", "12 1 ")] {
        tensors.push(file.replace(change.0, change.1));
    }
    tensors.push(file);
    for file in &tensors {
        let path = folder.file("t.tns", file.as_bytes());
        count += tensor(folder.world, &path, None);
        count += tensor(folder.world, &path, Some([13, 5, 7]));
        count += tensor(folder.world, &path, Some([12, 5, 7]));
    }
    for round in 0..20 {
        let file = tensors[round % tensors.len()].as_bytes();
        let path = folder.file("changed.tns", &changed(&mut random, file));
        count += tensor(folder.world, &path, None);
    }
    refusals(folder);
    written(folder, &lists, &tensors);
    count
}

/// Returns a file in which a few bytes differ.
fn changed(random: &mut Random, file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    for _ in 0..=random.next() % 3 {
        let at = random.next() as usize % (file.len() + 1);
        match random.next() % 3 {
            0 => file.truncate(at.max(60)),
            1 => file.insert(at, b"\n 07-%x"[random.next() as usize % 7]),
            _ => drop(file.get_mut(at).map(|byte| *byte = b"\n 19e."[random.next() as usize % 6])),
        }
    }
    file
}

/// Reads a matrix as different types, in different layouts.
fn matrix_in_all_layouts(folder: &Folder<'_>, content: &[u8]) -> usize {
    let (path, world) = (folder.file("a.mtx", content), folder.world);
    let mut count = matrix::<f64, Csr>(world, &path, Distribution::Equal)
        + matrix::<f64, Csc>(world, &path, Distribution::Balanced)
        + matrix::<f32, Dcsr>(world, &path, Distribution::Balanced)
        + matrix::<i8, Csr>(world, &path, Distribution::Equal)
        + matrix::<bool, Csr>(world, &path, Distribution::Balanced)
        + matrix::<f64, Dia>(world, &path, Distribution::Equal)
        + matrix::<c64, Csr>(world, &path, Distribution::Balanced)
        + matrix::<f64, Dense<2>>(world, &path, Distribution::Equal);
    if let Ok(whole) = io::read_mtx::<f64, Csr>(&path) {
        for kind in 0..4 {
            let layout =
                layout(&mut Random::new(kind), whole.shape()[0], world.size(), kind as usize);
            count += matrix::<f64, Csr>(world, &path, Distribution::Layout(layout));
        }
    }
    count
}

/// Compares a matrix with the one that a single process reads.
fn matrix<V, F>(world: &World, path: &Path, distribution: Distribution) -> usize
where
    V: Element + Value + Exchanged + Debug,
    F: Format<Shape = [usize; 2]>,
{
    let found = Distributed::<V, F>::read_mtx(world, path, distribution.clone());
    same(world, found, io::read_mtx::<V, F>(path), distribution)
}

/// Compares a tensor with the one that a single process reads.
fn tensor(world: &World, path: &Path, shape: Option<[usize; 3]>) -> usize {
    fn read<V: RealElement + Value + Exchanged + Debug>(
        world: &World,
        path: &Path,
        shape: Option<[usize; 3]>,
        distribution: Distribution,
    ) -> usize {
        type Part<V> = Distributed<V, Csf<3>>;
        let (found, expected) = match shape {
            None => (
                Part::<V>::read_tns(world, path, distribution.clone()),
                io::read_tns::<V, Csf<3>>(path),
            ),
            Some(shape) => (
                Part::<V>::read_tns_with_shape(world, path, shape, distribution.clone()),
                io::read_tns_with_shape::<V, Csf<3>>(path, shape),
            ),
        };
        same(world, found, expected, distribution)
    }
    read::<f64>(world, path, shape, Distribution::Balanced)
        + read::<i8>(world, path, shape, Distribution::Equal)
}

/// Asserts that the ranks have read what one process reads, or have its error.
fn same<V, F>(
    world: &World,
    found: Result<Distributed<V, F>, Error>,
    expected: Result<Tensor<V, F>, Error>,
    distribution: Distribution,
) -> usize
where
    V: Element + Value + Exchanged + Debug,
    F: Format,
{
    match (found, expected) {
        (Ok(found), Ok(whole)) => {
            let layout = found.layout().clone();
            match distribution {
                Distribution::Equal => {
                    assert_eq!(layout, Layout::equal(layout.extent(), world.size()))
                }
                // `balanced` compares these layouts.
                Distribution::Balanced => {}
                Distribution::Layout(given) => assert_eq!(layout, given),
            }
            let expected = Distributed::part_of(world, &whole, &layout).expect("the layout fits");
            assert_identical(&found, &expected);
        }
        (Err(Error::Rank { reason, .. }), Err(expected)) => {
            assert_eq!(reason, expected.to_string());
        }
        (found, expected) => panic!("{found:?} instead of {expected:?}"),
    }
    1
}

/// Asserts that ranks that know some entries each find the layout of one that knows all.
fn balanced(world: &World) {
    let mut random = Random::new(5);
    for (extent, count) in [(0, 0), (1, 7), (9, 0), (9, 3), (40, 200), (1 << 40, 77)] {
        let all: Vec<usize> = (0..count).map(|_| random.next() as usize % extent).collect();
        let mine = all.iter().skip(world.rank()).step_by(world.size() + 1).copied();
        let known =
            (0..world.size()).flat_map(|rank| all.iter().skip(rank).step_by(world.size() + 1));
        let expected = Layout::balanced(extent, world.size(), known.copied());
        assert_eq!(Layout::balanced_on(world, extent, mine), expected, "{count} of {extent}");
    }
}

/// Asserts that all ranks return the error of a file that cannot be read or written.
fn refusals(folder: &Folder<'_>) {
    let world = folder.world;
    balanced(world);
    let refused = |result: Result<Distributed<f64, Csr>, Error>, expected: &str| match result {
        Err(Error::Rank { reason, .. }) => assert!(reason.contains(expected), "{reason}"),
        other => panic!("{other:?}"),
    };
    let read = |path: &Path, distribution| Distributed::read_mtx(world, path, distribution);
    refused(read(&folder.path.join("missing.mtx"), Distribution::Equal), "missing.mtx");
    refused(read(&folder.path, Distribution::Equal), "regular files only");
    let file = b"%%MatrixMarket matrix coordinate real general\n4 4 1\n3 2 1.5\n";
    let path = folder.file("a.mtx", file);
    let other = Distribution::Layout(Layout::equal(5, world.size()));
    refused(read(&path, other), "a.mtx: `Distributed`: the layout divides 5 coordinates");
    let a = read(&path, Distribution::Equal).expect("the file is valid");
    let no_folder = folder.path.join("missing").join("a.mtx");
    refused(a.write_mtx(world, &no_folder).map(|()| a.clone()), "a.mtx");
}

/// Asserts that the ranks write the files of one process, and read compressed ones.
fn written(folder: &Folder<'_>, matrices: &[String], tensors: &[String]) {
    let world = folder.world;
    let (ours, expected) = (folder.path.join("ours"), folder.path.join("expected"));
    let is_same = |write: &dyn Fn(&Path) -> Result<(), Error>| {
        if world.rank() == 0 {
            write(&expected).expect("the folder can be written");
            let (ours, expected) = (fs::read(&ours), fs::read(&expected));
            assert!(ours.expect("written") == expected.expect("written"));
        }
        world.agree(Ok(())).expect("no rank fails");
    };
    for file in matrices {
        let path = folder.file("a.mtx", file.as_bytes());
        let Ok(whole) = io::read_mtx::<f64, Csr>(&path) else { continue };
        let a = Distributed::<f64, Csr>::read_mtx(world, &path, Distribution::Balanced);
        let a = a.expect("the file is valid");
        a.write_mtx(world, &ours).expect("the folder can be written");
        is_same(&|path| io::write_mtx(path, &whole));
        for compressed in ["a.mtx.gz", "a.mtx.zst"] {
            let compressed = folder.path.join(compressed);
            a.write_mtx(world, &compressed).expect("the folder can be written");
            matrix::<f64, Csr>(world, &compressed, Distribution::Balanced);
            matrix::<bool, Csr>(world, &compressed, Distribution::Balanced);
        }
    }
    for file in tensors {
        let path = folder.file("t.tns", file.as_bytes());
        let Ok(whole) = io::read_tns::<f64, Csf<3>>(&path) else { continue };
        let t = Distributed::<f64, Csf<3>>::read_tns(world, &path, Distribution::Equal);
        t.expect("the file is valid").write_tns(world, &ours).expect("the folder can be written");
        is_same(&|path| io::write_tns(path, &whole));
    }
    // More text than is sent at once.
    let cells = (0..300 * 400).map(|cell| ([cell / 400, cell % 400], 1.0 / (cell as f64 + 0.3)));
    let whole = Tensor::<f64, Csr>::from_triplets([300, 400], cells).expect("fits");
    let layout = Layout::equal(300, world.size());
    let a = Distributed::part_of(world, &whole, &layout).expect("the layout fits");
    a.write_mtx(world, &ours).expect("the folder can be written");
    is_same(&|path| io::write_mtx(path, &whole));
    matrix::<f64, Csr>(world, &ours, Distribution::Balanced);
}
