//! What editors get from a text that is right, wrong, or half typed.

use nimrule_editor::{CompletionKind, Document, Replacement, SymbolKind, TokenKind, textmate};
use std::path::Path;

const NIM: &str = "game nim \"Nim\"\nparam n = 3 in 1..\nheaps pile[1..n]\n\
                   family pair = { pile[1] pile[2] }\n\
                   move take t from one pile as p where t <= p\nmove take from one pair\n\
                   claim P iff xor(heaps) == 0\nexample (1,2,3) is P\n";

fn document(text: &str) -> Document {
    Document::new(text, &|_| Err("no files".to_owned()))
}

/// The offset of a part of a text.
fn at(text: &str, part: &str) -> usize {
    text.find(part).unwrap_or_else(|| panic!("no {part}"))
}

#[test]
fn hover_tells_names_from_words_and_signs() {
    let open = document(NIM);
    assert!(
        open.findings().iter().all(|found| found.is_warning),
        "{:?}",
        open.findings()
    );
    let cases = [
        ("n = 3", "`n`: a parameter, here 3"),
        ("pile[1..n]", "`pile`: 3 heaps: pile[1], pile[2], pile[3]"),
        (
            "pair\nclaim",
            "`pair`: a family of 1 sets of heaps: {pile[1] pile[2]}",
        ),
        ("p where", "`p`: the heap that the step selects"),
        ("xor(", "`xor`: the nim-sum"),
        ("== 0", "`xor(heaps) == 0` is a condition"),
        ("3 in", "`3` is a number"),
        ("where", "`where`: a condition on what was chosen"),
    ];
    for (part, wanted) in cases {
        let hover = open
            .hover(at(NIM, part))
            .unwrap_or_else(|| panic!("nothing at {part}"));
        assert!(hover.text.contains(wanted), "{part}: {}", hover.text);
    }
    assert_eq!(open.hover(at(NIM, "Nim")), None);
}

#[test]
fn tokens_and_heaps_are_told_apart() {
    let text = "game g board digraph { x -> y } heaps n, pile[1..2] tokens cat, mouse\n\
                move slide cat where mouse != cat move slide one token as t then choose t\n\
                move take from n then take from one heap as h then choose h";
    let open = document(text);
    for (part, wanted) in [
        ("n, pile", "`n`: a heap"),
        ("pile", "`pile`: 2 heaps"),
        ("cat,", "`cat`: a token"),
        ("mouse !=", "`mouse`: a token"),
        ("t then", "`t`: the token that the step selects"),
        ("h then", "`h`: the heap that the step selects"),
    ] {
        let hover = open.hover(at(text, part));
        let hover = hover.unwrap_or_else(|| panic!("nothing at {part}: {:?}", open.findings()));
        assert!(hover.text.contains(wanted), "{part}: {}", hover.text);
    }
}

#[test]
fn names_are_found_and_renamed() {
    let open = document(NIM);
    let last = at(NIM, "one pile") + 4;
    assert_eq!(
        open.definition(last),
        Some(at(NIM, "pile[1..n]")..at(NIM, "[1..n]"))
    );
    assert_eq!(open.uses(last).len(), 4);
    let edits = open.rename(last, "heap_1").expect("it can be renamed");
    let mut text = NIM.to_owned();
    let mut edits: Vec<Replacement> = edits;
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.at.offset()));
    for edit in edits {
        text.replace_range(
            edit.at.offset()..edit.at.offset() + edit.at.len(),
            &edit.with,
        );
    }
    assert_eq!(text, NIM.replace("pile", "heap_1"));
    let refused = ["take", "n", "2x", "a b", ""];
    for name in refused {
        assert!(open.rename(last, name).is_err(), "{name}");
    }
    assert!(open.rename(at(NIM, "claim"), "x").is_err());
}

#[test]
fn a_plural_keeps_its_ending() {
    let text = "game g\nheaps a b c\nfamily line = { a b }, { b c }\n\
                move take from exactly 2 lines\n";
    let open = document(text);
    let edits = open
        .rename(at(text, "line ="), "edge")
        .expect("it can be renamed");
    let with: Vec<&str> = edits.iter().map(|edit| edit.with.as_str()).collect();
    assert_eq!(with, ["edge", "edges"]);
}

