//! From text back to a trace. Nothing is guessed: a line that is not understood is named.

use super::fields::{FAILURES, KINDS, NOBODY, kind, unescape};
use super::{Header, SavedTrace, VERSION};
use plainsong_diagnostics::Span;
use plainsong_semantics::trace::{Change, Ending, Event, Failure, Sent, Trace, Waiting};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Why a text is not a saved trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Unreadable {}

/// Reads what [`write`](super::write) wrote.
pub fn read(text: &str) -> Result<SavedTrace, Unreadable> {
    let mut reader = Reader::default();
    for (at, line) in text.lines().enumerate() {
        let fields: Vec<String> = line.split('\t').map(unescape).collect();
        let mut fields = Fields {
            fields: fields.into_iter(),
            lanes: &reader.lanes,
        };
        let read = if at == 0 {
            first(&mut fields)
        } else {
            reader_line(&mut fields)
        };
        let item = read.map_err(|message| Unreadable {
            line: at + 1,
            message,
        })?;
        reader.take(item);
    }
    let end = text.lines().count().max(1);
    reader
        .finish()
        .map_err(|message| Unreadable { line: end, message })
}

/// Enters one line of the header.
type SetHeader = Box<dyn FnOnce(&mut Header)>;

/// What one line says.
enum Item {
    Nothing,
    Header(SetHeader),
    Lane(String),
    Start(Change),
    Event(Box<Event>),
    End(Ending),
    Waiting(Waiting),
    Undelivered(Sent),
}

#[derive(Default)]
struct Reader {
    header: Header,
    lanes: BTreeMap<String, usize>,
    lane_names: Vec<String>,
    start: Vec<Change>,
    events: Vec<Event>,
    ending: Option<Ending>,
    waiting: Vec<Waiting>,
    undelivered: Vec<Sent>,
}

impl Reader {
    fn take(&mut self, item: Item) {
        match item {
            Item::Nothing => {}
            Item::Header(set) => set(&mut self.header),
            Item::Lane(name) => {
                self.lanes.insert(name.clone(), self.lane_names.len());
                self.lane_names.push(name);
            }
            Item::Start(change) => self.start.push(change),
            Item::Event(event) => self.events.push(*event),
            Item::End(ending) => self.ending = Some(ending),
            Item::Waiting(one) => self.waiting.push(one),
            Item::Undelivered(sent) => self.undelivered.push(sent),
        }
    }

    fn finish(self) -> Result<SavedTrace, String> {
        let ending = match self.ending {
            None => return Err("the trace has no `end` line".to_owned()),
            Some(Ending::Deadlock(_)) => Ending::Deadlock(self.waiting),
            Some(other) => other,
        };
        let trace = Trace {
            lanes: self.lane_names,
            start: self.start,
            events: self.events,
            ending,
            undelivered: self.undelivered,
        };
        Ok(SavedTrace {
            header: self.header,
            trace,
        })
    }
}

fn first(fields: &mut Fields<'_>) -> Result<Item, String> {
    if fields.text("the first line")? != "plainsong trace" {
        return Err("this is not a saved trace".to_owned());
    }
    let version: u32 = fields.number("the version")?;
    if version != VERSION {
        return Err(format!(
            "version {version} of the format is not known, only {VERSION}"
        ));
    }
    Ok(Item::Nothing)
}

fn reader_line(fields: &mut Fields<'_>) -> Result<Item, String> {
    let keyword = fields.text("a keyword")?;
    match keyword.as_str() {
        "" => Ok(Item::Nothing),
        "lane" => Ok(Item::Lane(fields.text("a name")?)),
        "start" => Ok(Item::Start(fields.change()?)),
        "event" => Ok(Item::Event(Box::new(event(fields)?))),
        "end" => Ok(Item::End(ending(fields)?)),
        "waiting" => Ok(Item::Waiting(Waiting {
            lane: fields.lane()?,
            what: fields.text("what it waits for")?,
            span: fields.span()?,
        })),
        "undelivered" => Ok(Item::Undelivered(fields.sent()?)),
        _ => Ok(Item::Header(header(&keyword, fields)?)),
    }
}

