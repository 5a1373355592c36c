//! A client of the language server, in the same process.

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};
use std::thread::JoinHandle;
use std::time::Duration;

/// Longer than anything that is waited for.
const PATIENCE: Duration = Duration::from_secs(120);
/// As much as the command gives the server.
const STACK: usize = 256 * 1024 * 1024;

pub(crate) const URI: &str = "file:///songs/test.song";

/// A server and what it has said.
pub(crate) struct Client {
    connection: Connection,
    server: Option<JoinHandle<Result<(), String>>>,
    next: i32,
    pub(crate) version: i32,
    /// Notifications that nobody has asked for yet.
    heard: Vec<Notification>,
    pub(crate) requests: usize,
}

impl Client {
    pub(crate) fn new(options: Value) -> Client {
        let (server, connection) = Connection::memory();
        let builder = std::thread::Builder::new().stack_size(STACK);
        let server = builder
            .spawn(move || plainsong_lsp::serve(&server))
            .expect("a thread can be started");
        let mut client = Client {
            connection,
            server: Some(server),
            next: 0,
            version: 0,
            heard: Vec::new(),
            requests: 0,
        };
        let capabilities = json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } });
        let begun = client.ask(
            "initialize",
            json!({ "capabilities": capabilities, "initializationOptions": options }),
        );
        assert_eq!(begun["capabilities"]["positionEncoding"], "utf-8");
        client.tell("initialized", json!({}));
        client
    }

    pub(crate) fn tell(&self, method: &str, params: Value) {
        let notification = Notification {
            method: method.to_owned(),
            params,
        };
        let sent = self
            .connection
            .sender
            .send(Message::Notification(notification));
        sent.expect("the server is there");
    }

    /// The whole answer to a request.
    pub(crate) fn response(&mut self, method: &str, params: Value) -> Response {
        self.next += 1;
        self.requests += 1;
        let id = RequestId::from(self.next);
        let request = Request {
            id: id.clone(),
            method: method.to_owned(),
            params,
        };
        let sent = self.connection.sender.send(Message::Request(request));
        sent.expect("the server is there");
        loop {
            match self.connection.receiver.recv_timeout(PATIENCE) {
                Ok(Message::Response(response)) if response.id == id => return response,
                Ok(Message::Notification(notification)) => self.heard.push(notification),
                Ok(_) => {}
                Err(error) => panic!("no answer to {method}: {error}"),
            }
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let response = self.response(method, params);
        match response.response_result {
            Ok(result) => result,
            Err(error) => panic!("{method}: {}", error.message),
        }
    }

    /// What is wrong with a request.
    pub(crate) fn refusal(&mut self, method: &str, params: Value) -> String {
        let response = self.response(method, params);
        let refused = response.response_result;
        refused.expect_err("it is refused").message
    }

    /// The next notification of a method.
    pub(crate) fn hear(&mut self, method: &str) -> Value {
        if let Some(at) = self.heard.iter().position(|one| one.method == method) {
            return self.heard.remove(at).params;
        }
        loop {
            match self.connection.receiver.recv_timeout(PATIENCE) {
                Ok(Message::Notification(one)) if one.method == method => return one.params,
                Ok(Message::Notification(one)) => self.heard.push(one),
                Ok(_) => {}
                Err(error) => panic!("{method} is not said: {error}"),
            }
        }
    }

    pub(crate) fn open(&mut self, text: &str) {
        self.version += 1;
        let document =
            json!({ "uri": URI, "languageId": "song", "version": self.version, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub(crate) fn close(&mut self) {
        self.tell(
            "textDocument/didClose",
            json!({ "textDocument": { "uri": URI } }),
        );
    }

    /// Types something at a place, instead of so many bytes.
    pub(crate) fn change(&mut self, changes: Value) {
        self.version += 1;
        let document = json!({ "uri": URI, "version": self.version });
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    pub(crate) fn replace(&mut self, text: &str) {
        self.change(json!([{ "text": text }]));
    }

    /// The diagnostics of the newest version.
    pub(crate) fn diagnostics(&mut self) -> Vec<Value> {
        loop {
            let said = self.hear("textDocument/publishDiagnostics");
            if said["version"] == self.version {
                return said["diagnostics"].as_array().cloned().unwrap_or_default();
            }
        }
    }

    /// A request about a place in the text.
    pub(crate) fn at(&mut self, method: &str, text: &str, offset: usize) -> Value {
        self.ask(method, place(text, offset))
    }

    /// Says goodbye; the server ends without a complaint.
    pub(crate) fn end(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        let server = self.server.take().expect("it is running");
        let ended = server.join().expect("the server does not panic");
        assert_eq!(ended, Ok(()));
    }
}

/// The parameters of a request about a place; columns are bytes.
pub(crate) fn place(text: &str, offset: usize) -> Value {
    let line = text[..offset].matches('\n').count();
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    json!({
        "textDocument": { "uri": URI },
        "position": { "line": line, "character": offset - start },
    })
}

/// A request about the whole text.
pub(crate) fn document() -> Value {
    json!({ "textDocument": { "uri": URI } })
}

/// Where `what` stands for the nth time, from 0.
pub(crate) fn find(text: &str, what: &str, nth: usize) -> usize {
    let found = text.match_indices(what).nth(nth);
    found.unwrap_or_else(|| panic!("`{what}` is not there")).0
}

/// The text of a range.
pub(crate) fn slice<'t>(text: &'t str, range: &Value) -> &'t str {
    let offset = |position: &Value| {
        let line = position["line"].as_u64().expect("a line") as usize;
        let column = position["character"].as_u64().expect("a column") as usize;
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        starts.collect::<Vec<_>>()[line] + column
    };
    &text[offset(&range["start"])..offset(&range["end"])]
}
