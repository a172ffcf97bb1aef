//! The examples of the language reference: its manifests compile, and its code runs. The messages that it
//! shows are compared in `diagnostics.rs`.

#[path = "../build/page.rs"]
#[allow(dead_code, reason = "the build script and other tests read more of the page")]
mod page;

use page::Page;

// The examples that have results, made by `build/guide.rs`.
include!(concat!(env!("OUT_DIR"), "/guide.rs"));

const TEXT: &str = include_str!("../../sparsegen-build/guide/language.md");

fn page() -> Page {
    Page::parse(TEXT).expect("the build script has read it")
}

#[test]
fn every_block_is_tried() {
    let fences = TEXT.lines().filter(|line| line.trim_start().starts_with("```")).count();
    assert_eq!(page().block_count() * 2, fences);
    for example in page().examples {
        let tells = !example.code.is_empty() || example.message.is_some();
        assert!(tells, "line {}: this shows neither a result nor a message", example.line);
    }
}

#[test]
fn links_lead_to_headings() {
    let headings = page().headings;
    let links = TEXT.split("](#").skip(1).filter_map(|rest| rest.split(')').next());
    for link in links.clone() {
        assert!(headings.iter().any(|(_, name)| name == link), "there is no heading #{link}");
    }
    for (level, heading) in headings {
        let listed = links.clone().any(|link| link == heading);
        assert!(level != 1 || listed || heading == "contents", "the contents lack #{heading}");
    }
}
