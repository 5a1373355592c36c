//! The command line of a generated program, with `examples/swap.rs` as the program.

use std::process::{Command, Output};

/// The program; cargo builds examples before it runs tests.
fn swap(arguments: &[&str]) -> Command {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.extend(["examples", "swap"]);
    path.set_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        path.exists(),
        "the example is not built: run `cargo test -p plainsong-runtime`, or build it first"
    );
    let mut command = Command::new(path);
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> (i32, String, String) {
    words(&swap(arguments).output().unwrap())
}

fn words(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn all_ways_print_the_same() {
    let ways: [&[&str]; 4] = [&[], &["--threads"], &["--tcp"], &["--sim", "7"]];
    for way in ways {
        let arguments: Vec<&str> = way.iter().chain(&["x=1", "y=2"]).copied().collect();
        let (code, out, error) = output(&arguments);
        let wanted = "a: v = 2, t = 1\nb: v = 1, t = 2\n";
        assert_eq!((code, out.as_str(), error.as_str()), (0, wanted, ""));
    }
}

/// As in `swap | head -1`: it is not the program's fault.
#[test]
fn nobody_reads_and_nothing_is_said_about_it() {
    for arguments in [&["x=1"][..], &["--help"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = swap(arguments).stdout(writer).output().unwrap();
        let (code, _, error) = words(&ran);
        assert_eq!((code, error.as_str()), (0, ""), "{arguments:?}");
    }
}

#[test]
fn each_role_can_be_a_process() {
    let free = || std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ports = [free(), free()].map(|port| port.local_addr().unwrap());
    let peers = format!("a={},b={}", ports[0], ports[1]);
    let play = |role| {
        let mut command = swap(&["--role", role, "--peers", &peers, "x=5", "y=6"]);
        std::thread::spawn(move || words(&command.output().unwrap()))
    };
    let (b, a) = (play("b"), play("a"));
    assert_eq!(a.join().unwrap().1, "a: v = 6, t = 5\n");
    assert_eq!(b.join().unwrap().1, "b: v = 5, t = 6\n");
}

#[test]
fn mistakes_are_told() {
    let cases: [(&[&str], &str); 8] = [
        (&["--sim"], "`--sim` needs a value"),
        (&["--sim", "x"], "`--sim` needs a number"),
        (&["--deadline", "-1"], "needs a number of seconds"),
        (&["--quick"], "`--quick` is not understood"),
        (&["z=1"], "there is no parameter `z`"),
        (&["--role", "c", "--peers", "a=x:1"], "the roles are a, b"),
        (
            &["--role", "a", "--peers", "a=x:1"],
            "the address of `b` is missing",
        ),
        (&["--role", "a"], "`--role` needs `--peers`"),
    ];
    for (arguments, said) in cases {
        let (code, out, error) = output(arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
    let alone = [
        "--role",
        "b",
        "--peers",
        "a=127.0.0.1:1,b=127.0.0.1:0",
        "--patience",
        "0.2",
    ];
    let (code, _, error) = output(&alone);
    assert_eq!(code, 1);
    assert!(
        error.contains("b: a at 127.0.0.1:1 was not reached"),
        "{error}"
    );
}
