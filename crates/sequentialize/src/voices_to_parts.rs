//! From voices to parts: the constructs that the rules cover, in the shape they look at.
//!
//! Everything else is refused by name and place: handlers, `init`, restarts and copies of messages, selective
//! receives, timeouts of daemons, families with several indices or over sorts whose
//! members can be told apart, two families over one sort, and communicating loops over anything but a sort or
//! a collection that does not depend on the state. What models of delivery have to do with it is in `delivery_order.rs`.

use crate::losses::{Losses, check_faults};
use crate::process_code::{BlockId, Op, OpKind, Over, Part, Rounds, Var};
use crate::stuck::{Obstacle, Stuck};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, any_expr, any_stmt, walk};
use plainsong_ir::{
    Accept, Block, Body, Builtin, Delivery, Domain, Expr, ExprKind, FamilyId, Process, Root, Song,
    SortId, SortKind, Stmt, StmtKind, Ty, Voices,
};
use std::collections::{BTreeMap, BTreeSet};

/// The parts of a song, with what is known about all of them.
pub(crate) struct Score<'a> {
    pub(crate) song: &'a Song,
    pub(crate) voices: &'a Voices,
    pub(crate) parts: BTreeMap<FamilyId, Part<'a>>,
    /// The family whose members a sort names.
    pub(crate) named_by: BTreeMap<SortId, FamilyId>,
    /// Loops with invariants or measures, which are not looked at here.
    pub(crate) annotated: Vec<Span>,
    /// Invariants of loops that communicate, and of the loops of daemons: they are claims, and hints for proofs on the line.
    pub(crate) hints: BTreeMap<Span, &'a [Expr]>,
    /// The collections that loops with fixed numbers of rounds go over.
    pub(crate) ranges: Vec<Expr>,
    /// What may be lost, or come too late.
    pub(crate) losses: Losses,
}

/// Turns voices into parts, or names what is not covered.
pub(crate) fn score<'a>(song: &'a Song, delivery: Option<Delivery>) -> Result<Score<'a>, Stuck> {
    let Some(voices) = song.voices() else {
        let sentence = "there are no processes, so there is nothing to sequentialize";
        return Err(not_covered(Span::default(), sentence));
    };
    // Whatever else voices come to have is looked at here first: nothing may be overlooked.
    let Voices {
        messages: _,
        processes: _,
        init,
        faults,
        sequences: _,
    } = voices;
    check_faults(faults)?;
    if let Some(init) = init {
        let span = init.body.first().map_or(Span::default(), |stmt| stmt.span);
        return Err(not_covered(span, "`init` is not covered")
            .help("let a process send these messages, and receive them before anything else"));
    }
    check_parameters(song, voices)?;
    let mut score = Score::of_parts(song, voices, BTreeMap::new());
    for process in &voices.processes {
        score.name_members(process)?;
    }
    for process in &voices.processes {
        let part = score.part(process)?;
        score.parts.insert(process.family, part);
    }
    for part in score.parts.values().filter(|part| part.daemon) {
        begins_with_a_receive(&score, part)?;
    }
    crate::delivery_order::check(&score, delivery)?;
    score.losses = crate::losses::losses(&score)?;
    Ok(score)
}

/// A daemon that is not asked for anything waits: its rounds begin with a receive, before which nothing can fail. The
/// rules let it begin a round only when a message is there; what it does before it waits again, nobody looks at.
fn begins_with_a_receive(score: &Score<'_>, part: &Part<'_>) -> Result<(), Stuck> {
    let entry = &part.blocks[BlockId::ENTRY.0 as usize];
    let Some(Op {
        kind: OpKind::Loop(body),
        span,
    }) = entry.last()
    else {
        return Ok(());
    };
    let ops = part.blocks[body.0 as usize].iter();
    let first = ops.into_iter().find(|op| !is_local_and_safe(&op.kind));
    match first {
        Some(first) if !first.kind.accepts().is_empty() => Ok(()),
        first => {
            let name = score.name(part.family);
            let sentence = format!("a round of `{name}` begins with something else than a receive");
            let span = first.map_or(*span, |op| op.span);
            Err(not_covered(span, sentence)
                .help("receive first, or let a process that is no daemon do this"))
        }
    }
}

