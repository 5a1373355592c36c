//! `plainsong run`: a choreography is played, and how its endpoints end.

use super::request::start;
use crate::arguments::RunArguments;
use crate::limits::Limited;
use crate::session::Session;
use plainsong_driver::Exit;
use plainsong_driver::performance::{NoPerformance, Performance, PerformanceRequest, Way, perform};
use plainsong_driver::plan::Request;
use plainsong_report::stream::{EndRecord, PerformanceRecord, Record, Summary};

/// Plays the choreographies of a song.
pub(crate) fn run(arguments: &RunArguments, session: &mut Session) -> Exit {
    session.console.json = arguments.json;
    if arguments.json {
        let file = std::slice::from_ref(&arguments.file);
        session.console.record(&start("run", file));
    }
    let limited = Limited::begin(&arguments.limits, "run", arguments.json);
    let exit = execute(arguments, &limited, session).unwrap_or_else(|exit| exit);
    if arguments.json {
        let summary = Summary {
            resume: None,
            verdicts: Vec::new(),
            exit: exit.code(),
        };
        session.console.record(&Record::Summary(summary));
    }
    exit
}

fn execute(
    arguments: &RunArguments,
    limited: &Limited,
    session: &mut Session,
) -> Result<Exit, Exit> {
    let (loaded, song) = session.song(&arguments.file)?;
    let mut request = Request {
        sizes: arguments
            .size
            .iter()
            .flat_map(|given| given.sizes.clone())
            .collect(),
        ..Request::default()
    };
    for bound in &arguments.bound {
        bound.apply(&mut request.bounds, &mut request.effort);
    }
    let order = order(arguments);
    let performed = perform(&loaded, &song, &request, &order);
    let performed = performed.map_err(|error| match error {
        NoPerformance::Problem(problem) => {
            session.console.problem(&problem, Some(&loaded.source));
            Exit::Rejected
        }
        NoPerformance::Diagnostics(diagnostics) => {
            session.diagnostics(&loaded.source, &diagnostics);
            Exit::Rejected
        }
        NoPerformance::Bug(crash) => session.bug(Some(&loaded.source), &crash),
    })?;
    limited.lift();
    let mut exit = Exit::Fine;
    for performance in &performed {
        exit = exit.and(performance.exit());
        if arguments.json {
            let record = record(performance, &loaded.source.name, &order);
            session.console.record(&record);
            continue;
        }
        show(performance, performed.len() > 1, arguments.seed, session);
    }
    Ok(exit)
}

fn order(arguments: &RunArguments) -> PerformanceRequest {
    let way = match (&arguments.role, &arguments.peers, arguments.sim) {
        (Some(role), Some(peers), _) => Way::One {
            role: role.clone(),
            peers: peers.clone(),
        },
        (_, _, Some(turns)) => Way::Sim(turns),
        _ if arguments.sequential => Way::Sequential,
        _ if arguments.tcp => Way::Tcp,
        _ => Way::Threads,
    };
    PerformanceRequest {
        way,
        line: arguments.line.clone(),
        written: arguments
            .size
            .iter()
            .flat_map(|given| given.written.clone())
            .collect(),
        seed: arguments.seed,
        deadline: arguments.deadline,
        patience: arguments.patience,
        on_refusal: Some(remark),
    }
}

/// The same as an object of the stream.
fn record(performance: &Performance, file: &str, order: &PerformanceRequest) -> Record {
    let object = |pairs: &[(String, String)]| {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| (name.clone(), value.clone().into()))
            .collect()
    };
    let ends = performance.ends.iter().map(|(role, end)| EndRecord {
        role: role.clone(),
        variables: end.as_ref().ok().map(|end| object(&end.variables)),
        error: end.as_ref().err().map(ToString::to_string),
    });
    Record::Performance(PerformanceRecord {
        file: file.to_owned(),
        choreography: performance.line.clone(),
        way: match &order.way {
            Way::Sequential => "sequential",
            Way::Threads => "threads",
            Way::Tcp => "tcp",
            Way::Sim(_) => "sim",
            Way::One { .. } => "role",
        },
        seed: order.seed,
        parameters: object(&performance.parameters),
        external: performance.external.clone(),
        ends: ends.collect(),
    })
}

/// The lines that a generated program prints; what was drawn and what went wrong beside them.
fn show(performance: &Performance, is_one_of_many: bool, seed: u64, session: &mut Session) {
    if is_one_of_many {
        session.console.result(&format!("{}\n", performance.line));
    }
    if !performance.parameters.is_empty() {
        let given = performance.parameters.iter();
        let given: Vec<String> = given
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let line = &performance.line;
        let remark = format!("{line}({}), seed {seed}\n", given.join(", "));
        session.console.remark(&remark);
    }
    if !performance.external.is_empty() {
        let names = performance.external.iter().map(|name| format!("`{name}`"));
        let names = names.collect::<Vec<_>>().join(", ");
        let remark = format!("drawn from what the contract allows: what {names} returned\n");
        session.console.remark(&remark);
    }
    for (role, end) in &performance.ends {
        let role = role
            .as_ref()
            .map(|role| format!("{role}: "))
            .unwrap_or_default();
        match end {
            Ok(end) => session.console.result(&format!("{role}{end}\n")),
            Err(error) => session.console.remark(&format!("{role}{error}\n")),
        }
    }
}

/// Says at once why somebody at the port was refused.
fn remark(text: &str) {
    // Without standard error there is nobody to tell.
    let _ = std::io::Write::write_fmt(&mut anstream::stderr(), format_args!("{text}\n"));
}
