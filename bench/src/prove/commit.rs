//! Two-phase commit with a coordinator and sixteen servers, each written out: as a choreography, and as the
//! 131 goals that one would write down for it by hand, over a flat store with one symbol for each variable.

use std::fmt::Write;

/// Servers; with the coordinator there are seventeen endpoints.
const SERVERS: usize = 16;

/// The choreography.
pub(super) fn song() -> String {
    let each = |line: &dyn Fn(usize) -> String| -> String {
        (0..SERVERS).map(|at| line(at) + "\n").collect()
    };
    let all = |first: &str, part: &dyn Fn(usize) -> String| -> String {
        let parts = (0..SERVERS).map(part);
        let parts: Vec<String> = std::iter::once(first.to_owned()).chain(parts).collect();
        parts.join(" && ")
    };
    let act = |to: &str| {
        each(&|at| format!("assert s_{at}.state == State::Asked; s_{at}.state = State::{to};"))
    };
    format!(
        "enum State {{ Initial, Asked, Committed, Aborted }}
        choreography commit(query: int) {{
            endpoint c {{ var query: int = query; var flag: bool = false; {votes} }}
            {servers}
            requires query != 0;
            {promises}
            while {going_on}
                invariant c.query != 0
                {invariants}
            {{
                {ask}
                c.flag = {decision};
                {tell}
                if {agreed} {{ {commit} }} else {{ {abort} }}
            }}
        }}",
        votes = each(&|at| format!("var vote_{at}: bool = false;")),
        servers = each(&|at| format!(
            "endpoint s_{at} {{ var query: int = 0; var flag: bool = false; var state: State = State::Initial; }}"
        )),
        promises = each(&|at| format!("ensures s_{at}.state == State::Committed;")),
        going_on = all("!c.flag", &|at| format!("s_{at}.state != State::Committed")),
        invariants = each(&|at| format!(
            "invariant s_{at}.state != State::Asked
             invariant !c.flag ==> s_{at}.state != State::Committed"
        )),
        ask = each(&|at| format!(
            "s_{at}.query = c.query;
             assert s_{at}.state == State::Initial || s_{at}.state == State::Aborted;
             s_{at}.state = State::Asked; s_{at}.flag = choose bool;
             c.vote_{at} = s_{at}.flag;"
        )),
        decision = all("true", &|at| format!("c.vote_{at}")),
        tell = each(&|at| format!("s_{at}.flag = c.flag;")),
        agreed = all("c.flag", &|at| format!("s_{at}.flag")),
        commit = act("Committed"),
        abort = act("Aborted"),
    )
}

/// The goals, as commands for a solver.
pub(super) fn by_hand() -> String {
    let mut goals = Goals::default();
    let begun = Store::symbols(&mut goals, "begin");
    goals.known = vec![
        "(not (= query 0))".to_owned(),
        format!("(not {})", begun.decided),
    ];
    for state in &begun.states {
        goals.known.push(format!("(= {state} 0)"));
    }
    goals.prove(&begun.invariant());
    goals.agree(&begun.guards());

    let store = Store::symbols(&mut goals, "round");
    goals.known = vec![store.invariant()];
    goals.known.extend(equal(&store.guards()));
    goals.known.extend(store.guards());
    for state in &store.states {
        goals.prove(&format!("(or (= {state} 0) (= {state} 3))"));
    }
    let votes = goals.symbols("vote", "Bool");
    let decision = format!("(and {})", votes.join(" "));
    // Everybody is told: all flags are the decision.
    let told = vec![decision.clone(); SERVERS + 1];
    goals.agree(&told);
    goals.known.extend(equal(&told));
    let before = goals.known.clone();
    for (state, taken) in [
        ("2", format!("(and {})", told.join(" "))),
        ("3", format!("(not (and {}))", told.join(" "))),
    ] {
        goals.known = before.clone();
        goals.known.push(taken);
        (0..SERVERS).for_each(|_| goals.prove("(= 1 1)"));
        let after = Store {
            decided: decision.clone(),
            states: vec![state.to_owned(); SERVERS],
        };
        goals.prove(&after.invariant());
        goals.agree(&after.guards());
    }

    let ended = Store::symbols(&mut goals, "end");
    goals.known = vec![ended.invariant()];
    goals.known.extend(equal(&ended.guards()));
    goals
        .known
        .push(format!("(not (and {}))", ended.guards().join(" ")));
    for state in &ended.states {
        goals.prove(&format!("(= {state} 2)"));
    }
    goals.text
}

/// What the endpoints hold, as far as it matters.
struct Store {
    decided: String,
    states: Vec<String>,
}

impl Store {
    fn symbols(goals: &mut Goals, name: &str) -> Store {
        let decided = format!("{name}-decided");
        goals.declare(&decided, "Bool");
        Store {
            decided,
            states: goals.symbols(name, "Int"),
        }
    }

    fn invariant(&self) -> String {
        let mut text = "(and (not (= query 0))".to_owned();
        for state in &self.states {
            let _ = write!(text, " (or (= {state} 0) (= {state} 2) (= {state} 3))");
            let _ = write!(text, " (=> (not {}) (not (= {state} 2)))", self.decided);
        }
        text + ")"
    }

    /// What each endpoint goes on by.
    fn guards(&self) -> Vec<String> {
        let states = self
            .states
            .iter()
            .map(|state| format!("(not (= {state} 2))"));
        std::iter::once(format!("(not {})", self.decided))
            .chain(states)
            .collect()
    }
}

/// Each is the same as the next one.
fn equal(parts: &[String]) -> Vec<String> {
    parts
        .windows(2)
        .map(|two| format!("(= {} {})", two[0], two[1]))
        .collect()
}

/// Goals under construction, all for one process.
struct Goals {
    text: String,
    known: Vec<String>,
}

impl Default for Goals {
    fn default() -> Self {
        Goals {
            text: "(set-logic ALL)\n(declare-const query Int)\n".to_owned(),
            known: Vec::new(),
        }
    }
}

impl Goals {
    fn declare(&mut self, name: &str, sort: &str) {
        let _ = writeln!(self.text, "(declare-const {name} {sort})");
    }

    /// One symbol for each server.
    fn symbols(&mut self, name: &str, sort: &str) -> Vec<String> {
        let names: Vec<String> = (0..SERVERS).map(|at| format!("{name}-{at}")).collect();
        names.iter().for_each(|name| self.declare(name, sort));
        names
    }

    fn prove(&mut self, goal: &str) {
        self.text.push_str("(push 1)\n");
        for known in &self.known {
            let _ = writeln!(self.text, "(assert {known})");
        }
        let _ = writeln!(self.text, "(assert (not {goal}))\n(check-sat)\n(pop 1)");
    }

    fn agree(&mut self, parts: &[String]) {
        equal(parts).iter().for_each(|goal| self.prove(goal));
    }
}
