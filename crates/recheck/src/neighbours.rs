//! Rings and chains: one family, named by consecutive integers from 0, whose members talk to the ones beside them.
//!
//! Statement. What a member sends and receives, to or from the one before or behind (perhaps around the end), depends
//! only on its position, and is the same for all that are at least [`END`] from both ends. For every number of members up to
//! `2 * END + middle` all sends and receives can be put in an order: each after the one before it in its process, and
//! the `i`th receive of a queue after its `i`th send, of which there are equally many. The *signature* of a row of
//! `middle` members away from the ends (which actions of its two outermost ones come before which) is that of a
//! shorter row. Then the same holds for every number of members.
//!
//! Why sound. Every receive names its sender, so the order decides whether all come to their end, whatever the schedule. A row
//! takes part in an order of all only through its signature. The signature of a row with one member more is a
//! function of the row's, so from the first that comes again all further ones are among those that were tried.

use crate::position::communicates;
use crate::{Refused, not_covered, refuse};
use plainsong_ir::{
    BinOp, Block, Body, Builtin, ConstId, Domain, Expr, ExprKind, FamilyId, LocalId, MessageId,
    RangeEnd, Song, SortId, SortKind, Source, Stmt, StmtKind, Ty, UnOp, Voices,
};
use std::collections::{BTreeMap, BTreeSet};

/// Members nearer to an end than this may do something of their own.
const END: i64 = 3;

/// A send or a receive: of which kind, and on which side the other one is.
#[derive(Clone, Copy)]
struct Action {
    sends: bool,
    message: MessageId,
    step: i64,
    wraps: bool,
    /// The other one, if it is named by its position: only near the ends, where it was seen to be beside.
    peer: Option<i64>,
}

/// An action of a member, by their numbers.
type Node = (usize, usize);

/// The sends and the receives of each queue.
type Queues = BTreeMap<(i64, i64, MessageId), (Vec<Node>, Vec<Node>)>;

/// What must come before what.
type Graph = BTreeMap<Node, Vec<Node>>;

/// Checks the claim about a ring or chain.
pub(crate) fn row(song: &Song, voices: &Voices, who: &str, middle: i64) -> Result<(), Refused> {
    let row = Row::of(song, voices)?;
    if song.families[row.family.index()].name != who || !(2..=1000).contains(&middle) {
        return refuse("another ring or chain");
    }
    for size in 1..=2 * END + middle {
        row.has_an_order(size)?;
    }
    let last = row.signature(middle)?;
    for shorter in 1..middle {
        if row.signature(shorter)? == last {
            return Ok(());
        }
    }
    refuse("one more member still makes a difference")
}

/// The code of the family.
struct Row<'a> {
    family: FamilyId,
    sort: SortId,
    /// The parameter that is the number of members, if there is one.
    length: Option<ConstId>,
    body: &'a Block,
}

