//! Verbs and flags. A flag means the same everywhere, and is declared only where it has an effect.

mod editors;
mod explore;
mod sim;
#[cfg(feature = "swarm")]
mod swarm;
mod test;
mod values;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
pub(crate) use editors::{LspArguments, StudioArguments};
pub(crate) use explore::{ExploreArguments, ResumeArguments};
use plainsong_driver::effort::Level;
use plainsong_driver::watch::Allowance;
use plainsong_smt::{CacheMode, Caching};
use sim::SIM_EXIT_CODES;
pub(crate) use sim::SimArguments;
use std::path::PathBuf;
#[cfg(feature = "swarm")]
pub(crate) use swarm::{QueueArguments, SwarmArguments, SwarmVerb, WorkerArguments};
use test::TEST_EXIT_CODES;
pub(crate) use test::TestArguments;
pub(crate) use values::{Bound, Given, Size, seconds};

const EXIT_CODES: &str = "\
Exit codes:
  0  everything asked was proved, or held up to the bound asked for
  1  something was refuted
  2  something is unknown (time, memory, Ctrl-C) or only proved provided something
     else is, which is not; and nothing refuted
  3  input rejected: syntax, types, flags, nothing selected
  4  a bug of plainsong, with a file to attach";

/// Model-check, verify and run distributed programs.
#[derive(Debug, Parser)]
#[command(name = "plainsong", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    /// When to use colours; `auto` is on a terminal
    #[arg(
        long,
        global = true,
        display_order = 900,
        value_name = "WHEN",
        value_enum,
        default_value_t = ColorWhen::Auto
    )]
    pub(crate) color: ColorWhen,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Check everything the files ask for: one verdict per property
    #[command(after_help = EXIT_CODES)]
    Check(CheckVerbArguments),
    /// Model-check every execution, without repeating equivalent ones (optimal partial-order reduction)
    #[command(after_help = EXIT_CODES)]
    Explore(ExploreArguments),
    /// Verify contracts of choreographies and inductive invariants of systems, for every size and every value
    #[command(after_help = EXIT_CODES)]
    Prove(ProveArguments),
    /// Prove layered refinement: movers, yield invariants, procedures that implement atomic actions
    #[command(after_help = EXIT_CODES)]
    Refine(RefineArguments),
    /// Prove deadlock freedom and safety for any number of processes, and show the sequential program they follow
    #[command(after_help = EXIT_CODES)]
    Sequentialize(SequentializeArguments),
    /// Project a choreography to its processes (endpoint projection), as a song or as a Rust crate
    #[command(after_help = EXIT_CODES)]
    Project(ProjectArguments),
    /// Estimate the number of executions, the time they take, and what makes them many
    Estimate(EstimateArguments),
    /// Check a certificate of `sequentialize` or `diverge` by independent code
    #[command(after_help = EXIT_CODES)]
    Recheck(RecheckArguments),
    /// Find executions that never terminate (divergence, livelock), or prove termination
    #[command(after_help = EXIT_CODES)]
    Diverge(DivergeArguments),
    /// Run a choreography: sequentially, on threads, over TCP or in a simulator
    #[command(after_help = EXIT_CODES)]
    Run(RunArguments),
    /// Run one random execution and show it as a message sequence, or many and check every property on each
    #[command(after_help = SIM_EXIT_CODES)]
    Sim(SimArguments),
    /// Run songs as a test suite: every song below the folders, judged by its `// expect` lines
    #[command(after_help = TEST_EXIT_CODES)]
    Test(TestArguments),
    /// Replay a saved trace step by step
    Replay(ReplayArguments),
    /// Render a saved trace: as text, a page, a picture, or for other tools
    Show(ShowArguments),
    /// Compare two saved traces and show the first difference
    Diff(DiffArguments),
    /// Format songs in place
    Fmt(FmtArguments),
    /// Print a song as it was understood
    Dump(DumpArguments),
    /// Explain a diagnostic code
    Explain(ExplainArguments),
    /// Make a folder with an example to start from
    New(NewArguments),
    /// Be the language server of an editor, over standard input and output
    Lsp(LspArguments),
    /// Serve an editor with verdicts, executions and stepping to the browser of this machine
    Studio(StudioArguments),
    /// Print completions for a shell
    Completions(CompletionsArguments),
    /// Write manual pages into a folder, one for each verb
    #[command(hide = true)]
    Man(ManArguments),
    /// Show what is installed and what each engine needs
    Doctor,
    /// Work on pieces of runs that others began with `--swarm`, until Ctrl-C
    #[cfg(feature = "swarm")]
    Worker(WorkerArguments),
    /// List runs of a swarm, show one, or delete it with all that was found
    #[cfg(feature = "swarm")]
    Swarm(SwarmArguments),
    /// Be the process of cvc5: started by this command itself
    #[command(hide = true, name = crate::verbs::SERVE_CVC5)]
    ServeCvc5(ServeArguments),
}

