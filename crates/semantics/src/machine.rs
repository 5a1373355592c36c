//! One interface over the three forms: states, the steps they allow, and how it can end.

use crate::actions::config::Pending;
use crate::actions::{ActionSystem, config::ActionsConfig};
use crate::code::FlatCode;
use crate::code::coverage::{Covered, Statements};
use crate::code::run::Chosen;
use crate::constraints::is_constrained;
use crate::instance::Instance;
use crate::line::{Line, config::LineConfig};
use crate::search::Steering;
use crate::sizes::Sizes;
use crate::trace::{EventKind, Failure, Waiting};
use crate::value::Value;
use crate::voices::network::InFlight;
use crate::voices::{VoiceSystem, config::VoicesConfig};
use crate::world::World;
use plainsong_diagnostics::Span;
use plainsong_ir::{MessageId, System, VarId, Voices};

/// What of a song is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// Its system: voices or actions.
    System,
    /// One of its choreographies, by position.
    Line(usize),
}

/// A state, in normal form: states that look alike and behave alike are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config(pub(crate) Form<VoicesConfig, ActionsConfig, LineConfig>);

/// One thing for each form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form<V, A, L> {
    Voices(V),
    Actions(A),
    /// For a choreography.
    Line(L),
}

/// One thing that can happen in a state.
#[derive(Clone, Debug)]
pub struct Step {
    /// Who acts, as a position in [`Machine::lanes`]; `None` for `init` and actions.
    pub lane: Option<usize>,
    /// What kind of step it is.
    pub kind: EventKind,
    /// The statement in the text.
    pub span: Span,
    /// What it leads to.
    pub outcome: Outcome,
    /// What it takes.
    pub(crate) taken: Option<Taken>,
    /// The free choices made in it.
    pub(crate) chosen: Vec<Chosen>,
    /// The code that ran, as a number for [`Machine::code`].
    pub(crate) code: usize,
    /// The instruction that it begins with.
    pub(crate) pc: usize,
}

/// What a step takes: a message or a pending async.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// A message is received.
    Message(InFlight),
    /// A receive of such a message fails before it can look at any.
    Awaited(MessageId),
    /// A pending async is run.
    Async(Pending),
    /// An action that is always on offer is run.
    Offer(Pending),
    /// Something happens to a message in flight.
    Hit(InFlight),
}

/// What a step, or the start, leads to.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A state.
    Next(Config),
    /// A failure, and the state in which it happened.
    Failed(Failure, Config),
    /// An `assume` ends the execution, or there is nothing to choose from.
    Discarded,
}

/// Can anything happen?
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// Yes.
    Running,
    /// No, as it should be.
    Final,
    /// No, but somebody waits.
    Deadlock(Vec<Waiting>),
    /// Only what an `assume` cuts off: neither final nor a deadlock.
    Discarded,
}

/// A system or choreography, ready to run.
#[derive(Clone, Debug)]
pub struct Machine {
    instance: Instance,
    subject: Subject,
    pub(crate) form: Form<VoiceSystem, ActionSystem, Line>,
    pub(crate) statements: Statements,
    /// Is what `covers` says known to be compatible with every handler?
    pub(crate) trusts_order: bool,
    constrained: bool,
}

impl Machine {
    /// Prepares `subject` of the instance's song. A song without a system has one in which nothing
    /// happens.
    pub fn new(instance: &Instance, subject: Subject) -> Machine {
        let mut statements = Statements::default();
        let song = instance.song();
        let form = match (subject, &song.system) {
            (Subject::Line(line), _) => Form::Line(Line::new(instance, line, &mut statements)),
            (Subject::System, System::Voices(voices)) => {
                Form::Voices(VoiceSystem::new(instance, voices, &mut statements))
            }
            (Subject::System, System::Actions(actions)) => {
                Form::Actions(ActionSystem::new(instance, actions, &mut statements))
            }
            (Subject::System, System::None) => Form::Voices(VoiceSystem::new(
                instance,
                &Voices::default(),
                &mut statements,
            )),
        };
        Machine {
            instance: instance.clone(),
            subject,
            form,
            statements,
            trusts_order: false,
            constrained: subject == Subject::System && is_constrained(instance),
        }
    }

    /// What `covers` says was shown to be compatible with every handler: cycles may rest on it.
    #[must_use]
    pub fn trusting_order(self) -> Machine {
        Machine {
            trusts_order: true,
            ..self
        }
    }

    /// Are there states that are not searched further?
    pub fn is_constrained(&self) -> bool {
        self.constrained
    }

    /// The instance it runs.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// What of the song it runs.
    pub fn subject(&self) -> Subject {
        self.subject
    }

    /// Names of the processes or endpoints, as the user writes them; none for actions.
    pub fn lanes(&self) -> Vec<String> {
        let rows = self.instance.lanes(self.subject);
        self.instance.members()[rows]
            .iter()
            .map(|member| member.name.clone())
            .collect()
    }

