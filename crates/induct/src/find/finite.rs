//! Terms at one size as circuits: quantifiers and functions are written out.
//!
//! Integers are those of a window; what leaves it has no bits ([`super::values`]). So this is for looking at small states, and no
//! proof rests on it. NOT COVERED: recursive functions, and functions from functions with very many places.

use super::circuit::{Circuit, Lit};
use super::values::{Shape, Val, ite, number, pairwise, related, same};
use plainsong_ir::{RangeEnd, SortId, SortKind as Kind, Ty};
use plainsong_prove::term::{Op, Sort, SortKind, Term};
use plainsong_prove::theory::Theory;
use plainsong_prove::types::variants;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The most places of a function.
const PLACES: usize = 300;
/// The most gates of a circuit.
const GATES: usize = 3_000_000;

/// Terms at one size.
pub(crate) struct Finite {
    pub(crate) circuit: Circuit,
    /// How many members sorts have.
    pub(crate) sizes: BTreeMap<SortId, i64>,
    /// Which integers there are.
    pub(crate) window: (i64, i64),
    /// What symbols stand for.
    fixed: FxHashMap<Term, Val>,
    /// Symbols that stand for one value after the other: which, and its number.
    slots: Vec<(Term, u32, Val)>,
    /// Which slots a term mentions.
    uses: FxHashMap<Term, u64>,
    known: FxHashMap<(Term, Box<[u32]>), Val>,
    bound: Vec<(u32, Val)>,
    domains: FxHashMap<Sort, Rc<Vec<Val>>>,
    /// What has to hold of the inputs.
    pub(crate) valid: Vec<Lit>,
}

impl Finite {
    pub(crate) fn new(sizes: BTreeMap<SortId, i64>, window: (i64, i64)) -> Finite {
        Finite {
            circuit: Circuit::new(),
            sizes,
            window,
            fixed: FxHashMap::default(),
            slots: Vec::new(),
            uses: FxHashMap::default(),
            known: FxHashMap::default(),
            bound: Vec::new(),
            domains: FxHashMap::default(),
            valid: Vec::new(),
        }
    }

    /// A symbol stands for any value of a shape.
    pub(crate) fn open(&mut self, symbol: Term, shape: &Shape) {
        let value = shape.open(&mut self.circuit, &mut self.valid);
        self.fixed.insert(symbol, value);
    }

    pub(crate) fn is_open(&self, symbol: Term) -> bool {
        self.fixed.contains_key(&symbol)
    }

    pub(crate) fn fix(&mut self, symbol: Term, value: Val) {
        self.fixed.insert(symbol, value);
    }

    /// Symbols that will stand for one value after the other.
    pub(crate) fn set_slots(&mut self, symbols: &[Term]) {
        let nothing = Val::Bool(Lit::FALSE);
        self.slots = symbols
            .iter()
            .map(|one| (*one, u32::MAX, nothing.clone()))
            .collect();
    }

    /// From now on a slot stands for a value of its domain.
    pub(crate) fn set_slot(&mut self, theory: &Theory, slot: usize, value: u32) -> Option<()> {
        let symbol = self.slots[slot].0;
        let domain = self.domain(theory, theory.terms.sort(symbol))?;
        self.slots[slot] = (symbol, value, domain.get(value as usize)?.clone());
        Some(())
    }

    /// The literal of a closed proposition.
    pub(crate) fn truth(&mut self, theory: &Theory, term: Term) -> Option<Lit> {
        self.value(theory, term)?.truth()
    }