/// `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// Which shell
    pub(crate) shell: clap_complete::Shell,
}

/// `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// The folder; it is made if it is not there
    pub(crate) folder: PathBuf,
}

/// `serve-cvc5`.
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The folder of its libraries
    pub(crate) libraries: PathBuf,
    /// What it may use, in megabytes
    pub(crate) memory: u64,
}

/// `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckVerbArguments {
    #[command(flatten)]
    pub(crate) check: CheckArguments,
    /// Apply the repairs of projection to the choreographies in the songs first
    #[arg(long, conflicts_with = "resume")]
    pub(crate) fix: bool,
    /// How long to look for a stronger answer. `quick`: 20000 states of each property, one second for each prover, no larger
    /// sizes. `normal`: 10 seconds for each prover, then the search to its limits, then larger sizes. `thorough`: no
    /// limit on proofs, ten times as much at larger sizes [default: normal]
    #[arg(long, value_name = "LEVEL", value_enum, conflicts_with = "resume")]
    pub(crate) effort: Option<EffortLevel>,
    /// Fairness that temporal claims suppose (`eventually`, `leads to`), in place of what the properties say
    #[arg(long, value_name = "LEVEL", value_enum, conflicts_with = "resume")]
    pub(crate) fair: Option<FairLevel>,
    #[command(flatten)]
    pub(crate) resuming: ResumeArguments,
}

/// `check`, and what the engines' verbs have of it.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Songs, and folders with all songs below them; `-` is standard input. Without any, those in the current folder
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
    /// Only this property; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) property: Vec<String>,
    /// Only properties whose name matches this regular expression
    #[arg(long = "match", value_name = "RE")]
    pub(crate) pattern: Option<String>,
    /// Increase sorts without a size from one member on, until something is refuted or the time is over
    /// (`--timeout`, else 10 seconds)
    #[arg(long)]
    pub(crate) grow: bool,
    /// List the properties instead of checking them
    #[arg(
        long,
        conflicts_with_all = [
            "grow", "timeout", "jobs", "memory", "disk", "symmetry", "no_reduce", "fail_fast", "keep_going", "require", "junit",
            "sarif", "page",
        ]
    )]
    pub(crate) list: bool,
    /// Time limit for each file, in seconds: its properties share it, and what is not answered by then is unknown
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) timeout: Option<std::time::Duration>,
    /// Number of worker threads; verdicts and counts do not depend on it
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
    /// Memory limit in megabytes; beyond it the answer is unknown [default: a quarter of the machine's memory, at most 4000]
    #[arg(long, value_name = "MB", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) memory: Option<u64>,
    /// Put states of processes that do not fit into memory into files in this folder, about six bytes for each, and go on. The
    /// files are removed at the end
    #[arg(long, value_name = "DIR")]
    pub(crate) disk: Option<PathBuf>,
    /// Symmetry reduction: visit one state per class of states that differ only in identities. Implies state
    /// search instead of partial-order reduction for processes
    #[arg(long)]
    pub(crate) symmetry: bool,
    /// Switch off reductions of the state search of processes, which are on where they are sound.
    /// `dead-messages`: messages that can never matter again are dropped. `order`: partial-order reduction, fewer steps where
    /// their order does not matter
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) no_reduce: Vec<Reduction>,
    /// Stop after the first refuted property
    #[arg(long, conflicts_with = "keep_going")]
    pub(crate) fail_fast: bool,
    /// Stop after N refuted properties
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) keep_going: Option<u32>,
    /// Exit with 2 if a verdict is not that: `proved` (not only bounded), `untrusted` (rests on no assumption or contract that
    /// nobody has checked). With any of them, a vacuous verdict is exit code 2, too
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub(crate) require: Vec<Require>,
    /// Where traces and their pictures are saved
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(crate) out: PathBuf,
    /// One JSON object per line instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write the results as JUnit's XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Also write the results as SARIF
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Also write an HTML page: all verdicts, coverage, and the counterexamples
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) cache: CacheArguments,
    #[command(flatten)]
    pub(crate) detail: DetailArguments,
}

