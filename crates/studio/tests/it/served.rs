//! A studio that serves, and requests to it.

use plainsong_studio::Studio;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;

/// A studio on a thread that ends with the test.
pub(crate) struct Served {
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Served {
    pub(crate) fn on(folder: Option<PathBuf>) -> Served {
        let studio = Studio::open(folder, 0).expect("it listens");
        let address = studio.address();
        let rest = address.strip_prefix("http://127.0.0.1:").expect("loopback");
        let (port, token) = rest.split_once("/?token=").expect("a token");
        let served = Served {
            port: port.parse().expect("a port"),
            token: token.to_owned(),
        };
        std::thread::spawn(move || studio.serve());
        served
    }

    /// The status and the body of an answer to a request with these headers.
    pub(crate) fn raw(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &str,
    ) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it is there");
        let headers: String = headers.iter().map(|one| format!("{one}\r\n")).collect();
        let length = body.len();
        let request =
            format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).expect("it listens");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("UTF-8");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        (status.expect("a status"), body.to_owned())
    }

    pub(crate) fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    /// As the page asks.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let token = format!("X-Plainsong-Token: {}", self.token);
        self.raw(method, path, &[&self.host(), &token], body)
    }

    /// An answer that succeeds.
    pub(crate) fn get(&self, path: &str) -> String {
        let (status, body) = self.ask("GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        body
    }
}
