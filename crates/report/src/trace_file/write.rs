//! From a trace to text.

use super::fields::{FAILURES, NOBODY, ending_word, escape, kind_word, word};
use super::{Header, SavedTrace, VERSION};
use plainsong_diagnostics::Span;
use plainsong_semantics::trace::{Change, Ending, Event, Sent, Trace};
use std::collections::BTreeMap;

/// A saved trace as text.
pub fn write(saved: &SavedTrace) -> String {
    let mut writer = Writer {
        text: String::new(),
        trace: &saved.trace,
    };
    writer.header(&saved.header);
    writer.trace();
    writer.text
}

struct Writer<'a> {
    text: String,
    trace: &'a Trace,
}

impl Writer<'_> {
    fn line(&mut self, fields: &[&str]) {
        let escaped: Vec<String> = fields.iter().map(|field| escape(field)).collect();
        self.text.push_str(&escaped.join("\t"));
        self.text.push('\n');
    }

    fn header(&mut self, header: &Header) {
        self.line(&["plainsong trace", &VERSION.to_string()]);
        self.line(&["tool", &header.tool]);
        self.line(&["file", &header.file]);
        self.line(&["hash", &format!("{:016x}", header.hash)]);
        if let Some(property) = &header.property {
            self.line(&["property", property]);
        }
        for (name, size) in &header.sizes {
            self.line(&["size", name, &size.to_string()]);
        }
        for (name, limit) in &header.limits {
            self.line(&["limit", name, limit]);
        }
        if let Some(delivery) = &header.delivery {
            self.line(&["delivery", delivery]);
        }
        if let Some(seed) = header.seed {
            self.line(&["seed", &seed.to_string()]);
        }
    }

    fn trace(&mut self) {
        let trace = self.trace;
        for lane in &trace.lanes {
            self.line(&["lane", lane]);
        }
        for Change {
            variable,
            before,
            after,
        } in &trace.start
        {
            self.line(&["start", variable, before, after]);
        }
        let mut occurrences = BTreeMap::new();
        for event in &trace.events {
            let occurrence: &mut u64 = occurrences.entry(event.lane).or_insert(0);
            *occurrence += 1;
            let occurrence = *occurrence;
            self.event(event, occurrence);
        }
        self.ending(&trace.ending);
        for sent in &trace.undelivered {
            let fields = self.sent(sent);
            self.line(&[
                "undelivered",
                &fields[0],
                &fields[1],
                &fields[2],
                &fields[3],
            ]);
        }
    }

    fn event(&mut self, event: &Event, occurrence: u64) {
        let mut fields = vec![
            "event".to_owned(),
            self.name(event.lane),
            occurrence.to_string(),
            kind_word(event.kind).to_owned(),
            event.label.clone(),
            self.name(event.peer),
            place(event.span),
        ];
        let mut add = |parts: &[&str]| fields.extend(parts.iter().map(|&part| part.to_owned()));
        add(&["step", &event.step.to_string()]);
        if let Some(message) = event.message {
            add(&["message", &message.to_string()]);
        }
        for choice in &event.choices {
            add(&["choice", choice]);
        }
        for Change {
            variable,
            before,
            after,
        } in &event.changes
        {
            add(&["change", variable, before, after]);
        }
        for sent in &event.sends {
            fields.push("sends".to_owned());
            fields.extend(self.sent(sent));
        }
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        self.line(&fields);
    }

    fn sent(&self, sent: &Sent) -> [String; 4] {
        [
            sent.message.to_string(),
            sent.label.clone(),
            self.name(sent.from),
            self.name(sent.to),
        ]
    }

    fn ending(&mut self, ending: &Ending) {
        let how = ending_word(ending);
        match ending {
            Ending::Final | Ending::Cut | Ending::Discarded => self.line(&["end", how]),
            Ending::Violated {
                property,
                span,
                why,
            } => {
                self.line(&["end", how, property, &place(*span), why]);
            }
            Ending::Failed(failure) => {
                let kind = word(&FAILURES, failure.kind);
                self.line(&["end", how, kind, &place(failure.span), &failure.message]);
            }
            Ending::Deadlock(waiting) => {
                self.line(&["end", how]);
                for one in waiting {
                    let who = self.name(one.lane);
                    self.line(&["waiting", &who, &one.what, &place(one.span)]);
                }
            }
        }
    }

    fn name(&self, lane: Option<usize>) -> String {
        lane.and_then(|lane| self.trace.lanes.get(lane))
            .map_or(NOBODY, String::as_str)
            .to_owned()
    }
}

fn place(span: Span) -> String {
    format!("{}..{}", span.start, span.end)
}
