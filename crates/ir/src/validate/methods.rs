//! The types of built-in methods.

use crate::finite::is_ordered;
use crate::{Builtin, Collection, Song, Ty};

/// The result of a method on arguments of these types (the receiver first); `None` when it does not
/// take them.
pub(super) fn result(song: &Song, builtin: Builtin, arguments: &[Ty]) -> Option<Ty> {
    let (receiver, rest) = arguments.split_first()?;
    match builtin {
        Builtin::Len => nullary(rest).and(collection(receiver)).map(|_| Ty::Nat),
        Builtin::IsEmpty => nullary(rest).and(collection(receiver)).map(|_| Ty::Bool),
        Builtin::Contains => element(receiver, rest).map(|()| Ty::Bool),
        Builtin::With | Builtin::Without => {
            set_or_bag(receiver)?;
            element(receiver, rest).map(|()| receiver.clone())
        }
        Builtin::Min | Builtin::Max => {
            let inner = nullary(rest).and(receiver.element())?;
            is_ordered(song, inner).then(|| inner.clone())
        }
        Builtin::Subset => {
            (matches!(receiver, Ty::Set(_)) && rest == [receiver.clone()]).then_some(Ty::Bool)
        }
        Builtin::Count => {
            bag(receiver)?;
            element(receiver, rest).map(|()| Ty::Nat)
        }
        Builtin::ToSet => {
            let inner = nullary(rest).and(receiver.element())?;
            (!matches!(receiver, Ty::Set(_))).then(|| Ty::Set(Box::new(inner.clone())))
        }
        Builtin::ToBag => nullary(rest)
            .and(seq(receiver))
            .map(|x| Ty::Bag(Box::new(x.clone()))),
        Builtin::First | Builtin::Last => nullary(rest).and(seq(receiver)).cloned(),
        Builtin::Push => {
            seq(receiver)?;
            element(receiver, rest).map(|()| receiver.clone())
        }
        Builtin::DropFirst | Builtin::DropLast => {
            nullary(rest).and(seq(receiver)).map(|_| receiver.clone())
        }
        Builtin::Update => update(receiver, rest),
        Builtin::IsSome | Builtin::IsNone => nullary(rest).and(option(receiver)).map(|_| Ty::Bool),
        Builtin::Unwrap => nullary(rest).and(option(receiver)).cloned(),
        Builtin::UnwrapOr => {
            let inner = option(receiver)?;
            (rest == [inner.clone()]).then(|| inner.clone())
        }
    }
}

/// `s.update(i, x)` and `m.update(k, v)`.
fn update(receiver: &Ty, rest: &[Ty]) -> Option<Ty> {
    let fits = match (receiver, rest) {
        (Ty::Seq(inner), [index, value]) => *index == Ty::Int && *value == **inner,
        (Ty::Map(key, inner), [index, value]) => *index == **key && *value == **inner,
        _ => false,
    };
    fits.then(|| receiver.clone())
}

fn nullary(rest: &[Ty]) -> Option<()> {
    rest.is_empty().then_some(())
}

/// Is there one argument, an element of the receiver?
fn element(receiver: &Ty, rest: &[Ty]) -> Option<()> {
    let inner = receiver.element()?;
    (rest == [inner.clone()]).then_some(())
}

fn collection(ty: &Ty) -> Option<Collection> {
    Collection::of(ty)
}

fn set_or_bag(ty: &Ty) -> Option<()> {
    matches!(ty, Ty::Set(_) | Ty::Bag(_)).then_some(())
}

fn bag(ty: &Ty) -> Option<()> {
    matches!(ty, Ty::Bag(_)).then_some(())
}

fn seq(ty: &Ty) -> Option<&Ty> {
    match ty {
        Ty::Seq(inner) => Some(inner),
        _ => None,
    }
}

fn option(ty: &Ty) -> Option<&Ty> {
    match ty {
        Ty::Option(inner) => Some(inner),
        _ => None,
    }
}
