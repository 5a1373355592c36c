//! A small builder of songs.

use plainsong_diagnostics::Span;
use plainsong_ir::*;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::cell::Cell;
use std::sync::Arc;

thread_local!(static NEXT: Cell<u32> = const { Cell::new(1) });

/// A span that no other has, so that places can be told apart.
pub(crate) fn span() -> Span {
    NEXT.with(|next| {
        let start = next.get();
        next.set(start + 1);
        Span::new(start, start + 1)
    })
}

pub(crate) fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: span(),
    }
}

pub(crate) fn yes() -> Expr {
    expr(ExprKind::Bool(true), Ty::Bool)
}

pub(crate) fn no() -> Expr {
    expr(ExprKind::Bool(false), Ty::Bool)
}

pub(crate) fn int(value: i64) -> Expr {
    expr(ExprKind::Int(value), Ty::Int)
}

pub(crate) fn none(of: Ty) -> Expr {
    expr(ExprKind::None, Ty::Option(Box::new(of)))
}

pub(crate) fn some(inner: Expr) -> Expr {
    let ty = Ty::Option(Box::new(inner.ty.clone()));
    expr(ExprKind::Some(Box::new(inner)), ty)
}

pub(crate) fn own(var: usize, ty: Ty) -> Expr {
    expr(ExprKind::Own(var.into()), ty)
}

pub(crate) fn of(family: FamilyId, index: Vec<Expr>, var: usize, ty: Ty) -> Expr {
    expr(ExprKind::Of(family, index, var.into()), ty)
}

pub(crate) fn global(at: usize, ty: Ty) -> Expr {
    expr(ExprKind::Global(at.into()), ty)
}

pub(crate) fn constant(at: ConstId, ty: Ty) -> Expr {
    expr(ExprKind::Const(at), ty)
}

pub(crate) fn pid(family: FamilyId, index: Vec<Expr>) -> Expr {
    expr(ExprKind::Pid(family, index), Ty::Process)
}

pub(crate) fn all(ty: Ty) -> Expr {
    expr(ExprKind::All(ty.clone()), Ty::Set(Box::new(ty)))
}

pub(crate) fn range(first: i64, end: i64) -> Expr {
    let (start, end) = (Box::new(int(first)), Box::new(int(end)));
    expr(
        ExprKind::Range {
            start,
            end,
            inclusive: false,
        },
        Ty::Set(Box::new(Ty::Int)),
    )
}

pub(crate) fn not(inner: Expr) -> Expr {
    expr(ExprKind::Unary(UnOp::Not, Box::new(inner)), Ty::Bool)
}

pub(crate) fn binary(op: BinOp, a: Expr, b: Expr, ty: Ty) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
}

pub(crate) fn is(op: BinOp, a: Expr, b: Expr) -> Expr {
    binary(op, a, b, Ty::Bool)
}

pub(crate) fn eq(a: Expr, b: Expr) -> Expr {
    is(BinOp::Eq, a, b)
}

pub(crate) fn and(a: Expr, b: Expr) -> Expr {
    is(BinOp::And, a, b)
}

pub(crate) fn implies(a: Expr, b: Expr) -> Expr {
    is(BinOp::Implies, a, b)
}

pub(crate) fn plus(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Add, a, b, Ty::Int)
}

pub(crate) fn minus(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Sub, a, b, Ty::Int)
}

pub(crate) fn narrow(inner: Expr, ty: Ty) -> Expr {
    expr(ExprKind::Narrow(Box::new(inner)), ty)
}

pub(crate) fn method(method: Builtin, arguments: Vec<Expr>, ty: Ty) -> Expr {
    expr(ExprKind::Method(method, arguments), ty)
}

pub(crate) fn quantified(quantifier: Quantifier, bindings: Vec<Binding>, body: Expr) -> Expr {
    let ty = match quantifier {
        Quantifier::Forall | Quantifier::Exists => Ty::Bool,
        Quantifier::Count | Quantifier::Sum => Ty::Int,
    };
    expr(
        ExprKind::Quantifier(quantifier, bindings, Box::new(body)),
        ty,
    )
}

pub(crate) fn binding(names: &[LocalId], domain: Domain) -> Binding {
    Binding {
        names: names.to_vec(),
        domain,
        filter: None,
    }
}

