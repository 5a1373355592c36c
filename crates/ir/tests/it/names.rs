//! Locals whose names are taken are printed under others.

use crate::make::*;
use plainsong_ir::*;

#[test]
fn a_local_that_would_hide_another_gets_a_number() {
    let locals = vec![
        local("x", Ty::Int),
        local("x", Ty::Int),
        local("x", Ty::Int),
    ];
    let body = vec![
        let_stmt(0, int(1)),
        let_stmt(1, binary(BinOp::Add, var(0, Ty::Int), int(1))),
        stmt(StmtKind::If(
            truth(true),
            vec![let_stmt(2, var(1, Ty::Int))],
            vec![],
        )),
    ];
    let text = print::song(&action_song(locals, body));
    assert!(text.contains("let x = 1;"), "{text}");
    assert!(text.contains("let x_1 = x + 1;"), "{text}");
    assert!(text.contains("let x_2 = x_1;"), "{text}");
}

#[test]
fn names_repeat_freely_where_they_do_not_meet() {
    let locals = vec![local("x", Ty::Int), local("x", Ty::Int)];
    let body = vec![stmt(StmtKind::If(
        truth(true),
        vec![let_stmt(0, int(1))],
        vec![let_stmt(1, int(2))],
    ))];
    let text = print::song(&action_song(locals, body));
    assert!(
        text.contains("let x = 1;") && text.contains("let x = 2;"),
        "{text}"
    );
}

#[test]
fn a_number_that_is_taken_is_passed_over() {
    let locals = vec![
        local("x", Ty::Int),
        local("x_1", Ty::Int),
        local("x", Ty::Int),
    ];
    let body = vec![
        let_stmt(0, int(1)),
        let_stmt(1, int(2)),
        let_stmt(2, int(3)),
    ];
    let text = print::song(&action_song(locals, body));
    assert!(text.contains("let x_2 = 3;"), "{text}");
}

#[test]
fn a_local_does_not_take_the_name_of_an_item() {
    let mut song = action_song(vec![local("N", Ty::Int), local("Yes", Ty::Int)], vec![]);
    song.consts.push(constant("N", int(3)));
    song.enums
        .push(enumeration("Vote", vec![variant("Yes", vec![])]));
    let n = || expr(ExprKind::Const(ConstId(0)), Ty::Int);
    if let System::Actions(actions) = &mut song.system {
        actions.actions[0].code.body = vec![
            let_stmt(0, n()),
            let_stmt(1, binary(BinOp::Add, n(), var(0, Ty::Int))),
        ];
    }
    let text = print::song(&song);
    assert!(text.contains("let N_1 = N;"), "{text}");
    assert!(text.contains("let Yes_1 = N + N_1;"), "{text}");
}

#[test]
fn an_index_is_named_alike_in_head_variables_and_body() {
    let mut song = lock();
    song.families[1].index[0].name = "server".into();
    song.families[1].vars[0].locals[0].name = "server".into();
    if let System::Voices(voices) = &mut song.system {
        voices.processes[1].locals[0].name = "server".into();
    }
    let text = print::song(&song);
    assert!(
        text.contains("process client[server_1: Client] {"),
        "{text}"
    );
    assert!(text.contains("send Acquire(server_1) to server;"), "{text}");
}

#[test]
fn the_candidate_of_a_choice_is_called_like_its_variable() {
    let locals = vec![
        variable("x", Ty::Int),
        variable("x", Ty::Int),
        local("x", Ty::Int),
    ];
    let choice = Choice {
        local: LocalId(2),
        domain: Domain::Type(Ty::Int),
        filter: Some(binary(BinOp::Gt, var(2, Ty::Int), var(0, Ty::Int))),
    };
    let place = Place {
        root: Root::Local(LocalId(1)),
        path: vec![],
        span: Default::default(),
    };
    let body = vec![
        let_stmt(0, int(1)),
        let_stmt(1, int(2)),
        stmt(StmtKind::AssignChoice(place, choice)),
    ];
    let song = action_song(locals, body);
    assert_eq!(validate::validate(&song), Ok(()));
    let text = print::song(&song);
    assert!(text.contains("x_1 = choose int where x_1 > x;"), "{text}");
}

#[test]
fn endpoints_of_several_choreographies_are_told_apart_in_properties() {
    let endpoint = || Family {
        name: "a".into(),
        index: vec![],
        vars: vec![state_var("v", int(0), vec![])],
        span: Default::default(),
    };
    let line = |name: &str, endpoint| Choreography {
        name: name.into(),
        endpoints: vec![endpoint],
        requires: vec![],
        ensures: vec![],
        code: Code::default(),
        kind: Default::default(),
        span: Default::default(),
    };
    let v = expr(ExprKind::Of(FamilyId(1), vec![], VarId(0)), Ty::Int);
    let property = Property {
        name: "p".into(),
        is_invariant: false,
        engines: vec![],
        sizes: vec![],
        claim: Claim::Finally(binary(BinOp::Eq, v, int(0))),
        locals: vec![],
        span: Default::default(),
    };
    let mut song = Song {
        families: vec![endpoint(), endpoint()],
        lines: vec![line("swap", FamilyId(0)), line("relay", FamilyId(1))],
        properties: vec![property],
        ..Song::default()
    };
    assert_eq!(validate::validate(&song), Ok(()));
    assert!(print::song(&song).contains("finally relay.a.v == 0;"));
    song.families[0].name = "b".into();
    assert!(print::song(&song).contains("finally a.v == 0;"));
}
