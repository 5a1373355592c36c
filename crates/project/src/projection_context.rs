//! Putting the voices together: parameters, families, messages, premises and promises.
//!
//! The parameters of the choreography become parameters of the song. `requires` is said as a
//! constraint on the last parameter it reads, with the starting values of endpoints in the place of
//! their variables; where no parameter can be constrained, it is the first `assume` of every process. About values that
//! endpoints choose, it is an `assume` before the first statement of the line: `locate/premises.rs`.
//! `ensures` becomes a `finally` property, with starting values in the place of `old(…)`.

use crate::core::Core;
use crate::locate::divided;
use crate::terms::{all, expr, stmt};
use crate::voice::{Score, voice};
use plainsong_ir::line::contracts;
use plainsong_ir::visit::{VisitMut, each_expr, shift_locals, walk_mut};
use plainsong_ir::{
    Body, Choreography, Claim, Const, ConstId, Expr, ExprKind, Family, FamilyId, Function, Local,
    LocalId, Message, Process, Property, Song, StartValue, StateVar, StmtKind, System, VarId,
    Voices,
};
use plainsong_semantics::instance::Instance;
use std::collections::{BTreeMap, BTreeSet};

/// The located program.
pub(crate) struct Located<'a> {
    pub(crate) body: &'a [Core],
    pub(crate) locals: &'a [Local],
    pub(crate) messages: &'a [Message],
}

/// The song of the voices.
pub(crate) fn assemble(song: &Song, line: &Choreography, located: &Located<'_>) -> Song {
    let families: BTreeMap<FamilyId, FamilyId> = line
        .endpoints
        .iter()
        .enumerate()
        .map(|(at, id)| (*id, FamilyId::from(at)))
        .collect();
    let first = song.consts.len();
    let parameters: Vec<ConstId> = (0..line.code.arity)
        .map(|at| ConstId::from(first + at))
        .collect();
    let score = Score {
        song,
        locals: located.locals,
        parameters: &parameters,
        families: &families,
        body: located.body,
    };
    let processes = line.endpoints.iter().map(|id| voice(&score, *id)).collect();
    let mut voices = Song {
        sorts: song.sorts.clone(),
        enums: song.enums.clone(),
        structs: song.structs.clone(),
        consts: song.consts.clone(),
        functions: run_by_endpoints_of(song, line),
        lines: contracts(&song.functions),
        sizes: song.sizes.clone(),
        system: System::Voices(Voices {
            messages: located.messages.to_vec(),
            processes,
            init: None,
            faults: Vec::new(),
            sequences: Vec::new(),
        }),
        ..Song::default()
    };
    for local in &line.code.locals[..line.code.arity] {
        let name = free_name(&local.name, song, line, &voices);
        voices.consts.push(Const {
            name,
            ty: local.ty.clone(),
            value: None,
            constraint: None,
            locals: Vec::new(),
            span: local.span,
        });
    }
    let assembly = Assembly {
        song,
        line,
        parameters: &parameters,
        families: &families,
    };
    voices.families = line
        .endpoints
        .iter()
        .map(|id| assembly.family(*id))
        .collect();
    assembly.premises(&mut voices);
    voices.properties = assembly.promises();
    plainsong_ir::visit::renumber_locals(&mut voices);
    voices
}

/// The functions. One that is run by an endpoint of another choreography is run by nobody here that is called so.
fn run_by_endpoints_of(song: &Song, line: &Choreography) -> Vec<Function> {
    let mut functions = song.functions.clone();
    let is_here = |name: &str| {
        let mut endpoints = line.endpoints.iter();
        endpoints.any(|id| song.families[id.index()].name == name)
    };
    for function in &mut functions {
        function.at.take_if(|name| !is_here(name));
    }
    functions
}

