//! From a line to the located program: who does what, and which messages that takes.
//!
//! A store stays where it is; an assignment that reads one other endpoint is a transfer. What the
//! rules of the paper forbid is repaired, since values can always be sent to where they are needed
//! (`fetch`) and choices can always be told (`guards`): for pure expressions over data this is
//! complete, which answers its Remark 2. Each repair is a warning that says what it costs;
//! under [`strict`](crate::Options::strict) it is an error.

mod choices;
pub(crate) mod external;
mod fetch;
mod fixes;
mod guards;
mod loops;
mod members;
mod passed;
mod premises;

pub(crate) use premises::divided;

pub(crate) use fetch::key;
pub(crate) use guards::is_arm;
pub(crate) use loops::leaves;
pub(crate) use members::who_is_meant_first;

use crate::Options;
use crate::ahead::Demands;
use crate::codes::{
    ASSUMED, GLOBAL_ASSERTION, HIDDEN_INDEX, MIXED_ENDPOINTS, NOBODY_DECIDES, PAPER_RULE,
};
use crate::core::{Core, CoreKind, Item};
use crate::names::message_name;
use crate::owned::{Chooser, Site};
use crate::owner::{Located, Owner, Reads, Who};
use crate::terms::{all, conjuncts, local, stmt};
use plainsong_diagnostics::{Code, Diagnostic, Span};
use plainsong_ir::unanimity::Owners;
use plainsong_ir::{
    Access, Binder, Choreography, Expr, FnId, Local, LocalId, Measures, Message, MessageId, Part,
    Place, Root, Song, Stmt, StmtKind, Ty,
};
use std::collections::{BTreeMap, BTreeSet};

/// A line that is being located.
pub(crate) struct Locate<'a> {
    pub(crate) song: &'a Song,
    pub(crate) line: &'a Choreography,
    options: &'a Options,
    /// The line's locals, then those that were added.
    pub(crate) locals: Vec<Local>,
    located: Located,
    /// Whose the names of the line are, as unanimity sees them.
    owners: Owners,
    /// Conditions about which nobody asks unanimity: one endpoint decides them.
    undivided: Vec<Span>,
    /// The statement whose condition is looked at, where a fix could stand before it.
    around: Option<fixes::Around>,
    /// Statements behind `else`, before which nothing can be put.
    behind_else: Vec<Span>,
    /// Names of variables that fixes declare.
    names_of_fixes: BTreeSet<String>,
    /// One for each place where something is sent.
    pub(crate) messages: Vec<Message>,
    /// The statement of the line that each message belongs to.
    pub(crate) problems: Vec<Diagnostic>,
    /// How many of the messages the text does not show.
    pub(crate) added: usize,
    /// Who makes the choices that belong to nobody in the text.
    pub(crate) choosers: BTreeMap<Site, Chooser>,
    /// The calls that are around.
    pub(crate) calls: Vec<Span>,
    /// Functions whose calls have to be made by one endpoint.
    external: BTreeSet<FnId>,
    /// Who has to be told that a statement was passed.
    demands: Demands,
    /// Loops that are shown to end. A call says what a choreography does without what it claims of its loops.
    ending: BTreeSet<Span>,
}

/// What a loop's body may have to be located again for.
struct Mark {
    locals: usize,
    messages: usize,
    problems: usize,
    added: usize,
    located: Located,
}

impl<'a> Locate<'a> {
    /// Locates nothing yet.
    pub(crate) fn new(song: &'a Song, line: &'a Choreography, options: &'a Options) -> Self {
        Locate {
            song,
            line,
            options,
            locals: line.code.locals.clone(),
            located: Located::new(),
            owners: Owners::of(song, line),
            undivided: Vec::new(),
            around: None,
            behind_else: Vec::new(),
            names_of_fixes: BTreeSet::new(),
            messages: Vec::new(),
            problems: Vec::new(),
            added: 0,
            choosers: BTreeMap::new(),
            calls: Vec::new(),
            external: external::external_functions(song),
            demands: Demands::default(),
            ending: loops::ending(song),
        }
    }

    /// Statements in sequence; `within` takes part in the innermost loop around them.
    pub(crate) fn block(&mut self, block: &[Stmt], within: &[Who]) -> Vec<Core> {
        let mut located = Vec::new();
        for (at, one) in block.iter().enumerate() {
            self.stmt(one, &block[at + 1..], within, &mut located);
        }
        located
    }

