//! What a member of a ring or chain sends and receives, by its position and the number of members.

use super::END;
use crate::eval::{risks_in, risks_of};
use crate::stuck::{Obstacle, Stuck};
use crate::voices_to_parts::communicates;
use plainsong_diagnostics::Span;
use plainsong_ir::{
    BinOp, Block, Body, Builtin, Expr, ExprKind, FamilyId, LocalId, MessageId, RangeEnd, Song,
    SortId, SortKind, Source, Stmt, StmtKind, Ty, UnOp,
};
use std::collections::{BTreeMap, BTreeSet};

/// More actions than a member may have.
const MOST: usize = 64;

/// The code of a family whose members talk to the ones beside them.
pub(super) struct Steps<'a> {
    pub(super) name: &'a str,
    pub(super) span: Span,
    /// What names the members.
    pub(super) sort: SortId,
    /// Places where something may fail.
    pub(super) risks: BTreeSet<Span>,
    items: Vec<Item>,
}

/// A send or a receive of one member.
#[derive(Clone, Debug)]
pub(super) struct Action {
    pub(super) sends: bool,
    pub(super) message: MessageId,
    /// To or from which member.
    pub(super) peer: i64,
    /// On which side that one is.
    pub(super) step: i64,
    pub(super) span: Span,
}

enum Item {
    Send(MessageId, Beside, Span),
    Receive(MessageId, Beside, Span),
    If(Condition, Vec<Item>, Vec<Item>),
}

/// The member before or behind.
#[derive(Clone, Copy)]
struct Beside {
    step: i64,
    /// Around the end?
    wraps: bool,
}

/// A condition on the position and the number of members.
enum Condition {
    /// A linear expression, compared with zero.
    Compare(BinOp, Linear),
    Not(Box<Condition>),
    Both(Box<Condition>, Box<Condition>),
    Either(Box<Condition>, Box<Condition>),
}

/// `n * position + len * number + plus`.
#[derive(Clone, Copy)]
struct Linear {
    n: i64,
    len: i64,
    plus: i64,
}

/// The code of the only family, if it has this shape.
pub(super) fn steps(song: &Song) -> Option<Steps<'_>> {
    let voices = song.voices()?;
    let [process] = &voices.processes[..] else {
        return None;
    };
    if !voices.faults.is_empty() || voices.init.is_some() || process.daemon {
        return None;
    }
    let family = &song.families[process.family.index()];
    let [index] = &family.index[..] else {
        return None;
    };
    let Ty::Sort(sort) = index.ty else {
        return None;
    };
    let SortKind::Range(range) = &song.sorts[sort.index()].kind else {
        return None;
    };
    let length = match &range.end {
        RangeEnd::Open => None,
        RangeEnd::Before(end) => match end.bare().kind {
            ExprKind::Const(id) if song.consts[id.index()].value.is_none() => Some(id),
            _ => return None,
        },
        RangeEnd::With(_) => return None,
    };
    let Body::Sequential(body) = &process.body else {
        return None;
    };
    (range.start.bare().kind == ExprKind::Int(0)).then_some(())?;
    let mut reader = Reader {
        positions: Vec::new(),
        family: process.family,
        sort,
        length,
        risks: family
            .vars
            .iter()
            .filter_map(|var| match &var.start {
                plainsong_ir::StartValue::Value(value) => Some(risks_in(value)),
                plainsong_ir::StartValue::Choice(_) => None,
            })
            .flatten()
            .collect(),
    };
    let items = reader.block(body)?;
    Some(Steps {
        name: &family.name,
        span: family.span,
        sort,
        risks: reader.risks,
        items,
    })
}

impl Steps<'_> {
    /// On which side each send and receive looks, by its place.
    pub(super) fn sides(&self) -> BTreeMap<Span, i64> {
        fn collect(items: &[Item], sides: &mut BTreeMap<Span, i64>) {
            for item in items {
                match item {
                    Item::Send(_, beside, span) | Item::Receive(_, beside, span) => {
                        sides.insert(*span, beside.step);
                    }
                    Item::If(_, yes, no) => {
                        collect(yes, sides);
                        collect(no, sides);
                    }
                }
            }
        }
        let mut sides = BTreeMap::new();
        collect(&self.items, &mut sides);
        sides
    }

    /// What a member does.
    pub(super) fn of(&self, at: i64, size: i64) -> Result<Vec<Action>, Stuck> {
        let mut actions = Vec::new();
        self.collect(&self.items, at, size, &mut actions)?;
        Ok(actions)
    }

    fn collect(
        &self,
        items: &[Item],
        at: i64,
        size: i64,
        actions: &mut Vec<Action>,
    ) -> Result<(), Stuck> {
        for item in items {
            let (sends, message, beside, span) = match item {
                Item::If(condition, yes, no) => {
                    let taken = if condition.holds(at, size) { yes } else { no };
                    self.collect(taken, at, size, actions)?;
                    continue;
                }
                Item::Send(message, beside, span) => (true, *message, *beside, *span),
                Item::Receive(message, beside, span) => (false, *message, *beside, *span),
            };
            let mut peer = at + beside.step;
            if beside.wraps {
                peer = peer.rem_euclid(size);
            }
            if !(0..size).contains(&peer) {
                let sentence = format!(
                    "of {size} in a row, `{0}[{at}]` looks for `{0}[{peer}]`, which does not exist",
                    self.name
                );
                return Err(Stuck::new(Obstacle::UnknownAddress, span, sentence)
                    .help("go around with `% S.len()`, or ask where the row ends"));
            }
            actions.push(Action {
                sends,
                message,
                peer,
                step: beside.step,
                span,
            });
        }
        Ok(())
    }
}