/// A table of locals in the making.
#[derive(Default)]
pub(crate) struct Locals(pub(crate) Vec<Local>);

impl Locals {
    pub(crate) fn add(&mut self, name: &str, ty: Ty) -> LocalId {
        self.0.push(Local {
            name: name.to_owned(),
            ty,
            mutable: true,
            span: span(),
        });
        (self.0.len() - 1).into()
    }

    pub(crate) fn read(&self, local: LocalId) -> Expr {
        expr(ExprKind::Local(local), self.0[local.index()].ty.clone())
    }
}

pub(crate) fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: span() }
}

pub(crate) fn set(root: Root, value: Expr) -> Stmt {
    let place = Place {
        root,
        path: Vec::new(),
        span: span(),
    };
    stmt(StmtKind::Assign(place, value))
}

pub(crate) fn set_own(var: usize, value: Expr) -> Stmt {
    set(Root::Own(var.into()), value)
}

pub(crate) fn set_global(at: usize, value: Expr) -> Stmt {
    set(Root::Global(at.into()), value)
}

pub(crate) fn let_(local: LocalId, value: Expr) -> Stmt {
    stmt(StmtKind::Let(local, value))
}

pub(crate) fn choose(local: LocalId, domain: Domain) -> Stmt {
    stmt(StmtKind::LetChoice(Choice {
        local,
        domain,
        filter: None,
    }))
}

pub(crate) fn assert(condition: Expr) -> Stmt {
    stmt(StmtKind::Assert(condition))
}

pub(crate) fn assume(condition: Expr) -> Stmt {
    stmt(StmtKind::Assume(condition))
}

pub(crate) fn if_(condition: Expr, yes: Block, no: Block) -> Stmt {
    stmt(StmtKind::If(condition, yes, no))
}

pub(crate) fn while_(condition: Expr, body: Block) -> Stmt {
    stmt(StmtKind::While(condition, LoopClauses::default(), body))
}

pub(crate) fn for_(local: LocalId, domain: Expr, body: Block) -> Stmt {
    let clauses = LoopClauses::default();
    stmt(StmtKind::For {
        local,
        domain: Domain::In(domain),
        filter: None,
        clauses,
        body,
    })
}

pub(crate) fn send(message: MessageId, payload: Vec<Expr>, to: Expr) -> Stmt {
    stmt(StmtKind::Send(message, payload, to))
}

pub(crate) fn accept(message: MessageId, slots: &[Option<LocalId>], source: Source) -> Accept {
    Accept {
        message,
        slots: slots.to_vec(),
        source,
        filter: None,
        span: span(),
    }
}

pub(crate) fn receive(accept: Accept) -> Stmt {
    stmt(StmtKind::Receive(accept))
}

pub(crate) fn anyone() -> Source {
    Source::Anyone(None)
}

pub(crate) fn any(family: FamilyId) -> Source {
    Source::Family(family, Vec::new(), None)
}

pub(crate) fn async_(action: usize, arguments: Vec<Expr>) -> Stmt {
    stmt(StmtKind::Async(action.into(), arguments))
}

/// A song in the making.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) song: Song,
}

impl Builder {
    pub(crate) fn sort(&mut self, name: &str) -> Ty {
        self.add_sort(name, SortKind::Identities { ordered: false })
    }

    pub(crate) fn add_sort(&mut self, name: &str, kind: SortKind) -> Ty {
        self.song.sorts.push(SortDecl {
            name: name.to_owned(),
            kind,
            span: span(),
        });
        Ty::Sort((self.song.sorts.len() - 1).into())
    }

    pub(crate) fn param(&mut self, name: &str, ty: Ty, constraint: Option<Expr>) -> ConstId {
        self.add_const(name, ty, None, constraint)
    }

    pub(crate) fn add_const(
        &mut self,
        name: &str,
        ty: Ty,
        value: Option<Expr>,
        constraint: Option<Expr>,
    ) -> ConstId {
        let (name, locals) = (name.to_owned(), Vec::new());
        self.song.consts.push(Const {
            name,
            ty,
            value,
            constraint,
            locals,
            span: span(),
        });
        (self.song.consts.len() - 1).into()
    }