    fn stmt(&mut self, one: &Stmt, rest: &[Stmt], within: &[Who], out: &mut Vec<Core>) {
        let span = one.span;
        match &one.kind {
            StmtKind::Let(name, value) => self.let_(*name, value, rest, span, out),
            StmtKind::LetChoice(choice) => self.let_choice(choice, rest, span, out),
            StmtKind::Assign(place, value) => self.assign(place, value, span, out),
            StmtKind::AssignChoice(place, choice) => self.assign_choice(place, choice, span, out),
            StmtKind::If(guard, then, otherwise) => {
                self.if_(guard, then, otherwise, span, within, out);
            }
            StmtKind::Match(scrutinee, arms) => {
                self.match_(scrutinee, arms, span, within, out);
            }
            StmtKind::While(guard, _, body) => self.while_(guard, body, span, out),
            StmtKind::For {
                local,
                domain,
                filter,
                body,
                ..
            } => self.for_((*local, domain, filter.as_ref()), body, span, out),
            StmtKind::Maybe(then, otherwise) => self.maybe(then, otherwise, span, within, out),
            StmtKind::Break => out.push(core(CoreKind::Break, span)),
            StmtKind::Continue => out.push(core(CoreKind::Continue, span)),
            StmtKind::Assert(claim) => self.assert(claim, span, out),
            StmtKind::Assume(claim) => self.assume(claim, span, out),
            StmtKind::Part(part) => {
                self.calls.push(span);
                self.part(part, within, out);
                self.calls.pop();
            }
            // A step of a proof: nobody does anything.
            StmtKind::Use(_) => {}
            StmtKind::Send(..)
            | StmtKind::Receive(_)
            | StmtKind::Select(..)
            | StmtKind::Async(..)
            | StmtKind::Spawn(..)
            | StmtKind::Call(..)
            | StmtKind::Par(_)
            | StmtKind::Yield(_) => {
                unreachable!("a line has no statements of voices or actions: it was validated")
            }
        }
    }

    /// What a call stands for. What `requires` asks for is shown of the line. Fixes belong into the text of the
    /// one that is called, where its endpoints have other names: it offers them itself.
    fn part(&mut self, part: &Part, within: &[Who], out: &mut Vec<Core>) {
        let before = self.problems.len();
        let mut all = part.start.clone();
        all.extend(part.body.iter().cloned());
        out.extend(self.block(&all, within));
        for problem in &mut self.problems[before..] {
            problem.fix = None;
        }
    }

    fn let_(
        &mut self,
        name: LocalId,
        value: &Expr,
        rest: &[Stmt],
        span: Span,
        out: &mut Vec<Core>,
    ) {
        self.paper_rule(span, "a local name belongs to no endpoint");
        let reads = self.reads([value]);
        let owner = match &reads.owners[..] {
            [] => {
                self.everybody_evaluates([value]);
                let stmt = stmt(StmtKind::Let(name, value.clone()), span);
                return out.push(done(None, stmt));
            }
            [owner] if !reads.gathers => owner.clone(),
            owners => {
                let Some(owner) = self
                    .first_user(name, rest)
                    .or_else(|| self.somebody(owners, &reads))
                else {
                    return self.nobody(span);
                };
                owner
            }
        };
        self.located.insert(name, owner.clone());
        self.bring(&owner, value, span, out, |value| StmtKind::Let(name, value));
    }

    fn assign(&mut self, place: &Place, value: &Expr, span: Span, out: &mut Vec<Core>) {
        let before = self.problems.len();
        self.assign_at(place, value, span, out);
        let is_hidden = |problem: &Diagnostic| problem.code == &HIDDEN_INDEX;
        if let Some(at) = self.problems[before..].iter().position(is_hidden) {
            (self.problems[before..].iter_mut()).for_each(|one| one.fix = None);
            self.problems[before + at].fix = self.fix_hidden(place, value, span);
        }
    }

    fn assign_at(&mut self, place: &Place, value: &Expr, span: Span, out: &mut Vec<Core>) {
        let Some(owner) = self.owner_of(place) else {
            return;
        };
        let reads = self.reads([value]);
        let path = self.reads(indices(place));
        let is_transfer = reads.owners.len() == 1
            && !reads.gathers
            && reads.owners[0] != owner
            && path.others(&owner).is_empty();
        if is_transfer {
            self.calls_of_transfer(value);
            let name = self.target_name(place);
            let item = self.item(&reads.owners[0], value.clone(), &name);
            let value = local(item.local, &value.ty);
            let then = stmt(StmtKind::Assign(place.clone(), value), span);
            let (to, items) = (owner, vec![item]);
            return out.push(core(CoreKind::Obtain { to, items, then }, span));
        }
        if path.others(&owner).is_empty() && !path.gathers {
            let target = place.clone();
            let before = self.problems.len();
            self.bring(&owner, value, span, out, |value| {
                StmtKind::Assign(target, value)
            });
            let is_mixed = |problem: &Diagnostic| problem.code == &MIXED_ENDPOINTS;
            if self.problems.len() > before && self.problems[before..].iter().all(is_mixed) {
                let fix = self.fix_assignment(&owner, place, value, span);
                if let Some(problem) = self.problems.last_mut() {
                    problem.fix = fix;
                }
            }
            return;
        }
        // The way to the part reads others: both are brought, as one tuple of expressions.
        let mut items = Vec::new();
        let mut place = place.clone();
        for access in &mut place.path {
            if let Access::Index(index) = access {
                *index = self.fetch(index, &owner, &mut items, out);
            }
        }
        let value = self.fetch(value, &owner, &mut items, out);
        self.mixed(&owner, items.len(), span);
        let then = stmt(StmtKind::Assign(place, value), span);
        out.push(core(
            CoreKind::Obtain {
                to: owner,
                items,
                then,
            },
            span,
        ));
    }

