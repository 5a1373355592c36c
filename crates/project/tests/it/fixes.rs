//! After the fixes that projection offers, the diagnostics are gone and the line ends as before, in every run.
//! `PLAINSONG_RANDOM=10000` tries that many random ones.

use plainsong_diagnostics::Diagnostic;
use plainsong_ir::{Song, VarId};
use plainsong_project::{Options, mended, project};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Outcome, Subject};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::value::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

const ENDPOINTS: &str = "sort S;\nchoreography line(p: bool) {
    // a comment that stays
    endpoint a { var x: int = 1; var f: bool = p; var o: option<int> = none; }
    endpoint b { var x: int = 2; var f: bool = !p; var o: option<int> = none; }
    endpoint c { var x: int = 0; var f: bool = p; var o: option<int> = none; }
    endpoint s[i: S] { var x: int = 0; var f: bool = p; }
    endpoint t[e: bool] { var x: int = 0; var g: bool = !e; }
";

fn compiled(text: &str) -> Arc<Song> {
    let compiled = plainsong_syntax::compile(text);
    let song = compiled.song;
    Arc::new(song.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics)))
}

fn notes(song: &Song) -> Vec<Diagnostic> {
    match project(song, 0, &Options::default()) {
        Ok(projection) => projection.notes,
        Err(problems) => problems,
    }
}

/// With all fixes, and what is still said then.
fn fixed(text: &str) -> (String, Vec<Diagnostic>) {
    let mut text = text.to_owned();
    for _ in 0..20 {
        let left = notes(&compiled(&text));
        let (next, count) = mended(&text, &left);
        if count == 0 {
            return (text, left);
        }
        text = next;
    }
    panic!("fixes without end:\n{text}")
}

/// How the line ends in the variables of another one, by constants and parameters; nothing where it fails.
type Ends = BTreeMap<Vec<Value>, Option<BTreeSet<Vec<(String, Value)>>>>;

fn ends(song: &Arc<Song>, of: &Song) -> Option<Ends> {
    let sizes = Sizes::default().with("S", 2);
    let mut all = Ends::new();
    let mut left = 6_000_usize;
    for instance in Instance::all(song.clone(), &sizes, &Bounds::default()).ok()? {
        let machine = Machine::new(&instance, Subject::Line(0));
        for start in machine.initial() {
            let Outcome::Next(start) = start else {
                continue;
            };
            let key = start.parameters(song.lines[0].code.arity).to_vec();
            let ends = all.entry(key).or_insert_with(|| Some(BTreeSet::new()));
            let mut seen = HashSet::from([start.clone()]);
            let mut open = vec![start];
            while let Some(config) = open.pop() {
                left = left.checked_sub(1)?;
                let steps = machine.steps(&config);
                if steps.is_empty() {
                    let mut end = Vec::new();
                    for row in instance.lanes(machine.subject()) {
                        let member = &instance.members()[row];
                        let known = &of.families[member.family.index()].vars;
                        let vars = &song.families[member.family.index()].vars;
                        for (at, var) in vars.iter().enumerate() {
                            if known.iter().any(|one| one.name == var.name) {
                                let value = config.value(row, VarId::from(at)).clone();
                                end.push((format!("{}.{}", member.name, var.name), value));
                            }
                        }
                    }
                    ends.iter_mut().for_each(|ends| {
                        ends.insert(end.clone());
                    });
                }
                for step in steps {
                    match step.outcome {
                        Outcome::Next(next) if seen.insert(next.clone()) => open.push(next),
                        Outcome::Failed(..) => *ends = None,
                        Outcome::Next(_) | Outcome::Discarded => {}
                    }
                }
            }
        }
    }
    Some(all)
}