/// Whether answers of earlier runs count.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct CacheArguments {
    /// Ask the solver everything again: neither read nor write the cache of its answers
    #[arg(long)]
    pub(crate) no_cache: bool,
}

impl CacheArguments {
    /// How the cache takes part.
    pub(crate) fn caching(self) -> Caching {
        Caching::new(match self.no_cache {
            true => CacheMode::Off,
            false => CacheMode::Use,
        })
    }
}

/// `prove`.
#[derive(Debug, Args)]
pub(crate) struct ProveArguments {
    #[command(flatten)]
    pub(crate) check: CheckArguments,
    /// Write every query of the solver to this folder, with the obligation it is about
    #[arg(long, value_name = "DIR")]
    pub(crate) dump: Option<PathBuf>,
    /// Discharge every obligation again under N other seeds of the solver, and report what changes
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 0
    )]
    pub(crate) stability: u32,
    /// Ask a second solver (cvc5, which is fetched) about every discharged obligation. The first one is asked again: answers
    /// in the cache do not count
    #[arg(long)]
    pub(crate) recheck: bool,
}

/// `refine`.
#[derive(Debug, Args)]
pub(crate) struct RefineArguments {
    #[command(flatten)]
    pub(crate) check: CheckArguments,
    /// Write every query of the solver to this folder, with the obligation it is about
    #[arg(long, value_name = "DIR")]
    pub(crate) dump: Option<PathBuf>,
    /// Discharge every obligation again under N other seeds of the solver, and report what changes
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 0
    )]
    pub(crate) stability: u32,
    /// Ask a second solver (cvc5, which is fetched) about every discharged obligation. The first one is asked again: answers
    /// in the cache do not count
    #[arg(long)]
    pub(crate) recheck: bool,
    /// Name every obligation
    #[arg(long)]
    pub(crate) explain: bool,
    /// Print the mover type of each action, and what keeps it from a stronger one
    #[arg(long, conflicts_with = "json")]
    pub(crate) movers: bool,
    /// The layer to print, by its number or name
    #[arg(
        long,
        value_name = "LAYER",
        allow_negative_numbers = true,
        requires = "emit"
    )]
    pub(crate) layer: Option<String>,
    /// Print the program of a layer; without a layer, the line that the schedules lead to
    #[arg(long, conflicts_with = "json")]
    pub(crate) emit: bool,
}

/// `sequentialize`.
#[derive(Debug, Args)]
pub(crate) struct SequentializeArguments {
    #[command(flatten)]
    pub(crate) check: CheckArguments,
    /// Print the line that was found
    #[arg(long, conflicts_with = "json")]
    pub(crate) emit: bool,
    /// Write a page with the line beside the processes of a single file to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the derivation of a single file to this file, for `plainsong recheck`
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
}