/// Does it only change the process's own variables, and cannot fail?
fn is_local_and_safe(kind: &OpKind<'_>) -> bool {
    let is_safe = |expr: &Expr| crate::eval::risks_in(expr).is_empty();
    match kind {
        OpKind::Set(_, value) => is_safe(value),
        OpKind::Choose(_, choice) => choice.filter.as_ref().is_none_or(is_safe),
        OpKind::Assume(condition) => is_safe(condition),
        _ => false,
    }
}

fn not_covered(span: Span, sentence: impl Into<String>) -> Stuck {
    Stuck::new(Obstacle::NotCovered, span, sentence)
}

/// A parameter that names a member breaks the symmetry between them.
fn check_parameters(song: &Song, voices: &Voices) -> Result<(), Stuck> {
    let mut sorts = BTreeSet::new();
    for process in &voices.processes {
        for index in &song.families[process.family.index()].index {
            sorts.insert(index.ty.clone());
        }
    }
    for constant in &song.consts {
        let mut named = Mentions {
            song,
            sorts: &sorts,
            found: false,
            seen: BTreeSet::new(),
        };
        named.ty(&constant.ty);
        if named.found {
            let sentence = format!("`{}` singles out one member of a family", constant.name);
            return Err(not_covered(constant.span, sentence));
        }
    }
    Ok(())
}

struct Mentions<'a> {
    song: &'a Song,
    sorts: &'a BTreeSet<Ty>,
    found: bool,
    seen: BTreeSet<Ty>,
}

impl Mentions<'_> {
    fn ty(&mut self, ty: &Ty) {
        self.found |= self.sorts.contains(ty) || *ty == Ty::Process;
        if !self.seen.insert(ty.clone()) {
            return;
        }
        match ty {
            Ty::Enum(id) => {
                let variants = &self.song.enums[id.index()].variants;
                variants
                    .iter()
                    .flat_map(|one| &one.fields)
                    .for_each(|ty| self.ty(ty));
            }
            Ty::Struct(id) => {
                let fields = &self.song.structs[id.index()].fields;
                fields.iter().for_each(|(_, ty)| self.ty(ty));
            }
            Ty::Tuple(parts) => parts.iter().for_each(|ty| self.ty(ty)),
            Ty::Option(inner) | Ty::Set(inner) | Ty::Bag(inner) | Ty::Seq(inner) => self.ty(inner),
            Ty::Map(key, value) => {
                self.ty(key);
                self.ty(value);
            }
            Ty::Bool | Ty::Int | Ty::Nat | Ty::Sort(_) | Ty::Process => {}
        }
    }
}

impl<'a> Score<'a> {
    /// With these parts, and nothing known about them.
    pub(crate) fn of_parts(
        song: &'a Song,
        voices: &'a Voices,
        parts: BTreeMap<FamilyId, Part<'a>>,
    ) -> Self {
        Score {
            song,
            voices,
            parts,
            named_by: BTreeMap::new(),
            annotated: Vec::new(),
            hints: BTreeMap::new(),
            ranges: Vec::new(),
            losses: Losses::default(),
        }
    }

