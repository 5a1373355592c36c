//! Small closed programs of processes that end, for comparing interpreters exhaustively.
//!
//! First a *plan*: which process sends what to whom, in some order ([`plan`]). Then each process is
//! written from its share ([`script`]): with choices, conditions, selective and timed receives, now
//! and then out of order. So most messages find a receiver, and yet there are races, deadlocks and
//! messages that nobody takes. What was received is kept in state variables, so that different
//! executions end in different states.

mod handlers;
mod plan;
mod script;

use super::composer::Composer;
use super::names::Kind;
use super::normal::{self, expr};
use super::scope::{Home, Scope};
use super::stmts::stmt;
use plainsong_ir::{
    BinOp, Binder, Body, Builtin, Claim, Code, Delivery, Domain, EnumDecl, EnumId, Expr, ExprKind,
    Family, FamilyId, Measures, Message, MessageId, Process, Property, Sizing, Song, SortDecl,
    SortId, SortKind, StartValue, StateVar, Stmt, StmtKind, System, Ty, VarId, Variant, Voices,
    visit,
};
use plan::Plan;

/// A small program that ends. All messages are delivered as `delivery` says; without one, each by a
/// model of its own.
pub fn small_voices(seed: u64, delivery: Option<Delivery>) -> Song {
    let mut small = Small {
        composer: Composer::new(seed, 1),
        members: Vec::new(),
    };
    small.types();
    small.families();
    small.messages(delivery);
    let plan = small.plan();
    let processes: Vec<Process> = (0..small.members.len())
        .map(|at| small.process(FamilyId::from(at), &plan))
        .collect();
    let init = small.init(&plan);
    let messages = small.composer.messages.clone();
    small.composer.song.system = System::Voices(Voices {
        messages,
        processes,
        init,
        faults: Vec::new(),
        sequences: Vec::new(),
    });
    small.property();
    let mut song = small.composer.song;
    visit::renumber_locals(&mut song);
    song
}

/// A small program in the making.
pub(super) struct Small {
    pub(super) composer: Composer,
    /// How many members each family has.
    pub(super) members: Vec<usize>,
}

/// The state variables that every process has.
pub(super) const LOG: VarId = VarId(0);
pub(super) const FLAG: VarId = VarId(1);

impl Small {
    /// One sort of one or two members and one enum.
    fn types(&mut self) {
        let c = &mut self.composer;
        let kind = SortKind::Identities {
            ordered: c.dice.once_in(2),
        };
        c.song.sorts.push(SortDecl {
            name: "Id".into(),
            kind,
            span: Default::default(),
        });
        let size = c.dice.between(1, 2) as i64;
        let span = Default::default();
        c.song.sizes.push(Sizing {
            name: "Id".into(),
            low: size,
            high: size,
            span,
        });
        let names = &["Red", "Green", "Blue"][..c.dice.between(2, 3)];
        let variants = names.iter().map(|name| Variant {
            name: (*name).into(),
            fields: vec![],
        });
        let variants = variants.collect();
        c.song.enums.push(EnumDecl {
            splits: None,
            name: "Color".into(),
            variants,
            span,
        });
        c.taken.extend(["Id".to_owned(), "Color".to_owned()]);
    }

    /// Two to four processes, some of them in families.
    fn families(&mut self) {
        let mut total = 0;
        let wanted = self.composer.dice.between(2, 4);
        while total < wanted || self.members.len() < 2 {
            let members = self.family(total + 2 <= wanted);
            total += members;
        }
    }

    /// Declares a process or family and says how many members it has.
    fn family(&mut self, may_be_two: bool) -> usize {
        let c = &mut self.composer;
        let name = c.item_name(Kind::Family);
        let two = c.song.sizes[0].low == 2;
        let index = match c.dice.below(5) {
            0 if may_be_two => Some((Ty::Bool, 2)),
            1 | 2 if may_be_two || !two => Some((Ty::Sort(SortId(0)), if two { 2 } else { 1 })),
            _ => None,
        };
        let members = index.as_ref().map_or(1, |(_, members)| *members);
        let index = index.map(|(ty, _)| Binder {
            name: "me".into(),
            ty,
        });
        let index: Vec<Binder> = index.into_iter().collect();
        let span = Default::default();
        c.song.families.push(Family {
            name,
            index,
            vars: Vec::new(),
            span,
        });
        let family = FamilyId::from(c.song.families.len() - 1);
        c.processes.push(family);
        self.members.push(members);
        self.state(family);
        members
    }

    /// `var log: seq<bool> = []; var flag: bool = …;`
    fn state(&mut self, family: FamilyId) {
        let c = &mut self.composer;
        let ty = Ty::Seq(Box::new(Ty::Bool));
        let log = expr(ExprKind::Literal(vec![]), ty.clone());
        let flag = normal::boolean(c.dice.once_in(2));
        for (name, ty, value) in [("log", ty, log), ("flag", Ty::Bool, flag)] {
            let locals = c.family_scope(family, Home::Start, &[]).locals;
            let start = StartValue::Value(value);
            let name = name.to_owned();
            let var = StateVar {
                name,
                ty,
                start,
                locals,
                durable: false,
                is_input: false,
                span: Default::default(),
            };
            c.song.families[family.index()].vars.push(var);
        }
    }