/// `recheck`.
#[derive(Debug, Args)]
pub(crate) struct RecheckArguments {
    /// A certificate written by `sequentialize --certificate` or `diverge --certificate`
    pub(crate) certificate: PathBuf,
    /// The song, when it is not where the certificate says
    #[arg(long, value_name = "FILE")]
    pub(crate) song: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// `project`.
#[derive(Debug, Args)]
pub(crate) struct ProjectArguments {
    /// The song
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Which choreography, if the song has several
    #[arg(long, value_name = "NAME")]
    pub(crate) line: Option<String>,
    /// Print the processes as a song, which every other verb takes
    #[arg(long)]
    pub(crate) emit: bool,
    /// Write a Rust crate into this directory; `cargo run` there runs all roles as threads
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Members of a sort, or the value of a parameter as it is shown, for runs that say nothing about them: `n=3,l=[1, 2]`
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) size: Vec<Given>,
    /// Let one endpoint decide every joint condition, and send its decision to the others (knowledge of choice)
    #[arg(long)]
    pub(crate) decide: bool,
    /// Repair nothing: every condition names every endpoint, every statement reads one
    #[arg(long)]
    pub(crate) strict_paper: bool,
    /// Write what projection repairs into the song: variables and transfers
    #[arg(long)]
    pub(crate) fix: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    #[command(flatten)]
    pub(crate) cache: CacheArguments,
    /// Say only what is wrong
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// `diverge`.
#[derive(Debug, Args)]
pub(crate) struct DivergeArguments {
    #[command(flatten)]
    pub(crate) check: CheckArguments,
    /// Only fair executions: nothing that waits is ignored for ever; `--fair=resent` requires it only of what is
    /// sent again and again
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "pending"
    )]
    pub(crate) fair: Option<FairHow>,
    /// Look for the answer in this way only
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) method: Option<DivergeMethod>,
    /// Delay bound of `--method alive`, `--method alive-smt` and `--emit`: N rounds; with 1 no task is delayed
    /// [default: 2]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=8))]
    pub(crate) delay: Option<u32>,
    /// Bound the recursion depth of `--method alive`, `--method alive-smt` and `--emit`: at most N nested tasks of the
    /// same kind [default: 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) recursion: Option<u32>,
    /// Print a program of Emmi and Lal's translations instead of answering: `nt`, where a period is an end, or `db`,
    /// where that is a line of `--delay` rounds and `--recursion` tasks of a kind in a chain
    #[arg(long, value_name = "WHICH", value_enum)]
    pub(crate) emit: Option<Translation>,
    /// Write a certificate of termination of a single file to this file, for `plainsong recheck`: for every size if that
    /// is proved; with `--size`, of the largest instance
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
}

/// Programs of the translations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Translation {
    /// A cycle becomes an end with nothing pending
    Nt,
    /// Rounds of tasks become one sequential line
    Db,
}

/// Ways to look for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DivergeMethod {
    /// The shortest lasso, breadth first
    Nearest,
    /// A fair lasso: the task that waits longest is served next, with few exceptions (delay-bounded scheduling)
    Rounds,
    /// Self-covering executions, depth first (Karp–Miller coverability)
    Covering,
    /// Linear ranking functions over pending tasks
    Structural,
    /// All states, and the fair cycles among them
    States,
    /// States up to shifts of ballots, terms and other points (shift invariance)
    Shifted,
    /// Coverability by the order that the song declares with `covers`
    Covers,
    /// Loop acceleration: runs that repeat while integers grow or shrink
    Drifting,
    /// The search of Emmi and Lal's ALIVE, within `--delay` and `--recursion`
    Alive,
    /// The same by a solver, on the line that `--emit db` prints
    AliveSmt,
}

/// What a fair execution does not ignore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FairHow {
    /// Nothing that waits
    Pending,
    /// Nothing that is sent again and again
    Resent,
}

