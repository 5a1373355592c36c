//! All code of a song, each piece in its own scope.

use super::Report;
use super::scope::{Home, Scope};
use crate::finite::{is_enumerable, is_finite};
use crate::visit::Visit;
use crate::{
    Body, Choice, Choreography, Claim, Code, Contract, Covers, Domain, Expr, FamilyId, Function,
    Handler, LineKind, Local, LocalId, Measures, Procedure, Process, RangeEnd, Sequentialization,
    Song, SortKind, StartValue, Stmt, StmtKind, System, Temporal, TemporalOperator, Ty,
    binds_by_state,
};
use plainsong_diagnostics::Span;

/// Checks every expression and statement.
pub(super) fn check(song: &Song, report: &mut Report) {
    sorts(song, report);
    for decl in &song.consts {
        report.enter(format!("const {}", decl.name));
        let mut scope = Scope::new(report, song, &decl.locals, Home::Closed, 0);
        if let Some(value) = &decl.value {
            scope.typed(value, &decl.ty);
        }
        if let Some(constraint) = &decl.constraint {
            scope.typed(constraint, &Ty::Bool);
        }
    }
    for decl in &song.functions {
        report.enter(format!("fn {}", decl.name));
        let mut scope = Scope::new(report, song, &decl.locals, Home::Closed, decl.arity);
        function_contract(&mut scope, decl);
        scope.branch = true;
        if let Some(body) = &decl.body {
            scope.typed(body, &decl.result);
        }
    }
    state_vars(song, report);
    match &song.system {
        System::None => {}
        System::Voices(voices) => {
            for decl in &voices.messages {
                report.enter(format!("message {}", decl.name));
                let arity = decl.fields.len();
                measures(song, report, &decl.measures, (Home::Closed, arity, None));
                order(song, report, &decl.order, (Home::Closed, arity, None));
            }
            voices
                .processes
                .iter()
                .for_each(|decl| process(song, report, decl));
            init(song, report, voices.init.as_ref(), Home::VoicesInit);
            sequences(song, report, &voices.sequences);
        }
        System::Actions(actions) => {
            for (at, global) in actions.globals.iter().enumerate() {
                report.enter(format!("var {}", global.name));
                let mut scope = Scope::new(report, song, &global.locals, Home::GlobalStart, 0);
                scope.known_vars = at;
                start(&mut scope, &global.start, &global.name, &global.ty);
            }
            for action in &actions.actions {
                report.enter(format!("action {}", action.name));
                let (code, home) = (&action.code, Home::Action);
                let mut scope = Scope::new(report, song, &code.locals, home, code.arity);
                let required = action.role.requires.iter();
                required.for_each(|call| scope.invariant_call(call));
                with_result(song, report, code, action.role.result, home);
            }
            for decl in &actions.invariants {
                report.enter(format!("invariant {}", decl.name));
                let home = Home::Invariant;
                let mut scope = Scope::new(report, song, &decl.locals, home, decl.arity);
                scope.branch = true;
                scope.typed(&decl.body, &Ty::Bool);
            }
            for decl in &actions.procedures {
                report.enter(format!("procedure {}", decl.name));
                procedure(song, report, decl);
            }
            sequences(song, report, &actions.sequences);
            for decl in &actions.commutes {
                report.enter("commute".to_owned());
                let (home, named) = (Home::Invariant, decl.named.iter().sum());
                let mut scope = Scope::new(report, song, &decl.locals, home, named);
                for (local, value) in &decl.with {
                    scope.typed(value, &decl.locals[local.index()].ty);
                }
            }
            init(song, report, actions.init.as_ref(), Home::Action);
        }
    }
    for (at, line) in song.lines.iter().enumerate() {
        if !matches!(line.kind, LineKind::Contract(_)) {
            choreography(song, report, line, at);
        }
    }
    for property in song.properties.iter().chain(&song.constraints) {
        report.enter(format!("property {}", property.name));
        let mut scope = Scope::new(report, song, &property.locals, Home::Property, 0);
        match &property.claim {
            Claim::Finally(claim) | Claim::Always(claim) => scope.typed(claim, &Ty::Bool),
            Claim::Step(claim) => {
                scope.old_allowed = true;
                scope.typed(claim, &Ty::Bool);
            }
            Claim::Quiescent { .. } => {}
            Claim::Temporal(claim) => temporal(&mut scope, claim),
        }
    }
}

