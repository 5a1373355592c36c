//! Sizes, parameters and what is wrong with them.

use crate::build::*;
use plainsong_ir::*;
use plainsong_semantics::instance::{Instance, InstanceError};
use plainsong_semantics::machine::Subject;
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::value::Value;
use std::sync::Arc;

fn instantiate(b: Builder, sizes: &[(&str, i64)]) -> Result<Vec<Instance>, InstanceError> {
    let chosen = sizes
        .iter()
        .fold(Sizes::new(), |all, (name, size)| all.with(*name, *size));
    Instance::all(Arc::new(b.song), &chosen, &Bounds::default())
}

fn refused(b: Builder, sizes: &[(&str, i64)]) -> (String, Option<String>) {
    let error = instantiate(b, sizes).unwrap_err();
    (error.message, error.help)
}

/// `param N: nat where N >= 1; sort Slot = 0..N; sort Db; sort Round = 1..; const LIMIT = N + 1;`
fn slots() -> Builder {
    let mut b = Builder::default();
    let n = ConstId(0);
    let slot = Range {
        start: int(0),
        end: RangeEnd::Before(constant(n, Ty::Int)),
    };
    b.add_sort("Slot", SortKind::Range(slot));
    b.sort("Db");
    b.add_sort(
        "Round",
        SortKind::Range(Range {
            start: int(1),
            end: RangeEnd::Open,
        }),
    );
    let positive = is(BinOp::Ge, constant(n, Ty::Nat), int(1));
    b.param("N", Ty::Nat, Some(positive));
    b.add_const(
        "LIMIT",
        Ty::Int,
        Some(plus(constant(n, Ty::Int), int(1))),
        None,
    );
    b
}

#[test]
fn parameters_that_are_not_chosen_take_every_value() {
    let instances = instantiate(slots(), &[]).unwrap();
    let sizes: Vec<usize> = instances.iter().map(|one| one.size(SortId(0))).collect();
    assert_eq!(sizes, [1, 2, 3]);
    let bound = instances[2].bound();
    let bound: Vec<String> = bound
        .iter()
        .map(|(name, text)| format!("{name}={text}"))
        .collect();
    assert_eq!(bound, ["Db=2", "N=3", "Round=2", "nat=0..=3"]);
}

#[test]
fn chosen_sizes_and_values() {
    let instances = instantiate(slots(), &[("N", 5), ("Db", 3), ("Round", 4)]).unwrap();
    let [one] = &instances[..] else {
        panic!("{}", instances.len())
    };
    assert_eq!(one.range(SortId(0)), (0, 4));
    assert_eq!(one.size(SortId(1)), 3);
    assert_eq!(one.range(SortId(2)), (1, 4));
    assert_eq!(*one.constant(ConstId(1)), Value::Int(6));
    assert!(!one.bound().contains_key("nat"));
}

#[test]
fn wrong_sizes_are_refused_with_help() {
    let help = |text: &str| Some(text.to_owned());
    let (message, near) = refused(slots(), &[("Bd", 3)]);
    assert_eq!(message, "there is no sort or parameter `Bd`");
    assert_eq!(near, help("did you mean `Db`?"));
    let (message, near) = refused(slots(), &[("Zebra", 3)]);
    assert_eq!(message, "there is no sort or parameter `Zebra`");
    assert_eq!(near, help("these take a size or value: Db, Round, N"));
    assert_eq!(
        refused(slots(), &[("Db", 0)]).0,
        "the size of `Db` cannot be 0"
    );
    assert_eq!(
        refused(slots(), &[("Db", -3)]).0,
        "the size of `Db` cannot be -3"
    );
    assert_eq!(refused(slots(), &[("N", 0)]).0, "`N` cannot be 0");
    assert_eq!(
        refused(slots(), &[("N", -1)]).0,
        "`N` cannot be -1: it is a nat"
    );
    assert_eq!(
        refused(slots(), &[("Slot", 3)]).0,
        "the size of `Slot` is what its bounds say"
    );
    assert_eq!(
        refused(slots(), &[("LIMIT", 3)]).0,
        "`LIMIT` is a constant: it has its value"
    );
    assert_eq!(
        refused(slots(), &[("N", 5_000_000)]).0,
        "`Slot` has 5000000 members: too many"
    );
    assert_eq!(
        refused(slots(), &[("Db", i64::MAX)]).0,
        format!("`Db` has {} members: too many", i64::MAX)
    );
    assert_eq!(
        refused(slots(), &[("Round", i64::MAX)]).0,
        format!("`Round` has {} members: too many", i64::MAX)
    );
}

