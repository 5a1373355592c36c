//! What other programs read: JSON, metrics, graphs.

use crate::script::DELIVERIES;
use plainsong::{
    Explorer, Verdict, choose, choose_named, cover, current, receive, send, spawn_named,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

fn scratch(name: &str) -> PathBuf {
    let name = format!("plainsong-exports-{name}-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn ask() {
    let main = current();
    for name in ["ann", "bob"] {
        spawn_named(name, move || send(main, format!("{name} says \"hi\"\\")));
    }
    let first = receive::<String>();
    let size = choose_named("size", [1, 2]);
    cover("a \"mark\"\n");
    assert!(size == 1 || first.starts_with("ann"), "bob came first");
}

#[test]
fn a_report_is_json_with_every_member() {
    let explorer = Explorer::new()
        .keep_going(true)
        .fix_at("size", "main", 1, 2);
    let report = explorer.run(ask);
    let json: Value = serde_json::from_str(&report.to_json()).expect("it is JSON");
    let members: BTreeSet<&str> = json
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let all = [
        "format",
        "version",
        "verdict",
        "end",
        "limit",
        "fixed",
        "executions",
        "failed",
        "blocked",
        "events",
        "counters",
        "coverage",
        "seconds",
        "peak_memory",
        "estimate",
        "restart",
        "failures",
        "notes",
        "memory_model",
        "weak_orderings",
        "trace_file",
        "checkpoint_file",
        "dot_file",
    ];
    assert_eq!(members, BTreeSet::from(all));
    assert_eq!(json["format"], "plainsong.report");
    assert_eq!(json["version"], 1);
    assert_eq!(json["verdict"], "refuted");
    assert_eq!(json["end"], "complete");
    assert_eq!(json["limit"], Value::Null);
    assert_eq!(json["executions"], report.executions);
    assert_eq!(json["failed"], 1);
    assert_eq!(json["fixed"][0]["process"], "main");
    assert_eq!(json["fixed"][0]["occurrence"], 1);
    assert_eq!(json["fixed"][0]["value"], "2");
    assert_eq!(json["coverage"]["a \"mark\"\n"], 2);
    let failure = &json["failures"][0];
    assert_eq!(failure["kind"], "panic");
    assert_eq!(failure["message"], "bob came first");
    assert_eq!(failure["picture"], report.failures[0].picture);
    let trace = failure["trace"].as_str().unwrap();
    let trace: plainsong::Trace = trace.parse().expect("a trace");
    assert_eq!(
        Explorer::new().replay(&trace, ask).verdict,
        Verdict::Refuted
    );
    assert_eq!(json["counters"]["revisits"], report.counters.revisits);

    let limited = Explorer::new().limit_executions(1).run(ask);
    let json: Value = serde_json::from_str(&limited.to_json()).unwrap();
    assert_eq!(
        (&json["end"], &json["limit"]),
        (&"limit".into(), &"executions".into())
    );
    assert!(json["estimate"]["executions"].as_f64().unwrap() >= 1.0);
}

#[test]
fn metrics_are_lines_of_names_and_numbers() {
    let report = Explorer::new().keep_going(true).run(ask);
    let text = report.prometheus();
    let mut types = BTreeSet::new();
    for line in text.lines() {
        if let Some(line) = line.strip_prefix("# TYPE ") {
            types.insert(line.split(' ').next().unwrap());
        } else if !line.starts_with("# HELP ") {
            let (name, number) = line.rsplit_once(' ').unwrap();
            let family = name.split('{').next().unwrap();
            assert!(types.contains(family), "{line}");
            assert!(number.parse::<f64>().is_ok(), "{line}");
        }
    }
    assert!(text.contains("plainsong_executions_total{outcome=\"completed\"} 3\n"));
    assert!(text.contains("plainsong_executions_total{outcome=\"failed\"} 1\n"));
    assert!(text.contains("plainsong_covered_executions_total{mark=\"a \\\"mark\\\"\\n\"} 4\n"));
    assert!(text.contains("plainsong_holds 0\n"));
}

#[test]
fn counters_are_the_same_for_every_number_of_workers_where_they_can_be() {
    let program = || {
        let main = current();
        for n in 0..4_u32 {
            spawn_named("sender", move || send(main, n));
        }
        assert_eq!((0..4).map(|_| receive::<u32>()).sum::<u32>(), 6);
    };
    let run = |jobs| Explorer::new().jobs(jobs).run(program);
    let one = run(1);
    assert_eq!(one.executions, 24);
    assert!(one.counters.process_starts >= 5);
    // Executions number 1, 2, 4, 8 and 16.
    assert_eq!((one.counters.checks, one.counters.in_vain), (5, 0));
    let three = run(3);
    assert_eq!(three.counters.revisits, one.counters.revisits);
    assert_eq!(three.counters.in_vain, 0);
}

/// Checks that a graph is one as far as a reader without Graphviz can: every node that an arrow
/// names exists, and quotation marks and braces match.
fn check_graph(text: &str) {
    assert!(
        text.starts_with("digraph execution {\n") && text.ends_with("}\n"),
        "{text}"
    );
    let (mut nodes, mut depth) = (BTreeSet::new(), 0_i32);
    for line in text.lines() {
        let plain = line.replace("\\\\", "").replace("\\\"", "");
        assert_eq!(plain.matches('"').count() % 2, 0, "{line}");
        let outside: String = plain.split('"').step_by(2).collect();
        depth += outside.matches('{').count() as i32 - outside.matches('}').count() as i32;
        let mut words = outside.split_whitespace();
        let node = words.next().filter(|word| word.starts_with('e'));
        if let Some(node) = node.filter(|_| words.next() != Some("->")) {
            assert!(nodes.insert(node.to_owned()), "{line}");
        }
    }
    assert_eq!(depth, 0);
    let arrows: Vec<(String, String)> = text
        .lines()
        .filter_map(|line| line.split_once(" -> "))
        .map(|(from, to)| {
            let to = to.split([' ', ';']).next().unwrap();
            (from.trim().to_owned(), to.to_owned())
        })
        .collect();
    assert!(!nodes.is_empty());
    for (from, to) in arrows {
        assert!(
            nodes.contains(&from) && nodes.contains(&to),
            "{from} -> {to} in {text}"
        );
    }
}

#[test]
fn each_execution_has_a_graph_whether_something_fails_or_not() {
    for delivery in DELIVERIES {
        for jobs in [1, 3] {
            let folder = scratch(&format!("folder-{delivery:?}-{jobs}"));
            let explorer = Explorer::new()
                .delivery(delivery)
                .jobs(jobs)
                .keep_going(true);
            let report = explorer.clone().dot_folder(&folder, 100).run(ask);
            assert_eq!((report.executions, report.failed), (3, 1));
            let graphs: BTreeSet<String> = std::fs::read_dir(&folder)
                .unwrap()
                .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
                .collect();
            assert_eq!(graphs.len(), 4, "each is another one");
            graphs.iter().for_each(|graph| check_graph(graph));
            let failed = graphs
                .iter()
                .filter(|it| it.contains("failed: bob came first"));
            assert_eq!(failed.count(), 1);
            assert!(graphs.iter().all(|it| it.contains("choose size = ")));
            std::fs::remove_dir_all(&folder).unwrap();
            // No more than was asked for.
            drop(explorer.dot_folder(&folder, 2).run(ask));
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
            std::fs::remove_dir_all(&folder).unwrap();
        }
    }
}

#[test]
fn one_graph_is_of_the_failure_if_there_is_one() {
    let file = scratch("one.dot");
    let report = Explorer::new().dot_file(&file).run(ask);
    assert_eq!(report.dot_file.as_ref(), Some(&file));
    let graph = std::fs::read_to_string(&file).unwrap();
    check_graph(&graph);
    assert!(graph.contains("color=red") && graph.contains("label=\"failed: bob came first\""));
    assert!(report.to_string().contains("graph: "), "{report}");
    std::fs::remove_file(&file).unwrap();

    let waits = Explorer::new().allow_deadlock(true).dot_file(&file);
    waits.run(|| receive::<()>()).assert_holds();
    let graph = std::fs::read_to_string(&file).unwrap();
    check_graph(&graph);
    assert!(graph.contains("waits: receive"), "{graph}");
    std::fs::remove_file(&file).unwrap();

    let nowhere = scratch("none").join("no").join("folder.dot");
    let report = Explorer::new().dot_file(&nowhere).run(|| {
        choose([1]);
    });
    report.assert_holds();
    assert_eq!(report.dot_file, None);
    assert!(
        report.notes[0].starts_with("the graph was not saved in"),
        "{report}"
    );
}