/// A temporal claim: conditions on states, for each value of the bound names.
fn temporal(scope: &mut Scope<'_, '_>, temporal: &Temporal) {
    if temporal.parts.is_empty() {
        scope.wrong(Span::default(), "a temporal claim has parts");
    }
    for part in &temporal.parts {
        let span = part.goal.span;
        let is_response = part.operator == TemporalOperator::LeadsTo;
        if is_response != part.premise.is_some() {
            scope.wrong(span, "`leads to` has a premise, and nothing else has");
        }
        if part.bindings.iter().any(binds_by_state) {
            scope.wrong(
                span,
                "names before a temporal claim do not depend on states",
            );
        }
        part.bindings.iter().for_each(|one| scope.binding(one));
        let conditions = part.premise.iter().chain([&part.goal]);
        conditions.for_each(|condition| scope.typed(condition, &Ty::Bool));
        part.measure.iter().for_each(|measure| scope.expr(measure));
    }
}

fn sequences(song: &Song, report: &mut Report, all: &[Sequentialization]) {
    for decl in all {
        report.enter("sequentialize".to_owned());
        let (home, code) = (Home::Schedule, &decl.code);
        let mut scope = Scope::new(report, song, &code.locals, home, code.arity);
        let invariants = decl.invariants.iter();
        invariants.for_each(|expr| scope.typed(expr, &Ty::Bool));
        decl.decreases.iter().for_each(|expr| scope.expr(expr));
        let with = decl.by.iter().flat_map(|by| &by.with);
        with.for_each(|(local, value)| scope.typed(value, &code.locals[local.index()].ty));
        scope.block(&code.body);
    }
}

fn function_contract(scope: &mut Scope<'_, '_>, decl: &Function) {
    let contract = &decl.contract;
    let written = !contract.requires.is_empty()
        || !contract.ensures.is_empty()
        || !contract.decreases.is_empty();
    if written && contract.result.is_none() {
        scope.wrong(decl.span, "a contract has a name for the result");
    }
    let requires = contract.requires.iter();
    requires.for_each(|expr| scope.typed(expr, &Ty::Bool));
    let measures = contract.decreases.iter();
    measures.for_each(|measure| scope.measure(measure));
    if decl.is_external() && !contract.decreases.is_empty() {
        scope.wrong(decl.span, "an external function decreases nothing");
    }
    scope.scoped(|scope| {
        if let Some(result) = contract.result {
            scope.bind_fixed(result);
        }
        let ensures = contract.ensures.iter();
        ensures.for_each(|expr| scope.typed(expr, &Ty::Bool));
    });
}

/// The bounds of a sort have no locals, so nothing is bound in them.
fn sorts(song: &Song, report: &mut Report) {
    for sort in &song.sorts {
        report.enter(format!("sort {}", sort.name));
        let SortKind::Range(range) = &sort.kind else {
            continue;
        };
        let mut scope = Scope::new(report, song, &[], Home::Closed, 0);
        scope.expr(&range.start);
        match &range.end {
            RangeEnd::Open => {}
            RangeEnd::Before(end) | RangeEnd::With(end) => scope.expr(end),
        }
    }
}