/// A name for a parameter that means nothing else anywhere in the voices.
fn free_name(wanted: &str, song: &Song, line: &Choreography, voices: &Song) -> String {
    let mut taken: BTreeSet<&str> = BTreeSet::new();
    taken.extend(song.sorts.iter().map(|decl| &*decl.name));
    taken.extend(song.enums.iter().map(|decl| &*decl.name));
    taken.extend(song.structs.iter().map(|decl| &*decl.name));
    taken.extend(voices.consts.iter().map(|decl| &*decl.name));
    taken.extend(song.functions.iter().map(|decl| &*decl.name));
    for id in &line.endpoints {
        let family = &song.families[id.index()];
        taken.insert(&family.name);
        taken.extend(family.index.iter().map(|binder| &*binder.name));
        taken.extend(family.vars.iter().map(|var| &*var.name));
    }
    let numbered = (0..).map(|n| format!("{wanted}_{n}"));
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|name| !taken.contains(&**name))
        .unwrap_or_default()
}

struct Assembly<'a> {
    song: &'a Song,
    line: &'a Choreography,
    parameters: &'a [ConstId],
    families: &'a BTreeMap<FamilyId, FamilyId>,
}

impl Assembly<'_> {
    fn family(&self, id: FamilyId) -> Family {
        let mut family = self.song.families[id.index()].clone();
        let before = family.index.len();
        for var in &mut family.vars {
            self.start(var, before);
        }
        family
    }

    /// A starting value, with constants in the place of parameters.
    fn start(&self, var: &mut StateVar, before: usize) {
        let arity = self.line.code.arity;
        let mut shift = Shift {
            assembly: self,
            parameters: before..before + arity,
            by: arity,
        };
        match &mut var.start {
            StartValue::Value(value) => shift.expr(value),
            StartValue::Choice(choice) => shift.choice(choice),
        }
        var.locals.drain(before..before + arity);
    }

    /// Says what the line requires of its parameters. The rest is checked by endpoints, before their first statement.
    fn premises(&self, voices: &mut Song) {
        for premise in &self.line.requires {
            let Some(mut said) = divided(self.song, premise).0 else {
                continue;
            };
            let mut start = Start::new(self);
            start.expr(&mut said);
            self.constrained(said, start.locals, voices);
        }
    }

    /// A premise about constants and parameters is a constraint on a parameter: on the last one of the choreography
    /// that it reads, or else on one of the song that nothing else in it depends on. Without such a parameter every
    /// process assumes it before it does anything.
    fn constrained(&self, premise: Expr, locals: Vec<Local>, voices: &mut Song) {
        let read = constants_read(&premise);
        let own = read.iter().filter(|id| self.parameters.contains(id)).max();
        if let Some(last) = own.or(self.parameters.last()) {
            return constrain(&mut voices.consts[last.index()], premise, locals);
        }
        let (mut premise, mut locals) = (premise, locals);
        let mut inlined = Inlined {
            song: self.song,
            locals: &mut locals,
        };
        inlined.expr(&mut premise);
        for id in constants_read(&premise).into_iter().rev() {
            let before = voices.consts[id.index()].clone();
            if before.value.is_some() {
                continue;
            }
            let (premise, locals) = (premise.clone(), locals.clone());
            constrain(&mut voices.consts[id.index()], premise, locals);
            if Instance::can_be_fixed(voices) {
                return;
            }
            voices.consts[id.index()] = before;
        }
        let System::Voices(system) = &mut voices.system else {
            return;
        };
        for process in &mut system.processes {
            let mut claim = premise.clone();
            shift_locals(&mut claim, process.locals.len());
            process.locals.extend(locals.iter().cloned());
            assume_first(process, claim);
        }
    }

    fn promises(&self) -> Vec<Property> {
        let mut properties = Vec::new();
        for (at, promise) in self.line.ensures.iter().enumerate() {
            let mut start = Start::new(self);
            let mut claim = promise.clone();
            Promise(&mut start).expr(&mut claim);
            if start.failed {
                continue;
            }
            properties.push(Property {
                name: match self.line.ensures.len() {
                    1 => "promise".to_owned(),
                    _ => format!("promise_{}", at + 1),
                },
                is_invariant: false,
                engines: Vec::new(),
                sizes: Vec::new(),
                claim: Claim::Finally(claim),
                locals: start.locals,
                span: promise.span,
            });
        }
        properties
    }

    fn constant(&self, local: LocalId, of: &Expr) -> Option<Expr> {
        let id = self.parameters.get(local.index())?;
        Some(expr(ExprKind::Const(*id), of.ty.clone(), of.span))
    }
}

