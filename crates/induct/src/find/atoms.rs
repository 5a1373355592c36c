//! Atoms: what is true or false of a state and a few members of its sorts.
//!
//! Two names for each sort of identities. Terms are the state variables, of processes and in maps at these names; atoms say of
//! a term, by its type, that it is true, is one of the variants, is a name, has a name in it, or is at most another
//! number; that asyncs or messages are in flight, and not twice; that names are the same.

use plainsong_ir::build::{
    binary, equal, expr, global, index, int, local, name, nat, none, some, truth,
};
use plainsong_ir::{
    ActionId, BinOp, ConstId, Expr, ExprKind, FamilyId, GlobalId, Local, LocalId, Song, SortKind,
    System, Ty, VarId,
};
use std::collections::BTreeSet;

/// The most atoms that are looked at.
const MOST: usize = 120;
/// The most terms that are numbers.
const NUMBERS: usize = 8;

/// Names for members, and the atoms about them.
pub(crate) struct Atoms {
    /// The names.
    pub(crate) locals: Vec<Local>,
    /// The atoms, in the form of the song.
    pub(crate) all: Vec<Expr>,
    /// Which of them say that two names are the same: these are not negated.
    pub(crate) same: BTreeSet<usize>,
}

impl Atoms {
    /// The atoms of a song; nothing if there are too many.
    pub(crate) fn of(song: &Song) -> Option<Atoms> {
        let maker = Maker {
            song,
            locals: names(song),
        };
        let (mut all, mut same) = (Vec::new(), BTreeSet::new());
        for [one, other] in maker.pairs() {
            same.insert(all.len());
            all.push(equal(one, other));
        }
        maker.about_terms(&mut all);
        maker.about_pending(&mut all);
        (all.len() <= MOST).then_some(Atoms {
            locals: maker.locals,
            all,
            same,
        })
    }
}

/// Two names for each sort of identities, none of which means something else in the song.
fn names(song: &Song) -> Vec<Local> {
    let mut taken: BTreeSet<&str> = song.consts.iter().map(|row| &*row.name).collect();
    taken.extend(song.families.iter().map(|row| &*row.name));
    taken.extend(song.functions.iter().map(|row| &*row.name));
    if let Some(actions) = song.actions() {
        taken.extend(actions.globals.iter().map(|row| &*row.name));
    }
    let letters = ('a'..='z').map(|letter| letter.to_string());
    let mut free = letters.filter(|letter| !taken.contains(&**letter));
    let mut locals = Vec::new();
    for (at, sort) in song.sorts.iter().enumerate() {
        if matches!(sort.kind, SortKind::Identities { .. }) {
            for _ in 0..2 {
                let letter = free.next().unwrap_or_else(|| format!("x{at}"));
                locals.push(name(&letter, &Ty::Sort(at.into())));
            }
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

    /// The two names of each sort.
    fn pairs(&self) -> Vec<[Expr; 2]> {
        let pairs = (0..self.locals.len()).step_by(2);
        pairs
            .map(|at| [self.named(at), self.named(at + 1)])
            .collect()
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
                if variants.iter().any(|one| !one.fields.is_empty()) {
                    return Vec::new();
                }
                let all = 0..variants.len();
                all.map(|at| expr(ExprKind::Variant(*id, at, Vec::new()), ty.clone()))
                    .collect()
            }
            Ty::Option(inner) => {
                let mut all = vec![none(ty)];
                all.extend(self.values(inner).into_iter().map(some));
                all
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

    /// What is in a map at the names, and in maps in it.
    fn peeled(&self, term: Expr, all: &mut Vec<Expr>) {
        let Ty::Map(key, _) = &term.ty else {
            all.push(term);
            return;
        };
        for at in self.values(key) {
            self.peeled(index(term.clone(), at), all);
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