    /// The values of a sort, all of them known.
    pub(crate) fn domain(&mut self, theory: &Theory, sort: Sort) -> Option<Rc<Vec<Val>>> {
        if let Some(known) = self.domains.get(&sort) {
            return Some(known.clone());
        }
        let all: Vec<Val> = match theory.terms.kind(sort) {
            SortKind::Bool => vec![Val::Bool(Lit::FALSE), Val::Bool(Lit::TRUE)],
            SortKind::Int => (self.window.0..=self.window.1).map(Val::number).collect(),
            SortKind::Named(id) => (0..*self.sizes.get(&id)?).map(Val::number).collect(),
            SortKind::Data(at) => {
                let data = theory.terms.data(at).clone();
                let mut all = Vec::new();
                for (which, constructor) in data.constructors.iter().enumerate() {
                    for fields in self.product(theory, &constructor.fields)? {
                        let count = 0..data.constructors.len();
                        let made = count.map(|at| match at == which {
                            true => (Lit::TRUE, Some(fields.clone())),
                            false => (Lit::FALSE, None),
                        });
                        all.push(Val::Data(Rc::new(made.collect())));
                    }
                }
                all
            }
            SortKind::Array(from, to) => {
                let places = self.domain(theory, from)?.len();
                let rows = self.product(theory, &vec![to; places])?;
                rows.into_iter().map(|row| Val::Fun(Rc::new(row))).collect()
            }
        };
        if all.len() > PLACES {
            return None;
        }
        let all = Rc::new(all);
        self.domains.insert(sort, all.clone());
        Some(all)
    }

    fn product(&mut self, theory: &Theory, sorts: &[Sort]) -> Option<Vec<Vec<Val>>> {
        let mut rows = vec![Vec::new()];
        for sort in sorts {
            let domain = self.domain(theory, *sort)?;
            if rows.len() * domain.len() > PLACES {
                return None;
            }
            let longer = rows.iter().flat_map(|row: &Vec<Val>| {
                let with = |value: &Val| [&row[..], std::slice::from_ref(value)].concat();
                domain.iter().map(with).collect::<Vec<_>>()
            });
            rows = longer.collect();
        }
        Some(rows)
    }

    /// The shape of the values of a type.
    pub(crate) fn shape(&mut self, theory: &mut Theory, ty: &Ty) -> Option<Shape> {
        Some(match ty {
            Ty::Bool => Shape::Bool,
            Ty::Nat => Shape::Num((0..=self.window.1).collect()),
            Ty::Int => Shape::Num((self.window.0..=self.window.1).collect()),
            Ty::Sort(id) => {
                let (first, end) = self.range(theory, *id)?;
                Shape::Num((first..end).collect())
            }
            Ty::Enum(_) | Ty::Struct(_) | Ty::Tuple(_) | Ty::Option(_) => {
                let song = theory.song.clone();
                let mut all = Vec::new();
                for (_, fields) in variants(&song, ty) {
                    let mut own = Vec::new();
                    for field in &fields {
                        own.push(self.shape(theory, field)?);
                    }
                    all.push(own);
                }
                Shape::Data(all)
            }
            Ty::Set(key) => self.table(theory, key, &Ty::Bool)?,
            Ty::Bag(key) => self.table(theory, key, &Ty::Nat)?,
            Ty::Map(key, held) => self.table(theory, key, held)?,
            Ty::Seq(_) | Ty::Process => return None,
        })
    }

    /// First and one past the last number of a sort.
    fn range(&mut self, theory: &mut Theory, id: SortId) -> Option<(i64, i64)> {
        let is_open = match &theory.song.sorts[id.index()].kind {
            Kind::Identities { .. } => return Some((0, *self.sizes.get(&id)?)),
            Kind::Range(range) => range.end == RangeEnd::Open,
        };
        let (first, end) = theory.range(id).ok()?;
        let first = self.value(theory, first)?.only()?;
        let end = match is_open {
            true => first + *self.sizes.get(&id)?,
            false => self.value(theory, end)?.only()?,
        };
        Some((first, end))
    }

    fn table(&mut self, theory: &mut Theory, key: &Ty, held: &Ty) -> Option<Shape> {
        let sort = theory.sort_of_type(key, Default::default()).ok()?;
        let to = theory.sort_of_type(held, Default::default()).ok()?;
        let places = self.domain(theory, sort)?;
        let inside = self.shape(theory, held)?;
        let outside = match held {
            // Elsewhere a set has no members, and a map some default.
            Ty::Bool => Val::Bool(Lit::FALSE),
            _ => self.some(theory, to)?,
        };
        let mut all = Vec::new();
        for place in places.iter() {
            let is_member = self.is_value(theory, key, place)?;
            all.push(match is_member {
                true => inside.clone(),
                false => Shape::Fixed(outside.clone()),
            });
        }
        Some(Shape::Fun(all))
    }

