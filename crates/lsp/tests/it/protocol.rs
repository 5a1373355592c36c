//! A session over the protocol, as an editor has it: what is asked, and the right answers.

use crate::client::{Client, URI, document, find, place, slice};
use serde_json::{Value, json};

const SONG: &str = "\
// How sure somebody is.
enum Vote { Yes, No }

struct Entry { term: nat, vote: Vote }

sort Db;

// Asks for a vote.
message Ask(round: nat);
message Answer(vote: Vote);
message Bye;

process coordinator {
    var yes: nat = 0;
    for d in Db { send Ask(1) to db[d]; }
    for d in Db {
        receive Answer(v) from any db;
        if v is Yes { yes += 1; }
    }
    send Bye to logger;
}

process db[d: Db] {
    var entry: Entry = Entry { term: 0, vote: No };
    receive Ask(round) from coordinator;
    let own = choose Vote;
    entry.term = round;
    entry.vote = own;
    assert entry.term == 1;
    send Answer(own) to coordinator;
}

process logger {
    receive Bye;
}

property all_said_yes: finally coordinator.yes == 1;
property counted: finally coordinator.yes <= 3;
";

fn quiet() -> Client {
    let mut client = Client::new(json!({ "check": "off" }));
    client.open(SONG);
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    client
}

/// The texts that locations point at.
fn texts(found: &Value) -> Vec<&'static str> {
    let rows = found.as_array().expect("locations").iter();
    rows.map(|row| slice(SONG, &row["range"])).collect()
}

#[test]
fn hover_tells_types_comments_verdicts_and_where_messages_go() {
    let mut client = quiet();
    for (what, nth, expected) in [
        ("Ask", 1, "message Ask(round: nat)"),
        ("Ask", 1, "Asks for a vote."),
        (
            "Ask",
            1,
            "sent in `coordinator` (line 15); received in `db` (line 25)",
        ),
        ("Vote {", 0, "How sure somebody is."),
        ("yes +=", 0, "state variable of `coordinator`, `nat`"),
        ("own)", 0, "own: Vote"),
        ("round;", 0, "round: nat"),
        ("entry.vote", 0, "`Entry`"),
        ("vote = own", 0, "field of `Entry`"),
        ("send Bye", 0, "It never waits."),
        ("send Bye", 0, "`Bye` is received in `logger` (line 34)"),
        ("receive Bye", 0, "`Bye` is sent in `coordinator` (line 20)"),
        ("finally", 0, "every final state"),
        ("choose", 0, "nondeterministic choice"),
        ("== 1;", 0, "bool"),
        ("all_said_yes", 0, "property all_said_yes"),
        ("Db;", 0, "sort Db"),
    ] {
        let told = client.at("textDocument/hover", SONG, find(SONG, what, nth));
        let text = told["contents"]["value"].as_str().unwrap_or("");
        assert!(text.contains(expected), "{what}: {text}");
    }
    let nothing = client.at("textDocument/hover", SONG, find(SONG, "\n\n", 0) + 1);
    assert_eq!(nothing, Value::Null);
    client.end();
}

#[test]
fn names_lead_to_their_declarations_and_messages_to_their_other_ends() {
    let mut client = quiet();
    for (what, nth, line) in [
        ("Ask(1)", 0, 8),
        ("db[d]", 0, 22),
        ("v is", 0, 16),
        ("Yes {", 0, 1),
        ("yes +=", 0, 13),
        ("yes ==", 0, 13),
        ("term = round", 0, 3),
        ("round;", 0, 24),
        ("own;", 0, 25),
        ("Db {", 0, 5),
        // A keyword leads to the other end.
        ("send Ask", 0, 24),
        ("receive Answer", 0, 29),
        ("receive Bye", 0, 19),
        ("send Bye", 0, 33),
    ] {
        let found = client.at("textDocument/definition", SONG, find(SONG, what, nth));
        assert_eq!(found[0]["range"]["start"]["line"], line, "{what}: {found}");
    }
    let found = client.at(
        "textDocument/implementation",
        SONG,
        find(SONG, "Answer(own)", 0),
    );
    assert_eq!(texts(&found), ["receive Answer(v) from any db;"]);
    let found = client.at(
        "textDocument/implementation",
        SONG,
        find(SONG, "Ask(round) from", 0),
    );
    assert_eq!(texts(&found), ["send Ask(1) to db[d];"]);
    let found = client.at("textDocument/implementation", SONG, find(SONG, "yes", 0));
    assert_eq!(texts(&found), Vec::<&str>::new());

    for (what, nth, uses) in [
        ("yes:", 0, 4),
        ("Vote {", 0, 4),
        ("coordinator {", 0, 5),
        ("term:", 0, 4),
        ("own =", 0, 3),
        ("d in", 0, 2),
    ] {
        let mut params = place(SONG, find(SONG, what, nth));
        params["context"] = json!({ "includeDeclaration": true });
        let found = client.ask("textDocument/references", params.clone());
        let name = what.split([':', ' ', '{']).next().unwrap_or(what);
        assert!(texts(&found).iter().all(|text| *text == name), "{found}");
        assert_eq!(texts(&found).len(), uses, "{what}: {found}");
        params["context"] = json!({ "includeDeclaration": false });
        let found = client.ask("textDocument/references", params);
        assert_eq!(texts(&found).len(), uses - 1, "{what}: {found}");
        let shown = client.at(
            "textDocument/documentHighlight",
            SONG,
            find(SONG, what, nth),
        );
        assert_eq!(texts(&shown).len(), uses, "{what}: {shown}");
    }
    client.end();
}

