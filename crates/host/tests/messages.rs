//! The messages as the page has them, and the questions of a sitting.

use nimrule_host::Host;
use nimrule_host::messages::{Answers, Ask, Fault, Progress};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use ts_rs::{Config, TS, TypeVisitor};

/// The declarations of types, by name.
#[derive(Default)]
struct Declarations(BTreeMap<String, String>);

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        let config = Config::default();
        let name = T::ident(&config);
        if T::output_path().is_none() || self.0.contains_key(&name) {
            return;
        }
        self.0.insert(name, T::decl(&config));
        T::visit_dependencies(self);
    }
}

/// `web/src/messages.ts` has the types of this crate; `NIMRULE_DOCUMENTS=write` writes it.
#[test]
fn the_page_has_these_types() {
    let mut found = Declarations::default();
    found.visit::<Ask>();
    found.visit::<Answers>();
    found.visit::<Fault>();
    found.visit::<Progress>();
    let mut text =
        "// Written by `cargo test` from crates/host/src/messages.rs, which describes the fields.\n"
            .to_owned();
    for declaration in found.0.values() {
        text.push_str(&format!("\nexport {declaration}\n"));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/messages.ts");
    if std::env::var_os("NIMRULE_DOCUMENTS").is_some_and(|value| value == "write") {
        std::fs::write(&path, &text).expect("the file can be written");
    }
    let stored = std::fs::read_to_string(&path).expect("the file is there");
    assert_eq!(
        stored,
        text,
        "NIMRULE_DOCUMENTS=write writes {}",
        path.display()
    );
}

fn ask(host: &mut Host, question: Value) -> Value {
    let answer = host.ask(&question.to_string());
    let mut answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
    assert!(answer.get("fault").is_none(), "{question}: {answer}");
    answer["value"].take()
}

fn fault(host: &mut Host, question: Value) -> String {
    let answer = host.ask(&question.to_string());
    let answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
    let words = answer["fault"]["words"].as_str();
    words
        .unwrap_or_else(|| panic!("{question}: {answer}"))
        .to_owned()
}

#[test]
fn a_sitting() {
    let mut host = Host::default();
    assert_eq!(
        fault(&mut host, json!({"ask": "discover"})),
        "no game is open"
    );
    let text = "game nim heaps a b c move take from one heap claim P iff a ^ b ^ c == 0\n\
                claim P iff a == b";
    let open = json!({"ask": "open", "text": text, "params": [], "misere": false});
    let opened = ask(&mut host, open);
    assert_eq!(opened["names"], json!(["a", "b", "c"]));
    let claim = ask(
        &mut host,
        json!({"ask": "claim", "number": 1, "prove": true}),
    );
    assert_eq!(claim["proved"], true);
    let claim = ask(
        &mut host,
        json!({"ask": "claim", "number": 2, "prove": false}),
    );
    assert_eq!(claim["counterexample"]["text"], "(0,0,1)");
    let found = ask(&mut host, json!({"ask": "discover"}));
    assert_eq!(found["proved"], true);
    let list = json!({
        "ask": "list", "max": 3, "outcomes": ["P"], "grundy": true, "up_to_symmetry": true,
    });
    let list = ask(&mut host, list);
    assert_eq!(
        list["positions"],
        json!(["(0,0,0)", "(0,1,1)", "(0,2,2)", "(0,3,3)", "(1,2,3)"])
    );
    let plot = json!({"ask": "plot", "fixed": [[2, 1]], "max": 2, "grundy": true});
    let plot = ask(&mut host, plot);
    assert_eq!(plot["axes"], json!([0, 1]));
    assert_eq!(
        plot["rows"],
        json!([["1", "0", "3"], ["0", "1", "2"], ["3", "2", "1"]])
    );
    let plot = json!({"ask": "plot", "fixed": [], "max": 2, "grundy": true});
    assert_eq!(
        fault(&mut host, plot),
        "a plot has one axis or two, and 3 heaps are not fixed"
    );
    let plot = json!({"ask": "plot", "fixed": [[3, 1]], "max": 2, "grundy": true});
    assert_eq!(fault(&mut host, plot), "there is no heap with the index 3");
    let numbered = ask(&mut host, json!({"ask": "numbered", "numbers": [1, 2, 3]}));
    assert_eq!(numbered["text"], "(1,2,3)");
    let typed = json!({"ask": "typed", "position": "(3,4,5)", "line": "take 2 from a"});
    let typed = ask(&mut host, typed);
    assert_eq!(typed["move"]["to"]["text"], "(1,4,5)");
    let typed = json!({"ask": "typed", "position": "(3,4,5)", "line": "all of it"});
    assert!(ask(&mut host, typed)["why"].is_string());
    let given = json!({"ask": "given_away", "from": "(3,4,5)", "to": "(2,4,5)"});
    assert_eq!(ask(&mut host, given)["words"], "take 2 from a");
    let reply = json!({"ask": "reply", "position": "(3,4,5)", "errs": 0});
    assert_eq!(ask(&mut host, reply)["words"], "take 2 from a");
    let nim = "game nim param n = 4 in 1..9 heaps h[1..n] move take from one heap";
    ask(
        &mut host,
        json!({"ask": "open", "text": nim, "params": [], "misere": false}),
    );
    let fitting = json!({"ask": "fitting", "written": "3,4,5"});
    assert_eq!(ask(&mut host, fitting), json!(["n", "3"]));
    let wrong = json!({"ask": "open", "text": "game g heaps a", "params": [], "misere": false});
    assert_eq!(fault(&mut host, wrong), "the text is no rule yet");
}

#[test]
fn every_answer_is_under_the_convention_that_was_opened() {
    let mut host = Host::default();
    let text = "game nim heaps a b move take from one heap";
    let open = json!({"ask": "open", "text": text, "params": [], "misere": true});
    ask(&mut host, open);
    // Misère Nim: one heap of one token is lost, and so are two equal heaps of more.
    let lost = |a: u64, b: u64| if a + b < 3 { a + b == 1 } else { a == b };
    let shown = |a: u64, b: u64| format!("({a},{b})");
    for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
        let (position, is_lost) = (shown(a, b), lost(a, b));
        let solved = json!({"ask": "solve", "position": position});
        let solved = ask(&mut host, solved);
        let outcome = if is_lost { "P" } else { "N" };
        assert_eq!(solved["json"]["outcome"], outcome, "{position}");
        assert_eq!(solved["json"]["grundy"], Value::Null, "{position}");
        let why = ask(&mut host, json!({"ask": "why", "position": position}));
        let headline = why["headline"].as_str().expect("a headline");
        assert!(headline.starts_with(outcome), "{position}: {headline}");
        if is_lost || a + b == 0 {
            continue;
        }
        let reply = json!({"ask": "reply", "position": position, "errs": 0});
        let to = &ask(&mut host, reply)["to"];
        let after = json!({"ask": "solve", "position": to["text"]});
        assert_eq!(ask(&mut host, after)["json"]["outcome"], "P", "{to}");
    }
    let given = json!({"ask": "given_away", "from": "(1,1)", "to": "(0,1)"});
    assert_eq!(ask(&mut host, given), Value::Null);
    let given = json!({"ask": "given_away", "from": "(2,1)", "to": "(1,1)"});
    assert_eq!(ask(&mut host, given)["to"]["text"], "(0,1)");
    let random = ask(&mut host, json!({"ask": "random", "wins": false}));
    let random = json!({"ask": "solve", "position": random["text"]});
    assert_eq!(ask(&mut host, random)["turn"], "loses");
    let list = json!({
        "ask": "list", "max": 3, "outcomes": ["P"], "grundy": false, "up_to_symmetry": false,
    });
    let expected = json!(["(0,1)", "(1,0)", "(2,2)", "(3,3)"]);
    assert_eq!(ask(&mut host, list)["positions"], expected);
    let plot = json!({"ask": "plot", "fixed": [], "max": 2, "grundy": false});
    assert_eq!(
        ask(&mut host, plot)["rows"],
        json!([["N", "P", "N"], ["P", "N", "N"], ["N", "N", "P"]])
    );
    let found = ask(&mut host, json!({"ask": "discover"}));
    let claim = found["claim"].as_str().expect("a claim").to_owned();
    assert!(claim.starts_with("claim misere P iff "), "{claim}");
    let positions = ["(1,1)", "(0,1)"];
    let sheet = json!({"ask": "sheet", "count": 2, "seed": 1, "positions": positions});
    let sheet = ask(&mut host, sheet);
    let html = sheet["html"].as_str().expect("a document");
    assert!(html.contains("The player who cannot move wins."), "{html}");
    let judged = format!("{text} {claim}");
    let open = json!({"ask": "open", "text": judged, "params": [], "misere": true});
    assert_eq!(ask(&mut host, open)["claims"][0]["misere"], true);
    let claim = json!({"ask": "claim", "number": 1, "prove": true});
    assert_eq!(ask(&mut host, claim)["proved"], true);
    let bag = "game bag heaps any number move take 1..2 from one heap";
    let open = json!({"ask": "open", "text": bag, "params": [], "misere": true});
    ask(&mut host, open);
    let plot = json!({"ask": "plot", "fixed": [[0, 0]], "max": 9, "grundy": true});
    let why = fault(&mut host, plot);
    assert!(why.contains("misere"), "{why}");
}