    /// Is a constant of the domain of a type's sort a value of the type? Sorts with an order and `nat` are among the integers.
    fn is_value(&mut self, theory: &mut Theory, ty: &Ty, value: &Val) -> Option<bool> {
        Some(match (ty, value) {
            (Ty::Sort(_) | Ty::Nat, Val::Num(_)) => match self.shape(theory, ty)? {
                Shape::Num(numbers) => value.only().is_some_and(|one| numbers.contains(&one)),
                _ => true,
            },
            (Ty::Enum(_) | Ty::Struct(_) | Ty::Tuple(_) | Ty::Option(_), Val::Data(made)) => {
                let song = theory.song.clone();
                let types = variants(&song, ty).into_iter();
                for ((_, types), (is_made, fields)) in types.zip(made.iter()) {
                    if *is_made != Lit::TRUE {
                        continue;
                    }
                    for (ty, field) in types.iter().zip(fields.iter().flatten()) {
                        if !self.is_value(theory, ty, field)? {
                            return Some(false);
                        }
                    }
                }
                true
            }
            _ => true,
        })
    }

    fn uses(&mut self, theory: &Theory, term: Term) -> u64 {
        if self.slots.is_empty() {
            return 0;
        }
        if let Some(known) = self.uses.get(&term) {
            return *known;
        }
        let own = self.slots.iter().position(|(symbol, ..)| *symbol == term);
        let mut mask = own.map_or(0, |at| 1 << at);
        for part in theory.terms.args(term).to_vec() {
            mask |= self.uses(theory, part);
        }
        self.uses.insert(term, mask);
        mask
    }

    /// The value of a term.
    pub(crate) fn value(&mut self, theory: &Theory, term: Term) -> Option<Val> {
        let loose = theory.terms.loose(term) as usize;
        let mask = self.uses(theory, term);
        let from = self.bound.len().checked_sub(loose)?;
        let mut key: Vec<u32> = self.bound[from..].iter().map(|(at, _)| *at).collect();
        for (at, (_, value, _)) in self.slots.iter().enumerate() {
            if mask >> at & 1 == 1 {
                key.push(*value);
            }
        }
        let key = (term, key.into_boxed_slice());
        if let Some(known) = self.known.get(&key) {
            return Some(known.clone());
        }
        if self.circuit.len() > GATES {
            return None;
        }
        let value = self.made(theory, term)?;
        self.known.insert(key, value.clone());
        Some(value)
    }

