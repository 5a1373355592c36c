//! Generated programs under the explorer: the same Rust code that runs on threads and over TCP has exactly
//! one execution for each vector of outcomes of its free choices and external functions, no deadlock, and ends as the line does.
//!
//! All programs are modules of one crate, which is written into the target folder and built once, by the
//! cargo that runs this test, offline and with the lock file of the workspace; warnings are errors. Its `main`
//! explores every case and prints what it found, which is compared with the paths of the lines. A line
//! that keeps its promises on each of these paths ends in states where they hold, so the program does, too.

use super::{Ends, Given, Told, assumes, choreographies, ends, given, windows};
use plainsong_ir::{Expr, ExprKind, Function, Song, Ty};
use plainsong_project::rust::{Source, arguments, crate_of};
use plainsong_project::{Options, project};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::value::Value;
use plainsong_testkit::corpus::root;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The most vectors of one choreography at one size.
const MOST_PATHS: usize = 2_000;

/// The most parameters of one choreography that are tried at one size.
const MOST_CASES: usize = 12;

/// A program as a module, and what is expected of it.
struct Module {
    files: Vec<(String, String)>,
    protocol: String,
    /// For each case its name and how the line ends.
    cases: Vec<(String, BTreeMap<String, u64>)>,
}

#[test]
fn generated_programs_have_one_execution_for_each_vector_of_choices() {
    let mut modules = Vec::new();
    for told in choreographies(&["examples", "songs/project", "songs/prove"]) {
        modules.extend(module(&told, modules.len()));
    }
    let cases: usize = modules.iter().map(|module| module.cases.len()).sum();
    assert!(modules.len() > 40, "{} programs", modules.len());
    assert!(cases > 300, "{cases} cases");
    let said = build_and_run(&modules);
    let mut found: BTreeMap<&str, BTreeMap<String, u64>> = BTreeMap::new();
    for row in said.lines() {
        let mut parts = row.splitn(3, '\t');
        let (Some(case), Some(count), Some(end)) = (parts.next(), parts.next(), parts.next())
        else {
            panic!("what is this? {row}");
        };
        let count = count.parse().expect("a number of executions");
        found.entry(case).or_default().insert(end.to_owned(), count);
    }
    for (case, expected) in modules.iter().flat_map(|module| &module.cases) {
        assert_eq!(found.get(&**case), Some(expected), "{case}");
    }
}

/// The program of a choreography, unless it has none or the line fails wherever it is tried.
fn module(told: &Told, number: usize) -> Option<Module> {
    let mut functions = told.song.functions.iter();
    if functions.any(|one| one.is_external() && !says_yes_or_no(one)) {
        return None; // there is no body to run; the command's tests write one
    }
    let mut vars = told.song.families.iter().flat_map(|family| &family.vars);
    if vars.any(|var| var.is_input && var.ty != Ty::Bool) {
        return None; // own code here gives truth values
    }
    let bare = told.bare();
    let projection = project(&bare, told.line, &Options::default()).ok()?;
    let voices = projection.song;
    if assumes(&voices) {
        return None; // a role that stops with an error is not an end
    }
    let voices = Arc::new(voices);
    let code = &told.song.lines[told.line].code;
    let parameters: Vec<String> = code.locals[..code.arity]
        .iter()
        .map(|param| param.name.clone())
        .collect();
    let (mut values, mut cases, mut first) = (String::new(), Vec::new(), None);
    for size in told.different(2..=3) {
        for (instance, line) in instances(told, &bare, &voices, size) {
            let Ok(arguments) = arguments(&voices, &parameters, &instance) else {
                continue;
            };
            let case = format!("{} {size} {}", told.name, cases.len());
            writeln!(values, "        ({case:?}, {arguments}),").expect("a text can grow");
            cases.push((case, line.paths));
            first.get_or_insert(instance);
        }
    }
    let name = &told.song.lines[told.line].name;
    let source = Source {
        voices: &voices,
        name,
        parameters: &parameters,
        text: &told.text,
        instance: &first?,
    };
    let files = crate_of(&source).ok()?;
    let module = format!("song_{number}");
    let files = files
        .into_iter()
        .filter(|(path, _)| path.starts_with("src/") && path != "src/main.rs");
    let mut protocol = String::new();
    let files: Vec<_> = files.map(|(path, text)| {
        let text = text.replace("crate::", &format!("crate::{module}::"));
        let text = if path.ends_with("/external.rs") { with_bodies(&text) } else { text };
        let path = path.replacen("src/", &format!("src/{module}/"), 1);
        if !path.ends_with("/lib.rs") {
            return (path, text);
        }
        let declared = text.split("impl Protocol for ").nth(1).unwrap_or_default();
        protocol = declared.split(' ').next().unwrap_or_default().to_owned();
        let cases = format!(
            "\n/// What is explored.\npub fn cases() -> Vec<(&'static str, Parameters)> {{\n    vec![\n{values}    ]\n}}\n"
        );
        (path.replace("/lib.rs", "/mod.rs"), text + &cases)
    }).collect();
    Some(Module {
        files,
        protocol: format!("{module}::{protocol}"),
        cases,
    })
}