    /// The name of a part.
    pub(crate) fn name(&self, family: FamilyId) -> &'a str {
        &self.song.families[family.index()].name
    }

    fn name_members(&mut self, process: &Process) -> Result<(), Stuck> {
        let family = &self.song.families[process.family.index()];
        let index = match &family.index[..] {
            [] => return Ok(()),
            [index] => index,
            _ => {
                let sentence = format!(
                    "`{}` has several indices, which is not covered",
                    family.name
                );
                return Err(not_covered(family.span, sentence));
            }
        };
        let Ty::Sort(sort) = index.ty else {
            let sentence = format!("the members of `{}` are not named by a sort", family.name);
            return Err(not_covered(family.span, sentence)
                .help("name them by a sort of identities: `sort S;`"));
        };
        let decl = &self.song.sorts[sort.index()];
        if decl.kind != (SortKind::Identities { ordered: false }) {
            let sentence = format!(
                "the members of `{}` can be told apart: `{}` is ordered",
                family.name, decl.name
            );
            let help = format!(
                "name them by a sort of identities: `sort {0};`; in a ring or chain, send to `{1}[({2} + 1) % {0}.len()]`, \
                 `{1}[{2} + 1]` or `{1}[{2} - 1]`, whatever was received",
                decl.name, family.name, index.name
            );
            return Err(not_covered(family.span, sentence).help(help));
        }
        if let Some(other) = self.named_by.insert(sort, process.family) {
            let sentence = format!(
                "`{}` and `{}` are both named by `{}`, which is not covered",
                self.name(other),
                family.name,
                decl.name
            );
            return Err(not_covered(family.span, sentence).help("give each family its own sort"));
        }
        Ok(())
    }

    fn part(&mut self, process: &'a Process) -> Result<Part<'a>, Stuck> {
        let family = &self.song.families[process.family.index()];
        let Body::Sequential(body) = &process.body else {
            let sentence = format!("`{}` has handlers, which are not covered", family.name);
            return Err(not_covered(family.span, sentence)
                .help("write it with a loop and receives, or ask `diverge` or `explore`"));
        };
        let sort = family.index.first().and_then(|index| match index.ty {
            Ty::Sort(sort) => Some(sort),
            _ => None,
        });
        let mut builder = Builder {
            score: self,
            daemon: process.daemon,
            blocks: Vec::new(),
        };
        builder.block(body, false)?;
        let blocks = builder.blocks;
        self.claims_of_service(process.daemon, body);
        Ok(Part {
            family: process.family,
            sort,
            daemon: process.daemon,
            blocks,
        })
    }

    /// What a daemon claims of the heads of its rounds.
    fn claims_of_service(&mut self, daemon: bool, body: &'a Block) {
        if let (true, Some(last)) = (daemon, body.last())
            && let StmtKind::While(_, clauses, _) = &last.kind
            && !clauses.invariants.is_empty()
            && clauses.decreases.is_empty()
        {
            self.hints.insert(last.span, &clauses.invariants);
        }
    }

    /// What a communicating loop goes over.
    fn over(&mut self, domain: &Domain, span: Span) -> Result<Over, Stuck> {
        let domain = match domain {
            Domain::Type(ty) => Expr {
                kind: ExprKind::All(ty.clone()),
                ty: Ty::Set(Box::new(ty.clone())),
                span,
            },
            Domain::In(expr) => expr.clone(),
        };
        if let ExprKind::All(Ty::Sort(sort)) = &domain.kind {
            return Ok(match self.named_by.get(sort) {
                Some(family) => Over::Members(*family),
                None => Over::Rounds(Rounds::Sort(*sort)),
            });
        }
        if let Some(family) = self.size_of(&domain) {
            return Ok(Over::SizeOf(family));
        }
        if !is_closed(&domain) {
            return Err(not_covered(
                span,
                "a loop that communicates goes over a collection that depends on the state",
            )
            .help("loop over a sort or over a range with constant ends"));
        }
        let known = self.ranges.iter().position(|other| *other == domain);
        let at = known.unwrap_or_else(|| {
            self.ranges.push(domain);
            self.ranges.len() - 1
        });
        Ok(Over::Rounds(Rounds::Range(at as u32)))
    }

    /// The family whose size a range of integers has: `0..Q.len()` or `1..=Q.len()`.
    fn size_of(&self, domain: &Expr) -> Option<FamilyId> {
        let ExprKind::Range {
            start,
            end,
            inclusive,
        } = &domain.kind
        else {
            return None;
        };
        let ExprKind::Int(start) = start.bare().kind else {
            return None;
        };
        let ExprKind::Method(Builtin::Len, arguments) = &end.bare().kind else {
            return None;
        };
        let ExprKind::All(Ty::Sort(sort)) = &arguments.first()?.kind else {
            return None;
        };
        (start == i64::from(*inclusive)).then_some(())?;
        self.named_by.get(sort).copied()
    }
}

/// Does it read no variable at all?
fn is_closed(expr: &Expr) -> bool {
    !any_expr(expr, |expr| {
        matches!(
            expr.kind,
            ExprKind::Local(_) | ExprKind::Own(_) | ExprKind::SelfPid
        )
    })
}

