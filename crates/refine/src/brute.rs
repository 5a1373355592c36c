//! Mover conditions by brute force: every small state, through the interpreter.
//!
//! A condition that is false for some state is mostly false for a small one; then both orders are shown
//! side by side with the first difference. Where there are more states than can be tried, some of them
//! are, always the same ones. So this refutes and never proves.
//!
//! Nothing is refuted of actions that the interpreter runs only in part ([`crate::cut`]).
//!
//! A state need not be reachable: a mover must commute wherever its gate holds. The way out is a stronger
//! gate; the picture shows what it has to exclude, and says whether the program gets there.

mod doubled;
mod held;
mod picture;
mod reached;
mod states;
mod unrefined;

use crate::answer::Refutation;
use crate::cut::is_cut;
use crate::movers::{Condition, Need};
use crate::read_write_sets::Footprint;
use held::is_linear;
pub(crate) use picture::refutation;
use plainsong_ir::{Action, ActionId, Actions, GlobalId, Song};
use plainsong_semantics::atomic::{Atoms, Done, Effect};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::value::Value;
pub(crate) use reached::gets_to;
use reached::{Reached, reached};
use states::combinations;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most instances of one size that are tried.
const INSTANCES: usize = 6;

/// The most states of a first look.
const FEW: usize = 200;

/// Small instances of a song's actions, made when they are needed.
pub struct Brute {
    song: Arc<Song>,
    largest: i64,
    /// The most of each size.
    instances: usize,
    few: OnceCell<Box<Brute>>,
    /// With the size of their sorts.
    atoms: OnceCell<Vec<(i64, Atoms)>>,
    /// The most states tried for each condition and instance.
    most: usize,
}

/// A state and the arguments of two actions of different threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scene {
    pub(crate) globals: Vec<Value>,
    pub(crate) first: Vec<Value>,
    pub(crate) second: Vec<Value>,
}

/// In what way a condition is false in a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// What first and then second leads to, the other order does not lead to.
    Order { between: Done, end: Done },
    /// The second fails after the first, and not before.
    Gate { between: Done, failure: String },
    /// The first fails before the second, and not after.
    Failure { between: Done, failure: String },
    /// The second cannot act.
    Blocked,
    /// The first creates asyncs.
    Creates(Done),
}

impl Brute {
    /// Instances with sorts of one to `largest` members and small numbers.
    pub fn new(song: &Arc<Song>, largest: i64, most: usize) -> Brute {
        Brute {
            song: song.clone(),
            largest,
            instances: INSTANCES,
            atoms: OnceCell::new(),
            few: OnceCell::new(),
            most,
        }
    }

    fn atoms(&self) -> &[(i64, Atoms)] {
        self.atoms.get_or_init(|| self.instances())
    }

    fn instances(&self) -> Vec<(i64, Atoms)> {
        let song = &self.song;
        let bounds = Bounds {
            int: (-1, 2),
            nat: 2,
            length: 2,
            ..Bounds::default()
        };
        let mut atoms = Vec::new();
        for size in 1..=self.largest {
            let mut sizes = Sizes::new();
            for sort in &song.sorts {
                if sort.is_sized() {
                    sizes = sizes.with(sort.name.clone(), size);
                }
            }
            let found = Instance::all(song.clone(), &sizes, &bounds).unwrap_or_default();
            let few = found.iter().take(self.instances);
            atoms.extend(few.map(|one| (size, Atoms::new(one))));
            if song.sorts.is_empty() {
                break;
            }
        }
        atoms
    }

    /// The same with a few of the smallest states only: most of what is false is false there.
    fn first_look(&self) -> &Brute {
        self.few.get_or_init(|| {
            let (largest, most) = (self.largest.min(2), self.most.min(FEW));
            Box::new(Brute {
                instances: 1,
                ..Brute::new(&self.song, largest, most)
            })
        })
    }

    /// A very small state in which the condition is false, drawn.
    pub fn refutes_at_once(&self, need: &Need) -> Option<Refutation> {
        self.first_look().refutes(need)
    }

    /// A small state in which the condition is false, drawn. It is said whether the program gets there.
    pub fn refutes(&self, need: &Need) -> Option<Refutation> {
        let (size, atoms, scene, wrong) = self.found(need, &|_, _| true)?;
        let Reached { there, said } = reached(atoms, size, need, &scene);
        let (scene, wrong) = there.unwrap_or((scene, wrong));
        let mut told = picture::refutation(atoms, need, &scene, &wrong);
        told.picture.extend(said);
        Some(told)
    }

    /// The same for arguments of which something is known.
    pub(crate) fn refutes_where(
        &self,
        need: &Need,
        possible: &dyn Fn(&[Value], &[Value]) -> bool,
    ) -> Option<Refutation> {
        let (_, atoms, scene, wrong) = self.found(need, possible)?;
        Some(picture::refutation(atoms, need, &scene, &wrong))
    }

    fn found(
        &self,
        need: &Need,
        possible: &dyn Fn(&[Value], &[Value]) -> bool,
    ) -> Option<(i64, &Atoms, Scene, Wrong)> {
        self.atoms().iter().find_map(|(size, atoms)| {
            let (scene, wrong) = self.wrong(atoms, need, possible)?;
            Some((*size, atoms, scene, wrong))
        })
    }