#[test]
fn completions_fit_the_place() {
    let words = |text: &str, kind| -> Vec<String> {
        let (_, found) = document(text).completions(text.len());
        let of_kind = found.into_iter().filter(|found| found.kind == kind);
        of_kind.map(|found| found.word).collect()
    };
    let keywords = |text: &str| words(text, CompletionKind::Keyword);
    assert!(keywords("game g\nheaps a b\nmo").contains(&"move".to_owned()));
    assert!(keywords("game g\nheaps a b\nclaim P ").contains(&"iff".to_owned()));
    assert!(!keywords("game g\nheaps a b\nclaim P ").contains(&"move".to_owned()));
    let names = words(
        "game g\nheaps a b\nparam n = 2\nclaim P iff ",
        CompletionKind::Name,
    );
    assert!(
        ["a", "b", "n"]
            .iter()
            .all(|name| names.contains(&(*name).to_owned())),
        "{names:?}"
    );
    assert!(words("game g\nboard cu", CompletionKind::Board).contains(&"cube".to_owned()));
    let text = "game g\nheaps a b\nmo";
    assert_eq!(
        document(text).completions(text.len()).0,
        text.len() - 2..text.len()
    );
}

#[test]
fn corrections_remove_the_error() {
    let cases = [
        "game g\nheaps a b\nmove take frm one heap\n",
        "game g\nheaps a b\nmove take from one heap\nclaim P iff a = b\n",
        "game g\nheaps a b\nmove take from one heap\nclaim P iff a == b && b == a\n",
        "game g\nheaps apple b\nmove take from aple\nmove take from b\n",
        "game g\nheaps on a\n".trim_end_matches("on a\n"),
        "game g \"Title\nheaps a\nmove take from a\n",
        "game g\nboard cub\nheaps on faces\nmove take from one edge\n",
    ];
    let mut corrected = 0;
    for text in cases {
        let open = document(text);
        let errors: Vec<_> = open.findings().iter().filter(|f| !f.is_warning).collect();
        let Some(edit) = errors.iter().find_map(|found| found.replacement.as_ref()) else {
            continue;
        };
        let mut better = text.to_owned();
        better.replace_range(
            edit.at.offset()..edit.at.offset() + edit.at.len(),
            &edit.with,
        );
        let left = document(&better);
        let left = left
            .findings()
            .iter()
            .filter(|found| !found.is_warning)
            .count();
        assert!(left < errors.len(), "{text}\n{better}");
        corrected += 1;
    }
    assert_eq!(corrected, 6);
}

#[test]
fn the_outline_lists_what_is_declared() {
    let symbols = document(NIM).symbols();
    let names: Vec<(&str, SymbolKind)> = (symbols.iter())
        .map(|symbol| (symbol.name.as_str(), symbol.kind))
        .collect();
    assert_eq!(
        names,
        [
            ("nim", SymbolKind::Game),
            ("n", SymbolKind::Parameter),
            ("pile", SymbolKind::Heap),
            ("pair", SymbolKind::Family),
            ("take t from one pile as p where t <= p", SymbolKind::Move),
            ("take from one pair", SymbolKind::Move),
            ("P iff xor(heaps) == 0", SymbolKind::Claim),
            ("(1,2,3) is P", SymbolKind::Example),
        ]
    );
}

#[test]
fn positions_and_claims_are_found() {
    let open = document(NIM);
    let written = open.position_at(at(NIM, "2,3)")).expect("a position");
    assert_eq!(written.position, [1, 2, 3]);
    assert_eq!(open.position_at(at(NIM, "is P")), None);
    let claims = open.claims();
    assert_eq!(claims.len(), 1);
    assert!(NIM[claims[0].at.clone()].starts_with("claim P iff"));
}

/// The grammar of the editors' package is what the language's keywords give;
/// `NIMRULE_DOCUMENTS=write` writes it.
#[test]
fn the_textmate_grammar_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../editors/vscode/syntaxes/nimrule.tmLanguage.json");
    if std::env::var("NIMRULE_DOCUMENTS").is_ok_and(|value| value == "write") {
        std::fs::write(&path, textmate()).expect("it can be written");
    }
    let known = std::fs::read_to_string(&path).expect("it can be read");
    assert!(known == textmate(), "run with NIMRULE_DOCUMENTS=write");
}

