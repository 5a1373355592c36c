//! Canonical representatives of orbits: one state for all that differ only in names.
//!
//! Each member of a sort looks at the state: it sees itself and others, but not which others. Members are put
//! in the order of what they see, which does not depend on their names; where two see the same, they are
//! exchanged if that makes the state smaller. So states with the same orbit mostly come to the same
//! representative; where they do not, an orbit is kept more than once, which is no harm.

use super::shape::{Eyes, Permutation, Shape, looks, mixed, row};
use crate::instance::Instance;
use crate::value::{Pid, Value};
use crate::voices::VoiceSystem;
use crate::voices::config::{Voice, VoicesConfig};
use crate::voices::loosen::Kept;
use plainsong_ir::{MessageId, SortId, Ty};
use std::sync::Arc;

/// The symmetric sorts of some processes, and where their members are in a state.
pub(super) struct Names {
    instance: Instance,
    sorts: Vec<SortId>,
    /// For each process: its locals and its variables.
    voices: Vec<(Vec<Shape>, Vec<Shape>)>,
    /// For each kind of message: its payload.
    payloads: Vec<Vec<Shape>>,
    /// For each row of the table of members: its indices.
    indices: Vec<Vec<Shape>>,
    /// For each sort and member: how it sees each process.
    seen: Vec<Vec<Vec<u64>>>,
}

/// A state that stands for all that differ from it in names.
pub(super) struct Representative {
    pub(super) config: VoicesConfig,
    /// How the original state became this.
    pub(super) by: Permutation,
    /// For how many states it stands, at most.
    pub(super) orbit: u128,
}

impl Names {
    /// Looks where the members of these sorts are.
    pub(super) fn new(system: &VoiceSystem, sorts: &[SortId]) -> Names {
        let instance = system.instance.clone();
        let song = instance.song().clone();
        let shape = |ty: &Ty| Shape::of(&song, sorts, ty);
        let index = |family: plainsong_ir::FamilyId| -> Vec<Shape> {
            let binders = song.families[family.index()].index.iter();
            binders.map(|binder| shape(&binder.ty)).collect()
        };
        let members = instance.members();
        let lanes = instance.lanes(crate::machine::Subject::System);
        let voice = |(lane, member): (usize, &crate::instance::Member)| {
            let vars = song.families[member.family.index()].vars.iter();
            let locals = slots(system, lane, &shape).unwrap_or_else(|| index(member.family));
            (locals, vars.map(|var| shape(&var.ty)).collect())
        };
        let voices = members[lanes].iter().enumerate().map(voice).collect();
        let messages = song.voices().map_or(&[][..], |voices| &voices.messages);
        let payload = |message: &plainsong_ir::Message| {
            let fields = message.fields.iter();
            fields.map(|field| shape(&field.ty)).collect()
        };
        let mut names = Names {
            voices,
            payloads: messages.iter().map(payload).collect(),
            indices: members.iter().map(|member| index(member.family)).collect(),
            sorts: sorts.to_vec(),
            seen: Vec::new(),
            instance: instance.clone(),
        };
        names.seen = names.views();
        names
    }

    /// The state that stands for this one.
    pub(super) fn representative(&self, config: &VoicesConfig) -> Representative {
        let mut found = Representative {
            config: config.clone(),
            by: self.permutation(self.nobody()),
            orbit: 1,
        };
        for sort in 0..self.sorts.len() {
            let looks = self.arrange(sort, &mut found);
            self.settle(sort, &looks, &mut found);
        }
        found
    }

    /// A state with other names.
    pub(super) fn renamed(&self, config: &VoicesConfig, to: &Permutation) -> VoicesConfig {
        let mut voices = config.voices.clone();
        for (lane, voice) in config.voices.iter().enumerate() {
            voices[to.rows[lane] as usize] = Arc::new(self.renamed_voice(lane, voice, to));
        }
        VoicesConfig {
            begun: config.begun,
            voices,
            network: config.network.renamed(
                |pid| to.pid(pid),
                |kind, payload| self.renamed_payload(kind, payload, to),
            ),
            trouble: config.trouble.renamed(|row| to.rows[row as usize]),
        }
    }

