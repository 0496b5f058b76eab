//! The messages between an editor and the analysis of its files.

use super::standings::{Background, Job};
use crate::cli::files;
use crate::cli::picture::base64;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Notification as _,
    PublishDiagnostics,
};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, DocumentHighlightRequest,
    DocumentSymbolRequest, Formatting, GotoDefinition, HoverRequest, PrepareRenameRequest,
    References, Rename, Request as _, SemanticTokensFullRequest, SignatureHelpRequest,
};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeLens, CodeLensOptions,
    CodeLensParams, Command, CompletionItem, CompletionItemKind, CompletionOptions,
    CompletionParams, CompletionTextEdit, Diagnostic, DiagnosticRelatedInformation,
    DiagnosticSeverity, DocumentFormattingParams, DocumentHighlight, DocumentHighlightParams,
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Documentation,
    GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents, HoverParams,
    HoverProviderCapability, InitializeParams, Location, MarkupContent, MarkupKind, NumberOrString,
    OneOf, ParameterInformation, ParameterLabel, Position, PrepareRenameResponse,
    PublishDiagnosticsParams, Range, ReferenceParams, RenameOptions, RenameParams, SemanticToken,
    SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensFullOptions,
    SemanticTokensLegend, SemanticTokensOptions, SemanticTokensParams, ServerCapabilities,
    SignatureHelp, SignatureHelpOptions, SignatureHelpParams, SignatureInformation, SymbolKind,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, TextEdit, Uri,
    WorkspaceEdit,
};
use nimrule_answer::{Ask, Position as GamePosition, Session};
use nimrule_editor::{self as editor, CompletionKind, Document, Finding, Lines, Place, TokenKind};
use nimrule_engine::Limits;
use nimrule_limits::Steps;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The work and the memory for the outcome of the position under the cursor.
const POSITION_WORK: Steps = Steps(300_000);
const POSITION_MEMORY: u64 = 256 << 20;

/// The most letters of a picture in what is said of a place; VS Code cuts texts of more than
/// 100,000.
const PICTURE_LETTERS: usize = 90_000;

/// The kinds of tokens as the protocol names them.
const TOKEN_TYPES: [(TokenKind, SemanticTokenType); 12] = [
    (TokenKind::Comment, SemanticTokenType::COMMENT),
    (TokenKind::String, SemanticTokenType::STRING),
    (TokenKind::Number, SemanticTokenType::NUMBER),
    (TokenKind::Keyword, SemanticTokenType::KEYWORD),
    (TokenKind::Operator, SemanticTokenType::OPERATOR),
    (TokenKind::Function, SemanticTokenType::FUNCTION),
    (TokenKind::Constant, SemanticTokenType::ENUM_MEMBER),
    (TokenKind::Game, SemanticTokenType::NAMESPACE),
    (TokenKind::Board, SemanticTokenType::CLASS),
    (TokenKind::Parameter, SemanticTokenType::PARAMETER),
    (TokenKind::Family, SemanticTokenType::TYPE),
    (TokenKind::Variable, SemanticTokenType::VARIABLE),
];

/// The source that editors show with a diagnostic.
const SOURCE: &str = "nimrule";

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// An open file.
struct Open {
    document: Document,
    lines: Lines,
    version: i32,
    uri: Uri,
}

