//! The reports of `test`: as text, JSON, CSV, JUnit's XML and annotations of GitHub.

use super::{NotBegun, Outcome, Result, Tested, junit};
use crate::cli::annotation::Annotation;
use crate::cli::text::{self, BAD, FAINT, GOOD};
use crate::cli::{FormatArgument, Shared, Status, latex, progress};
use serde_json::{Value, json};
use std::io::Write as _;

/// A report that is written while files are tested.
pub struct Report {
    format: FormatArgument,
    /// Whether all results are shown, and not only those that fail.
    in_full: bool,
}

impl Report {
    pub fn new(shared: &Shared, in_full: bool) -> Report {
        Report {
            format: shared.requested,
            in_full,
        }
    }

    /// Writes the results of a file, in the formats that write each file by itself.
    pub fn file(&self, tested: &Tested) {
        match self.format {
            FormatArgument::Text => print_file(&mut progress::stdout(), tested, self.in_full),
            FormatArgument::Github => {
                let _ = annotate(&mut progress::stdout(), tested);
            }
            _ => {}
        }
    }

    /// Writes the summary, or the whole answer. `not_begun` are the files for which no time
    /// was left.
    pub fn end(&self, all: &[Tested], not_begun: &NotBegun<'_>) {
        let mut out = progress::stdout();
        // A closed pipe is not an error here.
        let _ = match self.format {
            FormatArgument::Text | FormatArgument::Github => self.summary(&mut out, all, not_begun),
            FormatArgument::Latex => write!(out, "{}", as_latex(all, not_begun)),
            FormatArgument::Json => writeln!(out, "{}", as_json(all, not_begun)),
            FormatArgument::Csv => as_csv(&mut out, all, not_begun),
            FormatArgument::Junit => junit::write(&mut out, all, not_begun),
        };
    }

    fn summary(
        &self,
        out: &mut dyn std::io::Write,
        all: &[Tested],
        not_begun: &NotBegun<'_>,
    ) -> std::io::Result<()> {
        let counts = Counts::of(all);
        let fine =
            not_begun.files.is_empty() && all.iter().all(|tested| tested.status == Status::Fine);
        let style = if fine { GOOD } else { BAD };
        for file in not_begun.files {
            match self.format {
                FormatArgument::Github => {
                    writeln!(out, "{}", Annotation::error(file, not_begun.why))?;
                }
                _ => writeln!(
                    out,
                    "{BAD}LIMIT{BAD:#}  {file}  {FAINT}not started{FAINT:#}"
                )?,
            }
        }
        if self.format != FormatArgument::Github {
            writeln!(out)?;
        }
        writeln!(
            out,
            "{style}{} hold, {} fail{style:#}{}, in {} {}",
            counts.held,
            counts.failed,
            counts.and_others(),
            all.len(),
            if all.len() == 1 { "file" } else { "files" }
        )
    }
}

/// How many results hold, fail, reach a limit, have an error, and are not checked.
#[derive(Default)]
struct Counts {
    held: usize,
    failed: usize,
    limit: usize,
    /// Statements, and files that could not be tested.
    wrong: usize,
    /// Files whose test was interrupted.
    interrupted: usize,
    not_checked: usize,
}

impl Counts {
    fn of<'r>(files: impl IntoIterator<Item = &'r Tested>) -> Counts {
        let mut counts = Counts::default();
        for tested in files {
            for result in &tested.results {
                *match result.outcome {
                    Outcome::Holds(..) => &mut counts.held,
                    Outcome::Fails(..) => &mut counts.failed,
                    Outcome::Limit(_) => &mut counts.limit,
                    Outcome::Wrong(_) => &mut counts.wrong,
                    Outcome::NotChecked(_) => &mut counts.not_checked,
                } += 1;
            }
            *match tested.status {
                _ if tested.is_read => continue,
                Status::Limit => &mut counts.limit,
                Status::Interrupted => &mut counts.interrupted,
                _ => &mut counts.wrong,
            } += 1;
        }
        counts
    }

    /// What there is beside those that hold and fail.
    fn and_others(&self) -> String {
        let others = [
            (self.limit, "limit"),
            (self.wrong, "wrong"),
            (self.interrupted, "interrupted"),
            (self.not_checked, "not checked"),
        ];
        let others = others.into_iter().filter(|(number, _)| *number > 0);
        others
            .map(|(number, what)| format!(", {number} {what}"))
            .collect()
    }
}

/// The result of a file in JSON.
fn word_of(tested: &Tested) -> &'static str {
    match tested.status {
        Status::Fine if tested.results.is_empty() => "nothing claimed",
        Status::Fine => "holds",
        status => status.word(),
    }
}

