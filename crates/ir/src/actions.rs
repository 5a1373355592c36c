//! Actions: global variables, gated atomic actions, and a bag of pending asyncs.

use crate::{
    ActionId, Code, Contract, DeclaredFairness, EnumId, Expr, FamilyId, InvariantId, Local,
    LocalId, ProcedureId, StartValue, Ty,
};
use plainsong_diagnostics::Span;

/// An action system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Actions {
    /// Global variables.
    pub globals: Vec<Global>,
    pub actions: Vec<Action>,
    /// `init { … }`: runs once, before everything, as one step.
    pub init: Option<Code>,
    /// Invariants that procedures rely on where they yield.
    pub invariants: Vec<Invariant>,
    /// Procedures: code whose steps are actions.
    pub procedures: Vec<Procedure>,
    /// Sequentializations, in the order in which they are applied.
    pub sequences: Vec<Sequentialization>,
    /// What is chosen when two actions are swapped.
    pub commutes: Vec<Commute>,
}

/// `var x: T = e;` outside of everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its value at the start; may read globals declared earlier.
    pub start: StartValue,
    /// Names bound in `start`.
    pub locals: Vec<Local>,
    /// `linear`: what it holds are permissions, each of which exists once.
    pub linear: bool,
    /// `as Left`: the part of its elements that it holds, if they are split.
    pub share: Option<(EnumId, usize)>,
    /// `@ a..b`: introduced at layer `a`, hidden above layer `b`; always there when not said.
    pub layers: Option<Layers>,
    /// The name in the text.
    pub span: Span,
}

/// `action Name(…) { … }`: runs as a whole. `assert` is its gate, `assume` blocks it.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub name: String,
    /// Parameters and statements.
    pub code: Code,
    /// What `refine` is told about it.
    pub role: Role,
    /// The name in the text.
    pub span: Span,
}

/// What a process with a body does by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Moves {
    /// The process; the first parameters of the action are its indices.
    pub family: FamilyId,
    /// Does it begin between two steps of the process, where claims do not look?
    pub between: bool,
}

/// What is said about an action besides its code, mostly for `refine`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Role {
    /// `left action`: how it may be moved past actions of others; inferred when not said.
    pub mover: Option<Mover>,
    /// `@ a..b`: the layers at which it exists; all of them when not said.
    pub layers: Option<Layers>,
    /// The parameters that carry a permission, ascending.
    pub linear: Vec<LocalId>,
    /// Those of them whose permission is taken for good: `take t: T`.
    pub taken: Vec<LocalId>,
    /// The parameters whose permission the caller has afterwards, and not before: `give t: T`.
    pub given: Vec<LocalId>,
    /// The local that holds the result, if it has one: the first after the parameters.
    pub result: Option<LocalId>,
    /// Does the result carry a permission?
    pub gives: bool,
    /// `refines B`: the action of the next layer that stands in its place there.
    pub refines: Option<ActionId>,
    /// `requires inv(…)`: what holds where it is called, and no step of others breaks.
    pub requires: Vec<InvariantCall>,
    /// The message that it handles, if it was made of handlers: so it is told.
    pub handles: Option<Handled>,
    /// What a process with a body does by itself, if the action was made of that.
    pub moves: Option<Moves>,
    /// `repeat action`: on offer in every state after `init`, for all arguments; never a pending async.
    pub repeat: bool,
    /// `fair action`: what temporal claims suppose that it is owed.
    pub fairness: Option<DeclaredFairness>,
}

/// A message that an action handles. The first arguments are the indices of who gets it, then those of who sent it.
#[derive(Clone, Debug, PartialEq)]
pub struct Handled {
    /// The message.
    pub name: String,
    /// Who gets it.
    pub to: FamilyId,
    /// Who sent it, if that is asked.
    pub from: Option<FamilyId>,
}

/// How an action may be moved past actions of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mover {
    /// `atomic`: not at all.
    Atomic,
    /// `left`: before what comes before it.
    Left,
    /// `right`: behind what comes after it.
    Right,
    Both,
}

impl Mover {
    /// As written before `action`.
    pub fn name(self) -> &'static str {
        match self {
            Mover::Atomic => "atomic",
            Mover::Left => "left",
            Mover::Right => "right",
            Mover::Both => "both",
        }
    }

    /// May it be moved to the left?
    pub fn is_left(self) -> bool {
        matches!(self, Mover::Left | Mover::Both)
    }

    /// May it be moved to the right?
    pub fn is_right(self) -> bool {
        matches!(self, Mover::Right | Mover::Both)
    }
}

/// First and last of consecutive layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Layers {
    pub first: u32,
    pub last: u32,
}

/// `invariant name(…) @ n { e }`: holds wherever it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    pub name: String,
    pub layer: u32,
    /// How many of `locals`, from the first, are parameters.
    pub arity: usize,
    /// Parameters, then names bound in the body.
    pub locals: Vec<Local>,
    /// The parameters that carry a permission, ascending.
    pub linear: Vec<LocalId>,
    /// What holds.
    pub body: Expr,
    /// The name in the text.
    pub span: Span,
}

