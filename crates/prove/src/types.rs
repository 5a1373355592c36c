//! Source types as sorts, and which terms stand for a value.
//!
//! | type | sort | stands for a value when |
//! |---|---|---|
//! | `bool`, `int` | the same | always |
//! | `nat` | integers | not negative |
//! | a range, an ordered sort | integers | between the bounds |
//! | an unordered sort | a sort of its own | always |
//! | enum, struct, tuple, option | a datatype | its parts do |
//! | `set<T>` | `T → bool` | its members do |
//! | `bag<T>` | `T → int` | no count is negative, and it is zero for what is not a `T` |
//! | `seq<T>` | a length and `int → T` | the length is not negative, the elements do |
//! | `map<K, V>` | `K → V` | the values of all `K` do |
//!
//! A value has exactly one representation: outside of its length a sequence, and outside of its keys a
//! map, has a fixed default. Every operation keeps that. So source equality is equality of
//! representations; two different ones differ at a place that means something, which is what
//! [`Theory::differ`] says.
//!
//! Why sound. Sets, bags and sequences of the source are finite, and a term may be any function. A
//! proof about all functions is one about the finite ones.

use crate::lower::Unsupported;
use crate::term::{Constructor, Data, Sort, SortKind, Term};
use crate::theory::{Result, Theory};
use plainsong_diagnostics::Span;
use plainsong_ir::{Ty, finite};

impl Theory {
    /// The sort that values of a type have as terms.
    pub fn sort_of_type(&mut self, ty: &Ty, span: Span) -> Result<Sort> {
        Ok(match ty {
            Ty::Bool => Sort::BOOL,
            Ty::Int | Ty::Nat => Sort::INT,
            Ty::Sort(sort) if finite::is_ordered(&self.song, ty) => {
                let _ = sort;
                Sort::INT
            }
            Ty::Sort(sort) => self.terms.sort_of(SortKind::Named(*sort)),
            Ty::Set(element) => {
                let from = self.sort_of_type(element, span)?;
                self.terms.array_sort(from, Sort::BOOL)
            }
            Ty::Bag(element) => {
                let from = self.sort_of_type(element, span)?;
                self.terms.array_sort(from, Sort::INT)
            }
            Ty::Map(key, value) => {
                let from = self.sort_of_type(key, span)?;
                let to = self.sort_of_type(value, span)?;
                self.terms.array_sort(from, to)
            }
            Ty::Enum(_) | Ty::Struct(_) | Ty::Tuple(_) | Ty::Option(_) | Ty::Seq(_) => {
                let constructors = self.constructors(ty, span)?;
                let name = self.type_name(ty);
                self.terms.data_sort(Data { name, constructors })
            }
            Ty::Process => {
                return Err(Unsupported::new(
                    span,
                    "identities of processes are not covered by proofs yet",
                ));
            }
        })
    }

    fn constructors(&mut self, ty: &Ty, span: Span) -> Result<Vec<Constructor>> {
        let song = self.song.clone();
        let mut all = Vec::new();
        for (name, fields) in variants(&song, ty) {
            let fields: Vec<Sort> = fields
                .iter()
                .map(|ty| self.sort_of_type(ty, span))
                .collect::<Result<_>>()?;
            all.push(Constructor { name, fields });
        }
        if let Ty::Seq(element) = ty {
            let element = self.sort_of_type(element, span)?;
            let elements = self.terms.array_sort(Sort::INT, element);
            all.push(Constructor {
                name: "seq".to_owned(),
                fields: vec![Sort::INT, elements],
            });
        }
        Ok(all)
    }

    /// A name for a type, unique in the song.
    fn type_name(&self, ty: &Ty) -> String {
        format!("{ty:?}")
    }

    /// Does `term`, of the sort of `ty`, stand for a value of `ty`?
    pub fn valid(&mut self, ty: &Ty, term: Term) -> Result {
        let song = self.song.clone();
        Ok(match ty {
            Ty::Bool | Ty::Int | Ty::Process => self.terms.bool(true),
            Ty::Nat => {
                let zero = self.terms.int(0);
                self.terms.le(zero, term)
            }
            Ty::Sort(sort) if finite::is_ordered(&song, ty) => {
                let (first, end) = self.range(*sort)?;
                let low = self.terms.le(first, term);
                let high = self.terms.lt(term, end);
                self.terms.and(&[low, high])
            }
            Ty::Sort(_) => self.terms.bool(true),
            Ty::Enum(_) | Ty::Struct(_) | Ty::Tuple(_) | Ty::Option(_) => {
                let mut parts = Vec::new();
                for (number, (_, fields)) in variants(&song, ty).into_iter().enumerate() {
                    let made = self.terms.is(term, number as u32);
                    for (at, field) in fields.iter().enumerate() {
                        let part = self.terms.get(term, number as u32, at as u32);
                        let valid = self.valid(field, part)?;
                        parts.push(self.terms.implies(made, valid));
                    }
                }
                self.terms.and(&parts)
            }
            Ty::Set(element) => self.at_every_place(term, |theory, at, member| {
                let valid = theory.valid(element, at)?;
                Ok(theory.terms.implies(member, valid))
            })?,
            Ty::Bag(element) => self.at_every_place(term, |theory, at, count| {
                let zero = theory.terms.int(0);
                let some = theory.terms.le(zero, count);
                let none = theory.terms.eq(zero, count);
                let valid = theory.valid(element, at)?;
                let outside = theory.terms.or(&[valid, none]);
                Ok(theory.terms.and(&[some, outside]))
            })?,
            Ty::Map(key, value) => self.at_every_place(term, |theory, at, held| {
                let valid_key = theory.valid(key, at)?;
                let valid = theory.valid(value, held)?;
                Ok(theory.terms.implies(valid_key, valid))
            })?,
            Ty::Seq(element) => {
                let len = self.terms.get(term, 0, 0);
                let elements = self.terms.get(term, 0, 1);
                let zero = self.terms.int(0);
                let some = self.terms.le(zero, len);
                let all = self.at_every_place(elements, |theory, at, held| {
                    let inside = theory.within(at, len);
                    let valid = theory.valid(element, held)?;
                    Ok(theory.terms.implies(inside, valid))
                })?;
                self.terms.and(&[some, all])
            }
        })
    }