/// A level of fairness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FairLevel {
    /// Something happens while something can
    None,
    /// Processes, actions and messages weakly: whoever is enabled for ever is served at last
    Weak,
    /// Processes and actions weakly, messages strongly [default]
    Standard,
    /// Processes, actions and messages strongly: whoever is enabled again and again is served at last
    Strong,
}

/// When to give up.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LimitArguments {
    /// Time limit in seconds; beyond it the exit code is 2
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub(crate) timeout: Option<std::time::Duration>,
    /// Memory limit in megabytes; beyond it the exit code is 2 [default: a quarter of the machine's memory, at most 4000]
    #[arg(long, value_name = "MB", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) memory: Option<u64>,
}

impl LimitArguments {
    /// What is allowed, with the default of memory.
    pub(crate) fn allowance(&self) -> Allowance {
        let memory = self.memory.map(|megabytes| megabytes * 1_000_000);
        Allowance {
            time: self.timeout,
            share: self.timeout,
            memory: memory.or_else(plainsong_driver::memory::default_limit),
        }
    }
}

/// How big an instance is and how its messages travel.
#[derive(Debug, Args)]
pub(crate) struct InstanceArguments {
    /// Members of a sort, or the value of a parameter; `Sort=2..4` tries 2, 3 and 4
    #[arg(long, value_name = "SORT=N[..M]", value_delimiter = ',')]
    pub(crate) size: Vec<Size>,
    /// Limits: `int=-2..2`, `nat=3` and `length=2` (of sequences and bags) where any value could be
    /// chosen. `pending=N`: search no further from states with more messages or asyncs in flight. `states=N`: the most states that a search of one instance stores, or executions that it visits
    /// [default: 10000000, of states of processes none; for `diverge` 50000, for instances beside `sequentialize` 200000, for what
    /// `check` does not prove 1000000, for processes whose executions may have no end 1000000]. `first-states=N`: the states of processes that `check` looks at before it visits
    /// executions [default: 20000]. `first-executions=N`: the executions of processes that are visited
    /// before their states are searched [default: 100000]. `growing-states=N`: the states or executions that `check` looks at
    /// where a channel grows without end, unless `states` or `--effort thorough` is given [default: 300000]
    #[arg(
        long,
        value_name = "WHAT=N",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub(crate) bound: Vec<Bound>,
    /// Deliver all messages by this model, whatever their declarations say; `all` compares the four
    #[arg(long, value_name = "MODEL", value_enum)]
    pub(crate) delivery: Option<DeliveryModel>,
}

/// How much to say.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct DetailArguments {
    /// Say only what is wrong, and no progress
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say where sizes come from and why each verdict is what it is
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// How long `check` looks for a stronger answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffortLevel {
    Quick,
    #[default]
    Normal,
    Thorough,
}

impl From<EffortLevel> for Level {
    fn from(level: EffortLevel) -> Level {
        match level {
            EffortLevel::Quick => Level::Quick,
            EffortLevel::Normal => Level::Normal,
            EffortLevel::Thorough => Level::Thorough,
        }
    }
}

/// What is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Require {
    Proved,
    Untrusted,
}

/// Reductions of the state search that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reduction {
    DeadMessages,
    Order,
}

/// The delivery models.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DeliveryModel {
    Unordered,
    Fifo,
    Causal,
    Mailbox,
    All,
}

/// `estimate`.
#[derive(Debug, Args)]
pub(crate) struct EstimateArguments {
    /// The song; `-` is standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
    /// The most random executions to draw
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) walks: u32,
    /// Another seed draws other executions
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 0
    )]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// One JSON object per line instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// `run`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("way").args(["sequential", "threads", "tcp", "sim", "role"])))]
