//! What machines that guard a repository read: JUnit and SARIF.

use crate::songs;
use crate::stage::Stage;
use serde_json::Value;

fn stage() -> Stage {
    let stage = Stage::with(songs::RACE);
    stage.write("fine.song", songs::FINE);
    stage.write("endless.song", songs::ENDLESS);
    stage.write("bad.song", "process a {\n    sned X to b;\n}\n");
    stage
}

const ALL: [&str; 8] = [
    "check",
    "a.song",
    "fine.song",
    "endless.song",
    "bad.song",
    "--bound",
    "states=50",
    "--junit",
];

#[test]
fn junit_has_a_suite_for_each_file_and_a_case_for_each_property() {
    let stage = stage();
    let mut arguments = ALL.to_vec();
    arguments.push("results.xml");
    stage.run(&arguments).exits(3);
    let xml = stage.read("results.xml");
    assert!(xml.starts_with("<?xml version=\"1.0\""), "{xml}");
    for part in [
        "<testsuite name=\"bad.song\" tests=\"",
        "<testsuite name=\"a.song\" tests=\"4\" skipped=\"0\" errors=\"0\" failures=\"1\">",
        "<testsuite name=\"fine.song\" tests=\"3\" skipped=\"0\" errors=\"0\" failures=\"0\">",
        "<testcase name=\"same\" classname=\"a.song\"",
        "<failure message=\"c = Client#1: server.first == some(c) is false",
        "replay: plainsong replay out/a.same.trace",
        "<testcase name=\"small\" classname=\"endless.song\"",
        "type=\"unknown\"",
        "bad.song:2:",
    ] {
        assert!(xml.contains(part), "{part}\n{xml}");
    }
    assert!(
        xml.contains("<testsuites name=\"plainsong\" tests=\"11\""),
        "{xml}"
    );
}

#[test]
fn a_bounded_answer_is_an_error_where_a_proof_is_required() {
    let stage = stage();
    stage.write("bounded.song", songs::WATCHED);
    let arguments = [
        "check",
        "bounded.song",
        "--require",
        "proved",
        "--junit",
        "r.xml",
    ];
    stage.run(&arguments).exits(2);
    let xml = stage.read("r.xml");
    assert!(xml.contains("errors=\"1\""), "{xml}");
    assert!(xml.contains("holds only up to Client=2"), "{xml}");
}

#[test]
fn sarif_has_a_result_for_each_answer_and_each_mistake() {
    let stage = stage();
    let mut arguments = ALL[..7].to_vec();
    arguments.extend(["--sarif", "results.sarif"]);
    stage.run(&arguments).exits(3);
    let sarif: Value = serde_json::from_str(&stage.read("results.sarif")).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "plainsong");
    let rules: Vec<&str> = strings(&run["tool"]["driver"]["rules"], "id");
    let results = run["results"].as_array().expect("results");
    for result in results {
        let rule = result["ruleId"].as_str().expect("a rule");
        assert!(rules.contains(&rule), "{rule}");
        assert!(
            result["message"]["text"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].is_string(), "{result}");
        let kind = result["kind"].as_str().expect("a kind");
        let level = result["level"].as_str().expect("a level");
        assert_eq!(level == "error", kind == "fail", "{result}");
    }
    let refuted: Vec<&Value> = of_rule(results, "refuted");
    assert_eq!(refuted.len(), 1);
    let place = &refuted[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a.song");
    assert_eq!(place["region"]["startLine"], 20);
    assert_eq!(refuted[0]["properties"]["trace"], "out/a.same.trace");
    let flow = &refuted[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let steps = flow.as_array().expect("a code flow");
    assert!(steps.len() >= 4, "each event is a step: {steps:?}");
    for step in steps {
        let place = &step["location"];
        assert_eq!(
            place["physicalLocation"]["artifactLocation"]["uri"],
            "a.song"
        );
        assert!(place["physicalLocation"]["region"]["startLine"].is_u64());
        assert!(
            place["message"]["text"]
                .as_str()
                .is_some_and(|text| text.contains("Hello"))
        );
    }
    assert!(!of_rule(results, "unknown").is_empty());
    let fine = of_rule(results, "holds").len() + of_rule(results, "proved").len();
    assert!(fine >= 5, "{results:?}");
    let mistake = results.iter().find(|one| {
        one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "bad.song"
    });
    let place = &mistake.expect("a mistake")["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 2);
}

#[test]
fn both_are_written_by_explore_and_beside_the_json_stream() {
    let stage = stage();
    let arguments = [
        "explore", "a.song", "--json", "--junit", "r.xml", "--sarif", "r.sarif",
    ];
    let ran = stage.run(&arguments).exits(1);
    assert!(
        ran.out.lines().all(|line| line.starts_with('{')),
        "{}",
        ran.out
    );
    assert!(stage.read("r.xml").contains("engine: explore"));
    assert!(stage.read("r.sarif").contains("\"explore\""));
}

#[test]
fn a_file_that_cannot_be_written_is_said() {
    let stage = stage();
    let ran = stage
        .run(&["check", "fine.song", "--junit", "no/such/folder/r.xml"])
        .exits(3);
    assert!(
        ran.err.contains("cannot write no/such/folder/r.xml"),
        "{}",
        ran.err
    );
}

fn strings<'a>(array: &'a Value, field: &str) -> Vec<&'a str> {
    let items = array.as_array().expect("an array");
    items.iter().filter_map(|one| one[field].as_str()).collect()
}

fn of_rule<'a>(results: &'a [Value], rule: &str) -> Vec<&'a Value> {
    results.iter().filter(|one| one["ruleId"] == rule).collect()
}
