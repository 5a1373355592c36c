//! Terms, simplified as they are built.

use super::{Op, Sort, SortKind, Term, Terms};
use plainsong_ir::Ty;

/// The most values of a sort over which sums are written out.
const FEW: usize = 6;

impl Terms {
    /// A truth value.
    pub fn bool(&mut self, truth: bool) -> Term {
        self.node(if truth { Op::True } else { Op::False }, &[], Sort::BOOL)
    }

    /// An integer.
    pub fn int(&mut self, int: i64) -> Term {
        self.node(Op::Int(int), &[], Sort::INT)
    }

    /// A bound variable.
    pub fn bound(&mut self, index: u32, sort: Sort) -> Term {
        self.node(Op::Bound(index), &[], sort)
    }

    /// `!a`.
    pub fn not(&mut self, a: Term) -> Term {
        match self.op(a) {
            Op::True => self.bool(false),
            Op::False => self.bool(true),
            Op::Not => self.args(a)[0],
            Op::Le => {
                let (left, right) = (self.args(a)[0], self.args(a)[1]);
                self.lt(right, left)
            }
            _ => self.node(Op::Not, &[a], Sort::BOOL),
        }
    }

    pub fn and(&mut self, parts: &[Term]) -> Term {
        self.junction(parts, Op::And, Op::True, Op::False)
    }

    /// The parts of a conjunction; of anything else, itself.
    pub fn conjuncts(&self, term: Term) -> Vec<Term> {
        match self.op(term) {
            Op::And => self.args(term).to_vec(),
            _ => vec![term],
        }
    }

    /// Some of `parts`.
    pub fn or(&mut self, parts: &[Term]) -> Term {
        self.junction(parts, Op::Or, Op::False, Op::True)
    }

    fn junction(&mut self, parts: &[Term], op: Op, unit: Op, zero: Op) -> Term {
        let mut flat = Vec::new();
        for &part in parts {
            match self.op(part) {
                same if same == op => flat.extend_from_slice(self.args(part)),
                same if same == unit => {}
                same if same == zero => return part,
                _ => flat.push(part),
            }
        }
        let mut kept: Vec<Term> = Vec::new();
        for part in flat {
            if kept.contains(&part) {
                continue;
            }
            let opposite = self.not(part);
            if kept.contains(&opposite) {
                return self.node(zero, &[], Sort::BOOL);
            }
            kept.push(part);
        }
        match kept[..] {
            [] => self.node(unit, &[], Sort::BOOL),
            [only] => only,
            _ => self.node(op, &kept, Sort::BOOL),
        }
    }

