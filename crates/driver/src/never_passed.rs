//! Conditions that nothing from a window of values has ever passed, in whatever step they were asked.
//!
//! Statement. An `assume`, or the `where` of a receive, that speaks of what was chosen from a window of infinitely many values
//! and was false whenever a search came to it leaves what follows unseen: a value outside of the window might have passed.
//! `holds` says nothing then. (A choice that no value satisfies in one and the same step is the interpreter's to notice.)
//!
//! Whether a condition speaks of such values is asked of the text: values flow by the assignments, messages and asyncs
//! that a search has seen, and into whatever is written where they decide. Was it ever true? The coverage of the search knows whether the next
//! statement ran, and whether a message was ever taken.
//! NOT COVERED. An `assume` with nothing behind it in its block, or a receive.

use plainsong_diagnostics::{Span, quote_marker};
use plainsong_ir::finite::is_finite;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Accept, ActionId, Block, Body, Choice, Domain, Expr, ExprKind, FamilyId, GlobalId, LocalId,
    MessageId, Pattern, PatternKind, Place, Root, Song, StartValue, Stmt, StmtKind, System, Ty,
    VarId,
};
use plainsong_semantics::search::Coverage;
use std::collections::{BTreeMap, BTreeSet};

/// What a bound calls windows.
const WINDOWS: [&str; 3] = ["int", "nat", "length"];

/// Are values chosen from windows within these bounds?
pub(crate) fn has_window(bound: &BTreeMap<String, String>) -> bool {
    WINDOWS.iter().any(|name| bound.contains_key(*name))
}

/// Why a verdict within these bounds says nothing; none if all conditions about values from windows were true at some
/// time.
pub(crate) fn never_passed(
    song: &Song,
    coverage: &Coverage,
    bound: &BTreeMap<String, String>,
) -> Option<String> {
    let windows: Vec<String> = WINDOWS
        .iter()
        .filter_map(|name| Some(format!("{name}={}", bound.get(*name)?)))
        .collect();
    if windows.is_empty() {
        return None;
    }
    let mut flow = Flow {
        song,
        bound,
        coverage,
        names: BTreeSet::new(),
        code: 0,
        family: None,
        decided: 0,
        stuck: Vec::new(),
    };
    loop {
        let before = flow.names.len();
        flow.stuck.clear();
        flow.song();
        if flow.names.len() == before {
            break;
        }
    }
    let span = flow.stuck.first()?;
    Some(format!(
        "no value in the window ({}) ever satisfies {}, and values outside of it are not tried; `--bound` sets the window",
        windows.join("; "),
        quote_marker(*span)
    ))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    /// A local of a piece of code.
    Local(usize, LocalId),
    Variable(FamilyId, VarId),
    Global(GlobalId),
    Field(MessageId, usize),
    Argument(ActionId, usize),
}

struct Flow<'a> {
    song: &'a Song,
    bound: &'a BTreeMap<String, String>,
    coverage: &'a Coverage,
    /// What may have a value that comes from a window.
    names: BTreeSet<Name>,
    /// The piece of code at hand.
    code: usize,
    /// Whose it is.
    family: Option<FamilyId>,
    /// How many decisions by such values are around.
    decided: u32,
    /// Conditions that were never true.
    stuck: Vec<Span>,
}

