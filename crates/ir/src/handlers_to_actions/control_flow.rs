//! Control points of a body, and the segments of code between them (a control-flow automaton).
//!
//! Statement. A step of a body goes from one communication to just before the next. So where a process is between steps is one
//! of finitely many points: its beginning, a send, a receive, or its end; and each step runs one segment, which is code
//! without communications that ends by writing the number of the next point into a variable.
//!
//! A loop in which something is sent or received has no segment of its own: its head is passed inside of segments. A segment that
//! comes to the same head twice stops there, at a point that processes do not have. That adds states between steps and takes
//! none away: what is proved of all of them holds.
//!
//! The elements of a `for` in which something is sent or received are a set that shrinks, and come in any order, of which theirs is one.
//!
//! NOT COVERED, and refused: such loops over sequences and bags, with annotations, or with a filter that reads variables.

use super::Refusal;
use crate::build::{assign, expr, method, nat, not, proposition, stmt, truth};
use crate::visit::{any_expr, any_stmt, rename_locals};
use crate::{
    Accept, Binding, Block, Builtin, Choice, Domain, Expr, ExprKind, Local, LocalId, LoopClauses,
    Pattern, Quantifier, Root, StateVar, Stmt, StmtKind, Ty, VarId,
};
use plainsong_diagnostics::Span;
use std::rc::Rc;

/// The most statements of the segments of a body.
const MOST: usize = 4_000;

/// What a process does at a control point.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// What is done by itself: a start, a send, giving up a receive.
    pub(super) moves: Option<Block>,
    /// What is received, with what follows.
    pub(super) receives: Vec<(Accept, Block)>,
    /// Where it stands in the text.
    pub(super) span: Span,
    /// In words: `starts`, `sends M`.
    pub(super) told: Told,
}

/// What a process does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Starts,
    Sends(crate::MessageId),
    Waits,
    GoesOn,
}

/// The control points of a body.
pub(super) struct Flow {
    /// By number; the first is the beginning. One past the last is the end.
    pub(super) points: Vec<Point>,
    /// Variables for the elements that loops have left, with the numbers they have.
    pub(super) left: Vec<StateVar>,
    /// The locals, with those that were added.
    pub(super) locals: Vec<Local>,
}

/// The control points of a body whose point is kept in `position`; `next` is the number of the first new variable.
pub(super) fn flow(
    body: &Block,
    locals: &[Local],
    position: VarId,
    next: usize,
) -> Result<Flow, Refusal> {
    let mut maker = Maker {
        position,
        next,
        left: Vec::new(),
        locals: locals.to_vec(),
        stops: Vec::new(),
        loops: 0,
        written: 0,
    };
    maker.stops.push(Stop::Start);
    let whole = maker.sequence(body)?;
    let mut after = vec![Then::Block(whole.clone(), 0, Rc::new(Then::End))];
    after.resize(maker.stops.len(), Then::End);
    continuations(&whole, &Rc::new(Then::End), &mut after);
    let mut points = Vec::new();
    for (number, then) in after.iter().enumerate() {
        points.push(maker.point(number, then)?);
    }
    Ok(Flow {
        points,
        left: maker.left,
        locals: maker.locals,
    })
}

/// A control point in the making.
enum Stop {
    Start,
    Send(Box<Stmt>),
    Wait(Vec<(Accept, Sequence)>, Option<Sequence>, Span),
    Head(Span),
}

type Sequence = Rc<Vec<Node>>;

/// A statement, as far as it matters for the flow of control.
enum Node {
    /// Code without communications from which nothing jumps out.
    Plain(Stmt),
    /// A control point with this number, and what is inside of it.
    Stop(usize, Vec<Sequence>),
    If(Expr, Sequence, Sequence, Span),
    Maybe(Sequence, Sequence, Span),
    Match(Expr, Vec<(Pattern, Sequence)>, Span),
    Loop(Rc<Round>),
    Break,
    Continue,
}

/// A loop with communications in it.
struct Round {
    number: usize,
    /// The number of its head, as a point.
    head: usize,
    /// What is done once before it.
    first: Vec<Stmt>,
    /// Is there another round?
    condition: Expr,
    /// What begins a round.
    next: Vec<Stmt>,
    body: Sequence,
    span: Span,
}

/// What comes afterwards.
#[derive(Clone)]
enum Then {
    End,
    Block(Sequence, usize, Rc<Then>),
    Loop(Rc<Round>, Rc<Then>),
}