/// Compares a text with its mended twin; false when there is too much to compare.
fn ends_as_before(text: &str, mended: &str) -> bool {
    let (before, after) = (compiled(text), compiled(mended));
    let (Some(old), Some(new)) = (ends(&before, &before), ends(&after, &before)) else {
        return false;
    };
    for (given, ends) in &old {
        if ends.is_some() {
            assert_eq!(new.get(given), Some(ends), "{given:?}\n{text}\n{mended}");
        }
    }
    true
}

#[test]
fn every_fix_says_what_projection_would_do() {
    let bodies = [
        "a.x = a.x + b.x;",
        "a.x += b.x * c.x; // behind it",
        "if p { a.x = if a.f { b.x } else { c.x }; }",
        "a.x = a.x + b.o.unwrap_or(c.x);",
        "for i in S { s[i].x = s[i].x + a.x; }",
        "if a.x < b.x { a.x = 7; c.x = 3; }",
        "if a.x < b.x || c.f { c.x = 3; } else { b.x = 4; }",
        "if a.f { c.x = 1; }",
        "if a.f || a.x > 3 { c.x = 1; b.x = 9; }",
        "if a.f { for i in S { s[i].x = 1; } }",
        "if a.x == b.x { for i in S { s[i].x = 1; } }",
        "for i in S { if a.f { s[i].x = 2; } }",
        "while a.x < 3 { a.x += 1; c.x += 1; }",
        "t[a.f].x = 7;",
        "t[a.f && b.f].x = a.x;",
        "t[!a.f].x += 1;",
        "a.x = t[b.f].x + t[b.f].x; if p { t[c.f].x = if c.f { a.x } else { 3 }; }",
        "t[a.f].x = t[a.f].x + t[a.f].x;",
        "for i in S { t[s[i].f].x += 2; }",
        "while a.x < b.x + 2 { a.x += 1; c.x += 1; for i in S { s[i].x += 1; } }",
    ];
    for body in bodies {
        let text = format!("{ENDPOINTS}{body}\n}}\n");
        assert!(
            !notes(&compiled(&text)).is_empty(),
            "nothing to fix: {body}"
        );
        let (mended, left) = fixed(&text);
        assert!(left.is_empty(), "{body}: {left:?}\n{mended}");
        assert!(mended.contains("// a comment that stays"), "{mended}");
        assert!(ends_as_before(&text, &mended), "{body}");
    }
}

#[test]
fn where_there_is_no_fix_it_stays_and_is_told() {
    for body in [
        // It writes what decides who is meant, in a later round; a name of its own; it might not have a value.
        "t[t[a.f].g].g = a.f;",
        // Two members of one family, which may be the same.
        "for i in S { for j in S { if s[i].f { s[j].x = 1; } } }",
        "t[t[a.f].g].x = 7;",
        "a.x = sum i in S :: t[s[i].f].x;",
        "t[b.o.unwrap() > 3].x = 1;",
        "if t[a.f].g { a.x = 3; }",
        "a.x = sum i in S :: s[i].x;",
        "if a.f { a.x = 1; } else if b.f { c.x = 1; }",
        "while a.f { if c.f { break; } b.x += 1; a.f = false; }",
    ] {
        let text = format!("{ENDPOINTS}{body}\n}}\n");
        let (mended, left) = fixed(&text);
        assert!(!left.is_empty(), "{body}");
        assert!(ends_as_before(&text, &mended), "{body}");
    }
}

#[test]
fn random_choreographies_mean_the_same_after_their_fixes() {
    let (mut compared, mut changed) = (0, 0);
    let tries = std::env::var("PLAINSONG_RANDOM").ok();
    let tries = tries.and_then(|text| text.parse().ok()).unwrap_or(60);
    for seed in 0..tries {
        let text = crate::random::song(seed);
        let (mended, _) = fixed(&text);
        changed += usize::from(mended != text);
        compared += usize::from(mended != text && ends_as_before(&text, &mended));
    }
    assert!(changed > tries as usize / 2, "{changed} changed");
    assert!(compared > tries as usize / 5, "{compared} compared");
}
