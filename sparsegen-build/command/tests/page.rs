//! Tests of the page on a kernel: its links, and a click in a browser where there is one.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use support::{folder, output};

/// Returns the values of an attribute, by words.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let start = format!(" {attribute}=\"");
    let values = page.split(&start).skip(1).filter_map(|rest| rest.split('"').next());
    values.flat_map(str::split_whitespace).collect()
}

/// Returns the part of a page before the source, and the source.
fn halves(page: &str) -> (&str, &str) {
    page.split_once("<section id=\"code\">").expect("the page has code")
}

#[test]
fn what_lines_refer_to_is_on_the_page() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../example-app/kernels.toml");
    let pages = [
        output(&["explain", "spmv", "--html"]),
        output(&["explain", "add", "--html"]),
        output(&["explain", "spgemm", "--html"]),
        output(&["explain", "mttkrp_i", "--html", manifest]),
        output(&["explain", "combine", "--html", manifest]),
    ];
    for page in &pages {
        let (decisions, code) = halves(page);
        let set =
            |values: Vec<&str>| values.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
        let parts = set(values(decisions, "data-parts"));
        let of_lines = set(values(code, "data-parts"));
        assert!(!of_lines.is_empty() && of_lines.is_subset(&parts), "{of_lines:?} of {parts:?}");
        let tensors = set(values(decisions, "data-of"));
        let of_lines = set(values(code, "data-of"));
        assert!(
            !of_lines.is_empty() && of_lines.is_subset(&tensors),
            "{of_lines:?} of {tensors:?}"
        );
        let ids = values(page, "id");
        assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "an id is repeated");
        for outside in ["http:", "https:", "src=", "href=", "@import", "url("] {
            let found =
                page.match_indices(outside).filter(|(at, _)| !page[*at..].starts_with("url(#tip)"));
            assert_eq!(found.count(), 0, "the page has `{outside}`");
        }
    }
}

#[test]
fn every_merge_point_has_lines_and_is_drawn() {
    let page = output(&["explain", "add", "--html"]);
    let (decisions, code) = halves(&page);
    for part in ["0.p0", "1.p0", "1.p1", "1.p2", "1.b1", "1.b2", "1.b3"] {
        assert!(values(code, "data-parts").contains(&part), "no line has {part}");
    }
    for point in ["1.p0", "1.p1", "1.p2"] {
        let drawn = format!("<g data-parts=\"{point}\">");
        assert_eq!(decisions.matches(&drawn).count(), 2, "{point} is drawn before and after");
    }
    assert!(decisions.contains("<i data-of=\"A\">A[i,j]</i>"), "the statement is linked");
    assert!(
        code.contains("title=\"the positions of level 2 of A\">a2_pos</i>"),
        "names have titles"
    );
}

#[test]
fn one_kernel_must_be_named() {
    let wrong = support::run(&["explain", "--html"]);
    assert!(!wrong.succeeds && wrong.errors.contains("a page has one kernel: name it"));
}

/// Returns the command of an installed browser.
fn browser() -> Option<&'static str> {
    let known = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let runs = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|ran| ran.status.success())
    };
    known.into_iter().find(|name| runs(name))
}

#[test]
fn a_clicked_line_lights_up_with_its_merge_point_and_operands() {
    let Some(browser) = browser() else {
        println!("SKIPPED: there is no browser here");
        return;
    };
    let page = output(&["explain", "add", "--html"]);
    let line = page.split("<span class=\"l\" id=\"").skip(1).find(|rest| {
        rest.split("</span>")
            .next()
            .is_some_and(|line| line.contains("c_vals") && line.contains("data-parts=\"1.b1"))
    });
    let id = line.and_then(|rest| rest.split('"').next()).expect("a line stores values of `A`");
    let folder = folder("page");
    let path = folder.join("add.html");
    fs::write(&path, &page).expect("a file");
    // The page clicks the line of its address itself.
    let address = format!("file://{}#{id}", Path::new(&path).display());
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let ran = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", &profile, &address])
        .output()
        .expect("the browser runs");
    let shown = String::from_utf8_lossy(&ran.stdout);
    if !ran.status.success() || shown.is_empty() {
        println!(
            "SKIPPED: the browser cannot open a page here: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
        return;
    }
    let (decisions, code) = halves(&shown);
    let lit = |html: &str, start: &str| {
        let elements = html.split('<').filter(|element| element.starts_with(start));
        elements.filter(|element| element.contains("lit")).count()
    };
    assert!(code.contains(&format!("<span class=\"l lit pinned\" id=\"{id}\"")), "{id} is pinned");
    assert!(lit(decisions, "li data-parts=\"1.b1\"") > 0, "the body is lit");
    let lines = code.matches("<span class=\"l lit").count();
    assert!((1..20).contains(&lines), "{lines} lines are lit, of this body only");
    assert!(lit(decisions, "g data-parts=") > 0, "a merge point is lit");
    assert!(lit(decisions, "i data-of=\"A\"") > 0, "the operand is lit in the statement");
    assert_eq!(lit(decisions, "i data-of=\"B\""), 0, "the other operand is not");
    assert_eq!(lit(decisions, "li data-parts=\"1.b2\""), 0, "nor is the other body");
}
