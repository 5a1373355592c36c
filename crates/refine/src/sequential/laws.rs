//! Laws about what is pending: for each value of a key, at most one async.
//!
//! A law has a key, and members: actions, each of which says where the parts of the key stand among its
//! parameters. A part that stands nowhere may have any value: such an async counts for all of them. `Start(r)`,
//! which creates `Join(r, n)` for all `n`, and `Join(r, n)` are members of a law with the key `(r, n)`.
//!
//! Statement. If `init` creates at most one member for each value of the key, and every action and abstraction
//! creates members only for values that it counts for itself, at most one for each, then for each value
//! at most one member is pending, in every configuration.
//!
//! Why sound. Induction over the steps of any of the programs that the sequentializations lead to: each step runs
//! an action or an abstraction, and takes away the async that it runs.
//!
//! Laws are found, not declared, by looking at the text: which arguments are the creator's parameters, which the
//! names of loops around. One that is missed is missed silently; an invariant can say it.

use super::pool::{created, pool};
use plainsong_ir::{
    ActionId, Actions, Block, Code, Domain, Expr, ExprKind, LocalId, Stmt, StmtKind, Ty,
};
use std::collections::BTreeMap;

/// The most parameters of an action for which keys are tried.
const MOST: usize = 4;

/// Where the parts of a key stand among the parameters of a member.
pub(crate) type Places = Vec<Option<usize>>;

/// For each value of a key, at most one of its members is pending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Law {
    key: Vec<Ty>,
    pub(crate) members: BTreeMap<ActionId, Places>,
}

/// What a step runs: the action whose async it takes away (none for `init`), and the code.
type Step<'s> = (Option<ActionId>, &'s Code);

impl Law {
    /// The parameters of two members that have to be equal for both to count for the same value; `None` if they
    /// are no members, or some part of the key stands in neither.
    pub(crate) fn meet(&self, one: ActionId, other: ActionId) -> Option<Vec<(usize, usize)>> {
        let parts = self.members.get(&one)?.iter();
        let parts = parts.zip(self.members.get(&other)?);
        let mut equal = Vec::new();
        for pair in parts {
            match pair {
                (Some(a), Some(b)) => equal.push((*a, *b)),
                (None, None) => return None,
                _ => {}
            }
        }
        Some(equal)
    }
}

/// The laws of a program and of those that its first `count` sequentializations lead to.
pub(crate) fn laws(actions: &Actions, count: usize) -> Vec<Law> {
    let code = |id: ActionId| &actions.actions[id.index()].code;
    let ids = pool(actions, 0);
    let mut steps: Vec<Step<'_>> = ids.iter().map(|id| (Some(*id), code(*id))).collect();
    let eliminated = actions.sequences[..count].iter();
    for one in eliminated.flat_map(|sequence| &sequence.eliminated) {
        // What asserts its waits creates the same.
        steps.extend(one.by.map(|by| (Some(one.action), code(by))));
    }
    steps.extend(actions.init.as_ref().map(|code| (None, code)));
    let mut found: Vec<Law> = Vec::new();
    for &action in &ids {
        let code = code(action);
        for key in keys(code.arity.min(MOST)) {
            let law = derived(&steps, action, code, &key);
            if steps.iter().all(|step| kept(&law, step)) && !found.contains(&law) {
                found.push(law);
            }
        }
    }
    let stronger = |one: &Law, other: &Law| {
        let mut members = one.members.iter();
        one != other
            && one.key == other.key
            && members.all(|(id, places)| other.members.get(id) == Some(places))
    };
    let all = found.clone();
    found.retain(|law| !all.iter().any(|other| stronger(law, other)));
    found
}

/// Sets of parameters, small ones first.
fn keys(arity: usize) -> Vec<Vec<usize>> {
    let mut keys: Vec<Vec<usize>> = (0..1_usize << arity)
        .map(|set| (0..arity).filter(|at| set & (1 << at) != 0).collect())
        .collect();
    keys.sort_by_key(Vec::len);
    keys
}

