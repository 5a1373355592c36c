//! Short ways to make songs for tests.

use plainsong_ir::*;

pub(crate) fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: Default::default(),
    }
}

pub(crate) fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Default::default(),
    }
}

pub(crate) fn pattern(kind: PatternKind) -> Pattern {
    Pattern {
        kind,
        span: Default::default(),
    }
}

pub(crate) fn int(value: i64) -> Expr {
    expr(ExprKind::Int(value), Ty::Int)
}

pub(crate) fn truth(value: bool) -> Expr {
    expr(ExprKind::Bool(value), Ty::Bool)
}

pub(crate) fn var(at: u32, ty: Ty) -> Expr {
    expr(ExprKind::Local(LocalId(at)), ty)
}

pub(crate) fn own(at: u32, ty: Ty) -> Expr {
    expr(ExprKind::Own(VarId(at)), ty)
}

pub(crate) fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    let ty = match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => a.ty.clone(),
        BinOp::Union | BinOp::Inter => a.ty.clone(),
        _ => Ty::Bool,
    };
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
}

pub(crate) fn unary(op: UnOp, a: Expr) -> Expr {
    let ty = a.ty.clone();
    expr(ExprKind::Unary(op, Box::new(a)), ty)
}

pub(crate) fn if_expr(condition: Expr, yes: Expr, no: Expr) -> Expr {
    let ty = yes.ty.clone();
    expr(
        ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no)),
        ty,
    )
}

pub(crate) fn widen(value: Expr) -> Expr {
    expr(ExprKind::Widen(Box::new(value)), Ty::Int)
}

pub(crate) fn set(element: Ty) -> Ty {
    Ty::Set(Box::new(element))
}

pub(crate) fn option(inner: Ty) -> Ty {
    Ty::Option(Box::new(inner))
}

pub(crate) fn literal(ty: Ty, elements: Vec<Expr>) -> Expr {
    expr(ExprKind::Literal(elements), ty)
}

pub(crate) fn method(builtin: Builtin, arguments: Vec<Expr>, ty: Ty) -> Expr {
    expr(ExprKind::Method(builtin, arguments), ty)
}

pub(crate) fn quantifier(of: Quantifier, name: u32, over: Ty, body: Expr) -> Expr {
    let binding = Binding {
        names: vec![LocalId(name)],
        domain: Domain::Type(over),
        filter: None,
    };
    expr(
        ExprKind::Quantifier(of, vec![binding], Box::new(body)),
        Ty::Bool,
    )
}

pub(crate) fn local(name: &str, ty: Ty) -> Local {
    Local {
        name: name.to_owned(),
        ty,
        mutable: false,
        span: Default::default(),
    }
}

pub(crate) fn variable(name: &str, ty: Ty) -> Local {
    Local {
        mutable: true,
        ..local(name, ty)
    }
}

pub(crate) fn let_stmt(local: u32, value: Expr) -> Stmt {
    stmt(StmtKind::Let(LocalId(local), value))
}

pub(crate) fn assign(root: Root, value: Expr) -> Stmt {
    let place = Place {
        root,
        path: Vec::new(),
        span: Default::default(),
    };
    stmt(StmtKind::Assign(place, value))
}

pub(crate) fn sort(name: &str) -> SortDecl {
    let kind = SortKind::Identities { ordered: false };
    SortDecl {
        name: name.to_owned(),
        kind,
        span: Default::default(),
    }
}

pub(crate) fn variant(name: &str, fields: Vec<Ty>) -> Variant {
    Variant {
        name: name.to_owned(),
        fields,
    }
}

pub(crate) fn enumeration(name: &str, variants: Vec<Variant>) -> EnumDecl {
    EnumDecl {
        splits: None,
        name: name.to_owned(),
        variants,
        span: Default::default(),
    }
}

pub(crate) fn structure(name: &str, fields: Vec<(&str, Ty)>) -> StructDecl {
    let fields = fields
        .into_iter()
        .map(|(name, ty)| (name.to_owned(), ty))
        .collect();
    StructDecl {
        name: name.to_owned(),
        fields,
        span: Default::default(),
    }
}

pub(crate) fn constant(name: &str, value: Expr) -> Const {
    Const {
        name: name.to_owned(),
        ty: value.ty.clone(),
        value: Some(value),
        constraint: None,
        locals: Vec::new(),
        span: Default::default(),
    }
}

pub(crate) fn binder(name: &str, ty: Ty) -> Binder {
    Binder {
        name: name.to_owned(),
        ty,
    }
}

pub(crate) fn state_var(name: &str, value: Expr, locals: Vec<Local>) -> StateVar {
    StateVar {
        name: name.to_owned(),
        ty: value.ty.clone(),
        start: StartValue::Value(value),
        locals,
        durable: false,
        is_input: false,
        span: Default::default(),
    }
}

pub(crate) fn message(name: &str, fields: Vec<Binder>, delivery: Option<Delivery>) -> Message {
    Message {
        name: name.to_owned(),
        fields,
        delivery,
        measures: Default::default(),
        order: Default::default(),
        most: None,
        span: Default::default(),
    }
}

