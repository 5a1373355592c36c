//! The command line of a generated program.
//!
//! Without arguments all roles run as threads. The lines that it prints are those of `plainsong run`. Who reads
//! them may stop (`| head -1`): that is no mistake, and the exit code is that of the run.

use crate::cast::{Cast, Role};
use crate::error::Error;
use crate::perform::perform;
use crate::protocol::Protocol;
use crate::{sim, tcp, threads};
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
Runs the roles of a protocol, and prints how each of them ends.

  --threads            all roles as threads of this process (as without arguments)
  --tcp                all roles in this process, over TCP on the loopback interface
  --sim SEED           all roles in a simulator that draws turns (and no choices) from this seed
  --role NAME --peers NAME=HOST:PORT,…
                       one role over TCP; the list has the addresses of all roles
  --seed N             where free choices come from (0)
  --deadline SECONDS   how long a receive waits at most
  --patience SECONDS   how long roles look for each other at the beginning (10)
  NAME=VALUE           sets a parameter";

/// Runs a generated program as its arguments say: the `main` of a generated crate.
pub fn command<P: Protocol>(protocol: &P) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        return match told(writeln!(io::stdout(), "{HELP}")) {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        };
    }
    match Plan::read(protocol, &arguments).and_then(|plan| plan.run(protocol)) {
        Ok(ends) => print(&ends),
        Err(problem) => {
            complain(&problem);
            ExitCode::from(2)
        }
    }
}

/// Prints how roles ended, the good ones to standard output.
fn print<S: Display>(ends: &[(String, Result<S, Error>)]) -> ExitCode {
    let (mut out, mut is_good) = (io::stdout().lock(), true);
    for (role, end) in ends {
        is_good &= match end {
            Ok(state) => told(writeln!(out, "{role}: {state}")),
            Err(error) => {
                complain(&format!("{role}: {error}"));
                false
            }
        };
    }
    match is_good && told(out.flush()) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Was it written, or does nobody want to read it?
fn told(written: io::Result<()>) -> bool {
    match written {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => true,
        Err(error) => {
            complain(&format!("the ends cannot be written: {error}"));
            false
        }
    }
}

/// Says something to people, if anybody listens.
fn complain(what: &str) {
    let _ = writeln!(io::stderr(), "{what}");
}

/// What the arguments ask for.
struct Plan<A> {
    parameters: A,
    way: Way,
    role: Option<String>,
    peers: Option<String>,
    options: tcp::Options,
}

/// On what to run.
enum Way {
    Threads,
    Tcp,
    Sim(u64),
}

/// How each role ended.
type Ends<S> = Vec<(String, Result<S, Error>)>;

impl<A: Clone + Sync> Plan<A> {
    fn read<P: Protocol<Parameters = A>>(
        protocol: &P,
        arguments: &[String],
    ) -> Result<Self, String> {
        let mut plan = Plan {
            parameters: protocol.parameters(),
            way: Way::Threads,
            role: None,
            peers: None,
            options: tcp::Options {
                on_refusal: Some(complain),
                ..tcp::Options::default()
            },
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || {
                let value = rest.next().cloned();
                value.ok_or_else(|| format!("`{argument}` needs a value; see --help"))
            };
            match argument.as_str() {
                "--threads" => plan.way = Way::Threads,
                "--tcp" => plan.way = Way::Tcp,
                "--sim" => plan.way = Way::Sim(number(argument, &value()?)?),
                "--seed" => plan.options.seed = number(argument, &value()?)?,
                "--deadline" => plan.options.deadline = Some(seconds(argument, &value()?)?),
                "--patience" => plan.options.patience = seconds(argument, &value()?)?,
                "--role" => plan.role = Some(value()?),
                "--peers" => plan.peers = Some(value()?),
                _ => match argument.split_once('=') {
                    Some((name, value)) if !name.starts_with('-') => {
                        protocol.set(&mut plan.parameters, name, value)?;
                    }
                    _ => return Err(format!("`{argument}` is not understood; see --help")),
                },
            }
        }
        Ok(plan)
    }

    fn run<P: Protocol<Parameters = A>>(&self, protocol: &P) -> Result<Ends<P::State>, String> {
        let cast = protocol
            .cast(&self.parameters)
            .map_err(|error| error.to_string())?;
        if let Some(role) = &self.role {
            let end = self.play_one(protocol, &cast, role)?;
            return Ok(vec![(role.clone(), end)]);
        }
        if self.peers.is_some() {
            return Err("`--peers` needs `--role`: which of the roles is this?".to_owned());
        }
        let local = threads::Options {
            seed: self.options.seed,
            deadline: self.options.deadline,
        };
        threads::can_be_threads(&cast).map_err(|error| error.to_string())?;
        let parameters = &self.parameters;
        let ends = match self.way {
            Way::Threads => threads::run_protocol(protocol, parameters, &local),
            Way::Tcp => tcp::run_protocol(protocol, parameters, &self.options),
            Way::Sim(turns) => {
                let simulation = sim::Simulation::new(&cast, turns).choices(local.seed);
                Ok(simulation.run(|role, net| protocol.play(role, net, parameters)))
            }
        };
        let ends = ends.map_err(|error| error.to_string())?;
        Ok(cast.roles().iter().cloned().zip(ends).collect())
    }

    /// Plays one role, whose peers are elsewhere.
    fn play_one<P: Protocol<Parameters = A>>(
        &self,
        protocol: &P,
        cast: &Cast,
        name: &str,
    ) -> Result<Result<P::State, Error>, String> {
        let role = find(cast, name)?;
        let peers = self.peers.as_deref();
        let peers = peers.ok_or("`--role` needs `--peers`: where are the other roles?")?;
        let addresses = tcp::addresses(cast, peers).map_err(|error| error.to_string())?;
        let net = tcp::connect(cast, role, &addresses, &self.options);
        Ok(net.and_then(|net| perform(net, |net| protocol.play(role, net, &self.parameters))))
    }
}

fn find(cast: &Cast, name: &str) -> Result<Role, String> {
    let roles = || cast.roles().join(", ");
    let missing = || format!("there is no role `{name}`; the roles are {}", roles());
    cast.role(name).ok_or_else(missing)
}

fn number(option: &str, text: &str) -> Result<u64, String> {
    let wrong = |_| format!("`{option}` needs a number, not `{text}`");
    text.parse().map_err(wrong)
}

fn seconds(option: &str, text: &str) -> Result<Duration, String> {
    let duration = text.parse().ok().map(Duration::try_from_secs_f64);
    match duration {
        Some(Ok(duration)) => Ok(duration),
        _ => Err(format!(
            "`{option}` needs a number of seconds, not `{text}`"
        )),
    }
}
