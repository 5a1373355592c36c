//! Symbolic values: what is known of a value, whatever the size.

use crate::actor::Actor;
use crate::linear_arithmetic::Sum;
use std::rc::Rc;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Symbol {
    Bool(bool),
    Int(i64),
    /// The identity of a process.
    Process(Actor),
    /// The member of a sort that names a process.
    Member(Actor),
    /// A variant, option, tuple or struct.
    Data(usize, Vec<Symbol>),
    /// Anything, or one of a list.
    Unknown(Unknown),
    /// A number that is computed from unknown ones.
    Sum(Sum),
}

/// A value of which nothing is known but perhaps a list of candidates. An unknown of a family is one value per
/// member.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    pub(crate) number: u32,
    pub(crate) owner: Option<Actor>,
    pub(crate) among: Option<Rc<[Symbol]>>,
}

impl Unknown {
    /// A parameter: nobody's, and the same for all. Its number is far from those of others.
    pub(crate) fn parameter(id: plainsong_ir::ConstId) -> Unknown {
        Unknown {
            number: u32::MAX - id.0,
            owner: None,
            among: None,
        }
    }
}

impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        (self.number, self.owner) == (other.number, other.owner)
    }
}

impl Symbol {
    /// Every part of it changed, outermost first; `None` leaves a part and looks inside.
    pub(crate) fn map(&self, change: &mut dyn FnMut(&Symbol) -> Option<Symbol>) -> Symbol {
        if let Some(changed) = change(self) {
            return changed;
        }
        match self {
            Symbol::Data(tag, parts) => {
                Symbol::Data(*tag, parts.iter().map(|part| part.map(change)).collect())
            }
            Symbol::Unknown(unknown) => Symbol::Unknown(Unknown {
                among: unknown
                    .among
                    .as_ref()
                    .map(|among| among.iter().map(|one| one.map(change)).collect()),
                ..unknown.clone()
            }),
            Symbol::Sum(sum) => sum.map(&mut |part| part.map(change)),
            other => other.clone(),
        }
    }

    /// With one actor in the place of another, also as an owner.
    pub(crate) fn replace(&self, old: Actor, new: Actor) -> Symbol {
        let swap = |actor: Actor| if actor == old { new } else { actor };
        self.map(&mut |symbol| match symbol {
            Symbol::Process(actor) => Some(Symbol::Process(swap(*actor))),
            Symbol::Member(actor) => Some(Symbol::Member(swap(*actor))),
            Symbol::Unknown(unknown) => Some(Symbol::Unknown(Unknown {
                number: unknown.number,
                owner: unknown.owner.map(swap),
                among: unknown
                    .among
                    .as_ref()
                    .map(|among| among.iter().map(|one| one.replace(old, new)).collect()),
            })),
            _ => None,
        })
    }
}

/// Are two values equal? Nothing when that is not known.
pub(crate) fn equal(a: &Symbol, b: &Symbol, differ: &[(Symbol, Symbol)]) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    let known = |(x, y): &(Symbol, Symbol)| (x == a && y == b) || (x == b && y == a);
    if differ.iter().any(known) {
        return Some(false);
    }
    match (a, b) {
        (Symbol::Sum(_), _) | (_, Symbol::Sum(_)) => {
            let difference = Sum::of(a)?.plus(-1, &Sum::of(b)?)?;
            difference.value().map(|value| value == 0)
        }
        (Symbol::Unknown(unknown), other) | (other, Symbol::Unknown(unknown)) => {
            let among = unknown.among.as_ref()?;
            let none = among
                .iter()
                .all(|one| equal(one, other, differ) == Some(false));
            none.then_some(false)
        }
        (Symbol::Process(x), Symbol::Process(y)) | (Symbol::Member(x), Symbol::Member(y)) => {
            // Two members of one family may be the same.
            (x.family != y.family).then_some(false)
        }
        (Symbol::Data(x, xs), Symbol::Data(y, ys)) => {
            if x != y || xs.len() != ys.len() {
                return Some(false);
            }
            let parts = xs.iter().zip(ys).map(|(x, y)| equal(x, y, differ));
            let parts: Vec<Option<bool>> = parts.collect();
            if parts.contains(&Some(false)) {
                return Some(false);
            }
            (!parts.contains(&None)).then_some(true)
        }
        _ => Some(false),
    }
}
