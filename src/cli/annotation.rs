//! Annotations of GitHub's workflows: errors and warnings that are shown beside the lines of
//! a change (<https://docs.github.com/actions/reference/workflow-commands-for-github-actions>).

use serde_json::Value;
use std::fmt;

/// An error or a warning about a file.
pub struct Annotation<'a> {
    pub file: &'a str,
    /// The line and the column, from 1.
    pub at: Option<(usize, usize)>,
    pub title: Option<&'a str>,
    pub is_warning: bool,
    pub message: String,
}

impl<'a> Annotation<'a> {
    /// An error without a place.
    pub fn error(file: &'a str, message: &str) -> Annotation<'a> {
        Annotation {
            file,
            at: None,
            title: None,
            is_warning: false,
            message: message.to_owned(),
        }
    }

    /// A diagnostic, as [`json::problem`](super::json::problem) writes it.
    pub fn problem(file: &'a str, problem: &'a Value) -> Annotation<'a> {
        let text = |name: &str| problem[name].as_str().unwrap_or_default();
        let number = |name: &str| problem["labels"][0][name].as_u64().map(|n| n as usize);
        let message = match text("help") {
            "" => text("message").to_owned(),
            help => format!("{}\nhelp: {help}", text("message")),
        };
        Annotation {
            at: number("line").zip(number("column")),
            title: problem["code"].as_str(),
            is_warning: text("severity") == "warning",
            ..Annotation::error(file, &message)
        }
    }
}

/// The workflow command, on one line.
impl fmt::Display for Annotation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut properties = Vec::new();
        // Standard input is no file of the repository.
        if self.file != "-" {
            properties.push(format!("file={}", property(self.file)));
        }
        if let Some((line, column)) = self.at {
            properties.push(format!("line={line},col={column}"));
        }
        if let Some(title) = self.title.filter(|title| !title.is_empty()) {
            properties.push(format!("title={}", property(title)));
        }
        let kind = if self.is_warning { "warning" } else { "error" };
        let space = if properties.is_empty() { "" } else { " " };
        let properties = properties.join(",");
        write!(f, "::{kind}{space}{properties}::{}", data(&self.message))
    }
}

/// The text of a command: signs that would end it are written as `%0A`.
fn data(text: &str) -> String {
    let text = text.replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

/// The text of a property, which ends at a colon or a comma too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::Annotation;

    #[test]
    fn signs_of_the_command_are_escaped() {
        let annotation = Annotation {
            at: Some((3, 7)),
            title: Some("names::unknown"),
            ..Annotation::error("a,b:100%.nimrule", "50% of a: b, c\r\nd")
        };
        assert_eq!(
            annotation.to_string(),
            "::error file=a%2Cb%3A100%25.nimrule,line=3,col=7,title=names%3A%3Aunknown\
             ::50%25 of a: b, c%0D%0Ad"
        );
        let nowhere = Annotation {
            is_warning: true,
            ..Annotation::error("-", "x")
        };
        assert_eq!(nowhere.to_string(), "::warning::x");
    }
}
