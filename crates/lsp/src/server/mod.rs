//! The loop: messages of the client and answers of the engines, one at a time.
//!
//! Every message that waits is handled before diagnostics are worked out, so that fast typing costs one analysis. A
//! request that breaks us is answered with an error and costs nothing else.

mod capabilities;
mod requests;
mod stepping;

use crate::document::Document;
use crate::features::stepping::METHOD as STEP;
use crate::features::{lenses, mistakes};
use crate::position::Encoding;
use crate::verdicts::{Done, Query, Verdicts};
use crossbeam_channel::{Receiver, Sender, never, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Notification as _, PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{CodeLensRefresh, Request as _};
use lsp_types::{InitializeParams, MessageType, PublishDiagnosticsParams, ShowMessageParams, Uri};
use plainsong_driver::contain::contained;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long nobody has to type before what is typed is checked, where that is wanted.
const PAUSE: Duration = Duration::from_millis(600);

/// When documents are checked without being asked.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Checking {
    /// When they are opened and saved.
    #[default]
    Save,
    /// After each pause in typing, too.
    Type,
    /// Never.
    Off,
}

/// What the client may choose, in `initializationOptions`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct Options {
    /// When documents are checked without being asked.
    pub check: Checking,
    /// How many seconds that may take.
    pub timeout: f64,
    /// Does the client show pages itself, sent as `plainsong/page`?
    pub pages: bool,
    /// Does the client draw marks, sent as `plainsong/verdicts`?
    pub marks: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            check: Checking::default(),
            timeout: 10.0,
            pages: false,
            marks: false,
        }
    }
}

/// The state of the server.
pub(crate) struct Server {
    sender: Sender<Message>,
    encoding: Encoding,
    options: Options,
    refreshes_lenses: bool,
    shows_documents: bool,
    documents: BTreeMap<String, Document>,
    verdicts: BTreeMap<String, Verdicts>,
    /// Whose diagnostics are to be published.
    changed: Vec<Uri>,
    /// When whom is checked, where typing is followed.
    due: Option<(Instant, Uri)>,
    done: (Sender<Done>, Receiver<Done>),
    next: u64,
    /// Pages that were written for clients that show none.
    written: Vec<std::path::PathBuf>,
}

/// Serves one client until it says goodbye. The problem, if the connection broke.
pub fn serve(connection: &Connection) -> Result<(), String> {
    let (id, params) = connection
        .initialize_start()
        .map_err(|error| error.to_string())?;
    let params: InitializeParams =
        serde_json::from_value(params).map_err(|error| error.to_string())?;
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_deref());
    let encoding = Encoding::agreed(offered);
    let result = json!({
        "capabilities": capabilities::capabilities(encoding),
        "serverInfo": { "name": "plainsong", "version": env!("CARGO_PKG_VERSION") },
    });
    connection
        .initialize_finish(id, result)
        .map_err(|error| error.to_string())?;
    let options = params.initialization_options.clone();
    let workspace = params.capabilities.workspace.as_ref();
    let window = params.capabilities.window.as_ref();
    let mut server = Server {
        sender: connection.sender.clone(),
        encoding,
        options: options
            .and_then(|options| serde_json::from_value(options).ok())
            .unwrap_or_default(),
        refreshes_lenses: workspace
            .and_then(|workspace| workspace.code_lens.as_ref())
            .and_then(|lens| lens.refresh_support)
            .unwrap_or(false),
        shows_documents: window
            .and_then(|window| window.show_document.as_ref())
            .is_some_and(|show| show.support),
        documents: BTreeMap::new(),
        verdicts: BTreeMap::new(),
        changed: Vec::new(),
        due: None,
        done: unbounded(),
        next: 0,
        written: Vec::new(),
    };
    let ended = server.serve(connection);
    for verdicts in server.verdicts.values_mut() {
        verdicts.interrupt();
    }
    for page in &server.written {
        // It may be open, or gone.
        let _ = std::fs::remove_file(page);
    }
    ended
}