/// `procedure name(…) @ n refines A … { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    pub name: String,
    /// How it moves as a whole at its own layer, where it does not yield: its callers are as far as that layer, too, and
    /// know of it what its clauses say. Without one, a call of it is a yield.
    pub mover: Option<Mover>,
    /// The last layer at which it is a procedure; above it, its action stands in its place.
    pub layer: u32,
    /// The action it refines; without one it refines doing nothing.
    pub refines: Option<ActionId>,
    /// `synchronizes p`: its asyncs of these procedures are thought to be done where they are created.
    pub synchronizes: Vec<ProcedureId>,
    /// Invariants at its entry and exit.
    pub clauses: Vec<Clause>,
    /// Of one that moves: what its callers have to show and may rely on, and what decreases when it calls itself. `old`
    /// is about the beginning, and the result is its own.
    pub contract: Contract,
    /// Parameters and statements.
    pub code: Code,
    /// The parameters that carry a permission, ascending.
    pub linear: Vec<LocalId>,
    /// Those of them whose permission is taken for good: `take t: T`.
    pub taken: Vec<LocalId>,
    /// The parameters whose permission the caller has afterwards, and not before: `give t: T`.
    pub given: Vec<LocalId>,
    /// The local that holds the result, if it has one: the first after the parameters.
    pub result: Option<LocalId>,
    /// Does the result carry a permission?
    pub gives: bool,
    /// The name in the text.
    pub span: Span,
}

/// An invariant at the entry, the exit or both of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Where it holds.
    pub kind: ClauseKind,
    /// Which one, with its arguments.
    pub call: InvariantCall,
}

/// Where the invariant of a clause holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// `requires`: at the entry.
    Requires,
    /// `ensures`: at the exit.
    Ensures,
    /// `preserves`: at both.
    Preserves,
}

impl ClauseKind {
    /// As written.
    pub fn name(self) -> &'static str {
        match self {
            ClauseKind::Requires => "requires",
            ClauseKind::Ensures => "ensures",
            ClauseKind::Preserves => "preserves",
        }
    }

    /// Does it speak about the entry?
    pub fn is_at_entry(self) -> bool {
        self != ClauseKind::Ensures
    }

    /// Does it speak about the exit?
    pub fn is_at_exit(self) -> bool {
        self != ClauseKind::Requires
    }
}

/// `name(e, …)` of an invariant.
#[derive(Clone, Debug, PartialEq)]
pub struct InvariantCall {
    pub invariant: InvariantId,
    pub arguments: Vec<Expr>,
    /// Where it stands in the text.
    pub span: Span,
}

/// `sequentialize A, B as C … { … }`: pending asyncs of these actions run in the order of a schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequentialization {
    /// The actions whose asyncs are gone afterwards.
    pub eliminated: Vec<Eliminated>,
    /// `into A`: they run as the end of this action, which creates them; then there is no schedule.
    pub into: Option<ActionId>,
    /// `as B by I(x) choosing k …`: the action `into` becomes another one, by an invariant action. Then the code says
    /// what runs next, and its first locals are the arguments and choices of the invariant action.
    pub by: Option<Induction>,
    /// What holds after every step of the program, and may be relied on when actions are moved.
    pub invariants: Vec<Expr>,
    /// What decreases when an eliminated action runs, the most important first; found when empty.
    pub decreases: Vec<Expr>,
    /// The schedule; its locals also serve the clauses. `call` runs a pending async.
    pub code: Code,
    /// The name of the first action in the text.
    pub span: Span,
}

/// `as B by I(x) choosing k with k = e`: what an action becomes when its asyncs have run, and what is true on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Induction {
    pub becomes: ActionId,
    /// What the action and some of its asyncs do together, and which of them are left.
    pub invariant: ActionId,
    /// How many names there are for its arguments, and behind them for what it chooses.
    pub named: [usize; 2],
    /// For some choices, what is chosen when none of the asyncs has run.
    pub with: Vec<(LocalId, Expr)>,
}

/// `A as B`: an action that is eliminated, and what runs in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eliminated {
    pub action: ActionId,
    /// Its abstraction; when not said, the action itself with its waits asserted.
    pub by: Option<ActionId>,
}

/// `commute A(x) choosing v then B(y) choosing w with w = e;`: what is chosen when `B` comes before `A`.
#[derive(Clone, Debug, PartialEq)]
pub struct Commute {
    /// The action that comes first, and is second afterwards.
    pub first: ActionId,
    /// The other one.
    pub second: ActionId,
    /// Names for arguments and choices: those of the first action, its choices, those of the second, its
    /// choices, so many each; then names bound in the expressions.
    pub named: [usize; 4],
    /// The names.
    pub locals: Vec<Local>,
    /// For some choices, what is chosen instead.
    pub with: Vec<(LocalId, Expr)>,
    /// The name of the first action in the text.
    pub span: Span,
}

impl Layers {
    /// Is `layer` one of them?
    pub fn contains(self, layer: u32) -> bool {
        (self.first..=self.last).contains(&layer)
    }
}

impl Action {
    /// Does it exist at `layer`?
    pub fn exists_at(&self, layer: u32) -> bool {
        self.role.layers.is_none_or(|layers| layers.contains(layer))
    }
}

impl Global {
    /// Is it there for actions at `layer`?
    pub fn exists_at(&self, layer: u32) -> bool {
        self.layers
            .is_none_or(|layers| layers.first < layer && layer <= layers.last)
    }
}

impl Actions {
    /// What an action is at a layer: itself, or above its layers what it refines; `None` where it is nothing.
    pub fn action_at(&self, action: ActionId, layer: u32) -> Option<ActionId> {
        let mut id = action;
        for _ in 0..=self.actions.len() {
            let row = &self.actions[id.index()];
            match row.role.layers {
                _ if row.exists_at(layer) => return Some(id),
                Some(layers) if layers.last < layer => id = row.role.refines?,
                _ => return None,
            }
        }
        None
    }

    /// The first action that is always on offer, if there is one.
    pub fn repeated(&self) -> Option<&Action> {
        self.actions.iter().find(|action| action.role.repeat)
    }

    /// Is it a program in layers: are there procedures?
    pub fn is_layered(&self) -> bool {
        !self.procedures.is_empty()
    }
}
