//! Standard output and standard error. A reader that goes away (`| head`) ends the output, not the
//! run: the exit code stays what it is. Output that cannot be written (a full disk) is complained about, and
//! nothing is fine then.

use plainsong_driver::{Problem, Source};
use plainsong_report::stream::{ErrorRecord, Record};
use std::io::{ErrorKind, Write};

/// Where results and complaints go.
pub(crate) struct Console {
    /// One JSON object per line instead of text.
    pub(crate) json: bool,
    gone: bool,
    /// Could some of the result not be written, though somebody wanted it?
    pub(crate) is_lost: bool,
}

impl Console {
    pub(crate) fn new() -> Self {
        Console {
            json: false,
            gone: false,
            is_lost: false,
        }
    }

    /// A part of the result.
    pub(crate) fn result(&mut self, text: &str) {
        if !self.gone {
            let mut stdout = anstream::stdout().lock();
            let written = stdout
                .write_all(text.as_bytes())
                .and_then(|()| stdout.flush());
            drop(stdout);
            self.check(written);
        }
    }

    /// A part of the result that is a text file: as it is, without a thought about colours.
    pub(crate) fn raw(&mut self, text: &str) {
        if !self.gone {
            let mut stdout = std::io::stdout().lock();
            let written = stdout
                .write_all(text.as_bytes())
                .and_then(|()| stdout.flush());
            drop(stdout);
            self.check(written);
        }
    }

    fn check(&mut self, written: std::io::Result<()>) {
        let Err(error) = written else {
            return;
        };
        self.gone = true;
        if error.kind() != ErrorKind::BrokenPipe {
            self.is_lost = true;
            self.remark(&format!("error: the result cannot be written: {error}\n"));
        }
    }

    /// A line of the JSON stream.
    pub(crate) fn record(&mut self, record: &Record) {
        self.raw(&record.line());
    }

    /// Something for people that is not a result.
    pub(crate) fn remark(&mut self, text: &str) {
        // Without standard error there is nobody to tell.
        let _ = anstream::stderr().lock().write_all(text.as_bytes());
    }

    /// A complaint: to people, or into the stream.
    pub(crate) fn problem(&mut self, problem: &Problem, source: Option<&Source>) {
        if self.json {
            self.record(&Record::Error(ErrorRecord {
                file: problem.file.clone(),
                message: problem.message.clone(),
                help: problem.help.clone(),
            }));
            return;
        }
        let place = match (source, problem.span, &problem.file) {
            (Some(source), Some(span), _) => format!("{}: ", source.text().place(span)),
            (_, _, Some(file)) => format!("{file}: "),
            (_, _, None) => String::new(),
        };
        let mut text = format!("\u{1b}[1;31merror\u{1b}[0m: {place}{}\n", problem.message);
        if let Some(help) = &problem.help {
            text.push_str(&format!("  = help: {help}\n"));
        }
        self.remark(&text);
    }
}
