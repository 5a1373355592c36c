//! A song: everything one source text says.

use crate::{
    Actions, Block, Choreography, EnumDecl, Expr, Family, LocalId, Property, Sizing, SortDecl,
    StructDecl, Ty, Voices,
};
use plainsong_diagnostics::Span;
use std::collections::BTreeSet;

/// What one source text means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Song {
    pub sorts: Vec<SortDecl>,
    pub enums: Vec<EnumDecl>,
    pub structs: Vec<StructDecl>,
    /// Constants and parameters.
    pub consts: Vec<Const>,
    /// Pure functions.
    pub functions: Vec<Function>,
    /// Processes and endpoints: names, indices and state variables.
    pub families: Vec<Family>,
    /// The system, if the text describes one.
    pub system: System,
    pub lines: Vec<Choreography>,
    pub properties: Vec<Property>,
    /// `constraint name: e;`, each with the claim `always e`: states after `init` that violate one are not searched further.
    pub constraints: Vec<Property>,
    /// `size …;`: default sizes.
    pub sizes: Vec<Sizing>,
    /// The statements that are declared to choose fairly (`fair maybe`, `fair choose`), by their place in the text: whoever
    /// executes one again and again gets each outcome that is possible then again and again.
    pub fair_choices: BTreeSet<Span>,
}

/// The system a song describes.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum System {
    /// None: only choreographies, types and functions.
    #[default]
    None,
    /// Processes and messages.
    Voices(Voices),
    /// Globals and actions.
    Actions(Actions),
}

/// A name with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Binder {
    pub name: String,
    /// Its type.
    pub ty: Ty,
}

/// `const` (with a value) or `param` (without).
#[derive(Clone, Debug, PartialEq)]
pub struct Const {
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// The value of a constant; a parameter's is chosen when a verb runs.
    pub value: Option<Expr>,
    /// `where …`: which values a parameter may take; it sees the parameter itself.
    pub constraint: Option<Expr>,
    /// Names bound in `value` and `constraint`.
    pub locals: Vec<Local>,
    /// The name in the text.
    pub span: Span,
}

/// `fn name(…) -> T { … }`, or `extern fn name(…) -> T;`: a function of which only the contract is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub name: String,
    /// How many of `locals`, from the first, are parameters.
    pub arity: usize,
    /// Parameters, then names bound in the body and in the contract.
    pub locals: Vec<Local>,
    /// What it wants and promises.
    pub contract: Contract,
    /// The type of its result.
    pub result: Ty,
    /// What it returns; nothing if it is external.
    pub body: Option<Expr>,
    /// `at seller`: the process or endpoint that runs it, if that is said; only of external ones.
    pub at: Option<String>,
    /// The name in the text.
    pub span: Span,
}

/// What a function wants and promises: `requires e ensures e decreases e, …`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contract {
    /// What has to hold where it is called.
    pub requires: Vec<Expr>,
    /// What holds of its result.
    pub ensures: Vec<Expr>,
    /// What `result` stands for in `ensures`; there whenever something is written.
    pub result: Option<LocalId>,
    /// What decreases when it calls itself, in the order of words: the first number that changes counts.
    pub decreases: Vec<Expr>,
}

/// Statements with their locals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// How many of `locals`, from the first, are parameters.
    pub arity: usize,
    /// Parameters, then every name bound inside.
    pub locals: Vec<Local>,
    /// The statements.
    pub body: Block,
}

/// A parameter, bound name or local variable. Each binding has its own row, so names may repeat.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Declared with `var`: may be assigned.
    pub mutable: bool,
    /// Where it is bound.
    pub span: Span,
}

impl Function {
    /// What a call computes: what it requires, then the body, or what is promised if it is external.
    pub fn computed(&self) -> impl Iterator<Item = &Expr> {
        let promised: &[Expr] = match self.is_external() {
            true => &self.contract.ensures,
            false => &[],
        };
        let requires = self.contract.requires.iter();
        requires.chain(&self.body).chain(promised)
    }

    /// Is only its contract known?
    pub fn is_external(&self) -> bool {
        self.body.is_none()
    }
}

impl Song {
    /// The positions of the lines that endpoints sing: neither lemmas nor contracts.
    pub fn choreographies(&self) -> impl Iterator<Item = usize> + '_ {
        let lines = self.lines.iter().enumerate();
        lines
            .filter(|(_, line)| line.is_choreography())
            .map(|(at, _)| at)
    }

    /// The processes, when the song is one of voices.
    pub fn voices(&self) -> Option<&Voices> {
        match &self.system {
            System::Voices(voices) => Some(voices),
            _ => None,
        }
    }

    /// The action system, when the song is one.
    pub fn actions(&self) -> Option<&Actions> {
        match &self.system {
            System::Actions(actions) => Some(actions),
            _ => None,
        }
    }
}
