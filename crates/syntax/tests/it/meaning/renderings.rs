//! Whole diagnostics, as a person would read them.

use expect_test::{Expect, expect};
use plainsong_diagnostics::{Label, Severity, line_and_column};
use plainsong_syntax::compile;

/// All diagnostics of a text, with the lines they point at.
fn render(text: &str) -> String {
    let mut out = String::new();
    for diagnostic in compile(text).diagnostics {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        out += &format!(
            "{severity}[{}]: {}\n",
            diagnostic.code.name, diagnostic.message
        );
        out += &place(text, &diagnostic.primary, '^');
        for label in &diagnostic.secondary {
            out += &place(text, label, '-');
        }
        if let Some(help) = &diagnostic.help {
            out += &format!("help: {help}\n");
        }
        if let Some(fix) = &diagnostic.fix {
            out += &format!("fix: {}\n", fix.title);
        }
    }
    out
}

fn place(text: &str, label: &Label, mark: char) -> String {
    let position = line_and_column(text, label.span.start);
    let line = text.lines().nth(position.line as usize - 1).unwrap_or("");
    let width = label
        .span
        .slice(text)
        .lines()
        .next()
        .map_or(0, |part| part.chars().count())
        .max(1);
    let indent = " ".repeat(position.column as usize - 1);
    let marks = mark.to_string().repeat(width);
    format!("  | {line}\n  | {indent}{marks} {}\n", label.text).replace(" \n", "\n")
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&render(text));
}