    /// Two or three kinds of messages with little in them.
    fn messages(&mut self, delivery: Option<Delivery>) {
        let c = &mut self.composer;
        for _ in 0..c.dice.between(2, 3) {
            let name = c.item_name(Kind::Signal);
            let ty = match c.dice.below(4) {
                0 => None,
                1 => Some(Ty::Enum(EnumId(0))),
                _ => Some(Ty::Bool),
            };
            let fields = ty
                .into_iter()
                .map(|ty| Binder {
                    name: "value".into(),
                    ty,
                })
                .collect();
            let model = match delivery {
                Some(delivery) => Some(delivery),
                None => {
                    let model = *c.dice.pick(&Delivery::ALL);
                    (!c.dice.once_in(4)).then_some(model)
                }
            };
            c.messages.push(Message {
                name,
                fields,
                delivery: model,
                measures: Measures::default(),
                order: Default::default(),
                most: None,
                span: Default::default(),
            });
        }
    }

    fn process(&mut self, family: FamilyId, plan: &Plan) -> Process {
        let c = &mut self.composer;
        let mut scope = c.family_scope(family, Home::Body, &[]);
        scope.own = Some((family, 2));
        let outer = std::mem::replace(&mut c.scope, scope);
        let body = if plan.reacts(family) {
            Body::Handlers(self.handlers(family, plan))
        } else {
            Body::Sequential(self.script(family, plan))
        };
        let c = &mut self.composer;
        let locals = std::mem::replace(&mut c.scope, outer).locals;
        let daemon = c.dice.once_in(6) && matches!(body, Body::Sequential(_));
        Process {
            family,
            daemon,
            fairness: None,
            locals,
            measures: Measures::default(),
            order: Default::default(),
            body,
        }
    }

    /// `init { send M(…) to p; }`, when the plan has one.
    fn init(&mut self, plan: &Plan) -> Option<Code> {
        let (message, to) = plan.first?;
        let scope = Scope::new(Home::VoicesInit);
        let outer = std::mem::replace(&mut self.composer.scope, scope);
        let body = self.sends(message, to, None);
        let locals = std::mem::replace(&mut self.composer.scope, outer).locals;
        Some(Code {
            arity: 0,
            locals,
            body,
        })
    }

    /// A property about how much some process has received.
    fn property(&mut self) {
        let c = &mut self.composer;
        let singles = (0..self.members.len()).filter(|at| c.song.families[*at].index.is_empty());
        let singles: Vec<usize> = singles.collect();
        let Some(at) = c.dice.choose(&singles).copied() else {
            return;
        };
        let log = Ty::Seq(Box::new(Ty::Bool));
        let log = expr(ExprKind::Of(FamilyId::from(at), vec![], LOG), log);
        let len = expr(ExprKind::Method(Builtin::Len, vec![log]), Ty::Nat);
        let op = *c.dice.pick(&[BinOp::Le, BinOp::Ne]);
        let bound = normal::int(c.dice.between(0, 2) as i64);
        let claim = normal::comparison(&c.song, op, len, bound);
        let claim = if c.dice.once_in(2) {
            Claim::Finally(claim)
        } else {
            Claim::Always(claim)
        };
        c.song.properties.push(Property {
            name: "received".into(),
            is_invariant: false,
            engines: Vec::new(),
            sizes: Vec::new(),
            claim,
            locals: Vec::new(),
            span: Default::default(),
        });
    }

    /// The type of what a message carries, if it carries something.
    pub(super) fn payload(&self, message: MessageId) -> Option<Ty> {
        self.composer.messages[message.index()]
            .fields
            .first()
            .map(|field| field.ty.clone())
    }

    /// `send M(…) to …;` for every member of a family, or to the one with the index `only`.
    pub(super) fn sends(
        &mut self,
        message: MessageId,
        to: FamilyId,
        only: Option<Expr>,
    ) -> Vec<Stmt> {
        let index = self.composer.song.families[to.index()]
            .index
            .first()
            .cloned();
        match (index, only) {
            (None, _) => vec![self.send(message, to, vec![])],
            (Some(_), Some(only)) => vec![self.send(message, to, vec![only])],
            (Some(row), None) => {
                let c = &mut self.composer;
                let before = c.scope.visible.len();
                let local = c.bind_fresh(row.ty.clone());
                let all = ExprKind::All(row.ty.clone());
                let all = expr(all, Ty::Set(Box::new(row.ty.clone())));
                let each = expr(ExprKind::Local(local), row.ty);
                let body = vec![self.send(message, to, vec![each])];
                self.composer.scope.visible.truncate(before);
                vec![stmt(StmtKind::For {
                    local,
                    domain: Domain::In(all),
                    filter: None,
                    clauses: Default::default(),
                    body,
                })]
            }
        }
    }

    fn send(&mut self, message: MessageId, to: FamilyId, index: Vec<Expr>) -> Stmt {
        let payload = self.payload(message).map(|ty| self.value(&ty));
        let address = expr(ExprKind::Pid(to, index), Ty::Process);
        stmt(StmtKind::Send(
            message,
            payload.into_iter().collect(),
            address,
        ))
    }
}
