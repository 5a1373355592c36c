//! Values from text, as [`show`](crate::show) writes them: what users give to parameters on a command line.
//!
//! The type says what is expected, so nothing is guessed: `{}` is a set where a set is wanted. A member of a sort is
//! `Server#1` or its number alone, a variant may be written with its enum (`Place::Away`) or without. A map has a
//! value for every key. What is read is of its type: a `nat` is not negative, a member is one of the instance's.

use crate::instance::Instance;
use crate::show::show;
use crate::value::Value;
use plainsong_ir::{SortKind, Ty, print};
use std::sync::Arc;

/// The value of type `ty` that `text` is, and nothing else; or what is wrong with it.
///
/// # Errors
///
/// When it is none.
pub fn read(instance: &Instance, ty: &Ty, text: &str) -> Result<Value, String> {
    let mut reader = Reader {
        instance,
        rest: text,
    };
    let value = reader.value(ty)?;
    match reader.rest.trim() {
        "" => Ok(value),
        rest => Err(format!("nothing is expected at `{rest}`")),
    }
}

pub(crate) struct Reader<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) rest: &'a str,
}

impl<'a> Reader<'a> {
    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.trim().is_empty()
    }

    /// It nests as deep as its type does; there are no recursive types.
    pub(crate) fn value(&mut self, ty: &Ty) -> Result<Value, String> {
        let song = self.instance.song().clone();
        match ty {
            Ty::Bool => self.truth(),
            Ty::Int => Ok(Value::Int(self.number()?)),
            Ty::Nat => match self.number()? {
                number @ 0.. => Ok(Value::Int(number)),
                number => Err(format!("{number} is no nat")),
            },
            Ty::Sort(_) => self.member(ty),
            Ty::Process => self.process(),
            Ty::Option(inner) => {
                if self.skips_word("none") {
                    return Ok(Value::None);
                }
                self.word("some")?;
                self.sign("(")?;
                let value = self.value(inner)?;
                self.sign(")")?;
                Ok(Value::some(value))
            }
            Ty::Tuple(types) => {
                let types: Vec<&Ty> = types.iter().collect();
                Ok(Value::Tuple(self.each(&types, ("(", ")"))?))
            }
            Ty::Struct(id) => {
                let decl = &song.structs[id.index()];
                self.word(&decl.name)?;
                self.fields(&decl.fields)
            }
            Ty::Enum(id) => {
                let decl = &song.enums[id.index()];
                let before = self.rest;
                if !(self.skips_word(&decl.name) && self.skips("::")) {
                    self.rest = before;
                }
                let mut variants = decl.variants.iter().enumerate();
                let Some((at, variant)) =
                    variants.find(|(_, variant)| self.skips_word(&variant.name))
                else {
                    return Err(self.expected(&format!("a variant of {}", decl.name)));
                };
                let types: Vec<&Ty> = variant.fields.iter().collect();
                let payload = match types.is_empty() {
                    true => Arc::new([]) as Arc<[Value]>,
                    false => self.each(&types, ("(", ")"))?,
                };
                Ok(Value::Variant(at as u32, payload))
            }
            Ty::Set(ty) => Ok(Value::set(self.elements(ty, ("{", "}"))?)),
            Ty::Bag(ty) => {
                self.word("bag")?;
                Ok(Value::bag(self.elements(ty, ("{", "}"))?))
            }
            Ty::Seq(ty) => Ok(Value::Seq(self.elements(ty, ("[", "]"))?.into())),
            Ty::Map(key, value) => self.map(key, value),
        }
    }

    fn truth(&mut self) -> Result<Value, String> {
        if self.skips_word("true") {
            return Ok(Value::Bool(true));
        }
        match self.skips_word("false") {
            true => Ok(Value::Bool(false)),
            false => Err(self.expected("`true` or `false`")),
        }
    }

    fn number(&mut self) -> Result<i64, String> {
        let text = self.rest.trim_start();
        let is_part = |(at, c): (usize, char)| c.is_ascii_digit() || (at == 0 && c == '-');
        let end = text.char_indices().find(|&one| !is_part(one));
        let (number, rest) = text.split_at(end.map_or(text.len(), |(at, _)| at));
        let read = number.parse().map_err(|_| self.expected("a number"))?;
        self.rest = rest;
        Ok(read)
    }

    /// The process with the longest name that the text begins with.
    fn process(&mut self) -> Result<Value, String> {
        let text = self.rest.trim_start();
        let all = self.instance.values(&Ty::Process)?.into_iter();
        let named = all.map(|value| (show(self.instance, &value, &Ty::Process), value));
        let found = named
            .filter(|(name, _)| text.starts_with(name))
            .max_by_key(|(name, _)| name.len());
        let (name, value) = found.ok_or_else(|| self.expected("a process"))?;
        self.rest = &text[name.len()..];
        Ok(value)
    }

    fn member(&mut self, ty: &Ty) -> Result<Value, String> {
        let Ty::Sort(id) = ty else {
            panic!("only sorts have members");
        };
        let song = self.instance.song();
        let sort = &song.sorts[id.index()];
        if self.skips_word(&sort.name) {
            self.sign("#")?;
        }
        let number = self.number()?;
        let (first, last) = self.instance.range(*id);
        let value = match (&sort.kind, (first..=last).contains(&number)) {
            (SortKind::Identities { .. }, true) => Value::Id(number as u32),
            (SortKind::Range(_), true) => Value::Int(number),
            (_, false) => {
                let name = &sort.name;
                return Err(format!(
                    "{number} is no member of {name}: these are {first}..={last}"
                ));
            }
        };
        Ok(value)
    }

    /// `{ x: 1, y: 2 }`, in any order, each of them once.
    fn fields(&mut self, fields: &[(String, Ty)]) -> Result<Value, String> {
        let mut parts: Vec<Option<Value>> = vec![None; fields.len()];
        self.sign("{")?;
        while !self.skips("}") {
            if parts.iter().any(Option::is_some) {
                self.comma("}")?;
            }
            let mut open = fields.iter().enumerate();
            let found = open.find(|(at, (name, _))| parts[*at].is_none() && self.skips_word(name));
            let Some((at, (_, ty))) = found else {
                return Err(self.expected("a field that is not there yet"));
            };
            self.sign(":")?;
            parts[at] = Some(self.value(ty)?);
        }
        let missing = fields.iter().zip(&parts).find(|(_, part)| part.is_none());
        if let Some(((name, _), _)) = missing {
            return Err(format!("the field `{name}` has no value"));
        }
        Ok(Value::Tuple(parts.into_iter().flatten().collect()))
    }

    fn map(&mut self, key: &Ty, value: &Ty) -> Result<Value, String> {
        self.word("map")?;
        let mut pairs: Vec<(Value, Value)> = Vec::new();
        self.sign("{")?;
        while !self.skips("}") {
            if !pairs.is_empty() {
                self.comma("}")?;
            }
            let at = self.value(key)?;
            self.sign("=>")?;
            pairs.push((at, self.value(value)?));
        }
        pairs.sort_by(|one, other| one.0.cmp(&other.0));
        if let Some(twice) = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let shown = show(self.instance, &twice[0].0, key);
            return Err(format!("there are two values for {shown}"));
        }
        let is_there = |wanted: &Value| pairs.iter().any(|(at, _)| at == wanted);
        let keys = self.instance.values(key)?;
        if let Some(missing) = keys.iter().find(|wanted| !is_there(wanted)) {
            let shown = show(self.instance, missing, key);
            return Err(format!("there is no value for {shown}"));
        }
        Ok(Value::Map(pairs.into()))
    }

    fn elements(&mut self, ty: &Ty, (open, close): (&str, &str)) -> Result<Vec<Value>, String> {
        let mut elements = Vec::new();
        self.sign(open)?;
        while !self.skips(close) {
            if !elements.is_empty() {
                self.comma(close)?;
            }
            elements.push(self.value(ty)?);
        }
        Ok(elements)
    }

    /// One value of each type, between two signs.
    pub(crate) fn each(
        &mut self,
        types: &[&Ty],
        (open, close): (&str, &str),
    ) -> Result<Arc<[Value]>, String> {
        self.sign(open)?;
        let mut values = Vec::new();
        for ty in types {
            if !values.is_empty() {
                self.sign(",")?;
            }
            values.push(self.value(ty)?);
        }
        self.sign(close)?;
        Ok(values.into())
    }

    fn skips(&mut self, sign: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Like `skips`, where no name goes on behind it.
    pub(crate) fn skips_word(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(word);
        let goes_on = |rest: &&str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = rest.filter(|rest| !goes_on(rest));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Between two elements.
    fn comma(&mut self, close: &str) -> Result<(), String> {
        match self.skips(",") {
            true => Ok(()),
            false => Err(self.expected(&format!("`,` or `{close}`"))),
        }
    }

    pub(crate) fn sign(&mut self, sign: &str) -> Result<(), String> {
        match self.skips(sign) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{sign}`"))),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        match self.skips_word(word) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{word}`"))),
        }
    }

    pub(crate) fn expected(&self, what: &str) -> String {
        match self.rest.trim() {
            "" => format!("{what} is expected at the end"),
            rest => format!("{what} is expected at `{rest}`"),
        }
    }
}

/// Why a text is no value of a parameter, with its type and how one is written.
pub(crate) fn refusal(
    instance: &Instance,
    ty: &Ty,
    (name, text): (&str, &str),
    why: &str,
) -> String {
    let shown_type = print::ty(instance.song(), ty);
    format!("`{name}` cannot be `{text}`: it is of type {shown_type}, and {why}")
}