fn header(keyword: &str, fields: &mut Fields<'_>) -> Result<SetHeader, String> {
    let name = fields.text("a value")?;
    Ok(match keyword {
        "tool" => Box::new(|header| header.tool = name),
        "file" => Box::new(|header| header.file = name),
        "hash" => {
            let hash =
                u64::from_str_radix(&name, 16).map_err(|_| format!("`{name}` is not a hash"))?;
            Box::new(move |header| header.hash = hash)
        }
        "property" => Box::new(|header| header.property = Some(name)),
        "size" => {
            let size = fields.number("a size")?;
            Box::new(move |header| {
                header.sizes.insert(name, size);
            })
        }
        "limit" => {
            let limit = fields.text("a limit")?;
            Box::new(move |header| {
                header.limits.insert(name, limit);
            })
        }
        "delivery" => Box::new(|header| header.delivery = Some(name)),
        "seed" => {
            let seed = name
                .parse()
                .map_err(|_| format!("`{name}` is not a seed"))?;
            Box::new(move |header| header.seed = Some(seed))
        }
        _ => return Err(format!("`{keyword}` is not known here")),
    })
}

fn event(fields: &mut Fields<'_>) -> Result<Event, String> {
    let lane = fields.lane()?;
    let _occurrence: u64 = fields.number("an occurrence")?;
    let word = fields.text("a kind of event")?;
    let mut event = Event {
        lane,
        kind: kind(&KINDS, &word).ok_or_else(|| format!("`{word}` is not a kind of event"))?,
        label: fields.text("a label")?,
        peer: fields.lane()?,
        message: None,
        sends: Vec::new(),
        choices: Vec::new(),
        changes: Vec::new(),
        span: fields.span()?,
        step: 0,
    };
    while let Some(keyword) = fields.fields.next() {
        match keyword.as_str() {
            "step" => event.step = fields.number("a position")?,
            "message" => event.message = Some(fields.number("a message number")?),
            "choice" => event.choices.push(fields.text("a choice")?),
            "change" => event.changes.push(fields.change()?),
            "sends" => event.sends.push(fields.sent()?),
            other => return Err(format!("`{other}` is not known in an event")),
        }
    }
    Ok(event)
}

fn ending(fields: &mut Fields<'_>) -> Result<Ending, String> {
    let how = fields.text("how it ends")?;
    Ok(match how.as_str() {
        "final" => Ending::Final,
        "cut" => Ending::Cut,
        "discarded" => Ending::Discarded,
        "deadlock" => Ending::Deadlock(Vec::new()),
        "violated" => Ending::Violated {
            property: fields.text("a property")?,
            span: fields.span()?,
            why: fields.text("a reason")?,
        },
        "failed" => {
            let word = fields.text("a kind of failure")?;
            Ending::Failed(Failure {
                kind: kind(&FAILURES, &word)
                    .ok_or_else(|| format!("`{word}` is not a kind of failure"))?,
                span: fields.span()?,
                message: fields.text("a message")?,
            })
        }
        other => return Err(format!("`{other}` is not an ending")),
    })
}

/// The fields of one line that are still to be read.
struct Fields<'a> {
    fields: std::vec::IntoIter<String>,
    lanes: &'a BTreeMap<String, usize>,
}

impl Fields<'_> {
    fn text(&mut self, what: &str) -> Result<String, String> {
        self.fields
            .next()
            .ok_or_else(|| format!("{what} is missing"))
    }

    fn number<N: FromStr>(&mut self, what: &str) -> Result<N, String> {
        let field = self.text(what)?;
        field
            .parse()
            .map_err(|_| format!("`{field}` is not {what}"))
    }

    fn lane(&mut self) -> Result<Option<usize>, String> {
        let name = self.text("a name")?;
        if name == NOBODY {
            return Ok(None);
        }
        self.lanes
            .get(&name)
            .map(|&lane| Some(lane))
            .ok_or_else(|| format!("`{name}` has no `lane` line"))
    }

    fn span(&mut self) -> Result<Span, String> {
        let field = self.text("a place")?;
        let bad = || format!("`{field}` is not a place");
        let (start, end) = field.split_once("..").ok_or_else(bad)?;
        Ok(Span::new(
            start.parse().map_err(|_| bad())?,
            end.parse().map_err(|_| bad())?,
        ))
    }

    fn change(&mut self) -> Result<Change, String> {
        Ok(Change {
            variable: self.text("a variable")?,
            before: self.text("a value before")?,
            after: self.text("a value after")?,
        })
    }

    fn sent(&mut self) -> Result<Sent, String> {
        Ok(Sent {
            message: self.number("a message number")?,
            label: self.text("a message")?,
            from: self.lane()?,
            to: self.lane()?,
        })
    }
}