fn state_vars(song: &Song, report: &mut Report) {
    for (id, family) in song.families.iter().enumerate() {
        let id = FamilyId::from(id);
        let line = song.lines.iter().find(|line| line.endpoints.contains(&id));
        let outer = family.index.len() + line.map_or(0, |line| line.code.arity);
        for (at, var) in family.vars.iter().enumerate() {
            report.enter(format!("{}.{}", family.name, var.name));
            let mut scope = Scope::new(report, song, &var.locals, Home::Start, outer);
            scope.family = Some(id);
            scope.known_vars = at;
            start(&mut scope, &var.start, &var.name, &var.ty);
        }
    }
}

fn start(scope: &mut Scope<'_, '_>, start: &StartValue, name: &str, ty: &Ty) {
    match start {
        StartValue::Value(value) => scope.typed(value, ty),
        StartValue::Choice(choice) => {
            scope.choice(choice);
            scope.candidate(choice, Some(name), Some(ty), Span::default());
        }
    }
}

/// What decreases, with what it may name.
fn measures(
    song: &Song,
    report: &mut Report,
    decl: &Measures,
    (home, arity, family): (Home, usize, Option<FamilyId>),
) {
    if decl.levels.is_empty() {
        return;
    }
    let mut scope = Scope::new(report, song, &decl.locals, home, arity);
    scope.family = family;
    scope.known_vars = family.map_or(0, |id| song.families[id.index()].vars.len());
    decl.levels.iter().for_each(|level| scope.measure(level));
}

/// What covers, with what it may name.
fn order(
    song: &Song,
    report: &mut Report,
    decl: &Covers,
    (home, arity, family): (Home, usize, Option<FamilyId>),
) {
    if !decl.is_declared() {
        return;
    }
    let mut scope = Scope::new(report, song, &decl.locals, home, arity);
    scope.family = family;
    scope.known_vars = family.map_or(0, |id| song.families[id.index()].vars.len());
    scope.old_allowed = true;
    let clauses = decl.clauses.iter();
    clauses.for_each(|clause| scope.typed(clause, &Ty::Bool));
}

fn process(song: &Song, report: &mut Report, decl: &Process) {
    let family = &song.families[decl.family.index()];
    report.enter(format!("process {}", family.name));
    let within = (Home::Start, family.index.len(), Some(decl.family));
    measures(song, report, &decl.measures, within);
    order(song, report, &decl.order, within);
    let mut scope = Scope::new(report, song, &decl.locals, Home::Body, family.index.len());
    scope.family = Some(decl.family);
    match &decl.body {
        Body::Sequential(body) => {
            if body
                .first()
                .is_some_and(|first| is_var(first, &decl.locals))
            {
                scope.wrong(family.span, "a body does not begin with `var`");
            }
            scope.block(body);
        }
        Body::Handlers(handlers) => {
            scope.home = Home::Handler;
            if handlers.is_empty() {
                scope.wrong(family.span, "a process with handlers has at least one");
            }
            handlers
                .iter()
                .for_each(|handler| self::handler(&mut scope, handler));
        }
    }
}

/// Does a statement declare a variable? Before all others it would be read as a state variable.
fn is_var(stmt: &Stmt, locals: &[Local]) -> bool {
    let local = match &stmt.kind {
        StmtKind::Let(local, _) | StmtKind::LetChoice(Choice { local, .. }) => local,
        _ => return false,
    };
    locals.get(local.index()).is_some_and(|row| row.mutable)
}

fn handler(scope: &mut Scope<'_, '_>, decl: &Handler) {
    scope.scoped(|scope| {
        scope.accept(&decl.accept);
        scope.block(&decl.body);
    });
}

fn init(song: &Song, report: &mut Report, init: Option<&Code>, home: Home) {
    if let Some(init) = init {
        report.enter("init");
        code(song, report, init, home);
    }
}

fn code(song: &Song, report: &mut Report, code: &Code, home: Home) {
    Scope::new(report, song, &code.locals, home, code.arity).block(&code.body);
}