/// Answers the messages of an editor until it says that it ends.
pub fn run(each: Duration, limits: Limits) -> Result<(), Failure> {
    let (connection, threads) = Connection::stdio();
    let (id, parameters) = connection.initialize_start()?;
    let parameters: InitializeParams = serde_json::from_value(parameters)?;
    let answer = json!({
        "capabilities": capabilities(),
        "serverInfo": {"name": "nimrule", "version": env!("CARGO_PKG_VERSION")},
    });
    connection.initialize_finish(id, answer)?;
    let shows_pictures = (parameters.initialization_options.as_ref())
        .and_then(|options| options["pictures"].as_bool())
        .unwrap_or(false);
    let refreshes = parameters
        .capabilities
        .workspace
        .and_then(|workspace| workspace.code_lens)
        .and_then(|lens| lens.refresh_support)
        .unwrap_or(false);
    // The messages end when all senders are gone: the thread in the background, which may
    // be in the middle of a proof, has one that is taken from it.
    let shared = Arc::new(Mutex::new(Some(connection.sender.clone())));
    let background = (!each.is_zero()).then(|| {
        let sender = Arc::clone(&shared);
        let editor = move |message| {
            let sender = sender.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(sender) = sender.as_ref() {
                // Where the editor is gone, the main loop ends.
                let _ = sender.send(message);
            }
        };
        Background::new(each, limits.clone(), refreshes, editor)
    });
    let mut server = Server {
        open: BTreeMap::new(),
        background,
        limits,
        shows_pictures,
    };
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request)? {
                    break;
                }
                let answer = server.answer(request);
                connection.sender.send(answer.into())?;
            }
            Message::Notification(notification) => {
                for told in server.note(notification) {
                    connection.sender.send(told.into())?;
                }
            }
            Message::Response(_) => {}
        }
    }
    shared.lock().unwrap_or_else(PoisonError::into_inner).take();
    drop(connection);
    Ok(threads.join()?)
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions::default()),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(true.into()),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: SemanticTokensLegend {
                    token_types: TOKEN_TYPES.map(|(_, name)| name).to_vec(),
                    token_modifiers: vec![SemanticTokenModifier::DECLARATION],
                },
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(["(", ",", " "].map(str::to_owned).to_vec()),
            ..SignatureHelpOptions::default()
        }),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        ..ServerCapabilities::default()
    }
}

/// Reads a file that a rule names, in the folder of the rule.
pub fn read_beside(folder: &Path, path: &str) -> Result<Vec<u8>, String> {
    files::read(&folder.join(path), files::MAX_FILE_BYTES).map_err(|error| error.to_string())
}

/// The folder of a file; the working folder for one that is nowhere.
fn folder(uri: &Uri) -> PathBuf {
    let path = uri.as_str().strip_prefix("file://").map(decoded);
    let path = path.map(PathBuf::from);
    path.as_deref()
        .and_then(Path::parent)
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// A text whose bytes may be written as `%20`.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        plain.push(hex.unwrap_or(bytes[at]));
        at += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}

struct Server {
    open: BTreeMap<String, Open>,
    background: Option<Background>,
    limits: Limits,
    /// Whether the editor shows pictures in what it says of a place. The protocol has no word
    /// for it, so that it is an option of the initialization.
    shows_pictures: bool,
}

