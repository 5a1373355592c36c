//! Rewrites that do not change what a program means keep its proof for every size, and broken twins have none.
//!
//! Each line is a client that asks a server at most four times, said in another way, and a change that breaks it.

use super::{Ranked, ranking};
use plainsong_smt::{Cancel, Setup};

fn found(client: &str) -> Option<Ranked> {
    let text = format!(
        "sort Client; enum Phase {{ First, Second, Third }} struct Book {{ done: bool, tries: int }}
         message Tick; message Request; message Reply;
         fn more(n: nat) -> bool {{ n + 1 <= 4 }}
         fn next(n: nat) -> nat {{ if n < 9 {{ n + 1 }} else {{ 10 }} }}
         extern fn hint(n: nat) -> nat ensures result <= n;
         process client[c: Client] {{ var done: bool = false; {client} on Reply {{ done = true; }} }}
         process server {{ on Request from any client[c] {{ send Reply to client[c]; }} }}
         init {{ for c in Client {{ send Tick to client[c]; }} }}
         property quiet: eventually quiescent;"
    );
    let song = plainsong_syntax::compile(&text).song.expect(&text);
    let setup = Setup::from_environment();
    ranking(&song, setup, &Cancel::default(), &mut || false).ok()
}

const AGAIN: &str = "send Request to server; send Tick to client[c];";

/// A client, what is replaced in it, and by what.
const REWRITES: [(&str, &str, &str); 20] = [
    (
        "var n: nat = 0; on Tick { if 2 * n < 8 { n = n + 1; AGAIN } }",
        "n + 1",
        "n + 0",
    ),
    (
        "var n: nat = 0; on Tick { if !(n >= 4) && !done { n += 1; AGAIN } }",
        "n += 1",
        "n = n",
    ),
    (
        "var n: int = 0; on Tick { if 4 > n { AGAIN n = 1 + n; } }",
        "1 + n",
        "n - 1",
    ),
    (
        "var n: int = 4; on Tick { if n > 0 { n = n - 1; AGAIN } }",
        "n - 1",
        "n + 1",
    ),
    (
        "var n: nat = 4; on Tick { if n != 0 { n -= 1; AGAIN } }",
        "n -= 1",
        "done = false",
    ),
    (
        "var n: int = -4; on Tick { if n < 0 { n += 1; AGAIN } }",
        "n += 1",
        "n -= 1",
    ),
    (
        "var n: int = 9; on Tick { let m = n - 3; if m >= 0 { n = m; AGAIN } }",
        "n = m",
        "n = m + 3",
    ),
    (
        "var b: Book = Book { done: false, tries: 0 }; on Tick { if b.tries < 4 { b.tries = b.tries + 1; AGAIN } }",
        "b.tries = b.tries + 1",
        "b.done = true",
    ),
    (
        "var b: Book = Book { done: false, tries: 4 }; on Tick { if b.tries > 0 { b = Book { tries: b.tries - 1, ..b }; AGAIN } }",
        "b.tries - 1",
        "b.tries",
    ),
    (
        "var p: (nat, bool) = (4, false); on Tick { if p.0 > 0 { p = (p.0 - 1, true); AGAIN } }",
        "p.0 - 1",
        "p.0",
    ),
    (
        "var n: nat = 0; on Tick { if more(n) { n = next(n); AGAIN } }",
        "next(n)",
        "n",
    ),
    (
        "var n: nat = 0; on Tick where n < 4 && !done { n += 1; AGAIN } on Tick { done = true; }",
        "n += 1",
        "n = 0",
    ),
    (
        "var o: option<nat> = some(4); on Tick { match o { some(k) => { if k > 0 { o = some(k - 1); AGAIN } } none => {} } }",
        "some(k - 1)",
        "some(k)",
    ),
    (
        "var s: seq<nat> = [1, 2, 3]; on Tick { if s.len() > 0 { s = s.drop_first(); AGAIN } }",
        "s.drop_first()",
        "s.drop_first().push(1)",
    ),
    (
        "var s: seq<bool> = []; on Tick { if s.len() < 4 { s = s.push(true); AGAIN } }",
        "s.push(true)",
        "s",
    ),
    (
        "var p: Phase = First; on Tick { match p { First => { p = Second; AGAIN } Second => { p = Third; AGAIN } Third => {} } }",
        "p = Third",
        "p = First",
    ),
    (
        "var a: nat = 2; var b: nat = 2; on Tick { if b > 0 { b -= 1; AGAIN } else if a > 0 { a -= 1; b = 7; AGAIN } }",
        "a -= 1",
        "a = a",
    ),
    (
        "var a: nat = 0; var b: nat = 9; on Tick { if a + 1 < b { maybe { a += 1; } else { b -= 1; } AGAIN } }",
        "b -= 1",
        "b += 1",
    ),
    (
        "var n: nat = 4; var h: nat = 0; on Tick { if n > 0 { h = hint(n); n -= 1; AGAIN } }",
        "n -= 1",
        "n = hint(n)",
    ),
    (
        "var n: nat = 9; on Tick { if n / 2 > 0 { n = n / 2; AGAIN } }",
        "n = n / 2",
        "n = n - n % 2",
    ),
];

#[test]
fn twenty_rewrites_keep_their_proofs_and_their_twins_have_none() {
    for (client, good, bad) in REWRITES {
        let text = client.replace("AGAIN", AGAIN);
        assert!(found(&text).is_some(), "not proved: {text}");
        assert!(text.contains(good), "{text}");
        let broken = text.replacen(good, bad, 1);
        assert!(found(&broken).is_none(), "proved: {broken}");
    }
}
