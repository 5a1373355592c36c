//! States up to names: one row for all that differ only in the names of members of symmetric sorts.
//!
//! *Canonical forms by sorting* [Clarke96, IpDill96]. Each member looks at the state: it sees itself and others, but not which others
//! ([`SymmetricProcesses::looks`]). What it sees of a capsule is worked out once, and what it sees of a state, its *colour*, is the
//! sum. Members are renamed in the order of their colours. Where colours are the same, members are *interchangeable* if exchanging them
//! leaves the state as it is, which is looked up; then their order makes no difference. The others are tried in every
//! order, and the least row is taken. Renaming a capsule is a function of two numbers, worked out once.
//!
//! *Statement.* Two states have the same representative exactly if one is the other renamed. *Why.* A colour does not depend
//! on names, so renamed states give the same colours to renamed members, and the orders that agree with
//! the colours make the same set of rows of both. Being interchangeable is an equivalence, since a renamed exchange is an exchange; and orders that
//! differ by such exchanges give the same row. Of that set the least is taken. How many orders give it says how many renamings leave the
//! state as it is, and so how many states it stands for.
//!
//! Dead messages (`dead`): local steps are noted in every naming, so that a message is dead exactly if it is after renaming.
//!
//! NOT COVERED. Colours are not refined: of many members that look alike but are not interchangeable all orders are tried. Renamings are kept
//! with numbers, so sorts with more than [`MOST`] of them are left to the interpreter.

use super::net::Net;
use super::tables::{FREE, Memo, Rows};
use plainsong_semantics::process_symmetry::{Renaming, SymmetricProcesses, mixed};
use rustc_hash::FxHashMap;

/// The most renamings: those of seven members.
const MOST: u128 = 5_040;

/// With so many renamings at most, what a capsule becomes stands in a table.
const FEW: u128 = 24;

/// The names that do not matter, and what is known of renaming.
pub(super) struct Names<'m> {
    pub(super) symmetric: &'m SymmetricProcesses,
    sizes: Vec<usize>,
    members: usize,
    /// How many renamings there are.
    all: u128,
    /// Who each member becomes; the number of a row is one more than that of its renaming.
    rows: Rows,
    renamings: Vec<Renaming>,
    /// Exchanges of neighbours: every renaming is made of them.
    neighbours: Vec<u32>,
    lanes: Vec<LaneNames>,
    colours: Vec<u64>,
    order: Vec<u32>,
    places: Vec<u32>,
    renamed: Vec<u32>,
}

/// What is known of renaming in one lane.
#[derive(Default)]
struct LaneNames {
    /// By what and by which renaming: the number in the lane of the new name.
    locals: Memo,
    messages: Memo,
    capsules: Memo,
    /// The same of capsules where there are few renamings: a row for each capsule.
    table: Vec<u32>,
    /// How each member sees a local state and a message.
    local_looks: FxHashMap<u32, Vec<u64>>,
    message_looks: FxHashMap<u32, Vec<u64>>,
    /// How each member sees each capsule, one after the other, as far as that is known.
    looks: Vec<u64>,
    is_known: Vec<bool>,
}

/// Members that have the same colour, in blocks of those that are interchangeable.
type Class = Vec<Vec<u32>>;

impl<'m> Names<'m> {
    /// Nothing is known yet; or there are too many renamings.
    pub(super) fn new(symmetric: &'m SymmetricProcesses, slots: usize) -> Option<Self> {
        let sizes = symmetric.sizes();
        let factorials = sizes.iter().map(|size| factorial(*size));
        let all = factorials.fold(1, u128::saturating_mul);
        if all > MOST {
            return None;
        }
        let mut names = Names {
            symmetric,
            members: sizes.iter().sum(),
            all,
            sizes,
            rows: Rows::default(),
            renamings: Vec::new(),
            neighbours: Vec::new(),
            lanes: (0..slots).map(|_| LaneNames::default()).collect(),
            colours: Vec::new(),
            order: Vec::new(),
            places: Vec::new(),
            renamed: Vec::new(),
        };
        let mut first = 0;
        for size in names.sizes.clone() {
            for second in first + 1..first + size {
                let exchange = names.exchange(first, (second - 1) as u32, second as u32);
                names.neighbours.push(exchange);
            }
            first += size;
        }
        Some(names)
    }

    /// Forgets everything that depends on which messages are kept.
    pub(super) fn forget_capsules(&mut self) {
        for lane in &mut self.lanes {
            lane.capsules = Memo::default();
            lane.table = Vec::new();
            lane.looks = Vec::new();
            lane.is_known = Vec::new();
        }
    }

