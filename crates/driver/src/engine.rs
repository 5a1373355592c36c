//! The seam between the driver and the engines.

use crate::Problem;
use crate::effort::Effort;
use crate::select::Question;
use crate::watch::Overseer;
pub use plainsong_diverge::{Fairness, Method};
use plainsong_infer::Asked;
use plainsong_infer::proof::ProofManner;
use plainsong_ir::{Delivery, Song};
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Coverage, Limits};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::verdict::Verdict;
use plainsong_smt::{CacheMode, Caching, Setup, Solvers};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Something that answers questions about songs.
pub trait Engine: Sync {
    /// Its name: also the verb, the word after `by`, the folder of its songs.
    fn name(&self) -> &'static str;

    /// One line for `plainsong doctor`: what it does and what it needs.
    fn needs(&self) -> &'static str;

    /// Can it answer this question? If not, why.
    fn applicable(&self, song: &Song, question: &Question) -> Result<(), String>;

    /// Does it look at executions or states of instances only? Then what it does not refute holds within bounds, and it
    /// observes what the song says about which states are searched. The others can prove something for every size.
    fn is_search(&self) -> bool {
        false
    }

    /// Can several workers share this task?
    fn shares(&self, _: &Task) -> bool {
        false
    }

    /// Answers the questions of a task. What it cannot find out is `Unknown`, never silence; a
    /// problem means that there is no such instance.
    fn run(&self, task: &Task, overseer: &mut Overseer<'_>) -> Result<EngineReport, Problem>;
}

/// Questions about one subject at the same sizes, asked together.
#[derive(Clone, Debug)]
pub struct Task {
    pub song: Arc<Song>,
    /// What is run.
    pub subject: Subject,
    /// What is asked; all about `subject`.
    pub questions: Vec<Question>,
    /// Sizes to try, in this order; a refuted question needs no further ones.
    pub sizes: Vec<Sizes>,
    /// The next ones, where nobody chose any: for who proves, and looks for runs against what is not proved.
    pub further: Vec<Sizes>,
    /// Do the sizes grow while there is time? Then it is no loss when time or states run out.
    pub grow: bool,
    /// Which integers are tried where infinitely many could be.
    pub bounds: Bounds,
    /// When to give up.
    pub limits: Limits,
    /// Is fewer looked at where something grows without end ([`crate::endless`])?
    pub is_limited_by_growth: bool,
    /// What `--bound` says about searches: for whoever has a default of its own.
    pub effort: Effort,
    /// How many workers may share the work.
    pub jobs: usize,
    /// How many bytes the states of an action system may take.
    pub memory: Option<u64>,
    /// The folder for states of processes that do not fit into memory.
    pub disk: Option<PathBuf>,
    /// Are states that differ only in the names of symmetric members kept once?
    pub symmetry: bool,
    /// One delivery model for all messages, instead of the declared ones.
    pub delivery: Option<Delivery>,
    /// How proofs go about it.
    pub proof: ProofOptions,
    /// How liveness questions are meant.
    pub liveness: LivenessOptions,
}

impl Task {
    /// What proof search has to know of it.
    pub(crate) fn asked(&self) -> Asked {
        Asked {
            song: self.song.clone(),
            subject: self.subject,
            questions: self.questions.clone(),
            sizes: self.sizes.clone(),
            further: self.further.clone(),
            bounds: self.bounds.clone(),
            limits: self.limits,
            delivery: self.delivery,
        }
    }

    /// What proofs of an engine depend on beside the question; nothing if they are not to be kept.
    pub(crate) fn proof_key(&self, engine: &str) -> Option<String> {
        let proof = &self.proof;
        let again = proof.stability > 0 || proof.recheck || proof.dump.is_some();
        let (subject, explain, song) = (&self.subject, proof.explain, &self.song);
        (!again).then(|| format!("{engine} of {subject:?}, explained: {explain}\n{song:?}"))
    }
}

/// How proofs go about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProofOptions {
    /// Where every query of a solver is written to.
    pub dump: Option<PathBuf>,
    /// Under how many seeds everything is shown again.
    pub stability: u32,
    /// Is a second solver asked about everything that is shown?
    pub recheck: bool,
    /// Is what is not proved explored?
    pub or_explore: bool,
    /// Do others look for refutations? Then a prover leaves what it does not prove unknown, and searches nothing.
    pub only_proofs: bool,
    /// The program that runs the second solver, with its first argument.
    pub host: Option<plainsong_smt::Host>,
    /// Is every obligation named?
    pub explain: bool,
    /// Is the cache used, and how often was it?
    pub caching: Caching,
    /// Who is asked: one pool for everything that is asked with these options.
    pub solvers: SharedSolvers,
}

/// Solvers that are set up when the first question is asked, and serve all others: starting a process costs more than
/// most answers. Clones share them.
#[derive(Clone, Default)]
pub struct SharedSolvers(Arc<OnceLock<Solvers>>);

impl fmt::Debug for SharedSolvers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedSolvers")
    }
}

/// Which process answers makes no difference to an answer.
impl PartialEq for SharedSolvers {
    fn eq(&self, _: &SharedSolvers) -> bool {
        true
    }
}

impl Eq for SharedSolvers {}

impl ProofOptions {
    /// What is shown again, and how.
    pub(crate) fn manner(&self) -> ProofManner {
        ProofManner {
            stability: self.stability,
            recheck: self.recheck,
        }
    }

    /// Who is asked.
    pub(crate) fn solvers(&self) -> &Solvers {
        self.solvers.0.get_or_init(|| Solvers::new(self.setup()))
    }

    /// How solvers are set up. Whoever asks a second solver, or under other seeds, wants the first one to be asked
    /// again as well: what it says is kept, but nothing is looked up.
    pub(crate) fn setup(&self) -> Setup {
        let mode = match self.caching.mode {
            CacheMode::Use if self.recheck => CacheMode::Refresh,
            mode => mode,
        };
        let mut setup = Setup::with_caching(&self.caching.in_mode(mode));
        setup.dump.clone_from(&self.dump);
        setup.host.clone_from(&self.host);
        if self.stability > 0 {
            setup.answers = None;
        }
        setup
    }
}

/// How liveness questions are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LivenessOptions {
    /// Which executions are meant, whatever the properties say.
    pub fairness: Option<Fairness>,
    /// Which executions temporal claims mean, whatever the properties say.
    pub level: Option<plainsong_ir::Fairness>,
    /// How the answer is looked for.
    pub method: Method,
    /// May a solver be asked to show it for every size?
    pub prove: bool,
    /// With [`Method::Alive`]: is a solver asked about the translated program, in place of the search?
    pub solve: bool,
}

/// What an engine found out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EngineReport {
    /// One for each question, in their order.
    pub verdicts: Vec<Verdict>,
    /// Which parts of the text took part, if the engine knows.
    pub coverage: Option<Coverage>,
}