#[test]
fn tokens_have_their_kinds_by_place() {
    let text = "game set \"Set\" // a remark\nparam n = 3 in 1..\nheaps pile[1..n]\n\
                family pair = { pile[1] pile[2] }\nmove play take t from one pile as to \
                where t <= 2 then set to to 0\nclaim P iff max(pile[1], 2) ^ n == 0\n";
    let open = document(text);
    let tokens = open.tokens();
    let kind = |part: &str| {
        let start = at(text, part);
        let found = tokens.iter().find(|token| token.at.start == start);
        found.map(|token| (token.kind, token.is_binding))
    };
    for (part, kind_of, is_binding) in [
        ("game", TokenKind::Keyword, false),
        ("set \"", TokenKind::Game, true),
        ("\"Set", TokenKind::String, false),
        ("// a", TokenKind::Comment, false),
        ("n = 3", TokenKind::Parameter, true),
        ("n]\nfamily", TokenKind::Parameter, false),
        ("pile[1..", TokenKind::Variable, true),
        ("pair =", TokenKind::Family, true),
        ("play take", TokenKind::Function, true),
        ("t from", TokenKind::Variable, true),
        ("set to", TokenKind::Keyword, false),
        ("to to", TokenKind::Variable, false),
        ("to 0", TokenKind::Keyword, false),
        ("max(", TokenKind::Function, false),
        ("^", TokenKind::Operator, false),
        ("P iff", TokenKind::Constant, false),
        ("2) ^", TokenKind::Number, false),
    ] {
        assert_eq!(
            kind(part),
            Some((kind_of, is_binding)),
            "{part}: {:?}",
            open.findings()
        );
    }
    let ends = tokens
        .windows(2)
        .all(|two| two[0].at.end <= two[1].at.start);
    assert!(ends, "{tokens:?}");
    let vertices = document("game g\nboard graph { play - to, to - b }\nheaps on vertices\n");
    let vertex = at(vertices.text(), "play");
    assert!(
        vertices
            .tokens()
            .iter()
            .all(|token| token.at.start != vertex)
    );
}

#[test]
fn signatures_say_which_part_is_typed() {
    /// The label at the end of a text, with the part in stars.
    fn signature(text: &str) -> Option<String> {
        let text = format!("game g\nheaps a b\n{text}");
        let found = document(&text).signature(text.len())?;
        let mut label = found.label.clone();
        if let Some(active) = found.active {
            let part = &found.parts[active];
            label.insert(part.end, '*');
            label.insert(part.start, '*');
        }
        Some(label)
    }
    for (text, wanted) in [
        (
            "move take ",
            Some("*take AMOUNT* from HEAPS as NAME leaving NUMBER HEAPS where CONDITION"),
        ),
        (
            "move take 1..3 from ",
            Some("take AMOUNT *from HEAPS* as NAME leaving NUMBER HEAPS where CONDITION"),
        ),
        (
            "move set up to ",
            Some("*set HEAPS* as NAME to NUMBER where CONDITION"),
        ),
        (
            "move take 1 from a then put 1 on b where a ",
            Some("put AMOUNT on HEAPS as NAME *where CONDITION*"),
        ),
        (
            "claim P iff digit(2, ",
            Some("digit(a base, *the digit's place* and a number)"),
        ),
        (
            "claim P iff max(a, b, ",
            Some("max(*numbers, or one list of them*)"),
        ),
        (
            "move take t from a where t <= abs((a - b) + ",
            Some("abs(*one number*)"),
        ),
        ("claim P iff a in powers(", Some("powers(2)")),
        ("board circle(", Some("circle(*one number, its places*)")),
        ("claim P iff (a ", None),
        ("move take 1 from a // (", None),
        ("claim P iff abs(a) ", None),
        ("note \"abs(", None),
    ] {
        assert_eq!(signature(text).as_deref(), wanted, "{text}");
    }
}
