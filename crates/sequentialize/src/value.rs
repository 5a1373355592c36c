//! Symbolic values, and what is known of their equality.
//!
//! An [`Unknown`] is a value of which nothing or only a list of candidates is known. Two are the same
//! only if they have the same number *and* the same owner: an unknown of a whole family stands for one
//! value per member, so unfolding a member renames it (condition S12; trap `y2`).

use crate::term::{Op, again};
use plainsong_ir::{FamilyId, MessageId};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Who acts: a single process, all members of a family that are not unfolded, or one unfolded member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Comp {
    pub(crate) family: FamilyId,
    pub(crate) role: Role,
}

/// Which of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Role {
    /// The only one.
    Single,
    /// Every member that is not unfolded.
    Rest,
    Member(u32),
}

impl Comp {
    pub(crate) fn is_rest(self) -> bool {
        self.role == Role::Rest
    }

    pub(crate) fn is_member(self) -> bool {
        matches!(self.role, Role::Member(_))
    }

    /// Its family in the place of a member.
    pub(crate) fn general(self) -> Comp {
        if self.is_member() { self.rest() } else { self }
    }

    /// All members of its family that are not unfolded.
    pub(crate) fn rest(self) -> Comp {
        Comp {
            role: Role::Rest,
            ..self
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    Bool(bool),
    Int(i64),
    /// The identity of a process.
    Pid(Comp),
    /// The member of a sort that names a process.
    Id(Comp),
    /// A variant of an enum, an option, a tuple or a struct.
    Data(u32, Rc<[Value]>),
    Unknown(Unknown),
    /// A number that is computed from others, of which some are not known; as a claim, a comparison of them.
    Term(Op, Rc<[Value]>),
}

/// A value that is not known.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    pub(crate) key: Key,
    /// What it can be, if that is a short list.
    pub(crate) domain: Option<Rc<[Value]>>,
}

/// The identity of an unknown value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) number: u32,
    /// Whose it is; none for parameters.
    pub(crate) owner: Option<Comp>,
}

impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}
impl Eq for Unknown {}
impl PartialOrd for Unknown {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Unknown {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// Facts of the form "this unknown is not that value".
pub(crate) type Differs = BTreeMap<Key, Vec<Value>>;

/// A queue: from whom, to whom, which kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Chan {
    pub(crate) from: Comp,
    pub(crate) to: Comp,
    pub(crate) message: MessageId,
}

impl Chan {
    pub(crate) fn touches(&self, comp: Comp) -> bool {
        self.from == comp || self.to == comp
    }

    pub(crate) fn replace(self, old: Comp, new: Comp) -> Chan {
        let swap = |comp| if comp == old { new } else { comp };
        Chan {
            from: swap(self.from),
            to: swap(self.to),
            message: self.message,
        }
    }

    /// With whole families in the place of members.
    pub(crate) fn general(self) -> Chan {
        Chan {
            from: self.from.general(),
            to: self.to.general(),
            message: self.message,
        }
    }
}

impl Value {
    pub(crate) fn data(tag: u32, parts: Vec<Value>) -> Value {
        Value::Data(tag, parts.into())
    }

    /// `none` and `some(v)`.
    pub(crate) const NONE: u32 = 0;
    pub(crate) const SOME: u32 = 1;

    /// One component in the place of another, also as an owner.
    pub(crate) fn replace(&self, old: Comp, new: Comp) -> Value {
        let swap = |comp: Comp| if comp == old { new } else { comp };
        match self {
            Value::Pid(comp) => Value::Pid(swap(*comp)),
            Value::Id(comp) => Value::Id(swap(*comp)),
            Value::Data(tag, parts) => Value::Data(
                *tag,
                parts.iter().map(|part| part.replace(old, new)).collect(),
            ),
            Value::Unknown(unknown) => Value::Unknown(Unknown {
                key: Key {
                    number: unknown.key.number,
                    owner: unknown.key.owner.map(swap),
                },
                domain: unknown
                    .domain
                    .as_ref()
                    .map(|domain| domain.iter().map(|one| one.replace(old, new)).collect()),
            }),
            Value::Term(op, parts) => again(
                *op,
                parts.iter().map(|part| part.replace(old, new)).collect(),
            ),
            Value::Bool(_) | Value::Int(_) => self.clone(),
        }
    }

    /// An unknown turns out to be a value.
    pub(crate) fn bind(&self, key: Key, value: &Value) -> Value {
        match self {
            Value::Unknown(unknown) if unknown.key == key => value.clone(),
            Value::Data(tag, parts) => Value::Data(
                *tag,
                parts.iter().map(|part| part.bind(key, value)).collect(),
            ),
            Value::Term(op, parts) => again(
                *op,
                parts.iter().map(|part| part.bind(key, value)).collect(),
            ),
            _ => self.clone(),
        }
    }