impl Server {
    /// Takes note of what the editor did, and returns what it is told.
    fn note(&mut self, notification: Notification) -> Vec<Notification> {
        let parameters = notification.params;
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Some(opened) = read::<lsp_types::DidOpenTextDocumentParams>(parameters) else {
                    return Vec::new();
                };
                let document = opened.text_document;
                vec![self.analyse(document.uri, document.version, &document.text)]
            }
            DidChangeTextDocument::METHOD => {
                let Some(changed) = read::<lsp_types::DidChangeTextDocumentParams>(parameters)
                else {
                    return Vec::new();
                };
                // Each change is the whole text; the last one stands.
                let document = changed.text_document;
                let Some(last) = changed.content_changes.into_iter().next_back() else {
                    return Vec::new();
                };
                vec![self.analyse(document.uri, document.version, &last.text)]
            }
            DidCloseTextDocument::METHOD => {
                let Some(closed) = read::<lsp_types::DidCloseTextDocumentParams>(parameters) else {
                    return Vec::new();
                };
                let uri = closed.text_document.uri;
                self.open.remove(uri.as_str());
                if let Some(background) = &self.background {
                    background.forget(uri.as_str());
                }
                vec![published(uri, None, Vec::new())]
            }
            _ => Vec::new(),
        }
    }

    /// Analyses a text, and returns its diagnostics.
    fn analyse(&mut self, uri: Uri, version: i32, text: &str) -> Notification {
        let folder = folder(&uri);
        let document = Document::new(text, &|path| read_beside(&folder, path));
        let open = Open {
            lines: Lines::new(text),
            document,
            version,
            uri: uri.clone(),
        };
        let diagnostics = open.document.findings().iter();
        let diagnostics = diagnostics.map(|found| open.diagnostic(found)).collect();
        if let Some(background) = &self.background {
            background.ask(Job {
                uri: uri.as_str().to_owned(),
                version,
                text: text.to_owned(),
                folder,
            });
        }
        self.open.insert(uri.as_str().to_owned(), open);
        published(uri, Some(version), diagnostics)
    }

    fn answer(&self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let answer = match method.as_str() {
            HoverRequest::METHOD => self.with(params, |p: HoverParams| {
                let at = p.text_document_position_params;
                self.at(&at)
                    .and_then(|(open, offset)| self.hover(open, offset))
            }),
            Completion::METHOD => self.with(params, |p: CompletionParams| {
                let at = p.text_document_position;
                self.at(&at).map(|(open, offset)| open.completions(offset))
            }),
            GotoDefinition::METHOD => self.with(params, |p: GotoDefinitionParams| {
                let at = p.text_document_position_params;
                let (open, offset) = self.at(&at)?;
                let found = open.document.definition(offset)?;
                Some(GotoDefinitionResponse::Scalar(open.location(found)))
            }),
            References::METHOD => self.with(params, |p: ReferenceParams| {
                let (open, offset) = self.at(&p.text_document_position)?;
                let skipped = usize::from(!p.context.include_declaration);
                let uses = open.document.uses(offset).into_iter().skip(skipped);
                Some(uses.map(|at| open.location(at)).collect::<Vec<_>>())
            }),
            DocumentHighlightRequest::METHOD => self.with(params, |p: DocumentHighlightParams| {
                let (open, offset) = self.at(&p.text_document_position_params)?;
                let uses = open.document.uses(offset).into_iter();
                let marks = uses.map(|at| DocumentHighlight {
                    range: open.range(at),
                    kind: None,
                });
                Some(marks.collect::<Vec<_>>())
            }),
            PrepareRenameRequest::METHOD => self.with(params, |p: TextDocumentPositionParams| {
                let (open, offset) = self.at(&p)?;
                let found = open.document.renamable(offset)?;
                Some(PrepareRenameResponse::Range(open.range(found)))
            }),
            Rename::METHOD => return self.rename(id, params),
            Formatting::METHOD => self.with(params, |p: DocumentFormattingParams| {
                let open = self.open.get(p.text_document.uri.as_str())?;
                let formatted = open.document.formatted()?;
                if formatted == open.document.text() {
                    return Some(Vec::new());
                }
                Some(vec![TextEdit {
                    range: open.range(0..open.document.text().len()),
                    new_text: formatted,
                }])
            }),
            DocumentSymbolRequest::METHOD => self.with(params, |p: DocumentSymbolParams| {
                let open = self.open.get(p.text_document.uri.as_str())?;
                let symbols = open.document.symbols().into_iter();
                let symbols = symbols.map(|symbol| open.symbol(symbol)).collect();
                Some(DocumentSymbolResponse::Nested(symbols))
            }),
            SemanticTokensFullRequest::METHOD => self.with(params, |p: SemanticTokensParams| {
                let open = self.open.get(p.text_document.uri.as_str())?;
                Some(open.tokens())
            }),
            SignatureHelpRequest::METHOD => self.with(params, |p: SignatureHelpParams| {
                let (open, offset) = self.at(&p.text_document_position_params)?;
                open.document.signature(offset).map(signature)
            }),
            CodeActionRequest::METHOD => self.with(params, |p: CodeActionParams| {
                let open = self.open.get(p.text_document.uri.as_str())?;
                Some(open.actions(&p.range))
            }),
            CodeLensRequest::METHOD => self.with(params, |p: CodeLensParams| {
                let open = self.open.get(p.text_document.uri.as_str())?;
                Some(self.lenses(open))
            }),
            other => {
                let message = format!("`{other}` is not supported");
                return Response::new_err(id, ErrorCode::MethodNotFound as i32, message);
            }
        };
        match answer {
            Ok(answer) => Response::new_ok(id, answer),
            Err(why) => Response::new_err(id, ErrorCode::InvalidParams as i32, why),
        }
    }

    /// The answer to a request with these parameters.
    fn with<P: DeserializeOwned, A: serde::Serialize>(
        &self,
        parameters: Value,
        answer: impl FnOnce(P) -> A,
    ) -> Result<Value, String> {
        let parameters = serde_json::from_value(parameters).map_err(|error| error.to_string())?;
        serde_json::to_value(answer(parameters)).map_err(|error| error.to_string())
    }

    /// An open file and the offset of a place in it.
    fn at(&self, at: &TextDocumentPositionParams) -> Option<(&Open, usize)> {
        let open = self.open.get(at.text_document.uri.as_str())?;
        let place = Place {
            line: at.position.line,
            column: at.position.character,
        };
        Some((open, open.lines.offset(open.document.text(), place)))
    }

    /// What a word means, or who wins from the position under the cursor.
    fn hover(&self, open: &Open, offset: usize) -> Option<Hover> {
        let (at, text) = match open.document.position_at(offset) {
            Some(written) => {
                let picture = self.picture(open, &written).unwrap_or_default();
                let text = self.outcome(open, &written)? + &picture;
                (written.at, text)
            }
            None => {
                let found = open.document.hover(offset)?;
                (found.at, found.text)
            }
        };
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent {
                kind: MarkupKind::Markdown,
                value: text,
            }),
            range: Some(open.range(at)),
        })
    }

    /// Who wins from a position, and by which moves.
    fn outcome(&self, open: &Open, written: &editor::Written) -> Option<String> {
        let game = open.document.game()?;
        let shown = game.shown(&written.position);
        let limits = Limits {
            memory: self.limits.memory.min(POSITION_MEMORY),
            ..self.limits.cap_work(POSITION_WORK)
        };
        let session = Session::new(game, limits);
        let position = GamePosition::from(written.position.as_slice());
        let play = written.convention.word();
        let answer = match session.position(&position, &Ask::outcome(written.convention)) {
            Ok(answer) => answer,
            Err(unanswered) => {
                let why = unanswered.failure;
                return Some(format!("`{shown}`: not decided here: {why}"));
            }
        };
        let mut text = format!("`{shown}` is **{}** under {play} play", answer.outcome);
        let moves = answer.moves.found.iter();
        let wins: Vec<String> = moves.map(|to| to.shown(game)).collect();
        match wins.as_slice() {
            [] => {}
            all if all.len() <= 6 => {
                text.push_str(&format!("; winning moves: `{}`", all.join("`, `")));
            }
            [first, rest @ ..] => {
                text.push_str(&format!(
                    "; winning moves: `{first}` and {} more",
                    rest.len()
                ));
            }
        }
        Some(text)
    }

    /// The picture of a position as a part of a text in Markdown, if the editor shows it.
    fn picture(&self, open: &Open, written: &editor::Written) -> Option<String> {
        let game = open.document.game().filter(|_| self.shows_pictures)?;
        let position = GamePosition::from(written.position.as_slice());
        let picture = nimrule_draw::picture(game, Some(&position), None).ok()?;
        let data = base64(picture.svg.as_bytes());
        (data.len() <= PICTURE_LETTERS)
            .then(|| format!("\n\n![the position](data:image/svg+xml;base64,{data})"))
    }

    fn rename(&self, id: lsp_server::RequestId, parameters: Value) -> Response {
        let refused =
            |why: String| Response::new_err(id.clone(), ErrorCode::RequestFailed as i32, why);
        let parameters: RenameParams = match serde_json::from_value(parameters) {
            Ok(parameters) => parameters,
            Err(error) => return refused(error.to_string()),
        };
        let Some((open, offset)) = self.at(&parameters.text_document_position) else {
            return refused("the file is not open".to_owned());
        };
        match open.document.rename(offset, &parameters.new_name) {
            Ok(edits) => Response::new_ok(id, open.edit(edits)),
            Err(why) => refused(why),
        }
    }

    /// The standing of each claim that is decided, above it.
    fn lenses(&self, open: &Open) -> Vec<CodeLens> {
        let standings = match &self.background {
            Some(background) => background.of(open.uri.as_str(), open.version),
            None => Vec::new(),
        };
        let claims = open.document.claims().into_iter();
        claims
            .filter_map(|claim| {
                let standing = standings.get(claim.index)?;
                Some(CodeLens {
                    range: open.range(claim.at.start..claim.at.start),
                    command: Some(Command {
                        title: standing.clone(),
                        // A lens must have a command; this one does nothing.
                        command: String::new(),
                        arguments: None,
                    }),
                    data: None,
                })
            })
            .collect()
    }
}