/// A statement with the parameters at which it was tested.
pub fn title(result: &Result) -> String {
    match result.params.as_str() {
        "" => result.words.clone(),
        params => format!("{} [{params}]", result.words),
    }
}

/// Writes an annotation for each statement that fails, and for each error of the file.
fn annotate(out: &mut dyn std::io::Write, tested: &Tested) -> std::io::Result<()> {
    for problem in &tested.problems {
        writeln!(out, "{}", Annotation::problem(&tested.file, problem))?;
    }
    if !tested.is_read {
        for error in &tested.errors {
            writeln!(out, "{}", Annotation::error(&tested.file, error))?;
        }
    }
    for result in &tested.results {
        let (sign, words) = match &result.outcome {
            Outcome::Fails(words, _) => ("fails", words),
            Outcome::Limit(words) => ("limit", words),
            Outcome::Wrong(words) => ("wrong", words),
            Outcome::Holds(..) | Outcome::NotChecked(_) => continue,
        };
        let message = format!("{sign}: {}\n{words}", title(result));
        let annotation = Annotation {
            at: Some(result.at),
            title: Some("nimrule test"),
            ..Annotation::error(&tested.file, &message)
        };
        writeln!(out, "{annotation}")?;
    }
    Ok(())
}

fn print_file(out: &mut dyn std::io::Write, tested: &Tested, in_full: bool) {
    let Tested { file, results, .. } = tested;
    let counts = Counts::of([tested]);
    let (good, of) = (counts.held, results.len() - counts.not_checked);
    let more = match counts.not_checked {
        0 => String::new(),
        number => format!(", {number} not checked"),
    };
    let (style, sign) = match tested.status {
        Status::Fine => (GOOD, "holds"),
        Status::Fails => (BAD, "FAILS"),
        Status::Wrong => (BAD, "ERROR"),
        Status::Limit | Status::Interrupted if counts.failed > 0 => (BAD, "FAILS"),
        Status::Limit => (BAD, "LIMIT"),
        Status::Interrupted => (BAD, "INTERRUPTED"),
    };
    let _ = match tested.status {
        Status::Wrong if results.is_empty() => writeln!(out, "{style}{sign}{style:#}  {file}"),
        Status::Fine if results.is_empty() => writeln!(
            out,
            "{FAINT}no claims{FAINT:#}  {file}  {FAINT}nothing to test{FAINT:#}"
        ),
        _ => writeln!(
            out,
            "{style}{sign}{style:#}  {file}  {FAINT}{good} of {of}{more}{FAINT:#}"
        ),
    };
    for result in results {
        let (style, sign, words) = match &result.outcome {
            Outcome::Holds(words, value) if in_full => (GOOD, how_it_holds(value), words),
            Outcome::Holds(..) => continue,
            Outcome::Fails(words, _) => (BAD, "FAILS", words),
            Outcome::Limit(words) => (BAD, "LIMIT", words),
            Outcome::Wrong(words) => (BAD, "ERROR", words),
            Outcome::NotChecked(words) if in_full => (FAINT, "not checked:", words),
            Outcome::NotChecked(_) => continue,
        };
        let standing = text::wrapped(words, 73 - sign.len(), 4);
        let at = if result.params.is_empty() {
            String::new()
        } else {
            // On a line of its own where the words before it fill theirs.
            let before = match standing.rsplit_once('\n') {
                Some((_, last)) => last.chars().count(),
                None => 5 + sign.len() + standing.chars().count(),
            };
            let fits = before + 3 + result.params.len() <= 80;
            let gap = if fits { " " } else { "\n    " };
            format!("{gap}{FAINT}[{}]{FAINT:#}", result.params)
        };
        let _ = writeln!(
            out,
            "  {}\n    {style}{sign}{style:#}{}{}{at}",
            text::wrapped(&result.words, 74, 4),
            if words.is_empty() { "" } else { " " },
            standing
        );
    }
}

/// The text for a statement that holds; a claim with `refuted at` holds by failing.
fn how_it_holds(value: &Value) -> &'static str {
    match value["standing"].as_str() {
        Some("proved") => "proved",
        Some("refuted") => "refuted",
        _ => "holds",
    }
}

