//! Messages of voices as they travel: flat, and checked when they arrive.
//!
//! A value is a list of tokens in the order in which it is written, each compound one with the number of
//! its parts. So nothing that arrives can make the reader nest without bound, and every value is known to
//! be one of its type, and in normal form, before the interpreter sees it.

use plainsong_ir::{MessageId, SortKind, Ty};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::local_process::{self, Parts};
use plainsong_semantics::value::{Pid, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Letter {
    kind: u32,
    payload: Vec<Token>,
}

/// A piece of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Token {
    None,
    Some,
    Bool(bool),
    Int(i64),
    Id(u32),
    /// A process, by its row; `None` is `init`.
    Process(Option<u32>),
    /// A tuple or struct: its parts follow.
    Tuple,
    /// A variant by position: its payload follows.
    Variant(u32),
    /// A set, bag or sequence: so many elements follow.
    Elements(u32),
    /// A map: so many keys with their values follow.
    Pairs(u32),
}

impl Letter {
    /// A message that is about to be sent.
    pub(crate) fn pack(letter: &local_process::Letter) -> Letter {
        let mut payload = Vec::new();
        for value in letter.payload() {
            write(value, &mut payload);
        }
        Letter {
            kind: number(letter.kind().index()),
            payload,
        }
    }

    /// The message that arrived; `None` when it is none of this song.
    pub(crate) fn unpack(
        &self,
        parts: &Parts,
        from: usize,
        to: usize,
    ) -> Option<local_process::Letter> {
        let instance = parts.machine().instance();
        let kind = self.kind as usize;
        let message = instance.song().voices()?.messages.get(kind)?;
        let mut tokens = self.payload.iter().copied();
        let types = message.fields.iter().map(|field| &field.ty);
        let payload: Option<Vec<Value>> = types.map(|ty| read(instance, ty, &mut tokens)).collect();
        let payload = payload.filter(|_| tokens.next().is_none())?;
        let row = |role| Pid::Member(number(role));
        Some(parts.letter(MessageId::from(kind), row(from), row(to), payload))
    }
}

fn write(value: &Value, tokens: &mut Vec<Token>) {
    match value {
        Value::None => tokens.push(Token::None),
        Value::Bool(truth) => tokens.push(Token::Bool(*truth)),
        Value::Int(int) => tokens.push(Token::Int(*int)),
        Value::Id(id) => tokens.push(Token::Id(*id)),
        Value::Process(pid) => tokens.push(Token::Process(pid.member().map(number))),
        Value::Some(inner) => {
            tokens.push(Token::Some);
            write(inner, tokens);
        }
        Value::Tuple(parts) => {
            tokens.push(Token::Tuple);
            parts.iter().for_each(|part| write(part, tokens));
        }
        Value::Variant(variant, payload) => {
            tokens.push(Token::Variant(*variant));
            payload.iter().for_each(|part| write(part, tokens));
        }
        Value::Set(elements) | Value::Bag(elements) | Value::Seq(elements) => {
            tokens.push(Token::Elements(number(elements.len())));
            elements.iter().for_each(|element| write(element, tokens));
        }
        Value::Map(pairs) => {
            tokens.push(Token::Pairs(number(pairs.len())));
            for (key, value) in pairs.iter() {
                write(key, tokens);
                write(value, tokens);
            }
        }
    }
}

/// Reads a value of this type, if there is one. It nests as deep as its type does; recursive types, the
/// only ones that nest deeper, are not in the language.
fn read(instance: &Instance, ty: &Ty, tokens: &mut impl Iterator<Item = Token>) -> Option<Value> {
    let song = instance.song();
    let value = match (ty, tokens.next()?) {
        (Ty::Bool, Token::Bool(truth)) => Value::Bool(truth),
        (Ty::Int, Token::Int(int)) => Value::Int(int),
        (Ty::Nat, Token::Int(int)) if int >= 0 => Value::Int(int),
        (Ty::Sort(sort), token) => {
            let (first, last) = instance.range(*sort);
            let is_inside = |member: i64| (first..=last).contains(&member);
            match (&song.sorts[sort.index()].kind, token) {
                (SortKind::Identities { .. }, Token::Id(id)) if is_inside(i64::from(id)) => {
                    Value::Id(id)
                }
                (SortKind::Range(_), Token::Int(int)) if is_inside(int) => Value::Int(int),
                _ => return None,
            }
        }
        (Ty::Process, Token::Process(row)) => {
            let is_there = row.is_none_or(|row| (row as usize) < instance.members().len());
            Value::Process(is_there.then_some(row.map_or(Pid::Init, Pid::Member))?)
        }
        (Ty::Option(_), Token::None) => Value::None,
        (Ty::Option(inner), Token::Some) => Value::some(read(instance, inner, tokens)?),
        (Ty::Tuple(types), Token::Tuple) => Value::Tuple(all(instance, types, tokens)?),
        (Ty::Struct(id), Token::Tuple) => {
            let fields = song.structs[id.index()].fields.iter();
            Value::Tuple(all(instance, fields.map(|(_, ty)| ty), tokens)?)
        }
        (Ty::Enum(id), Token::Variant(at)) => {
            let variant = song.enums[id.index()].variants.get(at as usize)?;
            Value::Variant(at, all(instance, &variant.fields, tokens)?)
        }
        (Ty::Set(ty), Token::Elements(count)) => {
            let elements = elements(instance, ty, count, tokens)?;
            let is_ascending = elements.is_sorted_by(|one, next| one < next);
            Value::Set(is_ascending.then_some(elements)?)
        }
        (Ty::Bag(ty), Token::Elements(count)) => {
            let elements = elements(instance, ty, count, tokens)?;
            Value::Bag(elements.is_sorted().then_some(elements)?)
        }
        (Ty::Seq(ty), Token::Elements(count)) => Value::Seq(elements(instance, ty, count, tokens)?),
        (Ty::Map(key, value), Token::Pairs(count)) => {
            let keys = instance.values(key).ok()?;
            let pairs = (0..count).map(|_| {
                let key = read(instance, key, tokens)?;
                Some((key, read(instance, value, tokens)?))
            });
            let pairs: Arc<[(Value, Value)]> = pairs.collect::<Option<_>>()?;
            let is_total = keys.iter().eq(pairs.iter().map(|(key, _)| key));
            Value::Map(is_total.then_some(pairs)?)
        }
        _ => return None,
    };
    Some(value)
}

fn all<'t>(
    instance: &Instance,
    types: impl IntoIterator<Item = &'t Ty>,
    tokens: &mut impl Iterator<Item = Token>,
) -> Option<Arc<[Value]>> {
    let mut types = types.into_iter();
    // Without `size_hint`: a count that was announced takes no memory.
    let mut values = Vec::new();
    types.try_for_each(|ty| {
        values.push(read(instance, ty, tokens)?);
        Some(())
    })?;
    Some(values.into())
}

fn elements(
    instance: &Instance,
    ty: &Ty,
    count: u32,
    tokens: &mut impl Iterator<Item = Token>,
) -> Option<Arc<[Value]>> {
    all(instance, (0..count).map(|_| ty), tokens)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("songs are smaller than that")
}