pub(crate) struct RunArguments {
    /// The song; `-` is standard input
    pub(crate) file: PathBuf,
    /// Statement by statement, as it is written
    #[arg(long)]
    pub(crate) sequential: bool,
    /// Every endpoint on a thread of its own (as without any of these)
    #[arg(long)]
    pub(crate) threads: bool,
    /// Every endpoint over TCP, all of them in this process
    #[arg(long)]
    pub(crate) tcp: bool,
    /// Every endpoint in a simulator that draws turns from this seed
    #[arg(long, value_name = "SEED", allow_negative_numbers = true)]
    pub(crate) sim: Option<u64>,
    /// Only this endpoint, over TCP; the others are elsewhere
    #[arg(long, value_name = "NAME", requires = "peers")]
    pub(crate) role: Option<String>,
    /// Where all endpoints are
    #[arg(long, value_name = "NAME=HOST:PORT,…", requires = "role")]
    pub(crate) peers: Option<String>,
    /// Only this choreography
    #[arg(long, value_name = "NAME")]
    pub(crate) line: Option<String>,
    /// Members of a sort, or the value of a parameter as it is shown: `n=3,l=[1, 2]`
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) size: Vec<Given>,
    /// Parameters that nobody chooses are drawn from `int=-2..2`, `nat=3` and `length=2`, unless this says
    /// otherwise
    #[arg(
        long,
        value_name = "WHAT=N",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub(crate) bound: Vec<Bound>,
    /// Where parameters that nobody chooses and free choices come from
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 0
    )]
    pub(crate) seed: u64,
    /// How long a receive waits at most
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds, default_value = "10")]
    pub(crate) deadline: std::time::Duration,
    /// How long endpoints look for each other at the beginning
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds, default_value = "10")]
    pub(crate) patience: std::time::Duration,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// One JSON object per line instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// A trace saved by `check`, `explore` or `sim`
    pub(crate) trace: PathBuf,
    /// Print a Rust test that fails as long as this execution is possible and ends badly
    #[arg(long)]
    pub(crate) to_test: bool,
    /// The song, when it is not where the trace says
    #[arg(long, value_name = "FILE")]
    pub(crate) song: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// `show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// A trace saved by `check`, `explore` or `sim`
    pub(crate) trace: PathBuf,
    /// What to make of it
    #[arg(long = "as", value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Write a file named after the trace into this folder, instead of printing
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// The song, when it is not where the trace says
    #[arg(long, value_name = "FILE")]
    pub(crate) song: Option<PathBuf>,
}

/// What a trace can be rendered as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For the terminal
    Text,
    /// One page with everything, to step through in a browser
    Html,
    /// A picture
    Svg,
    /// A Mermaid sequence diagram
    Mermaid,
    /// A PlantUML sequence diagram
    Plantuml,
    /// The states, in the Informal Trace Format of Apalache and Quint
    Itf,
    /// A log with vector clocks for ShiViz
    Shiviz,
    /// Everything in the trace
    Json,
}

/// `diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// A saved trace
    pub(crate) left: PathBuf,
    /// Another one
    pub(crate) right: PathBuf,
    /// Write a page for a browser that shows both side by side
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// `fmt`.
#[derive(Debug, Args)]
pub(crate) struct FmtArguments {
    /// Songs, and folders with all songs below them; `-` formats standard input. Without any, those in the current folder
    pub(crate) files: Vec<PathBuf>,
    /// Change nothing; exit code 1 when something would change
    #[arg(long, conflicts_with = "stdout")]
    pub(crate) check: bool,
    /// Print the result instead of writing it
    #[arg(long)]
    pub(crate) stdout: bool,
}

/// `dump`.
#[derive(Debug, Args)]
pub(crate) struct DumpArguments {
    /// The song; `-` is standard input
    pub(crate) file: PathBuf,
}

/// `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The code, as in `error[unknown-name]`
    #[arg(required_unless_present = "list")]
    pub(crate) code: Option<String>,
    /// List all codes
    #[arg(long, conflicts_with = "code")]
    pub(crate) list: bool,
}

/// `new`.
#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The folder to make
    pub(crate) name: PathBuf,
}
