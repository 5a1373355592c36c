//! One piece of code while it is checked: its locals, its holes, and what may stand in it.

use super::properties::Subject;
use crate::names::scope::{Mark, Scope};
use crate::types::Holes;
use plainsong_diagnostics::Span;
use plainsong_ir::{FamilyId, Local, LocalId, Ty};

/// Where a piece of code stands; decides which names and statements it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Home {
    /// The value of a constant.
    #[default]
    Constant,
    /// The condition on a parameter.
    Condition,
    /// The bounds of a sort.
    Bound,
    /// The body of a function.
    Function,
    /// The first value of a state variable of a process.
    Start(FamilyId),
    /// The first value of a variable of an endpoint.
    EndpointStart(FamilyId),
    /// The first value of a global.
    GlobalStart,
    /// Statements of a process.
    Body(FamilyId),
    /// A handler of a process.
    Handler(FamilyId),
    /// `init` of a file with processes.
    VoicesInit,
    /// `init` of a file with actions.
    ActionsInit,
    Action,
    Procedure,
    /// An invariant that procedures rely on.
    Invariant,
    /// The schedule of a sequentialization, with its clauses.
    Schedule,
    /// A choreography, by its position.
    Line(usize),
    Property,
}

impl Home {
    /// The process or endpoint whose state variables are known by their bare names.
    pub(crate) fn own_family(self) -> Option<FamilyId> {
        match self {
            Home::Start(family)
            | Home::EndpointStart(family)
            | Home::Body(family)
            | Home::Handler(family) => Some(family),
            _ => None,
        }
    }

    /// Does code here belong to a process?
    pub(crate) fn is_process(self) -> bool {
        matches!(self, Home::Start(_) | Home::Body(_) | Home::Handler(_))
    }

    /// May code here read globals?
    pub(crate) fn sees_globals(self) -> bool {
        matches!(
            self,
            Home::GlobalStart
                | Home::ActionsInit
                | Home::Action
                | Home::Procedure
                | Home::Invariant
                | Home::Schedule
                | Home::Property
        )
    }

    /// For messages: what the code is.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Home::Constant => "the value of a constant",
            Home::Condition => "the condition on a parameter",
            Home::Bound => "the bounds of a sort",
            Home::Function => "a function",
            Home::Start(_) => "the first value of a state variable",
            Home::EndpointStart(_) => "the first value of a variable of an endpoint",
            Home::GlobalStart => "the first value of a global variable",
            Home::Body(_) => "the body of a process",
            Home::Handler(_) => "a handler",
            Home::VoicesInit | Home::ActionsInit => "`init`",
            Home::Action => "an action",
            Home::Procedure => "a procedure",
            Home::Invariant => "an invariant",
            Home::Schedule => "a schedule",
            Home::Line(_) => "a choreography",
            Home::Property => "a property",
        }
    }
}

/// How a local came to be; decides whether it can be assigned and how messages speak of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binder {
    /// A parameter of a function, action or choreography.
    Parameter,
    /// An index of a family.
    Index,
    Let,
    Var,
    For,
    /// A part of a message, or its sender.
    Receive,
    Pattern,
    /// A quantifier, a comprehension or `map`.
    Quantifier,
    /// The candidate of a choice.
    Candidate,
}

impl Binder {
    /// "was declared with `let`", for messages.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Binder::Parameter => "is a parameter",
            Binder::Index => "is an index of the process",
            Binder::Let => "was declared with `let`",
            Binder::Var => "was declared with `var`",
            Binder::For => "takes each element in turn",
            Binder::Receive => "is part of a received message",
            Binder::Pattern => "was bound by a pattern",
            Binder::Quantifier => "ranges over a collection",
            Binder::Candidate => "is the candidate of this choice",
        }
    }
}

/// The code being checked.
#[derive(Debug, Default)]
pub(crate) struct Unit {
    pub(crate) home: Home,
    pub(crate) locals: Vec<Local>,
    pub(crate) binders: Vec<Binder>,
    /// Which locals are read somewhere.
    pub(crate) read: Vec<bool>,
    pub(crate) scope: Scope,
    pub(crate) holes: Holes,
    /// For each loop around the statement being checked, outermost first: does a `break` leave it?
    pub(crate) loops: Vec<bool>,
    /// May `old(e)` stand here?
    pub(crate) old: bool,
    /// Has there been a `receive`?
    pub(crate) receives: bool,
    /// What a property speaks about, and where it first does.
    pub(crate) subject: Option<(Subject, Span)>,
    /// Was it reported that it speaks about something else too?
    pub(crate) subject_reported: bool,
    /// How many mistakes had been reported when the unit began.
    pub(crate) errors_before: usize,
    /// Types of what is no expression: places and patterns. Only where types are recorded.
    pub(crate) noted: Vec<(Span, Ty)>,
}

impl Unit {
    /// A new piece of code.
    pub(crate) fn new(home: Home) -> Self {
        Unit {
            home,
            ..Unit::default()
        }
    }

    /// Adds a local without making its name visible.
    pub(crate) fn add(&mut self, name: &str, ty: Ty, binder: Binder, span: Span) -> LocalId {
        let id = LocalId::from(self.locals.len());
        let mutable = binder == Binder::Var;
        self.locals.push(Local {
            name: name.to_owned(),
            ty,
            mutable,
            span,
        });
        self.binders.push(binder);
        self.read.push(false);
        id
    }

    /// Adds a local; its name is visible from here to the end of the block.
    pub(crate) fn bind(&mut self, name: &str, ty: Ty, binder: Binder, span: Span) -> LocalId {
        let id = self.add(name, ty, binder, span);
        self.scope.bind(name, id);
        id
    }

    /// Enters a block.
    pub(crate) fn enter(&self) -> Mark {
        self.scope.enter()
    }

    /// Leaves a block.
    pub(crate) fn leave(&mut self, mark: Mark) {
        self.scope.leave(mark);
    }
}
