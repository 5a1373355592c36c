//! What the validator accepts and what it does not.

use crate::make::*;
use plainsong_ir::validate::validate;
use plainsong_ir::*;

/// The first complaint about a song.
fn complaint(song: &Song) -> String {
    match validate(song) {
        Ok(()) => "nothing is wrong".to_owned(),
        Err(violations) => violations[0].to_string(),
    }
}

/// The first complaint about a function of no parameters with this body.
fn about(locals: Vec<Local>, body: Expr) -> String {
    let song = Song {
        functions: vec![function("f", 0, locals, body)],
        ..Song::default()
    };
    complaint(&song)
}

/// The first complaint about the lock after a change.
fn lock_with(change: impl FnOnce(&mut Song)) -> String {
    let mut song = lock();
    change(&mut song);
    complaint(&song)
}

/// The body of the lock's clients.
fn client_body(song: &mut Song) -> &mut Block {
    let System::Voices(voices) = &mut song.system else {
        panic!("the lock has processes")
    };
    match &mut voices.processes[1].body {
        Body::Sequential(body) => body,
        Body::Handlers(_) => panic!("clients have bodies"),
    }
}

#[test]
fn a_right_song_is_accepted() {
    assert_eq!(validate(&lock()), Ok(()));
    assert_eq!(validate(&Song::default()), Ok(()));
}

#[test]
fn violations_say_where_and_what() {
    let violations = validate(&action_song(vec![], vec![stmt(StmtKind::Break)])).unwrap_err();
    assert_eq!(violations[0].place, "action Act");
    assert_eq!(
        violations[0].to_string(),
        "action Act: a statement cannot stand here"
    );
}

#[test]
fn ids_are_in_range() {
    let missing_local = var(3, Ty::Int);
    assert_eq!(
        about(vec![], missing_local),
        "fn f: local 3 (?) is not bound here"
    );
    let constant = expr(ExprKind::Const(ConstId(1)), Ty::Int);
    assert_eq!(about(vec![], constant), "fn f: there is no such constant");
    let wrong = lock_with(|song| {
        let address = expr(ExprKind::SelfPid, Ty::Process);
        client_body(song).push(stmt(StmtKind::Send(MessageId(9), vec![], address)));
    });
    assert_eq!(wrong, "process client: there is no such message or action");
    let unknown = lock_with(|song| song.families[1].index[0].ty = Ty::Sort(SortId(4)));
    assert!(unknown.contains("there is no type sort_4"), "{unknown}");
}

#[test]
fn expressions_have_the_types_their_parts_give_them() {
    let lie = Expr {
        ty: Ty::Nat,
        ..binary(BinOp::Add, int(1), int(2))
    };
    assert_eq!(
        about(vec![], lie),
        "fn f: an expression says nat and is int"
    );
    let nat = expr(ExprKind::Int(1), Ty::Nat);
    let mixed = binary(BinOp::Add, int(1), nat.clone());
    assert_eq!(
        about(vec![], mixed),
        "fn f: the operator does not take int and nat"
    );
    let fine = binary(BinOp::Add, int(1), widen(nat.clone()));
    assert_eq!(about(vec![], fine), "nothing is wrong");
    assert!(about(vec![], widen(int(1))).contains("only nat and ranges are widened"));
    let minus = binary(BinOp::Sub, nat.clone(), nat);
    assert_eq!(
        about(vec![], minus),
        "fn f: the operator does not take nat and nat"
    );
    let negative = int(-1);
    assert!(about(vec![], negative).contains("a literal is not negative"));
    let member = binary(BinOp::In, int(1), literal(set(Ty::Nat), vec![]));
    assert_eq!(
        about(vec![], member),
        "fn f: a set<nat> does not contain a int"
    );
    let first = method(Builtin::First, vec![literal(set(Ty::Int), vec![])], Ty::Int);
    assert_eq!(
        about(vec![], first),
        "fn f: first does not take these arguments"
    );
}

#[test]
fn order_wants_an_ordered_type() {
    let less = binary(BinOp::Lt, truth(true), truth(false));
    assert_eq!(
        about(vec![], less),
        "fn f: the operator does not take bool and bool"
    );
}