/// Code whose result, if it has one, is bound like a parameter.
fn with_result(song: &Song, report: &mut Report, code: &Code, result: Option<LocalId>, home: Home) {
    let bound = code.arity + usize::from(result.is_some());
    Scope::new(report, song, &code.locals, home, bound).block(&code.body);
}

/// `ensures` may speak about the result and about what was.
fn moving_contract(song: &Song, report: &mut Report, decl: &Procedure) {
    let (code, home) = (&decl.code, Home::Procedure);
    let Contract {
        requires,
        ensures,
        decreases,
        ..
    } = &decl.contract;
    let mut scope = Scope::new(report, song, &code.locals, home, code.arity);
    requires.iter().for_each(|one| scope.typed(one, &Ty::Bool));
    decreases.iter().for_each(|one| scope.measure(one));
    let bound = code.arity + usize::from(decl.result.is_some());
    let mut scope = Scope::new(report, song, &code.locals, home, bound);
    scope.old_allowed = true;
    ensures.iter().for_each(|one| scope.typed(one, &Ty::Bool));
}

fn procedure(song: &Song, report: &mut Report, decl: &Procedure) {
    let code = &decl.code;
    let home = Home::Procedure;
    let mut scope = Scope::new(report, song, &code.locals, home, code.arity);
    for clause in &decl.clauses {
        scope.invariant_call(&clause.call);
    }
    moving_contract(song, report, decl);
    with_result(song, report, code, decl.result, home);
}

fn choreography(song: &Song, report: &mut Report, line: &Choreography, at: usize) {
    report.enter(format!("choreography {}", line.name));
    let code = &line.code;
    let mut scope = Scope::new(report, song, &code.locals, Home::Line(at), code.arity);
    line.requires
        .iter()
        .for_each(|expr| scope.typed(expr, &Ty::Bool));
    scope.old_allowed = true;
    line.ensures
        .iter()
        .for_each(|expr| scope.typed(expr, &Ty::Bool));
    scope.old_allowed = false;
    if let LineKind::Lemma(decreases) = &line.kind {
        let measures = decreases.iter();
        measures.for_each(|measure| scope.measure(measure));
    }
    scope.block(&code.body);
}

impl Scope<'_, '_> {
    /// A choice is over a type that can be listed or cut down to a window, or over a collection;
    /// its candidate has the name and type of what it is for.
    pub(super) fn candidate(
        &mut self,
        choice: &Choice,
        name: Option<&str>,
        ty: Option<&Ty>,
        span: Span,
    ) {
        let Some(row) = self.locals.get(choice.local.index()) else {
            return;
        };
        if name.is_some_and(|name| name != row.name) {
            self.wrong(
                span,
                format!(
                    "the candidate {} has another name than its variable",
                    row.name
                ),
            );
        }
        if ty.is_some_and(|ty| *ty != row.ty) {
            self.wrong(
                span,
                format!("the candidate {} has another type than its place", row.name),
            );
        }
    }

    /// Checks a domain and says what its elements are; `window` allows infinite types.
    pub(super) fn domain(&mut self, domain: &Domain, window: bool) -> Option<Ty> {
        match domain {
            Domain::Type(ty) => {
                super::declarations::ty(self.song, self.report, ty, Span::default());
                let listed = if window {
                    is_enumerable(self.song, ty)
                } else {
                    is_finite(self.song, ty)
                };
                if !listed {
                    let shown = super::show(self.song, ty);
                    self.wrong(
                        Span::default(),
                        format!("the values of {shown} cannot be listed"),
                    );
                }
                Some(ty.clone())
            }
            Domain::In(set) => self.elements(set),
        }
    }

    fn elements(&mut self, set: &Expr) -> Option<Ty> {
        self.expr(set);
        let element = set.ty.element().cloned();
        if element.is_none() {
            self.wrong(
                set.span,
                format!("{} has no elements", super::show(self.song, &set.ty)),
            );
        }
        element
    }
}
