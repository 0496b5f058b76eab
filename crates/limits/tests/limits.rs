//! Round trips of saved states, and the rejection of corrupt and foreign files.

use nimrule_limits::checkpoint::{
    CheckpointError, Identity, Part, Reader, Resumable, Writer, reader, restore, save, verify,
};

/// A state of a few words and a name.
#[derive(Debug, Default, PartialEq, Eq)]
struct State {
    words: Vec<u64>,
    name: String,
}

impl Resumable for State {
    fn save(&self, out: &mut Writer<'_>) {
        out.words(&self.words);
        out.text(&self.name);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        from.words(&mut self.words)?;
        self.name = from.text()?;
        Ok(())
    }
}

fn run() -> Identity {
    Identity::new("checkpoint", "1.2.3", 2)
        .with(Part::Rule, "07")
        .with(Part::Parameters, "n=6 k=2")
        .with(Part::Convention, "normal")
        .with(Part::Question, "the P-positions")
        .with(Part::Box, "3,4,5")
        .with(Part::Engine, "hypergraph")
        .with(Part::State, "3")
}

fn state() -> State {
    State {
        // More words than are converted at a time.
        words: (0..10_000_u64).map(|word| word << 40 | word).collect(),
        name: "heaps".to_owned(),
    }
}

fn saved(run: &Identity, state: &State) -> Vec<u8> {
    let mut bytes = Vec::new();
    save(
        run,
        &[
            ("done", &2),
            ("planes", state),
            ("count", &State::default()),
        ],
        &mut |piece| {
            bytes.extend_from_slice(piece);
        },
    );
    bytes
}

fn restored(run: &Identity, words: usize, bytes: &[u8]) -> Result<(u64, State), CheckpointError> {
    verify(bytes.len() as u64, &mut reader(&mut &bytes[..]))?;
    let mut state = State {
        words: vec![0; words],
        name: String::new(),
    };
    let mut count = State::default();
    let mut done = 0;
    let mut sections: [(&str, &mut dyn Resumable); 3] = [
        ("done", &mut done),
        ("planes", &mut state),
        ("count", &mut count),
    ];
    restore(run, &mut sections, &mut reader(&mut &bytes[..]))?;
    Ok((done, state))
}

#[test]
fn saved_states_are_restored() {
    let bytes = saved(&run(), &state());
    assert_eq!(restored(&run(), 10_000, &bytes), Ok((2, state())));
}

/// A file that was written before states had versions.
#[test]
fn a_file_without_a_version_of_the_state_is_rejected() {
    let earlier = Identity::new("checkpoint", "1.2.3", 2).with(Part::Engine, "hypergraph");
    let bytes = saved(&earlier, &state());
    let unfit = restored(&earlier.with(Part::State, "1"), 10_000, &bytes).map_err(|unfit| {
        assert!(matches!(unfit, CheckpointError::Other(_)));
        unfit.to_string()
    });
    let words = "it is for an earlier version of the state of this engine";
    assert_eq!(unfit, Err(words.to_owned()));
}

/// Any flipped bit, and any truncation, is detected.
#[test]
fn corrupt_files_are_rejected() {
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
                0..8 => CheckpointError::Foreign,
                _ => CheckpointError::Damaged,
            };
            assert_eq!(restored(&run(), 3, &flawed), Err(expected), "byte {at}");
        }
    }
    for length in 0..bytes.len() {
        assert!(restored(&run(), 3, &bytes[..length]).is_err(), "{length}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(restored(&run(), 3, &longer), Err(CheckpointError::Damaged));
}

#[test]
fn a_file_that_ends_early_is_rejected() {
    let bytes = saved(&run(), &state());
    let short = &bytes[..bytes.len() - 1];
    assert_eq!(
        verify(bytes.len() as u64, &mut reader(&mut &short[..])),
        Err(CheckpointError::Unread)
    );
}

#[test]
fn files_of_another_subject_are_rejected_with_the_difference() {
    let bytes = saved(&run(), &state());
    let others = [
        (
            Part::Program,
            "1.3.0",
            "nimrule 1.2.3, and this is nimrule 1.3.0",
        ),
        (
            Part::Semantics,
            "3",
            "version 2 of the semantics of rules, and this is version 3",
        ),
        (
            Part::Rule,
            "08",
            "another rule, or an earlier version of this one",
        ),
        (
            Part::Parameters,
            "n=6 k=3",
            "other parameters: `n=6 k=2` and not `n=6 k=3`",
        ),
        (
            Part::Convention,
            "misere",
            "normal play and not of misere play",
        ),
        (
            Part::Question,
            "counts",
            "another question: the P-positions and not counts",
        ),
        (
            Part::Box,
            "3,4,6",
            "another box: heaps up to 3,4,5 and not 3,4,6",
        ),
        (
            Part::Engine,
            "table",
            "another engine: `hypergraph` and not `table`",
        ),
        (
            Part::State,
            "4",
            "version 3 of the state of this engine, and this is version 4",
        ),
        (
            Part::Kind,
            "proof",
            "another kind of file, a checkpoint and not a proof",
        ),
        // Parts that only one identity has.
        (Part::Game, "nim", "another game: `` and not `nim`"),
        (Part::Claims, "09", "other claims about this rule"),
    ];
    let hashes = others.map(|(part, value, _)| run().with(part, value).hash());
    assert!(hashes.iter().all(|hash| *hash != run().hash()));
    for (part, value, words) in others {
        let other = run().with(part, value);
        let words = format!("it is for {words}");
        match restored(&other, 10_000, &bytes) {
            Err(unfit @ CheckpointError::Other(_)) => {
                assert_eq!(unfit.to_string(), words);
                let CheckpointError::Other(difference) = unfit else {
                    unreachable!("it was matched above");
                };
                assert_eq!(difference.part, part);
            }
            other => panic!("{part:?}: {other:?}"),
        }
        // And so in a table.
        let unfit = other.check_text(&run().to_string());
        assert_eq!(unfit.map_err(|unfit| unfit.to_string()), Err(words));
        assert_eq!(other.check_text(&other.to_string()), Ok(()));
    }
    for text in ["", "rubbish", "kind: checkpoint; sort: other", "kind"] {
        let unfit = run().check_text(text);
        assert!(matches!(unfit, Err(CheckpointError::Meaning(_))), "{text}");
    }
}

#[test]
fn a_state_of_another_size_is_rejected() {
    let bytes = saved(&run(), &state());
    assert!(matches!(
        restored(&run(), 9_999, &bytes),
        Err(CheckpointError::Meaning(_))
    ));
}

#[test]
fn sections_with_other_names_are_rejected() {
    let mut bytes = Vec::new();
    save(&run(), &[("other", &State::default())], &mut |piece| {
        bytes.extend_from_slice(piece);
    });
    let mut state = State::default();
    let mut sections: [(&str, &mut dyn Resumable); 1] = [("planes", &mut state)];
    let found = restore(&run(), &mut sections, &mut reader(&mut &bytes[..]));
    assert!(matches!(found, Err(CheckpointError::Meaning(_))));
    let found = restore(&run(), &mut [], &mut reader(&mut &bytes[..]));
    assert!(matches!(found, Err(CheckpointError::Meaning(_))));
}
