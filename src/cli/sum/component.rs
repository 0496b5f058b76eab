//! The components of a sum on the command line: `FILE:POSITION` and
//! `FILE:NAME=VALUE,…:POSITION`.
//!
//! Paths may contain colons, as in `C:\games\nim.nimrule:3,4`, so a component is
//! split at the last colon that follows the name of a file.

use crate::cli::Shared;
use crate::cli::load::{self, Answered, Loaded};
use nimrule::Compiled;
use nimrule_elaborate::Settings;
use nimrule_model::game::ParamValue;
use nimrule_syntax::ast::{Entry, ExprKind, HeapGroup, HeapGroups, PositionForm, Statement};
use nimrule_syntax::{self as syntax, ast};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// The rule files named, each read once.
#[derive(Default)]
pub struct Files {
    paths: Vec<String>,
    pub loaded: Vec<Loaded>,
}

/// One component of the command line.
pub struct Written {
    /// Its text.
    pub text: String,
    /// The index of its file.
    file: usize,
    /// The parameters of this component.
    settings: Settings,
    pub position: String,
}

/// The name that replaces `-` before a colon.
const STANDARD_INPUT: &str = "(standard input)";

/// Replaces `-:3,4`, a position of the game on standard input, so that it is not
/// parsed as an option.
pub fn no_option(argument: OsString) -> OsString {
    match argument.to_str().and_then(|text| text.strip_prefix("-:")) {
        Some(rest) => format!("{STANDARD_INPUT}:{rest}").into(),
        None => argument,
    }
}

impl Files {
    /// Parses a component and reads its file.
    pub fn component(&mut self, text: &str) -> Answered<Written> {
        let colons = text.match_indices(':').map(|(at, _)| at);
        let Some(split) = colons.rev().find(|at| is_file(&text[..*at])) else {
            return Err(no_such_part(text));
        };
        let (path, rest) = (&text[..split], &text[split + 1..]);
        let (written, position) = match rest.rsplit_once(':') {
            Some((written, position)) => (Some(written), position),
            None => (None, rest),
        };
        if position.trim().is_empty() {
            return Err(load::wrong(&format!("`{text}` has no position after `:`")));
        }
        let mut settings = Settings::new();
        for setting in written.map_or_else(Vec::new, apart) {
            load::add_setting(&mut settings, setting, setting)?;
        }
        Ok(Written {
            text: text.to_owned(),
            file: self.read(path)?,
            settings,
            position: position.to_owned(),
        })
    }

    fn read(&mut self, path: &str) -> Answered<usize> {
        if let Some(known) = self.paths.iter().position(|known| known == path) {
            return Ok(known);
        }
        let from = if path == STANDARD_INPUT { "-" } else { path };
        self.loaded.push(load::read(from)?);
        self.paths.push(path.to_owned());
        Ok(self.paths.len() - 1)
    }
}

/// Reports a component without a file.
fn no_such_part(text: &str) -> load::Unanswered {
    if is_file(text) {
        return load::wrong(&format!(
            "`{text}` has no position: write it after a colon, as in `{text}:3,4,5`"
        ));
    }
    // The letter of a drive is no path.
    let mut colons = text.match_indices(':').map(|(at, _)| at);
    let path = colons.find(|at| *at != 1).map(|at| &text[..at]);
    match path.map(load::read) {
        Some(Err(said)) => said,
        _ => load::wrong(&format!(
            "`{text}` is not FILE:POSITION: write it as in `games/nim.nimrule:3,4,5`"
        )),
    }
}

fn is_file(path: &str) -> bool {
    let is_there = |path: &Path| path.exists() && !path.is_dir();
    path == STANDARD_INPUT || is_there(Path::new(path))
}

/// The settings between two colons, split at commas outside of braces and parentheses: the
/// values of sets and of lists have commas.
fn apart(settings: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    settings
        .split(|c| {
            match c {
                '{' | '(' => depth += 1,
                '}' | ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        })
        .collect()
}

/// The games of a sum: components of one file with the same parameter values
/// share a game.
pub struct Games {
    pub compiled: Vec<Compiled>,
    /// The index of the file of each game.
    pub of_game: Vec<usize>,
    /// The index of the game of each component.
    pub of_component: Vec<usize>,
}

/// Compiles the games of the components. `--set` applies to every component whose
/// game has the parameter; the settings of a component take precedence.
pub fn compiled(files: &Files, written: &[Written], shared: &Shared) -> Answered<Games> {
    let shared = load::settings(shared)?;
    let params: Vec<Vec<String>> = files
        .loaded
        .iter()
        .map(params_of)
        .collect::<Answered<_>>()?;
    if let Some(name) = shared
        .keys()
        .find(|name| !params.iter().any(|known| known.contains(name)))
    {
        return Err(load::wrong(&format!(
            "`--set {name}=…` has no effect: no game of the sum has a parameter `{name}`"
        )));
    }
    let mut games = Games {
        compiled: Vec::new(),
        of_game: Vec::new(),
        of_component: Vec::new(),
    };
    let mut known: Vec<(usize, Settings)> = Vec::new();
    for part in written {
        let mut settings = part.settings.clone();
        for (name, value) in &shared {
            if params[part.file].contains(name) && !settings.contains_key(name) {
                settings.insert(name.clone(), value.clone());
            }
        }
        let loaded = &files.loaded[part.file];
        if let Some((name, count)) = heaps_written(loaded, &part.position)
            && !part.settings.contains_key(&name)
        {
            settings.insert(name, ParamValue::Number(count));
        }
        let wanted = (part.file, settings);
        let game = match known.iter().position(|k| *k == wanted) {
            Some(game) => game,
            None => {
                games.compiled.push(loaded.compiled(&wanted.1)?);
                games.of_game.push(part.file);
                known.push(wanted);
                known.len() - 1
            }
        };
        games.of_component.push(game);
    }
    Ok(games)
}

/// The names of a file's parameters.
fn params_of(loaded: &Loaded) -> Answered<Vec<String>> {
    let file = match parsed(loaded) {
        Some(file) => Arc::new(file),
        None => loaded.compiled(&Settings::new())?.file,
    };
    let mut names = Vec::new();
    for statement in &file.statements {
        if let Statement::Param(params) = &statement.node {
            names.extend(params.iter().map(|param| param.name.node.clone()));
        }
    }
    Ok(names)
}

fn parsed(loaded: &Loaded) -> Option<ast::File> {
    syntax::parse(&loaded.source.text).into_result().ok()
}

/// The parameter that is the number of heaps, as in `heaps piles`, set to the
/// number of sizes in the position.
fn heaps_written(loaded: &Loaded, position: &str) -> Option<(String, i64)> {
    let file = parsed(loaded)?;
    let mut named = None;
    let mut params = Vec::new();
    for statement in &file.statements {
        match &statement.node {
            Statement::Heaps(heaps) => {
                if let HeapGroups::These(groups) = &heaps.groups
                    && let [HeapGroup::Counted(count)] = groups.as_slice()
                    && let ExprKind::Name(name) = &count.node
                {
                    named = Some(name);
                }
            }
            Statement::Param(found) => params.extend(found.iter().map(|param| &param.name.node)),
            _ => {}
        }
    }
    let named = named.filter(|name| params.contains(name))?;
    let position = syntax::parse_position(&nimrule_answer::in_brackets(position)).ok()?;
    match position.node {
        PositionForm::Tuple(entries) => {
            let sizes = entries.iter().all(|e| matches!(e, Entry::Number(_)));
            let count = i64::try_from(entries.len()).ok()?;
            (sizes && count > 0).then(|| (named.clone(), count))
        }
        _ => None,
    }
}