#[test]
fn locals_are_used_where_they_are_bound() {
    let locals = || vec![local("x", Ty::Int), local("x", Ty::Int)];
    let bound = |body| {
        expr(
            ExprKind::Let(LocalId(0), Box::new(int(1)), Box::new(body)),
            Ty::Int,
        )
    };
    assert_eq!(about(locals(), bound(var(0, Ty::Int))), "nothing is wrong");
    let early = if_expr(truth(true), bound(int(2)), var(0, Ty::Int));
    assert_eq!(
        about(locals(), early),
        "fn f: local 0 (x) is not bound here"
    );
    let twice = if_expr(truth(true), bound(int(2)), bound(int(3)));
    assert_eq!(about(locals(), twice), "fn f: local 0 is bound twice");
}

#[test]
fn a_let_stands_in_branches_only() {
    let locals = vec![local("x", Ty::Int)];
    let block = expr(
        ExprKind::Let(LocalId(0), Box::new(int(1)), Box::new(var(0, Ty::Int))),
        Ty::Int,
    );
    let sum = binary(BinOp::Add, block, int(1));
    assert!(about(locals, sum).contains("an expression cannot stand here"));
}

#[test]
fn only_variables_are_assigned() {
    let song = |row: Local| {
        let set = assign(Root::Local(LocalId(0)), int(2));
        action_song(vec![row], vec![let_stmt(0, int(1)), set])
    };
    assert_eq!(complaint(&song(variable("x", Ty::Int))), "nothing is wrong");
    let wrong = complaint(&song(local("x", Ty::Int)));
    assert_eq!(wrong, "action Act: this cannot be assigned here");
    let foreign = lock_with(|song| {
        let index = vec![var(0, Ty::Sort(SortId(0)))];
        let root = Root::Of(FamilyId(1), index, VarId(0));
        client_body(song).push(assign(root, truth(true)));
    });
    assert_eq!(foreign, "process client: this cannot be assigned here");
}

#[test]
fn a_match_covers_every_case() {
    let arms = vec![(pattern(PatternKind::Bool(true)), int(1))];
    let partial = expr(ExprKind::Match(Box::new(truth(true)), arms), Ty::Int);
    assert_eq!(about(vec![], partial), "fn f: a match does not cover false");
}

#[test]
fn patterns_fit_what_they_match() {
    let arms = vec![
        (pattern(PatternKind::None), int(1)),
        (pattern(PatternKind::Wild), int(2)),
    ];
    let odd = expr(ExprKind::Match(Box::new(truth(true)), arms), Ty::Int);
    assert_eq!(about(vec![], odd), "fn f: a pattern does not fit bool");
}

#[test]
fn statements_stand_where_their_form_allows_them() {
    let async_in_body = lock_with(|song| {
        client_body(song).push(stmt(StmtKind::Async(ActionId(0), vec![])));
    });
    assert_eq!(
        async_in_body,
        "process client: a statement cannot stand here"
    );
    let endless = stmt(StmtKind::While(truth(true), LoopClauses::default(), vec![]));
    assert_eq!(
        complaint(&action_song(vec![], vec![endless])),
        "action Act: a statement cannot stand here"
    );
    let outside = lock_with(|song| client_body(song).push(stmt(StmtKind::Continue)));
    assert_eq!(outside, "process client: a statement cannot stand here");
    let handler_receives = lock_with(|song| {
        let System::Voices(voices) = &mut song.system else {
            return;
        };
        let granted = || accept(1, vec![], Source::Anyone(None));
        let body = vec![stmt(StmtKind::Receive(granted()))];
        voices.processes[1].body = Body::Handlers(vec![Handler {
            accept: granted(),
            body,
        }]);
    });
    assert_eq!(
        handler_receives,
        "process client: a statement cannot stand here"
    );
}