#[test]
fn a_range_may_not_be_empty() {
    let mut b = Builder::default();
    b.add_sort(
        "Slot",
        SortKind::Range(Range {
            start: int(3),
            end: RangeEnd::With(int(2)),
        }),
    );
    assert_eq!(refused(b, &[]).0, "`Slot` = 3..=2 has no members");
}

/// `sort Slot = 0..N;` is a sort from `N = 1` on.
#[test]
fn values_of_parameters_that_leave_a_sort_empty_are_not_tried() {
    let song = || {
        let mut b = Builder::default();
        let n = ConstId(0);
        let slot = Range {
            start: int(0),
            end: RangeEnd::Before(constant(n, Ty::Int)),
        };
        b.add_sort("Slot", SortKind::Range(slot));
        b.param("N", Ty::Nat, None);
        b
    };
    let instances = instantiate(song(), &[]).unwrap();
    let sizes: Vec<usize> = instances.iter().map(|one| one.size(SortId(0))).collect();
    assert_eq!(sizes, [1, 2, 3]);
    let refused = refused(song(), &[("N", 0)]).0;
    assert_eq!(refused, "`Slot` = 0..=-1 has no members");
}

#[test]
fn declarations_that_need_themselves_are_refused() {
    let mut b = Builder::default();
    let slots = all(Ty::Sort(SortId(0)));
    let size = method(Builtin::Len, vec![slots], Ty::Int);
    b.add_sort(
        "Slot",
        SortKind::Range(Range {
            start: int(0),
            end: RangeEnd::Before(constant(ConstId(0), Ty::Int)),
        }),
    );
    b.add_const("N", Ty::Int, Some(size), None);
    assert_eq!(refused(b, &[]).0, "`Slot` depends on itself");
    let mut b = Builder::default();
    b.add_const(
        "N",
        Ty::Int,
        Some(plus(constant(ConstId(0), Ty::Int), int(1))),
        None,
    );
    assert_eq!(refused(b, &[]).0, "`N` depends on itself");
}

#[test]
fn a_long_chain_of_constants_is_no_problem() {
    let mut b = Builder::default();
    for at in 0..20_000usize {
        let next = plus(constant((at + 1).into(), Ty::Int), int(1));
        let value = if at == 19_999 { int(0) } else { next };
        b.add_const(&format!("c{at}"), Ty::Int, Some(value), None);
    }
    let instance = &instantiate(b, &[]).unwrap()[0];
    assert_eq!(*instance.constant(ConstId(0)), Value::Int(19_999));
}

#[test]
fn parameters_of_other_types() {
    let mut b = Builder::default();
    let db = b.sort("Db");
    b.param("root", db.clone(), None);
    b.param("fast", Ty::Bool, None);
    assert_eq!(instantiate(b, &[("Db", 3)]).unwrap().len(), 6);
    let with = |sizes: &[(&str, i64)]| {
        let mut b = Builder::default();
        let db = b.sort("Db");
        b.param("root", db, None);
        b.param("fast", Ty::Bool, None);
        b.param("o", Ty::Option(Box::new(Ty::Bool)), None);
        instantiate(b, sizes).map_err(|error| error.message)
    };
    assert_eq!(with(&[("root", 1), ("fast", 1)]).unwrap().len(), 3);
    assert_eq!(
        with(&[("root", 2)]).unwrap_err(),
        "`root` cannot be 2: the members of Db are 0..=1"
    );
    assert_eq!(
        with(&[("fast", 2)]).unwrap_err(),
        "`fast` cannot be 2: 0 stands for false, 1 for true"
    );
    assert_eq!(
        with(&[("o", 1)]).unwrap_err(),
        "the value of `o` is not a number"
    );
}