    pub(crate) fn unknowns(&self, found: &mut BTreeSet<Key>) {
        match self {
            Value::Unknown(unknown) => {
                found.insert(unknown.key);
                let inside = unknown.domain.iter().flat_map(|domain| domain.iter());
                inside.for_each(|one| one.unknowns(found));
            }
            Value::Data(_, parts) | Value::Term(_, parts) => {
                parts.iter().for_each(|part| part.unknowns(found));
            }
            _ => {}
        }
    }

    /// Is one of these processes in it?
    pub(crate) fn mentions(&self, comps: &BTreeSet<Comp>) -> bool {
        match self {
            Value::Pid(comp) | Value::Id(comp) => comps.contains(comp),
            Value::Data(_, parts) | Value::Term(_, parts) => {
                parts.iter().any(|part| part.mentions(comps))
            }
            Value::Unknown(unknown) => unknown
                .domain
                .iter()
                .flat_map(|domain| domain.iter())
                .any(|one| one.mentions(comps)),
            Value::Bool(_) | Value::Int(_) => false,
        }
    }

    /// Every unknown that is not kept gets the key that `key` gives it, and every process that is gone
    /// becomes an unknown.
    pub(crate) fn rename(
        &self,
        keep: &BTreeSet<Key>,
        gone: &BTreeSet<Comp>,
        key: &mut dyn FnMut(Option<Key>) -> Key,
    ) -> Value {
        match self {
            Value::Pid(comp) | Value::Id(comp) if gone.contains(comp) => Value::Unknown(Unknown {
                key: key(None),
                domain: None,
            }),
            Value::Unknown(unknown) => {
                let domain = unknown.domain.as_ref().map(|domain| {
                    let inside = domain.iter().map(|one| one.rename(keep, gone, key));
                    inside.collect::<Vec<_>>()
                });
                // Parameters belong to nobody.
                let kept = unknown.key.owner.is_none() || keep.contains(&unknown.key);
                Value::Unknown(Unknown {
                    key: if kept {
                        unknown.key
                    } else {
                        key(Some(unknown.key))
                    },
                    domain: domain.map(Into::into),
                })
            }
            Value::Data(tag, parts) => Value::Data(
                *tag,
                parts
                    .iter()
                    .map(|part| part.rename(keep, gone, key))
                    .collect(),
            ),
            Value::Term(op, parts) => {
                let parts = parts.iter().map(|part| part.rename(keep, gone, key));
                again(*op, parts.collect())
            }
            _ => self.clone(),
        }
    }
}

/// Are two values equal? Nothing when that is not known.
pub(crate) fn equal(a: &Value, b: &Value, differs: &Differs) -> Option<bool> {
    match (a, b) {
        (Value::Unknown(x), Value::Unknown(y)) if x.key == y.key => Some(true),
        (Value::Term(..), _) | (_, Value::Term(..)) => (a == b).then_some(true),
        (Value::Unknown(x), Value::Unknown(y)) => {
            (refuted(x, b, differs) || refuted(y, a, differs)).then_some(false)
        }
        (Value::Unknown(x), y) | (y, Value::Unknown(x)) => refuted(x, y, differs).then_some(false),
        (Value::Pid(x), Value::Pid(y)) | (Value::Id(x), Value::Id(y)) => same(*x, *y),
        (Value::Data(x, xs), Value::Data(y, ys)) => {
            if x != y || xs.len() != ys.len() {
                return Some(false);
            }
            let parts: Vec<Option<bool>> = xs
                .iter()
                .zip(ys.iter())
                .map(|(x, y)| equal(x, y, differs))
                .collect();
            if parts.contains(&Some(false)) {
                Some(false)
            } else {
                (!parts.contains(&None)).then_some(true)
            }
        }
        (a, b) => Some(a == b),
    }
}

/// Two members of one family may be the same; a member is not a process of another family. Whether the
/// member that a family's code speaks of is itself is known; whether it is an unfolded one is not.
fn same(a: Comp, b: Comp) -> Option<bool> {
    if a.family != b.family {
        Some(false)
    } else if a == b {
        Some(true)
    } else {
        None
    }
}

/// Is an unknown certainly not this value?
fn refuted(unknown: &Unknown, value: &Value, differs: &Differs) -> bool {
    if let Some(others) = differs.get(&unknown.key)
        && others.contains(value)
    {
        return true;
    }
    let Some(candidates) = possible(unknown, differs) else {
        return false;
    };
    candidates
        .iter()
        .all(|candidate| equal(candidate, value, differs) == Some(false))
}

/// What an unknown can still be, if there is a list.
pub(crate) fn possible(unknown: &Unknown, differs: &Differs) -> Option<Vec<Value>> {
    let excluded = differs.get(&unknown.key);
    let domain = unknown.domain.as_ref()?;
    let open = domain
        .iter()
        .filter(|one| !excluded.is_some_and(|excluded| excluded.contains(one)));
    Some(open.cloned().collect())
}