    /// How many bytes it takes, about.
    pub(super) fn bytes(&self) -> u64 {
        let of = |lane: &LaneNames| {
            let memos = lane.capsules.bytes() + lane.locals.bytes() + lane.messages.bytes();
            let looks = lane.local_looks.len() + lane.message_looks.len();
            let table = 4 * lane.table.capacity();
            memos + (table + 8 * (lane.looks.capacity() + looks * self.members)) as u64
        };
        self.lanes.iter().map(of).sum()
    }

    /// What a capsule becomes, if it is known.
    #[inline]
    fn known(&self, slot: usize, capsule: u32, number: u32) -> Option<u32> {
        let lane = &self.lanes[slot];
        if self.all > FEW {
            return lane.capsules.get(capsule, number);
        }
        let at = capsule as usize * self.all as usize + number as usize - 1;
        let known = lane.table.get(at).copied();
        known.filter(|known| *known != FREE)
    }

    /// What a capsule becomes.
    fn keep(&mut self, (slot, capsule): (usize, u32), number: u32, after: u32) {
        let lane = &mut self.lanes[slot];
        if self.all > FEW {
            return lane.capsules.put(capsule, number, after);
        }
        let row = self.all as usize;
        let first = capsule as usize * row;
        if lane.table.len() <= first {
            lane.table.resize(first + row, FREE);
        }
        lane.table[first + number as usize - 1] = after;
    }

    /// The renaming with a number.
    fn renaming(&self, number: u32) -> &Renaming {
        &self.renamings[number as usize - 1]
    }

    /// The number of the renaming that gives the members these numbers within their sort.
    fn number(&mut self, row: &[u32]) -> u32 {
        let number = self.rows.number(row);
        if number as usize > self.renamings.len() {
            self.renamings.push(self.symmetric.renaming(row));
        }
        number
    }

    /// The renaming that exchanges two members, given the first of their sort.
    fn exchange(&mut self, first: usize, one: u32, other: u32) -> u32 {
        let mut row = Vec::new();
        for size in &self.sizes {
            row.extend(0..*size as u32);
        }
        row[one as usize] = other - first as u32;
        row[other as usize] = one - first as u32;
        self.number(&row)
    }

    /// Who each member becomes if they are arranged like this.
    fn arrange(&self, order: &[u32], row: &mut Vec<u32>) {
        row.resize(self.members, 0);
        let mut at = 0;
        for size in &self.sizes {
            for place in 0..*size {
                row[order[at + place] as usize] = place as u32;
            }
            at += size;
        }
    }

    /// Puts the members of each sort in the order of their colours. Are some colours the same?
    fn sort(&mut self) -> bool {
        self.order.clear();
        self.order.extend(0..self.members as u32);
        let colours = &self.colours;
        let (mut first, mut has_ties) = (0, false);
        for size in &self.sizes {
            let of = &mut self.order[first..first + size];
            of.sort_unstable_by_key(|member| (colours[*member as usize], *member));
            let is_tie = |pair: &[u32]| colours[pair[0] as usize] == colours[pair[1] as usize];
            has_ties |= of.windows(2).any(is_tie);
            first += size;
        }
        has_ties
    }
}