#[test]
fn expressions_stand_where_they_mean_something() {
    let old = expr(ExprKind::Old(Box::new(int(1))), Ty::Int);
    assert!(about(vec![], old).contains("an expression cannot stand here"));
    let pending = expr(ExprKind::Pending(PendingOf::All), Ty::Nat);
    assert!(about(vec![], pending).contains("an expression cannot stand here"));
    let me = expr(ExprKind::SelfPid, Ty::Process);
    assert!(about(vec![], me).contains("an expression cannot stand here"));
    let foreign = lock_with(|song| {
        let index = vec![var(0, Ty::Sort(SortId(0)))];
        let of = expr(ExprKind::Of(FamilyId(1), index, VarId(0)), Ty::Bool);
        client_body(song).push(stmt(StmtKind::Assert(of)));
    });
    assert!(
        foreign.contains("an expression cannot stand here"),
        "{foreign}"
    );
    assert_eq!(
        lock_with(|song| client_body(song).push(stmt(StmtKind::Assert(own(0, Ty::Bool))))),
        "nothing is wrong"
    );
}

#[test]
fn a_body_does_not_begin_with_a_variable() {
    let wrong = lock_with(|song| {
        client_body(song).insert(0, let_stmt(1, int(1)));
        let System::Voices(voices) = &mut song.system else {
            return;
        };
        voices.processes[1].locals.push(variable("n", Ty::Int));
    });
    assert_eq!(wrong, "process client: a body does not begin with `var`");
}

#[test]
fn names_can_be_names_and_differ() {
    let keyword = lock_with(|song| song.families[1].vars[0].name = "while".into());
    assert_eq!(keyword, "family client: `while` cannot be a name");
    let twice = lock_with(|song| song.families[0].name = "Client".into());
    assert_eq!(twice, "items: the name `Client` is used twice");
}

#[test]
fn types_that_must_be_listed_can_be() {
    let numbers = quantifier(Quantifier::Forall, 0, Ty::Int, truth(true));
    assert!(
        about(vec![local("n", Ty::Int)], numbers).contains("the values of int cannot be listed")
    );
    let index = lock_with(|song| {
        song.families[1].index[0].ty = Ty::Int;
        song.families[1].vars[0].locals[0].ty = Ty::Int;
    });
    assert!(
        index.contains("an index cannot have the type int"),
        "{index}"
    );
    let processes = lock_with(|song| song.families[1].index[0].ty = Ty::Process);
    assert!(
        processes.contains("an index cannot have the type process"),
        "{processes}"
    );
    let endless = lock_with(|song| {
        song.structs.push(structure(
            "Cell",
            vec![("next", option(Ty::Struct(StructId(0))))],
        ));
    });
    assert_eq!(endless, "struct Cell: a struct contains itself");
}

#[test]
fn families_and_their_tables_agree() {
    let stray = lock_with(|song| {
        let family = song.families[0].clone();
        song.families.push(family);
    });
    assert_eq!(
        stray,
        "families: families are those of the processes, then the endpoints"
    );
    let renamed = lock_with(|song| song.families[1].index[0].name = "d".into());
    assert!(
        renamed.contains("the first locals are the indices"),
        "{renamed}"
    );
}

#[test]
fn sizes_are_of_what_has_one() {
    let unknown = lock_with(|song| song.sizes.push(sizing("Server", 1, 2)));
    assert_eq!(unknown, "sizes: `Server` has no size to choose");
    let downwards = lock_with(|song| song.sizes.push(sizing("Client", 3, 2)));
    assert!(downwards.contains("go upwards"), "{downwards}");
}

#[test]
fn the_condition_of_a_choice_does_not_read_what_it_hides() {
    let filter = binary(BinOp::Gt, var(1, Ty::Int), var(0, Ty::Int));
    let choice = |name: &str| {
        let choice = Choice {
            local: LocalId(1),
            domain: Domain::Type(Ty::Int),
            filter: Some(filter.clone()),
        };
        let place = Place {
            root: Root::Local(LocalId(0)),
            path: vec![],
            span: Default::default(),
        };
        let body = vec![
            let_stmt(0, int(1)),
            stmt(StmtKind::AssignChoice(place, choice)),
        ];
        complaint(&action_song(
            vec![variable("x", Ty::Int), local(name, Ty::Int)],
            body,
        ))
    };
    assert!(choice("x").contains("cannot read what is assigned"));
    assert!(choice("y").contains("has another name than its variable"));
}
