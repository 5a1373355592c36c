//! HTTP/1.1, as far as one page needs it: a request, an answer, and the connection is closed.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

const LONGEST_HEAD: usize = 16 * 1024;
const LONGEST_BODY: usize = 8 * 1024 * 1024;
/// A browser of this machine sends its request at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// Nothing is loaded from elsewhere, nobody frames the page, and nothing of it is kept.
const HEADERS: &str = "Connection: close\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n\
    X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
    Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    connect-src 'self'; img-src data:; frame-src 'self' blob: data:; base-uri 'none'; form-action 'none'\r\n";

/// A request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    query: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    status: &'static str,
    kind: &'static str,
    body: String,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A parameter of the address.
    pub(crate) fn query(&self, name: &str) -> Option<String> {
        let pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        let mut found = pairs.filter(|(other, _)| *other == name);
        found.next().and_then(|(_, value)| decoded(value))
    }
}

impl Answer {
    fn new(status: &'static str, kind: &'static str, body: impl Into<String>) -> Answer {
        Answer {
            status,
            kind,
            body: body.into(),
        }
    }

    pub(crate) fn html(body: impl Into<String>) -> Answer {
        Answer::new("200 OK", "text/html; charset=utf-8", body)
    }

    pub(crate) fn text(body: impl Into<String>) -> Answer {
        Answer::new("200 OK", "text/plain; charset=utf-8", body)
    }

    pub(crate) fn json(body: &serde_json::Value) -> Answer {
        Answer::new("200 OK", "application/json", body.to_string())
    }

    /// Not without the token.
    pub(crate) fn refused(why: &str) -> Answer {
        Answer::new("403 Forbidden", "text/plain; charset=utf-8", why)
    }

    /// There is no such thing.
    pub(crate) fn missing(why: impl Into<String>) -> Answer {
        Answer::new("404 Not Found", "text/plain; charset=utf-8", why)
    }

    /// It cannot be done.
    pub(crate) fn bad(why: impl Into<String>) -> Answer {
        Answer::new("400 Bad Request", "text/plain; charset=utf-8", why)
    }
}

/// Reads a request; an answer where it is none.
pub(crate) fn read(stream: &mut TcpStream) -> io::Result<Result<Request, Answer>> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = find(&bytes, b"\r\n\r\n") {
            break end;
        }
        if bytes.len() > LONGEST_HEAD {
            return Ok(Err(Answer::bad("too long")));
        }
        if !more(stream, &mut bytes)? {
            return Ok(Err(Answer::bad("no request")));
        }
    };
    let Ok(text) = std::str::from_utf8(&bytes[..head]) else {
        return Ok(Err(Answer::bad("no UTF-8")));
    };
    let Some(mut request) = parsed(text) else {
        return Ok(Err(Answer::bad("no request")));
    };
    let length = request.header("content-length").unwrap_or("0").parse();
    let Ok(length) = length else {
        return Ok(Err(Answer::bad("no length")));
    };
    if length > LONGEST_BODY || request.header("transfer-encoding").is_some() {
        return Ok(Err(Answer::bad("too long")));
    }
    let mut body = bytes.split_off(head + 4);
    while body.len() < length {
        if !more(stream, &mut body)? {
            return Ok(Err(Answer::bad("the body ends early")));
        }
    }
    body.truncate(length);
    let Ok(body) = String::from_utf8(body) else {
        return Ok(Err(Answer::bad("no UTF-8")));
    };
    request.body = body;
    Ok(Ok(request))
}

/// Writes an answer.
pub(crate) fn write(stream: &mut TcpStream, answer: &Answer) -> io::Result<()> {
    let Answer { status, kind, body } = answer;
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{HEADERS}\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let mut chunk = [0; 16 * 1024];
    let read = stream.read(&mut chunk)?;
    bytes.extend_from_slice(&chunk[..read]);
    Ok(read > 0)
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

fn parsed(head: &str) -> Option<Request> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let headers = lines.filter_map(|line| line.split_once(':'));
    Some(Request {
        method: method.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        headers: headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect(),
        body: String::new(),
    })
}

/// `%20` and the like.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut left = text.bytes();
    while let Some(byte) = left.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [left.next()?, left.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            b'+' => b' ',
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_taken_apart() {
        let head = "GET /song?name=a%20b.song&token=1f HTTP/1.1\r\nHost: localhost:1\r\nX-A:  b ";
        let request = parsed(head).expect("a request");
        assert_eq!((&*request.method, &*request.path), ("GET", "/song"));
        assert_eq!(request.query("name").as_deref(), Some("a b.song"));
        assert_eq!(request.query("token").as_deref(), Some("1f"));
        assert_eq!(request.query("nam"), None);
        assert_eq!(request.header("host"), Some("localhost:1"));
        assert_eq!(request.header("x-a"), Some("b"));
        assert!(parsed("nonsense").is_none());
        assert_eq!(decoded("%zz"), None);
        assert_eq!(decoded("%ff"), None);
    }
}