fn constrain(parameter: &mut Const, premise: Expr, locals: Vec<Local>) {
    let before = parameter.locals.len();
    let mut premise = premise;
    shift_locals(&mut premise, before);
    parameter.locals.extend(locals);
    let parts = parameter.constraint.take().into_iter().chain([premise]);
    parameter.constraint = Some(all(parts.collect()));
}

/// Puts the values of constants in their places.
struct Inlined<'a> {
    song: &'a Song,
    /// The names that the expression binds, and those of the values behind them.
    locals: &'a mut Vec<Local>,
}

impl VisitMut for Inlined<'_> {
    fn expr(&mut self, of: &mut Expr) {
        if let ExprKind::Const(id) = of.kind
            && let Some(decl) = self.song.consts.get(id.index())
            && let Some(value) = &decl.value
        {
            let mut value = value.clone();
            shift_locals(&mut value, self.locals.len());
            self.locals.extend(decl.locals.iter().cloned());
            *of = value;
            return self.expr(of);
        }
        walk_mut::expr(self, of);
    }
}

/// Puts an assumption before everything that a process does.
fn assume_first(process: &mut Process, claim: Expr) {
    let span = claim.span;
    if let Body::Sequential(body) = &mut process.body {
        body.insert(0, stmt(StmtKind::Assume(claim), span));
    }
}

fn constants_read(of: &Expr) -> BTreeSet<ConstId> {
    let mut constants = BTreeSet::new();
    each_expr(of, |of| {
        if let ExprKind::Const(id) = of.kind {
            constants.insert(id);
        }
    });
    constants
}

/// Starting expressions of variables: parameters become constants, other locals move up.
struct Shift<'a, 'b> {
    assembly: &'a Assembly<'b>,
    parameters: std::ops::Range<usize>,
    by: usize,
}

impl Shift<'_, '_> {
    fn moved(&self, local: &mut LocalId) {
        if local.index() >= self.parameters.end {
            *local = LocalId::from(local.index() - self.by);
        }
    }
}

impl VisitMut for Shift<'_, '_> {
    fn expr(&mut self, of: &mut Expr) {
        if let ExprKind::Local(local) = of.kind
            && self.parameters.contains(&local.index())
        {
            let at = LocalId::from(local.index() - self.parameters.start);
            if let Some(new) = self.assembly.constant(at, of) {
                *of = new;
                return;
            }
        }
        walk_mut::expr(self, of);
    }

    fn uses(&mut self, local: &mut LocalId) {
        self.moved(local);
    }

    fn binds(&mut self, local: &mut LocalId) {
        self.moved(local);
    }
}

/// An expression of the line about its start, in terms of constants; collects the names it binds.
struct Start<'a, 'b> {
    assembly: &'a Assembly<'b>,
    locals: Vec<Local>,
    names: BTreeMap<LocalId, LocalId>,
    /// Is there a variable whose start is chosen freely?
    failed: bool,
}

impl<'a, 'b> Start<'a, 'b> {
    fn new(assembly: &'a Assembly<'b>) -> Self {
        Start {
            assembly,
            locals: Vec::new(),
            names: BTreeMap::new(),
            failed: false,
        }
    }

    fn bind(&mut self, row: Local) -> LocalId {
        self.locals.push(row);
        LocalId::from(self.locals.len() - 1)
    }