/// Instances of the voices at which the line comes to its end, with how it ends.
fn instances(
    told: &Told,
    bare: &Arc<Song>,
    voices: &Arc<Song>,
    size: i64,
) -> Vec<(Instance, Ends)> {
    let sizes = told.sizes(size);
    let Some(mut line) = ends(bare, told.line, &sizes, MOST_PATHS) else {
        return Vec::new();
    };
    if !told.is_broken {
        let kept = ends(&told.song, told.line, &sizes, MOST_PATHS);
        let failures = kept.iter().flatten().flat_map(|(_, ends)| &ends.failures);
        assert_eq!(
            failures.collect::<Vec<_>>(),
            Vec::<&String>::new(),
            "{}",
            told.name
        );
    }
    let instances = Instance::all(voices.clone(), &sizes, &windows()).unwrap_or_default();
    let mut all: Vec<(Instance, Ends)> = instances
        .into_iter()
        .filter_map(|instance| {
            let ends = all_outcomes(&mut line, &given(&instance).0)?;
            ends.failures.is_empty().then_some((instance, ends))
        })
        .collect();
    let step = all.len().div_ceil(MOST_CASES).max(1);
    let mut at = 0;
    all.retain(|_| {
        at += 1;
        (at - 1) % step == 0
    });
    all
}

/// How a line ends with some parameters, whatever external functions return.
fn all_outcomes(line: &mut BTreeMap<Given, Ends>, values: &[Value]) -> Option<Ends> {
    let found = line.extract_if(.., |(of, _), _| of == values);
    found.map(|(_, ends)| ends).reduce(|mut all, more| {
        all.failures.extend(more.failures);
        for (end, count) in more.paths {
            *all.paths.entry(end).or_default() += count;
        }
        all
    })
}

/// Does an external function promise nothing but a truth value?
fn says_yes_or_no(function: &Function) -> bool {
    let promises_nothing = |of: &Expr| matches!(of.kind, ExprKind::Bool(true));
    function.result == Ty::Bool && function.contract.ensures.iter().all(promises_nothing)
}

/// External functions and inputs that return a free choice. No case calls one twice with the same arguments.
fn with_bodies(text: &str) -> String {
    let bodies = text
        .split_inclusive('\n')
        .map(|line| match line.trim_start() {
            body if body.starts_with("Err(Failure::new(") => "    Ok(plainsong::choose_bool())\n",
            _ => line,
        });
    bodies.collect()
}

fn build_and_run(modules: &[Module]) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("endpoints");
    let mut files: Vec<(String, String)> = vec![
        ("Cargo.toml".to_owned(), manifest()),
        ("src/lib.rs".to_owned(), library(modules)),
        ("src/main.rs".to_owned(), main(modules)),
    ];
    files.extend(modules.iter().flat_map(|module| module.files.clone()));
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("the workspace is locked");
    if !folder.join("Cargo.lock").exists() {
        files.push(("Cargo.lock".to_owned(), lock));
    }
    for (path, text) in &files {
        write_if_new(&folder.join(path), text);
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["run", "--offline", "--quiet"])
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .current_dir(&folder);
    let ran = plainsong_children::output(&mut cargo).expect("cargo can be started");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{told}");
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// A file that is as it should be is not built again.
fn write_if_new(path: &PathBuf, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    let parent = path.parent().expect("a file lies in a folder");
    fs::create_dir_all(parent).expect("a folder can be made");
    fs::write(path, text).expect("a file can be written");
}

fn manifest() -> String {
    let root = root();
    let member = |name: &str| format!("{{ path = {:?} }}", root.join("crates").join(name));
    format!(
        "[package]\nname = \"endpoints\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         plainsong = {}\nplainsong-runtime = {}\nplainsong-runtime-explore = {}\n\
         serde = {{ version = \"1.0\", features = [\"derive\", \"rc\"] }}\n\n[workspace]\n\n\
         [profile.dev]\ndebug = false\nincremental = false\n",
        member("plainsong"),
        member("runtime"),
        member("runtime-explore")
    )
}

fn library(modules: &[Module]) -> String {
    let names = (0..modules.len()).map(|at| format!("pub mod song_{at};\n"));
    let names: String = names.collect();
    format!("//! Generated programs.\n\n#![deny(warnings)]\n\n{names}")
}

fn main(modules: &[Module]) -> String {
    let calls = modules.iter().enumerate().map(|(at, module)| {
        format!(
            "    for (name, parameters) in endpoints::song_{at}::cases() {{\n        explore(name, endpoints::{}, parameters);\n    }}\n",
            module.protocol
        )
    });
    let calls: String = calls.collect();
    format!("{EXPLORE}\nfn main() {{\n{calls}}}\n")
}

const EXPLORE: &str = r#"//! Explores generated programs and prints how they end.

use plainsong_runtime::Protocol;
use plainsong_runtime_explore::start_protocol;

fn explore<P: Protocol + Copy>(name: &str, protocol: P, parameters: P::Parameters) {
    let report = plainsong::explore(move || {
        let ends = start_protocol(protocol, &parameters).expect("the parameters are allowed");
        let ends: Vec<String> = ends.join().iter().map(ToString::to_string).collect();
        plainsong::cover(ends.join(" | "));
    });
    report.assert_holds();
    assert_eq!(report.coverage.values().sum::<u64>(), report.executions);
    assert_eq!(report.blocked, 0);
    for (end, count) in &report.coverage {
        println!("{name}\t{count}\t{end}");
    }
}
"#;