struct Maker {
    position: VarId,
    next: usize,
    left: Vec<StateVar>,
    locals: Vec<Local>,
    stops: Vec<Stop>,
    loops: usize,
    written: usize,
}

impl Maker {
    fn sequence(&mut self, block: &Block) -> Result<Sequence, Refusal> {
        let nodes: Result<Vec<Node>, Refusal> = block.iter().map(|one| self.node(one)).collect();
        Ok(Rc::new(nodes?))
    }

    fn stop(&mut self, stop: Stop) -> usize {
        self.stops.push(stop);
        self.stops.len() - 1
    }

    fn node(&mut self, one: &Stmt) -> Result<Node, Refusal> {
        let span = one.span;
        if stays_inside(one) {
            return Ok(Node::Plain(one.clone()));
        }
        Ok(match &one.kind {
            StmtKind::Send(..) => {
                Node::Stop(self.stop(Stop::Send(Box::new(one.clone()))), Vec::new())
            }
            StmtKind::Receive(accept) => {
                let arms = vec![(accept.clone(), Rc::new(Vec::new()))];
                Node::Stop(self.stop(Stop::Wait(arms, None, span)), Vec::new())
            }
            StmtKind::Select(arms, timeout) => {
                let number = self.stop(Stop::Head(span));
                let (mut rows, mut inside) = (Vec::new(), Vec::new());
                for (accept, body) in arms {
                    let body = self.sequence(body)?;
                    inside.push(body.clone());
                    rows.push((accept.clone(), body));
                }
                let timeout = timeout.as_ref().map(|body| self.sequence(body));
                let timeout = timeout.transpose()?;
                inside.extend(timeout.clone());
                self.stops[number] = Stop::Wait(rows, timeout, span);
                Node::Stop(number, inside)
            }
            StmtKind::If(condition, yes, no) => {
                let (yes, no) = (self.sequence(yes)?, self.sequence(no)?);
                Node::If(condition.clone(), yes, no, span)
            }
            StmtKind::Maybe(yes, no) => Node::Maybe(self.sequence(yes)?, self.sequence(no)?, span),
            StmtKind::Match(scrutinee, arms) => {
                let mut rows = Vec::new();
                for (pattern, body) in arms {
                    rows.push((pattern.clone(), self.sequence(body)?));
                }
                Node::Match(scrutinee.clone(), rows, span)
            }
            StmtKind::While(condition, clauses, body) => {
                unannotated(clauses, span)?;
                self.round(Vec::new(), condition.clone(), Vec::new(), body, span)?
            }
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => {
                unannotated(clauses, span)?;
                self.elements((*local, domain, filter.as_ref()), body, span)?
            }
            StmtKind::Break => Node::Break,
            StmtKind::Continue => Node::Continue,
            _ => return Err(Refusal::Statement(span)),
        })
    }

    fn round(
        &mut self,
        first: Vec<Stmt>,
        condition: Expr,
        next: Vec<Stmt>,
        body: &Block,
        span: Span,
    ) -> Result<Node, Refusal> {
        let head = self.stop(Stop::Head(span));
        let number = self.loops;
        self.loops += 1;
        let body = self.sequence(body)?;
        Ok(Node::Loop(Rc::new(Round {
            number,
            head,
            first,
            condition,
            next,
            body,
            span,
        })))
    }

