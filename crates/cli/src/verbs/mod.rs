//! One file per verb.

mod agreement;
mod check;
mod completions;
mod diff;
mod diverge;
mod doctor;
mod dump;
mod estimate;
mod explain;
mod explore;
mod fmt;
mod known;
mod lsp;
mod mend;
mod new;
mod next_sizes;
mod page;
mod project;
mod prove;
mod recheck;
mod refine;
mod rejected;
mod replay;
mod request;
mod resuming;
mod run;
mod saved;
mod sequentialize;
mod serve;
mod show;
mod sim;
mod step;
mod studio;
#[cfg(feature = "swarm")]
mod swarm;
mod test;

use crate::arguments::Verb;
use crate::session::Session;
use plainsong_driver::Exit;
#[cfg(feature = "swarm")]
pub(crate) use request::request;
pub(crate) use serve::SERVE_CVC5;
#[cfg(feature = "swarm")]
pub(crate) use sim::asked as asked_of_sim;

/// Does what was asked.
pub(crate) fn run(verb: &Verb, session: &mut Session) -> Exit {
    match verb {
        Verb::Check(arguments) => check::check_mended(arguments, session),
        Verb::Explore(arguments) => explore::explore(arguments, session),
        Verb::Prove(arguments) => prove::prove(arguments, session),
        Verb::Refine(arguments) => refine::refine(arguments, session),
        Verb::Sequentialize(arguments) => sequentialize::sequentialize(arguments, session),
        Verb::Project(arguments) => project::project(arguments, session),
        Verb::Estimate(arguments) => estimate::estimate(arguments, session),
        Verb::Recheck(arguments) => recheck::recheck(arguments, session),
        Verb::Diverge(arguments) => diverge::diverge(arguments, session),
        Verb::Run(arguments) => run::run(arguments, session),
        Verb::Sim(arguments) => sim::sim(arguments, session),
        Verb::Test(arguments) => test::test(arguments, session),
        Verb::Replay(arguments) => replay::replay(arguments, session),
        Verb::Show(arguments) => show::show(arguments, session),
        Verb::Diff(arguments) => diff::diff(arguments, session),
        Verb::Fmt(arguments) => fmt::fmt(arguments, session),
        Verb::Dump(arguments) => dump::dump(arguments, session),
        Verb::Explain(arguments) => explain::explain(arguments, session),
        Verb::New(arguments) => new::new(arguments, session),
        Verb::Lsp(arguments) => lsp::lsp(arguments, session),
        Verb::Studio(arguments) => studio::studio(arguments, session),
        Verb::Completions(arguments) => completions::completions(arguments, session),
        Verb::Man(arguments) => completions::manual(arguments, session),
        Verb::Doctor => doctor::doctor(session),
        #[cfg(feature = "swarm")]
        Verb::Worker(arguments) => swarm::worker(arguments, session),
        #[cfg(feature = "swarm")]
        Verb::Swarm(arguments) => swarm::swarm(arguments, session),
        Verb::ServeCvc5(arguments) => serve::serve(arguments, session),
    }
}