    fn wrong(
        &self,
        atoms: &Atoms,
        need: &Need,
        possible: &dyn Fn(&[Value], &[Value]) -> bool,
    ) -> Option<(Scene, Wrong)> {
        let song = atoms.instance().song().clone();
        let actions = song.actions()?;
        let pair = [need.first, need.second];
        if pair
            .into_iter()
            .any(|id| is_cut(&song, action(actions, id)))
        {
            return None;
        }
        for scene in scenes(atoms, actions, need, self.most)? {
            if !possible(&scene.first, &scene.second) {
                continue;
            }
            match wrong_in(atoms, need, &scene) {
                Some(wrong) => return Some((scene, wrong)),
                None => continue,
            }
        }
        None
    }
}

/// The scenes to try, fewest first; `None` when the values of a type cannot be listed.
fn scenes(atoms: &Atoms, actions: &Actions, need: &Need, most: usize) -> Option<Vec<Scene>> {
    let instance = atoms.instance();
    let (one, two) = (action(actions, need.first), action(actions, need.second));
    let touched: BTreeSet<GlobalId> = &Footprint::of(one).all() | &Footprint::of(two).all();
    let mut domains: Vec<Vec<Value>> = Vec::new();
    for (at, global) in actions.globals.iter().enumerate() {
        let mut values = instance.candidates(&global.ty).ok()?;
        if !touched.contains(&GlobalId::from(at)) {
            values.truncate(1);
        }
        domains.push(values);
    }
    for action in [one, two] {
        for row in &action.code.locals[..action.code.arity] {
            domains.push(instance.candidates(&row.ty).ok()?);
        }
    }
    let globals = actions.globals.len();
    let middle = globals + one.code.arity;
    let mut scenes = Vec::new();
    for values in combinations(&domains, most) {
        let scene = Scene {
            globals: values[..globals].to_vec(),
            first: values[globals..middle].to_vec(),
            second: values[middle..].to_vec(),
        };
        if is_linear(instance.song(), need, &scene) {
            scenes.push(scene);
        }
    }
    Some(scenes)
}

/// In what way the condition is false in this scene, if it is.
pub(crate) fn wrong_in(atoms: &Atoms, need: &Need, scene: &Scene) -> Option<Wrong> {
    let one = |globals: &[Value]| atoms.run(need.first, globals, &scene.first);
    let two = |globals: &[Value]| atoms.run(need.second, globals, &scene.second);
    let start = &scene.globals[..];
    let (first, second) = (one(start), two(start));
    match need.condition {
        Condition::Commutes => {
            let (first, second) = (passes(&first)?, passes(&second)?);
            for between in &first {
                for end in dones(&two(&between.globals))? {
                    if !reaches(&second, between, &end, &one)? {
                        let between = between.clone();
                        return Some(Wrong::Order { between, end });
                    }
                }
            }
            None
        }
        Condition::Gate => {
            passes(&second)?;
            for between in passes(&first)? {
                if let Some(failure) = failure(&two(&between.globals))? {
                    return Some(Wrong::Gate { between, failure });
                }
            }
            None
        }
        Condition::Failure => {
            let failure = failure(&first)??;
            for between in passes(&second)? {
                if passes(&one(&between.globals)).is_some() {
                    return Some(Wrong::Failure { between, failure });
                }
            }
            None
        }
        Condition::Nonblocking => passes(&second)?.is_empty().then_some(Wrong::Blocked),
        Condition::AsyncFree => {
            let created = passes(&first)?.into_iter();
            let mut created = created.filter(|done| !done.created.is_empty());
            created.next().map(Wrong::Creates)
        }
    }
}

/// Does second and then first lead to the same end? If the first may fail there, that is as good: the
/// swapped order fails.
fn reaches(
    second: &[Done],
    between: &Done,
    end: &Done,
    one: &dyn Fn(&[Value]) -> Vec<Effect>,
) -> Option<bool> {
    let mut created = [&between.created[..], &end.created[..]].concat();
    created.sort();
    for early in second.iter().filter(|early| early.result == end.result) {
        let late = one(&early.globals);
        if failure(&late)?.is_some() {
            return Some(true);
        }
        for late in dones(&late)? {
            let mut both = [&early.created[..], &late.created[..]].concat();
            both.sort();
            if late.globals == end.globals && late.result == between.result && both == created {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// What an action leads to if its gate holds; `None` when it does not or the interpreter gave up.
fn passes(effects: &[Effect]) -> Option<Vec<Done>> {
    match failure(effects)? {
        Some(_) => None,
        None => dones(effects),
    }
}

/// What it leads to, whatever its gate, each end once; `None` when the interpreter gave up.
fn dones(effects: &[Effect]) -> Option<Vec<Done>> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for effect in effects {
        match effect {
            Effect::Done(done) if seen.insert(done) => all.push(done.clone()),
            Effect::Done(_) => {}
            failed if failed.is_limit() => return None,
            Effect::Failed(_) => {}
        }
    }
    Some(all)
}

/// Why it fails, if it does; `None` outside when the interpreter gave up.
fn failure(effects: &[Effect]) -> Option<Option<String>> {
    let mut why = None;
    for effect in effects {
        match effect {
            Effect::Done(_) => {}
            failed if failed.is_limit() => return None,
            Effect::Failed(failure) => why = Some(failure.message.clone()),
        }
    }
    Some(why)
}

fn action(actions: &Actions, id: ActionId) -> &Action {
    &actions.actions[id.index()]
}
