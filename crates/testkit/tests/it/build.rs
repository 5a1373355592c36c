//! Songs built by hand, without a text: just enough to write small programs briefly.

use plainsong_diagnostics::Span;
use plainsong_ir::{
    Accept, BinOp, Binder, Block, Body, Choice, Code, Delivery, Domain, Expr, ExprKind, Family,
    FamilyId, Handler, Local, LocalId, LoopClauses, Message, MessageId, Place, Process, Root, Song,
    Source, StartValue, StateVar, Stmt, StmtKind, System, Ty, VarId, Voices,
};

/// The one kind of message most programs here have: it carries an integer.
pub(crate) const M: MessageId = MessageId(0);

/// A song of processes in the making.
pub(crate) struct Band {
    pub(crate) song: Song,
    voices: Voices,
}

impl Band {
    /// Processes of the given names, none of which does anything yet, and the message [`M`].
    pub(crate) fn new(names: &[&str]) -> Band {
        let mut band = Band {
            song: Song::default(),
            voices: Voices::default(),
        };
        for name in names {
            band.family(name, &[]);
        }
        band.message("M", None);
        band
    }

    /// One more kind of message; it carries an integer too.
    pub(crate) fn message(&mut self, name: &str, delivery: Option<Delivery>) -> MessageId {
        let fields = vec![Binder {
            name: "n".to_string(),
            ty: Ty::Int,
        }];
        let span = Span::default();
        self.voices.messages.push(Message {
            name: name.to_string(),
            fields,
            delivery,
            measures: Default::default(),
            order: Default::default(),
            most: None,
            span,
        });
        MessageId::from(self.voices.messages.len() - 1)
    }

    /// One more process, or a family of them.
    pub(crate) fn family(&mut self, name: &str, index: &[Ty]) -> FamilyId {
        let binder = |ty: &Ty| Binder {
            name: "i".to_string(),
            ty: ty.clone(),
        };
        let index: Vec<Binder> = index.iter().map(binder).collect();
        let locals = index.iter().map(|binder| local_row(&binder.ty)).collect();
        let name = name.to_string();
        self.song.families.push(Family {
            name,
            index,
            vars: Vec::new(),
            span: Span::default(),
        });
        let family = FamilyId::from(self.song.families.len() - 1);
        let body = Body::Sequential(Vec::new());
        self.voices.processes.push(Process {
            family,
            daemon: false,
            fairness: None,
            locals,
            measures: Default::default(),
            order: Default::default(),
            body,
        });
        family
    }

    /// Gives a process its body.
    pub(crate) fn body(&mut self, process: u32, body: Block) -> &mut Band {
        self.process(process).body = Body::Sequential(body);
        self
    }

    /// Gives a process its handlers.
    pub(crate) fn handlers(&mut self, process: u32, handlers: Vec<(Accept, Block)>) -> &mut Band {
        let handlers = handlers
            .into_iter()
            .map(|(accept, body)| Handler { accept, body });
        self.process(process).body = Body::Handlers(handlers.collect());
        self
    }

    /// Gives a process a state variable.
    pub(crate) fn var(&mut self, process: u32, ty: Ty, start: StartValue) -> VarId {
        let vars = &mut self.song.families[process as usize].vars;
        let name = format!("v{}", vars.len());
        vars.push(StateVar {
            name,
            ty,
            start,
            locals: Vec::new(),
            durable: false,
            is_input: false,
            span: Span::default(),
        });
        VarId::from(vars.len() - 1)
    }

    pub(crate) fn daemon(&mut self, process: u32) -> &mut Band {
        self.process(process).daemon = true;
        self
    }

    pub(crate) fn init(&mut self, body: Block) -> &mut Band {
        self.voices.init = Some(Code {
            arity: 0,
            locals: Vec::new(),
            body,
        });
        self
    }

    pub(crate) fn done(mut self) -> Song {
        self.song.system = System::Voices(self.voices);
        self.song
    }

    fn process(&mut self, process: u32) -> &mut Process {
        &mut self.voices.processes[process as usize]
    }
}

fn local_row(ty: &Ty) -> Local {
    Local {
        name: "l".to_string(),
        ty: ty.clone(),
        mutable: false,
        span: Span::default(),
    }
}

pub(crate) fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

pub(crate) fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::default(),
    }
}

pub(crate) fn int(n: i64) -> Expr {
    expr(ExprKind::Int(n), Ty::Int)
}

pub(crate) fn truth(b: bool) -> Expr {
    expr(ExprKind::Bool(b), Ty::Bool)
}

/// A local of type `int`.
pub(crate) fn name(local: u32) -> Expr {
    typed(local, Ty::Int)
}