    fn assert(&mut self, claim: &Expr, span: Span, out: &mut Vec<Core>) {
        let mut parts: Vec<(Option<Owner>, Vec<Expr>)> = Vec::new();
        for part in conjuncts(claim) {
            let reads = self.reads([part]);
            let owner = match &reads.owners[..] {
                [] if self.calls_out(part) => {
                    let message = "no endpoint makes this call: it is checked in the line only";
                    self.problems
                        .push(Diagnostic::warning(&GLOBAL_ASSERTION, part.span, message));
                    continue;
                }
                [] => self.single(),
                [owner] if !reads.gathers => Some(owner.clone()),
                _ => {
                    let message = "this is about several endpoints and is checked in the line only";
                    self.problems
                        .push(Diagnostic::warning(&GLOBAL_ASSERTION, part.span, message));
                    continue;
                }
            };
            match parts.iter_mut().find(|(other, _)| *other == owner) {
                Some((_, claims)) => claims.push(part.clone()),
                None => parts.push((owner, vec![part.clone()])),
            }
        }
        for (at, claims) in parts {
            if at.as_ref().is_some_and(|at| self.comes_early(at, span)) {
                continue;
            }
            let stmt = stmt(StmtKind::Assert(all(claims)), span);
            let weak = true;
            out.extend(at.map(|at| {
                core(
                    CoreKind::Do {
                        at: Some(at),
                        stmt,
                        weak,
                    },
                    span,
                )
            }));
        }
    }

    fn assume(&mut self, claim: &Expr, span: Span, out: &mut Vec<Core>) {
        let message = "what is generated stops with an error when this is false";
        self.problems
            .push(Diagnostic::warning(&ASSUMED, span, message));
        let reads = self.reads([claim]);
        if reads.owners.is_empty() {
            self.everybody_evaluates([claim]);
        }
        let Some(owner) = self.somebody(&reads.owners, &reads) else {
            return self.nobody(span);
        };
        self.bring(&owner, claim, span, out, StmtKind::Assume);
        self.tell_that_it_is_passed((span, span), &[Who::One(owner)], out);
    }

    /// A statement at `owner` with a value that may have to be brought there.
    fn bring(
        &mut self,
        owner: &Owner,
        value: &Expr,
        span: Span,
        out: &mut Vec<Core>,
        then: impl FnOnce(Expr) -> StmtKind,
    ) {
        let reads = self.reads([value]);
        let before = out.len();
        let mut items = Vec::new();
        let value = match reads.others(owner).is_empty() && !reads.gathers {
            true => value.clone(),
            false => self.fetch(value, owner, &mut items, out),
        };
        let then = stmt(then(value), span);
        let messages = items.len() + (out.len() - before);
        if messages > 0 {
            self.mixed(owner, messages, span);
        }
        if items.is_empty() {
            return out.push(done(Some(owner.clone()), then));
        }
        let to = owner.clone();
        out.push(core(CoreKind::Obtain { to, items, then }, span));
    }

    /// Says that a statement of `owner` needs messages that the text does not show.
    fn mixed(&mut self, owner: &Owner, messages: usize, span: Span) {
        self.added += messages;
        let name = self.name_of(owner);
        let message = format!("`{name}` computes with the state of other endpoints");
        let help = match messages {
            1 => format!("projection adds one message to `{name}`"),
            many => format!("projection adds {many} messages to `{name}`"),
        };
        self.repair(&MIXED_ENDPOINTS, span, message, help);
    }

    /// A warning about what was repaired, or an error if nothing is to be.
    fn repair(&mut self, code: &'static Code, span: Span, message: String, help: String) {
        self.problems.push(match self.options.strict {
            true => Diagnostic::error(code, span, message),
            false => Diagnostic::warning(code, span, message).help(help),
        });
    }

    /// Something that the paper's conditions do not allow.
    fn paper_rule(&mut self, span: Span, message: &str) {
        if self.options.strict {
            self.problems
                .push(Diagnostic::error(&PAPER_RULE, span, message));
        }
    }