    /// A process with other names.
    pub(super) fn renamed_voice(&self, lane: usize, voice: &Voice, to: &Permutation) -> Voice {
        let (locals, vars) = &self.voices[lane];
        Voice {
            pc: voice.pc,
            slots: self.slots(locals, &voice.slots, to),
            vars: row(vars, &voice.vars, to).to_vec(),
        }
    }

    /// What a message says, with other names.
    pub(super) fn renamed_payload(
        &self,
        kind: MessageId,
        payload: &[Value],
        to: &Permutation,
    ) -> Arc<[Value]> {
        row(&self.payloads[kind.index()], payload, to)
    }

    /// The permutation that does this to the members, and what it does to processes.
    pub(super) fn permutation(&self, members: Vec<Vec<u32>>) -> Permutation {
        let mut to = Permutation {
            members,
            rows: Vec::new(),
        };
        let table = self.instance.members().iter().zip(&self.indices);
        let rows = table.map(|(member, shapes)| {
            let index = row(shapes, &member.index, &to);
            self.instance.member(member.family, &index) as u32
        });
        to.rows = rows.collect();
        to
    }

    /// Everybody keeps its name.
    pub(super) fn nobody(&self) -> Vec<Vec<u32>> {
        let members = |sort: &SortId| (0..self.instance.size(*sort) as u32).collect();
        self.sorts.iter().map(members).collect()
    }

    /// The member that a local of a process is, with the number of its sort.
    pub(super) fn member_in(
        &self,
        lane: usize,
        local: usize,
        value: &Value,
    ) -> Option<(usize, u32)> {
        match (self.voices[lane].0.get(local)?, value) {
            (Shape::Member(sort), Value::Id(id)) => Some((*sort, *id)),
            _ => None,
        }
    }

    /// Locals with other names; those behind the known shapes mean nothing.
    fn slots(&self, shapes: &[Shape], slots: &[Value], to: &Permutation) -> Vec<Value> {
        let mut renamed = row(shapes, slots, to).to_vec();
        renamed.extend(slots.iter().skip(shapes.len()).cloned());
        renamed
    }

    /// How each member of each sort sees each process.
    fn views(&self) -> Vec<Vec<Vec<u64>>> {
        let table = || self.instance.members().iter().zip(&self.indices);
        let view = |sort: usize, me: u32| {
            let eyes = Eyes {
                sort,
                me,
                rows: &[],
            };
            let rows = table().map(|(member, shapes)| {
                mixed(
                    member.family.index() as u64,
                    looks(shapes, &member.index, &eyes),
                )
            });
            rows.collect()
        };
        let nobody = self.nobody();
        let all = nobody.iter().enumerate();
        all.map(|(sort, members)| members.iter().map(|me| view(sort, *me)).collect())
            .collect()
    }

    /// Puts the members of a sort in the order of what they see, and says what each sees then.
    fn arrange(&self, sort: usize, found: &mut Representative) -> Vec<u64> {
        let size = self.seen[sort].len();
        let mut order: Vec<(u64, u32)> = (0..size as u32)
            .map(|me| (self.look(sort, me, &found.config), me))
            .collect();
        order.sort_unstable();
        let mut members = self.nobody();
        for (place, (_, me)) in order.iter().enumerate() {
            members[sort][*me as usize] = place as u32;
        }
        if order
            .iter()
            .enumerate()
            .any(|(at, (_, me))| at != *me as usize)
        {
            self.follow(found, &self.permutation(members));
        }
        order.into_iter().map(|(look, _)| look).collect()
    }

