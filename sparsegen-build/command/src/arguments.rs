//! The arguments of a command.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::prelude::*;

use crate::failure::Failure;

/// The arguments of a command.
#[derive(Debug, Default)]
pub struct Arguments {
    /// The arguments that are neither options nor manifests, in order.
    pub words: Vec<String>,
    /// The manifests, in order.
    manifests: Vec<PathBuf>,
    /// The options with their values, without dashes; an option without a value has an empty one.
    options: BTreeMap<String, String>,
    /// The description of the command.
    help: &'static str,
}

/// The options that have a value.
const WITH_VALUE: [&str; 6] = ["checkout", "dtype", "profile", "semiring", "size", "target-dir"];

/// The options that have none.
const FLAGS: [&str; 4] = ["all", "check", "html", "stages"];

impl Arguments {
    /// Parses the arguments after the name of the command, whose description is `help`. Returns
    /// `None` if they ask for the description.
    pub fn parse(
        words: impl Iterator<Item = OsString>,
        help: &'static str,
    ) -> Result<Option<Arguments>, Failure> {
        let usage = |reason: String| Failure::usage(reason, help);
        let mut arguments = Arguments { help, ..Arguments::default() };
        let mut parser = lexopt::Parser::from_args(words);
        while let Some(argument) = parser.next().map_err(|error| usage(error.to_string()))? {
            match argument {
                Short('h') | Long("help") => return Ok(None),
                Long(name) => {
                    let name = name.to_owned();
                    // A command takes the options of its own description.
                    let is_own = help.contains(&format!("--{name}"));
                    let value = match is_own {
                        true if WITH_VALUE.contains(&&*name) => parser
                            .value()
                            .and_then(|value| value.string())
                            .map_err(|error| usage(error.to_string()))?,
                        true if FLAGS.contains(&&*name) => String::new(),
                        _ => return Err(usage(format!("there is no option `--{name}`"))),
                    };
                    arguments.options.insert(name, value);
                }
                Short(name) => return Err(usage(format!("there is no option `-{name}`"))),
                Value(word) => {
                    let word = word.string().map_err(|error| usage(error.to_string()))?;
                    match word.ends_with(".toml") {
                        true => arguments.manifests.push(word.into()),
                        false => arguments.words.push(word),
                    }
                }
            }
        }
        Ok(Some(arguments))
    }

    /// Returns the value of an option, or an empty text for one without a value; `None` if it is not
    /// given.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }

    /// Returns the only manifest; `kernels.toml` by default.
    pub fn manifest(&self) -> Result<PathBuf, Failure> {
        match &self.manifests[..] {
            [] => Ok("kernels.toml".into()),
            [one] => Ok(one.clone()),
            [..] => Err(self.wrong("there is more than one manifest")),
        }
    }

    /// Returns both of two manifests.
    pub fn two_manifests(&self) -> Result<(PathBuf, PathBuf), Failure> {
        match &self.manifests[..] {
            [old, new] => Ok((old.clone(), new.clone())),
            [..] => Err(self.wrong("two manifests are needed")),
        }
    }

    /// Returns the failure for arguments that the command does not take.
    pub fn wrong(&self, reason: impl Into<String>) -> Failure {
        Failure::usage(reason, self.help)
    }

    /// Checks that there are at most so many words.
    pub fn at_most(&self, count: usize) -> Result<(), Failure> {
        match self.words.get(count) {
            Some(word) => Err(self.wrong(format!("`{word}` is an argument too many"))),
            None => Ok(()),
        }
    }
}
