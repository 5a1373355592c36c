//! Atoms: what is true or false of a state and a few members of its sorts.
//!
//! Three names for each sort. Terms are the state variables, of processes and in maps at these names; atoms say of
//! a term, by its type, that it is true, is one of the variants, is a name, has a name in it, or is at most another
//! number; that asyncs or messages are in flight, and not twice; that names are the same. Further atoms are the conditions in the
//! song itself, about names (a step that sets something remembers what it asked: provenance), and that there is a member with one or two of these.

use super::guards::guards;
use plainsong_ir::build::{
    all, binary, equal, expr, global, index, int, local, name, nat, none, not, proposition, some,
    truth,
};
use plainsong_ir::visit::{free_locals, reads_state, replace};
use plainsong_ir::{
    ActionId, BinOp, Binding, ConstId, Domain, Expr, ExprKind, FamilyId, GlobalId, Local, LocalId,
    Quantifier, Song, SortKind, System, Ty, VarId,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How many names each sort has; fewer where there would be too many atoms.
const NAMES: [usize; 2] = [3, 2];
/// The most atoms without `exists`.
const MOST: usize = 900;
/// The most atoms with `exists`.
const EXISTS: usize = 500;
/// The most terms that are numbers.
const NUMBERS: usize = 8;

/// How an atom came about: levels add one kind after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Of the state.
    Plain,
    /// A condition of the song, or that there is a member with something.
    Guard,
    /// There is a member with two things.
    Exists,
    /// There is a member with three things, one of which never changes.
    Deep,
}

/// Names for members, and the atoms about them.
pub(crate) struct Atoms {
    /// The names, then what atoms bind.
    pub(crate) locals: Vec<Local>,
    /// How many names there are.
    pub(crate) names: usize,
    /// How many names each sort has.
    pub(crate) each: usize,
    /// The atoms, in the form of the song.
    pub(crate) all: Vec<Expr>,
    pub(crate) kinds: Vec<Kind>,
    /// Which of them say that two names are the same: these are not negated.
    pub(crate) same: BTreeSet<usize>,
    /// The names in each.
    pub(crate) used: Vec<BTreeSet<LocalId>>,
    places: HashMap<String, usize>,
}

impl Atoms {
    /// The atoms of a song; nothing if there are too many.
    pub(crate) fn of(song: &Song) -> Option<Atoms> {
        NAMES.into_iter().find_map(|each| Atoms::with(song, each))
    }

    fn with(song: &Song, each: usize) -> Option<Atoms> {
        let locals = names(song, each);
        let mut atoms = Atoms {
            names: locals.len(),
            each,
            locals,
            all: Vec::new(),
            kinds: Vec::new(),
            same: BTreeSet::new(),
            used: Vec::new(),
            places: HashMap::new(),
        };
        let maker = Maker {
            song,
            locals: atoms.locals.clone(),
        };
        for (one, other) in maker.pairs(each) {
            atoms.same.insert(atoms.all.len());
            atoms.add(equal(one, other), Kind::Plain);
        }
        let mut plain = Vec::new();
        maker.about_terms(&mut plain);
        maker.about_pending(&mut plain);
        plain
            .into_iter()
            .for_each(|one| atoms.add(one, Kind::Plain));
        if atoms.all.len() > MOST {
            return None;
        }
        for guard in guards(song) {
            for atom in atoms.about_names(&guard) {
                atoms.add(atom, Kind::Guard);
            }
        }
        if atoms.all.len() > 2 * MOST {
            return None;
        }
        atoms.projections(song);
        Some(atoms)
    }

    fn add(&mut self, atom: Expr, kind: Kind) {
        let key = key(&atom);
        if self.places.contains_key(&key) {
            return;
        }
        self.places.insert(key, self.all.len());
        let names = self.names;
        let mut used = free_locals(&atom);
        used.retain(|one| one.index() < names);
        self.used.push(used);
        self.all.push(atom);
        self.kinds.push(kind);
    }

