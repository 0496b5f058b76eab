//! Results in the XML of JUnit, which servers that run tests read: a suite for each file, a
//! case for each statement.

use super::report::title;
use super::{NotBegun, Outcome, Result, Tested};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io::{self, Write};
use std::path::Path;

/// The counts of a suite, or of all.
#[derive(Clone, Copy, Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Counts {
    fn of(tested: &Tested) -> Counts {
        let mut counts = Counts {
            tests: tested.results.len(),
            ..Counts::default()
        };
        for result in &tested.results {
            match result.outcome {
                Outcome::Holds(..) => {}
                Outcome::Fails(..) => counts.failures += 1,
                Outcome::Limit(_) | Outcome::Wrong(_) => counts.errors += 1,
                Outcome::NotChecked(_) => counts.skipped += 1,
            }
        }
        if !tested.is_read {
            counts.tests += 1;
            counts.errors += 1;
        }
        counts
    }

    fn attributes(self) -> [(&'static str, String); 4] {
        [
            ("tests", self.tests.to_string()),
            ("failures", self.failures.to_string()),
            ("errors", self.errors.to_string()),
            ("skipped", self.skipped.to_string()),
        ]
    }
}

/// Writes the results of all files.
pub fn write(out: &mut dyn Write, all: &[Tested], not_begun: &NotBegun<'_>) -> io::Result<()> {
    let mut total = Counts::default();
    for counts in all.iter().map(Counts::of) {
        total.tests += counts.tests;
        total.failures += counts.failures;
        total.errors += counts.errors;
        total.skipped += counts.skipped;
    }
    total.tests += not_begun.files.len();
    total.errors += not_begun.files.len();
    let seconds = all.iter().map(|tested| tested.took.as_secs_f64()).sum();
    let mut writer = Writer::new_with_indent(out, b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    element(
        &mut writer,
        "testsuites",
        "nimrule",
        total,
        seconds,
        |writer| {
            for tested in all {
                let seconds = tested.took.as_secs_f64();
                let counts = Counts::of(tested);
                element(
                    writer,
                    "testsuite",
                    &tested.file,
                    counts,
                    seconds,
                    |writer| {
                        if !tested.is_read {
                            not_tested(writer, &tested.file, &reasons(tested))?;
                        }
                        tested
                            .results
                            .iter()
                            .try_for_each(|result| case(writer, &tested.file, result))
                    },
                )?;
            }
            for file in not_begun.files {
                let counts = Counts {
                    tests: 1,
                    errors: 1,
                    ..Counts::default()
                };
                element(writer, "testsuite", file, counts, 0.0, |writer| {
                    not_tested(writer, file, not_begun.why)
                })?;
            }
            Ok(())
        },
    )?;
    writeln!(writer.get_mut())
}

type Xml<'w> = Writer<&'w mut dyn Write>;

/// Writes an element that has counts and a time, with what is in it.
fn element<'w>(
    writer: &mut Xml<'w>,
    element: &str,
    name: &str,
    counts: Counts,
    seconds: f64,
    inside: impl FnOnce(&mut Xml<'w>) -> io::Result<()>,
) -> io::Result<()> {
    let mut element = writer.create_element(element);
    element = element.with_attribute(("name", allowed(name).as_str()));
    for (attribute, number) in counts.attributes() {
        element = element.with_attribute((attribute, number.as_str()));
    }
    let seconds = format!("{seconds:.3}");
    element
        .with_attribute(("time", seconds.as_str()))
        .write_inner_content(inside)?;
    Ok(())
}

/// Writes the case of a statement.
fn case(writer: &mut Xml<'_>, file: &str, result: &Result) -> io::Result<()> {
    let line = result.at.0.to_string();
    let case = writer
        .create_element("testcase")
        .with_attribute(("name", allowed(&title(result)).as_str()))
        .with_attribute(("classname", class(file).as_str()))
        .with_attribute(("file", allowed(file).as_str()))
        .with_attribute(("line", line.as_str()));
    let (tag, words) = match &result.outcome {
        Outcome::Holds(..) => return case.write_empty().map(drop),
        Outcome::Fails(words, _) => ("failure", words),
        Outcome::Limit(words) | Outcome::Wrong(words) => ("error", words),
        Outcome::NotChecked(words) => ("skipped", words),
    };
    case.write_inner_content(|writer| message(writer, tag, words))
        .map(drop)
}

/// Writes the case of a file that has an error.
fn not_tested(writer: &mut Xml<'_>, file: &str, why: &str) -> io::Result<()> {
    writer
        .create_element("testcase")
        .with_attribute(("name", "the file is read"))
        .with_attribute(("classname", class(file).as_str()))
        .with_attribute(("file", allowed(file).as_str()))
        .write_inner_content(|writer| message(writer, "error", why))
        .map(drop)
}

fn message(writer: &mut Xml<'_>, tag: &str, words: &str) -> io::Result<()> {
    let words = allowed(words);
    let first = words.lines().next().unwrap_or_default();
    let element = writer
        .create_element(tag)
        .with_attribute(("message", first));
    match tag {
        // The text of what was left out is its message.
        "skipped" => element.write_empty(),
        _ => element.write_text_content(BytesText::new(&words)),
    }
    .map(drop)
}

/// Why a file was not tested, a line each.
pub fn reasons(tested: &Tested) -> String {
    let problems = tested.problems.iter().map(|problem| {
        let (at, text) = (&problem["labels"][0], problem["message"].as_str());
        let text = text.unwrap_or_default();
        match (at["line"].as_u64(), at["column"].as_u64()) {
            (Some(line), Some(column)) => format!("{line}:{column}: {text}"),
            _ => text.to_owned(),
        }
    });
    let all: Vec<String> = problems.chain(tested.errors.iter().cloned()).collect();
    all.join("\n")
}

/// The name of a file without its ending, the class of its cases.
fn class(file: &str) -> String {
    let stem = Path::new(file).file_stem().unwrap_or_default();
    allowed(&stem.to_string_lossy())
}

/// A text in which letters that XML 1.0 has no way to write are replaced.
fn allowed(text: &str) -> String {
    let is_allowed = |letter: char| match letter {
        '\t' | '\n' | '\r' => true,
        '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => false,
        _ => true,
    };
    let letters = text.chars();
    letters
        .map(|letter| {
            if is_allowed(letter) {
                letter
            } else {
                '\u{fffd}'
            }
        })
        .collect()
}
