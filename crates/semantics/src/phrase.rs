//! Expressions as a reader would say them at one moment: on one line, with the names of processes
//! in full (`db[0].outcome` where the text has `db[a].outcome` and `a` is 0).

use crate::instance::Instance;
use crate::show::in_brackets;
use crate::value::Value;
use plainsong_ir::print::Context;
use plainsong_ir::visit::{VisitMut, any_expr, walk_mut};
use plainsong_ir::{
    Action, Actions, Body, Code, Const, ConstId, Expr, ExprKind, FamilyId, Local, LocalId,
    Measures, Place, Process, Root, Song, System, Voices,
};
use std::collections::BTreeMap;

/// Writes expressions that stand among these locals.
pub(crate) struct Phrase<'a> {
    instance: &'a Instance,
    /// The names that can occur, without code; values known for locals are constants of it.
    names: Song,
    locals: &'a [Local],
    family: Option<FamilyId>,
    known: BTreeMap<LocalId, ConstId>,
}

impl<'a> Phrase<'a> {
    /// Expressions among `locals`, in the code of a member of `family` if given.
    pub(crate) fn new(
        instance: &'a Instance,
        locals: &'a [Local],
        family: Option<FamilyId>,
    ) -> Self {
        let names = names_only(instance.song());
        Phrase {
            instance,
            names,
            locals,
            family,
            known: BTreeMap::new(),
        }
    }

    /// Names processes by this value where a local is their index.
    pub(crate) fn know(&mut self, local: LocalId, value: &Value) {
        let ty = &self.locals[local.index()].ty;
        let constant = Const {
            name: in_brackets(self.instance, value, ty),
            ty: ty.clone(),
            value: None,
            constraint: None,
            locals: Vec::new(),
            span: plainsong_diagnostics::Span::default(),
        };
        self.known.insert(local, self.names.consts.len().into());
        self.names.consts.push(constant);
    }

    /// An expression.
    pub(crate) fn expr(&self, expr: &Expr) -> String {
        let mut expr = expr.clone();
        Fill(&self.known).expr(&mut expr);
        if !counts_messages(&expr) {
            return one_line(&self.context().expr(&expr));
        }
        // Which message it is, the handlers say.
        let whole = Song {
            consts: self.names.consts.clone(),
            ..(**self.instance.song()).clone()
        };
        let context = Context {
            song: &whole,
            ..self.context()
        };
        one_line(&context.expr(&expr))
    }

    /// What an assignment writes to.
    pub(crate) fn place(&self, place: &Place) -> String {
        let mut place = place.clone();
        Fill(&self.known).place(&mut place);
        one_line(&self.context().place(&place))
    }

    fn context(&self) -> Context<'_> {
        Context {
            song: &self.names,
            locals: self.locals,
            family: self.family,
        }
    }
}

/// Puts known values in place of locals that index a process.
struct Fill<'a>(&'a BTreeMap<LocalId, ConstId>);

impl Fill<'_> {
    fn indices(&self, index: &mut [Expr]) {
        for expr in index {
            if let ExprKind::Local(local) = expr.kind
                && let Some(constant) = self.0.get(&local)
            {
                expr.kind = ExprKind::Const(*constant);
            }
        }
    }
}

impl VisitMut for Fill<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Of(_, index, _) | ExprKind::Pid(_, index) = &mut expr.kind {
            self.indices(index);
        }
        walk_mut::expr(self, expr);
    }

    fn place(&mut self, place: &mut Place) {
        if let Root::Of(_, index, _) = &mut place.root {
            self.indices(index);
        }
        walk_mut::place(self, place);
    }
}

/// Does it count messages by what they carry, or asyncs?
fn counts_messages(expr: &Expr) -> bool {
    any_expr(expr, |one| matches!(one.kind, ExprKind::PendingOf(..)))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The declarations of a song without their code: cheap to copy, enough to name things.
fn names_only(song: &Song) -> Song {
    let system = match &song.system {
        System::None => System::None,
        System::Voices(voices) => System::Voices(Voices {
            messages: voices.messages.clone(),
            processes: voices.processes.iter().map(process_without_code).collect(),
            init: None,
            faults: Vec::new(),
            sequences: Vec::new(),
        }),
        System::Actions(actions) => System::Actions(Actions {
            globals: actions.globals.clone(),
            actions: actions.actions.iter().map(action_without_code).collect(),
            ..Actions::default()
        }),
    };
    Song {
        sorts: song.sorts.clone(),
        enums: song.enums.clone(),
        structs: song.structs.clone(),
        consts: song.consts.clone(),
        functions: song.functions.clone(),
        families: song.families.clone(),
        system,
        ..Song::default()
    }
}

fn process_without_code(process: &Process) -> Process {
    Process {
        family: process.family,
        daemon: process.daemon,
        fairness: None,
        locals: Vec::new(),
        measures: Measures::default(),
        order: Default::default(),
        body: Body::Sequential(Vec::new()),
    }
}

fn action_without_code(action: &Action) -> Action {
    Action {
        name: action.name.clone(),
        code: Code::default(),
        role: action.role.clone(),
        span: action.span,
    }
}
