//! `lsp`, driven by a client that speaks the protocol over pipes.

use nimrule::{Game, Source};
use nimrule_answer::{Ask, Effort};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// An editor with a server.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    requests: i64,
    /// Messages that came while another was waited for.
    told: Vec<Value>,
}

impl Client {
    fn new(each: &str) -> Client {
        let mut server = Command::new(env!("CARGO_BIN_EXE_nimrule"))
            .args(["lsp", "--stdio", "--each", each])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().expect("its output is a pipe"));
        let mut client = Client {
            server,
            input,
            output,
            requests: 0,
            told: Vec::new(),
        };
        let options = json!({"pictures": true});
        let params = json!({"capabilities": {}, "initializationOptions": options});
        let answer = client.ask("initialize", params);
        assert_eq!(answer["serverInfo"]["name"], "nimrule");
        client.tell("initialized", json!({}));
        client
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        let input = self.input.as_mut().expect("the server listens");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it reads");
        input.flush().expect("it reads");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).expect("a line");
            assert!(read > 0, "the server has ended");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a message");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(json!({"method": method, "params": params}));
    }

    /// The answer to a request, which may be an error.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({"id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.told.push(message);
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The first notification of this kind about a version of a text.
    fn told(&mut self, method: &str, version: i64) -> Value {
        let wanted = |message: &Value| {
            message["method"] == method && message["params"]["version"] == version
        };
        if let Some(place) = self.told.iter().position(wanted) {
            return self.told.swap_remove(place)["params"].clone();
        }
        loop {
            let message = self.receive();
            if wanted(&message) {
                return message["params"].clone();
            }
            self.told.push(message);
        }
    }

    fn open(&mut self, uri: &str, text: &str) -> Value {
        let document = json!({"uri": uri, "languageId": "nimrule", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
        self.told("textDocument/publishDiagnostics", 1)
    }

    fn change(&mut self, uri: &str, version: i64, text: &str) -> Value {
        let params = json!({
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"text": text}],
        });
        self.tell("textDocument/didChange", params);
        self.told("textDocument/publishDiagnostics", version)
    }

    /// Ends the server, which must be in order.
    fn end(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.input.take();
        let begun = Instant::now();
        let status = self.server.wait().expect("it ends");
        assert!(status.success(), "{status}");
        assert!(begun.elapsed() < Duration::from_secs(2));
    }
}

const URI: &str = "file:///home/someone/a%20folder/pair.nimrule";

const PAIR: &str = "game pair\nheaps a b\nmove take t from one heap as h where t <= h\n\
                    claim P iff a == b\nclaim P iff a == b + 1\nexample (1,2) is N\n";

/// The place of a part of a text, in a request about it.
fn place(text: &str, part: &str) -> Value {
    let at = text.find(part).unwrap_or_else(|| panic!("no {part}"));
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |before| before + 1);
    json!({
        "textDocument": {"uri": URI},
        "position": {"line": line, "character": text[start..at].encode_utf16().count()},
    })
}