#[test]
fn renaming_changes_every_use_and_nothing_else_and_is_refused_where_it_breaks_something() {
    let mut client = quiet();
    for (what, nth, new) in [
        ("Ask", 1, "Question"),
        ("entry", 0, "slot"),
        ("term", 0, "epoch"),
        ("Yes", 0, "Agreed"),
        ("coordinator", 0, "leader"),
        ("all_said_yes", 0, "unanimous"),
        ("round", 1, "number"),
    ] {
        let offset = find(SONG, what, nth);
        let prepared = client.at("textDocument/prepareRename", SONG, offset);
        assert_eq!(prepared["placeholder"], what);
        let mut params = place(SONG, offset);
        params["newName"] = json!(new);
        let edit = client.ask("textDocument/rename", params);
        let edits = edit["changes"][URI].as_array().expect("edits").clone();
        assert!(edits.iter().all(|edit| slice(SONG, &edit["range"]) == what));
        let mut lines: Vec<String> = SONG.lines().map(str::to_owned).collect();
        for edit in edits.iter().rev() {
            let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
            let line = &mut lines[start["line"].as_u64().expect("a line") as usize];
            let column = |place: &Value| place["character"].as_u64().expect("a column") as usize;
            line.replace_range(column(start)..column(end), new);
        }
        let compiled = plainsong_syntax::compile(&(lines.join("\n") + "\n"));
        assert!(
            compiled.song.is_some(),
            "{what}: {:?}",
            compiled.diagnostics
        );
    }
    for (what, new, why) in [
        ("Ask(", "Answer", "declared twice"),
        ("yes", "receive", "a word of the language"),
        ("yes", "1st", "no name"),
        ("Db;", "coordinator", "declared twice"),
    ] {
        let mut params = place(SONG, find(SONG, what, 0));
        params["newName"] = json!(new);
        let refusal = client.refusal("textDocument/rename", params);
        assert!(refusal.contains(why), "{refusal}");
    }
    let mut params = place(SONG, find(SONG, "finally", 0));
    params["newName"] = json!("always");
    client.refusal("textDocument/rename", params);
    client.end();
}

