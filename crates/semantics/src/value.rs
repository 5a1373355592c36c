//! Values: what variables hold and expressions come to.
//!
//! A value knows nothing of its type; [`show`](crate::show) and the evaluator are told it. Compound
//! values are shared, so a copy is cheap. Sets are sorted without repetition, bags sorted, maps
//! sorted by key: equal values are equal data, and everything has one order.

use std::sync::Arc;

/// The identity of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pid {
    /// The sender of what `init` sends; nobody's address.
    Init,
    /// A row of the instance's table of members.
    Member(u32),
}

impl Pid {
    /// The row in the table of members.
    pub fn member(self) -> Option<usize> {
        match self {
            Pid::Init => None,
            Pid::Member(row) => Some(row as usize),
        }
    }
}

/// A value of any type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// `none`; also what a local holds while nothing is bound to it.
    None,
    /// A truth value.
    Bool(bool),
    /// An `int`, a `nat` or a member of a range of integers.
    Int(i64),
    /// A member of a sort of identities, counted from 0.
    Id(u32),
    Process(Pid),
    /// `some(v)`.
    Some(Arc<Value>),
    /// A tuple, or a struct in the order of its fields.
    Tuple(Arc<[Value]>),
    /// A variant of an enum, by position, with its payload.
    Variant(u32, Arc<[Value]>),
    /// A set: ascending, no repetitions.
    Set(Arc<[Value]>),
    /// A bag: ascending.
    Bag(Arc<[Value]>),
    /// A sequence.
    Seq(Arc<[Value]>),
    /// A map: ascending by key, every key of its type.
    Map(Arc<[(Value, Value)]>),
}

impl Value {
    pub fn set(mut elements: Vec<Value>) -> Value {
        elements.sort_unstable();
        elements.dedup();
        Value::Set(elements.into())
    }

    pub fn bag(mut elements: Vec<Value>) -> Value {
        elements.sort_unstable();
        Value::Bag(elements.into())
    }

    /// `some(value)`.
    pub fn some(value: Value) -> Value {
        Value::Some(Arc::new(value))
    }

    /// The truth value it is; the checker made sure that it is one.
    pub fn truth(&self) -> bool {
        match self {
            Value::Bool(truth) => *truth,
            other => panic!("a condition is a bool, not {other:?}"),
        }
    }

    /// The integer it is; the checker made sure that it is one.
    pub fn int(&self) -> i64 {
        match self {
            Value::Int(int) => *int,
            other => panic!("arithmetic works on integers, not on {other:?}"),
        }
    }

    /// The process it is; the checker made sure that it is one.
    pub fn pid(&self) -> Pid {
        match self {
            Value::Process(pid) => *pid,
            other => panic!("an address is a process, not {other:?}"),
        }
    }

    /// The elements of a set, bag or sequence, in order.
    pub fn elements(&self) -> &Arc<[Value]> {
        match self {
            Value::Set(elements) | Value::Bag(elements) | Value::Seq(elements) => elements,
            other => panic!("only sets, bags and sequences have elements, not {other:?}"),
        }
    }

    /// The components of a tuple or the fields of a struct.
    pub fn parts(&self) -> &Arc<[Value]> {
        match self {
            Value::Tuple(parts) => parts,
            other => panic!("only tuples and structs have parts, not {other:?}"),
        }
    }
}