    fn made(&mut self, theory: &Theory, term: Term) -> Option<Val> {
        let args = theory.terms.args(term).to_vec();
        let sort = theory.terms.sort(term);
        Some(match theory.terms.op(term) {
            Op::True => Val::Bool(Lit::TRUE),
            Op::False => Val::Bool(Lit::FALSE),
            Op::Int(number) => Val::number(number),
            Op::Symbol(_) => self.symbol(theory, term)?,
            Op::Bound(at) => self.bound[self.bound.len() - 1 - at as usize].1.clone(),
            Op::Not => Val::Bool(!self.truth(theory, args[0])?),
            Op::And => {
                let all = self.truths(theory, &args, Lit::FALSE)?;
                Val::Bool(self.circuit.all(all))
            }
            Op::Or => {
                let all = self.truths(theory, &args, Lit::TRUE)?;
                Val::Bool(self.circuit.any(all))
            }
            Op::Ite => match self.truth(theory, args[0])? {
                Lit::TRUE => self.value(theory, args[1])?,
                Lit::FALSE => self.value(theory, args[2])?,
                c => {
                    let (a, b) = (self.value(theory, args[1])?, self.value(theory, args[2])?);
                    ite(&mut self.circuit, c, &a, &b)?
                }
            },
            Op::Eq | Op::Same(_) => {
                let (a, b) = (self.value(theory, args[0])?, self.value(theory, args[1])?);
                Val::Bool(same(&mut self.circuit, &a, &b)?)
            }
            Op::Le => {
                let (a, b) = (self.value(theory, args[0])?, self.value(theory, args[1])?);
                Val::Bool(related(&mut self.circuit, &a, &b, |x, y| x <= y)?)
            }
            Op::Add => {
                let mut sum = Val::number(0);
                for arg in args {
                    let one = self.value(theory, arg)?;
                    sum = pairwise(&mut self.circuit, &sum, &one, i64::checked_add)?;
                }
                sum
            }
            Op::Scale(by) => {
                let one = self.value(theory, args[0])?;
                pairwise(&mut self.circuit, &one, &Val::number(by), |x, y| {
                    x.checked_mul(y)
                })?
            }
            Op::Mul => {
                let (a, b) = (self.value(theory, args[0])?, self.value(theory, args[1])?);
                pairwise(&mut self.circuit, &a, &b, i64::checked_mul)?
            }
            Op::Div | Op::Mod => {
                let is_div = theory.terms.op(term) == Op::Div;
                let (a, b) = (self.value(theory, args[0])?, self.value(theory, args[1])?);
                pairwise(&mut self.circuit, &a, &b, |x, y| {
                    Some(match (y, is_div) {
                        (0, _) => 0,
                        (_, true) => x.div_euclid(y),
                        (_, false) => x.rem_euclid(y),
                    })
                })?
            }
            Op::Select => {
                let (function, at) = (self.value(theory, args[0])?, self.value(theory, args[1])?);
                let from = theory.terms.sort(args[1]);
                self.read(theory, &function, from, &at)?
            }
            Op::Store => {
                let from = theory.terms.sort(args[1]);
                let Val::Fun(held) = self.value(theory, args[0])? else {
                    return None;
                };
                let (at, value) = (self.value(theory, args[1])?, self.value(theory, args[2])?);
                let places = self.domain(theory, from)?;
                let mut all = Vec::new();
                for (place, old) in places.iter().zip(held.iter()) {
                    let here = same(&mut self.circuit, place, &at)?;
                    all.push(ite(&mut self.circuit, here, &value, old)?);
                }
                Val::Fun(Rc::new(all))
            }
            Op::Lambda => {
                let SortKind::Array(from, _) = theory.terms.kind(sort) else {
                    return None;
                };
                Val::Fun(Rc::new(self.everywhere(theory, from, args[0])?))
            }
            Op::Forall(over) => {
                let all = self.everywhere(theory, over, args[0])?;
                let all: Option<Vec<Lit>> = all.iter().map(Val::truth).collect();
                Val::Bool(self.circuit.all(all?))
            }
            Op::Exists(over) => {
                let all = self.everywhere(theory, over, args[0])?;
                let all: Option<Vec<Lit>> = all.iter().map(Val::truth).collect();
                Val::Bool(self.circuit.any(all?))
            }
            Op::Make(_, which) => {
                let SortKind::Data(at) = theory.terms.kind(sort) else {
                    return None;
                };
                let mut fields = Vec::new();
                for arg in args {
                    fields.push(self.value(theory, arg)?);
                }
                let count = 0..theory.terms.data(at).constructors.len();
                let made = count.map(|at| match at == which as usize {
                    true => (Lit::TRUE, Some(fields.clone())),
                    false => (Lit::FALSE, None),
                });
                Val::Data(Rc::new(made.collect()))
            }
            Op::Get(_, which, field) => {
                let Val::Data(made) = self.value(theory, args[0])? else {
                    return None;
                };
                match &made[which as usize].1 {
                    Some(fields) => fields[field as usize].clone(),
                    None => self.domain(theory, sort)?.first()?.clone(),
                }
            }
            Op::Is(_, which) => {
                let Val::Data(made) = self.value(theory, args[0])? else {
                    return None;
                };
                Val::Bool(made[which as usize].0)
            }
            Op::Total => {
                let Val::Fun(held) = self.value(theory, args[0])? else {
                    return None;
                };
                let mut sum = Val::number(0);
                for one in held.iter() {
                    sum = pairwise(&mut self.circuit, &sum, one, i64::checked_add)?;
                }
                sum
            }
            Op::Least | Op::Greatest => self.extreme(theory, term, args[0])?,
            Op::Call(_) => return None,
        })
    }

    fn truths(&mut self, theory: &Theory, args: &[Term], decides: Lit) -> Option<Vec<Lit>> {
        let mut all = Vec::new();
        for arg in args {
            let lit = self.truth(theory, *arg)?;
            all.push(lit);
            if lit == decides {
                break;
            }
        }
        Some(all)
    }

