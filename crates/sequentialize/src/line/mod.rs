//! From stories to the line: one sequential program whose statements are located at endpoints.
//!
//! Each process becomes an endpoint of the same name; its state variables and its locals become variables of
//! the endpoint. A send says nothing; a receive is an assignment at the receiver of what the sender sent. A
//! step that a whole family takes is a loop over its members. Where stories branch, so does the line.
//!
//! The line keeps what every process sees. Loops over members may be taken in any order, and rounds of clients
//! with daemons may interleave: the line shows one order.
//!
//! What a daemon's round reads of earlier rounds, and a message kept per round, may be anything of its type;
//! then the line may end in more states than the processes ([`Line::exact`]).
//!
//! A round that deals with two members, the one who sends and the one who is named, is told of the one who sends: the other
//! is only told something.
//!
//! NOT COVERED, and then there is no line to show, which does not touch the verdict: rounds that tell the member
//! they name something that depends on the round, a loop's number used beside a receive from any member.

mod addresses;
mod alike;
mod any_order;
mod branches;
mod locate;
mod message;
mod per_round;
mod sweeps;
mod tell;

pub(crate) use sweeps::{Row, of_row};

use crate::derivation_log::{At, Event, Story};
use crate::process_code::{OpKind, Part, Var};
use crate::rules::Engine;
use crate::state::SymbolicState;
use crate::value::{Comp, Role};
use message::Sent;
use plainsong_diagnostics::Span;
use plainsong_ir::build::expr;
use plainsong_ir::visit::{Visit, any_expr, renumber_locals};
use plainsong_ir::{
    Block, Choice, Choreography, Code, Domain, Expr, ExprKind, Family, FamilyId, Local, LocalId,
    Song, SortId, StartValue, StateVar, Ty, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// A line, and how it relates to the processes.
#[derive(Clone, Debug)]
pub struct Line {
    /// The song with the line, which is its last choreography.
    pub song: Song,
    /// The endpoint of each process.
    pub endpoints: BTreeMap<FamilyId, FamilyId>,
    /// Of each `for`, in the order of the text: may its rounds come in any order?
    pub any_order: Vec<bool>,
    /// Does it end in exactly the states that the processes end in, but for daemons? Otherwise it may end in
    /// more.
    pub exact: bool,
    /// Do all processes but daemons come to an end? Otherwise the line shows one round of those that do not.
    pub ends: bool,
    /// May processes crash? Then they stop with values that they have anywhere on the line.
    pub crashes: bool,
    /// Expressions of the processes that are evaluated, and annotations of loops that are checked, but do not
    /// stand in the line.
    pub untold: BTreeSet<Span>,
}

/// The song with the line that these stories tell, or why it cannot be told.
pub(crate) fn line(engine: &Engine<'_>, ends: &[SymbolicState]) -> Result<Line, String> {
    let told = ends
        .iter()
        .map(|end| alike::Numbers::default().story(&end.story));
    let told: Vec<Story> = told.collect();
    let stories: Vec<Vec<&Event>> = told.iter().map(Story::events).collect();
    let received = message::received(engine, &stories);
    let mut keep = BTreeSet::new();
    let mut nameless = BTreeSet::new();
    let (teller, body) = loop {
        let mut teller = Teller::new(engine);
        teller.keep.clone_from(&keep);
        teller.nameless.clone_from(&nameless);
        teller.received.clone_from(&received);
        teller.find_per_round(&stories);
        match teller.stories(stories.clone()) {
            Ok(body) => break (teller, body),
            // Once more, without bags for those who cannot be named.
            Err(_) if !teller.nameless_next.is_empty() => nameless.extend(teller.nameless_next),
            // Once more, keeping what changes on the way.
            Err(_) if keep.len() < MOST_KEPT && !teller.keep_next.is_subset(&keep) => {
                keep.extend(teller.keep_next);
            }
            Err(why) => return Err(why),
        }
    };
    Ok(assemble(engine, teller, body))
}

/// The song with a line of these statements.
fn assemble(engine: &Engine<'_>, teller: Teller<'_, '_>, mut body: Block) -> Line {
    let mut song = teller.song;
    addresses::leave_out(&mut song, &teller.endpoints, &mut body);
    if mentions_processes(&song, &body) {
        // An endpoint of the same name would hide the process.
        for endpoint in teller.endpoints.values() {
            let family = &mut song.families[endpoint.index()];
            family.name = format!("at_{}", family.name);
        }
    }
    let mut name = "line".to_owned();
    while song.lines.iter().any(|line| line.name == name) {
        name.push('_');
    }
    let mut loops = any_order::Loops {
        loose: &teller.loose,
        found: Vec::new(),
    };
    loops.block(&body);
    let any_order = loops.found;
    song.lines.push(Choreography {
        name,
        endpoints: teller.endpoints.values().copied().collect(),
        requires: Vec::new(),
        ensures: Vec::new(),
        code: Code {
            arity: 0,
            locals: teller.locals,
            body,
        },
        kind: Default::default(),
        span: Span::default(),
    });
    renumber_locals(&mut song);
    Line {
        song,
        endpoints: teller.endpoints,
        any_order,
        exact: teller.exact,
        ends: engine.endless.is_empty(),
        crashes: engine.score.losses.may_crash(),
        untold: teller.untold,
    }
}

/// A statement of a process, and its place in the text.
pub(crate) fn op<'e, 'a>(engine: &'e Engine<'a>, at: At) -> (&'e OpKind<'a>, Span) {
    let part = &engine.score.parts[&at.comp.family];
    let op = &part.blocks[at.block.0 as usize][at.at as usize];
    (&op.kind, op.span)
}

/// So many messages are kept in variables of their own at most.
const MOST_KEPT: usize = 64;

/// Tells a line.
struct Teller<'e, 'a> {
    engine: &'e Engine<'a>,
    song: Song,
    /// The endpoint of each process.
    endpoints: BTreeMap<FamilyId, FamilyId>,
    vars: BTreeMap<(FamilyId, Var), VarId>,
    locals: Vec<Local>,
    /// The names of members that are in scope.
    members: BTreeMap<Comp, LocalId>,
    /// The names of loops that are in scope, by process and the loop's own name.
    loops: BTreeMap<(FamilyId, LocalId), LocalId>,
    sent: BTreeMap<u32, Sent>,
    /// Sendings that a receive says again.
    received: BTreeSet<u32>,
    /// How often a variable was assigned.
    versions: BTreeMap<(FamilyId, Var), u32>,
    /// Expressions of the processes that are evaluated but do not stand in the line.
    untold: BTreeSet<Span>,
    /// Sendings whose values are kept in variables of their own, and those for which that turned out to be
    /// needed.
    keep: BTreeSet<u32>,
    keep_next: BTreeSet<u32>,
    kept_vars: BTreeMap<(FamilyId, u32, usize), VarId>,
    /// Messages that one loop leaves for another.
    per_round: per_round::PerRound,
    /// Those among them that cannot have a bag, and those that turned out to be so.
    nameless: BTreeSet<per_round::Channel>,
    nameless_next: BTreeSet<per_round::Channel>,
    /// The names of loops whose rounds may come in any order.
    loose: BTreeSet<LocalId>,
    exact: bool,
}

impl<'e, 'a> Teller<'e, 'a> {
    fn new(engine: &'e Engine<'a>) -> Self {
        let mut song = engine.score.song.clone();
        let mut endpoints = BTreeMap::new();
        let mut vars = BTreeMap::new();
        for &family in engine.score.parts.keys() {
            let mut endpoint = song.families[family.index()].clone();
            for (at, var) in endpoint.vars.iter_mut().enumerate() {
                vars.insert((family, Var::Own(at.into())), VarId::from(at));
                locate::start(var, family);
            }
            endpoints.insert(family, FamilyId::from(song.families.len()));
            song.families.push(endpoint);
        }
        Teller {
            engine,
            song,
            endpoints,
            vars,
            locals: Vec::new(),
            members: BTreeMap::new(),
            loops: BTreeMap::new(),
            sent: BTreeMap::new(),
            received: BTreeSet::new(),
            versions: BTreeMap::new(),
            untold: engine.score.annotated.iter().copied().collect(),
            keep: BTreeSet::new(),
            keep_next: BTreeSet::new(),
            kept_vars: BTreeMap::new(),
            per_round: Default::default(),
            nameless: BTreeSet::new(),
            nameless_next: BTreeSet::new(),
            loose: BTreeSet::new(),
            exact: engine.endless.is_empty() && !engine.pruned && engine.score.losses.is_none(),
        }
    }

    fn part(&self, family: FamilyId) -> &'e Part<'a> {
        &self.engine.score.parts[&family]
    }

    fn op(&self, at: At) -> (&'e OpKind<'a>, Span) {
        op(self.engine, at)
    }

    /// A new name in the line.
    fn name(&mut self, name: &str, ty: Ty) -> LocalId {
        self.locals.push(Local {
            name: name.to_owned(),
            ty,
            mutable: false,
            span: Span::default(),
        });
        LocalId::from(self.locals.len() - 1)
    }

    /// The sort that names the members of a family.
    fn sort(&self, family: FamilyId) -> Result<SortId, String> {
        self.part(family)
            .sort
            .ok_or_else(|| "a single process has no members".to_owned())
    }

    /// What a family calls its index.
    fn index_name(&self, family: FamilyId) -> String {
        let index = &self.engine.score.song.families[family.index()].index;
        index
            .first()
            .map_or("m".to_owned(), |index| index.name.clone())
    }

    /// The indices of a component's endpoint, here.
    fn index(&self, comp: Comp) -> Result<Vec<Expr>, String> {
        if comp.role == Role::Single {
            return Ok(Vec::new());
        }
        let name = self.members.get(&comp);
        let name = name.ok_or_else(|| self.nameless(comp.family))?;
        let sort = self.sort(comp.family)?;
        Ok(vec![expr(ExprKind::Local(*name), Ty::Sort(sort))])
    }

    /// Why a member of a family cannot be spoken of here.
    fn nameless(&self, family: FamilyId) -> String {
        let family = &self.engine.score.song.families[family.index()].name;
        format!(
            "a member of `{family}` takes part that has no name in the line: each round over members names one of them"
        )
    }

    /// The endpoint's variable for a variable of a process.
    fn var(&mut self, family: FamilyId, var: Var) -> VarId {
        if let Some(known) = self.vars.get(&(family, var)) {
            return *known;
        }
        let Var::Local(local) = var else {
            unreachable!("state variables are known");
        };
        let row = &self.engine.locals(family)[local.index()];
        let id = self.endpoint_var(family, &row.name, &row.ty);
        self.vars.insert((family, var), id);
        id
    }

    /// A new variable of an endpoint, under this name if it is free.
    fn endpoint_var(&mut self, family: FamilyId, wanted: &str, ty: &Ty) -> VarId {
        let (start, bound) = self.default(family, ty);
        let endpoint = self.endpoints[&family];
        let Family { vars, index, .. } = &mut self.song.families[endpoint.index()];
        let mut name = wanted.to_owned();
        let mut number = 1;
        while vars.iter().any(|other| other.name == name)
            || index.iter().any(|one| one.name == name)
        {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        let mut locals: Vec<Local> = index
            .iter()
            .map(|one| Local {
                name: one.name.clone(),
                ty: one.ty.clone(),
                mutable: false,
                span: Span::default(),
            })
            .collect();
        locals.extend(bound);
        if matches!(start, StartValue::Choice(_))
            && let Some(candidate) = locals.last_mut()
        {
            candidate.name.clone_from(&name);
        }
        vars.push(StateVar {
            name,
            ty: ty.clone(),
            start,
            locals,
            durable: false,
            is_input: false,
            span: Span::default(),
        });
        VarId::from(vars.len() - 1)
    }

    /// Some first value: it is assigned before it is read. The names that it binds come along.
    fn default(&self, family: FamilyId, ty: &Ty) -> (StartValue, Vec<Local>) {
        let own = self.engine.score.song.families[family.index()].index.len();
        let mut bound = Vec::new();
        match self.plain(family, ty, &mut bound) {
            Some(value) => (StartValue::Value(value), bound),
            None => {
                let choice = Choice {
                    local: LocalId::from(own),
                    domain: Domain::Type(ty.clone()),
                    filter: None,
                };
                (StartValue::Choice(choice), vec![unnamed("x", ty)])
            }
        }
    }

    fn plain(&self, family: FamilyId, ty: &Ty, bound: &mut Vec<Local>) -> Option<Expr> {
        let song = self.engine.score.song;
        let mut all = |types: &mut dyn Iterator<Item = &Ty>| -> Option<Vec<Expr>> {
            types.map(|ty| self.plain(family, ty, bound)).collect()
        };
        let kind = match ty {
            Ty::Bool => ExprKind::Bool(false),
            Ty::Int | Ty::Nat => ExprKind::Int(0),
            Ty::Option(_) => ExprKind::None,
            Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) => ExprKind::Literal(Vec::new()),
            Ty::Tuple(parts) => ExprKind::Tuple(all(&mut parts.iter())?),
            Ty::Struct(id) => {
                let fields = song.structs[id.index()].fields.iter();
                ExprKind::Struct(*id, all(&mut fields.map(|(_, ty)| ty))?)
            }
            Ty::Enum(id) => {
                let fields = &song.enums[id.index()].variants.first()?.fields;
                ExprKind::Variant(*id, 0, all(&mut fields.iter())?)
            }
            Ty::Map(key, value) => {
                let own = song.families[family.index()].index.len();
                let local = LocalId::from(own + bound.len());
                bound.push(unnamed("k", key));
                ExprKind::MapOf(local, Box::new(self.plain(family, value, bound)?))
            }
            Ty::Process => locate::own_pid(family, self.part(family).sort),
            Ty::Sort(sort) if self.part(family).sort == Some(*sort) => ExprKind::Local(LocalId(0)),
            Ty::Sort(_) => return None,
        };
        Some(expr(kind, ty.clone()))
    }
}

/// Are identities of processes used as values, in the statements or in the variables of endpoints?
fn mentions_processes(song: &Song, body: &Block) -> bool {
    let is_pid = |expr: &Expr| matches!(expr.kind, ExprKind::Pid(..));
    let mut vars = song.families.iter().flat_map(|family| &family.vars);
    any_expr(body, is_pid)
        || vars.any(|var| matches!(&var.start, StartValue::Value(value) if any_expr(value, is_pid)))
}

/// A name that the line makes up.
fn unnamed(name: &str, ty: &Ty) -> Local {
    Local {
        name: name.to_owned(),
        ty: ty.clone(),
        mutable: false,
        span: Span::default(),
    }
}