    /// Exchanges neighbours that see the same as long as the state becomes smaller.
    fn settle(&self, sort: usize, looks: &[u64], found: &mut Representative) {
        let mut alike = vec![false; looks.len()];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for second in 1..looks.len() {
                if looks[second - 1] != looks[second] {
                    continue;
                }
                let mut members = self.nobody();
                members[sort].swap(second - 1, second);
                let swap = self.permutation(members);
                let other = self.renamed(&found.config, &swap);
                alike[second] = other == found.config;
                if other < found.config {
                    found.config = other;
                    found.by = found.by.then(&swap);
                    changed = true;
                }
            }
        }
        let mut orbit: u128 = found.orbit;
        let mut same: u128 = 0;
        for (at, alike) in alike.iter().enumerate() {
            same = if *alike { same + 1 } else { 1 };
            orbit = orbit.saturating_mul(at as u128 + 1) / same;
        }
        found.orbit = orbit;
    }

    fn follow(&self, found: &mut Representative, to: &Permutation) {
        found.config = self.renamed(&found.config, to);
        found.by = found.by.then(to);
    }

    /// What a member of a sort sees.
    fn look(&self, sort: usize, me: u32, config: &VoicesConfig) -> u64 {
        let rows = &self.seen[sort][me as usize];
        let eyes = Eyes { sort, me, rows };
        let mut sum = 0u64;
        for (lane, voice) in config.voices.iter().enumerate() {
            let down = config.trouble.is_down(lane);
            sum = sum.wrapping_add(self.look_at_voice((lane, voice), down, &eyes));
        }
        for message in config.network.messages() {
            let to = message.to.member().map_or(0, |row| rows[row]);
            let what = (message.kind, &message.payload[..]);
            sum = sum.wrapping_add(self.look_at_message((message.from, to), what, &eyes));
        }
        sum
    }

    /// How a process looks, which may be down.
    pub(super) fn look_at_voice(
        &self,
        (lane, voice): (usize, &Voice),
        down: bool,
        eyes: &Eyes<'_>,
    ) -> u64 {
        let (locals, vars) = &self.voices[lane];
        let place = mixed(eyes.rows[lane], voice.pc as u64);
        let place = mixed(place, u64::from(down));
        let state = mixed(
            looks(locals, &voice.slots, eyes),
            looks(vars, &voice.vars, eyes),
        );
        mixed(place, state)
    }

    /// How a message looks whose receiver looks like this.
    pub(super) fn look_at_message(
        &self,
        (from, to): (Pid, u64),
        (kind, payload): (MessageId, &[Value]),
        eyes: &Eyes<'_>,
    ) -> u64 {
        let way = mixed(from.member().map_or(0, |row| eyes.rows[row]), to);
        let shapes = &self.payloads[kind.index()];
        mixed(
            way,
            mixed(kind.index() as u64, looks(shapes, payload, eyes)),
        )
    }

    /// The eyes of every member, one sort after the other.
    pub(super) fn all_eyes(&self) -> impl Iterator<Item = Eyes<'_>> {
        self.seen.iter().enumerate().flat_map(|(sort, members)| {
            let eyes = move |(me, rows)| Eyes { sort, me, rows };
            (0..).zip(members.iter().map(Vec::as_slice)).map(eyes)
        })
    }
}

/// The shapes of what the body of a process keeps between steps.
fn slots(system: &VoiceSystem, lane: usize, shape: &dyn Fn(&Ty) -> Shape) -> Option<Vec<Shape>> {
    let Kept { locals, loops } = system.kept(lane)?;
    let mut shapes: Vec<Shape> = locals.iter().map(|ty| shape(ty)).collect();
    for (hidden, element) in loops {
        if shapes.len() <= hidden {
            shapes.resize(hidden + 1, Shape::Plain);
        }
        shapes[hidden] = Shape::Elements(Box::new(shape(locals[element.index()])));
    }
    Some(shapes)
}
