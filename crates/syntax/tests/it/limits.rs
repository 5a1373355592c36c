//! Large, deep and long texts: parsed, walked over and dropped within a small stack.

use plainsong_syntax::{MAX_DEPTH, MAX_HEIGHT, SyntaxNode, format, parse};

/// How many levels a tree has, found by recursion as later stages do it.
fn height(node: &SyntaxNode) -> usize {
    1 + node
        .children()
        .map(|child| height(&child))
        .max()
        .unwrap_or(0)
}

/// Parses `text`, checks that nothing is lost and the tree stays low; returns the codes.
fn codes(text: &str) -> Vec<&'static str> {
    let parse = parse(text);
    assert!(parse.syntax().text() == text, "the text is lost");
    let height = height(&parse.syntax());
    assert!(height < 2000, "a tree of {height} levels");
    parse.errors().iter().map(|error| error.code.name).collect()
}

fn nested(open: &str, inside: &str, close: &str, times: usize) -> String {
    format!("{}{inside}{}", open.repeat(times), close.repeat(times))
}

#[test]
fn a_million_levels_are_one_error() {
    let parentheses = nested("(", "1", ")", 1_000_000);
    assert_eq!(
        codes(&format!("const A: int = {parentheses};")),
        ["too-deep"]
    );
}

#[test]
fn levels_of_every_kind_are_limited() {
    let many = 50_000;
    let expressions = [
        ("(", ")"),
        ("{", "}"),
        ("[", "]"),
        ("!", ""),
        ("f(", ")"),
        ("x[", "]"),
        ("a ==> ", ""),
    ];
    for (open, close) in expressions {
        let text = format!("const A: int = {};", nested(open, "1", close, many));
        assert_eq!(codes(&text), ["too-deep"], "{open}");
    }
    let types = format!("var a: {} = 1;", nested("set<", "int", ">", many));
    assert_eq!(codes(&types), ["too-deep"]);
    let blocks = format!("init {}", nested("{ loop ", "{}", "}", many));
    assert_eq!(codes(&blocks).len(), 1);
    let patterns = format!(
        "init {{ match x {{ {} => {{}} }} }}",
        nested("some(", "_", ")", many)
    );
    assert_eq!(codes(&patterns), ["too-deep"]);
    let branches = format!("init {{ if a {{}} {} }}", "else if b {} ".repeat(many));
    assert_eq!(codes(&branches), ["too-deep"]);
}

#[test]
fn a_hundred_thousand_operands_are_one_error() {
    for operand in [" + a", " && a", ".a", "[1]", ".a()", " <==> a"] {
        let text = format!("const A: int = a{};", operand.repeat(100_000));
        assert_eq!(codes(&text), ["too-deep"], "{operand}");
    }
    let zigzag = "(1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + ".repeat(100_000);
    assert_eq!(
        codes(&format!("const A: int = {zigzag}")).first(),
        Some(&"too-deep")
    );
}

#[test]
fn what_is_within_the_limits_parses_and_formats() {
    let depth = MAX_DEPTH as usize - 5;
    let height = MAX_HEIGHT as usize - 5;
    let texts = [
        format!("const A: int = {};", nested("(", "1", ")", depth)),
        format!("const A: int = {};", nested("f(", "1", ")", depth)),
        format!("const A: int = 1{};", " + 1".repeat(height)),
        format!("const A: int = a{};", ".a".repeat(height)),
        format!("const A: int = a{};", ".a(1)".repeat(height)),
        format!("init {}", nested("{ loop ", "{}", "}", depth / 2)),
        format!("var a: {} = 1;", nested("set<", "int", ">", depth)),
        format!("const A: bool = {}x;", "forall y: T :: ".repeat(depth)),
    ];
    for text in texts {
        assert_eq!(codes(&text), [""; 0], "{}", &text[..40]);
        let formatted = format(&text).expect("no errors");
        assert_eq!(format(&formatted).as_deref(), Ok(formatted.as_str()));
    }
}

#[test]
fn ten_megabytes_of_anything_are_answered() {
    let lines = [
        "x = 1;\n",
        "process p[i: I] { var x: int = 1; send A(x) to p[i]; }\n",
        "(",
        "{",
        "\"\n",
        "/*",
        "\u{0}\u{1}\u{2}",
        "a = {x in (\n",
        "action A() { a = {x in (\n",
        "for y in {x in (\n",
        "a b c ; { ] ) 1 @ $ if for = \n",
        "é∀",
    ];
    for line in lines {
        let text = line.repeat(2_000_000 / line.len());
        let count = codes(&text).len();
        assert!(
            count <= plainsong_syntax::MAX_ERRORS + 1,
            "{line:?}: {count} errors"
        );
    }
    let program = lines[1].repeat(10_000_000 / lines[1].len());
    assert_eq!(codes(&program), [""; 0]);
}

#[test]
fn after_fifty_errors_the_rest_are_counted_as_one() {
    let codes = codes(&"sort 1;\n".repeat(1000));
    assert_eq!(codes.len(), plainsong_syntax::MAX_ERRORS + 1);
    assert_eq!(codes.last(), Some(&"too-many-errors"));
}

#[test]
#[ignore = "a matter of milliseconds only in a release build on a quiet machine"]
fn two_thousand_lines_are_parsed_at_once() {
    let program =
        "process p[i: I] {\n    var x: int = 1;\n    send A(x, f(x) + 2) to p[i];\n}\n".repeat(500);
    let start = std::time::Instant::now();
    let parse = parse(&program);
    let elapsed = start.elapsed();
    assert_eq!(parse.errors(), &[]);
    assert!(elapsed.as_millis() < 20, "{elapsed:?}");
}
