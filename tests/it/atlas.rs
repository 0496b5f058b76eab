//! The atlas of simplicial Nim in the book: its closed forms are theorems.

use nimrule_engine::{Limits, Steps};
use nimrule_fixtures::{few_or_many, game};
use nimrule_prove::{Strategy, Verdict, prove};
use std::path::Path;

/// A row of the table: the facets, and the closed form.
struct Row {
    facets: Vec<String>,
    form: String,
}

fn rows(table: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/src/atlas/{table}.csv"));
    let mut reader = csv::Reader::from_path(path).expect("the table");
    let records = reader.records().map(|record| record.expect("a row"));
    let row = |record: csv::StringRecord| Row {
        facets: record[1].split(' ').map(str::to_owned).collect(),
        form: record[4].to_owned(),
    };
    records.map(row).collect()
}

/// Proves the closed form of a game; the independent checker must accept it.
fn is_a_theorem(heaps: usize, row: &Row) {
    let names = |letters: &str| {
        let letters: Vec<String> = letters.chars().map(|letter| letter.to_string()).collect();
        letters.join(" ")
    };
    let sets: Vec<String> = (row.facets.iter())
        .map(|facet| format!("{{ {} }}", names(facet)))
        .collect();
    let rule = format!(
        "game g heaps {} family facet = {} move take from one facet claim P iff {}",
        names(&"abcdefg"[..heaps]),
        sets.join(", "),
        row.form
    );
    let game = game(&rule);
    let limits = Limits::of_memory(1 << 30).cap_work(Steps::million(120));
    match prove(&game, &game.claims[0], &Strategy::all(&limits)) {
        Ok(Verdict::Proved(proof)) => assert!(proof.certificate.is_some(), "{rule}"),
        other => panic!("{rule}: {other:?}"),
    }
}

#[test]
fn closed_forms_of_the_atlas_are_proved() {
    let tables = [
        ("simplicial-4", 4, 20, 18, 1),
        ("simplicial-5", 5, 180, 94, few_or_many(47, 1)),
        ("transitive-6", 6, 43, 22, few_or_many(22, 1)),
        ("transitive-7", 7, 38, 11, few_or_many(11, 1)),
    ];
    for (table, heaps, games, forms, step) in tables {
        let rows = rows(table);
        assert_eq!(rows.len(), games);
        let with_form: Vec<&Row> = rows.iter().filter(|row| !row.form.is_empty()).collect();
        assert!(with_form.len() >= forms, "{table}: {}", with_form.len());
        for row in with_form.into_iter().step_by(step) {
            is_a_theorem(heaps, row);
        }
    }
}
