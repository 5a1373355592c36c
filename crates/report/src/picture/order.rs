//! From points to lines in order.
//!
//! SvgCanvas a message as one line says "sent and received here". That is a fair picture of the
//! execution exactly when the joined lines can still be put in an order that respects every lane;
//! where joining would close a circle (two messages that cross), one of them is drawn as two lines.
//! Where the last state violates a property, the event that leads there comes after all others. What befalls a message in flight
//! comes after it was sent and before it is received. Among the possible orders the one is chosen that stays with the
//! same lanes as long as it can, and the event the trace ends with comes last. What repeats for ever stays together: it comes after
//! everything else, and a message from before is drawn as two lines.

use super::rows::{End, Point, Row, RowKind, points};
use plainsong_ir::components::components_of;
use plainsong_semantics::trace::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// So many messages are separated one by one, the longest first; then whole knots at once.
const PATIENCE: usize = 64;

/// The lines of a trace, from first to last. Where nothing is sent, what happens is one sequence
/// already and stays as it is.
pub(super) fn in_order(trace: &Trace, here: Option<&str>, messages: bool) -> Vec<Row> {
    let points = points(trace, here);
    if !messages {
        return points.into_iter().map(|point| point.row).collect();
    }
    let complete = both_ends(&points);
    let joined = join(&points, complete.clone());
    let groups = Groups::new(&points, &joined);
    let order = groups.order(&points);
    let mut separated = Separated {
        complete,
        numbers: BTreeMap::new(),
    };
    let mut rows: Vec<Row> = order
        .iter()
        .map(|&group| row(&points, &groups.members[group], &joined, &mut separated))
        .collect();
    for (at, pair) in order.windows(2).enumerate() {
        let (above, this) = (&groups.members[pair[0]], &groups.members[pair[1]]);
        rows[at + 1].independent = are_independent(&points, above, this);
    }
    rows
}

/// Is neither of two lines, one under the other, a cause of the other? What leads from one to the other goes
/// through a lane or a message that both are about: anything else would be drawn between them. The violation of
/// a property of states needs all that is above.
fn are_independent(points: &[Point], above: &[usize], this: &[usize]) -> bool {
    let about = |members: &[usize]| {
        let members = members.iter().map(|&at| &points[at]);
        let messages = members.clone().filter_map(Point::about);
        let parties = members.flat_map(|point| point.row.kind.parties());
        (messages.collect::<Vec<_>>(), parties.collect::<Vec<_>>())
    };
    let (above, below) = (about(above), about(this));
    !this.iter().any(|&at| points[at].needs_all)
        && !below.0.iter().any(|message| above.0.contains(message))
        && !below.1.iter().any(|party| above.1.contains(party))
}

/// Messages drawn as one line: from number to the points of its two ends.
type Joined = BTreeMap<u64, (usize, usize)>;

fn join(points: &[Point], mut joined: Joined) -> Joined {
    for round in 0.. {
        let groups = Groups::new(points, &joined);
        let mut knots = components_of(&groups.next);
        knots.retain(|knot| knot.len() > 1);
        if knots.is_empty() {
            break;
        }
        let mut separate = BTreeSet::new();
        for inside in messages_in(&knots, &groups, &joined) {
            let length = |message: &&u64| {
                let (send, take) = joined[*message];
                (points[take].needs_all, take - send)
            };
            let longest = inside.iter().max_by_key(length).copied();
            separate.extend(longest);
            if round >= PATIENCE {
                separate.extend(inside);
            }
        }
        joined.retain(|message, _| !separate.contains(message));
    }
    joined
}

/// The messages drawn as one line in each knot.
fn messages_in(knots: &[Vec<usize>], groups: &Groups, joined: &Joined) -> Vec<Vec<u64>> {
    let mut knot_of = vec![None; groups.members.len()];
    for (number, knot) in knots.iter().enumerate() {
        for &group in knot {
            knot_of[group] = Some(number);
        }
    }
    let mut inside = vec![Vec::new(); knots.len()];
    for (&message, &(send, _)) in joined {
        if let Some(number) = knot_of[groups.of[send]] {
            inside[number].push(message);
        }
    }
    inside
}

fn both_ends(points: &[Point]) -> Joined {
    let mut sends = BTreeMap::new();
    let mut joined = Joined::new();
    for (at, point) in points.iter().enumerate() {
        match point.message {
            Some((message, End::Send)) => {
                sends.insert(message, at);
            }
            Some((message, End::Take)) => {
                if let Some(&send) = sends.get(&message)
                    && points[send].row.repeats == point.row.repeats
                {
                    joined.insert(message, (send, at));
                }
            }
            None => {}
        }
    }
    joined
}

/// Points that share a line, and which lines must come after which.
struct Groups {
    members: Vec<Vec<usize>>,
    of: Vec<usize>,
    next: Vec<Vec<usize>>,
}