pub(crate) fn typed(local: u32, ty: Ty) -> Expr {
    expr(ExprKind::Local(LocalId(local)), ty)
}

pub(crate) fn own(var: VarId, ty: Ty) -> Expr {
    expr(ExprKind::Own(var), ty)
}

pub(crate) fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
    let ty = match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => left.ty.clone(),
        _ => Ty::Bool,
    };
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty)
}

pub(crate) fn is(left: Expr, right: i64) -> Expr {
    binary(BinOp::Eq, left, int(right))
}

/// The identity of a process that is not a family.
pub(crate) fn pid(process: u32) -> Expr {
    member(process, Vec::new())
}

pub(crate) fn member(process: u32, index: Vec<Expr>) -> Expr {
    expr(ExprKind::Pid(FamilyId(process), index), Ty::Process)
}

/// The integers from `start` up to, not including, `end`.
pub(crate) fn range(start: i64, end: i64) -> Expr {
    let (start, end) = (Box::new(int(start)), Box::new(int(end)));
    let kind = ExprKind::Range {
        start,
        end,
        inclusive: false,
    };
    expr(kind, Ty::Set(Box::new(Ty::Int)))
}

/// Sends [`M`].
pub(crate) fn send(n: i64, to: u32) -> Stmt {
    send_kind(M, int(n), pid(to))
}

pub(crate) fn send_kind(message: MessageId, n: Expr, to: Expr) -> Stmt {
    stmt(StmtKind::Send(message, vec![n], to))
}

/// `message(slot) from source where filter`.
pub(crate) fn accept(
    message: MessageId,
    slot: Option<u32>,
    source: Source,
    filter: Option<Expr>,
) -> Accept {
    let slots = vec![slot.map(LocalId)];
    Accept {
        message,
        slots,
        source,
        filter,
        span: Span::default(),
    }
}

/// Any [`M`] from anyone.
pub(crate) fn any() -> Accept {
    accept(M, None, Source::Anyone(None), None)
}

/// Any [`M`] from anyone, naming its number.
pub(crate) fn named(slot: u32) -> Accept {
    accept(M, Some(slot), Source::Anyone(None), None)
}

/// An [`M`] that carries `n`; the name is not for other uses.
pub(crate) fn only(n: i64) -> Accept {
    accept(M, Some(90), Source::Anyone(None), Some(is(name(90), n)))
}

pub(crate) fn from(process: u32) -> Accept {
    accept(M, None, Source::Process(pid(process)), None)
}

pub(crate) fn receive(accept: Accept) -> Stmt {
    stmt(StmtKind::Receive(accept))
}

/// Receives or not; what is done after receiving.
pub(crate) fn poll(accept: Accept, then: Block) -> Stmt {
    select(vec![(accept, then)], Some(Vec::new()))
}

pub(crate) fn select(arms: Vec<(Accept, Block)>, timeout: Option<Block>) -> Stmt {
    stmt(StmtKind::Select(arms, timeout))
}

pub(crate) fn assert(condition: Expr) -> Stmt {
    stmt(StmtKind::Assert(condition))
}

pub(crate) fn assume(condition: Expr) -> Stmt {
    stmt(StmtKind::Assume(condition))
}

pub(crate) fn when(condition: Expr, then: Block) -> Stmt {
    stmt(StmtKind::If(condition, then, Vec::new()))
}

pub(crate) fn maybe(then: Block, otherwise: Block) -> Stmt {
    stmt(StmtKind::Maybe(then, otherwise))
}

pub(crate) fn repeat(condition: Expr, body: Block) -> Stmt {
    stmt(StmtKind::While(condition, LoopClauses::default(), body))
}

pub(crate) fn for_each(local: u32, domain: Domain, body: Block) -> Stmt {
    let (local, clauses) = (LocalId(local), LoopClauses::default());
    stmt(StmtKind::For {
        local,
        domain,
        filter: None,
        clauses,
        body,
    })
}

pub(crate) fn set(root: Root, value: Expr) -> Stmt {
    let place = Place {
        root,
        path: Vec::new(),
        span: Span::default(),
    };
    stmt(StmtKind::Assign(place, value))
}

/// `let local = choose domain where filter;`
pub(crate) fn choose(local: u32, domain: Domain, filter: Option<Expr>) -> Stmt {
    stmt(StmtKind::LetChoice(choice(local, domain, filter)))
}

pub(crate) fn choice(local: u32, domain: Domain, filter: Option<Expr>) -> Choice {
    Choice {
        local: LocalId(local),
        domain,
        filter,
    }
}

/// The same statement several times.
pub(crate) fn times(n: usize, statement: &Stmt) -> Block {
    vec![statement.clone(); n]
}
