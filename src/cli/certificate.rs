//! `--certificate`, `--walnut`, `--smt-lib` and `--rocq`: writing certificates, automata, SMT-LIB
//! sentences and theorems to a folder.

use super::files;
use super::load::{self, Answered};
use nimrule_model::game::{Convention, Game};
use std::path::{Path, PathBuf};

/// What a file is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'w> {
    /// A claim of the file, counted from 1.
    Claim(usize),
    /// The P-positions found by `discover`.
    Discovered(Convention),
    /// The Grundy values found by `discover --grundy`.
    Values(Convention),
    /// An SMT-LIB sentence of a claim, with its name.
    Sentence(usize, &'w str),
    /// The theorem of a claim, for Rocq.
    Theorem(usize),
    /// The automaton of one of the sets, for Walnut.
    Automaton(&'w Subject<'w>),
}

/// Writes a file to a folder, which is created if it is missing.
pub fn save(folder: &Path, game: &Game, of: Subject<'_>, text: &str) -> Answered<PathBuf> {
    let for_what = match of {
        Subject::Claim(_) | Subject::Discovered(_) | Subject::Values(_) => {
            "certificates are written to"
        }
        Subject::Sentence(..) => "sentences are written to",
        Subject::Theorem(_) => "theorems are written to",
        Subject::Automaton(_) => "automata are written to",
    };
    files::create_folder(folder, for_what)?;
    let path = folder.join(file_name(game, of));
    match files::write_atomically(&path, |out| out.write_all(text.as_bytes())) {
        Ok(()) => Ok(path),
        Err(error) => Err(load::wrong(&format!(
            "`{}` cannot be written: {error}",
            path.display()
        ))),
    }
}

/// `cube_edge-claim-1.json`, `circular_nim-n=5-k=2-discovered.json`.
fn file_name(game: &Game, of: Subject<'_>) -> String {
    if let Subject::Automaton(of) = of {
        let name = file_name(game, *of);
        return name.trim_end_matches(".json").to_owned() + ".txt";
    }
    let mut name = game.name.clone();
    for (param, value) in &game.params {
        // A set or a code may hold letters that no file's name can have.
        let value = value.written().replace(
            |c: char| !(c.is_ascii_alphanumeric() || "{},.-".contains(c)),
            "_",
        );
        name.push_str(&format!("-{param}={value}"));
    }
    name.push_str(&match of {
        Subject::Claim(number) | Subject::Theorem(number) => format!("-claim-{number}"),
        Subject::Discovered(Convention::Normal) => "-discovered".to_owned(),
        Subject::Discovered(Convention::Misere) => "-misere-discovered".to_owned(),
        Subject::Values(Convention::Normal) => "-grundy-discovered".to_owned(),
        Subject::Values(Convention::Misere) => "-misere-grundy-discovered".to_owned(),
        Subject::Sentence(number, word) => format!("-claim-{number}-{word}"),
        Subject::Automaton(_) => String::new(),
    });
    match of {
        Subject::Sentence(..) => name + ".smt2",
        // Rocq takes the file's name for that of a module.
        Subject::Theorem(_) => name.replace(|c: char| !c.is_ascii_alphanumeric(), "_") + ".v",
        _ => name + ".json",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nimrule::compile;
    use nimrule_elaborate::Settings;
    use nimrule_model::source::Source;
    use std::fs;

    fn game(text: &str) -> Game {
        compile(&Source::new("a test", text), &Settings::new(), &|_| {
            Err(String::new())
        })
        .expect("it compiles")
        .game
    }

    #[test]
    fn a_file_is_called_by_what_it_is_of() {
        let plain = game("game plain heaps a b move take from one heap");
        assert_eq!(file_name(&plain, Subject::Claim(2)), "plain-claim-2.json");
        let set = game(
            "game few param n = 3 in 1..9, s = {1,3} in 1.. heaps n \
             move take s from one heap",
        );
        assert_eq!(
            file_name(&set, Subject::Discovered(Convention::Misere)),
            "few-n=3-s={1,3}-misere-discovered.json"
        );
        assert_eq!(
            file_name(&set, Subject::Theorem(1)),
            "few_n_3_s__1_3__claim_1.v"
        );
        assert_eq!(
            file_name(&plain, Subject::Automaton(&Subject::Claim(2))),
            "plain-claim-2.txt"
        );
        assert_eq!(
            file_name(&plain, Subject::Values(Convention::Normal)),
            "plain-grundy-discovered.json"
        );
    }

    #[test]
    fn a_certificate_takes_the_place_of_an_older_one_and_leaves_nothing_beside() {
        let plain = game("game plain heaps a b move take from one heap");
        let folder =
            std::env::temp_dir().join(format!("nimrule-certificates-{}", std::process::id()));
        for text in ["older\n", "newer\n"] {
            let path = save(&folder, &plain, Subject::Claim(1), text).expect("it is written");
            assert_eq!(fs::read_to_string(path).expect("it is there"), text);
        }
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 1);
        let file = folder.join("plain-claim-1.json");
        assert!(save(&file, &plain, Subject::Claim(1), "no folder\n").is_err());
        fs::remove_dir_all(folder).expect("it can be removed");
    }
}
