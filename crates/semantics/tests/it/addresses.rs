//! Process values: who sends, who is meant, who is nobody.

use crate::ask::*;
use crate::build::*;
use plainsong_ir::*;

/// A sort of the integers 1 to 2, a process for each, and one that talks to them.
fn numbered() -> (Builder, Ty, FamilyId, FamilyId) {
    let mut b = Builder::default();
    let bounds = Range {
        start: int(1),
        end: RangeEnd::With(int(2)),
    };
    let id = b.add_sort("Id", SortKind::Range(bounds));
    let one = b.family("one", &[], &[("x", int(0))]);
    let many = b.family("many", &[("i", id.clone())], &[]);
    (b, id, one, many)
}

#[test]
fn a_sender_that_does_not_exist_is_a_failure_even_without_messages() {
    let (mut b, id, one, many) = numbered();
    let m = b.message("M", &[], None);
    let nobody = pid(many, vec![narrow(int(3), id)]);
    b.body(
        one,
        Locals::default(),
        vec![receive(accept(m, &[], Source::Process(nobody)))],
    );
    let locals = b.locals(many);
    b.body(many, locals, vec![]);
    let report = ask(&b.instance(&[]));
    let trace = refutation(&report, "assertions");
    assert_eq!(labels(trace), ["M"]);
    assert_eq!(failure(trace).message, "3 is outside Id = 1..=2");
    assert_eq!(trace.events[0].message, None);
}

#[test]
fn a_receiver_that_does_not_exist_is_a_failure_of_the_send() {
    let (mut b, id, one, many) = numbered();
    let m = b.message("M", &[("n", Ty::Int)], None);
    let mut l = Locals::default();
    let i = l.add("i", Ty::Int);
    let to = pid(many, vec![narrow(plus(l.read(i), int(1)), id)]);
    let body = vec![for_(i, range(0, 3), vec![send(m, vec![l.read(i)], to)])];
    b.body(one, l, body);
    let locals = b.locals(many);
    b.body(many, locals, vec![]);
    let report = ask(&b.instance(&[]));
    let trace = refutation(&report, "assertions");
    assert_eq!(labels(trace), ["M(0)", "M(1)", "M"]);
    assert_eq!(trace.lanes, ["one", "many[1]", "many[2]"]);
    assert_eq!(trace.undelivered.len(), 2);
    assert_eq!(trace.undelivered[1].to, Some(2));
}

#[test]
fn processes_match_patterns_and_know_themselves() {
    let (mut b, id, one, many) = numbered();
    let m = b.message("M", &[("who", Ty::Process)], None);
    let mut l = Locals::default();
    let (who, i) = (l.add("who", Ty::Process), l.add("i", id.clone()));
    let pattern = |kind| Pattern { kind, span: span() };
    let member = pattern(PatternKind::Pid(many, vec![pattern(PatternKind::Bind(i))]));
    let widened = expr(ExprKind::Widen(Box::new(l.read(i))), Ty::Int);
    let arms = vec![
        (member, vec![set_own(0, plus(own(0, Ty::Int), widened))]),
        (pattern(PatternKind::Wild), vec![assert(no())]),
    ];
    let round = vec![
        receive(accept(m, &[Some(who)], any(many))),
        stmt(StmtKind::Match(l.read(who), arms)),
    ];
    b.body(one, l, [round.clone(), round].concat());
    let locals = b.locals(many);
    let myself = expr(ExprKind::SelfPid, Ty::Process);
    b.body(many, locals, vec![send(m, vec![myself], pid(one, vec![]))]);
    let claim = eq(of(one, vec![], 0, Ty::Int), int(3));
    b.property("both", Claim::Finally(claim), Locals::default());
    let report = ask(&b.instance(&[]));
    holds(&report, "both");
    holds(&report, "assertions");
}

#[test]
fn init_is_no_key_of_a_map_over_processes() {
    let mut b = Builder::default();
    let m = b.message("M", &[], None);
    let ty = Ty::Map(Box::new(Ty::Process), Box::new(Ty::Bool));
    let mut l = Locals::default();
    let k = l.add("k", Ty::Process);
    let nobody = expr(ExprKind::MapOf(k, Box::new(no())), ty.clone());
    let p = b.family("p", &[], &[("seen", nobody)]);
    b.song.families[0].vars[0].locals = l.0;
    let mut l = Locals::default();
    let who = l.add("who", Ty::Process);
    let path = vec![Access::Index(l.read(who))];
    let place = Place {
        root: Root::Own(VarId(0)),
        path,
        span: span(),
    };
    let body = vec![
        receive(accept(m, &[], Source::Anyone(Some(who)))),
        stmt(StmtKind::Assign(place, yes())),
    ];
    b.body(p, l, body);
    let init = vec![send(m, vec![], pid(p, vec![]))];
    b.voices().init = Some(Code {
        arity: 0,
        locals: vec![],
        body: init,
    });
    let report = ask(&b.instance(&[]));
    let trace = refutation(&report, "assertions");
    assert_eq!(failure(trace).message, "init is not a key of this map");
    assert_eq!(trace.start[0].after, "map {p => false}");
}

#[test]
fn the_same_question_gets_the_same_answer() {
    let report = || {
        let (mut b, _, one, many) = numbered();
        let m = b.message("M", &[], None);
        let round = receive(accept(m, &[], anyone()));
        b.body(
            one,
            Locals::default(),
            vec![round.clone(), round, assert(no())],
        );
        let locals = b.locals(many);
        b.body(many, locals, vec![send(m, vec![], pid(one, vec![]))]);
        b.instance(&[])
    };
    let instance = report();
    assert_eq!(ask(&instance), ask(&instance));
}