impl Groups {
    fn new(points: &[Point], joined: &Joined) -> Self {
        let mut of = vec![usize::MAX; points.len()];
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (at, point) in points.iter().enumerate() {
            let partner = point
                .message
                .filter(|&(_, end)| end == End::Take)
                .and_then(|(message, _)| joined.get(&message))
                .map(|ends| of[ends.0]);
            of[at] = partner.unwrap_or(members.len());
            match partner {
                Some(group) => members[group].push(at),
                None => members.push(vec![at]),
            }
        }
        let next = edges(points, &of, members.len());
        Groups { members, of, next }
    }

    /// A topological order; see the module's header for which.
    fn order(&self, points: &[Point]) -> Vec<usize> {
        let rank: Vec<usize> = self
            .members
            .iter()
            .map(|members| {
                let last = members.iter().any(|&at| points[at].last);
                if last {
                    usize::MAX
                } else {
                    members[members.len() - 1]
                }
            })
            .collect();
        let mut waits = vec![0usize; self.members.len()];
        for &target in self.next.iter().flatten() {
            waits[target] += 1;
        }
        let mut ready: BTreeSet<(usize, usize)> = (0..waits.len())
            .filter(|&group| waits[group] == 0)
            .map(|group| (rank[group], group))
            .collect();
        let mut order: Vec<usize> = Vec::with_capacity(waits.len());
        while let Some(chosen) = self.choose(points, &ready, order.last().copied()) {
            ready.remove(&chosen);
            order.push(chosen.1);
            for &target in &self.next[chosen.1] {
                waits[target] -= 1;
                if waits[target] == 0 {
                    ready.insert((rank[target], target));
                }
            }
        }
        order
    }

    fn choose(
        &self,
        points: &[Point],
        ready: &BTreeSet<(usize, usize)>,
        previous: Option<usize>,
    ) -> Option<(usize, usize)> {
        let parties = |group: usize| {
            self.members[group]
                .iter()
                .flat_map(|&at| points[at].row.kind.parties())
                .collect::<Vec<_>>()
        };
        let near = previous.map(parties).unwrap_or_default();
        let stays = |&&(rank, group): &&(usize, usize)| {
            rank != usize::MAX && parties(group).iter().any(|party| near.contains(party))
        };
        let repeats = |&&(_, group): &&(usize, usize)| {
            let members = &self.members[group];
            members.iter().any(|&at| points[at].row.repeats)
        };
        let all = !ready.iter().any(|one| !repeats(&one));
        let open = || ready.iter().filter(|one| all || !repeats(one));
        open().find(stays).or_else(|| open().next()).copied()
    }
}

fn edges(points: &[Point], of: &[usize], groups: usize) -> Vec<Vec<usize>> {
    let mut next: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); groups];
    // What last happened to each message.
    let mut latest: BTreeMap<u64, usize> = BTreeMap::new();
    for (at, point) in points.iter().enumerate() {
        let mut before = match point.needs_all {
            true => (0..at).collect(),
            false => point.after.clone(),
        };
        if let Some(message) = point.about() {
            before.extend(latest.insert(message, at));
        }
        for earlier in before {
            if of[earlier] != of[at] {
                next[of[earlier]].insert(of[at]);
            }
        }
    }
    next.into_iter()
        .map(|targets| targets.into_iter().collect())
        .collect()
}

/// Numbers that connect the two lines of a message not drawn as one.
struct Separated {
    /// Messages both ends of which are drawn.
    complete: Joined,
    numbers: BTreeMap<u64, usize>,
}

impl Separated {
    fn number(&mut self, message: u64) -> Option<usize> {
        self.complete.get(&message)?;
        let next = self.numbers.len() + 1;
        Some(*self.numbers.entry(message).or_insert(next))
    }
}

fn row(points: &[Point], members: &[usize], joined: &Joined, separated: &mut Separated) -> Row {
    let mut row = points[members[members.len() - 1]].row.clone();
    if let [send, take] = members {
        let sent = &points[*send].row;
        row.of_sender = (sent.notes.len(), sent.changes.len());
        let mut notes = sent.notes.clone();
        notes.append(&mut row.notes);
        row.notes = notes;
        let mut changes = sent.changes.clone();
        changes.append(&mut row.changes);
        row.changes = changes;
        if let RowKind::Taken { from, to } = points[*take].row.kind {
            row.kind = RowKind::Message { from, to };
        }
        return row;
    }
    let Point {
        message, befalls, ..
    } = points[members[0]];
    let on_its_way = befalls.filter(|message| !joined.contains_key(message));
    let message = message.map(|(message, _)| message).or(on_its_way);
    if let Some(number) = message.and_then(|message| separated.number(message)) {
        row.label.push_str(&format!(" #{number}"));
    }
    row
}
