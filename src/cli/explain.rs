//! `explain`: the explanation of an error code, with an example.

use super::load::{self, Answered};
use super::text::wrapped;
use super::{Format, Shared, Status, progress};
use clap::Args;
use nimrule_syntax as syntax;
use serde_json::{Value, json};
use std::io::Write as _;

#[derive(Debug, Args)]
pub struct Arguments {
    /// A code such as board::no-cells; without it, all codes are listed
    code: Option<String>,
}

/// The error index of the book, with one section for each code.
const INDEX: &str = include_str!("../../docs/src/errors.md");

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let mut out = progress::stdout();
    let Some(code) = &arguments.code else {
        let mut all = pages().map(|(code, page)| (code, headline(page)));
        let written = if shared.format == Format::Json {
            let codes: Vec<Value> = all
                .map(|(code, headline)| json!({"code": code, "headline": headline}))
                .collect();
            writeln!(out, "{}", json!({"version": 1, "codes": codes}))
        } else {
            all.try_for_each(|(code, headline)| writeln!(out, "{code:<26}{headline}"))
        };
        return load::finish(written);
    };
    match pages().find(|(known, _)| known == code) {
        Some((code, page)) => load::finish(match shared.format {
            Format::Json => writeln!(
                out,
                "{}",
                json!({"version": 1, "code": code, "headline": headline(page), "page": page.trim()})
            ),
            Format::Text | Format::Csv | Format::Latex => {
                writeln!(out, "{code}\n\n{}", as_text(page))
            }
        }),
        None => {
            let near = syntax::nearest(code, pages().map(|(known, _)| known))
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            Err(load::wrong(&format!(
                "there is no error `{code}`{near}\nall of them: `nimrule explain`"
            )))
        }
    }
}

/// The first line of a page.
fn headline(page: &str) -> &str {
    let mut lines = page.lines();
    lines
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
}

/// A page as terminal text: paragraphs wrapped, examples indented.
fn as_text(page: &str) -> String {
    let mut shown = String::new();
    let mut in_example = false;
    for line in page.trim().lines() {
        if line.starts_with("```") {
            in_example = !in_example;
        } else if in_example {
            shown.push_str(&format!("    {line}\n"));
        } else {
            shown.push_str(&format!("{}\n", wrapped(&without_links(line), 80, 0)));
        }
    }
    shown.trim_end().to_owned()
}

/// A line with each Markdown link `[text](page.md)` as `text (docs: page.md)`.
fn without_links(line: &str) -> String {
    let mut shown = String::new();
    let mut rest = line;
    while let Some((text, target, after)) = next_link(rest) {
        let before = &rest[..rest.len() - after.len() - text.len() - target.len() - "[]()".len()];
        shown.push_str(&format!("{before}{text} (docs: {target})"));
        rest = after;
    }
    shown + rest
}

/// The text and the target of the first link of a line, and what follows it.
fn next_link(line: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = line.split_once("](")?;
    let (target, after) = rest.split_once(')')?;
    let (_, text) = before.rsplit_once('[')?;
    Some((text, target, after))
}

/// The codes with their pages, in the order of the book.
pub fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    INDEX.split("\n## ").skip(1).filter_map(|section| {
        let (heading, page) = section.split_once('\n')?;
        Some((
            heading.trim_matches(|c: char| c == '`' || c.is_whitespace()),
            page,
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::without_links;

    #[test]
    fn links_are_shown_as_text_with_their_page() {
        let line = "a [termination measure](glossary.md); see [Why](reference/ending.md).";
        let shown =
            "a termination measure (docs: glossary.md); see Why (docs: reference/ending.md).";
        assert_eq!(without_links(line), shown);
        assert_eq!(without_links("`a[1]` and (b)"), "`a[1]` and (b)");
    }
}
