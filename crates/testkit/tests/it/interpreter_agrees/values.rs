//! The interpreter's values as the enumerator's.

use plainsong_ir::Ty;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::value::Value as Theirs;
use plainsong_testkit::enumerate::Value as Ours;

/// `value` of type `ty`, as the enumerator has it.
pub(crate) fn translated(instance: &Instance, value: &Theirs, ty: &Ty) -> Ours {
    let song = instance.song();
    match (value, ty) {
        (Theirs::Bool(truth), _) => Ours::Bool(*truth),
        (Theirs::Int(int), _) => Ours::Int((*int).into()),
        (Theirs::Id(number), _) => Ours::Member(*number as usize),
        (Theirs::Process(pid), _) => match pid.member() {
            None => Ours::Init,
            Some(row) => process(instance, row),
        },
        (Theirs::None, _) => Ours::Option(None),
        (Theirs::Some(inner), Ty::Option(ty)) => {
            Ours::Option(Some(Box::new(translated(instance, inner, ty))))
        }
        (Theirs::Tuple(parts), Ty::Tuple(types)) => Ours::Tuple(all(instance, parts, types)),
        (Theirs::Tuple(parts), Ty::Struct(id)) => {
            let fields = song.structs[id.index()].fields.iter().map(|(_, ty)| ty);
            Ours::Record(all(instance, parts, fields))
        }
        (Theirs::Variant(variant, payload), Ty::Enum(id)) => {
            let declared = &song.enums[id.index()].variants[*variant as usize];
            let payload = all(instance, payload, &declared.fields);
            Ours::Variant(*variant as usize, payload)
        }
        (Theirs::Set(elements), Ty::Set(ty)) => {
            Ours::Set(each(instance, elements, ty).into_iter().collect())
        }
        (Theirs::Bag(elements), Ty::Bag(ty)) => {
            let mut counts = std::collections::BTreeMap::new();
            for element in each(instance, elements, ty) {
                *counts.entry(element).or_insert(0) += 1;
            }
            Ours::Bag(counts)
        }
        (Theirs::Seq(elements), Ty::Seq(ty)) => Ours::Seq(each(instance, elements, ty)),
        (Theirs::Map(pairs), Ty::Map(key, value)) => Ours::Map(
            pairs
                .iter()
                .map(|(k, v)| (translated(instance, k, key), translated(instance, v, value)))
                .collect(),
        ),
        (value, ty) => panic!("{value:?} is not a value of {ty:?}"),
    }
}

fn process(instance: &Instance, row: usize) -> Ours {
    let member = &instance.members()[row];
    let family = &instance.song().families[member.family.index()];
    let types = family.index.iter().map(|binder| &binder.ty);
    Ours::Process(member.family, all(instance, &member.index, types))
}

fn all<'t>(
    instance: &Instance,
    values: &[Theirs],
    types: impl IntoIterator<Item = &'t Ty>,
) -> Vec<Ours> {
    let pairs = values.iter().zip(types);
    pairs
        .map(|(value, ty)| translated(instance, value, ty))
        .collect()
}

fn each(instance: &Instance, values: &[Theirs], ty: &Ty) -> Vec<Ours> {
    all(instance, values, std::iter::repeat(ty))
}