    /// A `for`: a variable holds the elements that are left.
    fn elements(
        &mut self,
        (local, domain, filter): (LocalId, &Domain, Option<&Expr>),
        body: &Block,
        span: Span,
    ) -> Result<Node, Refusal> {
        let all = match domain {
            Domain::Type(ty) => crate::build::all_of(ty),
            Domain::In(set) if matches!(set.ty, Ty::Set(_)) => set.clone(),
            Domain::In(_) => return Err(Refusal::Elements(span)),
        };
        let reads = |one: &Expr| {
            let is_var = |at: &LocalId| *at != local && self.locals[at.index()].mutable;
            matches!(&one.kind, ExprKind::Own(_))
                || matches!(&one.kind, ExprKind::Local(at) if is_var(at))
        };
        if filter.is_some_and(|filter| any_expr(filter, reads)) {
            return Err(Refusal::Elements(span));
        }
        let var = VarId::from(self.next + self.left.len());
        let left = expr(ExprKind::Own(var), all.ty.clone()).at(span);
        let name = &self.locals[local.index()];
        let element = crate::build::local(local, &name.ty).at(span);
        self.left.push(StateVar {
            name: format!("{}_left", name.name),
            ty: all.ty.clone(),
            start: crate::StartValue::Value(expr(ExprKind::Literal(Vec::new()), all.ty.clone())),
            locals: Vec::new(),
            durable: false,
            is_input: false,
            span,
        });
        let condition = match filter {
            None => not(method(Builtin::IsEmpty, vec![left.clone()], Ty::Bool)),
            Some(filter) => {
                let other = LocalId::from(self.locals.len());
                self.locals.push(name.clone());
                let mut passes = filter.clone();
                rename_locals(&mut passes, |one| if one == local { other } else { one });
                let binding = Binding {
                    names: vec![other],
                    domain: Domain::In(left.clone()),
                    filter: None,
                };
                let (some, body) = (Quantifier::Exists, Box::new(passes));
                proposition(ExprKind::Quantifier(some, vec![binding], body))
            }
        };
        let choice = Choice {
            local,
            domain: Domain::In(left.clone()),
            filter: filter.cloned(),
        };
        let without = method(Builtin::Without, vec![left, element], all.ty.clone());
        let next = vec![
            stmt(StmtKind::LetChoice(choice)).at(span),
            assign(Root::Own(var), Vec::new(), without).at(span),
        ];
        let first = vec![assign(Root::Own(var), Vec::new(), all).at(span)];
        self.round(first, condition.at(span), next, body, span)
    }

    /// The code of a control point, with what comes after it.
    fn point(&mut self, number: usize, after: &Then) -> Result<Point, Refusal> {
        let mut point = Point {
            moves: None,
            receives: Vec::new(),
            span: Span::default(),
            told: Told::GoesOn,
        };
        let stop = std::mem::replace(&mut self.stops[number], Stop::Start);
        match &stop {
            Stop::Start => {
                point.moves = Some(self.code(after, &mut Vec::new())?);
                point.told = Told::Starts;
            }
            Stop::Head(span) => {
                point.moves = Some(self.code(after, &mut Vec::new())?);
                point.span = *span;
            }
            Stop::Send(send) => {
                let mut code = vec![(**send).clone()];
                code.extend(self.code(after, &mut Vec::new())?);
                point.moves = Some(code);
                point.span = send.span;
                if let StmtKind::Send(message, ..) = &send.kind {
                    point.told = Told::Sends(*message);
                }
            }
            Stop::Wait(arms, timeout, span) => {
                point.span = *span;
                point.told = Told::Waits;
                let after = Rc::new(after.clone());
                for (accept, body) in arms {
                    let then = Then::Block(body.clone(), 0, after.clone());
                    let code = self.code(&then, &mut Vec::new())?;
                    point.receives.push((accept.clone(), code));
                }
                if let Some(body) = timeout {
                    let then = Then::Block(body.clone(), 0, after);
                    point.moves = Some(self.code(&then, &mut Vec::new())?);
                }
            }
        }
        Ok(point)
    }

    /// The code up to the next control points. `passed`: the loops whose heads were passed.
    fn code(&mut self, then: &Then, passed: &mut Vec<usize>) -> Result<Block, Refusal> {
        self.written += 1;
        if self.written > MOST {
            return Err(Refusal::TooMuch);
        }
        match then {
            Then::End => Ok(vec![self.goes_to(self.stops.len())]),
            Then::Loop(round, after) => self.head(round, after, passed),
            Then::Block(nodes, at, after) => {
                let Some(node) = nodes.get(*at) else {
                    return self.code(after, passed);
                };
                let rest = Rc::new(Then::Block(nodes.clone(), at + 1, after.clone()));
                self.at_node(node, &rest, passed)
            }
        }
    }

