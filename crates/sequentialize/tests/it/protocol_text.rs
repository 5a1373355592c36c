//! Random protocols as songs.

use crate::protocols::{Flag, NUMBERS, Parts, S, Who};
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub(crate) fn print(parts: &Parts) -> String {
    let mut text = String::new();
    for note in &parts.notes {
        let _ = writeln!(text, "// {note}");
    }
    text.push_str("sort Q;\nsort K = 0..;\n");
    let has_other = !parts.w.is_empty();
    if has_other {
        text.push_str("sort W;\n");
    }
    for kind in 0..parts.kinds.max(1) {
        let _ = writeln!(
            text,
            "message M{kind}(who: process, flag: bool, number: nat);"
        );
    }
    for kind in parts.lost.iter().collect::<BTreeSet<_>>() {
        let _ = writeln!(text, "fault lose M{kind} <= 1;");
    }
    if parts.crash && !parts.serves {
        text.push_str("fault crash q <= 1;\n");
    }
    let vars = "    var last: process = self;\n    var have: bool = false;\n    var seen: bool = false;\n    var kept: process = self;\n    var got: nat = 1;\n    var count: nat = 0;\n";
    for (head, code) in [
        ("process p", &parts.p),
        ("process r", &parts.r),
        ("process q[me: Q]", &parts.q),
    ] {
        let _ = writeln!(text, "{head} {{\n{vars}");
        let mut printer = Printer {
            text: &mut text,
            names: 0,
            has_other,
            numbers: &parts.numbers,
        };
        printer.block(code, Named::default(), false);
        text.push_str("}\n");
    }
    let service = |text: &mut String, head: &str, code: &[S]| {
        let _ = writeln!(text, "daemon process {head} {{\n{vars}    loop {{");
        let mut printer = Printer {
            text: &mut *text,
            names: 0,
            has_other,
            numbers: &parts.numbers,
        };
        printer.block(code, Named::default(), false);
        text.push_str("    }\n}\n");
    };
    if has_other && parts.serves {
        service(&mut text, "w[me: W]", &parts.w);
    } else if has_other {
        let _ = writeln!(text, "process w[me: W] {{\n{vars}");
        let mut printer = Printer {
            text: &mut text,
            names: 0,
            has_other,
            numbers: &parts.numbers,
        };
        printer.block(&parts.w, Named::default(), false);
        text.push_str("}\n");
    }
    let idle = [S::Receive(0, Who::D)];
    let or_idle = |code: &[S]| match code.is_empty() {
        true => idle.to_vec(),
        false => code.to_vec(),
    };
    service(&mut text, "d", &or_idle(&parts.d));
    if parts.has_e {
        service(&mut text, "e", &or_idle(&parts.e));
    }
    text
}

/// The members that loops and choices name.
#[derive(Clone, Copy, Default)]
struct Named {
    member: Option<usize>,
    other: Option<usize>,
}

impl Named {
    fn with(self, other: bool, name: usize) -> Named {
        match other {
            true => Named {
                other: Some(name),
                ..self
            },
            false => Named {
                member: Some(name),
                ..self
            },
        }
    }
}

struct Printer<'t> {
    text: &'t mut String,
    names: usize,
    has_other: bool,
    numbers: &'t [usize],
}