#[test]
fn completion_offers_what_fits_the_place() {
    let mut client = quiet();
    // What is typed, after what, what is offered, and what is not.
    for (after, typed, offered, not) in [
        (
            "    send Bye to logger;\n",
            "    send ",
            "Ask",
            "coordinator",
        ),
        (
            "    send Bye to logger;\n",
            "    send Bye to ",
            "logger",
            "Ask",
        ),
        (
            "    send Bye to logger;\n",
            "    receive A",
            "Answer",
            "yes",
        ),
        ("    send Bye to logger;\n", "    ", "receive", "property"),
        ("    send Bye to logger;\n", "    yes = ", "yes", "own"),
        ("    entry.vote = own;\n", "    assert ", "own", "v"),
        ("    entry.vote = own;\n", "    entry.", "term", "yes"),
        (
            "    entry.vote = own;\n",
            "    assert entry.t",
            "vote",
            "len",
        ),
        ("    entry.vote = own;\n", "    let x: ", "Entry", "Ask"),
        (
            "    entry.vote = own;\n",
            "    let x = Vote::",
            "Yes",
            "entry",
        ),
        ("yes <= 3;\n", "\nprop", "property", "send"),
        (
            "yes <= 3;\n",
            "\nproperty p: ",
            "eventually quiescent",
            "send",
        ),
        (
            "yes <= 3;\n",
            "\nproperty p: always coordinator.",
            "yes",
            "entry",
        ),
        ("yes <= 3;\n", "\nproperty p: always db[d].", "entry", "yes"),
        ("yes <= 3;\n", "\nproperty p by ", "explore", "yes"),
        ("yes <= 3;\n", "\nfault lose ", "Bye", "db"),
        ("yes <= 3;\n", "\nfault crash ", "db", "Bye"),
        ("yes <= 3;\n", "\nmessage More(x: nat) via ", "fifo", "yes"),
        (
            "yes <= 3;\n",
            "\nfn f(s: set<int>) -> bool { s.",
            "is_empty",
            "first",
        ),
        ("yes <= 3;\n", "\nsize ", "Db", "Vote"),
    ] {
        let at = find(SONG, after, 0) + after.len();
        let text = format!("{}{typed}{}", &SONG[..at], &SONG[at..]);
        client.replace(&text);
        let offset = at + typed.len();
        let found = client.at("textDocument/completion", &text, offset);
        let found = found.as_array().expect("a list");
        let has = |label: &str| found.iter().any(|item| item["label"] == label);
        let labels: Vec<&Value> = found.iter().map(|item| &item["label"]).collect();
        assert!(
            has(offered),
            "`{typed}` does not offer `{offered}`: {labels:?}"
        );
        assert!(!has(not), "`{typed}` offers `{not}`");
    }
    let text = format!("{SONG}// a comment: ");
    client.replace(&text);
    let found = client.at("textDocument/completion", &text, text.len());
    assert_eq!(found, json!([]));
    client.end();
}

#[test]
fn the_shape_of_a_text_is_told() {
    let mut client = quiet();
    let symbols = client.ask("textDocument/documentSymbol", document());
    let symbols = symbols.as_array().expect("symbols");
    let names: Vec<&str> = symbols
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    let expected = [
        "Vote",
        "Entry",
        "Db",
        "Ask",
        "Answer",
        "Bye",
        "coordinator",
        "db",
        "logger",
        "all_said_yes",
        "counted",
    ];
    assert_eq!(names, expected);
    let db = symbols
        .iter()
        .find(|one| one["name"] == "db")
        .expect("a process");
    assert_eq!(db["children"][0]["name"], "entry");
    assert_eq!(db["children"][0]["detail"], "Entry");

    let folds = client.ask("textDocument/foldingRange", document());
    let first: Vec<&Value> = folds
        .as_array()
        .expect("folds")
        .iter()
        .map(|one| &one["startLine"])
        .collect();
    assert_eq!(first, [12, 15, 22, 32]);

    let mut params = document();
    let inside = place(SONG, find(SONG, "term == 1", 0));
    params["positions"] = json!([inside["position"]]);
    let selected = client.ask("textDocument/selectionRange", params);
    let mut range = &selected[0];
    let mut texts = Vec::new();
    while !range.is_null() {
        texts.push(slice(SONG, &range["range"]));
        range = &range["parent"];
    }
    assert_eq!(
        texts[..4],
        [
            "term",
            "entry.term",
            "entry.term == 1",
            "assert entry.term == 1;"
        ]
    );

    let tokens = client.ask("textDocument/semanticTokens/full", document());
    let data = tokens["data"].as_array().expect("numbers");
    let (mut line, mut column, mut seen) = (0, 0, Vec::new());
    let numbers: Vec<u64> = data.iter().filter_map(Value::as_u64).collect();
    for token in numbers.chunks(5) {
        column = if token[0] == 0 {
            column + token[1]
        } else {
            token[1]
        };
        line += token[0];
        let text = SONG.lines().nth(line as usize).expect("a line");
        seen.push((
            &text[column as usize..(column + token[2]) as usize],
            token[3],
        ));
    }
    assert_eq!(seen[0], ("// How sure somebody is.", 1));
    assert_eq!(
        seen[1..5],
        [("enum", 0), ("Vote", 5), ("Yes", 6), ("No", 6)]
    );
    assert!(seen.contains(&("coordinator", 14)) && seen.contains(&("Ask", 13)));
    assert!(
        seen.contains(&("to", 0)),
        "also words that are keywords only there"
    );

    let mut params = document();
    params["range"] =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = client.ask("textDocument/inlayHint", params);
    let labels: Vec<&str> = hints
        .as_array()
        .expect("hints")
        .iter()
        .filter_map(|one| one["label"].as_str())
        .collect();
    assert_eq!(labels, [": Db", ": Db", ": Vote", ": nat", ": Vote"]);

    let none = client.ask("textDocument/formatting", json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 4, "insertSpaces": true } }));
    assert_eq!(none, json!([]), "the song is formatted");
    client.replace("sort   Db;\nproperty p:always true;");
    let edits = client.ask("textDocument/formatting", json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 4, "insertSpaces": true } }));
    assert_eq!(edits[0]["newText"], "sort Db;\nproperty p: always true;\n");
    client.end();
}