impl Net<'_> {
    /// The row that stands for this one, and how many it stands for.
    pub(super) fn represent(&mut self, row: &mut [u32]) -> u128 {
        let Some(mut names) = self.names.take() else {
            return 1;
        };
        self.colour(&mut names, row);
        let mut orbit = names.all;
        if names.sort() {
            orbit = self.settle(&mut names, row);
        } else {
            let order = std::mem::take(&mut names.order);
            let mut places = std::mem::take(&mut names.places);
            names.arrange(&order, &mut places);
            self.rename(&mut names, row, &places);
            (names.order, names.places) = (order, places);
        }
        self.names = Some(names);
        orbit
    }

    /// Adds up what the members see.
    fn colour(&mut self, names: &mut Names<'_>, row: &[u32]) {
        names.colours.clear();
        names.colours.resize(names.members, 0);
        for (slot, capsule) in row.iter().enumerate() {
            let at = *capsule as usize;
            if names.lanes[slot].is_known.get(at) != Some(&true) {
                self.look(names, slot, *capsule);
            }
            let first = at * names.members;
            let looks = &names.lanes[slot].looks[first..first + names.members];
            for (colour, look) in names.colours.iter_mut().zip(looks) {
                *colour = colour.wrapping_add(*look);
            }
        }
    }

    /// Works out how the members see a capsule.
    #[cold]
    fn look(&mut self, names: &mut Names<'_>, slot: usize, capsule: u32) {
        let lane = &self.lanes[slot];
        let (local, inbox) = lane.capsules.get(capsule);
        let is_process = slot + 1 < self.lanes.len();
        let symmetric = names.symmetric;
        let of = &mut names.lanes[slot];
        let mut looks = match is_process {
            true => {
                let looks = || symmetric.looks(slot, &lane.locals[local as usize]);
                of.local_looks.entry(local).or_insert_with(looks).clone()
            }
            false => vec![0; names.members],
        };
        let mut inboxes = vec![0u64; names.members];
        let row = lane.inboxes.get(inbox);
        for (at, number) in row.iter().enumerate() {
            let message = &lane.messages[*number as usize];
            // How many of the same queue are before it.
            let before = match message.model().keeps_order() {
                false => 0,
                true => {
                    let first = |one: &&u32| lane.messages[**one as usize].precedes(message);
                    row[..at].iter().filter(first).count()
                }
            };
            let to = is_process.then_some(slot);
            let known = of.message_looks.entry(*number);
            let known = known.or_insert_with(|| symmetric.looks_at_message(to, message));
            for (sum, look) in inboxes.iter_mut().zip(known) {
                *sum = sum.wrapping_add(mixed(*look, before as u64));
            }
        }
        for (look, inbox) in looks.iter_mut().zip(inboxes) {
            *look = mixed(*look, inbox);
        }
        let (at, first) = (capsule as usize, capsule as usize * names.members);
        if of.is_known.len() <= at {
            let room = lane.capsules.len();
            of.is_known.resize(room, false);
            of.looks.resize(room * names.members, 0);
        }
        of.is_known[at] = true;
        of.looks[first..first + names.members].copy_from_slice(&looks);
    }

    /// Renames a row, given who each member becomes.
    fn rename(&mut self, names: &mut Names<'_>, row: &mut [u32], places: &[u32]) {
        let number = names.number(places);
        let mut renamed = std::mem::take(&mut names.renamed);
        renamed.clear();
        renamed.resize(row.len(), 0);
        for (slot, capsule) in row.iter().enumerate() {
            let (to, after) = self.renamed_capsule(names, (slot, *capsule), number);
            renamed[to] = after;
        }
        row.copy_from_slice(&renamed);
        names.renamed = renamed;
    }

    /// Renames a row some of whose members have the same colour, and says how many rows it stands for.
    #[cold]
    fn settle(&mut self, names: &mut Names<'_>, row: &mut [u32]) -> u128 {
        let classes = self.classes(names, row);
        let blocks = classes.iter().flatten();
        let same: u128 = blocks.map(|block| factorial(block.len())).product();
        let orders = orders(&classes);
        let mut least: Option<(Vec<u32>, u128)> = None;
        let mut places = Vec::new();
        for order in orders {
            names.arrange(&order, &mut places);
            let mut renamed = row.to_vec();
            self.rename(names, &mut renamed, &places);
            match &mut least {
                Some((known, count)) if *known == renamed => *count += 1,
                Some((known, _)) if *known < renamed => {}
                _ => least = Some((renamed, 1)),
            }
        }
        let (renamed, count) = least.expect("there is an order");
        row.copy_from_slice(&renamed);
        names.all / (same * count)
    }

    /// The members by colour, and in blocks of those that are interchangeable.
    fn classes(&mut self, names: &mut Names<'_>, row: &[u32]) -> Vec<Class> {
        let order = names.order.clone();
        let mut classes: Vec<Class> = Vec::new();
        let mut first = 0;
        for size in names.sizes.clone() {
            for at in first..first + size {
                let member = order[at];
                let colour = |member: u32| names.colours[member as usize];
                if at == first || colour(order[at - 1]) != colour(member) {
                    classes.push(vec![vec![member]]);
                    continue;
                }
                let class = classes.len() - 1;
                let blocks = classes[class].iter().map(|block| block[0]);
                let like = blocks.collect::<Vec<u32>>().into_iter();
                let like = like
                    .enumerate()
                    .find(|(_, one)| self.is_like(names, row, (first, *one, member)));
                match like {
                    Some((block, _)) => classes[class][block].push(member),
                    None => classes[class].push(vec![member]),
                }
            }
            first += size;
        }
        classes
    }

    /// Is a row the same with two members exchanged?
    fn is_like(
        &mut self,
        names: &mut Names<'_>,
        row: &[u32],
        (first, one, other): (usize, u32, u32),
    ) -> bool {
        let number = names.exchange(first, one, other);
        row.iter().enumerate().all(|(slot, capsule)| {
            let (to, after) = self.renamed_capsule(names, (slot, *capsule), number);
            row[to] == after
        })
    }

    /// A capsule with other names, and its slot.
    #[inline]
    fn renamed_capsule(
        &mut self,
        names: &mut Names<'_>,
        (slot, capsule): (usize, u32),
        number: u32,
    ) -> (usize, u32) {
        let to = self.slot_of(names, slot, number);
        match names.known(slot, capsule, number) {
            Some(known) => (to, known),
            None => (to, self.capsule_renamed(names, (slot, capsule), number)),
        }
    }

    fn slot_of(&self, names: &Names<'_>, slot: usize, number: u32) -> usize {
        match slot + 1 < self.lanes.len() {
            true => names.renaming(number).lane(slot),
            false => slot,
        }
    }

    #[cold]
    fn capsule_renamed(
        &mut self,
        names: &mut Names<'_>,
        (slot, capsule): (usize, u32),
        number: u32,
    ) -> u32 {
        let (local, inbox) = self.lanes[slot].capsules.get(capsule);
        let to = self.slot_of(names, slot, number);
        let local = match slot + 1 < self.lanes.len() {
            true => self.renamed_local(names, (slot, local), number),
            // How often what went wrong has no names.
            false => local,
        };
        let row = self.lanes[slot].inboxes.get(inbox).to_vec();
        let row = row.into_iter();
        let row = row
            .map(|message| self.renamed_message(names, (slot, message), number))
            .collect();
        let after = self.capsule(to, local, row);
        names.keep((slot, capsule), number, after);
        after
    }

    /// A local state with other names, in the lane of its new name.
    fn renamed_local(
        &mut self,
        names: &mut Names<'_>,
        (slot, local): (usize, u32),
        number: u32,
    ) -> u32 {
        if let Some(known) = names.lanes[slot].locals.get(local, number) {
            return known;
        }
        let (renaming, of) = (names.renaming(number), self.local(slot, local));
        let renamed = names.symmetric.local(slot, of, renaming);
        let after = self.number_local(renaming.lane(slot), renamed);
        names.lanes[slot].locals.put(local, number, after);
        after
    }

    /// A message with other names, in the lane of its receiver's new name.
    fn renamed_message(
        &mut self,
        names: &mut Names<'_>,
        (slot, message): (usize, u32),
        number: u32,
    ) -> u32 {
        if let Some(known) = names.lanes[slot].messages.get(message, number) {
            return known;
        }
        let of = &self.lanes[slot].messages[message as usize];
        let renamed = names.symmetric.message(of, names.renaming(number));
        let to = self.slot_of(names, slot, number);
        let after = self.lanes[to].message(renamed);
        names.lanes[slot].messages.put(message, number, after);
        after
    }

    /// A local step with neighbours exchanged, in every way.
    pub(super) fn renamed_steps(
        &mut self,
        (slot, from, to): (usize, u32, u32),
    ) -> Vec<(usize, u32, u32)> {
        let Some(mut names) = self.names.take() else {
            return Vec::new();
        };
        let mut renamed = Vec::new();
        for at in 0..names.neighbours.len() {
            let number = names.neighbours[at];
            let lane = names.renaming(number).lane(slot);
            let from = self.renamed_local(&mut names, (slot, from), number);
            let to = self.renamed_local(&mut names, (slot, to), number);
            renamed.push((lane, from, to));
        }
        self.names = Some(names);
        renamed
    }
}