#[test]
fn too_many_parameters_processes_or_values() {
    let mut b = Builder::default();
    for name in ["a", "b", "c", "d", "e", "f"] {
        b.param(name, Ty::Int, None);
    }
    assert_eq!(
        refused(b, &[]).0,
        "there are too many values of the parameters to try"
    );
    let mut b = Builder::default();
    let db = b.sort("Db");
    let set = Ty::Set(Box::new(Ty::Set(Box::new(Ty::Set(Box::new(db))))));
    b.param("s", set, None);
    let (message, _) = refused(b, &[("Db", 3)]);
    assert!(
        message.starts_with("the values of `s` cannot all be tried: this type has"),
        "{message}"
    );
    let mut b = Builder::default();
    let db = b.sort("Db");
    let grid = b.family("cell", &[("r", db.clone()), ("c", db)], &[]);
    b.body(grid, Locals::default(), vec![]);
    assert_eq!(
        refused(b, &[("Db", 101)]).0,
        "with `cell` there are 10201 processes: too many"
    );
    let mut b = Builder::default();
    let far = is(BinOp::Lt, constant(ConstId(0), Ty::Int), int(-5_000));
    b.param("N", Ty::Int, Some(far));
    assert_eq!(
        refused(b, &[]).0,
        "no value of `N` that is tried is allowed"
    );
}

#[test]
fn where_no_small_value_is_allowed_the_nearest_is_taken() {
    let mut b = Builder::default();
    let large = is(BinOp::Lt, constant(ConstId(0), Ty::Int), int(-5));
    b.param("N", Ty::Int, Some(large));
    let all = instantiate(b, &[]).expect("there is one");
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].constant(ConstId(0)), &Value::Int(-6));
}

#[test]
fn members_are_named_by_their_indices() {
    let mut b = Builder::default();
    let db = b.sort("Db");
    let one = b.family("coordinator", &[], &[]);
    let grid = b.family("cell", &[("r", db.clone()), ("up", Ty::Bool)], &[]);
    b.body(one, Locals::default(), vec![]);
    let locals = b.locals(grid);
    b.body(grid, locals, vec![]);
    let instance = b.instance(&[]);
    let names: Vec<&str> = instance
        .members()
        .iter()
        .map(|member| &*member.name)
        .collect();
    assert_eq!(
        names,
        [
            "coordinator",
            "cell[0, false]",
            "cell[0, true]",
            "cell[1, false]",
            "cell[1, true]"
        ]
    );
    assert_eq!(
        instance.member(grid, &[Value::Id(1), Value::Bool(false)]),
        3
    );
    assert_eq!(instance.lanes(Subject::System), 0..5);
}

#[test]
fn sizings_combine() {
    let sizing = |name: &str, low, high| Sizing {
        name: name.to_owned(),
        low,
        high,
        span: span(),
    };
    let all = Sizes::combinations(&[sizing("Db", 9, 9), sizing("N", 1, 1), sizing("Db", 2, 4)]);
    let pairs: Vec<_> = all
        .iter()
        .map(|sizes| (sizes.get("Db"), sizes.get("N")))
        .collect();
    assert_eq!(
        pairs,
        [(Some(2), Some(1)), (Some(3), Some(1)), (Some(4), Some(1))]
    );
    assert!(Sizes::combinations(&[sizing("Db", 3, 1)]).is_empty());
}

#[test]
fn processes_can_be_parameters_but_not_indices() {
    let mut b = Builder::default();
    let db = b.sort("Db");
    let one = b.family("leader", &[], &[]);
    let many = b.family("db", &[("d", db)], &[]);
    b.param("first", Ty::Process, None);
    b.body(one, Locals::default(), vec![]);
    let locals = b.locals(many);
    b.body(many, locals, vec![]);
    let instances = instantiate(b, &[]).unwrap();
    let shown: Vec<String> = instances
        .iter()
        .map(|one| one.bound()["first"].clone())
        .collect();
    assert_eq!(shown, ["leader", "db[0]", "db[1]"]);
    let mut b = Builder::default();
    let p = b.family("p", &[("q", Ty::Process)], &[]);
    let locals = b.locals(p);
    b.body(p, locals, vec![]);
    assert_eq!(refused(b, &[]).0, "`p` cannot be indexed by processes");
}
