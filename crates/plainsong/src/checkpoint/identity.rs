//! What a checkpoint is of: a program and the settings that decide what is explored and counted.

use crate::attempt::{configure, machine};
use crate::determinism_check::Mix;
use crate::explorer::Explorer;
use crate::leaf_visitor::Shared;
use crate::machine::Machine;
use crate::order::Order as _;
use crate::shared_context::World;
use plainsong_explore::{Engine, Graph, Kind, Leaf, Visitor};
use std::hash::Hasher;
use std::io::Read;
use std::sync::OnceLock;

/// What a checkpoint is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// The type of the program.
    pub(super) program: String,
    /// A hash of the executable.
    pub(super) executable: String,
    /// Settings by name.
    pub(super) settings: Vec<(String, String)>,
}

impl Identity {
    pub(super) fn new(explorer: &Explorer, program: &str) -> Self {
        Identity {
            program: program.to_owned(),
            executable: executable().to_owned(),
            settings: settings(explorer),
        }
    }

    /// How another one differs, if it does.
    pub(super) fn difference(&self, saved: &Identity) -> Option<String> {
        if self.program != saved.program {
            return Some(format!(
                "is of another program: {}, not {}",
                saved.program, self.program
            ));
        }
        if self.settings != saved.settings {
            return Some(format!(
                "is of other settings: {}. To go on, use those again",
                first_difference(&saved.settings, &self.settings)
            ));
        }
        if self.executable.starts_with(UNKNOWN) {
            return Some(format!("may be of another executable: {}", self.executable));
        }
        let differs = self.executable != saved.executable;
        differs.then(|| {
            "is of another executable: the code has changed, or was compiled differently".to_owned()
        })
    }
}

fn first_difference(before: &[(String, String)], now: &[(String, String)]) -> String {
    let differs = before.iter().zip(now).find(|(before, now)| before != now);
    match differs {
        Some((before, now)) if before.0 == now.0 => {
            format!("{} was {}, is {}", before.0, before.1, now.1)
        }
        _ => "there are others now".to_owned(),
    }
}

/// What a program is called.
pub(crate) fn program_name<F>(_program: &F) -> &'static str {
    std::any::type_name::<F>()
}

/// The settings that decide what is explored and counted. All are named, so that whoever adds one has
/// to say whether it matters.
fn settings(explorer: &Explorer) -> Vec<(String, String)> {
    let Explorer {
        delivery,
        seed,
        keep_going,
        allow_deadlock,
        events,
        events_per_process,
        budgets,
        symmetry,
        memory_model,
        monitors,
        fixed,
        restart,
        jobs: _,
        stack_size: _,
        executions: _,
        time: _,
        memory: _,
        samples: _,
        depth: _,
        expected: _,
        trace_file: _,
        askers: _,
        rc11: _,
        explains: _,
        patience: _,
        cancel: _,
        observers: _,
        dot_file: _,
        dot_folder: _,
        audience: _,
        checkpoint: _,
        checkpoint_interval: _,
        in_another_order: _,
        returns_panics: _,
        panics_are_failures,
    } = explorer;
    let named = |name: &str, value: String| (name.to_owned(), value);
    let seed = seed.map_or("none".to_owned(), |seed| seed.to_string());
    let mut settings = vec![
        named("delivery", delivery.name().into_owned()),
        named("seed", seed),
        named("keep_going", keep_going.to_string()),
        named("allow_deadlock", allow_deadlock.to_string()),
        named("limit_events", events.to_string()),
        named("limit_events_per_process", events_per_process.to_string()),
        named("losses, duplicates, crashes", format!("{budgets:?}")),
        named("symmetry", symmetry.to_string()),
        named("memory", memory_model.name().to_owned()),
        named("panics_are_failures", panics_are_failures.to_string()),
        named("restart", format!("{restart:?}")),
        named("monitors", monitors.len().to_string()),
    ];
    settings.extend(fixed.iter().map(|one| named("fixed", one.to_string())));
    settings.extend(
        monitors
            .iter()
            .map(|one| named("monitor", format!("{one:?}"))),
    );
    settings
}

/// What an executable that cannot be read is called.
const UNKNOWN: &str = "unknown";

/// A hash of the executable that runs, or why there is none.
fn executable() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| match hash_of_executable() {
        Ok(hash) => format!("{hash:016x}"),
        Err(error) => format!("{UNKNOWN}: {error}"),
    })
}

fn hash_of_executable() -> std::io::Result<u64> {
    let mut file = std::fs::File::open(std::env::current_exe()?)?;
    let mut mix = Mix::default();
    let mut bytes = vec![0; 1 << 16];
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(mix.finish()),
            length => mix.write(&bytes[..length]),
        }
    }
}

/// A hash of the first execution: what each process does, in order.
pub(crate) fn first_execution(shared: &Shared) -> u64 {
    let mut machine = machine(shared);
    let mut hash = Hash(Mix::default());
    configure(shared, Engine::new(&mut machine)).run(&mut hash);
    hash.0.finish()
}

struct Hash(Mix);

impl Visitor<Machine> for Hash {
    fn leaf(&mut self, graph: &Graph<Machine>, _leaf: Leaf) -> bool {
        if let Some(world) = World::current() {
            world.leaf_visited.set(true);
        }
        for &id in graph.order() {
            let what = match &graph.event(id).kind {
                Kind::Send { to, message, .. } => {
                    let value = without_addresses(&format!("{message:?}"));
                    format!(
                        "send {} {value} {} {to}",
                        message.type_name, message.location
                    )
                }
                Kind::Receive { .. } => {
                    let reads = graph.event(id).reads();
                    let reads = reads.map(|send| format!(" {} {}", send.thread, send.index));
                    format!("receive{}", reads.collect::<String>())
                }
                Kind::Choose { options, value, .. } => format!("choose {value} of {options}"),
                Kind::Spawn { thread, .. } => format!("spawn {thread}"),
                Kind::Memory(memory) => format!("{memory:?} {:?}", graph.event(id).read),
                Kind::Join { thread } => format!("join {thread}"),
                Kind::End => "end".to_owned(),
                Kind::Block => "give up".to_owned(),
                Kind::Fail => "fail".to_owned(),
            };
            self.0.write(format!("{} {what}", id.thread).as_bytes());
        }
        false
    }
}

/// Addresses differ each time a program is started.
fn without_addresses(text: &str) -> String {
    let mut pieces = text.split("0x");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push_str(piece.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_do_not_count() {
        assert_eq!(without_addresses("f(0x7fff12ab), 10"), "f(), 10");
    }

    #[test]
    fn the_executable_has_a_hash() {
        assert_eq!(executable().len(), 16, "{}", executable());
    }
}