    /// The states at the start, one for each free choice of starting values.
    pub fn initial(&self) -> Vec<Outcome> {
        self.initial_covering(&mut Covered::default())
    }

    /// The states at the start in which parameters of the choreography have these values, where they are
    /// named; for a `bool`, 0 and 1, as text where it is no number. Values outside the window of what is tried are allowed.
    pub fn initial_with(&self, given: &Sizes) -> Vec<Outcome> {
        match &self.form {
            Form::Line(line) => line.initial_with(given, &mut Covered::default()),
            Form::Voices(_) | Form::Actions(_) => self.initial(),
        }
    }

    /// Everything that can happen in `config`, in a fixed order that depends only on the state.
    pub fn steps(&self, config: &Config) -> Vec<Step> {
        self.steps_covering(config, &mut Covered::default())
    }

    /// Can anything happen in `config`?
    pub fn status(&self, config: &Config) -> Status {
        self.status_given(config, &self.steps(config))
    }

    /// Does the song declare faults?
    pub fn has_faults(&self) -> bool {
        matches!(&self.form, Form::Voices(system) if !system.faults.is_empty())
    }

    /// Has `init` run? Properties speak about what comes after it.
    pub fn has_begun(&self, config: &Config) -> bool {
        match &config.0 {
            Form::Voices(config) => config.begun,
            Form::Actions(config) => config.begun,
            Form::Line(_) => true,
        }
    }

    /// Like [`status`](Machine::status), when the steps are known already.
    pub fn status_given(&self, config: &Config, steps: &[Step]) -> Status {
        let mut steps = steps.iter().filter(|step| !step.kind.is_fault()).peekable();
        let nothing = steps.peek().is_none();
        if steps.any(|step| !matches!(step.outcome, Outcome::Discarded)) {
            return Status::Running;
        }
        if !nothing || self.cut(config).is_some() {
            return Status::Discarded;
        }
        let waiting = match (&self.form, &config.0) {
            (Form::Voices(system), Form::Voices(config)) => system.waiting(config),
            (Form::Actions(system), Form::Actions(config)) => system.waiting(config),
            (Form::Line(_), Form::Line(_)) => Vec::new(),
            _ => foreign(),
        };
        if waiting.is_empty() {
            Status::Final
        } else {
            Status::Deadlock(waiting)
        }
    }

    pub(crate) fn initial_covering(&self, covered: &mut Covered) -> Vec<Outcome> {
        let all = match &self.form {
            Form::Voices(system) => system.initial(covered),
            Form::Actions(system) => system.initial(),
            Form::Line(line) => line.initial(covered),
        };
        match self.instance.start() {
            Some(start) => all.into_iter().skip(start).take(1).collect(),
            None => all,
        }
    }

    /// The states at the start that are wanted.
    pub(crate) fn initial_steered(
        &self,
        steering: &Steering,
        covered: &mut Covered,
    ) -> Vec<Outcome> {
        match &self.form {
            Form::Line(line) => line.initial_steered(steering, covered),
            Form::Voices(_) | Form::Actions(_) => self.initial_covering(covered),
        }
    }

    pub(crate) fn steps_covering(&self, config: &Config, covered: &mut Covered) -> Vec<Step> {
        if self.cut(config).is_some() {
            return Vec::new();
        }
        match (&self.form, &config.0) {
            (Form::Voices(system), Form::Voices(config)) => system.steps(config, covered),
            (Form::Actions(system), Form::Actions(config)) => system.steps(config, covered),
            (Form::Line(line), Form::Line(config)) => line.steps(config, covered),
            _ => foreign(),
        }
    }

    /// The code with this number.
    pub(crate) fn code(&self, number: usize) -> &FlatCode {
        match &self.form {
            Form::Voices(system) => system.code(number),
            Form::Actions(system) => system.code(number),
            Form::Line(line) => line.code(),
        }
    }
}

impl Config {
    /// The value of a variable of a process or endpoint, by its row among the members of the instance.
    pub fn value(&self, member: usize, var: VarId) -> &Value {
        self.world().of(member, var)
    }

    /// The parameters of a choreography, at its start.
    pub fn parameters(&self, count: usize) -> &[Value] {
        match &self.0 {
            Form::Line(config) => &config.slots[..count.min(config.slots.len())],
            Form::Voices(_) | Form::Actions(_) => &[],
        }
    }

    /// The variables that properties speak about.
    pub(crate) fn world(&self) -> &dyn World {
        match &self.0 {
            Form::Voices(config) => config,
            Form::Actions(config) => config,
            Form::Line(config) => &config.endpoints,
        }
    }
}

fn foreign() -> ! {
    panic!("a state is run by the machine it came from")
}