impl<'a> Flow<'a> {
    fn song(&mut self) {
        let song = self.song;
        for (number, family) in song.families.iter().enumerate() {
            for (var, decl) in family.vars.iter().enumerate() {
                if let StartValue::Choice(choice) = &decl.start
                    && self.is_windowed(choice)
                {
                    let name = Name::Variable(FamilyId(number as u32), VarId(var as u32));
                    self.names.insert(name);
                }
            }
        }
        match &song.system {
            System::None => {}
            System::Voices(voices) => {
                for process in &voices.processes {
                    self.enter(Some(process.family));
                    match &process.body {
                        Body::Sequential(body) => self.block(body),
                        Body::Handlers(handlers) => {
                            for handler in handlers {
                                self.accept(&handler.accept);
                                self.block(&handler.body);
                            }
                        }
                    }
                }
                if let Some(init) = &voices.init {
                    self.enter(None);
                    self.block(&init.body);
                }
            }
            System::Actions(actions) => {
                for (number, global) in actions.globals.iter().enumerate() {
                    if let StartValue::Choice(choice) = &global.start
                        && self.is_windowed(choice)
                    {
                        self.names.insert(Name::Global(GlobalId(number as u32)));
                    }
                }
                for (number, action) in actions.actions.iter().enumerate() {
                    self.enter(None);
                    for at in 0..action.code.arity {
                        let argument = Name::Argument(ActionId(number as u32), at);
                        if self.names.contains(&argument) {
                            self.taint(LocalId(at as u32));
                        }
                    }
                    self.block(&action.code.body);
                }
                if let Some(init) = &actions.init {
                    self.enter(None);
                    self.block(&init.body);
                }
            }
        }
        for line in &song.lines {
            self.enter(None);
            for at in 0..line.code.arity {
                if !is_finite(song, &line.code.locals[at].ty) {
                    self.taint(LocalId(at as u32));
                }
            }
            self.block(&line.code.body);
        }
        self.code = 0;
    }

    fn enter(&mut self, family: Option<FamilyId>) {
        self.code += 1;
        self.family = family;
        self.decided = 0;
    }

    fn block(&mut self, block: &Block) {
        for (at, stmt) in block.iter().enumerate() {
            self.stmt(stmt, block.get(at + 1));
        }
    }

    fn stmt(&mut self, stmt: &Stmt, next: Option<&Stmt>) {
        // What never ran has passed nothing on.
        if self.coverage.missed.contains(&stmt.span) {
            return;
        }
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                if self.speaks(value) {
                    self.taint(*local);
                }
            }
            StmtKind::LetChoice(choice) => {
                if self.is_windowed(choice) {
                    self.taint(choice.local);
                }
            }
            StmtKind::Assign(place, value) => {
                if self.speaks(value) {
                    self.write(place);
                }
            }
            StmtKind::AssignChoice(place, choice) => {
                if self.is_windowed(choice) {
                    self.taint(choice.local);
                    self.write(place);
                }
            }
            StmtKind::If(condition, yes, no) => {
                self.within(self.speaks(condition), &[yes, no]);
            }
            StmtKind::Match(scrutinee, arms) => {
                let speaks = self.speaks(scrutinee);
                if speaks {
                    let mut bound = Bound(Vec::new());
                    arms.iter().for_each(|(pattern, _)| bound.pattern(pattern));
                    bound.0.into_iter().for_each(|local| self.taint(local));
                }
                let blocks: Vec<&Block> = arms.iter().map(|(_, block)| block).collect();
                self.within(speaks, &blocks);
            }
            StmtKind::While(condition, _, body) => self.within(self.speaks(condition), &[body]),
            StmtKind::For {
                local,
                domain,
                filter,
                body,
                ..
            } => {
                let over = matches!(domain, Domain::In(collection) if self.speaks(collection));
                let speaks = over || filter.as_ref().is_some_and(|filter| self.speaks(filter));
                if speaks {
                    self.taint(*local);
                }
                self.within(speaks, &[body]);
            }
            StmtKind::Maybe(yes, no) => self.within(false, &[yes, no]),
            StmtKind::Assume(condition) => {
                let is_met = self.coverage.executed.contains(&stmt.span);
                if is_met && self.is_missed(next) && self.speaks(condition) {
                    self.stuck.push(condition.span);
                }
            }
            StmtKind::Send(message, payload, _) => {
                for (at, value) in payload.iter().enumerate() {
                    if self.speaks(value) {
                        self.names.insert(Name::Field(*message, at));
                    }
                }
            }
            StmtKind::Async(action, arguments) => {
                for (at, value) in arguments.iter().enumerate() {
                    if self.speaks(value) {
                        self.names.insert(Name::Argument(*action, at));
                    }
                }
            }
            StmtKind::Receive(accept) => self.accept(accept),
            StmtKind::Select(arms, timeout) => {
                for (accept, body) in arms {
                    self.accept(accept);
                    self.block(body);
                }
                timeout.iter().for_each(|body| self.block(body));
            }
            StmtKind::Assert(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Spawn(..)
            | StmtKind::Call(..)
            | StmtKind::Par(_)
            | StmtKind::Use(_)
            | StmtKind::Part(_)
            | StmtKind::Yield(_) => {}
        }
    }

    fn accept(&mut self, accept: &Accept) {
        for (at, slot) in accept.slots.iter().enumerate() {
            if let Some(local) = slot
                && self.names.contains(&Name::Field(accept.message, at))
            {
                self.taint(*local);
            }
        }
        let Some(voices) = self.song.voices() else {
            return;
        };
        let kind = &voices.messages[accept.message.index()].name;
        let coverage = self.coverage;
        let is_stuck = coverage.sent.contains(kind) && coverage.never_received.contains(kind);
        if let Some(filter) = &accept.filter
            && is_stuck
            && self.speaks(filter)
        {
            self.stuck.push(filter.span);
        }
    }

    /// Did what follows never run, though it would have at once?
    fn is_missed(&self, next: Option<&Stmt>) -> bool {
        next.is_some_and(|next| {
            let waits = matches!(next.kind, StmtKind::Receive(_) | StmtKind::Select(..));
            !waits && self.coverage.missed.contains(&next.span)
        })
    }

    fn within(&mut self, is_decided: bool, blocks: &[&Block]) {
        self.decided += u32::from(is_decided);
        blocks.iter().for_each(|block| self.block(block));
        self.decided -= u32::from(is_decided);
    }

    fn taint(&mut self, local: LocalId) {
        self.names.insert(Name::Local(self.code, local));
    }

    fn write(&mut self, place: &Place) {
        let name = match (&place.root, self.family) {
            (Root::Local(local), _) => Name::Local(self.code, *local),
            (Root::Own(var), Some(family)) => Name::Variable(family, *var),
            (Root::Own(_), None) => return,
            (Root::Of(family, _, var), _) => Name::Variable(*family, *var),
            (Root::Global(global), _) => Name::Global(*global),
        };
        self.names.insert(name);
    }

    fn is_windowed(&self, choice: &Choice) -> bool {
        match &choice.domain {
            Domain::Type(ty) if !is_finite(self.song, ty) => true,
            Domain::In(collection) if self.speaks(collection) => true,
            _ => {
                let filter = choice.filter.as_ref();
                self.decided > 0 || filter.is_some_and(|filter| self.speaks(filter))
            }
        }
    }

    fn speaks(&self, expr: &Expr) -> bool {
        let mut reads = Reads {
            flow: self,
            found: self.decided > 0,
        };
        reads.expr(expr);
        reads.found
    }

    /// Is it a parameter of which a window of values is tried?
    fn is_open(&self, name: &str, ty: &Ty) -> bool {
        let tried = self.bound.get(name);
        !is_finite(self.song, ty) && tried.is_some_and(|tried| tried.contains(".."))
    }
}

