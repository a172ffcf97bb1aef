//! SciPy as a peer, in a process of its own, which measures its times itself.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;
use std::{env, fs};

use sparsegen::{Csr, Tensor};

use crate::contest::{Answer, Contest, Side};
use crate::operands::{scattered, values};

/// The number of columns of dense matrices.
const WIDTH: usize = 32;

/// A process that runs the operations of `in_scipy.py`.
pub struct SciPy {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    folder: PathBuf,
}

impl SciPy {
    /// Starts the process. Returns `None` without Python or SciPy.
    pub fn start() -> Option<Rc<RefCell<SciPy>>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/kernels/in_scipy.py");
        let folder = env::temp_dir().join(format!("sparsegen-benchmarks-{}", std::process::id()));
        fs::create_dir_all(&folder).ok()?;
        let mut command = Command::new("python3");
        command.arg(script).arg(&folder).env("OMP_NUM_THREADS", "1").stderr(Stdio::null());
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.ok()?;
        let (commands, answers) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        let mut scipy = SciPy { child, commands, answers, folder };
        let version = scipy.answer().ok()?;
        println!("SciPy {version} takes part");
        Some(Rc::new(RefCell::new(scipy)))
    }

    /// Adds an entrant for the contest, if SciPy has the operation.
    ///
    /// # Panics
    /// Panics if the process fails.
    pub fn enter(scipy: &Rc<RefCell<SciPy>>, contest: &mut Contest<'_>, of: &[&Tensor<f64, Csr>]) {
        let begun = scipy.borrow_mut().begin(contest.operation, of);
        let Some(answer) = begun.expect("SciPy runs the operation") else { return };
        let scipy = Rc::clone(scipy);
        let run = move || scipy.borrow_mut().run().expect("SciPy runs the operation");
        contest.enter_timed(Side::Peer, "scipy", run, answer);
    }

    fn begin(&mut self, operation: &str, of: &[&Tensor<f64, Csr>]) -> io::Result<Option<Answer>> {
        let [a, rest @ ..] = of else { return Ok(None) };
        let [rows, columns] = a.shape();
        let begin = match (operation, rest) {
            ("spmv", _) => {
                self.hold_dense("x", &[columns])?;
                "spmv a x"
            }
            ("spmm", _) => {
                self.hold_dense("x", &[columns, WIDTH])?;
                "spmm a x"
            }
            ("add" | "multiply" | "spgemm", [b, ..]) => {
                self.hold_matrix("b", b)?;
                &format!("{operation} a b")
            }
            ("symmetrize" | "to_dense", _) => &format!("{operation} a"),
            ("turn" | "to_csc" | "columns", _) => "to_csc a",
            ("pack" | "compress", _) => {
                let entries = scattered(a);
                let side = |mode: usize| entries.iter().map(move |entry| entry.0[mode] as u32);
                self.write("a.rows", side(0).flat_map(u32::to_le_bytes))?;
                self.write("a.columns", side(1).flat_map(u32::to_le_bytes))?;
                self.write("a.vals", entries.iter().flat_map(|entry| entry.1.to_le_bytes()))?;
                self.ask(&format!("hold entries a {rows} {columns}"))?;
                "to_csr a"
            }
            _ => return Ok(None),
        };
        if !matches!(operation, "pack" | "compress") {
            self.hold_matrix("a", a)?;
        }
        let is_sparse = self.ask(&format!("begin {begin}"))? == "sparse";
        let vals: Vec<f64> = self.read("result.vals", f64::from_le_bytes)?;
        if !is_sparse {
            return Ok(Some(Answer::dense(&vals)));
        }
        let [pos, crd] = ["result.pos", "result.crd"]
            .map(|name| self.read(name, |bytes| i64::from_le_bytes(bytes) as usize));
        Ok(Some(Answer::sparse(pos?, crd?, &vals)))
    }

    fn hold_matrix(&mut self, name: &str, matrix: &Tensor<f64, Csr>) -> io::Result<()> {
        let rows = &matrix.levels().1;
        let vals = matrix.vals().iter().flat_map(|value| value.to_le_bytes());
        self.write(&format!("{name}.pos"), rows.pos.iter().flat_map(|pos| pos.to_le_bytes()))?;
        self.write(&format!("{name}.crd"), rows.crd.iter().flat_map(|crd| crd.to_le_bytes()))?;
        self.write(&format!("{name}.vals"), vals)?;
        let [rows, columns] = matrix.shape();
        self.ask(&format!("hold matrix {name} {rows} {columns}")).map(drop)
    }

    fn hold_dense(&mut self, name: &str, shape: &[usize]) -> io::Result<()> {
        let vals = values(shape.iter().product());
        self.write(name, vals.into_iter().flat_map(f64::to_le_bytes))?;
        let shape: Vec<String> = shape.iter().map(usize::to_string).collect();
        self.ask(&format!("hold dense {name} {}", shape.join(" "))).map(drop)
    }

    fn run(&mut self) -> io::Result<Duration> {
        let time = self.ask("run")?;
        time.parse().map(Duration::from_nanos).map_err(io::Error::other)
    }

    fn ask(&mut self, command: &str) -> io::Result<String> {
        writeln!(self.commands, "{command}")?;
        self.commands.flush()?;
        self.answer()
    }

    fn answer(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim().to_owned()),
        }
    }

    fn write(&self, name: &str, bytes: impl Iterator<Item = u8>) -> io::Result<()> {
        fs::write(self.folder.join(name), bytes.collect::<Vec<u8>>())
    }

    fn read<T>(&self, name: &str, of: impl Fn([u8; 8]) -> T) -> io::Result<Vec<T>> {
        let bytes = fs::read(self.folder.join(name))?;
        Ok(bytes.as_chunks().0.iter().map(|chunk| of(*chunk)).collect())
    }
}

impl Drop for SciPy {
    fn drop(&mut self) {
        // It has nothing to save.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