impl Condition {
    /// Where it holds, or does not: what the position certainly is.
    fn positions(&self, holds: bool, known: &mut Vec<Linear>) {
        match (self, holds) {
            (Condition::Compare(BinOp::Eq, sum), true)
            | (Condition::Compare(BinOp::Ne, sum), false)
                if sum.n.abs() == 1 =>
            {
                known.push(Linear {
                    n: 0,
                    len: -sum.n * sum.len,
                    plus: -sum.n * sum.plus,
                });
            }
            (Condition::Not(inner), _) => inner.positions(!holds, known),
            (Condition::Both(a, b), true) | (Condition::Either(a, b), false) => {
                a.positions(holds, known);
                b.positions(holds, known);
            }
            _ => {}
        }
    }

    fn holds(&self, at: i64, size: i64) -> bool {
        match self {
            Condition::Compare(op, linear) => {
                let value = linear.n * at + linear.len * size + linear.plus;
                match op {
                    BinOp::Eq => value == 0,
                    BinOp::Ne => value != 0,
                    BinOp::Lt => value < 0,
                    BinOp::Le => value <= 0,
                    BinOp::Gt => value > 0,
                    _ => value >= 0,
                }
            }
            Condition::Not(inner) => !inner.holds(at, size),
            Condition::Both(a, b) => a.holds(at, size) && b.holds(at, size),
            Condition::Either(a, b) => a.holds(at, size) || b.holds(at, size),
        }
    }
}

struct Reader {
    /// What is known of the position here, from conditions around: that it is this.
    positions: Vec<Linear>,
    family: FamilyId,
    sort: SortId,
    /// The parameter that is the number of members, if there is one.
    length: Option<plainsong_ir::ConstId>,
    risks: BTreeSet<Span>,
}

impl Reader {
    fn block(&mut self, block: &Block) -> Option<Vec<Item>> {
        let mut items = Vec::new();
        for stmt in block {
            items.extend(self.stmt(stmt)?);
            if count(&items) > MOST {
                return None;
            }
        }
        Some(items)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Option<Vec<Item>> {
        if !communicates(stmt) {
            self.risks.extend(risks_of(stmt));
            return ends_in_itself(stmt).then(Vec::new);
        }
        Some(match &stmt.kind {
            StmtKind::Send(message, arguments, address) => {
                for argument in arguments {
                    self.risks.extend(risks_in(argument));
                }
                vec![Item::Send(*message, self.beside(address)?, stmt.span)]
            }
            StmtKind::Receive(accept) => {
                let Source::Process(process) = &accept.source else {
                    return None;
                };
                accept.filter.is_none().then_some(())?;
                let beside = self.beside(process)?;
                vec![Item::Receive(accept.message, beside, stmt.span)]
            }
            StmtKind::If(condition, yes, no) => {
                let condition = self.condition(condition)?;
                let yes = self.block_where(&condition, true, yes)?;
                let no = self.block_where(&condition, false, no)?;
                vec![Item::If(condition, yes, no)]
            }
            StmtKind::For {
                domain: plainsong_ir::Domain::In(domain),
                filter: None,
                body,
                ..
            } => {
                let rounds = constant_range(domain)?;
                let mut items = Vec::new();
                for _ in 0..rounds {
                    items.extend(self.block(body)?);
                }
                items
            }
            _ => return None,
        })
    }

    /// A block that is entered where a condition holds, or does not.
    fn block_where(
        &mut self,
        condition: &Condition,
        holds: bool,
        block: &Block,
    ) -> Option<Vec<Item>> {
        let known = self.positions.len();
        condition.positions(holds, &mut self.positions);
        let items = self.block(block);
        self.positions.truncate(known);
        items
    }

    fn beside(&self, address: &Expr) -> Option<Beside> {
        let ExprKind::Pid(family, index) = &address.kind else {
            return None;
        };
        let [index] = &index[..] else { return None };
        (*family == self.family).then_some(())?;
        let index = index.bare();
        let (linear, wraps) = match &index.kind {
            ExprKind::Binary(BinOp::Rem, left, right) if self.is_length(right.bare()) => {
                (self.linear(left)?, true)
            }
            _ => (self.linear(index)?, false),
        };
        if linear.n == 0 && !wraps {
            return self.positions.iter().find_map(|here| here.beside(linear));
        }
        let Linear { n, len, plus } = linear;
        // What is divided must not be negative.
        let fits = n == 1 && plus.abs() == 1 && (len == 0 || wraps && len == 1);
        let is_positive = !wraps || plus == 1 || len == 1;
        (fits && is_positive).then_some(Beside { step: plus, wraps })
    }

    fn condition(&mut self, condition: &Expr) -> Option<Condition> {
        Some(match &condition.kind {
            ExprKind::Unary(UnOp::Not, inner) => Condition::Not(Box::new(self.condition(inner)?)),
            ExprKind::Binary(BinOp::And, a, b) => {
                Condition::Both(Box::new(self.condition(a)?), Box::new(self.condition(b)?))
            }
            ExprKind::Binary(BinOp::Or, a, b) => {
                Condition::Either(Box::new(self.condition(a)?), Box::new(self.condition(b)?))
            }
            ExprKind::Binary(
                op @ (BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge),
                a,
                b,
            ) => {
                self.literal_is_member(a);
                self.literal_is_member(b);
                let (a, b) = (self.linear(a)?, self.linear(b)?);
                let difference = a.plus(b, -1);
                difference.is_about_ends().then_some(())?;
                Condition::Compare(*op, difference)
            }
            _ => return None,
        })
    }

    /// A number that is converted to a position has to be one; only the first certainly is.
    fn literal_is_member(&mut self, expr: &Expr) {
        if let ExprKind::Narrow(inner) = &expr.kind
            && inner.bare().kind != ExprKind::Int(0)
        {
            self.risks.insert(expr.span);
        }
    }

    fn linear(&self, expr: &Expr) -> Option<Linear> {
        let expr = expr.bare();
        let constant = |plus| Linear { n: 0, len: 0, plus };
        if self.is_length(expr) {
            return Some(Linear {
                n: 0,
                len: 1,
                plus: 0,
            });
        }
        match &expr.kind {
            ExprKind::Local(LocalId(0)) => Some(Linear {
                n: 1,
                len: 0,
                plus: 0,
            }),
            ExprKind::Int(value) => Some(constant(*value)),
            ExprKind::Binary(BinOp::Add, a, b) => Some(self.linear(a)?.plus(self.linear(b)?, 1)),
            ExprKind::Binary(BinOp::Sub, a, b) => Some(self.linear(a)?.plus(self.linear(b)?, -1)),
            _ => None,
        }
    }

    /// `S.len()`, or the parameter that the range ends with.
    fn is_length(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Method(Builtin::Len, arguments) => {
                let all = ExprKind::All(Ty::Sort(self.sort));
                matches!(&arguments[..], [set] if set.kind == all)
            }
            ExprKind::Const(id) => self.length == Some(*id),
            _ => false,
        }
    }
}

