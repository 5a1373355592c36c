//! From stories to the line: one sequential program whose statements are located at endpoints.
//!
//! Each process becomes an endpoint of the same name; its state variables and its locals become variables of
//! the endpoint. A send says nothing; a receive is an assignment at the receiver of what the sender sent. A
//! step that a whole family takes is a loop over its members. Where stories branch, so does the line.
//!
//! The line keeps what every process sees. Loops over members may be taken in any order, and rounds of clients
//! with daemons may interleave: the line shows one order.
//!
//! NOT COVERED, and then there is no line to show, which does not touch the verdict: a value that its sender
//! changes between sending and receiving, rounds that deal with two members, a loop's number used beside
//! a receive from any member. A message kept per round gets any value of its type.

mod locate;
mod tell;

use crate::part::{OpKind, Part, Var};
use crate::rules::Engine;
use crate::state::State;
use crate::story::{At, Event};
use crate::value::{Comp, Role};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, renumber_locals, walk};
use plainsong_ir::{
    Block, Choice, Choreography, Code, Domain, Expr, ExprKind, Family, FamilyId, Local, LocalId,
    Song, SortId, StartValue, StateVar, Ty, VarId,
};
use std::collections::BTreeMap;

/// The song with the line that these stories tell, or why it cannot be told.
pub(crate) fn line(engine: &Engine<'_>, ends: &[State]) -> Result<Song, String> {
    let mut teller = Teller::new(engine);
    let stories: Vec<Vec<&Event>> = ends.iter().map(|end| end.story.events()).collect();
    let body = teller.stories(stories)?;
    let mut song = teller.song;
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
        span: Span::default(),
    });
    renumber_locals(&mut song);
    Ok(song)
}

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
    /// How often a variable was assigned.
    versions: BTreeMap<(FamilyId, Var), u32>,
}

/// A sending.
#[derive(Clone)]
struct Sent {
    at: At,
    /// Loop names that stand for members, then.
    named: BTreeMap<LocalId, FamilyId>,
    versions: BTreeMap<(FamilyId, Var), u32>,
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
            versions: BTreeMap::new(),
        }
    }

    fn part(&self, family: FamilyId) -> &'e Part<'a> {
        &self.engine.score.parts[&family]
    }

    fn op(&self, at: At) -> (&'e OpKind<'a>, Span) {
        let op = &self.part(at.comp.family).blocks[at.block.0 as usize][at.at as usize];
        (&op.kind, op.span)
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
        let name = self.members.get(&comp).ok_or("a member is out of scope")?;
        let sort = self.sort(comp.family)?;
        Ok(vec![expr(ExprKind::Local(*name), Ty::Sort(sort))])
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
        let start = self.default(family, &row.ty);
        let endpoint = self.endpoints[&family];
        let Family { vars, index, .. } = &mut self.song.families[endpoint.index()];
        let mut name = row.name.clone();
        let mut number = 1;
        while vars.iter().any(|other| other.name == name)
            || index.iter().any(|one| one.name == name)
        {
            number += 1;
            name = format!("{}_{number}", row.name);
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
        if let StartValue::Choice(choice) = &start {
            debug_assert_eq!(choice.local.index(), locals.len());
            locals.push(Local {
                name: name.clone(),
                ty: row.ty.clone(),
                mutable: false,
                span: Span::default(),
            });
        }
        vars.push(StateVar {
            name,
            ty: row.ty.clone(),
            start,
            locals,
            durable: false,
            span: Span::default(),
        });
        let id = VarId::from(vars.len() - 1);
        self.vars.insert((family, var), id);
        id
    }

    /// Some first value: it is assigned before it is read.
    fn default(&self, family: FamilyId, ty: &Ty) -> StartValue {
        let own = self.engine.score.song.families[family.index()].index.len();
        match self.plain(family, ty) {
            Some(value) => StartValue::Value(value),
            None => StartValue::Choice(Choice {
                local: LocalId::from(own),
                domain: Domain::Type(ty.clone()),
                filter: None,
            }),
        }
    }

    fn plain(&self, family: FamilyId, ty: &Ty) -> Option<Expr> {
        let song = self.engine.score.song;
        let kind = match ty {
            Ty::Bool => ExprKind::Bool(false),
            Ty::Int | Ty::Nat => ExprKind::Int(0),
            Ty::Option(_) => ExprKind::None,
            Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) => ExprKind::Literal(Vec::new()),
            Ty::Tuple(parts) => {
                let parts: Option<Vec<Expr>> =
                    parts.iter().map(|ty| self.plain(family, ty)).collect();
                ExprKind::Tuple(parts?)
            }
            Ty::Struct(id) => {
                let fields = song.structs[id.index()].fields.iter();
                let fields: Option<Vec<Expr>> =
                    fields.map(|(_, ty)| self.plain(family, ty)).collect();
                ExprKind::Struct(*id, fields?)
            }
            Ty::Enum(id) => {
                let fields = song.enums[id.index()].variants.first()?.fields.iter();
                let fields: Option<Vec<Expr>> = fields.map(|ty| self.plain(family, ty)).collect();
                ExprKind::Variant(*id, 0, fields?)
            }
            Ty::Process => locate::own_pid(family, self.part(family).sort),
            Ty::Sort(sort) if self.part(family).sort == Some(*sort) => ExprKind::Local(LocalId(0)),
            Ty::Sort(_) | Ty::Map(..) => return None,
        };
        Some(expr(kind, ty.clone()))
    }
}

/// Are identities of processes used as values, in the statements or in the variables of endpoints?
fn mentions_processes(song: &Song, body: &Block) -> bool {
    struct Pids(bool);
    impl Visit for Pids {
        fn expr(&mut self, expr: &Expr) {
            self.0 |= matches!(expr.kind, ExprKind::Pid(..));
            walk::expr(self, expr);
        }
    }
    let mut pids = Pids(false);
    pids.block(body);
    let starts = song.families.iter().flat_map(|family| &family.vars);
    for var in starts {
        if let StartValue::Value(value) = &var.start {
            pids.expr(value);
        }
    }
    pids.0
}

/// An expression that has no place in the text.
fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}