/// The whole answer in JSON.
fn as_json(all: &[Tested], not_begun: &NotBegun<'_>) -> Value {
    let message = |tested: &Tested| match (tested.errors.last(), tested.problems.first()) {
        (Some(error), _) => json!(error),
        (None, problem) => json!(problem.map(|problem| &problem["message"])),
    };
    let files = all.iter().map(|tested| {
        let mut file = json!({"file": tested.file, "standing": word_of(tested)});
        if !tested.is_read || tested.status == Status::Wrong {
            file["message"] = message(tested);
            file["problems"] = json!(tested.problems);
        }
        file
    });
    let unread = all.iter().filter(|tested| !tested.is_read).map(|tested| {
        json!({
            "file": tested.file,
            "message": tested.errors.last(),
            "problems": tested.problems,
        })
    });
    let results = all.iter().flat_map(|tested| {
        let results = tested.results.iter();
        results.map(|result| result_as_json(&tested.file, result))
    });
    let counts = Counts::of(all);
    let mut answer = json!({"version": 1, "hold": counts.held, "fail": counts.failed});
    let others = [
        ("limit", counts.limit),
        ("wrong", counts.wrong),
        ("interrupted", counts.interrupted),
        ("not_checked", counts.not_checked),
    ];
    for (name, number) in others.into_iter().filter(|(_, number)| *number > 0) {
        answer[name] = json!(number);
    }
    answer["results"] = results.collect();
    answer["files"] = files.collect();
    let unread: Vec<Value> = unread.collect();
    if !unread.is_empty() {
        answer["unread"] = json!(unread);
    }
    if !not_begun.files.is_empty() {
        answer["not_begun"] = json!(not_begun.files);
    }
    answer
}

fn result_as_json(file: &str, result: &Result) -> Value {
    let mut value = match &result.outcome {
        Outcome::Holds(_, value) | Outcome::Fails(_, value) => value.clone(),
        Outcome::Limit(words) => json!({"standing": "limit", "why": words}),
        Outcome::Wrong(words) => json!({"standing": "wrong", "why": words}),
        Outcome::NotChecked(words) => json!({"standing": "not checked", "why": words}),
    };
    if let Some(fields) = value.as_object_mut() {
        fields.insert("file".to_owned(), json!(file));
        fields.insert("params".to_owned(), result.values.clone());
        fields.insert("statement".to_owned(), json!(result.words));
        fields.insert(
            "passes".to_owned(),
            match result.outcome {
                Outcome::Holds(..) => json!(true),
                Outcome::NotChecked(_) => Value::Null,
                _ => json!(false),
            },
        );
    }
    value
}

/// A row for each statement, and one without a statement for each file that was not tested.
fn as_csv(
    out: &mut dyn std::io::Write,
    all: &[Tested],
    not_begun: &NotBegun<'_>,
) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    rows.write_record(["file", "params", "statement", "passes", "what"])?;
    for tested in all {
        for result in &tested.results {
            let [passes, what] = in_cells(result);
            rows.write_record([&tested.file, &result.params, &result.words, &passes, &what])?;
        }
        if !tested.is_read {
            let why = junit::reasons(tested);
            rows.write_record([&tested.file, "", "", tested.status.word(), &why])?;
        }
    }
    for file in not_begun.files {
        rows.write_record([file, "", "", Status::Limit.word(), not_begun.why])?;
    }
    rows.flush()
}

/// A row for each result, and how many hold and fail.
fn as_latex(all: &[Tested], not_begun: &NotBegun<'_>) -> String {
    let results = all.iter();
    let results = results.flat_map(|tested| tested.results.iter().map(|r| (&tested.file, r)));
    let rows = results.map(|(file, result)| {
        let [passes, what] = in_cells(result);
        let statement = match result.params.as_str() {
            "" => format!("`{}`", result.words),
            params => format!("`{}` [{params}]", result.words),
        };
        vec![file.clone(), statement, passes, what]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let counts = Counts::of(all);
    let late = match not_begun.files.len() {
        0 => String::new(),
        late => format!(", {late} of the files not started"),
    };
    format!(
        "{}{}\n{} hold, {} fail{}{late}.\n",
        latex::titled("Tests", "claims and examples"),
        latex::table(
            "p{0.2\\linewidth}p{0.32\\linewidth}lp{0.28\\linewidth}",
            &["file", "statement", "passes", "what"],
            &rows
        ),
        counts.held,
        counts.failed,
        counts.and_others(),
    )
}

/// Whether a statement passes, and what is known of it.
fn in_cells(result: &Result) -> [String; 2] {
    let (passes, what) = match &result.outcome {
        Outcome::Holds(words, value) => ("yes", format!("{} {words}", how_it_holds(value))),
        Outcome::Fails(words, _) => ("no", words.clone()),
        Outcome::Limit(words) => ("limit", words.clone()),
        Outcome::Wrong(words) => ("wrong", words.clone()),
        Outcome::NotChecked(words) => ("not checked", words.clone()),
    };
    [passes.to_owned(), what.trim_end().to_owned()]
}