impl<'a> Row<'a> {
    fn of(song: &'a Song, voices: &'a Voices) -> Result<Row<'a>, Refused> {
        let [process] = &voices.processes[..] else {
            return refuse("a ring or chain is one family");
        };
        let family = &song.families[process.family.index()];
        let Body::Sequential(body) = &process.body else {
            return not_covered("handlers are not covered");
        };
        let plain = voices.faults.is_empty() && voices.init.is_none() && !process.daemon;
        let [index] = &family.index[..] else {
            return refuse("a ring or chain has one index");
        };
        let Ty::Sort(sort) = index.ty else {
            return refuse("a ring or chain is named by a sort");
        };
        let SortKind::Range(range) = &song.sorts[sort.index()].kind else {
            return refuse("a ring or chain is named by numbers");
        };
        let length = match &range.end {
            RangeEnd::Open => None,
            RangeEnd::Before(end) => match end.bare().kind {
                ExprKind::Const(id) if song.consts[id.index()].value.is_none() => Some(id),
                _ => return refuse("the number of members is fixed"),
            },
            RangeEnd::With(_) => return refuse("the number of members is fixed"),
        };
        if !plain || range.start.bare().kind != ExprKind::Int(0) {
            return refuse("a ring or chain of another kind");
        }
        Ok(Row {
            family: process.family,
            sort,
            length,
            body,
        })
    }

    /// What a member does.
    fn actions(&self, at: i64, size: i64) -> Result<Vec<Action>, Refused> {
        let mut actions = Vec::new();
        self.collect(self.body, at, size, &mut actions)?;
        Ok(actions)
    }

    fn collect(
        &self,
        block: &[Stmt],
        at: i64,
        size: i64,
        actions: &mut Vec<Action>,
    ) -> Result<(), Refused> {
        for stmt in block {
            if actions.len() > 100 {
                return refuse("too many actions");
            }
            if !communicates(stmt) {
                if !goes_on(stmt) {
                    return refuse("a statement that may not come to its end");
                }
                continue;
            }
            match &stmt.kind {
                StmtKind::Send(message, _, address) => {
                    actions.push(self.beside(true, *message, address, (at, size))?);
                }
                StmtKind::Receive(accept) => match &accept.source {
                    Source::Process(process) if accept.filter.is_none() => {
                        actions.push(self.beside(false, accept.message, process, (at, size))?);
                    }
                    _ => return refuse("a receive that does not name its sender"),
                },
                StmtKind::If(condition, yes, no) => {
                    let taken = match self.holds(condition, at, size)? {
                        true => yes,
                        false => no,
                    };
                    // What is not taken here is taken elsewhere, and looked at there.
                    self.collect(taken, at, size, actions)?;
                }
                StmtKind::For {
                    domain: Domain::In(range),
                    filter: None,
                    body,
                    ..
                } => {
                    for _ in 0..rounds(range)? {
                        self.collect(body, at, size, actions)?;
                    }
                }
                _ => return refuse("a statement of another kind in a ring or chain"),
            }
        }
        Ok(())
    }

    /// `n + 1`, `n - 1`, `(n + 1) % len` or `(n + len - 1) % len`; near the ends also a position that is one of these for
    /// this member, as `len - 1` is for the first: a sum that is so for two numbers of members is so for all.
    fn beside(
        &self,
        sends: bool,
        message: MessageId,
        address: &Expr,
        (at, size): (i64, i64),
    ) -> Result<Action, Refused> {
        let other = "a message to or from a process that is not beside";
        let ExprKind::Pid(family, index) = &address.kind else {
            return refuse(other);
        };
        let [index] = &index[..] else {
            return refuse(other);
        };
        let index = index.bare();
        let (sum, wraps) = match &index.kind {
            ExprKind::Binary(BinOp::Rem, left, right) => match self.sum(right)? {
                (0, 1, 0) => (self.sum(left)?, true),
                _ => return refuse(other),
            },
            _ => (self.sum(index)?, false),
        };
        let mut peer = None;
        let step = match (sum, wraps) {
            ((0, len, one), false) if at < END || at >= size - END => {
                let fixed = len * size + one;
                peer = Some(fixed);
                match fixed {
                    _ if fixed == (at + 1) % size => 1,
                    _ if fixed == (at - 1).rem_euclid(size) => -1,
                    _ => return refuse(other),
                }
            }
            ((1, 0, 1), _) | ((1, 1, 1), true) => 1,
            ((1, 0, -1), false) | ((1, 1, -1), true) => -1,
            _ => return refuse(other),
        };
        match *family == self.family {
            true => Ok(Action {
                sends,
                message,
                step,
                wraps,
                peer,
            }),
            false => refuse(other),
        }
    }

    /// How often the position, the number of members and one are in a sum.
    fn sum(&self, expr: &Expr) -> Result<(i64, i64, i64), Refused> {
        let expr = expr.bare();
        Ok(match &expr.kind {
            ExprKind::Local(LocalId(0)) => (1, 0, 0),
            ExprKind::Int(number) if number.abs() < 1000 => (0, 0, *number),
            ExprKind::Const(id) if self.length == Some(*id) => (0, 1, 0),
            ExprKind::Method(Builtin::Len, all) if matches!(&all[..], [one] if one.kind == ExprKind::All(Ty::Sort(self.sort))) => {
                (0, 1, 0)
            }
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), left, right) => {
                let (a, b) = (self.sum(left)?, self.sum(right)?);
                let sign = if *op == BinOp::Add { 1 } else { -1 };
                (a.0 + sign * b.0, a.1 + sign * b.1, a.2 + sign * b.2)
            }
            _ => return refuse("a ring or chain that depends on more than positions"),
        })
    }

    /// A condition on the position, which is the same for all members away from the ends.
    fn holds(&self, condition: &Expr, at: i64, size: i64) -> Result<bool, Refused> {
        Ok(match &condition.kind {
            ExprKind::Unary(UnOp::Not, inner) => !self.holds(inner, at, size)?,
            ExprKind::Binary(BinOp::And, a, b) => {
                self.holds(a, at, size)? & self.holds(b, at, size)?
            }
            ExprKind::Binary(BinOp::Or, a, b) => {
                self.holds(a, at, size)? | self.holds(b, at, size)?
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.sum(a)?, self.sum(b)?);
                let (n, len, one) = (a.0 - b.0, a.1 - b.1, a.2 - b.2);
                // Positive and negative sums alike: the nearest member of the middle decides for all further ones.
                let sign = if n < 0 || n == 0 && len < 0 { -1 } else { 1 };
                let about_ends = match (n * sign, len * sign) {
                    (0, 0) => true,
                    (1, 0) => END + one * sign > 0,
                    (1, -1) => one * sign <= END,
                    (0, 1) => 2 * END + 1 + one * sign > 0,
                    _ => false,
                };
                if !about_ends {
                    return refuse("a condition that is not about the ends");
                }
                let value = n * at + len * size + one;
                match op {
                    BinOp::Eq => value == 0,
                    BinOp::Ne => value != 0,
                    BinOp::Lt => value < 0,
                    BinOp::Le => value <= 0,
                    BinOp::Gt => value > 0,
                    BinOp::Ge => value >= 0,
                    _ => return refuse("a condition of another kind"),
                }
            }
            _ => return refuse("a condition of another kind"),
        })
    }

    /// Can all actions of so many members be put in an order, with nothing left over?
    fn has_an_order(&self, size: i64) -> Result<(), Refused> {
        let members: Result<Vec<Vec<Action>>, Refused> =
            (0..size).map(|at| self.actions(at, size)).collect();
        let members = members?;
        let mut queues = Queues::new();
        for (at, actions) in members.iter().enumerate() {
            for (number, action) in actions.iter().enumerate() {
                let here = at as i64;
                let mut peer = action.peer.unwrap_or(here + action.step);
                if action.wraps {
                    peer = peer.rem_euclid(size);
                }
                if !(0..size).contains(&peer) {
                    return refuse("a member that does not exist");
                }
                let node = (at, number);
                match action.sends {
                    true => queues
                        .entry((here, peer, action.message))
                        .or_default()
                        .0
                        .push(node),
                    false => queues
                        .entry((peer, here, action.message))
                        .or_default()
                        .1
                        .push(node),
                }
            }
        }
        let mut graph = in_turn(&members);
        for (sends, receives) in queues.into_values() {
            if sends.len() != receives.len() {
                return refuse("a message is left over, or never comes");
            }
            for (send, receive) in sends.into_iter().zip(receives) {
                graph.entry(send).or_default().push(receive);
            }
        }
        match is_acyclic(&members, &graph) {
            true => Ok(()),
            false => refuse("members wait for each other"),
        }
    }

    /// Which actions of the outermost members of a row in the middle come before which.
    fn signature(&self, row: i64) -> Result<BTreeSet<(Node, Node)>, Refused> {
        let size = 2 * END + row;
        let members: Result<Vec<Vec<Action>>, Refused> =
            (END..END + row).map(|at| self.actions(at, size)).collect();
        let members = members?;
        let mut graph = in_turn(&members);
        for left in 1..members.len() {
            for (from, to) in [(left - 1, left), (left, left - 1)] {
                let step = to as i64 - from as i64;
                let kinds: BTreeSet<MessageId> =
                    members[from].iter().map(|action| action.message).collect();
                for kind in kinds {
                    let of = |member: usize, sends: bool, step: i64| -> Vec<Node> {
                        let actions = members[member].iter().enumerate();
                        actions
                            .filter(|(_, one)| {
                                (one.sends, one.message, one.step) == (sends, kind, step)
                            })
                            .map(|(number, _)| (member, number))
                            .collect()
                    };
                    let pairs = of(from, true, step).into_iter().zip(of(to, false, -step));
                    for (send, receive) in pairs {
                        graph.entry(send).or_default().push(receive);
                    }
                }
            }
        }
        let last = members.len() - 1;
        // The outermost members by side, so that rows of different lengths can be compared.
        let sides = |node: Node| -> Vec<Node> {
            let mut sides = Vec::new();
            if node.0 == 0 {
                sides.push((0, node.1));
            }
            if node.0 == last {
                sides.push((1, node.1));
            }
            sides
        };
        let mut signature = BTreeSet::new();
        for member in [0, last] {
            for number in 0..members[member].len() {
                for reached in reached(&graph, (member, number)) {
                    for one in sides((member, number)) {
                        signature.extend(sides(reached).into_iter().map(|other| (one, other)));
                    }
                }
            }
        }
        Ok(signature)
    }
}