#[test]
fn a_value_of_the_wrong_type() {
    check(
        "message Vote(n: int);\nprocess db {\n    let yes = choose bool;\n    send Vote(yes) to db;\n}\n",
        expect![[r#"
            error[type-mismatch]: `yes` is a bool, but `Vote` wants an int here
              |     send Vote(yes) to db;
              |               ^^^ this is a bool
              | message Vote(n: int);
              |         ---- `n: int` is declared here
        "#]],
    );
}

#[test]
fn a_slip_in_a_name() {
    check(
        "message Done;\nprocess coordinator { receive Done; }\nprocess db { send Done to coordinatro; }\n",
        expect![[r#"
            error[unknown-name]: `coordinatro` is not declared
              | process db { send Done to coordinatro; }
              |                           ^^^^^^^^^^^
            help: did you mean `coordinator`?
            fix: write `coordinator`
        "#]],
    );
}

#[test]
fn a_local_in_a_property() {
    check(
        "process db {\n    assert true;\n    var outcome = 1;\n    assert outcome == 1;\n}\n\
         property agreed: finally db.outcome == 1;\n",
        expect![[r#"
            error[not-state]: `outcome` is local to the body of `db`, and properties do not see it
              | property agreed: finally db.outcome == 1;
              |                             ^^^^^^^
              | process db {
              |         -- `db` is declared here
            help: declare it as a `var` at the top of the process
        "#]],
    );
}

#[test]
fn a_state_variable_without_its_process() {
    check(
        "sort Db;\nprocess db[d: Db] { var outcome: bool = true; }\nproperty agreed: finally outcome;\n",
        expect![[r#"
            error[unknown-name]: `outcome` is not declared
              | property agreed: finally outcome;
              |                          ^^^^^^^
            help: did you mean `db[d].outcome`?
        "#]],
    );
}

#[test]
fn an_option_where_a_value_is_wanted() {
    check(
        "sort Node;\nprocess node[n: Node] {\n    var parent: option<Node> = none;\n    parent = n;\n}\n",
        expect![[r#"
            error[type-mismatch]: `n` is a Node, but `parent` is an option<Node>
              |     parent = n;
              |              ^ this is a Node
              |     var parent: option<Node> = none;
              |         ------ `parent` is declared here
            help: wrap it: `some(n)`
            fix: wrap the value in `some(…)`
        "#]],
    );
}

#[test]
fn an_index_where_a_process_is_wanted() {
    check(
        "sort Db;\nmessage Ask;\nprocess db[d: Db] { receive Ask; }\ninit { for d in Db { send Ask to d; } }\n",
        expect![[r#"
            error[type-mismatch]: `d` is a Db, but `to` wants a process here
              | init { for d in Db { send Ask to d; } }
              |                                  ^ this is a Db
            help: to name a process, write `db[d]`
        "#]],
    );
}

#[test]
fn a_missing_case() {
    check(
        "enum Reply { Free, Taken, Value(int, bool) }\n\
         fn f(r: Reply) -> int { match r { Free => 0, Value(n, true) => n, Taken => 1 } }\n",
        expect![[r#"
            error[missing-case]: this match does not cover `Value(_, false)`
              | fn f(r: Reply) -> int { match r { Free => 0, Value(n, true) => n, Taken => 1 } }
              |                               ^ of type Reply
            help: add `Value(_, false) => …`, or `_ => …` for all that remain
        "#]],
    );
}

#[test]
fn an_assignment_to_a_let() {
    check(
        "process p {\n    let n = 0;\n    n = n + 1;\n}\n",
        expect![[r#"
            error[not-assignable]: `n` was declared with `let` and cannot be assigned
              |     n = n + 1;
              |     ^
              |     let n = 0;
              |         - declared here
            help: declare it with `var`: `var n = …;`
            fix: declare it with `var`
        "#]],
    );
}

#[test]
fn a_slot_that_hides_a_state_variable() {
    check(
        "sort Node;\nmessage Adopt(parent: Node);\nprocess node {\n    var parent: option<Node> = none;\n    \
         on Adopt(parent) { parent = some(parent); }\n}\ninit { let n = choose Node; send Adopt(n) to node; }\n",
        expect![[r#"
            error[not-assignable]: `parent` is part of a received message and cannot be assigned
              |     on Adopt(parent) { parent = some(parent); }
              |                        ^^^^^^
              |     on Adopt(parent) { parent = some(parent); }
              |              ------ declared here
            help: it hides the state variable `parent`; give one of them another name
        "#]],
    );
}

#[test]
fn a_receive_in_a_handler() {
    check(
        "message Ask;\nmessage Reply;\nprocess p {\n    on Ask { receive Reply; }\n}\n\
         init { send Ask to p; send Reply to p; }\n",
        expect![[r#"
            error[misplaced-statement]: `receive` cannot stand in a handler
              |     on Ask { receive Reply; }
              |              ^^^^^^^
            help: a handler runs to completion; write another `on` for the message
        "#]],
    );
}

#[test]
fn a_method_of_another_language() {
    check(
        "fn f(s: set<int>) -> set<int> { s.insert(1) }\n",
        expect![[r#"
        error[unknown-method]: `s` is a set<int>, which has no method `insert`
          | fn f(s: set<int>) -> set<int> { s.insert(1) }
          |                                   ^^^^^^
        help: did you mean `with`?
        fix: write `with`
    "#]],
    );
}

#[test]
fn numbers_inside_collections() {
    check(
        "fn f(s: set<nat>) -> set<int> { s }\n",
        expect![[r#"
        error[type-mismatch]: `s` is a set<nat>, but `f` returns a set<int>
          | fn f(s: set<nat>) -> set<int> { s }
          |                                 ^ this is a set<nat>
          | fn f(s: set<nat>) -> set<int> { s }
          |    - `f` is declared here
        help: numbers are converted one by one, not inside collections: build the collection with the wanted type, for example `let s: set<int> = {…};`
    "#]],
    );
}

#[test]
fn constants_in_a_circle() {
    check(
        "const A: int = B + 1;\nconst B: int = C;\nconst C: int = A;\n",
        expect![[r#"
        error[recursive-definition]: `A`, `B`, `C` depend on each other in a circle
          | const A: int = B + 1;
          |       ^
          | const B: int = C;
          |       - `B` is in the circle
          | const C: int = A;
          |       - `C` is in the circle
        help: constants and the bounds of sorts are computed from other declarations, not from themselves
    "#]],
    );
}

#[test]
fn a_name_that_ended_with_its_block() {
    check(
        "process p {\n    if true { let found = 1; assert found == 1; }\n    assert found == 1;\n}\n",
        expect![[r#"
            error[unknown-name]: `found` is not declared
              |     assert found == 1;
              |            ^^^^^
              |     if true { let found = 1; assert found == 1; }
              |                   ----- this `found` ended with its block
        "#]],
    );
}

#[test]
fn an_order_that_is_not_there() {
    check(
        "sort Node;\nfn first(a: Node, b: Node) -> bool { a < b }\n",
        expect![[r#"
        error[bad-operand]: `<` wants numbers or members of an ordered sort, not a Node
          | fn first(a: Node, b: Node) -> bool { a < b }
          |                                      ^
          | sort Node;
          |      ---- `Node` has no order
        help: declare `sort Node ordered;` if the order is part of the problem
    "#]],
    );
}