/// Does a statement send or receive?
pub(crate) fn communicates(stmt: &Stmt) -> bool {
    any_stmt(stmt, |stmt| {
        matches!(
            stmt.kind,
            StmtKind::Send(..) | StmtKind::Receive(_) | StmtKind::Select(..)
        )
    })
}

struct Builder<'s, 'a> {
    score: &'s mut Score<'a>,
    daemon: bool,
    blocks: Vec<Vec<Op<'a>>>,
}

impl<'a> Builder<'_, 'a> {
    /// `in_for`: is the innermost loop a `for` that communicates?
    fn block(&mut self, block: &'a Block, in_for: bool) -> Result<BlockId, Stuck> {
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(Vec::new());
        let mut ops = Vec::new();
        for stmt in block {
            let kind = self.stmt(stmt, in_for)?;
            let span = match &stmt.kind {
                // A `while` is named by its condition, wherever that is asked.
                StmtKind::While(condition, ..) if matches!(kind, OpKind::If(..)) => condition.span,
                _ => stmt.span,
            };
            ops.push(Op { kind, span });
        }
        self.blocks[id.0 as usize] = ops;
        Ok(id)
    }

    fn stmt(&mut self, stmt: &'a Stmt, in_for: bool) -> Result<OpKind<'a>, Stuck> {
        Ok(match &stmt.kind {
            StmtKind::Let(local, value) => OpKind::Set(Var::Local(*local), value),
            StmtKind::LetChoice(choice) => OpKind::Choose(Var::Local(choice.local), choice),
            StmtKind::Assign(place, value) => match (root(&place.root), place.path.is_empty()) {
                (Some(var), true) => OpKind::Set(var, value),
                (Some(var), false) => OpKind::SetPart(var, place, value),
                (None, _) => return Err(not_covered(stmt.span, "this assignment is not covered")),
            },
            StmtKind::AssignChoice(place, choice) => {
                match (root(&place.root), place.path.is_empty()) {
                    (Some(var), true) => OpKind::Choose(var, choice),
                    (Some(var), false) => OpKind::ChoosePart(var, place, choice),
                    (None, _) => {
                        return Err(not_covered(stmt.span, "this assignment is not covered"));
                    }
                }
            }
            StmtKind::If(condition, yes, no) => {
                OpKind::If(condition, self.block(yes, in_for)?, self.block(no, in_for)?)
            }
            StmtKind::Match(value, arms) => {
                let mut rows = Vec::new();
                for (pattern, block) in arms {
                    rows.push((pattern, self.block(block, in_for)?));
                }
                OpKind::Match(value, rows)
            }
            StmtKind::Maybe(yes, no) => {
                OpKind::Maybe(self.block(yes, in_for)?, self.block(no, in_for)?)
            }
            StmtKind::While(condition, clauses, body) => {
                self.annotations(clauses, stmt.span);
                self.repeat(condition, body)?
            }
            StmtKind::For { .. } if !communicates(stmt) => self.opaque(stmt),
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => {
                if let Some(filter) = filter {
                    return Err(not_covered(
                        filter.span,
                        "a loop that communicates and skips members is not covered",
                    )
                    .help("put an `if` into the loop"));
                }
                self.annotations(clauses, stmt.span);
                if !clauses.invariants.is_empty() && clauses.decreases.is_empty() {
                    self.score.hints.insert(stmt.span, &clauses.invariants);
                }
                OpKind::For {
                    local: *local,
                    over: self.score.over(domain, stmt.span)?,
                    body: self.block(body, true)?,
                }
            }
            StmtKind::Break if in_for => {
                return Err(not_covered(
                    stmt.span,
                    "`break` out of a loop over a sort or range that communicates is not covered",
                ));
            }
            StmtKind::Break => OpKind::Break,
            StmtKind::Continue => OpKind::Continue,
            StmtKind::Assert(condition) => OpKind::Assert(condition),
            StmtKind::Assume(condition) => OpKind::Assume(condition),
            StmtKind::Send(message, arguments, address) => {
                OpKind::Send(*message, arguments, address)
            }
            StmtKind::Receive(accept) => {
                unfiltered(accept)?;
                OpKind::Receive(accept)
            }
            StmtKind::Select(arms, timeout) => self.select(arms, timeout.as_ref(), in_for)?,
            StmtKind::Async(..)
            | StmtKind::Spawn(..)
            | StmtKind::Call(..)
            | StmtKind::Par(_)
            | StmtKind::Use(_)
            | StmtKind::Part(_)
            | StmtKind::Yield(_) => return Err(not_covered(stmt.span, "`async` is not covered")),
        })
    }

    fn select(
        &mut self,
        arms: &'a [(Accept, Block)],
        timeout: Option<&'a Block>,
        in_for: bool,
    ) -> Result<OpKind<'a>, Stuck> {
        let mut rows = Vec::new();
        for (at, (accept, block)) in arms.iter().enumerate() {
            unfiltered(accept)?;
            if arms[..at]
                .iter()
                .any(|(other, _)| other.message == accept.message)
            {
                let sentence = "two arms of a receive take the same kind, which is not covered";
                return Err(not_covered(accept.span, sentence));
            }
            rows.push((accept, self.block(block, in_for)?));
        }
        let timeout = match timeout {
            Some(block) => Some(self.block(block, in_for)?),
            None => None,
        };
        Ok(OpKind::Select {
            arms: rows,
            timeout,
        })
    }

    /// `while c { … }` of a process that is no daemon decides at the end of a round whether there is another: it is
    /// `if c { loop { … if !c { break; } } }`. So what is received in a round decides by which way it is left, and nothing
    /// has to be known from one round to the next. Where `continue` ends rounds early it decides at its head.
    fn repeat(&mut self, condition: &'a Expr, body: &'a Block) -> Result<OpKind<'a>, Stuck> {
        let id = self.block(body, false)?;
        if matches!(condition.kind, ExprKind::Bool(true)) {
            return Ok(OpKind::Loop(id));
        }
        let decides = Op {
            kind: OpKind::Unless(condition),
            span: condition.span,
        };
        let round = &mut self.blocks[id.0 as usize];
        if self.daemon || continues(body) {
            round.insert(0, decides);
            return Ok(OpKind::Loop(id));
        }
        round.push(decides);
        let rounds = Op {
            kind: OpKind::Loop(id),
            span: condition.span,
        };
        let (inside, outside) = (self.new_block(vec![rounds]), self.new_block(Vec::new()));
        Ok(OpKind::If(condition, inside, outside))
    }

    fn new_block(&mut self, ops: Vec<Op<'a>>) -> BlockId {
        self.blocks.push(ops);
        BlockId(self.blocks.len() as u32 - 1)
    }

    fn annotations(&mut self, clauses: &plainsong_ir::LoopClauses, span: Span) {
        if !clauses.invariants.is_empty() || !clauses.decreases.is_empty() {
            self.score.annotated.push(span);
        }
    }

    fn opaque(&mut self, stmt: &'a Stmt) -> OpKind<'a> {
        struct Assigned(BTreeSet<Var>);
        impl Visit for Assigned {
            fn stmt(&mut self, stmt: &Stmt) {
                if let StmtKind::Assign(place, _) | StmtKind::AssignChoice(place, _) = &stmt.kind {
                    self.0.extend(root(&place.root));
                }
                walk::stmt(self, stmt);
            }
        }
        let mut assigned = Assigned(BTreeSet::new());
        assigned.stmt(stmt);
        OpKind::Opaque(stmt, assigned.0)
    }
}

/// Does a round of a loop end early?
fn continues(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue => true,
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => continues(yes) || continues(no),
        StmtKind::Match(_, arms) => arms.iter().any(|(_, body)| continues(body)),
        StmtKind::Select(arms, timeout) => {
            let mut arms = arms.iter();
            arms.any(|(_, body)| continues(body)) || timeout.as_deref().is_some_and(continues)
        }
        _ => false,
    })
}

fn unfiltered(accept: &Accept) -> Result<(), Stuck> {
    match &accept.filter {
        None => Ok(()),
        Some(filter) => Err(
            not_covered(filter.span, "a receive with `where` is not covered")
                .help("receive whatever comes and decide with `if`"),
        ),
    }
}

fn root(root: &Root) -> Option<Var> {
    match root {
        Root::Local(local) => Some(Var::Local(*local)),
        Root::Own(var) => Some(Var::Own(*var)),
        Root::Of(..) | Root::Global(_) => None,
    }
}
