//! Which types can be listed and ordered.

use crate::make::*;
use plainsong_ir::finite::*;
use plainsong_ir::*;

fn song() -> Song {
    let range = |name: &str| {
        let range = Range {
            start: int(0),
            end: RangeEnd::Before(int(3)),
        };
        SortDecl {
            kind: SortKind::Range(range),
            ..sort(name)
        }
    };
    let ordered = SortDecl {
        kind: SortKind::Identities { ordered: true },
        ..sort("Node")
    };
    Song {
        sorts: vec![sort("Db"), ordered, range("Slot")],
        enums: vec![
            enumeration("Plain", vec![variant("A", vec![Ty::Bool])]),
            enumeration("Wide", vec![variant("B", vec![Ty::Int])]),
            enumeration(
                "Endless",
                vec![variant("C", vec![option(Ty::Enum(EnumId(2)))])],
            ),
        ],
        structs: vec![structure("Holder", vec![("who", option(Ty::Process))])],
        ..Song::default()
    }
}

#[test]
fn finite_types_are_those_whose_values_can_be_listed() {
    let song = song();
    let map = |key, value| Ty::Map(Box::new(key), Box::new(value));
    let finite = [
        Ty::Bool,
        Ty::Process,
        Ty::Sort(SortId(0)),
        Ty::Sort(SortId(2)),
        Ty::Enum(EnumId(0)),
        Ty::Struct(StructId(0)),
        Ty::Tuple(vec![Ty::Bool, Ty::Sort(SortId(0))]),
        set(option(Ty::Bool)),
        map(Ty::Bool, Ty::Bool),
    ];
    for ty in &finite {
        assert!(is_finite(&song, ty), "{ty:?}");
        assert!(is_enumerable(&song, ty), "{ty:?}");
    }
    let windowed = [
        Ty::Int,
        Ty::Nat,
        Ty::Enum(EnumId(1)),
        option(Ty::Int),
        map(Ty::Bool, Ty::Nat),
        Ty::Seq(Box::new(Ty::Bool)),
        option(Ty::Bag(Box::new(Ty::Int))),
    ];
    for ty in &windowed {
        assert!(!is_finite(&song, ty), "{ty:?}");
        assert!(is_enumerable(&song, ty), "{ty:?}");
    }
    for ty in [Ty::Enum(EnumId(2)), Ty::Seq(Box::new(Ty::Enum(EnumId(2))))] {
        assert!(!is_enumerable(&song, &ty), "{ty:?}");
    }
}

#[test]
fn numbers_and_ordered_sorts_have_an_order() {
    let song = song();
    let ordered: Vec<bool> = (0..3)
        .map(|at| is_ordered(&song, &Ty::Sort(SortId(at))))
        .collect();
    assert_eq!(ordered, [false, true, true]);
    assert!(is_ordered(&song, &Ty::Nat) && !is_ordered(&song, &Ty::Bool));
    assert!(is_number(&song, &Ty::Sort(SortId(2))) && !is_number(&song, &Ty::Sort(SortId(1))));
}

#[test]
fn processes_are_found_inside_types() {
    let song = song();
    assert!(contains_process(&song, &set(Ty::Struct(StructId(0)))));
    assert!(!contains_process(
        &song,
        &Ty::Tuple(vec![Ty::Bool, Ty::Enum(EnumId(0))])
    ));
    assert!(!contains_process(&song, &Ty::Enum(EnumId(2))));
}
