//! Models for SPIN of the programs that are measured.
//!
//! One process takes tasks out of counters, one for each kind of task, which saturate at three: SPIN needs a state that is
//! repeated exactly, and what is pending grows. What is chosen in the songs is chosen here, with as few states as we know
//! how to write it.

/// A table with a ball that is up or down, counted modulo something.
pub(super) fn ping_pong(modulus: usize) -> String {
    format!(
        "bit x; byte i; byte ping = 1; byte pong = 1;
active proctype table() {{ do
 :: atomic {{ ping > 0 -> ping--; if :: !x -> ping++; x = 1 :: else fi; i = (i + 1) % {modulus} }}
 :: atomic {{ pong > 0 -> pong--; if :: x -> pong++; x = 0 :: else fi }}
 od }}\n"
    )
}

/// Three balls, in the orientation that needs a delay.
pub(super) fn ping_pong_pung() -> String {
    "byte x; byte ping = 1; byte pong = 1; byte pung = 1;
active proctype table() { do
 :: atomic { ping > 0 -> ping--; if :: x == 0 -> pung++; x = 1 :: else fi }
 :: atomic { pong > 0 -> pong--; if :: x == 1 -> ping++; x = 2 :: else fi }
 :: atomic { pung > 0 -> pung--; if :: x == 2 -> pong++; x = 0 :: else fi }
 od }\n"
        .to_owned()
}

/// Searches from each node to each other, adoptions by each.
pub(super) fn spanning_tree(nodes: usize, by_message: bool) -> String {
    let mut options = String::new();
    for (me, from) in pairs(nodes) {
        let search = me * nodes + from;
        let mut body = match by_message {
            true => format!("if :: adopt[{search}] < 3 -> adopt[{search}]++ :: else fi;"),
            false => format!("reported[{me}] = 1;"),
        };
        for other in (0..nodes).filter(|other| *other != me && *other != from) {
            body += &maybe(&format!("search[{}]", other * nodes + me));
        }
        options += &format!(
            " :: atomic {{ search[{search}] > 0 -> search[{search}]--; if :: !reported[{me}] -> {body} :: else fi }}\n"
        );
        if by_message {
            options += &format!(
                " :: atomic {{ adopt[{search}] > 0 -> adopt[{search}]--; reported[{me}] = 1 }}\n"
            );
        }
    }
    let kinds = nodes * nodes;
    format!(
        "bit reported[{nodes}]; byte search[{kinds}]; byte adopt[{kinds}];
active proctype net() {{ search[0] = 1; do\n{options} od }}\n"
    )
}

/// Which search for distances.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Distances {
    /// Hops are not counted, and equal distances are passed on.
    BfsBug,
    /// Hops are counted.
    Bfs,
    /// Weights of 0 and 1; equal distances are passed on.
    BellmanFordBug,
    /// Weights of 0 and 1.
    BellmanFord,
}

/// Distances from each node to each other, up to the number of nodes; 99 is none yet.
pub(super) fn distances(nodes: usize, which: Distances) -> String {
    let has_weights = matches!(which, Distances::BellmanFordBug | Distances::BellmanFord);
    let (accepts, most) = match which {
        Distances::BfsBug => ("<=", 1),
        Distances::BellmanFordBug => ("<=", nodes + 1),
        Distances::Bfs | Distances::BellmanFord => ("<", nodes + 1),
    };
    let kind =
        |to: usize, from: usize, sum: &str| format!("told[{}+{sum}]", (to * nodes + from) * most);
    let mut options = String::new();
    for (me, from) in pairs(nodes) {
        for sum in 0..most {
            let weight = match has_weights && me != from {
                true => format!("weight[{}]", me * nodes + from),
                false => "0".to_owned(),
            };
            let on = if which == Distances::Bfs {
                "mine+1"
            } else {
                "mine"
            };
            let mut body = format!("distance[{me}] = mine;");
            for other in (0..nodes).filter(|other| *other != me && *other != from) {
                let told = kind(other, me, on);
                body += &format!(" if :: {on} < {most} && {told} < 3 -> {told}++ :: skip fi;");
            }
            let told = kind(me, from, &sum.to_string());
            options += &format!(
                " :: atomic {{ {told} > 0 -> {told}--; mine = {sum} + {weight};
      if :: mine {accepts} distance[{me}] -> {body} :: else fi; mine = 0 }}\n"
            );
        }
    }
    let all = nodes * nodes;
    let start: String = (0..nodes)
        .map(|me| format!("distance[{me}] = 99; "))
        .collect();
    let weights: String = match has_weights {
        true => (0..all)
            .map(|at| format!("if :: weight[{at}] = 1 :: skip fi; "))
            .collect(),
        false => String::new(),
    };
    format!(
        "byte distance[{nodes}]; bit weight[{all}]; byte told[{}]; byte mine;
active proctype net() {{ atomic {{ {start}{weights}told[0] = 1 }}; do\n{options} od }}\n",
        all * most
    )
}

