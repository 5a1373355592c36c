//! Who is let in, which songs are given away, and the language server behind it.

use crate::served::Served;
use serde_json::{Value, json};

#[test]
fn only_pages_of_ours_with_the_token_are_answered() {
    let studio = Served::on(None);
    let (host, token) = (
        studio.host(),
        format!("X-Plainsong-Token: {}", studio.token),
    );
    let status = |path: &str, headers: &[&str]| studio.raw("GET", path, headers, "").0;
    assert_eq!(status("/", &[&host, &token]), 200);
    assert_eq!(status(&format!("/?token={}", studio.token), &[&host]), 200);
    assert_eq!(status("/", &[&host]), 403);
    assert_eq!(status("/?token=", &[&host]), 403);
    let wrong = format!("/?token={}", "0".repeat(32));
    assert_eq!(status(&wrong, &[&host]), 403);
    let longer = format!("/?token={}0", studio.token);
    assert_eq!(status(&longer, &[&host]), 403);
    // A name of an attacker that resolves to this machine, and no name at all.
    let other = format!("Host: studio.example:{}", studio.port);
    assert_eq!(status("/", &[&other, &token]), 403);
    assert_eq!(status("/", &[&token]), 403);
    // A page of another origin, even with the token.
    assert_eq!(
        status("/", &[&host, &token, "Origin: http://studio.example"]),
        403
    );
    let own = format!("Origin: http://127.0.0.1:{}", studio.port);
    assert_eq!(status("/", &[&host, &token, &own]), 200);
    assert_eq!(status("/nothing", &[&host, &token]), 404);
    assert_eq!(
        studio
            .raw(
                "GET",
                "/",
                &[&host, &token, "Transfer-Encoding: chunked"],
                ""
            )
            .0,
        400
    );
}

#[test]
fn songs_of_the_folder_are_read_and_saved_and_nothing_else() {
    let outer = tempfile::tempdir().expect("a folder");
    let folder = outer.path().join("songs");
    std::fs::create_dir_all(folder.join("deep")).expect("a folder");
    std::fs::write(folder.join("a.song"), "message A;\n").expect("written");
    std::fs::write(folder.join("deep/b.song"), "message B;\n").expect("written");
    std::fs::write(folder.join("secret.txt"), "secret").expect("written");
    std::fs::write(outer.path().join("outside.song"), "message C;\n").expect("written");
    #[cfg(unix)]
    std::os::unix::fs::symlink(outer.path().join("outside.song"), folder.join("link.song"))
        .expect("a link");
    let studio = Served::on(Some(folder.clone()));
    let list: Value = serde_json::from_str(&studio.get("/songs")).expect("JSON");
    let names: Vec<&str> = list["folder"]
        .as_array()
        .expect("songs")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        names.contains(&"a.song") && names.contains(&"deep/b.song"),
        "{names:?}"
    );
    let song: Value = serde_json::from_str(&studio.get("/song?name=deep%2Fb.song")).expect("JSON");
    assert_eq!(song["text"], "message B;\n");
    for name in [
        "../outside.song",
        "/etc/passwd",
        "secret.txt",
        "deep/../../outside.song",
        "link.song",
        "",
    ] {
        if name == "link.song" && cfg!(not(unix)) {
            continue;
        }
        let (status, body) = studio.ask("GET", &format!("/song?name={name}"), "");
        assert_eq!(status, 400, "{name}: {body}");
        let (status, body) = studio.ask("POST", &format!("/song?name={name}"), "x");
        assert_eq!(status, 400, "{name}: {body}");
    }
    assert_eq!(
        studio.ask("POST", "/song?name=a.song", "message D;\n").0,
        200
    );
    let written = std::fs::read_to_string(folder.join("a.song")).expect("read");
    assert_eq!(written, "message D;\n");
    let outside = std::fs::read_to_string(outer.path().join("outside.song")).expect("read");
    assert_eq!(outside, "message C;\n");
}

#[test]
fn examples_are_songs_without_mistakes() {
    let studio = Served::on(None);
    let list: Value = serde_json::from_str(&studio.get("/songs")).expect("JSON");
    assert!(list["folder"].is_null());
    let examples = list["examples"].as_array().expect("examples");
    assert!(examples.len() >= 4);
    for name in examples.iter().filter_map(Value::as_str) {
        let text = studio.get(&format!("/example?name={name}"));
        let source = plainsong_driver::Source {
            name: name.to_owned(),
            text,
            path: None,
        };
        let loaded = plainsong_driver::song::compile(source).expect("no bug of ours");
        assert!(loaded.song.is_some(), "{name} has mistakes");
    }
}

#[test]
fn the_language_server_answers_through_it() {
    let studio = Served::on(None);
    let session = studio.ask("POST", "/session", "").1;
    let tell = |message: Value| {
        let path = format!("/tell?session={session}");
        assert_eq!(studio.ask("POST", &path, &message.to_string()).0, 200);
    };
    tell(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "capabilities": {}, "initializationOptions": { "check": "off" } } }));
    tell(json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
    tell(
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument":
        { "uri": "studio:a.song", "languageId": "song", "version": 1, "text": "mesage A;\n" } } }),
    );
    let mut heard: Vec<Value> = Vec::new();
    let mut after = 0;
    while !heard
        .iter()
        .any(|one| one["method"] == "textDocument/publishDiagnostics")
    {
        let path = format!("/news?session={session}&after={after}");
        let news: Value = serde_json::from_str(&studio.get(&path)).expect("JSON");
        assert_eq!(news["ended"], false);
        heard.extend(news["said"].as_array().cloned().unwrap_or_default());
        after = news["last"].as_u64().expect("a number");
    }
    assert!(
        heard
            .iter()
            .any(|one| one["id"] == 1 && one["result"]["capabilities"].is_object())
    );
    let said = heard
        .iter()
        .find(|one| one["params"]["diagnostics"].is_array());
    let problems = said.expect("diagnostics")["params"]["diagnostics"].as_array();
    assert!(!problems.expect("a list").is_empty());
    let path = format!("/tell?session={session}");
    assert_eq!(studio.ask("POST", &path, "nonsense").0, 400);
    assert_eq!(studio.ask("GET", "/news?session=99&after=0", "").0, 404);
}
