//! Every shipped game can be drawn: the picture is well-formed, has a title and a
//! description, and its labels are within the frame and do not overlap.

use nimrule_draw::{Part, Picture, picture};
use nimrule_fixtures::{game_files, game_of_file};
use nimrule_model::game::{Game, PositionKind};
use nimrule_model::position::Position;
use std::path::Path;

/// A position whose heaps have about this size.
fn position(game: &Game, size: u64) -> Vec<u64> {
    let sizes = |count: usize| {
        (0..count as u64)
            .map(|place| size + place * 7 % 31)
            .collect()
    };
    match &game.position_kind {
        PositionKind::Tokens(digraph) => (0..game.heap_count())
            .map(|token| digraph.number((token * 5 + size as usize) % digraph.len()))
            .collect(),
        PositionKind::Multiset(_) => sizes(5),
        _ => sizes(game.heap_count()),
    }
}

/// Another position: some heaps differ.
fn changed(game: &Game, position: &[u64]) -> Vec<u64> {
    let mut after = position.to_vec();
    for (place, number) in after.iter_mut().enumerate().take(2) {
        *number = match game.digraph() {
            Some(digraph) => digraph.number((place * 3 + 1) % digraph.len()),
            None => number.saturating_sub(place as u64 + 1),
        };
    }
    after
}

/// What is wrong with a picture.
fn faults(picture: &Picture) -> Vec<String> {
    let mut faults = Vec::new();
    match roxmltree::Document::parse(&picture.svg) {
        Err(error) => faults.push(format!("not well-formed: {error}")),
        Ok(document) => {
            let root = document.root_element();
            let named = root.attribute("aria-labelledby").unwrap_or_default();
            for id in ["title", "description"] {
                let text = root
                    .children()
                    .find(|node| node.attribute("id") == Some(id))
                    .and_then(|node| node.text());
                if text.is_none_or(|text| text.trim().is_empty()) || !named.contains(id) {
                    faults.push(format!("no {id}"));
                }
            }
            if root.attribute("role") != Some("img") {
                faults.push("no role".to_owned());
            }
        }
    }
    if picture.labels.is_empty() {
        faults.push("no label".to_owned());
    }
    for (number, label) in picture.labels.iter().enumerate() {
        if label.left < 0.0
            || label.top < 0.0
            || label.right > picture.width
            || label.bottom > picture.height
        {
            faults.push(format!("`{}` is outside of the frame", label.text));
        }
        for other in &picture.labels[..number] {
            if label.overlaps(other) {
                faults.push(format!("`{}` overlaps `{}`", label.text, other.text));
            }
        }
    }
    faults
}

#[test]
fn every_shipped_game_is_drawn_with_labels_apart() {
    let files = game_files();
    assert!(files.len() >= 90, "only {} games were found", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let game = &game_of_file(&file);
        let name = file.file_stem().expect("a name").to_string_lossy();
        let mut pictures = vec![("names", None, None)];
        let (two, five) = (position(game, 12), position(game, 12_345));
        let (two_after, five_after) = (changed(game, &two), changed(game, &five));
        pictures.push(("two digits", Some(two.as_slice()), None));
        pictures.push(("five digits", Some(five.as_slice()), None));
        pictures.push(("a move", Some(two.as_slice()), Some(two_after.as_slice())));
        pictures.push((
            "a large move",
            Some(five.as_slice()),
            Some(five_after.as_slice()),
        ));
        if let Some(start) = &game.presentation.start {
            pictures.push(("start", Some(start.as_slice()), None));
        }
        let small = position(game, 0).iter().map(|n| n % 2).collect::<Vec<_>>();
        if game.digraph().is_none() {
            pictures.push(("0 and 1", Some(small.as_slice()), None));
        }
        for (what, position, after) in pictures {
            let position = position.map(Position::from);
            let after = after.map(Position::from);
            match picture(game, position.as_ref(), after.as_ref()) {
                Err(error) => wrong.push(format!("{name}, {what}: {error}")),
                Ok(picture) => {
                    let mut found = faults(&picture);
                    let drawn = picture.parts.iter().filter_map(|at| match at.part {
                        Part::Number(index) => Some(index),
                        Part::Vertex(_) | Part::Cells => None,
                    });
                    let numbers = position.as_ref().map_or(0, Position::len);
                    if numbers > 0 && !drawn.eq(0..numbers) {
                        found.push("a number of the position is not drawn".to_owned());
                    }
                    if !found.is_empty() {
                        let count = found.len();
                        wrong.push(format!("{name}, {what}: {count} faults, {}", found[0]));
                    }
                    if let Some(folder) = std::env::var_os("NIMRULE_PICTURES") {
                        let path = Path::new(&folder).join(format!("{name} {what}.svg"));
                        std::fs::write(path, &picture.svg).expect("the folder is there");
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