impl Open {
    fn range(&self, at: std::ops::Range<usize>) -> Range {
        let place = |offset| {
            let place = self.lines.place(self.document.text(), offset);
            Position::new(place.line, place.column)
        };
        Range::new(place(at.start), place(at.end))
    }

    fn location(&self, at: std::ops::Range<usize>) -> Location {
        Location::new(self.uri.clone(), self.range(at))
    }

    fn diagnostic(&self, found: &Finding) -> Diagnostic {
        let message = match &found.help {
            Some(help) => format!("{}\nhelp: {help}", found.message),
            None => found.message.clone(),
        };
        let related = found
            .labels
            .iter()
            .map(|label| DiagnosticRelatedInformation {
                location: self.location(label.at.clone()),
                message: label.text.clone(),
            });
        Diagnostic {
            range: self.range(found.at.clone()),
            severity: Some(match found.is_warning {
                true => DiagnosticSeverity::WARNING,
                false => DiagnosticSeverity::ERROR,
            }),
            code: Some(NumberOrString::String(found.code.clone())),
            source: Some(SOURCE.to_owned()),
            message,
            related_information: Some(related.collect()),
            ..Diagnostic::default()
        }
    }

    /// The corrections of the errors that touch a range.
    fn actions(&self, range: &Range) -> Vec<CodeActionOrCommand> {
        let touches = |found: &&Finding| {
            let at = self.range(found.at.clone());
            at.start <= range.end && range.start <= at.end
        };
        let findings = self.document.findings().iter().filter(touches);
        findings
            .filter_map(|found| {
                let replacement = found.replacement.clone()?;
                let title = match replacement.with.as_str() {
                    "" => "Remove it".to_owned(),
                    with => format!("Write `{with}`"),
                };
                Some(CodeActionOrCommand::CodeAction(CodeAction {
                    title,
                    kind: Some(CodeActionKind::QUICKFIX),
                    diagnostics: Some(vec![self.diagnostic(found)]),
                    edit: Some(self.edit(vec![replacement])),
                    is_preferred: Some(true),
                    ..CodeAction::default()
                }))
            })
            .collect()
    }