impl Server {
    fn serve(&mut self, connection: &Connection) -> Result<(), String> {
        loop {
            let wait = match &self.due {
                Some((when, _)) => crossbeam_channel::at(*when),
                None => never(),
            };
            let done = self.done.1.clone();
            crossbeam_channel::select! {
                recv(connection.receiver) -> message => {
                    let Ok(message) = message else { return Ok(()) };
                    if self.message(connection, message)? {
                        return Ok(());
                    }
                    while let Ok(message) = connection.receiver.try_recv() {
                        if self.message(connection, message)? {
                            return Ok(());
                        }
                    }
                }
                recv(done) -> done => {
                    if let Ok(done) = done {
                        self.enter(done);
                    }
                }
                recv(wait) -> _ => {
                    if let Some((_, uri)) = self.due.take() {
                        self.check(&uri, Vec::new(), false);
                    }
                }
            }
            self.publish();
        }
    }

    /// Handles a message; true when it was the last one.
    fn message(&mut self, connection: &Connection, message: Message) -> Result<bool, String> {
        match message {
            Message::Request(request) => {
                if connection
                    .handle_shutdown(&request)
                    .map_err(|error| error.to_string())?
                {
                    return Ok(true);
                }
                if request.method == STEP {
                    self.step(request);
                    return Ok(false);
                }
                let id = request.id.clone();
                let response = match contained(|| self.request(&request)) {
                    Ok(Ok(value)) => Response::new_ok(id, value),
                    Ok(Err(requests::Refusal::Unknown)) => {
                        let method = &request.method;
                        let text = format!("`{method}` is not something this server does");
                        Response::new_err(id, ErrorCode::MethodNotFound as i32, text)
                    }
                    Ok(Err(requests::Refusal::Invalid(text))) => {
                        Response::new_err(id, ErrorCode::InvalidParams as i32, text)
                    }
                    Ok(Err(requests::Refusal::Impossible(text))) => {
                        Response::new_err(id, ErrorCode::RequestFailed as i32, text)
                    }
                    Err(crash) => {
                        let text = format!("this is a bug of plainsong: {}", crash.message);
                        Response::new_err(id, ErrorCode::InternalError as i32, text)
                    }
                };
                self.send(Message::Response(response));
            }
            Message::Notification(notification) => {
                if notification.method == "exit" {
                    return Ok(true);
                }
                if let Err(crash) = contained(|| self.notification(notification)) {
                    self.say(
                        MessageType::ERROR,
                        format!("this is a bug of plainsong: {}", crash.message),
                    );
                }
            }
            // Nothing that we ask for has an answer that matters.
            Message::Response(_) => {}
        }
        Ok(false)
    }