impl Printer<'_> {
    fn block(&mut self, code: &[S], mut named: Named, looped: bool) {
        for one in code {
            match one {
                S::ChooseOther if self.has_other => {
                    let name = self.name();
                    named = named.with(true, name);
                    self.text.push_str(&format!("let x{name} = choose W;\n"));
                }
                _ => self.stmt(one, named, looped),
            }
        }
    }

    fn name(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    fn stmt(&mut self, stmt: &S, named: Named, looped: bool) {
        match stmt {
            S::Send(kind, to, own, value) => {
                let who = if *own { "self" } else { "last" };
                let number = self.numbers.get(*kind).map_or("1", |at| NUMBERS[*at]);
                let line = format!(
                    "send M{kind}({who}, {}, {number}) to {};\n",
                    flag(*value),
                    address(*to, named)
                );
                self.text.push_str(&line);
            }
            S::Receive(kind, from) => {
                let name = self.name();
                let from = source(*from, named);
                let line = format!(
                    "receive M{kind}(w{name}, f{name}, n{name}) from {from};\nlast = w{name};\nhave = f{name};\ngot = n{name};\n"
                );
                self.text.push_str(&line);
            }
            S::Select(arms, late) => {
                self.text.push_str("receive {\n");
                for (kind, from, body) in arms {
                    let name = self.name();
                    let from = source(*from, named);
                    let line = format!(
                        "M{kind}(w{name}, f{name}, n{name}) from {from} => {{\nlast = w{name};\nhave = f{name};\ngot = n{name};\n"
                    );
                    self.text.push_str(&line);
                    self.block(body, named, looped);
                    self.text.push_str("}\n");
                }
                if let Some(late) = late {
                    self.nested("timeout =>", late, named, looped);
                }
                self.text.push_str("}\n");
            }
            S::Each(body) => {
                let name = self.name();
                let named = named.with(false, name);
                self.nested(&format!("for x{name} in Q"), body, named, false);
            }
            S::EachOther(body) => {
                let name = self.name();
                let sort = if self.has_other { "W" } else { "Q" };
                let named = named.with(self.has_other, name);
                self.nested(&format!("for x{name} in {sort}"), body, named, false);
            }
            S::AsManyAs(body) => {
                let name = self.name();
                self.nested(&format!("for i{name} in 0..Q.len()"), body, named, false);
            }
            S::Rounds(body) => {
                let name = self.name();
                self.nested(&format!("for i{name} in K"), body, named, false);
            }
            S::If(value, yes, no) => {
                self.nested(&format!("if {}", flag(*value)), yes, named, looped);
                if !no.is_empty() {
                    self.nested("else", no, named, looped);
                }
            }
            S::Same(body) => self.nested("if last == self", body, named, looped),
            S::Loop(body) => self.nested("loop", body, named, true),
            S::Break if looped => self.text.push_str("break;\n"),
            S::Break => {}
            S::Twice(body) => {
                let name = self.name();
                self.nested(&format!("for i{name} in 0..2"), body, named, false);
            }
            S::Fits(body) => self.nested("if kept == last", body, named, looped),
            S::Until(value, body) => {
                self.nested(&format!("while !{}", flag(*value)), body, named, true);
            }
            S::IfMore(body) => self.nested("if got > count", body, named, looped),
            S::Add => self.text.push_str("count = count + 1;\n"),
            S::Sum => self.text.push_str("count = count + got;\n"),
            S::ClaimNumber(number) => {
                let _ = writeln!(self.text, "assert got == {number};");
            }
            S::ChooseOther => {}
            S::Mark => self.text.push_str("seen = true;\n"),
            S::Remember => self.text.push_str("kept = last;\n"),
            S::Choose => self.text.push_str("have = choose bool;\n"),
            S::Keep => self.text.push_str("seen = seen || have;\n"),
            S::Claim => self.text.push_str("assert seen || !have;\n"),
        }
    }

    fn nested(&mut self, head: &str, body: &[S], named: Named, looped: bool) {
        self.text.push_str(head);
        self.text.push_str(" {\n");
        self.block(body, named, looped);
        self.text.push_str("}\n");
    }
}

fn source(from: Who, named: Named) -> String {
    match from {
        Who::Any => "any".to_owned(),
        Who::AnyMember => "any q".to_owned(),
        Who::AnyOther => "any".to_owned(),
        other => address(other, named),
    }
}

fn address(who: Who, named: Named) -> String {
    match (who, named) {
        (Who::P, _) => "p".to_owned(),
        (Who::R, _) => "r".to_owned(),
        (Who::D, _) => "d".to_owned(),
        (Who::E, _) => "e".to_owned(),
        (
            Who::Named,
            Named {
                member: Some(name), ..
            },
        ) => format!("q[x{name}]"),
        (
            Who::Other,
            Named {
                other: Some(name), ..
            },
        ) => format!("w[x{name}]"),
        (Who::Own, _) => "self".to_owned(),
        _ => "last".to_owned(),
    }
}

fn flag(flag: Flag) -> &'static str {
    match flag {
        Flag::Yes => "true",
        Flag::No => "false",
        Flag::Have => "have",
        Flag::Seen => "seen",
    }
}