    pub(crate) fn message(
        &mut self,
        name: &str,
        fields: &[(&str, Ty)],
        via: Option<Delivery>,
    ) -> MessageId {
        let voices = self.voices();
        let fields = fields.iter().map(|(name, ty)| binder(name, ty)).collect();
        voices.messages.push(Message {
            name: name.to_owned(),
            fields,
            delivery: via,
            measures: Default::default(),
            order: Default::default(),
            most: None,
            span: span(),
        });
        (voices.messages.len() - 1).into()
    }

    /// A family without code yet, so that others can name it.
    pub(crate) fn family(
        &mut self,
        name: &str,
        index: &[(&str, Ty)],
        vars: &[(&str, Expr)],
    ) -> FamilyId {
        let index: Vec<Binder> = index.iter().map(|(name, ty)| binder(name, ty)).collect();
        let locals: Vec<Local> = index
            .iter()
            .map(|one| Local {
                name: one.name.clone(),
                ty: one.ty.clone(),
                mutable: false,
                span: span(),
            })
            .collect();
        let vars = vars
            .iter()
            .map(|(name, start)| StateVar {
                name: (*name).to_owned(),
                ty: start.ty.clone(),
                start: StartValue::Value(start.clone()),
                locals: locals.clone(),
                durable: false,
                is_input: false,
                span: span(),
            })
            .collect();
        self.song.families.push(Family {
            name: name.to_owned(),
            index,
            vars,
            span: span(),
        });
        (self.song.families.len() - 1).into()
    }

    /// The locals of a family's code: its indices to begin with.
    pub(crate) fn locals(&self, family: FamilyId) -> Locals {
        let mut locals = Locals::default();
        for one in &self.song.families[family.index()].index {
            locals.add(&one.name, one.ty.clone());
        }
        locals
    }

    pub(crate) fn body(&mut self, family: FamilyId, locals: Locals, body: Block) {
        self.process(family, locals, false, Body::Sequential(body));
    }

    pub(crate) fn process(&mut self, family: FamilyId, locals: Locals, daemon: bool, body: Body) {
        self.voices().processes.push(Process {
            family,
            daemon,
            fairness: None,
            locals: locals.0,
            measures: Default::default(),
            order: Default::default(),
            body,
        });
    }

    pub(crate) fn voices(&mut self) -> &mut Voices {
        if self.song.system == System::None {
            self.song.system = System::Voices(Voices::default());
        }
        match &mut self.song.system {
            System::Voices(voices) => voices,
            _ => panic!("this song has another system"),
        }
    }

    pub(crate) fn actions(&mut self) -> &mut Actions {
        if self.song.system == System::None {
            self.song.system = System::Actions(Actions::default());
        }
        match &mut self.song.system {
            System::Actions(actions) => actions,
            _ => panic!("this song has another system"),
        }
    }

    pub(crate) fn global(&mut self, name: &str, start: Expr) {
        let ty = start.ty.clone();
        let (name, start, locals) = (name.to_owned(), StartValue::Value(start), Vec::new());
        self.actions().globals.push(Global {
            name,
            ty,
            start,
            locals,
            linear: false,
            share: None,
            layers: None,
            span: span(),
        });
    }

    pub(crate) fn action(&mut self, name: &str, arity: usize, locals: Locals, body: Block) {
        let code = Code {
            arity,
            locals: locals.0,
            body,
        };
        self.actions().actions.push(Action {
            name: name.to_owned(),
            code,
            role: Default::default(),
            span: span(),
        });
    }

    pub(crate) fn property(&mut self, name: &str, claim: Claim, locals: Locals) {
        self.song.properties.push(Property {
            name: name.to_owned(),
            is_invariant: false,
            engines: Vec::new(),
            sizes: Vec::new(),
            claim,
            locals: locals.0,
            span: span(),
        });
    }

    /// The only instance with these sizes.
    pub(crate) fn instance(self, sizes: &[(&str, i64)]) -> Instance {
        let mut instances = self.instances(sizes);
        assert_eq!(instances.len(), 1);
        instances.remove(0)
    }

    pub(crate) fn instances(self, sizes: &[(&str, i64)]) -> Vec<Instance> {
        let chosen = sizes
            .iter()
            .fold(Sizes::new(), |all, (name, size)| all.with(*name, *size));
        Instance::all(Arc::new(self.song), &chosen, &Bounds::default()).unwrap()
    }
}

fn binder(name: &str, ty: &Ty) -> Binder {
    Binder {
        name: name.to_owned(),
        ty: ty.clone(),
    }
}
