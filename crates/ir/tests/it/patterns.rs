//! Which patterns cover a type.

use crate::make::*;
use plainsong_ir::patterns::{is_useful, missing};
use plainsong_ir::*;

fn song() -> Song {
    Song {
        enums: vec![enumeration(
            "Reply",
            vec![
                variant("Free", vec![]),
                variant("Value", vec![Ty::Int, Ty::Bool]),
            ],
        )],
        structs: vec![structure(
            "Entry",
            vec![("term", Ty::Nat), ("ok", Ty::Bool)],
        )],
        ..lock()
    }
}

fn wild() -> Pattern {
    pattern(PatternKind::Wild)
}

fn truth(value: bool) -> Pattern {
    pattern(PatternKind::Bool(value))
}

fn some(inner: Pattern) -> Pattern {
    pattern(PatternKind::Some(Box::new(inner)))
}

fn none() -> Pattern {
    pattern(PatternKind::None)
}

fn value(parts: Vec<Pattern>) -> Pattern {
    pattern(PatternKind::Variant(EnumId(0), 1, parts))
}

fn free() -> Pattern {
    pattern(PatternKind::Variant(EnumId(0), 0, vec![]))
}

fn tuple(parts: Vec<Pattern>) -> Pattern {
    pattern(PatternKind::Tuple(parts))
}

fn example(ty: Ty, arms: Vec<Pattern>) -> Option<String> {
    missing(&song(), &ty, &arms.iter().collect::<Vec<_>>())
}

#[test]
fn covering_patterns_miss_nothing() {
    let reply = || Ty::Enum(EnumId(0));
    let pair = Ty::Tuple(vec![Ty::Bool, Ty::Bool]);
    let families = vec![
        pattern(PatternKind::Pid(FamilyId(0), vec![])),
        pattern(PatternKind::Pid(FamilyId(1), vec![wild()])),
    ];
    assert_eq!(example(Ty::Bool, vec![truth(true), truth(false)]), None);
    assert_eq!(
        example(
            option(Ty::Bool),
            vec![none(), some(truth(true)), some(wild())]
        ),
        None
    );
    assert_eq!(
        example(reply(), vec![free(), value(vec![wild(), wild()])]),
        None
    );
    assert_eq!(
        example(
            pair,
            vec![
                tuple(vec![truth(true), wild()]),
                tuple(vec![wild(), truth(true)]),
                tuple(vec![truth(false), truth(false)])
            ]
        ),
        None
    );
    assert_eq!(example(Ty::Process, families), None);
    assert_eq!(
        example(Ty::Int, vec![pattern(PatternKind::Int(3)), wild()]),
        None
    );
}

#[test]
fn what_is_missed_is_shown_as_a_pattern() {
    let some_text = |text: &str| Some(text.to_owned());
    let pair = Ty::Tuple(vec![Ty::Bool, option(Ty::Int)]);
    let entry = Ty::Struct(StructId(0));
    let strict = pattern(PatternKind::Struct(StructId(0), vec![wild(), truth(true)]));
    let server = pattern(PatternKind::Pid(FamilyId(0), vec![]));
    assert_eq!(example(Ty::Bool, vec![]), some_text("_"));
    assert_eq!(example(Ty::Bool, vec![truth(true)]), some_text("false"));
    assert_eq!(
        example(option(Ty::Bool), vec![none(), some(truth(true))]),
        some_text("some(false)")
    );
    assert_eq!(
        example(Ty::Enum(EnumId(0)), vec![free()]),
        some_text("Value(_, _)")
    );
    assert_eq!(
        example(
            Ty::Enum(EnumId(0)),
            vec![free(), value(vec![wild(), truth(true)])]
        ),
        some_text("Value(_, false)")
    );
    assert_eq!(
        example(
            pair,
            vec![
                tuple(vec![wild(), none()]),
                tuple(vec![truth(true), some(wild())])
            ]
        ),
        some_text("(false, some(_))")
    );
    assert_eq!(
        example(entry, vec![strict]),
        some_text("Entry { term: _, ok: false }")
    );
    assert_eq!(
        example(Ty::Nat, vec![pattern(PatternKind::Int(0))]),
        some_text("1")
    );
    assert_eq!(example(Ty::Process, vec![server]), some_text("client[_]"));
    assert_eq!(example(Ty::Sort(SortId(0)), vec![]), some_text("_"));
}

#[test]
fn an_arm_is_useful_if_the_others_leave_it_something() {
    let song = song();
    let (t, f, w) = (truth(true), truth(false), wild());
    assert!(is_useful(&song, &Ty::Bool, &[&t], &w));
    assert!(is_useful(&song, &Ty::Bool, &[&t], &f));
    assert!(!is_useful(&song, &Ty::Bool, &[&t, &f], &w));
    assert!(!is_useful(&song, &Ty::Bool, &[&w], &t));
    let three = pattern(PatternKind::Int(3));
    assert!(is_useful(&song, &Ty::Int, &[&three], &w));
    assert!(!is_useful(&song, &Ty::Int, &[&three, &three], &three));
    let (inner, any) = (some(truth(true)), some(wild()));
    assert!(is_useful(&song, &option(Ty::Bool), &[&inner], &any));
    assert!(!is_useful(&song, &option(Ty::Bool), &[&any], &inner));
}
