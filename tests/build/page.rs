//! Parses a chapter of the guide: its headings, and its examples in the order of the page.
//!
//! | fenced block | content |
//! |---|---|
//! | `toml` | the manifest of a new example |
//! | `rs` | code that calls the kernels of the example, the body of a function |
//! | `rs`, beginning with `// src/main.rs` | a program that calls the kernels of the example |
//! | `rs`, beginning with `// src/NAME.rs` | a module that all examples share |
//! | `rs`, beginning with `// kernels.rs` | an excerpt of the code generated for the example |
//! | `text`, after a manifest | the exact message of the compiler for the manifest |
//! | `text`, after code | what the code prints |
//! | `console` | a command, `$ sparsegen explain kernels.toml`, and an excerpt of its output |
//! | `rs` or `toml`, beginning with a comment `example-app/…` | an excerpt of that file |
//! | `toml`, beginning with `# Cargo.toml`, and `rs`, beginning with `// build.rs` | other files of a crate |
//! | `ebnf`, `sh`, `drawing`, `other` | grammar, commands, pictures, and code in other languages |
//!
//! In an excerpt, a line `…` or `// …` replaces any number of lines. Each row of a table with
//! the columns `expr` and `tensors` is a kernel; a column `keys` has further keys of the kernel.

/// A manifest of the page, with the code or message that follows it.
#[derive(Debug, Default)]
pub struct Example {
    /// The heading above it, as in a link, and the number of the example under that heading.
    pub name: String,
    /// The line of the page on which the manifest begins.
    pub line: usize,
    /// The manifest.
    pub manifest: String,
    /// Code that calls the kernels.
    pub code: Vec<Code>,
    /// The message of the compiler, if the manifest is invalid.
    pub message: Option<String>,
    /// Excerpts of the generated code.
    pub generated: Vec<String>,
    /// Excerpts of the output of `sparsegen explain`.
    pub explained: Vec<String>,
}

/// Code that calls the kernels of an example.
#[derive(Debug)]
pub struct Code {
    /// The text of the block.
    pub text: String,
    /// `true` if it is a program with a function `main`.
    pub is_program: bool,
    /// What it prints, if the page shows it.
    pub output: Option<String>,
}

/// A row of a table with the columns `expr` and `tensors`.
#[derive(Debug)]
pub struct Row {
    /// The line of the page.
    pub line: usize,
    /// The manifest of the row.
    pub manifest: String,
}

/// The testable content of the page.
#[derive(Debug, Default)]
pub struct Page {
    /// The headings, as links name them, with their levels.
    pub headings: Vec<(usize, String)>,
    /// The examples.
    pub examples: Vec<Example>,
    /// Modules that all examples share, with their names.
    pub modules: Vec<(String, String)>,
    /// Excerpts of files of the repository, with their paths.
    pub files: Vec<(String, String)>,
    /// The rows of tables of kernels.
    pub rows: Vec<Row>,
    /// The number of blocks that are neither examples nor modules.
    pub others: usize,
}

/// The commands whose output a page may show.
const EXPLAIN: &str = "$ sparsegen explain kernels.toml\n";