    /// An atom with a name for another one in some of the places, in every way: and in how many places.
    pub(crate) fn variants(&self, atom: usize, from: LocalId, to: LocalId) -> Vec<(usize, usize)> {
        let mut places = 0;
        rename(&mut self.all[atom].clone(), &mut |one| {
            places += usize::from(one == from);
            one
        });
        let mut found = Vec::new();
        for mask in 0..1_usize << places.min(4) {
            let (mut other, mut at) = (self.all[atom].clone(), 0);
            rename(&mut other, &mut |one| {
                let is_renamed = one == from && mask >> at & 1 == 1;
                at += usize::from(one == from);
                match is_renamed {
                    true => to,
                    false => one,
                }
            });
            found.extend(
                self.place(&other)
                    .map(|at| (at, mask.count_ones() as usize)),
            );
        }
        found
    }

    /// Where an atom is, also if it says which names are the same the other way round.
    fn place(&self, atom: &Expr) -> Option<usize> {
        let found = self.places.get(&key(atom)).or_else(|| {
            let ExprKind::Binary(BinOp::Eq, a, b) = &atom.kind else {
                return None;
            };
            self.places.get(&key(&equal((**b).clone(), (**a).clone())))
        });
        found.copied()
    }

    /// A condition of the song, with names for its free locals, in every way.
    fn about_names(&mut self, guard: &super::guards::Guard) -> Vec<Expr> {
        let free: Vec<LocalId> = free_locals(&guard.condition).into_iter().collect();
        let mut ways: Vec<BTreeMap<LocalId, LocalId>> = vec![BTreeMap::new()];
        for one in &free {
            let ty = &guard.locals[one.index()].ty;
            let own: Vec<LocalId> = (0..self.names)
                .filter(|at| self.locals[*at].ty == *ty)
                .map(LocalId::from)
                .collect();
            let longer = ways.iter().flat_map(|way| {
                own.iter().map(|name| {
                    let mut way = way.clone();
                    way.insert(*one, *name);
                    way
                })
            });
            ways = longer.collect();
        }
        // What is bound inside gets rows of its own.
        let mut bound: BTreeMap<LocalId, LocalId> = BTreeMap::new();
        for one in plainsong_ir::visit::locals_bound(&guard.condition) {
            let row = guard.locals[one.index()].clone();
            bound.insert(one, LocalId::from(self.locals.len()));
            self.locals.push(row);
        }
        let each = ways.into_iter().map(|way| {
            let mut atom = guard.condition.clone();
            rename(&mut atom, &mut |one| match bound.get(&one) {
                Some(other) => *other,
                None => way.get(&one).copied().unwrap_or(one),
            });
            atom
        });
        each.collect()
    }

    /// That there is a member with one thing, or with two, or with two and one that never changes: of the atoms about the last name
    /// of its sort.
    fn projections(&mut self, song: &Song) {
        let plain: Vec<usize> = (0..self.all.len())
            .filter(|at| self.kinds[*at] == Kind::Plain && !self.same.contains(at))
            .collect();
        for sort in 0..song.sorts.len() {
            let ty = Ty::Sort(sort.into());
            let own: Vec<usize> = (0..self.names)
                .filter(|at| self.locals[*at].ty == ty)
                .collect();
            let Some(last) = own.last().map(|at| LocalId::from(*at)) else {
                continue;
            };
            let about: Vec<usize> = plain
                .iter()
                .copied()
                .filter(|at| self.used[*at].contains(&last) && !is_at_most_one(&self.all[*at]))
                .collect();
            let bound = LocalId::from(self.locals.len());
            self.locals.push(self.locals[last.index()].clone());
            let member = Member {
                last,
                bound,
                ty: ty.clone(),
            };
            for &one in &about {
                self.add(member.exists(self.all[one].clone()), Kind::Guard);
            }
            self.pairs(&member, &about);
        }
    }