/// Each action of a member after the one before it.
fn in_turn(members: &[Vec<Action>]) -> Graph {
    let mut graph = Graph::new();
    for (member, actions) in members.iter().enumerate() {
        for number in 1..actions.len() {
            let before = graph.entry((member, number - 1)).or_default();
            before.push((member, number));
        }
    }
    graph
}

fn is_acyclic(members: &[Vec<Action>], graph: &Graph) -> bool {
    let nodes = members.iter().enumerate();
    let nodes = nodes.flat_map(|(member, actions)| (0..actions.len()).map(move |at| (member, at)));
    let mut waits_for: BTreeMap<Node, usize> = nodes.map(|node| (node, 0)).collect();
    for next in graph.values().flatten() {
        *waits_for.entry(*next).or_default() += 1;
    }
    let mut left = waits_for.len();
    let free = waits_for.iter().filter(|(_, number)| **number == 0);
    let mut open: Vec<Node> = free.map(|(node, _)| *node).collect();
    while let Some(node) = open.pop() {
        left -= 1;
        for next in graph.get(&node).into_iter().flatten() {
            let number = waits_for.entry(*next).or_default();
            *number -= 1;
            if *number == 0 {
                open.push(*next);
            }
        }
    }
    left == 0
}

fn reached(graph: &Graph, from: Node) -> BTreeSet<Node> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for next in graph.get(&node).into_iter().flatten() {
            if found.insert(*next) {
                open.push(*next);
            }
        }
    }
    found
}

/// How often a loop over a range of literals goes round.
fn rounds(range: &Expr) -> Result<i64, Refused> {
    if let ExprKind::Range {
        start,
        end,
        inclusive,
    } = &range.kind
        && let (ExprKind::Int(start), ExprKind::Int(end)) = (&start.bare().kind, &end.bare().kind)
        && (-1000..1000).contains(start)
        && (-1000..1000).contains(end)
    {
        return Ok((end - start + i64::from(*inclusive)).max(0));
    }
    refuse("a loop of another kind in a ring or chain")
}

/// Does a local statement come to its end, and go on behind itself?
fn goes_on(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Let(..)
        | StmtKind::LetChoice(_)
        | StmtKind::Assign(..)
        | StmtKind::AssignChoice(..)
        | StmtKind::Assert(_) => true,
        StmtKind::If(..) | StmtKind::Maybe(..) | StmtKind::Match(..) => {
            let mut inside = crate::position::blocks(stmt).into_iter().flatten();
            inside.all(goes_on)
        }
        _ => false,
    }
}