    /// Edits of this file, as editors take them: a list for each file. The address of a
    /// file is text, so that the map is made as JSON.
    fn edit(&self, edits: Vec<editor::Replacement>) -> WorkspaceEdit {
        let edits: Vec<TextEdit> = edits
            .into_iter()
            .map(|edit| TextEdit {
                range: self.range(edit.at.offset()..edit.at.offset() + edit.at.len()),
                new_text: edit.with,
            })
            .collect();
        let edit = json!({"changes": {self.uri.as_str(): edits}});
        serde_json::from_value(edit).unwrap_or_default()
    }

    fn completions(&self, offset: usize) -> Vec<CompletionItem> {
        let (typed, found) = self.document.completions(offset);
        let range = self.range(typed);
        let items = found.into_iter().enumerate().map(|(number, found)| {
            let kind = match found.kind {
                CompletionKind::Keyword => CompletionItemKind::KEYWORD,
                CompletionKind::Name => CompletionItemKind::VARIABLE,
                CompletionKind::Board => CompletionItemKind::CLASS,
            };
            CompletionItem {
                kind: Some(kind),
                detail: Some(found.meaning),
                // Names before keywords.
                sort_text: Some(format!("{number:04}")),
                text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                    range,
                    new_text: found.word.clone(),
                })),
                label: found.word,
                ..CompletionItem::default()
            }
        });
        items.collect()
    }

    /// The tokens as the protocol has them: each by its distance from the one before.
    fn tokens(&self) -> SemanticTokens {
        let mut before = Position::default();
        let tokens = self.document.tokens().into_iter().filter_map(|token| {
            let kind = TOKEN_TYPES
                .iter()
                .position(|(kind, _)| *kind == token.kind)?;
            let Range { start, end } = self.range(token.at);
            let line = start.line - before.line;
            let column = if line == 0 { before.character } else { 0 };
            before = start;
            Some(SemanticToken {
                delta_line: line,
                delta_start: start.character - column,
                length: end.character - start.character,
                token_type: kind as u32,
                token_modifiers_bitset: token.is_binding.into(),
            })
        });
        SemanticTokens {
            result_id: None,
            data: tokens.collect(),
        }
    }

    fn symbol(&self, symbol: editor::Symbol) -> DocumentSymbol {
        let kind = match symbol.kind {
            editor::SymbolKind::Game => SymbolKind::MODULE,
            editor::SymbolKind::Parameter => SymbolKind::CONSTANT,
            editor::SymbolKind::Board => SymbolKind::STRUCT,
            editor::SymbolKind::Heap => SymbolKind::VARIABLE,
            editor::SymbolKind::Family => SymbolKind::ARRAY,
            editor::SymbolKind::Move => SymbolKind::FUNCTION,
            editor::SymbolKind::Claim => SymbolKind::PROPERTY,
            editor::SymbolKind::Example => SymbolKind::EVENT,
        };
        #[allow(deprecated)] // a field of the type that has no other constructor
        DocumentSymbol {
            name: symbol.name,
            detail: None,
            kind,
            tags: None,
            deprecated: None,
            range: self.range(symbol.statement),
            selection_range: self.range(symbol.at),
            children: None,
        }
    }
}

/// A signature as the protocol has it: places in it are counted in UTF-16.
fn signature(found: editor::Signature) -> SignatureHelp {
    let units = |end: usize| found.label[..end].encode_utf16().count() as u32;
    let active = found.active.map(|part| part as u32);
    let parts = found.parts.iter().map(|part| ParameterInformation {
        label: ParameterLabel::LabelOffsets([units(part.start), units(part.end)]),
        documentation: None,
    });
    SignatureHelp {
        active_signature: Some(0),
        active_parameter: active,
        signatures: vec![SignatureInformation {
            parameters: Some(parts.collect()),
            documentation: Some(Documentation::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value: found.meaning,
            })),
            active_parameter: active,
            label: found.label,
        }],
    }
}

fn read<P: DeserializeOwned>(parameters: Value) -> Option<P> {
    serde_json::from_value(parameters).ok()
}

fn published(uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) -> Notification {
    let parameters = PublishDiagnosticsParams {
        uri,
        diagnostics,
        version,
    };
    Notification::new(PublishDiagnostics::METHOD.to_owned(), parameters)
}