    /// The body at every place of a sort.
    fn everywhere(&mut self, theory: &Theory, sort: Sort, body: Term) -> Option<Vec<Val>> {
        let places = self.domain(theory, sort)?;
        let mut all = Vec::new();
        for (at, place) in places.iter().enumerate() {
            self.bound.push((at as u32, place.clone()));
            let value = self.value(theory, body);
            self.bound.pop();
            all.push(value?);
        }
        Some(all)
    }

    fn read(&mut self, theory: &Theory, function: &Val, from: Sort, at: &Val) -> Option<Val> {
        let Val::Fun(held) = function else {
            return None;
        };
        let places = self.domain(theory, from)?;
        let mut found: Option<Val> = None;
        for (place, value) in places.iter().zip(held.iter()).rev() {
            let here = same(&mut self.circuit, place, at)?;
            if here == Lit::TRUE {
                return Some(value.clone());
            }
            found = Some(match found {
                None => value.clone(),
                Some(other) => ite(&mut self.circuit, here, value, &other)?,
            });
        }
        found
    }

    fn extreme(&mut self, theory: &Theory, term: Term, set: Term) -> Option<Val> {
        let Val::Fun(members) = self.value(theory, set)? else {
            return None;
        };
        let mut each: Vec<(i64, Lit)> = Vec::new();
        for (at, member) in members.iter().enumerate() {
            each.push((self.window.0 + at as i64, member.truth()?));
        }
        if theory.terms.op(term) == Op::Greatest {
            each.reverse();
        }
        let (mut none, mut cases) = (Lit::TRUE, Vec::new());
        for (at, member) in each {
            cases.push((at, self.circuit.and(none, member)));
            none = self.circuit.and(none, !member);
        }
        cases.push((0, none));
        number(&mut self.circuit, cases)
    }

    fn symbol(&mut self, theory: &Theory, symbol: Term) -> Option<Val> {
        if let Some((_, _, value)) = self.slots.iter().find(|(one, ..)| *one == symbol) {
            return Some(value.clone());
        }
        if let Some(value) = self.fixed.get(&symbol) {
            return Some(value.clone());
        }
        let mut sizes = theory.size_symbols();
        if let Some((sort, _)) = sizes.find(|(_, term)| *term == symbol) {
            return Some(Val::number(*self.sizes.get(&sort)?));
        }
        // What means nothing is any one value; what nobody opened is open.
        let sort = theory.terms.sort(symbol);
        let value = match theory.is_default(symbol) {
            true => self.some(theory, sort)?,
            false => {
                let shape = self.shape_of_sort(theory, sort)?;
                shape.open(&mut self.circuit, &mut self.valid)
            }
        };
        self.fixed.insert(symbol, value.clone());
        Some(value)
    }

    /// Some value of a sort.
    fn some(&mut self, theory: &Theory, sort: Sort) -> Option<Val> {
        match theory.terms.kind(sort) {
            SortKind::Array(from, to) => {
                let (places, held) = (self.domain(theory, from)?.len(), self.some(theory, to)?);
                Some(Val::Fun(Rc::new(vec![held; places])))
            }
            _ => self.domain(theory, sort)?.first().cloned(),
        }
    }

    /// The shape of all values of a sort.
    pub(crate) fn shape_of_sort(&mut self, theory: &Theory, sort: Sort) -> Option<Shape> {
        Some(match theory.terms.kind(sort) {
            SortKind::Bool => Shape::Bool,
            SortKind::Int => Shape::Num((self.window.0..=self.window.1).collect()),
            SortKind::Named(id) => Shape::Num((0..*self.sizes.get(&id)?).collect()),
            SortKind::Data(at) => {
                let data = theory.terms.data(at).clone();
                let mut all = Vec::new();
                for constructor in &data.constructors {
                    let mut own = Vec::new();
                    for field in &constructor.fields {
                        own.push(self.shape_of_sort(theory, *field)?);
                    }
                    all.push(own);
                }
                Shape::Data(all)
            }
            SortKind::Array(from, to) => {
                let places = self.domain(theory, from)?.len();
                let held = self.shape_of_sort(theory, to)?;
                Shape::Fun(vec![held; places])
            }
        })
    }
}