/// Proposers that outbid each other: each has one task at a time. By hand, the least ballot is subtracted from all.
pub(super) fn paxos(proposers: usize, rebased: bool) -> String {
    let ballots = || (0..proposers).map(|p| format!("ballot[{p}]"));
    let greatest: String = ballots()
        .map(|one| format!("if :: {one} > top -> top = {one} :: else fi; "))
        .collect();
    let least: String = ballots()
        .map(|one| format!("if :: {one} < low -> low = {one} :: else fi; "))
        .collect();
    let lower: String = ballots()
        .map(|one| format!("{one} = {one} - low; "))
        .collect();
    let rebase = match rebased {
        true => format!("low = prepared; {least}{lower}prepared = prepared - low; low = 0; "),
        false => String::new(),
    };
    let options: String = (0..proposers)
        .map(|p| {
            format!(
                " :: atomic {{ stage[{p}] == 0 -> top = 0; {greatest}ballot[{p}] = top + 1; top = 0; stage[{p}] = 1; {rebase}}}
 :: atomic {{ stage[{p}] == 1 -> if :: prepared >= ballot[{p}] -> stage[{p}] = 0 :: else -> prepared = ballot[{p}]; stage[{p}] = 2 fi; {rebase}}}
 :: atomic {{ stage[{p}] == 2 -> stage[{p}] = 3 }}
 :: atomic {{ stage[{p}] == 3 -> if :: prepared > ballot[{p}] -> stage[{p}] = 0 :: else -> stage[{p}] = 4 fi }}\n"
            )
        })
        .collect();
    format!(
        "byte stage[{proposers}]; int ballot[{proposers}]; int prepared; int top; int low;
active proctype net() {{ do\n{options} od }}\n"
    )
}

/// A rumour that everybody passes on to everybody else but who told it.
pub(super) fn flooding(nodes: usize, remembers: bool) -> String {
    let mut options = String::new();
    for (me, from) in pairs(nodes) {
        let told = format!("told[{}]", me * nodes + from);
        let mut body = String::new();
        for other in (0..nodes).filter(|other| *other != me && *other != from) {
            let next = format!("told[{}]", other * nodes + me);
            body += &format!(" if :: {next} < 3 -> {next}++ :: else fi;");
        }
        let body = match remembers {
            true => format!("if :: !seen[{me}] -> seen[{me}] = 1;{body} :: else fi"),
            false => body.trim_end_matches(';').to_owned(),
        };
        options += &format!(" :: atomic {{ {told} > 0 -> {told}--; {body} }}\n");
    }
    format!(
        "bit seen[{nodes}]; byte told[{}];
active proctype net() {{ told[0] = 1; do\n{options} od }}\n",
        nodes * nodes
    )
}

fn pairs(nodes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..nodes).flat_map(move |me| (0..nodes).map(move |from| (me, from)))
}

/// One more of a kind, or not.
fn maybe(kind: &str) -> String {
    format!(" if :: {kind} < 3 -> {kind}++ :: skip fi;")
}
