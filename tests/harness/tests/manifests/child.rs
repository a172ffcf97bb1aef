//! Compiles manifests in another process, which may time out, overflow its stack or exhaust memory.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, panic, thread};

use sparsegen_build::compile_str;

use crate::memory;

/// The result of compiling a manifest.
pub enum Answer {
    Source(String),
    Refused,
    Wrong(String),
}

/// The limits of memory and time for a manifest: about thirty times those of the slowest case of
/// the corpus, since other processes may run at the same time.
const MEMORY: usize = 512 << 20;
const TIME: Duration = Duration::from_secs(60);

/// The environment variable with the folder of a child process.
const FOLDER: &str = "SPARSEGEN_MANIFESTS_FOLDER";

/// Compiles each manifest.
pub fn answers(manifests: &[String]) -> Vec<Answer> {
    let folder = env::temp_dir().join(format!("sparsegen-manifests-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("there is a folder for temporary files");
    let path = |k: usize, extension: &str| folder.join(format!("{k}.{extension}"));
    for (k, manifest) in manifests.iter().enumerate() {
        fs::write(path(k, "toml"), manifest).expect("temporary files can be written");
    }
    let mut answers: Vec<Answer> = Vec::new();
    while answers.len() < manifests.len() {
        let mut child = spawn(&folder, answers.len());
        let ended = wait(&mut child, &folder);
        // Each result is in a separate file.
        while let Ok(text) = fs::read_to_string(path(answers.len(), "answer")) {
            answers.push(match text.split_once('\n') {
                Some(("source", source)) => Answer::Source(source.to_owned()),
                Some(("refused", _)) => Answer::Refused,
                _ => Answer::Wrong(text),
            });
        }
        if answers.len() < manifests.len() {
            answers.push(Answer::Wrong(ended));
        }
    }
    let _ = fs::remove_dir_all(&folder);
    answers
}

fn spawn(folder: &Path, from: usize) -> Child {
    let itself = env::current_exe().expect("a test knows its own file");
    Command::new(itself)
        .args(["--exact", "child::compile_as_told", "--include-ignored", "--nocapture"])
        .env(FOLDER, format!("{from}:{}", folder.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a test can run itself")
}

/// Waits until the child ends or makes no progress; returns how it ended.
fn wait(child: &mut Child, folder: &Path) -> String {
    let count = || fs::read_dir(folder).map_or(0, Iterator::count);
    let (mut answered, mut since) = (count(), Instant::now());
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return match status.code() {
                Some(memory::REACHED) => format!("the compiler holds more than {MEMORY} bytes"),
                _ => format!("the compiler aborts: {status}"),
            };
        }
        if count() > answered {
            (answered, since) = (count(), Instant::now());
        }
        if since.elapsed() > TIME {
            let _ = child.kill();
            let _ = child.wait();
            return format!("the compiler takes more than {TIME:?}");
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Compiles the manifests of a folder, in a child process.
#[test]
#[ignore = "it is what the other test starts"]
fn compile_as_told() {
    let Ok(told) = env::var(FOLDER) else { return };
    let (from, folder) = told.split_once(':').expect("a number and a folder");
    let (from, folder) = (from.parse::<usize>().expect("a number"), PathBuf::from(folder));
    memory::limit(MEMORY);
    for k in from.. {
        let manifest = folder.join(format!("{k}.toml"));
        let Ok(manifest) = fs::read_to_string(&manifest) else { return };
        let answer = answer(&manifest);
        // The file appears atomically.
        let (part, whole) = (folder.join("part"), folder.join(format!("{k}.answer")));
        let mut file = fs::File::create(&part).expect("temporary files can be written");
        file.write_all(answer.as_bytes()).expect("temporary files can be written");
        fs::rename(part, whole).expect("temporary files can be renamed");
    }
}

fn answer(manifest: &str) -> String {
    memory::most();
    let compiled = panic::catch_unwind(|| {
        let output = compile_str("kernels.toml", manifest);
        let shown = output.diagnostics.render("kernels.toml", manifest);
        (output, shown)
    });
    let Ok((output, shown)) = compiled else { return "the compiler panics".to_owned() };
    match (output.diagnostics.is_empty(), output.source.is_empty()) {
        (true, false) => format!("source\n{}", output.source),
        (false, true) if shown.is_empty() => "a diagnostic is shown as nothing".to_owned(),
        (false, true) => format!("refused\n{shown}"),
        (true, true) => "there is neither source nor a diagnostic".to_owned(),
        (false, false) => "there are source and diagnostics".to_owned(),
    }
}