    fn at_node(
        &mut self,
        node: &Node,
        rest: &Rc<Then>,
        passed: &mut Vec<usize>,
    ) -> Result<Block, Refusal> {
        let mut inside = |maker: &mut Maker, body: &Sequence| {
            maker.code(&Then::Block(body.clone(), 0, rest.clone()), passed)
        };
        let (kind, span) = match node {
            Node::Plain(one) => {
                let mut code = vec![one.clone()];
                code.extend(self.code(rest, passed)?);
                return Ok(code);
            }
            Node::Stop(number, _) => return Ok(vec![self.goes_to(*number)]),
            Node::Loop(round) => {
                let mut code = round.first.clone();
                code.extend(self.head(round, rest, passed)?);
                return Ok(code);
            }
            Node::Break | Node::Continue => {
                let (round, after) = innermost(rest);
                return match node {
                    Node::Break => self.code(&after, passed),
                    _ => self.head(&round, &after, passed),
                };
            }
            Node::If(condition, yes, no, span) => {
                let (yes, no) = (inside(self, yes)?, inside(self, no)?);
                (StmtKind::If(condition.clone(), yes, no), *span)
            }
            Node::Maybe(yes, no, span) => {
                let (yes, no) = (inside(self, yes)?, inside(self, no)?);
                (StmtKind::Maybe(yes, no), *span)
            }
            Node::Match(scrutinee, arms, span) => {
                let mut rows = Vec::new();
                for (pattern, body) in arms {
                    rows.push((pattern.clone(), inside(self, body)?));
                }
                (StmtKind::Match(scrutinee.clone(), rows), *span)
            }
        };
        Ok(vec![Stmt { kind, span }])
    }

    /// At the head of a loop: another round, or what comes after it.
    fn head(
        &mut self,
        round: &Rc<Round>,
        after: &Rc<Then>,
        passed: &mut Vec<usize>,
    ) -> Result<Block, Refusal> {
        if passed.contains(&round.number) {
            return Ok(vec![self.goes_to(round.head)]);
        }
        passed.push(round.number);
        let back = Rc::new(Then::Loop(round.clone(), after.clone()));
        let mut again = round.next.clone();
        again.extend(self.code(&Then::Block(round.body.clone(), 0, back), passed)?);
        let code = match round.condition == truth(true) {
            true => again,
            false => {
                let over = self.code(after, passed)?;
                let kind = StmtKind::If(round.condition.clone(), again, over);
                let span = round.span;
                vec![Stmt { kind, span }]
            }
        };
        passed.pop();
        Ok(code)
    }

    fn goes_to(&self, number: usize) -> Stmt {
        assign(Root::Own(self.position), Vec::new(), nat(number as i64))
    }
}

/// The loop around a place, and what comes after it.
fn innermost(rest: &Then) -> (Rc<Round>, Rc<Then>) {
    match rest {
        Then::Loop(round, after) => (round.clone(), after.clone()),
        Then::Block(_, _, after) => innermost(after),
        Then::End => panic!("`break` and `continue` stand in loops"),
    }
}

/// Notes what comes after each control point.
fn continuations(nodes: &Sequence, then: &Rc<Then>, after: &mut [Then]) {
    for (at, node) in nodes.iter().enumerate() {
        let rest = Rc::new(Then::Block(nodes.clone(), at + 1, then.clone()));
        match node {
            Node::Plain(_) | Node::Break | Node::Continue => {}
            Node::Stop(number, inside) => {
                after[*number] = (*rest).clone();
                inside
                    .iter()
                    .for_each(|one| continuations(one, &rest, after));
            }
            Node::If(_, yes, no, _) | Node::Maybe(yes, no, _) => {
                continuations(yes, &rest, after);
                continuations(no, &rest, after);
            }
            Node::Match(_, arms, _) => {
                let arms = arms.iter();
                arms.for_each(|(_, body)| continuations(body, &rest, after));
            }
            Node::Loop(round) => {
                let back = Then::Loop(round.clone(), rest);
                after[round.head] = back.clone();
                continuations(&round.body, &Rc::new(back), after);
            }
        }
    }
}

fn unannotated(clauses: &LoopClauses, span: Span) -> Result<(), Refusal> {
    match clauses.invariants.is_empty() && clauses.decreases.is_empty() {
        true => Ok(()),
        false => Err(Refusal::Annotated(span)),
    }
}

/// Is it code without communications from which nothing jumps out?
fn stays_inside(one: &Stmt) -> bool {
    let communicates = |one: &Stmt| {
        let kind = &one.kind;
        matches!(
            kind,
            StmtKind::Send(..) | StmtKind::Receive(_) | StmtKind::Select(..)
        )
    };
    !any_stmt(one, communicates) && !jumps(one)
}

/// Does a `break` or `continue` in it belong to a loop around it?
fn jumps(one: &Stmt) -> bool {
    let any = |block: &Block| block.iter().any(jumps);
    match &one.kind {
        StmtKind::Break | StmtKind::Continue => true,
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => any(yes) || any(no),
        StmtKind::Match(_, arms) => arms.iter().any(|(_, body)| any(body)),
        _ => false,
    }
}