    /// That there is a member with two things, perhaps with a third that never changes.
    fn pairs(&mut self, member: &Member, about: &[usize]) {
        // Two names of each sort are enough here.
        let is_early = |one: &LocalId| *one == member.last || one.index() % self.each < 2;
        let early = about.iter().copied();
        let about: Vec<usize> = early
            .filter(|at| self.used[*at].iter().all(is_early))
            .collect();
        let is_fixed = |at: &&usize| !reads_state(&self.all[**at]);
        let fixed: Vec<usize> = about.iter().filter(is_fixed).copied().collect();
        let (mut two, mut three) = (Vec::new(), Vec::new());
        for (at, &one) in about.iter().enumerate() {
            for &other in &about[at + 1..] {
                let names: BTreeSet<_> = self.used[one].union(&self.used[other]).copied().collect();
                if names.len() > 3 {
                    continue;
                }
                let (first, second) = (self.all[one].clone(), self.all[other].clone());
                two.push(all([first.clone(), second.clone()]));
                two.push(all([first.clone(), not(second.clone())]));
                let never_changes = fixed.contains(&one) || fixed.contains(&other);
                for third in fixed.iter().filter(|_| !never_changes) {
                    let third = self.all[*third].clone();
                    three.push(all([third.clone(), first.clone(), second.clone()]));
                    three.push(all([third.clone(), first.clone(), not(second.clone())]));
                    three.push(all([third, not(first.clone()), second.clone()]));
                }
            }
        }
        two.truncate(EXISTS);
        three.truncate(EXISTS);
        two.into_iter()
            .for_each(|body| self.add(member.exists(body), Kind::Exists));
        three
            .into_iter()
            .for_each(|body| self.add(member.exists(body), Kind::Deep));
    }
}

/// The member of a sort that there is.
struct Member {
    /// The name that atoms have for it.
    last: LocalId,
    bound: LocalId,
    ty: Ty,
}

impl Member {
    fn exists(&self, mut body: Expr) -> Expr {
        rename(&mut body, &mut |one| match one == self.last {
            true => self.bound,
            false => one,
        });
        let binding = Binding {
            domain: Domain::Type(self.ty.clone()),
            names: vec![self.bound],
            filter: None,
        };
        proposition(ExprKind::Quantifier(
            Quantifier::Exists,
            vec![binding],
            Box::new(body),
        ))
    }
}

/// `pending(…) <= 1` is true nearly everywhere.
fn is_at_most_one(atom: &Expr) -> bool {
    matches!(&atom.kind, ExprKind::Binary(BinOp::Le, left, _) if matches!(left.kind, ExprKind::PendingOf(..)))
}

fn key(atom: &Expr) -> String {
    format!("{:?}", plainsong_ir::visit::without_spans(atom))
}

/// Other locals, also where they are bound.
fn rename(atom: &mut Expr, to: &mut dyn FnMut(LocalId) -> LocalId) {
    plainsong_ir::visit::rename_locals(atom, to);
}

/// Names for each sort, none of which means something else in the song.
fn names(song: &Song, each: usize) -> Vec<Local> {
    let mut taken: BTreeSet<&str> = song.consts.iter().map(|row| &*row.name).collect();
    taken.extend(song.families.iter().map(|row| &*row.name));
    taken.extend(song.functions.iter().map(|row| &*row.name));
    if let Some(actions) = song.actions() {
        taken.extend(actions.globals.iter().map(|row| &*row.name));
    }
    let bound = guards(song);
    let bound: BTreeSet<String> = bound
        .iter()
        .flat_map(|guard| guard.locals.iter().map(|row| row.name.clone()))
        .collect();
    let letters = ('a'..='z').map(|letter| letter.to_string());
    let twice = ('a'..='z').map(|letter| format!("{letter}{letter}"));
    let all = letters.chain(twice).filter(|one| one != "as");
    let mut free = all.filter(|letter| !taken.contains(&**letter) && !bound.contains(letter));
    let mut locals = Vec::new();
    for (at, sort) in song.sorts.iter().enumerate() {
        let _: &SortKind = &sort.kind;
        for number in 0..each {
            let letter = free.next().unwrap_or_else(|| format!("x{at}_{number}"));
            locals.push(name(&letter, &Ty::Sort(at.into())));
        }
    }
    locals
}

