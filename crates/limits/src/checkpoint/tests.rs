//! What is kept comes back, and nothing else does.

use super::{Part, Reading, Resumable, Run, Unfit, Writing, restore, save, verify};

/// A state of a few words and a name.
#[derive(Debug, Default, PartialEq, Eq)]
struct State {
    words: Vec<u64>,
    name: String,
}

impl Resumable for State {
    fn save(&self, out: &mut Writing<'_>) {
        out.words(&self.words);
        out.text(&self.name);
    }

    fn restore(&mut self, from: &mut Reading<'_>) -> Result<(), Unfit> {
        from.words(&mut self.words)?;
        self.name = from.text()?;
        Ok(())
    }
}

fn run() -> Run {
    Run {
        program: "1.2.3".to_owned(),
        rule: [7; 32],
        params: "n=6 k=2".to_owned(),
        convention: "normal".to_owned(),
        question: "the P-positions".to_owned(),
        most: vec![3, 4, 5],
        engine: "hypergraph".to_owned(),
    }
}

fn state() -> State {
    State {
        // More than are turned into bytes at a time.
        words: (0..10_000_u64).map(|word| word << 40 | word).collect(),
        name: "heaps".to_owned(),
    }
}

fn saved(run: &Run, state: &State) -> Vec<u8> {
    let mut bytes = Vec::new();
    save(
        run,
        2,
        &[("planes", state), ("count", &State::default())],
        &mut |piece| {
            bytes.extend_from_slice(piece);
        },
    );
    bytes
}

/// Reads from bytes as from a file.
fn from(bytes: &[u8]) -> impl FnMut(&mut [u8]) -> bool {
    let mut left = bytes;
    move |into| match left.split_at_checked(into.len()) {
        Some((now, later)) => {
            into.copy_from_slice(now);
            left = later;
            true
        }
        None => false,
    }
}

fn restored(run: &Run, words: usize, bytes: &[u8]) -> Result<(u64, State), Unfit> {
    verify(bytes.len() as u64, &mut from(bytes))?;
    let mut state = State {
        words: vec![0; words],
        name: String::new(),
    };
    let mut count = State::default();
    let mut sections: [(&str, &mut dyn Resumable); 2] =
        [("planes", &mut state), ("count", &mut count)];
    let done = restore(run, &mut sections, &mut from(bytes))?;
    Ok((done, state))
}

#[test]
fn what_is_kept_comes_back() {
    let bytes = saved(&run(), &state());
    assert_eq!(restored(&run(), 10_000, &bytes), Ok((2, state())));
}

/// A change of any one bit, and any loss at the end, is seen.
#[test]
fn a_flaw_anywhere_is_refused() {
    let small = State {
        words: vec![1, 2, 3],
        name: "small".to_owned(),
    };
    let bytes = saved(&run(), &small);
    assert!(restored(&run(), 3, &bytes).is_ok());
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flawed = bytes.clone();
            flawed[at] ^= 1 << bit;
            let expected = match at {
                0..8 => Unfit::Foreign,
                _ => Unfit::Damaged,
            };
            assert_eq!(restored(&run(), 3, &flawed), Err(expected), "byte {at}");
        }
    }
    for length in 0..bytes.len() {
        assert!(restored(&run(), 3, &bytes[..length]).is_err(), "{length}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(restored(&run(), 3, &longer), Err(Unfit::Damaged));
}

#[test]
fn a_file_that_ends_while_it_is_read_is_refused() {
    let bytes = saved(&run(), &state());
    let short = &bytes[..bytes.len() - 1];
    assert_eq!(
        verify(bytes.len() as u64, &mut from(short)),
        Err(Unfit::Unread)
    );
}

#[test]
fn another_run_is_refused_by_what_it_differs_in() {
    let bytes = saved(&run(), &state());
    let others: [(Part, &str, Run); 7] = [
        (
            Part::Program,
            "it is of nimrule 1.2.3, and this is 1.3.0",
            Run {
                program: "1.3.0".to_owned(),
                ..run()
            },
        ),
        (
            Part::Rule,
            "it is of another rule, or of an earlier text of this one",
            Run {
                rule: [8; 32],
                ..run()
            },
        ),
        (
            Part::Parameters,
            "it is of other parameters: `n=6 k=2` and not `n=6 k=3`",
            Run {
                params: "n=6 k=3".to_owned(),
                ..run()
            },
        ),
        (
            Part::Convention,
            "it is of normal play and not of misere play",
            Run {
                convention: "misere".to_owned(),
                ..run()
            },
        ),
        (
            Part::Question,
            "it is of another question: the P-positions and not counts",
            Run {
                question: "counts".to_owned(),
                ..run()
            },
        ),
        (
            Part::Box,
            "it is of another box: heaps up to 3,4,5 and not 3,4,6",
            Run {
                most: vec![3, 4, 6],
                ..run()
            },
        ),
        (
            Part::Engine,
            "it is of another engine: `hypergraph` and not `table`",
            Run {
                engine: "table".to_owned(),
                ..run()
            },
        ),
    ];
    for (part, words, other) in others {
        match restored(&other, 10_000, &bytes) {
            Err(unfit @ Unfit::Other(_)) => {
                assert_eq!(unfit.to_string(), words);
                let Unfit::Other(difference) = unfit else {
                    unreachable!("it was matched above");
                };
                assert_eq!(difference.of, part);
            }
            other => panic!("{part:?}: {other:?}"),
        }
    }
}

#[test]
fn a_state_of_another_size_is_refused() {
    let bytes = saved(&run(), &state());
    assert!(matches!(
        restored(&run(), 9_999, &bytes),
        Err(Unfit::Meaning(_))
    ));
}

#[test]
fn sections_are_known_by_their_names() {
    let mut bytes = Vec::new();
    save(&run(), 0, &[("other", &State::default())], &mut |piece| {
        bytes.extend_from_slice(piece);
    });
    let mut state = State::default();
    let mut sections: [(&str, &mut dyn Resumable); 1] = [("planes", &mut state)];
    let found = restore(&run(), &mut sections, &mut from(&bytes));
    assert!(matches!(found, Err(Unfit::Meaning(_))));
    let found = restore(&run(), &mut [], &mut from(&bytes));
    assert!(matches!(found, Err(Unfit::Meaning(_))));
}