    /// `a ==> b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not = self.not(a);
        self.or(&[not, b])
    }

    /// `if c { a } else { b }`.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        match self.op(c) {
            Op::True => return a,
            Op::False => return b,
            Op::Not => {
                let c = self.args(c)[0];
                return self.ite(c, b, a);
            }
            _ if a == b => return a,
            _ => {}
        }
        if self.sort(a) == Sort::BOOL {
            let yes = self.implies(c, a);
            let no = self.or(&[c, b]);
            return match (self.op(a), self.op(b)) {
                (Op::True, _) => self.or(&[c, b]),
                (Op::False, _) => {
                    let not = self.not(c);
                    self.and(&[not, b])
                }
                (_, Op::True) => yes,
                (_, Op::False) => self.and(&[c, a]),
                _ => self.and(&[yes, no]),
            };
        }
        let sort = self.sort(a);
        self.node(Op::Ite, &[c, a, b], sort)
    }

    /// `a == b`.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.bool(true);
        }
        let (left, right) = (self.op(a), self.op(b));
        match (left, right) {
            (Op::Int(x), Op::Int(y)) => return self.bool(x == y),
            (Op::True, _) => return b,
            (_, Op::True) => return a,
            (Op::False, _) => return self.not(b),
            (_, Op::False) => return self.not(a),
            (Op::Make(_, x), Op::Make(_, y)) if x != y => return self.bool(false),
            (Op::Make(..), Op::Make(..)) => {
                let pairs: Vec<(Term, Term)> = (self.args(a).iter().copied())
                    .zip(self.args(b).iter().copied())
                    .collect();
                let parts: Vec<Term> = pairs.into_iter().map(|(x, y)| self.eq(x, y)).collect();
                return self.and(&parts);
            }
            _ => {}
        }
        if self.sort(a) == Sort::INT
            && let Some(difference) = self.linear(a).plus(-1, &self.linear(b))
            && difference.parts.is_empty()
        {
            return self.bool(difference.constant == 0);
        }
        let (a, b) = (a.min(b), a.max(b));
        self.node(Op::Eq, &[a, b], Sort::BOOL)
    }

    /// Equality of values of the source type `ty`, whose sort contains functions.
    pub fn same(&mut self, ty: &Ty, a: Term, b: Term) -> Term {
        if a == b {
            return self.bool(true);
        }
        let number = match self.types.iter().position(|known| known == ty) {
            Some(number) => number,
            None => {
                self.types.push(ty.clone());
                self.types.len() - 1
            }
        };
        let (a, b) = (a.min(b), a.max(b));
        self.node(Op::Same(number as u32), &[a, b], Sort::BOOL)
    }

    /// The quotient of `a` by `b` whose remainder is not negative.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        self.division(Op::Div, a, b, i64::checked_div_euclid)
    }

    /// That remainder.
    pub fn modulo(&mut self, a: Term, b: Term) -> Term {
        self.division(Op::Mod, a, b, i64::checked_rem_euclid)
    }

    fn division(&mut self, op: Op, a: Term, b: Term, fold: fn(i64, i64) -> Option<i64>) -> Term {
        if let (Op::Int(x), Op::Int(y)) = (self.op(a), self.op(b))
            && let Some(result) = fold(x, y)
        {
            return self.int(result);
        }
        self.node(op, &[a, b], Sort::INT)
    }

    /// The sort of functions between two sorts.
    pub fn array_sort(&mut self, from: Sort, to: Sort) -> Sort {
        self.sort_of(SortKind::Array(from, to))
    }

    /// Index and value sort of a function.
    pub fn array_parts(&self, sort: Sort) -> (Sort, Sort) {
        match self.kind(sort) {
            SortKind::Array(from, to) => (from, to),
            other => panic!("a function has a function's sort, not {other:?}"),
        }
    }

    /// `f[at]`, resolved as far as `f` is known.
    pub fn select(&mut self, f: Term, at: Term) -> Term {
        let key = (f, Op::Select, Some(at));
        if let Some(&known) = self.reads.get(&key) {
            return known;
        }
        let read = self.resolve_select(f, at);
        self.reads.insert(key, read);
        read
    }

    fn resolve_select(&mut self, f: Term, at: Term) -> Term {
        match self.op(f) {
            Op::Lambda => {
                let body = self.args(f)[0];
                return self.instantiate(body, at);
            }
            Op::Store => {
                let [inner, place, value] = self.args(f)[..] else {
                    panic!("a change has three arguments")
                };
                let here = self.eq(at, place);
                let rest = self.select(inner, at);
                return self.ite(here, value, rest);
            }
            Op::Ite => {
                let [c, a, b] = self.args(f)[..] else {
                    panic!("a choice has three arguments")
                };
                let (a, b) = (self.select(a, at), self.select(b, at));
                return self.ite(c, a, b);
            }
            _ => {}
        }
        let (_, to) = self.array_parts(self.sort(f));
        self.node(Op::Select, &[f, at], to)
    }

    /// `f` changed at one place.
    pub fn store(&mut self, f: Term, at: Term, value: Term) -> Term {
        let sort = self.sort(f);
        self.node(Op::Store, &[f, at, value], sort)
    }

    /// The function whose value at the symbol `at` is `body`.
    pub fn lambda(&mut self, at: Term, body: Term) -> Term {
        let from = self.sort(at);
        let to = self.sort(body);
        let sort = self.array_sort(from, to);
        let body = self.close(at, body);
        self.function(body, sort)
    }

    /// The function with this body.
    fn function(&mut self, body: Term, sort: Sort) -> Term {
        // The function that reads a function everywhere is that function.
        if self.op(body) == Op::Select
            && let [inner, index] = self.args(body)[..]
            && self.op(index) == Op::Bound(0)
            && self.is_closed(inner)
        {
            return inner;
        }
        self.node(Op::Lambda, &[body], sort)
    }

    /// For every value of the symbol `at`.
    pub fn forall(&mut self, at: Term, body: Term) -> Term {
        let sort = self.sort(at);
        let body = self.close(at, body);
        self.quantify(Op::Forall(sort), body)
    }

    /// For some value of the symbol `at`.
    pub fn exists(&mut self, at: Term, body: Term) -> Term {
        let sort = self.sort(at);
        let body = self.close(at, body);
        self.quantify(Op::Exists(sort), body)
    }

    /// A quantifier around a body in which the variable is `Bound(0)`.
    pub(crate) fn quantify(&mut self, op: Op, body: Term) -> Term {
        if !self.mentions(body, 0) {
            // Every sort has a member.
            let any = self.bool(true);
            return self.instantiate(body, any);
        }
        self.node(op, &[body], Sort::BOOL)
    }

    /// A value of a datatype.
    pub fn make(&mut self, sort: Sort, constructor: u32, fields: &[Term]) -> Term {
        let SortKind::Data(data) = self.kind(sort) else {
            panic!("a constructor makes a datatype")
        };
        self.node(Op::Make(data, constructor), fields, sort)
    }

    /// A field of a value that was made with `constructor`.
    pub fn get(&mut self, whole: Term, constructor: u32, field: u32) -> Term {
        let SortKind::Data(data) = self.kind(self.sort(whole)) else {
            panic!("only datatypes have fields")
        };
        let key = (whole, Op::Get(data, constructor, field), None);
        if let Some(&known) = self.reads.get(&key) {
            return known;
        }
        let read = self.resolve_get(data, whole, constructor, field);
        self.reads.insert(key, read);
        read
    }

    fn resolve_get(&mut self, data: u32, whole: Term, constructor: u32, field: u32) -> Term {
        match self.op(whole) {
            Op::Make(_, made) if made == constructor => return self.args(whole)[field as usize],
            Op::Ite => {
                let [c, a, b] = self.args(whole)[..] else {
                    panic!("a choice has three arguments")
                };
                let a = self.get(a, constructor, field);
                let b = self.get(b, constructor, field);
                return self.ite(c, a, b);
            }
            _ => {}
        }
        let sort = self.data(data).constructors[constructor as usize].fields[field as usize];
        self.node(Op::Get(data, constructor, field), &[whole], sort)
    }

    /// Was `whole` made with `constructor`?
    pub fn is(&mut self, whole: Term, constructor: u32) -> Term {
        let SortKind::Data(data) = self.kind(self.sort(whole)) else {
            panic!("only datatypes have constructors")
        };
        let key = (whole, Op::Is(data, constructor), None);
        if let Some(&known) = self.reads.get(&key) {
            return known;
        }
        let answer = self.resolve_is(data, whole, constructor);
        self.reads.insert(key, answer);
        answer
    }

    fn resolve_is(&mut self, data: u32, whole: Term, constructor: u32) -> Term {
        match self.op(whole) {
            Op::Make(_, made) => return self.bool(made == constructor),
            Op::Ite => {
                let [c, a, b] = self.args(whole)[..] else {
                    panic!("a choice has three arguments")
                };
                let (a, b) = (self.is(a, constructor), self.is(b, constructor));
                return self.ite(c, a, b);
            }
            _ => {}
        }
        if self.data(data).constructors.len() == 1 {
            return self.bool(true);
        }
        self.node(Op::Is(data, constructor), &[whole], Sort::BOOL)
    }

    /// The sum of all values of a function; written out if there are few.
    pub fn total(&mut self, f: Term) -> Term {
        let zero = self.int(0);
        if self.op(f) == Op::Lambda && self.args(f)[0] == zero {
            return zero;
        }
        let (from, _) = self.array_parts(self.sort(f));
        match self.few(from) {
            Some(places) => places.into_iter().fold(zero, |sum, place| {
                let value = self.select(f, place);
                self.add(sum, value)
            }),
            None => self.total_of_many(f),
        }
    }

    fn total_of_many(&mut self, f: Term) -> Term {
        if self.op(f) == Op::Lambda
            && let Some((rest, more)) = self.without_points(self.args(f)[0])
        {
            let sort = self.sort(f);
            let rest = self.function(rest, sort);
            let sum = self.total(rest);
            return self.add(sum, more);
        }
        self.node(Op::Total, &[f], Sort::INT)
    }

    /// All values of a sort: truth values, or those of a small enum whose values have no parts.
    fn few(&mut self, sort: Sort) -> Option<Vec<Term>> {
        match self.kind(sort) {
            SortKind::Bool => Some(vec![self.bool(false), self.bool(true)]),
            SortKind::Data(data) => {
                let rows = &self.data(data).constructors;
                let plain = rows.iter().all(|row| row.fields.is_empty());
                let count = rows.len().min(FEW + 1);
                (plain && count <= FEW).then(|| {
                    (0..count)
                        .map(|at| self.make(sort, at as u32, &[]))
                        .collect()
                })
            }
            _ => None,
        }
    }

    /// The least or greatest member of a set of integers.
    pub fn extreme(&mut self, least: bool, set: Term) -> Term {
        let op = if least { Op::Least } else { Op::Greatest };
        self.node(op, &[set], Sort::INT)
    }

    /// A call of a recursive function.
    pub fn call(&mut self, function: u32, args: &[Term], sort: Sort) -> Term {
        self.node(Op::Call(function), args, sort)
    }

    /// A term like `term` with other arguments, simplified again.
    pub(crate) fn rebuild(&mut self, term: Term, args: &[Term]) -> Term {
        match self.op(term) {
            Op::True | Op::False | Op::Int(_) | Op::Symbol(_) | Op::Bound(_) => term,
            Op::Not => self.not(args[0]),
            Op::And => self.and(args),
            Op::Or => self.or(args),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::Eq => self.eq(args[0], args[1]),
            Op::Same(number) => {
                let ty = self.types[number as usize].clone();
                self.same(&ty, args[0], args[1])
            }
            Op::Add => args[1..]
                .iter()
                .fold(args[0], |sum, arg| self.add(sum, *arg)),
            Op::Scale(factor) => {
                let zero = self.int(0);
                self.plus(zero, factor, args[0])
            }
            Op::Mul => self.mul(args[0], args[1]),
            Op::Div => self.div(args[0], args[1]),
            Op::Mod => self.modulo(args[0], args[1]),
            Op::Le => self.le(args[0], args[1]),
            Op::Select => self.select(args[0], args[1]),
            Op::Store => self.store(args[0], args[1], args[2]),
            op @ (Op::Forall(_) | Op::Exists(_)) => self.quantify(op, args[0]),
            Op::Get(_, constructor, field) => self.get(args[0], constructor, field),
            Op::Is(_, constructor) => self.is(args[0], constructor),
            Op::Total => self.total(args[0]),
            op @ (Op::Lambda | Op::Make(..) | Op::Least | Op::Greatest | Op::Call(_)) => {
                let sort = self.sort(term);
                self.node(op, args, sort)
            }
        }
    }
}