    fn notification(&mut self, notification: Notification) {
        fn params<N: lsp_types::notification::Notification>(value: Value) -> Option<N::Params> {
            serde_json::from_value(value).ok()
        }
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Some(params) = params::<DidOpenTextDocument>(notification.params) else {
                    return;
                };
                let opened = params.text_document;
                let uri = opened.uri;
                let document =
                    Document::new(uri.clone(), opened.version, opened.text, self.encoding);
                self.documents.insert(uri.as_str().to_owned(), document);
                self.changed.push(uri.clone());
                if self.options.check != Checking::Off {
                    self.check(&uri, Vec::new(), false);
                }
            }
            DidChangeTextDocument::METHOD => {
                let Some(params) = params::<DidChangeTextDocument>(notification.params) else {
                    return;
                };
                let uri = params.text_document.uri;
                if let Some(document) = self.documents.get_mut(uri.as_str()) {
                    document.change(params.text_document.version, &params.content_changes);
                }
                if let Some(verdicts) = self.verdicts.get_mut(uri.as_str()) {
                    verdicts.interrupt();
                }
                if self.options.check == Checking::Type {
                    self.due = Some((Instant::now() + PAUSE, uri.clone()));
                }
                self.changed.push(uri);
            }
            DidSaveTextDocument::METHOD => {
                let Some(params) = params::<DidSaveTextDocument>(notification.params) else {
                    return;
                };
                if self.options.check != Checking::Off {
                    self.check(&params.text_document.uri, Vec::new(), false);
                }
            }
            DidCloseTextDocument::METHOD => {
                let Some(params) = params::<DidCloseTextDocument>(notification.params) else {
                    return;
                };
                let uri = params.text_document.uri;
                self.documents.remove(uri.as_str());
                if let Some(mut verdicts) = self.verdicts.remove(uri.as_str()) {
                    verdicts.interrupt();
                }
                self.publish_for(&uri, Vec::new(), None);
            }
            _ => {}
        }
    }

    /// Asks the engines about a document that has no mistakes.
    fn check(&mut self, uri: &Uri, properties: Vec<String>, thorough: bool) {
        let Some(document) = self.documents.get(uri.as_str()) else {
            return;
        };
        if lenses::asked(document).is_empty() {
            return;
        }
        self.next += 1;
        let seconds = self.options.timeout * if thorough { 6.0 } else { 1.0 };
        let query = Query {
            uri: uri.clone(),
            source: document.source(),
            properties,
            thorough,
            timeout: Duration::try_from_secs_f64(seconds).ok(),
        };
        let verdicts = self.verdicts.entry(uri.as_str().to_owned()).or_default();
        verdicts.ask(self.next, query, self.done.0.clone());
        self.changed.push(uri.clone());
        self.refresh();
    }

    fn enter(&mut self, done: Done) {
        let uri = done.uri.clone();
        for problem in &done.problems {
            self.say(MessageType::WARNING, problem.clone());
        }
        let Some(verdicts) = self.verdicts.get_mut(uri.as_str()) else {
            return;
        };
        if verdicts.enter(done) {
            self.changed.push(uri);
            self.refresh();
        }
    }

    /// Publishes diagnostics of what has changed.
    fn publish(&mut self) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort();
        changed.dedup();
        for uri in changed {
            let Some(document) = self.documents.get(uri.as_str()) else {
                continue;
            };
            let none = Verdicts::default();
            let verdicts = self.verdicts.get(uri.as_str()).unwrap_or(&none);
            let mut all = mistakes::mistakes(document);
            all.extend(lenses::diagnostics(document, verdicts));
            let marks = lenses::marks(document, verdicts);
            let version = document.version;
            self.publish_for(&uri, all, Some(version));
            if self.options.marks {
                self.notify(
                    "plainsong/verdicts",
                    json!({ "uri": uri.as_str(), "version": version, "verdicts": marks }),
                );
            }
        }
    }

    fn publish_for(
        &self,
        uri: &Uri,
        diagnostics: Vec<lsp_types::Diagnostic>,
        version: Option<i32>,
    ) {
        let params = PublishDiagnosticsParams {
            uri: uri.clone(),
            diagnostics,
            version,
        };
        self.notify(PublishDiagnostics::METHOD, json!(params));
    }

    fn refresh(&mut self) {
        if self.refreshes_lenses {
            self.ask(CodeLensRefresh::METHOD, Value::Null);
        }
    }

    fn ask(&mut self, method: &str, params: Value) {
        self.next += 1;
        let id = RequestId::from(format!("plainsong-{}", self.next));
        let request = lsp_server::Request {
            id,
            method: method.to_owned(),
            params,
        };
        self.send(Message::Request(request));
    }

    fn say(&self, typ: MessageType, message: String) {
        let params = ShowMessageParams { typ, message };
        self.notify(ShowMessage::METHOD, json!(params));
    }

    fn notify(&self, method: &str, params: Value) {
        let notification = Notification {
            method: method.to_owned(),
            params,
        };
        self.send(Message::Notification(notification));
    }

    fn send(&self, message: Message) {
        // Nobody to tell when the client is gone; the loop ends by itself then.
        let _ = self.sender.send(message);
    }
}