pub(crate) fn accept(message: u32, slots: Vec<Option<LocalId>>, source: Source) -> Accept {
    let message = MessageId(message);
    Accept {
        message,
        slots,
        source,
        filter: None,
        span: Default::default(),
    }
}

/// A function of these locals, of which the first `arity` are parameters.
pub(crate) fn function(name: &str, arity: usize, locals: Vec<Local>, body: Expr) -> Function {
    Function {
        name: name.to_owned(),
        arity,
        locals,
        contract: Default::default(),
        result: body.ty.clone(),
        body: Some(body),
        at: None,
        span: Default::default(),
    }
}

/// A song with one action without parameters.
pub(crate) fn action_song(locals: Vec<Local>, body: Block) -> Song {
    let code = Code {
        arity: 0,
        locals,
        body,
    };
    let action = Action {
        name: "Act".to_owned(),
        code,
        role: Default::default(),
        span: Default::default(),
    };
    let system = System::Actions(Actions {
        actions: vec![action],
        ..Actions::default()
    });
    Song {
        system,
        ..Song::default()
    }
}

/// One lock server and a family of clients: the first example of the language reference.
pub(crate) fn lock() -> Song {
    let client = Ty::Sort(SortId(0));
    let client_row = || local("c", client.clone());
    let pid = |family, index| expr(ExprKind::Pid(FamilyId(family), index), Ty::Process);
    let server_body = vec![stmt(StmtKind::For {
        local: LocalId(0),
        domain: Domain::In(expr(ExprKind::All(client.clone()), set(client.clone()))),
        filter: None,
        clauses: LoopClauses::default(),
        body: vec![
            stmt(StmtKind::Receive(accept(
                0,
                vec![Some(LocalId(1))],
                Source::Family(FamilyId(1), vec![], None),
            ))),
            stmt(StmtKind::Send(
                MessageId(1),
                vec![],
                pid(1, vec![var(1, client.clone())]),
            )),
            stmt(StmtKind::Receive(accept(
                2,
                vec![],
                Source::Process(pid(1, vec![var(1, client.clone())])),
            ))),
        ],
    })];
    let client_body = vec![
        stmt(StmtKind::Send(
            MessageId(0),
            vec![var(0, client.clone())],
            pid(0, vec![]),
        )),
        stmt(StmtKind::Receive(accept(
            1,
            vec![],
            Source::Process(pid(0, vec![])),
        ))),
        assign(Root::Own(VarId(0)), truth(true)),
        assign(Root::Own(VarId(0)), truth(false)),
        stmt(StmtKind::Send(MessageId(2), vec![], pid(0, vec![]))),
    ];
    let families = vec![
        Family {
            name: "server".into(),
            index: vec![],
            vars: vec![],
            span: Default::default(),
        },
        Family {
            name: "client".into(),
            index: vec![binder("c", client.clone())],
            vars: vec![state_var("in_section", truth(false), vec![client_row()])],
            span: Default::default(),
        },
    ];
    let processes = vec![
        Process {
            family: FamilyId(0),
            daemon: false,
            fairness: None,
            locals: vec![local("c", client.clone()), local("who", client.clone())],
            measures: Default::default(),
            order: Default::default(),
            body: Body::Sequential(server_body),
        },
        Process {
            family: FamilyId(1),
            daemon: false,
            fairness: None,
            locals: vec![client_row()],
            measures: Default::default(),
            order: Default::default(),
            body: Body::Sequential(client_body),
        },
    ];
    let messages = vec![
        message("Acquire", vec![binder("from", client.clone())], None),
        message("Granted", vec![], None),
        message("Release", vec![], Some(Delivery::Causal)),
    ];
    let in_section = |at| {
        expr(
            ExprKind::Of(FamilyId(1), vec![var(at, client.clone())], VarId(0)),
            Ty::Bool,
        )
    };
    let equal = binary(BinOp::Eq, var(0, client.clone()), var(1, client.clone()));
    let both = binary(BinOp::And, in_section(0), in_section(1));
    let binding = Binding {
        names: vec![LocalId(0), LocalId(1)],
        domain: Domain::Type(client.clone()),
        filter: None,
    };
    let body = Box::new(binary(BinOp::Implies, both, equal));
    let exclusive = expr(
        ExprKind::Quantifier(Quantifier::Forall, vec![binding], body),
        Ty::Bool,
    );
    Song {
        sorts: vec![sort("Client")],
        families,
        system: System::Voices(Voices {
            messages,
            processes,
            init: None,
            faults: Vec::new(),
            sequences: Vec::new(),
        }),
        properties: vec![Property {
            name: "exclusive".into(),
            is_invariant: false,
            engines: vec!["explore".into()],
            sizes: vec![sizing("Client", 2, 3)],
            claim: Claim::Always(exclusive),
            locals: vec![local("a", client.clone()), local("b", client)],
            span: Default::default(),
        }],
        ..Song::default()
    }
}

pub(crate) fn sizing(name: &str, low: i64, high: i64) -> Sizing {
    Sizing {
        name: name.to_owned(),
        low,
        high,
        span: Default::default(),
    }
}
