//! `plainsong worker` and `plainsong swarm`: who works on pieces, and which runs there are.

use crate::arguments::{SwarmArguments, SwarmVerb, WorkerArguments};
use crate::session::Session;
use crate::swarm::{SongWork, connect, problem};
use plainsong_driver::{Exit, Problem};
use plainsong_report::{count, thousands};
use plainsong_swarm::{Desk, Listed, Metrics, State, this_build};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Songs may nest deeply.
const STACK: usize = 256 * 1024 * 1024;
/// How often a worker looks whether it is to stop.
const GLANCE: Duration = Duration::from_millis(50);
/// How often it looks for runs that it cannot work on.
const LOOK: Duration = Duration::from_secs(5);

/// Works on pieces until Ctrl-C.
pub(crate) fn worker(arguments: &WorkerArguments, session: &mut Session) -> Exit {
    match work(arguments, session) {
        Ok(()) => Exit::Fine,
        Err(problem) => session.reject(&problem),
    }
}

fn work(arguments: &WorkerArguments, session: &mut Session) -> Result<(), Problem> {
    let build = this_build().map_err(problem)?;
    let connection = connect(&arguments.swarm)?;
    session.interrupt_gently();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.map_or(cores, usize::from);
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = format!("{}-{}", host.trim(), std::process::id());
    let (stop, metrics) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(Metrics::default()),
    );
    if let Some(address) = arguments.metrics {
        let served = metrics.serve(address);
        let at =
            served.map_err(|error| Problem::new(format!("cannot listen at {address}: {error}")))?;
        session
            .console
            .remark(&format!("metrics at http://{at}/metrics\n"));
    }
    connection.announce(&build, &name, jobs, &metrics);
    let threads = count(jobs as u64, "thread");
    session.console.remark(&format!(
        "worker {name} of build {build}, {threads}: waiting for pieces\n"
    ));
    let say = |text: &str| {
        // Who cannot read it is not worth stopping for.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr().lock(),
            format!("{text}\n").as_bytes(),
        );
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let desk = Desk::new(
                &connection,
                (&build, &name),
                arguments.slice,
                &stop,
                &metrics,
                &say,
            );
            let thread = std::thread::Builder::new().stack_size(STACK);
            let thread = thread.spawn_scoped(scope, move || desk.work(&mut SongWork::default()));
            if let Err(error) = thread {
                stop.store(true, Ordering::SeqCst);
                return Err(Problem::new(format!("cannot start a thread: {error}")));
            }
        }
        let (mut looked, mut told) = (None::<Instant>, BTreeSet::new());
        while !session.interrupt.is_set() {
            std::thread::sleep(GLANCE);
            if looked.is_some_and(|at| at.elapsed() < LOOK) {
                continue;
            }
            looked = Some(Instant::now());
            // Trouble with the server is told by those who work.
            for run in connection.of_other_builds(&build).unwrap_or_default() {
                if told.insert(run.id) {
                    let (name, other) = (run.name, run.asked.build);
                    say(&format!(
                        "run {name} waits for workers of another build of plainsong ({other}, this one is {build}): it is left alone"
                    ));
                }
            }
        }
        stop.store(true, Ordering::SeqCst);
        Ok(())
    })?;
    let pieces = count(metrics.pieces(), "piece");
    session
        .console
        .remark(&format!("worker {name} stopped after {pieces}\n"));
    Ok(())
}

/// Lists runs, shows one or deletes it.
pub(crate) fn swarm(arguments: &SwarmArguments, session: &mut Session) -> Exit {
    match look(arguments, session) {
        Ok(()) => Exit::Fine,
        Err(problem) => session.reject(&problem),
    }
}

fn look(arguments: &SwarmArguments, session: &mut Session) -> Result<(), Problem> {
    let connection = connect(&arguments.swarm)?;
    let nothing = |name: &str| {
        Problem::new(format!("there is no run `{name}`")).help("`plainsong swarm list` lists all")
    };
    match &arguments.verb {
        SwarmVerb::List => {
            for listed in connection.runs().map_err(problem)? {
                let line = format!(
                    "{}  {}  {}\n",
                    listed.run.name,
                    state(&listed),
                    listed.run.asked.title
                );
                session.console.result(&line);
            }
        }
        SwarmVerb::Show { name } => {
            let listed = connection.run(name).map_err(problem)?;
            let listed = listed.ok_or_else(|| nothing(name))?;
            let run = &listed.run;
            let text = format!(
                "run      {}\nasks     plainsong {}\nstate    {}\nbuild    {}\nbegun    {} (seconds since 1970)\nanswer   the same command with `--run {}` reads it from the server\n",
                run.name,
                run.asked.title,
                state(&listed),
                run.asked.build,
                run.begun,
                run.name
            );
            session.console.result(&text);
        }
        SwarmVerb::Delete { name } => {
            if !connection.delete(name).map_err(problem)? {
                return Err(nothing(name));
            }
        }
    }
    Ok(())
}

/// `open, 12 pieces done, 5 in the queue or at work`.
fn state(listed: &Listed) -> String {
    let state = match listed.run.state {
        State::Open => "open",
        State::Paused => "paused",
        State::Finished => "finished",
    };
    let done = count(listed.done, "piece");
    match listed.waiting {
        0 => format!("{state}, {done} done"),
        waiting => format!(
            "{state}, {done} done, {} in the queue or at work",
            thousands(waiting)
        ),
    }
}