struct Maker<'s> {
    song: &'s Song,
    locals: Vec<Local>,
}

impl Maker<'_> {
    fn named(&self, at: usize) -> Expr {
        local(LocalId::from(at), &self.locals[at].ty)
    }

    /// The pairs of names of each sort.
    fn pairs(&self, each: usize) -> Vec<(Expr, Expr)> {
        let mut pairs = Vec::new();
        for first in (0..self.locals.len()).step_by(each) {
            for one in first..first + each {
                let others = one + 1..first + each;
                pairs.extend(others.map(|other| (self.named(one), self.named(other))));
            }
        }
        pairs
    }

    /// Simple values of a type: names, and what can be written down.
    fn values(&self, ty: &Ty) -> Vec<Expr> {
        match ty {
            Ty::Bool => vec![truth(true), truth(false)],
            Ty::Sort(_) => {
                let own = (0..self.locals.len()).filter(|at| self.locals[*at].ty == *ty);
                own.map(|at| self.named(at)).collect()
            }
            Ty::Enum(id) => {
                let variants = &self.song.enums[id.index()].variants;
                let mut all = Vec::new();
                for (at, variant) in variants.iter().enumerate() {
                    for fields in self.combinations(&variant.fields) {
                        all.push(expr(ExprKind::Variant(*id, at, fields), ty.clone()));
                    }
                }
                all
            }
            Ty::Option(inner) => {
                let mut all = vec![none(ty)];
                all.extend(self.values(inner).into_iter().map(some));
                all
            }
            Ty::Tuple(parts) => {
                let rows = self.combinations(parts).into_iter();
                rows.map(|row| expr(ExprKind::Tuple(row), ty.clone()))
                    .collect()
            }
            Ty::Struct(id) => {
                let row = &self.song.structs[id.index()];
                let types: Vec<Ty> = row.fields.iter().map(|(_, ty)| ty.clone()).collect();
                let rows = self.combinations(&types).into_iter();
                rows.map(|row| expr(ExprKind::Struct(*id, row), ty.clone()))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Every combination of simple values of some types; nothing where one has none.
    fn combinations(&self, types: &[Ty]) -> Vec<Vec<Expr>> {
        let mut rows = vec![Vec::new()];
        for ty in types {
            let values = self.values(ty);
            let longer = rows.iter().flat_map(|row: &Vec<Expr>| {
                let with = |value: &Expr| [&row[..], std::slice::from_ref(value)].concat();
                values.iter().map(with).collect::<Vec<_>>()
            });
            rows = longer.collect();
        }
        rows
    }

    /// The state variables at the names.
    fn terms(&self) -> Vec<Expr> {
        let mut all = Vec::new();
        match &self.song.system {
            System::Actions(actions) => {
                for (at, row) in actions.globals.iter().enumerate() {
                    self.peeled(global(GlobalId::from(at), &row.ty), &mut all);
                }
            }
            System::Voices(voices) => {
                for process in &voices.processes {
                    self.of_family(process.family, &mut all);
                }
            }
            System::None => {}
        }
        for (at, row) in self.song.consts.iter().enumerate() {
            if row.value.is_none() {
                let constant = expr(ExprKind::Const(ConstId::from(at)), row.ty.clone());
                self.peeled(constant, &mut all);
            }
        }
        all
    }

    fn of_family(&self, family: FamilyId, all: &mut Vec<Expr>) {
        let row = &self.song.families[family.index()];
        let types: Vec<Ty> = row.index.iter().map(|binder| binder.ty.clone()).collect();
        for indices in self.combinations(&types) {
            for (at, var) in row.vars.iter().enumerate() {
                let kind = ExprKind::Of(family, indices.clone(), VarId::from(at));
                self.peeled(expr(kind, var.ty.clone()), all);
            }
        }
    }

    /// What is in a map at the names, and in maps in it; parts of structs and tuples.
    fn peeled(&self, term: Expr, all: &mut Vec<Expr>) {
        match &term.ty {
            Ty::Map(key, _) => {
                for at in self.values(key) {
                    self.peeled(index(term.clone(), at), all);
                }
            }
            Ty::Struct(id) => {
                let fields = &self.song.structs[id.index()].fields;
                for (at, (_, ty)) in fields.iter().enumerate() {
                    let part = ExprKind::Field(Box::new(term.clone()), at);
                    self.peeled(expr(part, ty.clone()), all);
                }
            }
            Ty::Tuple(parts) => {
                for (at, ty) in parts.iter().enumerate() {
                    let part = ExprKind::Project(Box::new(term.clone()), at);
                    self.peeled(expr(part, ty.clone()), all);
                }
            }
            _ => all.push(term),
        }
    }

    fn about_terms(&self, all: &mut Vec<Expr>) {
        let terms = self.terms();
        for term in &terms {
            match &term.ty {
                Ty::Bool => all.push(term.clone()),
                Ty::Set(element) => {
                    let members = self.values(element).into_iter();
                    all.extend(members.map(|one| binary(BinOp::In, one, term.clone())));
                }
                ty => {
                    let values = self.values(ty).into_iter();
                    all.extend(values.map(|value| equal(term.clone(), value)));
                }
            }
        }
        let names = (0..self.locals.len()).map(|at| self.named(at));
        let ordered: Vec<Expr> = names
            .chain(terms.iter().cloned())
            .filter(|one| self.is_ordered(&one.ty))
            .collect();
        for one in &ordered {
            for other in ordered
                .iter()
                .filter(|other| one != *other && one.ty == other.ty)
            {
                all.push(binary(BinOp::Le, one.clone(), other.clone()));
            }
        }
        let is_number = |term: &&Expr| matches!(term.ty, Ty::Int | Ty::Nat);
        let numbers: Vec<&Expr> = terms.iter().filter(is_number).take(NUMBERS).collect();
        for (at, one) in numbers.iter().enumerate() {
            let later = numbers[at + 1..].iter().filter(|other| one.ty == other.ty);
            all.extend(later.map(|other| equal((*one).clone(), (*other).clone())));
            for other in numbers
                .iter()
                .filter(|other| one != *other && one.ty == other.ty)
            {
                all.push(binary(BinOp::Le, (*one).clone(), (**other).clone()));
            }
            let zero = match one.ty {
                Ty::Nat => nat(0),
                _ => int(0),
            };
            all.push(equal((*one).clone(), zero));
        }
    }

    fn is_ordered(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Sort(id) => !matches!(
                self.song.sorts[id.index()].kind,
                SortKind::Identities { ordered: false }
            ),
            _ => false,
        }
    }

    /// The types of the arguments of what can be pending, by number.
    fn pending(&self) -> Vec<(ActionId, Vec<Ty>)> {
        match &self.song.system {
            System::Actions(actions) => {
                let rows = actions.actions.iter().enumerate();
                let rows = rows.filter(|(_, row)| !row.role.repeat);
                rows.map(|(at, row)| (at.into(), crate::state::parameters(&row.code)))
                    .collect()
            }
            System::Voices(voices) => {
                let rows = voices.message_actions().into_iter().enumerate();
                rows.map(|(at, row)| (at.into(), row.parameters(self.song)))
                    .collect()
            }
            System::None => Vec::new(),
        }
    }

    fn about_pending(&self, all: &mut Vec<Expr>) {
        for (action, types) in self.pending() {
            for arguments in self.combinations(&types) {
                let count = expr(ExprKind::PendingOf(action, arguments), Ty::Nat);
                all.push(binary(BinOp::Gt, count.clone(), nat(0)));
                all.push(binary(BinOp::Le, count, nat(1)));
            }
        }
    }
}

/// Replaces what a process says of its own variables by what others say of them.
pub(crate) fn told_from_outside(condition: &mut Expr, family: FamilyId, indices: &[Expr]) {
    replace(condition, |one| match one.kind {
        ExprKind::Own(var) => {
            let kind = ExprKind::Of(family, indices.to_vec(), var);
            Some(expr(kind, one.ty.clone()))
        }
        _ => None,
    });
}