/// Does an expression read what may come from a window?
struct Reads<'a, 'b> {
    flow: &'b Flow<'a>,
    found: bool,
}

impl Visit for Reads<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        let flow = self.flow;
        let name = match &expr.kind {
            ExprKind::Local(local) => Some(Name::Local(flow.code, *local)),
            ExprKind::Own(var) => flow.family.map(|family| Name::Variable(family, *var)),
            ExprKind::Of(family, _, var) => Some(Name::Variable(*family, *var)),
            ExprKind::Global(global) => Some(Name::Global(*global)),
            ExprKind::Const(id) => {
                let decl = &flow.song.consts[id.index()];
                self.found |= decl.value.is_none() && flow.is_open(&decl.name, &decl.ty);
                None
            }
            ExprKind::Call(function, _) => {
                let decl = &flow.song.functions[function.index()];
                self.found |= decl.body.is_none() && !is_finite(flow.song, &decl.result);
                None
            }
            _ => None,
        };
        self.found |= name.is_some_and(|name| flow.names.contains(&name));
        walk::expr(self, expr);
    }
}

/// The names that patterns bind.
struct Bound(Vec<LocalId>);

impl Visit for Bound {
    fn pattern(&mut self, pattern: &Pattern) {
        if let PatternKind::Bind(local) = &pattern.kind {
            self.0.push(*local);
        }
        walk::pattern(self, pattern);
    }
}