impl Page {
    /// Parses the page.
    ///
    /// # Errors
    /// A block of a kind, or at a place, that the documentation of this module does not allow.
    pub fn parse(text: &str) -> Result<Page, String> {
        let mut page = Page::default();
        let mut below_heading = 0;
        let mut columns: Option<Vec<String>> = None;
        let mut lines = text.lines().enumerate();
        while let Some((line, content)) = lines.next() {
            if let Some(title) = content.strip_prefix('#') {
                let level = 1 + title.len() - title.trim_start_matches('#').len();
                page.headings.push((level, slug(title.trim_start_matches('#'))));
                below_heading = 0;
            }
            match (cells(content), &columns) {
                (None, _) => columns = None,
                (Some(cells), None) => columns = Some(cells),
                (Some(cells), Some(columns)) => page.rows.extend(row(line, columns, &cells)),
            }
            let Some(kind) = content.strip_prefix("```") else { continue };
            let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            let block: String = inside.map(|line| format!("{line}\n")).collect();
            let line = line + 1;
            let wrong = |what: &str| Err(format!("line {line} of the page: {what}"));
            let (first, rest) = block.split_once('\n').unwrap_or_default();
            let example = page.examples.last_mut().filter(|example| example.message.is_none());
            match (kind, first, example) {
                ("toml", "# Cargo.toml", _) | ("rs", "// build.rs", _) => page.others += 1,
                ("toml" | "rs", path, _)
                    if path.trim_start_matches(['#', '/', ' ']).starts_with("example-app/") =>
                {
                    let path = path.trim_start_matches(['#', '/', ' ']);
                    page.files.push((path.into(), rest.into()));
                }
                ("ebnf" | "sh" | "drawing" | "other", ..) => page.others += 1,
                ("toml", ..) => {
                    below_heading += 1;
                    let heading = page.headings.last().map_or("", |(_, name)| name);
                    let name = format!("{}_{below_heading}", heading.replace('-', "_"));
                    page.examples.push(Example {
                        name,
                        line,
                        manifest: block,
                        ..Default::default()
                    });
                }
                ("rs", "// kernels.rs", Some(example)) => example.generated.push(rest.into()),
                ("rs", "// src/main.rs", Some(example)) => {
                    example.code.push(Code { text: rest.into(), is_program: true, output: None });
                }
                ("rs", module, _) if module.starts_with("// src/") => {
                    let name = module["// src/".len()..].trim_end_matches(".rs");
                    page.modules.push((name.into(), rest.into()));
                }
                ("rs", _, Some(example)) => {
                    example.code.push(Code { text: block, is_program: false, output: None });
                }
                ("text", _, Some(example)) => match example.code.last_mut() {
                    None => example.message = Some(block),
                    Some(Code { output: output @ None, .. }) => *output = Some(block),
                    Some(_) => return wrong("this output has no code"),
                },
                ("console", _, Some(example)) => match block.strip_prefix(EXPLAIN) {
                    Some(output) => example.explained.push(output.into()),
                    None => return wrong("a block `console` begins with `sparsegen explain`"),
                },
                ("rs" | "text" | "console", ..) => return wrong("there is no manifest for this"),
                _ => return wrong("there is no such kind of block"),
            }
        }
        Ok(page)
    }

    /// Returns the number of blocks of the page that this represents.
    pub fn block_count(&self) -> usize {
        let of = |example: &Example| {
            let outputs = example.code.iter().filter(|code| code.output.is_some()).count();
            let texts = outputs + usize::from(example.message.is_some());
            1 + example.code.len() + texts + example.generated.len() + example.explained.len()
        };
        self.examples.iter().map(of).sum::<usize>()
            + self.modules.len()
            + self.files.len()
            + self.others
    }
}

/// Returns the cells of a line of a table.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.strip_prefix('|')?.strip_suffix('|')?.replace("\\|", "\0");
    Some(inner.split('|').map(|cell| cell.trim().trim_matches('`').replace('\0', "|")).collect())
}

/// Returns the kernel of a line of a table, if it has one.
fn row(line: usize, columns: &[String], cells: &[String]) -> Option<Row> {
    let cell = |name: &str| {
        let column = columns.iter().position(|column| column == name)?;
        cells.get(column).map(|cell| cell.replace("`, `", "\n"))
    };
    let (expr, tensors) = (cell("expr")?, cell("tensors")?);
    let keys = cell("keys").unwrap_or_default();
    let is_rule = expr.starts_with("---");
    let manifest = format!("[kernels.row]\nexpr = \"{expr}\"\ntensors = {{ {tensors} }}\n{keys}\n");
    (!is_rule).then_some(Row { line: line + 1, manifest })
}

/// Returns the line of an excerpt that does not follow its predecessor in a text, if there is one.
///
/// The indentation may differ.
pub fn missing<'e>(excerpt: &'e str, text: &str) -> Option<&'e str> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let wanted: Vec<&str> = excerpt.lines().map(str::trim).collect();
    let mut from = 0;
    for part in wanted.split(|line| matches!(*line, "…" | "// …")) {
        let Some(first) = part.first() else { continue };
        let found = (from..lines.len()).find(|start| lines[*start..].starts_with(part));
        match found {
            Some(start) => from = start + part.len(),
            None => return Some(first),
        }
    }
    None
}

/// Returns the name of a heading in a link, as Markdown renderers generate it.
pub fn slug(title: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    title.trim().to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
}

/// Returns the titles and the files of the chapters that a `SUMMARY.md` lists.
pub fn chapters(summary: &str) -> Vec<(String, String)> {
    let links = summary.lines().filter_map(|line| line.split_once("[")?.1.split_once("]("));
    links.map(|(title, rest)| (title.into(), rest.trim_end_matches(')').into())).collect()
}