/// All orders of members that keep that of the classes, those of one block in one order only.
fn orders(classes: &[Class]) -> Vec<Vec<u32>> {
    let mut orders = vec![Vec::new()];
    for class in classes {
        let mut longer = Vec::new();
        let parts = arrangements(class);
        for order in &orders {
            for part in &parts {
                longer.push([&order[..], part].concat());
            }
        }
        orders = longer;
    }
    orders
}

/// All orders of the members of a class, those of one block in one order only.
fn arrangements(class: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let left: usize = class.iter().map(Vec::len).sum();
    if left == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (at, block) in class.iter().enumerate() {
        let Some((first, others)) = block.split_first() else {
            continue;
        };
        let mut rest = class.to_vec();
        rest[at] = others.to_vec();
        for order in arrangements(&rest) {
            all.push([&[*first][..], &order].concat());
        }
    }
    all
}

fn factorial(number: usize) -> u128 {
    (1..=number as u128).fold(1, u128::saturating_mul)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_one_block_keep_their_order() {
        let class = vec![vec![0, 2], vec![1]];
        let all = arrangements(&class);
        assert_eq!(all, [vec![0, 2, 1], vec![0, 1, 2], vec![1, 0, 2]]);
        assert_eq!(orders(&[class, vec![vec![4], vec![3]]]).len(), 6);
        assert_eq!(
            arrangements(&[vec![0], vec![1], vec![2], vec![3]]).len(),
            24
        );
        assert_eq!(factorial(5), 120);
    }
}