    /// `0 <= at && at < len`.
    pub fn within(&mut self, at: Term, len: Term) -> Term {
        let zero = self.terms.int(0);
        let low = self.terms.le(zero, at);
        let high = self.terms.lt(at, len);
        self.terms.and(&[low, high])
    }

    fn at_every_place(
        &mut self,
        function: Term,
        says: impl FnOnce(&mut Theory, Term, Term) -> Result,
    ) -> Result {
        let at = self.terms.fresh_place("at", function);
        let held = self.terms.select(function, at);
        let body = says(self, at, held)?;
        Ok(self.terms.forall(at, body))
    }

    /// Do two terms stand for different values of `ty`? At some place that means something they
    /// are not the same.
    pub fn differ(&mut self, ty: &Ty, a: Term, b: Term) -> Result {
        let song = self.song.clone();
        if !has_functions(&song, ty) {
            let same = self.terms.eq(a, b);
            return Ok(self.terms.not(same));
        }
        match ty {
            Ty::Seq(element) => {
                let (m, n) = (self.terms.get(a, 0, 0), self.terms.get(b, 0, 0));
                let lengths = self.terms.eq(m, n);
                let lengths = self.terms.not(lengths);
                let (f, g) = (self.terms.get(a, 0, 1), self.terms.get(b, 0, 1));
                let at = self.terms.fresh("at", Sort::INT);
                let inside = self.within(at, m);
                let (x, y) = (self.terms.select(f, at), self.terms.select(g, at));
                let other = self.differ(element, x, y)?;
                let body = self.terms.and(&[inside, other]);
                let somewhere = self.terms.exists(at, body);
                Ok(self.terms.or(&[lengths, somewhere]))
            }
            Ty::Set(element) | Ty::Bag(element) => {
                let held = if matches!(ty, Ty::Set(_)) {
                    Ty::Bool
                } else {
                    Ty::Int
                };
                self.differ_somewhere(element, &held, a, b)
            }
            Ty::Map(key, value) => self.differ_somewhere(key, value, a, b),
            _ => {
                let mut ways = Vec::new();
                for (number, (_, fields)) in variants(&song, ty).into_iter().enumerate() {
                    let (p, q) = (
                        self.terms.is(a, number as u32),
                        self.terms.is(b, number as u32),
                    );
                    let same = self.terms.eq(p, q);
                    ways.push(self.terms.not(same));
                    for (at, field) in fields.iter().enumerate() {
                        let x = self.terms.get(a, number as u32, at as u32);
                        let y = self.terms.get(b, number as u32, at as u32);
                        let other = self.differ(field, x, y)?;
                        ways.push(self.terms.and(&[p, q, other]));
                    }
                }
                Ok(self.terms.or(&ways))
            }
        }
    }

    fn differ_somewhere(&mut self, key: &Ty, value: &Ty, a: Term, b: Term) -> Result {
        let at = self.terms.fresh_place("at", a);
        let valid = self.valid(key, at)?;
        let (x, y) = (self.terms.select(a, at), self.terms.select(b, at));
        let other = self.differ(value, x, y)?;
        let body = self.terms.and(&[valid, other]);
        Ok(self.terms.exists(at, body))
    }

    /// `a == b` as values of `ty`.
    pub fn equal(&mut self, ty: &Ty, a: Term, b: Term) -> Term {
        let song = self.song.clone();
        if has_functions(&song, ty) {
            self.terms.same(ty, a, b)
        } else {
            self.terms.eq(a, b)
        }
    }
}

/// Is a function part of how values of the type are represented?
pub fn has_functions(song: &plainsong_ir::Song, ty: &Ty) -> bool {
    match ty {
        Ty::Bool | Ty::Int | Ty::Nat | Ty::Sort(_) | Ty::Process => false,
        Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) | Ty::Map(..) => true,
        _ => variants(song, ty)
            .iter()
            .any(|(_, fields)| fields.iter().any(|field| has_functions(song, field))),
    }
}

/// The constructors of an enum, struct, tuple or option: names and the types of their fields.
pub fn variants(song: &plainsong_ir::Song, ty: &Ty) -> Vec<(String, Vec<Ty>)> {
    match ty {
        Ty::Enum(id) => song.enums[id.index()]
            .variants
            .iter()
            .map(|variant| (variant.name.clone(), variant.fields.clone()))
            .collect(),
        Ty::Struct(id) => {
            let decl = &song.structs[id.index()];
            let fields = decl.fields.iter().map(|(_, ty)| ty.clone()).collect();
            vec![(decl.name.clone(), fields)]
        }
        Ty::Tuple(parts) => vec![("tuple".to_owned(), parts.clone())],
        Ty::Option(inner) => vec![
            ("none".to_owned(), Vec::new()),
            ("some".to_owned(), vec![(**inner).clone()]),
        ],
        _ => Vec::new(),
    }
}
