//! Values are read as they are shown.

use crate::build::*;
use plainsong_ir::*;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::read::read;
use plainsong_semantics::show::show;
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;

/// An instance with a sort of identities, one of integers, an enum and a struct.
fn instance() -> Instance {
    let mut b = Builder::default();
    b.sort("Db");
    let slot = Range {
        start: int(-1),
        end: RangeEnd::Before(int(2)),
    };
    b.add_sort("Slot", SortKind::Range(slot));
    let variant = |name: &str, fields: Vec<Ty>| Variant {
        name: name.to_owned(),
        fields,
    };
    b.song.enums.push(EnumDecl {
        splits: None,
        name: "Place".to_owned(),
        variants: vec![
            variant("Home", vec![]),
            variant("Homeward", vec![Ty::Bool, Ty::Sort(SortId(0))]),
        ],
        span: Default::default(),
    });
    b.song.structs.push(StructDecl {
        name: "Entry".to_owned(),
        fields: vec![
            ("term".to_owned(), Ty::Nat),
            ("terms".to_owned(), Ty::Enum(EnumId(0))),
        ],
        span: Default::default(),
    });
    let all = Instance::all(Arc::new(b.song), &Sizes::new(), &Bounds::default());
    all.expect("an instance").remove(0)
}

#[test]
fn every_value_is_read_as_it_is_shown() {
    let instance = instance();
    let (db, slot) = (Ty::Sort(SortId(0)), Ty::Sort(SortId(1)));
    let (place, entry) = (Ty::Enum(EnumId(0)), Ty::Struct(StructId(0)));
    let types = [
        Ty::Bool,
        Ty::Int,
        Ty::Nat,
        Ty::Option(Box::new(Ty::Option(Box::new(Ty::Int)))),
        Ty::Tuple(vec![Ty::Int, Ty::Bool, db.clone()]),
        Ty::Set(Box::new(slot.clone())),
        Ty::Bag(Box::new(db.clone())),
        Ty::Seq(Box::new(place.clone())),
        Ty::Map(Box::new(slot), Box::new(Ty::Bool)),
        Ty::Map(Box::new(place.clone()), Box::new(db.clone())),
        Ty::Map(Box::new(db), Box::new(Ty::Set(Box::new(Ty::Bool)))),
        entry.clone(),
        Ty::Seq(Box::new(entry)),
        place,
    ];
    for ty in &types {
        let values = instance.candidates(ty).expect("not too many");
        assert!(values.len() > 1, "{ty:?}");
        for value in values {
            let text = show(&instance, &value, ty);
            assert_eq!(read(&instance, ty, &text).as_ref(), Ok(&value), "{text}");
            let loose = text.replace("Db#", " ").replace(',', " , ");
            assert_eq!(read(&instance, ty, &loose).as_ref(), Ok(&value), "{loose}");
            let more = format!("{text} {text}");
            assert!(read(&instance, ty, &more).is_err(), "{more}");
            let less = &text[..text.len() - 1];
            assert_ne!(read(&instance, ty, less).as_ref(), Ok(&value), "{less}");
        }
    }
}
