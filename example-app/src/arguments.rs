//! The command line.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The text of `--help`.
pub(crate) const HELP: &str = "\
Computations on sparse matrices and tensors, with kernels that were generated from kernels.toml.

Usage: example-app [COMMAND] [OPTIONS]

Commands (all of them, if none is named):
  solve    solve a symmetric positive definite system by conjugate gradients
  rank     rank the nodes of a graph by PageRank
  graph    search a graph: breadth first, by shortest paths, by most probable ones
  merge    add and multiply sparse matrices elementwise
  factor   fit a CP decomposition to a tensor of order 3

Options:
  --matrix FILE   the matrix of solve, rank, graph and merge: a Matrix Market file
  --tensor FILE   the tensor of factor: a FROSTT file
  --mpi           run solve, rank, graph or factor on the ranks of
                  `mpirun -n 4 example-app …`; this needs MPI and the feature `mpi` of example-app
  -h, --help      print this

Without these options the files of example-app/data are read.
";

/// The request of a command line.
#[derive(Debug, PartialEq)]
pub(crate) enum Request {
    /// Print [`HELP`].
    Help,
    /// Run parts of the program.
    Run(Options),
}

/// The parts of the program to run, and their input files.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// The parts, in the order in which they run.
    pub(crate) parts: Vec<Part>,
    /// The file of the matrix; a bundled one by default.
    pub(crate) matrix: Option<PathBuf>,
    /// The file of the tensor; the bundled one by default.
    pub(crate) tensor: Option<PathBuf>,
    /// `true` if the parts run on the ranks of an MPI program.
    pub(crate) mpi: bool,
}

/// A part of the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Part {
    /// Conjugate gradients.
    Solve,
    /// PageRank.
    Rank,
    /// Breadth-first search and best paths.
    Graph,
    /// Sums and elementwise products.
    Merge,
    /// The CP decomposition.
    Factor,
}

impl Part {
    const ALL: [Part; 5] = [Part::Solve, Part::Rank, Part::Graph, Part::Merge, Part::Factor];

    /// Returns the command that runs only this part.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Solve => "solve",
            Part::Rank => "rank",
            Part::Graph => "graph",
            Part::Merge => "merge",
            Part::Factor => "factor",
        }
    }

    /// Returns the option for the input file of this part.
    fn input(self) -> &'static str {
        match self {
            Part::Solve | Part::Rank | Part::Graph | Part::Merge => "--matrix",
            Part::Factor => "--tensor",
        }
    }
}

/// Parses the arguments after the program's name; the error is a message for the user.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    let mut arguments = arguments.into_iter();
    let mut command = None;
    let mut matrix = None;
    let mut tensor = None;
    let mut mpi = false;
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        // A path that is not Unicode must be a separate argument.
        let (name, value) = match argument.to_str().and_then(|text| text.split_once('=')) {
            Some((name, value)) if name.starts_with("--") => (name, Some(OsStr::new(value))),
            Some(_) | None => (&*text, None),
        };
        let mut file = || match value {
            Some(value) => Some(value.to_owned()),
            None => arguments.next(),
        };
        match name {
            "-h" | "--help" => return Ok(Request::Help),
            "--matrix" => set(&mut matrix, name, file())?,
            "--tensor" => set(&mut tensor, name, file())?,
            "--mpi" => mpi = true,
            option if option.starts_with('-') => return Err(format!("unknown option `{option}`")),
            word => match Part::ALL.into_iter().find(|part| part.name() == word) {
                Some(_) if command.is_some() => {
                    return Err(format!("`{word}` is a second command, and only one is taken"));
                }
                Some(part) => command = Some(part),
                None => return Err(format!("unknown command `{word}`")),
            },
        }
    }
    if let Some(part) = command {
        for (option, file) in [("--matrix", &matrix), ("--tensor", &tensor)] {
            if file.is_some() && part.input() != option {
                let (part, input) = (part.name(), part.input());
                return Err(format!("`{part}` reads no `{option}`, but a `{input}`"));
            }
        }
    }
    if mpi && matches!(command, None | Some(Part::Merge)) {
        return Err("`--mpi` is an option of `solve`, `rank`, `graph` and `factor`".to_owned());
    }
    let parts = command.map_or(Part::ALL.to_vec(), |part| vec![part]);
    Ok(Request::Run(Options { parts, matrix, tensor, mpi }))
}

/// Stores the value of an option, which may occur once.
fn set(slot: &mut Option<PathBuf>, name: &str, file: Option<OsString>) -> Result<(), String> {
    match file {
        Some(file) if !file.is_empty() => match slot.replace(file.into()) {
            None => Ok(()),
            Some(_) => Err(format!("`{name}` is given twice")),
        },
        Some(_) | None => Err(format!("`{name}` needs a file")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Request, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn without_arguments_everything_runs_on_bundled_files() {
        let options = Options { parts: Part::ALL.to_vec(), matrix: None, tensor: None, mpi: false };
        assert_eq!(parsed(""), Ok(Request::Run(options)));
    }

    #[test]
    fn a_command_and_a_file_stand_in_any_order() {
        let options = Options {
            parts: vec![Part::Solve],
            matrix: Some("a.mtx".into()),
            tensor: None,
            mpi: false,
        };
        let expected = Ok(Request::Run(options));
        for line in ["solve --matrix a.mtx", "--matrix a.mtx solve", "solve --matrix=a.mtx"] {
            assert_eq!(parsed(line), expected, "{line}");
        }
    }

    #[test]
    fn help_is_given_wherever_it_is_asked_for() {
        assert_eq!(parsed("solve --help"), Ok(Request::Help));
        assert_eq!(parsed("-h"), Ok(Request::Help));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, part) in [
            ("slove", "unknown command `slove`"),
            ("--matirx a.mtx", "unknown option `--matirx`"),
            ("solve rank", "`rank` is a second command"),
            ("merge --mpi", "`--mpi` is an option of `solve`, `rank`, `graph` and `factor`"),
            ("solve --matrix", "`--matrix` needs a file"),
            ("--matrix=", "`--matrix` needs a file"),
            ("--matrix a --matrix b", "`--matrix` is given twice"),
            ("factor --matrix a.mtx", "`factor` reads no `--matrix`, but a `--tensor`"),
        ] {
            let mistake = parsed(line).expect_err(line);
            assert!(mistake.contains(part), "{line}: {mistake}");
        }
    }
}
