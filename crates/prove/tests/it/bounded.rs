//! Runs that a solver finds within bounds, and the interpreter runs again.

use crate::prover::SOLVERS;
use plainsong_ir::Song;
use plainsong_prove::bounded::{Catch, Hunt, lead};
use plainsong_prove::obligation::Rule;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{
    Answer, Check, Limits, Query, SearchReport, Unwatched, search, steer,
};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_smt::Cancel;
use std::path::Path;
use std::sync::Arc;

/// What the solver suggests against the contract of a line, and what the interpreter makes of it.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// The interpreter ran into it.
    Refuted,
    /// It did not.
    BadLead,
    /// The solver says that there is nothing.
    Nothing,
    /// There was no answer.
    Unclear,
}

fn song(text: &str) -> Arc<Song> {
    let compiled = plainsong_syntax::compile(text);
    Arc::new(
        compiled
            .song
            .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)),
    )
}

fn is_refuted(report: &SearchReport) -> bool {
    (report.findings.iter()).any(|finding| matches!(finding.answer, Answer::Refuted(..)))
}

fn contract(line: usize) -> Query {
    Query {
        subject: Subject::Line(line),
        checks: vec![Check::Contract],
    }
}

fn is_of_contract(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::Ensures | Rule::Established | Rule::Maintained | Rule::Decreases | Rule::Unanimity
    )
}

fn hunted(song: &Arc<Song>, line: usize, bounds: &Bounds) -> Outcome {
    let sizes = Sizes::new();
    let instances = Instance::all(song.clone(), &sizes, bounds).expect("there are instances");
    let hunt = Hunt {
        instance: &instances[0],
        line,
        finally: &[],
        rounds: 4,
        resource: 4_000_000,
        wanted: &is_of_contract,
    };
    match lead(&hunt, &SOLVERS, &Cancel::default()) {
        Ok(Catch::Lead(lead)) => {
            let instance = Instance::with_values(song.clone(), &sizes, bounds, &lead.constants);
            let instance = instance.ok().flatten().expect("the values are allowed");
            let (query, limits) = (contract(line), Limits::default());
            let report = steer(&instance, &query, &limits, &mut Unwatched, &lead.steering);
            match is_refuted(&report) {
                true => Outcome::Refuted,
                false => Outcome::BadLead,
            }
        }
        Ok(Catch::Nothing) => Outcome::Nothing,
        Ok(Catch::Unclear) | Err(_) => Outcome::Unclear,
    }
}

/// Every mutant of the classic programs whose contract small runs refute is refuted by a lead as well; no
/// lead leads astray; and where runs refute nothing, the solver finds nothing.
#[test]
fn mutants_are_found_by_leads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../songs/prove");
    let mut files: Vec<_> = (std::fs::read_dir(folder).expect("the songs are there"))
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.to_string_lossy().ends_with("-broken.song"))
        .collect();
    files.sort();
    let (mut refuted, mut unclear) = (0, Vec::new());
    for path in files {
        let song = song(&std::fs::read_to_string(&path).expect("text"));
        let bounds = Bounds::default();
        // Leads do not cover external functions.
        if song
            .functions
            .iter()
            .any(plainsong_ir::Function::is_external)
        {
            continue;
        }
        for (line, decl) in song.lines.iter().enumerate() {
            let name = format!("{}: {}", path.display(), decl.name);
            let instances = Instance::all(song.clone(), &Sizes::new(), &bounds);
            let limits = Limits {
                states: 3_000,
                ..Limits::default()
            };
            let small = (instances.expect("there are instances").iter()).any(|instance| {
                is_refuted(&search(instance, &contract(line), &limits, &mut Unwatched))
            });
            match hunted(&song, line, &bounds) {
                Outcome::Refuted => refuted += 1,
                Outcome::BadLead => panic!("{name}: the run does not go wrong"),
                Outcome::Nothing => {
                    assert!(!small, "{name}: runs refute it, the solver sees nothing");
                }
                Outcome::Unclear => unclear.push(name),
            }
        }
    }
    assert!(refuted >= 55, "{refuted}; unclear: {unclear:#?}");
    assert!(unclear.len() <= 8, "unclear: {unclear:#?}");
}

/// Only one of very many starts goes wrong, or none.
#[test]
fn needles_in_a_haystack() {
    let text = |sum: &str| {
        format!(
            "sort Node = 1..=3;
            param weight: nat;
            choreography c(at: map<Node, int>) {{
                endpoint node[n: Node] {{ var v: int = choose int; }}
                ensures node[1].v + node[2].v + node[3].v != {sum};
                for n in Node {{ node[n].v = node[n].v + at[n]; }}
            }}"
        )
    };
    let bounds = Bounds::default();
    assert_eq!(hunted(&song(&text("12")), 0, &bounds), Outcome::Refuted);
    assert_eq!(
        hunted(&song(&text("9 + weight")), 0, &bounds),
        Outcome::Refuted
    );
    assert_eq!(hunted(&song(&text("13")), 0, &bounds), Outcome::Nothing);
}

/// What is chosen in a branch that is not taken is not chosen.
#[test]
fn choices_follow_the_path() {
    let text = "choreography c(left: bool, o: option<int>, s: set<int>, t: seq<bool>) {
            endpoint me { var a: int = 0; var b: int = choose int; var k: nat = 0; }
            ensures me.a != 2 || me.b != -1 || o != some(1) || s != {0, 1} || t != [true, false];
            if left {
                me.a = choose int;
            } else {
                me.b = choose int;
                maybe { me.a = choose int where a > 1; }
            }
            while me.k < 2 decreases 2 - me.k { me.k += 1; }
        }";
    assert_eq!(hunted(&song(text), 0, &Bounds::default()), Outcome::Refuted);
}
