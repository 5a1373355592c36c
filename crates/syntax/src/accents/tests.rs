//! Habits in claims, bodies and outside, and names that are none.

use crate::compile;

/// A program with one statement and one item more.
fn program(statement: &str, item: &str, claim: &str) -> String {
    format!(
        "sort Client;
message Ask(n: nat);
message Told(n: nat);
process server {{
    var x: nat = 0;
    var s: set<Client> = {{}};
    on Ask(n) from any client[c] {{ x = n; send Told(n) to client[c]; }}
}}
process client[c: Client] {{
    var y: nat = 0;
    {statement}
    send Ask(1) to server;
    receive Told(n) from server;
    y = n;
}}
{item}
property p: always {claim};
"
    )
}

/// Each mistake of a text: where, and what is said.
fn said(text: &str) -> Vec<String> {
    let told = compile(text).diagnostics;
    told.iter()
        .map(|one| format!("{}: {}", one.primary.span.slice(text), one.message))
        .collect()
}

#[test]
fn the_program_is_right_without_accents() {
    assert_eq!(said(&program("", "", "true")), Vec::<String>::new());
}

#[test]
fn one_diagnostic_for_a_habit_in_a_claim() {
    let cases = [
        (
            "server.x == 0 ~> server.x == 1",
            "~>: `~>` is written `leads to`",
        ),
        (
            "\\A c \\in Client : client[c].y >= 0",
            "\\A: `\\A` is written `forall`",
        ),
        (
            "server.x == 0 => server.x >= 0",
            "=>: implication is written `==>`",
        ),
        ("server.x /= 1", "/=: `/=` is no operator here"),
        ("server.x # 1", "#: unequal is written `!=`"),
        ("server.x' >= server.x", "': there are no primed variables"),
        (
            "server.x >= 0 /\\ server.x <= 5",
            "/\\: `/\\` is written `&&`",
        ),
        ("[](server.x >= 0)", "[](: `[]` is written `always`"),
        ("<>(server.x >= 0)", "<>: `<>` is written `eventually`"),
        ("server.x = 1", "=: `=` assigns; equality is written `==`"),
        (
            "Cardinality(server.s) <= 2",
            "Cardinality(: `Cardinality` is a method here",
        ),
        ("TRUE", "TRUE: `TRUE` is written `true`"),
        ("server.x != null", "null: there is no `null`"),
        ("Some(server.x) == None", "Some: `Some` is written `some`"),
        ("server.x == 1 ? true : false", "?: there is no `? :`"),
        (
            "if server.x == 1 then true else false",
            "then: there is no `then`",
        ),
        ("server.s.all(|c| true)", ".all(: there are no closures"),
    ];
    for (claim, expected) in cases {
        assert_eq!(said(&program("", "", claim)), [expected], "{claim}");
    }
}

#[test]
fn one_diagnostic_for_a_habit_in_a_body() {
    let cases = [
        (
            "server ! Ask(1);",
            "server ! Ask: sending is written `send`",
        ),
        (
            "server ? Told(n);",
            "server ? Told: receiving is written `receive`",
        ),
        (
            "server <- Ask(1);",
            "server <- Ask: sending and receiving are statements",
        ),
        ("int n = 1;", "int n: a variable is declared with `var`"),
        ("return y;", "return: there is no `return`"),
        ("println!(\"x\");", "println!: there is no output"),
        ("server.ask(1).await;", ".await: there is no `.await`"),
        (
            "for (int i = 0; i < 3; i++) { y = 1; }",
            "for (: there is no `for` with three parts",
        ),
        (
            "for (;;) { y = 1; }",
            "for (: there is no `for` with three parts",
        ),
        (
            "do :: y == 0 -> y = 1; :: else -> skip; od;",
            "do ::: there is no `do :: … od`",
        ),
        ("again: y = 1;", "again:: there are no labels"),
        (
            "atomic { y = 1; }",
            "atomic {: there are no atomic blocks in processes",
        ),
        (
            "either { y = 1; } or { y = 2; }",
            "either {: `either … or …` is written `maybe … else …`",
        ),
        ("if $ { y = 1; }", "if $: a free choice is written `maybe`"),
        (
            "send server, Ask, 1;",
            "send server,: the receiver comes last",
        ),
        (
            "switch (y) { case 0: y = 1; break; }",
            "switch: `switch` is written `match`",
        ),
        ("y = 3 as nat;", "as: there are no casts"),
        ("-- a comment", "-- a: comments begin with `//`"),
    ];
    for (statement, expected) in cases {
        assert_eq!(
            said(&program(statement, "", "true")),
            [expected],
            "{statement}"
        );
    }
}

#[test]
fn one_diagnostic_for_a_habit_outside() {
    let cases = [
        (
            "proctype P() { do :: skip od }",
            "proctype: `proctype` is written `process`",
        ),
        ("VARIABLES x, y", "VARIABLES: `VARIABLES` is written `var`"),
        (
            "Init == /\\ x = 0\n        /\\ y = 0",
            "Init ==: definitions are not written `==`",
        ),
        (
            "machine M { start state S { entry { goto T; } } }",
            "machine: `machine` is written `process`",
        ),
        ("val inv = server.x >= 0", "val: `val` is written `let`"),
        (
            "func f(x int) int { return x }",
            "func: `func` is written `fn`",
        ),
        ("#include <stdio.h>", "#include: there is no `#include`"),
        ("use std::sync::mpsc;", "use std::: there are no modules"),
        ("fn main() { }", "fn main: there is no `main`"),
        (
            "property q = always true;",
            "property q =: a property's name is followed by `:`",
        ),
        (
            "message Foo { n: int }",
            "message Foo {: a message's fields stand in parentheses",
        ),
        (
            "sort S = {a, b};",
            "sort S = {: members of a sort have no names",
        ),
    ];
    for (item, expected) in cases {
        let told = said(&program("", item, "true"));
        assert_eq!(
            told.first().map(String::as_str),
            Some(expected),
            "{item}: {told:?}"
        );
    }
}

/// The words of the table are names like others where they stand as names.
#[test]
fn what_is_no_habit_stays_what_it_is() {
    let text = program(
        "var state: nat = 0; state = 1; let go = state; y = go + missing;",
        "",
        "true",
    );
    assert_eq!(said(&text), ["missing: `missing` is not declared"]);
    let text = program("y := 1;", "", "true");
    assert_eq!(said(&text), [":=: assignment is written `=`, not `:=`"]);
}

#[test]
fn a_habit_is_told_once_with_the_others_of_its_line() {
    let text = program(
        "",
        "property q: always \\A c \\in Client : server.x >= 0 /\\ true;",
        "server.x >= 0 /\\ true",
    );
    let compiled = compile(&text);
    let [first] = &compiled.diagnostics[..] else {
        panic!("{:?}", compiled.diagnostics);
    };
    let help = first.help.as_deref().unwrap_or_default();
    assert!(
        help.ends_with("; and `\\in` is `in`, `/\\` is `&&`"),
        "{help}"
    );
    assert!(compiled.song.is_none());
}
