//! Parses the language reference: its headings, and its examples in the order of the page.
//!
//! | fenced block | content |
//! |---|---|
//! | `toml` | the manifest of a new example |
//! | `rs` | code that calls the kernels of the example, the body of a function |
//! | `rs`, beginning with `// src/NAME.rs` | a module that all examples share |
//! | `text` | the exact message of the compiler for the manifest |
//! | `ebnf` | grammar |

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
    pub code: Vec<String>,
    /// The message of the compiler, if the manifest is invalid.
    pub message: Option<String>,
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
    /// The number of blocks that are neither examples nor modules.
    pub grammars: usize,
}

impl Page {
    /// Parses the page.
    ///
    /// # Errors
    /// A block of a kind, or at a place, that the documentation of this module does not allow.
    pub fn parse(text: &str) -> Result<Page, String> {
        let mut page = Page::default();
        let mut below_heading = 0;
        let mut lines = text.lines().enumerate();
        while let Some((line, content)) = lines.next() {
            if let Some(title) = content.strip_prefix('#') {
                let level = 1 + title.len() - title.trim_start_matches('#').len();
                page.headings.push((level, slug(title.trim_start_matches('#'))));
                below_heading = 0;
            }
            let Some(kind) = content.strip_prefix("```") else { continue };
            let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            let block: String = inside.map(|line| format!("{line}\n")).collect();
            let wrong = |what: &str| Err(format!("line {} of the page: {what}", line + 1));
            let module = block.strip_prefix("// src/").and_then(|rest| rest.split_once(".rs\n"));
            match (kind, page.examples.last_mut(), module) {
                ("toml", ..) => {
                    below_heading += 1;
                    let heading = page.headings.last().map_or("", |(_, name)| name);
                    let name = format!("{}_{below_heading}", heading.replace('-', "_"));
                    let line = line + 1;
                    page.examples.push(Example {
                        name,
                        line,
                        manifest: block,
                        ..Default::default()
                    });
                }
                ("rs", _, Some((name, code))) => page.modules.push((name.into(), code.into())),
                ("rs", Some(example), None) if example.message.is_none() => {
                    example.code.push(block);
                }
                ("text", Some(example), _)
                    if example.message.is_none() && example.code.is_empty() =>
                {
                    example.message = Some(block);
                }
                ("ebnf", ..) => page.grammars += 1,
                ("rs", ..) => return wrong("there is no manifest whose kernels this could call"),
                ("text", ..) => return wrong("there is no manifest for this message"),
                _ => return wrong("a block is `toml`, `rs`, `text` or `ebnf`"),
            }
        }
        Ok(page)
    }

    /// Returns the number of blocks of the page that this represents.
    pub fn block_count(&self) -> usize {
        let of =
            |example: &Example| 1 + example.code.len() + usize::from(example.message.is_some());
        self.examples.iter().map(of).sum::<usize>() + self.modules.len() + self.grammars
    }
}

/// Returns the name of a heading in a link, as Markdown renderers generate it.
pub fn slug(title: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    title.trim().to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
}