/// The least law whose key is these parameters of an action: whoever creates a member is one.
fn derived(steps: &[Step<'_>], action: ActionId, code: &Code, key: &[usize]) -> Law {
    let places: Places = key.iter().map(|at| Some(*at)).collect();
    let mut law = Law {
        key: key.iter().map(|at| code.locals[*at].ty.clone()).collect(),
        members: BTreeMap::from([(action, places)]),
    };
    loop {
        let before = law.members.clone();
        for (id, code) in steps {
            let Some(id) = id else { continue };
            for (created, arguments) in sites(&code.body) {
                let Some(places) = law.members.get(&created) else {
                    continue;
                };
                let own: Places = places
                    .iter()
                    .map(|place| place.and_then(|at| parameter(code, &arguments[at])))
                    .collect();
                let merged = match law.members.get(id) {
                    None => own,
                    Some(known) => {
                        let pairs = known.iter().zip(own);
                        pairs.map(|(a, b)| a.filter(|_| *a == b)).collect()
                    }
                };
                law.members.insert(*id, merged);
            }
        }
        if law.members == before {
            return law;
        }
    }
}

/// Which parameter an argument is.
fn parameter(code: &Code, argument: &Expr) -> Option<usize> {
    let local = fixed(code, argument)?;
    (local.index() < code.arity).then(|| local.index())
}

/// Which name that is never assigned an argument is.
fn fixed(code: &Code, argument: &Expr) -> Option<LocalId> {
    match argument.kind {
        ExprKind::Local(local) if !code.locals[local.index()].mutable => Some(local),
        _ => None,
    }
}

fn sites(block: &Block) -> Vec<(ActionId, Vec<Expr>)> {
    use plainsong_ir::visit::{Visit, walk};
    struct Sites(Vec<(ActionId, Vec<Expr>)>);
    impl Visit for Sites {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::Async(id, arguments) = &stmt.kind {
                self.0.push((*id, arguments.clone()));
            }
            walk::stmt(self, stmt);
        }
    }
    let mut sites = Sites(Vec::new());
    sites.block(block);
    sites.0
}

/// Does a step create members only for values that it counts for, at most one for each?
fn kept(law: &Law, (id, code): &Step<'_>) -> bool {
    let own = match id {
        None => Some(vec![None; law.key.len()]),
        Some(id) => law.members.get(id).cloned(),
    };
    let looking = LawWalk {
        law,
        code,
        own: own.as_ref(),
    };
    looking.block(&code.body, &mut Vec::new()).is_some()
}

struct LawWalk<'a> {
    law: &'a Law,
    code: &'a Code,
    /// What the step counts for.
    own: Option<&'a Places>,
}

impl LawWalk<'_> {
    /// Is a member created? `None` if perhaps two are for the same value, or one that is not counted for.
    fn block(&self, block: &Block, around: &mut Vec<LocalId>) -> Option<bool> {
        let mut creates = false;
        for stmt in block {
            let here = self.stmt(stmt, around)?;
            if creates && here {
                return None;
            }
            creates |= here;
        }
        Some(creates)
    }

    fn stmt(&self, stmt: &Stmt, around: &mut Vec<LocalId>) -> Option<bool> {
        match &stmt.kind {
            StmtKind::Async(id, arguments) => match self.law.members.get(id) {
                None => Some(false),
                Some(places) => self.site(places, arguments, around).then_some(true),
            },
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => self.one_of(&[yes, no], around),
            StmtKind::Match(_, arms) => {
                let bodies: Vec<&Block> = arms.iter().map(|(_, body)| body).collect();
                self.one_of(&bodies, around)
            }
            StmtKind::For {
                local,
                domain,
                body,
                ..
            } if takes_each_once(domain) => {
                around.push(*local);
                let creates = self.block(body, around);
                around.pop();
                creates
            }
            StmtKind::For { body, .. } | StmtKind::While(_, _, body) => {
                let members = created(body);
                let none = members.iter().all(|id| !self.law.members.contains_key(id));
                none.then_some(false)
            }
            _ => Some(false),
        }
    }

    /// One of several blocks is run. In a loop another round may run another of them, for the same value.
    fn one_of(&self, blocks: &[&Block], around: &mut Vec<LocalId>) -> Option<bool> {
        let mut creating = 0;
        for block in blocks {
            creating += usize::from(self.block(block, around)?);
        }
        (creating < 2 || around.is_empty()).then_some(creating > 0)
    }

    /// Is this created for values that the step counts for, another one in each round of the loops around?
    fn site(&self, places: &Places, arguments: &[Expr], around: &[LocalId]) -> bool {
        let Some(own) = self.own else { return false };
        let mut parts = own.iter().zip(places);
        let counted = parts.all(|(own, place)| match (own, place) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(at)) => parameter(self.code, &arguments[*at]) == Some(*own),
        });
        let is_key = |local: &LocalId| {
            let mut key = places.iter().flatten();
            key.any(|at| fixed(self.code, &arguments[*at]) == Some(*local))
        };
        counted && around.iter().all(is_key)
    }
}

/// Does a loop over this take each member once?
fn takes_each_once(domain: &Domain) -> bool {
    match domain {
        Domain::Type(_) => true,
        Domain::In(collection) => matches!(collection.ty, Ty::Set(_)),
    }
}
