//! SARIF 2.1.0, which code hosts show beside the lines they are about.
//!
//! One run with one result for each answer and each mistake. What holds is a result of kind `pass`, so
//! that a file without results is one that was not looked at. The execution that refutes a property is a code flow: a code
//! host steps through it line by line.

use super::{Findings, Mistake, SongTest, details, name};
use crate::Answer;
use plainsong_semantics::verdict::Outcome;
use serde_json::{Value, json};

/// What each kind of result means: identifier, sentence.
const RULES: [(&str, &str); 4] = [
    (
        "refuted",
        "An execution shows that the property does not hold.",
    ),
    (
        "unknown",
        "It could not be found out whether the property holds.",
    ),
    ("holds", "The property holds up to the bound that is named."),
    ("proved", "The property holds for all sizes."),
];

/// More events of one execution are not told; code hosts refuse very long flows.
const MOST_STEPS: usize = 1_000;

/// The results as SARIF.
pub fn sarif(findings: &Findings<'_>) -> String {
    let mut results: Vec<Value> = findings.mistakes.iter().map(mistake).collect();
    results.extend(findings.answers.iter().map(|one| answer(one, findings)));
    log(findings.tool, json!(rules(findings)), results)
}

/// One run of a tool.
fn log(tool: &str, rules: Value, results: Vec<Value>) -> String {
    let (tool, version) = tool.split_once(' ').unwrap_or((tool, ""));
    let object = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": tool, "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    let mut text = serde_json::to_string_pretty(&object).expect("plain data");
    text.push('\n');
    text
}

/// The kinds of verdicts, and the codes of the mistakes there are.
fn rules(findings: &Findings<'_>) -> Vec<Value> {
    let mut rules: Vec<Value> = RULES
        .iter()
        .map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } }))
        .collect();
    let mut codes: Vec<&str> = findings.mistakes.iter().map(|one| &*one.code).collect();
    codes.sort_unstable();
    codes.dedup();
    rules.extend(codes.iter().map(|code| {
        let text = format!("`plainsong explain {code}` says more.");
        json!({ "id": code, "shortDescription": { "text": text } })
    }));
    rules
}

fn mistake(mistake: &Mistake) -> Value {
    json!({
        "ruleId": mistake.code,
        "kind": "fail",
        "level": "error",
        "message": { "text": mistake.message },
        "locations": [location(&mistake.file, mistake.place)],
    })
}

fn answer(answer: &Answer, findings: &Findings<'_>) -> Value {
    let verdict = &answer.verdict;
    let is_unmet = findings.required.unmet(verdict).is_some();
    let (kind, level) = match verdict.outcome {
        Outcome::Refuted => ("fail", "error"),
        Outcome::Unknown => ("open", "none"),
        _ if is_unmet => ("open", "none"),
        _ if verdict.is_conditional() => ("open", "none"),
        Outcome::Holds | Outcome::Proved => ("pass", "none"),
    };
    let name = name(answer, findings.answers);
    let mut text = format!("{name}: {}", verdict.reason);
    if let Some(provided) = answer.provided() {
        text = format!("{name}, {provided}: {}", verdict.reason);
    }
    if kind != "pass" {
        text = format!("{text}\n{}", details(answer).join("\n"));
    }
    let shown = answer.account.as_ref().and_then(|told| told.place);
    let place = shown.or(answer.declared);
    let mut result = json!({
        "ruleId": verdict.outcome.name(),
        "kind": kind,
        "level": level,
        "message": { "text": text },
        "locations": [location(&answer.file, place)],
        "partialFingerprints": { "property": format!("{}#{name}", answer.file) },
        "properties": {
            "property": verdict.property,
            "engine": answer.engine,
            "bound": verdict.bound,
            "provided": verdict.provided,
            "seconds": crate::stream::round(answer.seconds),
            "trace": answer.trace_path,
        },
    });
    if verdict.outcome == Outcome::Refuted
        && let Some(account) = &answer.account
        && !account.flow.is_empty()
    {
        result["codeFlows"] = json!([code_flow(&answer.file, &account.flow)]);
    }
    result
}

/// An execution, event by event.
fn code_flow(file: &str, flow: &[(u32, u32, String)]) -> Value {
    let step = |(line, column, words): &(u32, u32, String)| {
        let mut place = location(file, Some((*line, *column)));
        place["message"] = json!({ "text": words });
        json!({ "location": place })
    };
    let steps: Vec<Value> = flow.iter().take(MOST_STEPS).map(step).collect();
    json!({ "threadFlows": [{ "locations": steps }] })
}

/// Songs that were run as tests, as SARIF: a result for each line that is not as it says.
pub fn sarif_of_tests(tool: &str, tests: &[SongTest]) -> String {
    let result = |test: &SongTest, line: usize, message: &str| {
        json!({
            "ruleId": "expectation",
            "kind": "fail",
            "level": "error",
            "message": { "text": message },
            "locations": [location(&test.file, Some((u32::try_from(line).unwrap_or(1).max(1), 1)))],
        })
    };
    let results = tests.iter().flat_map(|test| {
        let problems = test.problems.iter();
        problems.map(|(line, message)| result(test, *line, message))
    });
    let rule = "A song does not answer as its first lines expect.";
    let rules = json!([{ "id": "expectation", "shortDescription": { "text": rule } }]);
    log(tool, rules, results.collect())
}

fn location(file: &str, place: Option<(u32, u32)>) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some((line, column)) = place {
        physical["region"] = json!({ "startLine": line, "startColumn": column });
    }
    json!({ "physicalLocation": physical })
}

/// A path as a relative or absolute reference: whatever is not allowed in one is written as `%20`.
fn uri(file: &str) -> String {
    let mut uri = String::new();
    for byte in file.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            b'\\' => uri.push('/'),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    if file.starts_with('/') {
        uri.insert_str(0, "file://");
    }
    uri
}