    /// The value that a variable starts with, at the member with these indices.
    fn value(&mut self, family: FamilyId, index: &[Expr], var: VarId) -> Option<Expr> {
        let decl = &self.assembly.song.families[family.index()].vars[var.index()];
        let StartValue::Value(value) = &decl.start else {
            self.failed = true;
            return None;
        };
        let mut value = value.clone();
        let mut put = StartOf {
            start: self,
            family,
            index,
            rows: &decl.locals,
            names: BTreeMap::new(),
        };
        put.expr(&mut value);
        Some(value)
    }
}

impl VisitMut for Start<'_, '_> {
    fn expr(&mut self, of: &mut Expr) {
        match &of.kind {
            ExprKind::Old(inner) => {
                *of = (**inner).clone();
                return self.expr(of);
            }
            ExprKind::Of(family, index, var) => {
                let (family, mut index, var) = (*family, index.clone(), *var);
                index.iter_mut().for_each(|part| self.expr(part));
                if let Some(value) = self.value(family, &index, var) {
                    *of = value;
                }
                return;
            }
            ExprKind::Local(local) => {
                if let Some(new) = self.assembly.constant(*local, of) {
                    *of = new;
                    return;
                }
            }
            _ => {}
        }
        walk_mut::expr(self, of);
    }

    fn uses(&mut self, local: &mut LocalId) {
        if let Some(new) = self.names.get(local) {
            *local = *new;
        }
    }

    fn binds(&mut self, local: &mut LocalId) {
        let row = self.assembly.line.code.locals[local.index()].clone();
        let new = self.bind(row);
        self.names.insert(*local, new);
        *local = new;
    }
}

/// A starting expression of one member, inside another expression.
struct StartOf<'s, 'a, 'b> {
    start: &'s mut Start<'a, 'b>,
    family: FamilyId,
    index: &'s [Expr],
    rows: &'s [Local],
    names: BTreeMap<LocalId, LocalId>,
}

impl VisitMut for StartOf<'_, '_, '_> {
    fn expr(&mut self, of: &mut Expr) {
        match &of.kind {
            ExprKind::Own(var) => {
                if let Some(value) = self.start.value(self.family, self.index, *var) {
                    *of = value;
                }
                return;
            }
            ExprKind::Local(local) => {
                if let Some(index) = self.index.get(local.index()) {
                    *of = index.clone();
                    return;
                }
                let at = LocalId::from(local.index() - self.index.len());
                if !self.names.contains_key(local)
                    && let Some(new) = self.start.assembly.constant(at, of)
                {
                    *of = new;
                    return;
                }
            }
            _ => {}
        }
        walk_mut::expr(self, of);
    }

    fn uses(&mut self, local: &mut LocalId) {
        if let Some(new) = self.names.get(local) {
            *local = *new;
        }
    }

    fn binds(&mut self, local: &mut LocalId) {
        let new = self.start.bind(self.rows[local.index()].clone());
        self.names.insert(*local, new);
        *local = new;
    }
}

/// A promise: what is not `old` speaks about the end.
struct Promise<'p, 'a, 'b>(&'p mut Start<'a, 'b>);

impl VisitMut for Promise<'_, '_, '_> {
    fn expr(&mut self, of: &mut Expr) {
        match &mut of.kind {
            ExprKind::Old(_) => return self.0.expr(of),
            ExprKind::Of(family, ..) => {
                if let Some(new) = self.0.assembly.families.get(family) {
                    *family = *new;
                }
            }
            ExprKind::Local(local) => {
                if let Some(new) = self.0.assembly.constant(*local, of) {
                    *of = new;
                    return;
                }
            }
            _ => {}
        }
        walk_mut::expr(self, of);
    }

    fn uses(&mut self, local: &mut LocalId) {
        self.0.uses(local);
    }

    fn binds(&mut self, local: &mut LocalId) {
        self.0.binds(local);
    }
}