#[test]
fn an_editor_gets_what_it_asks_for() {
    let mut client = Client::new("2");
    let published = client.open(URI, PAIR);
    assert_eq!(published["diagnostics"], json!([]));

    let hover = |client: &mut Client, part: &str| {
        let answer = client.ask("textDocument/hover", place(PAIR, part));
        answer["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(hover(&mut client, "take").starts_with("`take`: removes tokens"));
    assert_eq!(
        hover(&mut client, "h where"),
        "`h`: the heap that the step selects"
    );
    let at_position = hover(&mut client, "(1,2)");
    let (outcome, picture) = at_position.split_once("\n\n").expect("a picture");
    assert_eq!(
        outcome,
        "`(1,2)` is **N** under normal play; winning moves: `(1,1)`"
    );
    // `<svg` in base 64.
    let begins = "![the position](data:image/svg+xml;base64,PHN2Zy";
    assert!(picture.starts_with(begins), "{picture}");

    let tokens = client.ask("textDocument/semanticTokens/full", place(PAIR, "game"));
    // `game` is a keyword, the fourth kind, `pair` the name of a game, which is bound.
    let first: Vec<Value> = tokens["data"].as_array().expect("numbers")[..10].to_vec();
    assert_eq!(json!(first), json!([0, 0, 4, 3, 0, 0, 5, 4, 7, 1]));
    let help = client.ask("textDocument/signatureHelp", place(PAIR, "as h"));
    assert_eq!(help["activeParameter"], 1);
    let parts = &help["signatures"][0]["parameters"];
    assert_eq!(parts[1]["label"], json!([12, 22]));

    let found = client.ask("textDocument/definition", place(PAIR, "h\nclaim"));
    assert_eq!(found["range"]["start"], json!({"line": 2, "character": 29}));
    let mut params = place(PAIR, "a b");
    params["newName"] = json!("left_heap");
    let edits = client.ask("textDocument/rename", params.clone());
    assert_eq!(edits["changes"][URI].as_array().map(Vec::len), Some(3));
    params["newName"] = json!("take");
    let refused = client.request("textDocument/rename", params);
    assert!(
        refused["error"]["message"]
            .as_str()
            .is_some_and(|m| m.contains("keyword"))
    );

    let offered = client.ask("textDocument/completion", place(PAIR, "iff a == b\nclaim"));
    let labels: Vec<&Value> = (offered.as_array().expect("a list").iter())
        .map(|item| &item["label"])
        .collect();
    assert!(
        labels.contains(&&json!("iff")) && !labels.contains(&&json!("move")),
        "{labels:?}"
    );

    let symbols = client.ask("textDocument/documentSymbol", place(PAIR, "game"));
    assert_eq!(symbols[0]["name"], "pair");

    client.told("nimrule/standings", 1);
    let lenses = client.ask("textDocument/codeLens", place(PAIR, "game"));
    let titles: Vec<&str> = (lenses.as_array().expect("a list").iter())
        .filter_map(|lens| lens["command"]["title"].as_str())
        .collect();
    assert_eq!(
        titles,
        [
            "proved for all heap sizes",
            "fails at (0,0): claimed N, and it is P"
        ]
    );
    client.end();
}

#[test]
fn errors_have_places_codes_and_corrections() {
    let mut client = Client::new("0");
    client.open(URI, PAIR);
    let wrong = PAIR
        .replace("take t from", "take t frm")
        .replace("b + 1", "c + 1");
    let published = client.change(URI, 2, &wrong);
    let found = published["diagnostics"].as_array().expect("a list").clone();
    let codes: Vec<&Value> = found.iter().map(|found| &found["code"]).collect();
    assert_eq!(codes, ["syntax::misspelt", "names::unknown"]);
    let range = &found[0]["range"];
    let params = json!({
        "textDocument": {"uri": URI},
        "range": range,
        "context": {"diagnostics": []},
    });
    let actions = client.ask("textDocument/codeAction", params);
    assert_eq!(actions[0]["title"], "Write `from`");
    assert_eq!(actions[0]["edit"]["changes"][URI][0]["range"], *range);

    let crowded = PAIR.replace(" == ", "==");
    assert_eq!(client.change(URI, 3, &crowded)["diagnostics"], json!([]));
    let params = json!({
        "textDocument": {"uri": URI},
        "options": {"tabSize": 4, "insertSpaces": true},
    });
    let edits = client.ask("textDocument/formatting", params);
    assert_eq!(edits[0]["newText"], PAIR);
    client.end();
}

/// A shipped game is typed from its beginning, in as many steps.
const STEPS: usize = 25;

#[test]
fn shipped_games_may_be_typed() {
    let mut client = Client::new("0");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let mut slowest = (Duration::ZERO, String::new());
    for entry in std::fs::read_dir(&folder).expect("the games") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "nimrule") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let uri = format!("file://{}", path.display());
        client.open(&uri, "");
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let mut version = 1;
        for end in ends.iter().step_by(ends.len().div_ceil(STEPS)) {
            version += 1;
            client.change(&uri, version, &text[..*end]);
            let line = text[..*end].matches('\n').count();
            let at = json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": 9999}});
            client.ask("textDocument/completion", at.clone());
            client.ask("textDocument/hover", at);
        }
        let begun = Instant::now();
        let published = client.change(&uri, version + 1, &text);
        slowest = slowest.max((begun.elapsed(), uri.clone()));
        let errors = published["diagnostics"].as_array().expect("a list").iter();
        let errors: Vec<_> = errors.filter(|found| found["severity"] == 1).collect();
        assert!(errors.is_empty(), "{uri}: {errors:?}");
        client.tell(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
    }
    // In a release it is a tenth of a second; the tests are built with little optimisation.
    println!("the slowest: {slowest:?}");
    assert!(slowest.0 < Duration::from_secs(1), "{slowest:?}");
    client.end();
}

/// The first word of what is said of a claim, as JSON names it.
fn standing(line: &str) -> &str {
    match line.split_whitespace().next().unwrap_or_default() {
        "fails" => "refuted",
        word => word.trim_end_matches([':', ',']),
    }
}

#[test]
fn shipped_games_stand_as_the_library_says() {
    let mut client = Client::new("1");
    let (mut claims, mut positions) = (0, 0);
    let names = nimrule_fixtures::shipped_names().into_iter();
    for name in names.step_by(nimrule_fixtures::few_or_many(3, 1)) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("games/{name}.nimrule"));
        let text = std::fs::read_to_string(&path).expect("a text");
        let folder = path.parent().expect("a folder").to_owned();
        let read =
            move |file: &str| std::fs::read(folder.join(file)).map_err(|error| error.to_string());
        let game = Game::from_source(Source::new(&name, text.clone()), read).expect("a game");
        let session = game.session();
        let uri = format!("file://{}", path.display());
        client.open(&uri, &text);
        // The same outcome of the positions of the examples.
        for (line, written) in text.lines().enumerate() {
            let Some(at) = written.strip_prefix("example (").map(|_| "example (".len()) else {
                continue;
            };
            let position = &written[at - 1..=at + written[at..].find(')').expect("it ends")];
            let Some(answer) = (game.position(position).ok()).and_then(|_| {
                session
                    .position(&session.read(position).ok()?, &Ask::default())
                    .ok()
            }) else {
                continue;
            };
            let place = json!({"line": line, "character": at});
            let asked = json!({"textDocument": {"uri": uri}, "position": place});
            let hover = client.ask("textDocument/hover", asked);
            let said = hover["contents"]["value"].as_str().unwrap_or_default();
            let is_misere = said.contains("under misere play");
            if !said.contains("is **") || is_misere {
                continue;
            }
            let expected = format!("is **{}**", answer.outcome);
            assert!(
                said.contains(&expected),
                "{name} {position}: {expected}, {said}"
            );
            positions += 1;
        }
        client.told("nimrule/standings", 1);
        let asked = json!({"textDocument": {"uri": uri}});
        let lenses = client.ask("textDocument/codeLens", asked);
        let lenses = lenses.as_array().expect("a list");
        assert_eq!(lenses.len(), game.rule().claims.len(), "{name}");
        for (number, claim) in session.claims() {
            let said = lenses[number - 1]["command"]["title"]
                .as_str()
                .expect("a title");
            let report = session.claim(number, &Effort::COMMAND).expect("no limit");
            let open = ["unknown", "not", "undecided"];
            let (one, other) = (standing(said), standing(report.line()));
            // Less time may find no proof, and what is left open says nothing.
            let is_weaker = one == "holds" && other == "proved";
            if open.contains(&one) || open.contains(&other) || is_weaker {
                continue;
            }
            assert_eq!(
                one,
                other,
                "{name}: {}: {said}; {}",
                claim.words,
                report.line()
            );
            claims += 1;
        }
        client.tell(
            "textDocument/didClose",
            json!({"textDocument": {"uri": uri}}),
        );
    }
    assert!(
        claims > nimrule_fixtures::few_or_many(30, 100) && positions > 10,
        "{claims} claims, {positions} positions"
    );
    client.end();
}