    fn nobody(&mut self, span: Span) {
        let message = "no endpoint is named that could do this";
        self.problems.push(
            Diagnostic::error(&NOBODY_DECIDES, span, message)
                .help("let one endpoint do it: `a.x = …;`"),
        );
    }

    /// Whom expressions read; reports indices that only some endpoint knows.
    fn reads<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Reads {
        let exprs: Vec<&Expr> = exprs.into_iter().collect();
        let reads = Reads::of(exprs.iter().copied(), &self.located);
        if let Some(span) = reads.hidden {
            self.hidden(span);
        }
        exprs.into_iter().for_each(|of| self.indices_are_known(of));
        reads
    }

    fn hidden(&mut self, span: Span) {
        let message = "which endpoint this is depends on the state of an endpoint";
        self.problems.push(
            Diagnostic::error(&HIDDEN_INDEX, span, message).help(
                "let every member of the family know the index, and let each decide for itself",
            ),
        );
    }

    fn owner_of(&mut self, place: &Place) -> Option<Owner> {
        let Root::Of(family, index, _) = &place.root else {
            return None;
        };
        let reads = Reads::of(index, &self.located);
        if !reads.owners.is_empty() || reads.hidden.is_some() {
            self.hidden(place.span);
        }
        self.everybody_evaluates(index);
        Some(Owner::new(*family, index))
    }

    /// Somebody who can do what reads `owners`: the first that is named.
    fn somebody(&self, owners: &[Owner], reads: &Reads) -> Option<Owner> {
        let named = owners
            .iter()
            .find(|owner| !reads.gathers || owner.index.is_empty());
        named.cloned().or_else(|| self.single())
    }

    /// The first endpoint that is not a family.
    fn single(&self) -> Option<Owner> {
        let mut families = self.line.endpoints.iter();
        let id = families.find(|id| self.song.families[id.index()].index.is_empty())?;
        Some(Owner::new(*id, &[]))
    }

    /// As the user writes it.
    fn name_of(&self, owner: &Owner) -> String {
        let family = &self.song.families[owner.family.index()].name;
        if owner.index.is_empty() {
            return family.clone();
        }
        let parts = owner.index.iter();
        let parts = parts.map(|index| plainsong_ir::print::expr(self.song, &self.locals, index));
        format!("{family}[{}]", parts.collect::<Vec<_>>().join(", "))
    }

    fn target_name(&self, place: &Place) -> String {
        let name = place.root.name(self.song, &self.locals, None);
        name.unwrap_or("value").to_owned()
    }

    fn fresh(&mut self, name: &str, ty: &Ty) -> LocalId {
        self.locals.push(Local {
            name: name.to_owned(),
            ty: ty.clone(),
            mutable: false,
            span: Span::default(),
        });
        LocalId::from(self.locals.len() - 1)
    }

    fn message(&mut self, name: &str, ty: &Ty) -> MessageId {
        let name = message_name(name, &self.messages);
        self.messages.push(Message {
            name,
            fields: vec![Binder {
                name: "value".to_owned(),
                ty: ty.clone(),
            }],
            delivery: None,
            measures: Measures::default(),
            order: Default::default(),
            most: None,
            span: Span::default(),
        });
        MessageId::from(self.messages.len() - 1)
    }

    fn item(&mut self, from: &Owner, value: Expr, name: &str) -> Item {
        let local = self.fresh(&format!("new_{name}"), &value.ty);
        let message = self.message(name, &value.ty);
        let from = from.clone();
        Item {
            from,
            value,
            local,
            message,
        }
    }

    fn mark(&self) -> Mark {
        Mark {
            locals: self.locals.len(),
            messages: self.messages.len(),
            problems: self.problems.len(),
            added: self.added,
            located: self.located.clone(),
        }
    }

    fn back_to(&mut self, mark: Mark) {
        self.locals.truncate(mark.locals);
        self.messages.truncate(mark.messages);
        self.problems.truncate(mark.problems);
        self.added = mark.added;
        self.located = mark.located;
    }
}

fn core(kind: CoreKind, span: Span) -> Core {
    Core { kind, span }
}

/// A statement at somebody or, with `None`, at everybody.
fn done(at: Option<Owner>, stmt: Stmt) -> Core {
    let span = stmt.span;
    let weak = false;
    core(CoreKind::Do { at, stmt, weak }, span)
}

/// The expressions on the way to a part.
fn indices(place: &Place) -> Vec<&Expr> {
    let path = place.path.iter();
    path.filter_map(|access| match access {
        Access::Index(index) => Some(index),
        Access::Field(_) | Access::Project(_) => None,
    })
    .collect()
}