impl Linear {
    fn plus(self, other: Linear, times: i64) -> Linear {
        Linear {
            n: self.n + times * other.n,
            len: self.len + times * other.len,
            plus: self.plus.saturating_add(times.saturating_mul(other.plus)),
        }
    }

    /// Seen from this position: is another one beside it, perhaps around the end?
    fn beside(self, other: Linear) -> Option<Beside> {
        let away = other.plus(self, -1);
        let (step, wraps) = match (away.len, away.plus) {
            (0, 1) => (1, false),
            (0, -1) => (-1, false),
            (1, -1) => (-1, true),
            (-1, 1) => (1, true),
            _ => return None,
        };
        Some(Beside { step, wraps })
    }

    /// Is its sign the same for all members that are not near an end, whatever their number?
    fn is_about_ends(self) -> bool {
        let Linear { n, len, plus } = self;
        let near = match (n, len) {
            (0, 0) => return true,
            // Further from the first than END, or nearer to the last.
            (1, 0) => -plus,
            (-1, 0) => plus,
            (1, -1) => plus,
            (-1, 1) => -plus,
            (0, 1) => -plus,
            (0, -1) => plus,
            _ => return false,
        };
        match n {
            0 => near <= 2 * END,
            _ if len == 0 => (-END..END).contains(&near),
            _ => (0..=END).contains(&near),
        }
    }
}

fn count(items: &[Item]) -> usize {
    let one = |item: &Item| match item {
        Item::If(_, yes, no) => count(yes) + count(no),
        _ => 1,
    };
    items.iter().map(one).sum()
}

/// How often a loop over a range of literals goes round.
fn constant_range(domain: &Expr) -> Option<i64> {
    let ExprKind::Range {
        start,
        end,
        inclusive,
    } = &domain.kind
    else {
        return None;
    };
    let (ExprKind::Int(start), ExprKind::Int(end)) = (&start.bare().kind, &end.bare().kind) else {
        return None;
    };
    let rounds = end
        .checked_sub(*start)?
        .checked_add(i64::from(*inclusive))?;
    (0..=MOST as i64).contains(&rounds).then_some(rounds)
}

/// Does a local statement certainly come to its end, and go on behind itself?
fn ends_in_itself(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Let(..)
        | StmtKind::LetChoice(_)
        | StmtKind::Assign(..)
        | StmtKind::AssignChoice(..)
        | StmtKind::Assert(_) => true,
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
            yes.iter().chain(no).all(ends_in_itself)
        }
        StmtKind::Match(_, arms) => arms.iter().flat_map(|(_, block)| block).all(ends_in_itself),
        _ => false,
    }
}