#[test]
fn mistakes_are_told_while_typing_with_their_fixes() {
    let mut client = quiet();
    let at = place(SONG, find(SONG, "own;", 0))["position"].clone();
    let line = at["line"].clone();
    // One letter more makes a name that nothing has.
    client.change(json!([{ "range": { "start": at, "end": at }, "text": "o" }]));
    let found = client.diagnostics();
    let wrong = found
        .iter()
        .find(|one| one["severity"] == 1)
        .expect("a mistake");
    assert_eq!(wrong["code"], "unknown-name");
    assert_eq!(wrong["range"]["start"]["line"], line);
    let message = wrong["message"].as_str().expect("a message");
    assert!(
        message.contains("`oown`") && message.contains("did you mean `own`"),
        "{message}"
    );

    let mut params = document();
    params["range"] = wrong["range"].clone();
    params["context"] = json!({ "diagnostics": [wrong] });
    let actions = client.ask("textDocument/codeAction", params.clone());
    let action = &actions[0];
    assert_eq!(action["kind"], "quickfix", "{actions}");
    assert_eq!(action["edit"]["changes"][URI][0]["newText"], "own");
    // A name that is like another is only a guess: it is not corrected with all others.
    params["context"]["only"] = json!(["source.fixAll"]);
    assert_eq!(client.ask("textDocument/codeAction", params), json!([]));

    let end =
        json!({ "line": at["line"], "character": at["character"].as_u64().expect("a column") + 1 });
    client.change(json!([{ "range": { "start": at, "end": end }, "text": "" }]));
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    client.end();
}

#[test]
fn all_sure_mistakes_are_corrected_at_once() {
    let mut client = quiet();
    let wrong = SONG.replace("yes <= 3;", "yes /= 3;");
    client.replace(&wrong);
    assert!(!client.diagnostics().is_empty());
    let mut params = document();
    params["range"] =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    params["context"] = json!({ "diagnostics": [], "only": ["source.fixAll"] });
    let all = client.ask("textDocument/codeAction", params);
    let corrected = &all[0]["edit"]["changes"][URI][0]["newText"];
    assert_eq!(corrected, &json!(SONG.replace("yes <= 3;", "yes != 3;")));
    client.end();
}

