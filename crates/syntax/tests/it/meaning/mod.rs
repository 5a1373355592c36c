//! Tests of names, types and lowering.

mod accepted;
mod catalogue;
mod conversions;
mod recovery;
mod rejected;
mod renderings;
mod stress;
mod suspicious;

use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_syntax::compile;

/// A program in which `«…»` marks the text that the one diagnostic points at.
struct Marked {
    text: String,
    span: Span,
}

impl Marked {
    fn new(marked: &str) -> Self {
        let start = marked.find('«').expect("a mark");
        let end = marked.find('»').expect("the end of the mark") - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        Marked {
            text,
            span: Span::new(start as u32, end as u32),
        }
    }
}

/// Compiles each marked program and compares its only diagnostic with the code and the mark.
fn check_marked(rows: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (code, marked) in rows {
        let Marked { text, span } = Marked::new(marked);
        let found = compile(&text).diagnostics;
        let expected =
            found.len() == 1 && found[0].code.name == *code && found[0].primary.span == span;
        if !expected {
            let listed: Vec<String> = found.iter().map(|one| summary(one, &text)).collect();
            wrong.push(format!(
                "{code}: {marked}\n    found: {}",
                listed.join("\n           ")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

fn summary(diagnostic: &Diagnostic, text: &str) -> String {
    let at = diagnostic.primary.span.slice(text);
    format!("{} at `{at}`: {}", diagnostic.code.name, diagnostic.message)
}

/// Compiles a program that must be free of diagnostics.
fn compile_clean(text: &str) -> plainsong_ir::Song {
    let compiled = compile(text);
    let listed: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|one| summary(one, text))
        .collect();
    assert!(listed.is_empty(), "{text}\n{}", listed.join("\n"));
    compiled.song.expect("a song when there are no diagnostics")
}
