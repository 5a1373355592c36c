//! scratch
#![allow(clippy::print_stdout)]
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let parse = plainsong_syntax::parse(&text);
    if std::env::args().nth(2).is_some() {
        println!("{:#?}", parse.syntax());
    }
    for e in parse.errors() {
        let p = plainsong_diagnostics::line_and_column(&text, e.primary.span.start);
        println!(
            "{}:{} [{}] {} | {} | help: {:?} | {:?}",
            p.line,
            p.column,
            e.code.name,
            e.message,
            e.primary.span.slice(&text),
            e.help,
            e.secondary
                .iter()
                .map(|l| (
                    l.text.clone(),
                    plainsong_diagnostics::line_and_column(&text, l.span.start).line
                ))
                .collect::<Vec<_>>()
        );
    }
}