#[test]
fn verdicts_come_by_themselves_grow_stale_and_can_be_shown() {
    let mut client =
        Client::new(json!({ "check": "save", "pages": true, "marks": true, "timeout": 60 }));
    client.open(SONG);
    let refuted = loop {
        let found = client.diagnostics();
        if let Some(one) = found.into_iter().find(|one| one["code"] == "refuted") {
            break one;
        }
    };
    let message = refuted["message"].as_str().expect("a message");
    assert!(message.starts_with("all_said_yes: ✗ refuted"), "{message}");
    assert_eq!(slice(SONG, &refuted["range"]), "all_said_yes");

    let lenses = client.ask("textDocument/codeLens", document());
    let titles = |lenses: &Value| -> Vec<String> {
        let rows = lenses.as_array().expect("lenses").iter();
        let titles = rows.filter_map(|one| one["command"]["title"].as_str());
        titles.map(str::to_owned).collect()
    };
    let shown = titles(&lenses);
    assert_eq!(shown[0], "check everything");
    let has = |titles: &[String], begin: &str| titles.iter().any(|one| one.starts_with(begin));
    assert!(has(&shown, "all_said_yes: ✗ refuted"), "{shown:?}");
    assert!(has(&shown, "show the execution"), "{shown:?}");
    assert!(has(&shown, "counted: "), "{shown:?}");
    assert!(
        !shown.iter().any(|one| one.contains("text changed")),
        "{shown:?}"
    );

    let command = json!({ "command": "plainsong.show", "arguments": [URI, "all_said_yes"] });
    let told = client.ask("workspace/executeCommand", command.clone());
    let text = told["text"].as_str().expect("a picture");
    assert!(
        text.contains("REFUTED all_said_yes") && !text.contains('\u{1b}'),
        "{text}"
    );
    let page = client.hear("plainsong/page");
    assert!(
        page["html"]
            .as_str()
            .is_some_and(|html| html.contains("<html"))
    );
    let hover = client.at("textDocument/hover", SONG, find(SONG, "all_said_yes", 0));
    assert!(hover.to_string().contains("✗ refuted"), "{hover}");

    // A change makes the verdict stale; taking it back makes it fresh again.
    client.replace(&format!("{SONG}// more\n"));
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    let lenses = client.ask("textDocument/codeLens", document());
    assert!(
        titles(&lenses)
            .iter()
            .any(|one| one.contains("refuted") && one.ends_with("(text changed since)"))
    );
    client.replace(SONG);
    assert!(
        client
            .diagnostics()
            .iter()
            .any(|one| one["code"] == "refuted")
    );

    // The repaired song is proved.
    let mended = SONG.replace("yes == 1;", "yes >= 0;");
    client.replace(&mended);
    client.ask(
        "workspace/executeCommand",
        json!({ "command": "plainsong.prove", "arguments": [URI, "all_said_yes"] }),
    );
    loop {
        let marks = client.hear("plainsong/verdicts");
        if marks["version"] != client.version {
            continue;
        }
        let rows = marks["verdicts"].as_array().expect("marks");
        let mark = rows
            .iter()
            .find(|one| one["property"] == "all_said_yes")
            .expect("a mark");
        assert_ne!(
            mark["standing"] == "refuted",
            mark["stale"] == false,
            "{mark}"
        );
        if mark["standing"] == "proved" {
            break;
        }
    }
    client.refusal("workspace/executeCommand", command);
    client.end();
}

#[test]
fn a_question_that_goes_on_is_given_up_when_the_text_changes() {
    // Far too many executions for the time of this test.
    let long = "
sort Node;
size Node = 9;
message Hello(from: Node);
process node[n: Node] {
    for m in Node where m != n { send Hello(n) to node[m]; }
    for m in Node where m != n { receive Hello(x); assert x != n; }
}
property nothing: always pending(Hello) >= 0;
";
    let mut client = Client::new(json!({ "check": "off", "marks": true, "timeout": 600 }));
    client.open(long);
    client.ask(
        "workspace/executeCommand",
        json!({ "command": "plainsong.prove", "arguments": [URI] }),
    );
    let began = std::time::Instant::now();
    client.replace(&format!("{long}x"));
    assert!(!client.diagnostics().is_empty());
    let answered = client.at("textDocument/hover", long, find(long, "Hello", 0));
    assert!(answered.to_string().contains("message Hello"));
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    client.end();
}

#[test]
fn nonsense_is_refused_politely() {
    let mut client = quiet();
    assert!(
        client
            .refusal("textDocument/nonsense", Value::Null)
            .contains("not something")
    );
    client.refusal("textDocument/hover", json!({ "position": 1 }));
    client.refusal("textDocument/hover", json!({ "textDocument": { "uri": "file:///other" }, "position": { "line": 0, "character": 0 } }));
    client.refusal(
        "workspace/executeCommand",
        json!({ "command": "rm", "arguments": [URI] }),
    );
    client.refusal(
        "workspace/executeCommand",
        json!({ "command": "plainsong.show", "arguments": [URI, "counted"] }),
    );
    client.refusal(
        "workspace/executeCommand",
        json!({ "command": "plainsong.check", "arguments": [] }),
    );
    let far =
        json!({ "textDocument": { "uri": URI }, "position": { "line": 999, "character": 999 } });
    for method in [
        "hover",
        "definition",
        "implementation",
        "completion",
        "prepareRename",
        "documentHighlight",
    ] {
        client.response(&format!("textDocument/{method}"), far.clone());
    }
    client.tell("textDocument/didChange", json!({ "textDocument": 7 }));
    client.tell("$/nonsense", json!([]));
    client.change(json!([{ "range": { "start": { "line": 9, "character": 9 }, "end": { "line": 0, "character": 0 } }, "text": "" }]));
    client.diagnostics();
    client.close();
    client.refusal("textDocument/hover", place(SONG, 0));
    client.end();
}
