//! Process code: the code of processes in the shape that the rules work on.
//!
//! A part is one process or one family of processes. Its statements lie in blocks, so a place in the
//! code ([`Place`]) is a short list of numbers that can be copied and compared: "the member is back where
//! it started" is an equation. `while c { … }` is a loop that ends its rounds with `if !c { break; }`, gone into if `c`
//! (`voices_to_parts.rs`), and a loop that does not communicate is one opaque statement.

use plainsong_diagnostics::Span;
use plainsong_ir::{Accept, Choice, Expr, FamilyId, LocalId, MessageId, Pattern, SortId, VarId};
use std::collections::BTreeSet;

/// A process or a family of processes.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    pub(crate) family: FamilyId,
    /// The sort its members are named by; none for a single process.
    pub(crate) sort: Option<SortId>,
    pub(crate) daemon: bool,
    pub(crate) blocks: Vec<Vec<Op<'a>>>,
}

/// A block of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BlockId(pub(crate) u32);

impl BlockId {
    /// What a part does from its start.
    pub(crate) const ENTRY: BlockId = BlockId(0);
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct Op<'a> {
    pub(crate) kind: OpKind<'a>,
    pub(crate) span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
pub(crate) enum OpKind<'a> {
    /// A whole variable gets a value.
    Set(Var, &'a Expr),
    /// A part of a variable gets a value.
    SetPart(Var, &'a plainsong_ir::Place, &'a Expr),
    /// A variable gets any value that the choice allows.
    Choose(Var, &'a Choice),
    /// A part of a variable gets any value that the choice allows.
    ChoosePart(Var, &'a plainsong_ir::Place, &'a Choice),
    If(&'a Expr, BlockId, BlockId),
    Maybe(BlockId, BlockId),
    Match(&'a Expr, Vec<(&'a Pattern, BlockId)>),
    /// For ever, unless something in it breaks out.
    Loop(BlockId),
    /// Leaves the innermost loop unless this holds: what a `while` asks.
    Unless(&'a Expr),
    For {
        local: LocalId,
        over: Over,
        body: BlockId,
    },
    /// Does not communicate; all that is known of it is what it assigns.
    Opaque(&'a plainsong_ir::Stmt, BTreeSet<Var>),
    Break,
    Continue,
    Assert(&'a Expr),
    Assume(&'a Expr),
    Send(MessageId, &'a [Expr], &'a Expr),
    Receive(&'a Accept),
    /// Whichever kind comes, or nothing if that takes too long.
    Select {
        arms: Vec<(&'a Accept, BlockId)>,
        timeout: Option<BlockId>,
    },
}

/// What a communicating loop goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Over {
    /// The members of a family: the loop's name can be used as an address.
    Members(FamilyId),
    /// As many rounds as a family has members: `0..Q.len()`.
    SizeOf(FamilyId),
    /// Some number of rounds, the same wherever this occurs.
    Rounds(Rounds),
}

/// A number of rounds that does not depend on any state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Rounds {
    /// One for each member of a sort that names no processes.
    Sort(SortId),
    /// One for each integer of a range; equal ranges have equal numbers.
    Range(u32),
}

impl Over {
    /// The family whose size it has.
    pub(crate) fn family(self) -> Option<FamilyId> {
        match self {
            Over::Members(family) | Over::SizeOf(family) => Some(family),
            Over::Rounds(_) => None,
        }
    }
}

/// A variable of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Var {
    Own(VarId),
    Local(LocalId),
}

/// One level of nesting in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Frame {
    pub(crate) block: BlockId,
    pub(crate) at: u32,
    /// Is it the body of a loop, which stands in the frame below?
    pub(crate) looped: bool,
}

/// A place in the code of a part: where it goes on, innermost last. Empty at the end.
///
/// Finished frames are popped at once, so equal places are equal data.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place(pub(crate) Vec<Frame>);

impl Place {
    /// At the start of a block, with nothing after it.
    pub(crate) fn start(part: &Part<'_>, block: BlockId) -> Place {
        let mut place = Place::default();
        place.enter(part, block, false);
        place
    }

    /// Is there nothing left to do?
    pub(crate) fn is_end(&self) -> bool {
        self.0.is_empty()
    }

    /// The statement to do next.
    pub(crate) fn op<'p, 'a>(&self, part: &'p Part<'a>) -> Option<&'p Op<'a>> {
        let frame = self.0.last()?;
        part.blocks[frame.block.0 as usize].get(frame.at as usize)
    }

    /// Past the statement at hand.
    pub(crate) fn advance(&mut self, part: &Part<'_>) {
        if let Some(frame) = self.0.last_mut() {
            frame.at += 1;
        }
        self.settle(part);
    }

    /// Into a block; the statement at hand must have been passed, or be the loop whose body it is.
    pub(crate) fn enter(&mut self, part: &Part<'_>, block: BlockId, looped: bool) {
        self.0.push(Frame {
            block,
            at: 0,
            looped,
        });
        self.settle(part);
    }

    /// Out of the innermost loop.
    pub(crate) fn leave_loop(&mut self, part: &Part<'_>) {
        while let Some(frame) = self.0.pop() {
            if frame.looped {
                self.advance(part);
                return;
            }
        }
    }

    /// To the head of the innermost loop, or to the end of the round of a `for`.
    pub(crate) fn next_round(&mut self, part: &Part<'_>) {
        while let Some(frame) = self.0.pop() {
            if frame.looped {
                break;
            }
        }
        self.settle(part);
    }

    /// Is it at the head of the loop that everything ends with?
    pub(crate) fn is_at_last_loop(&self, part: &Part<'_>) -> bool {
        let [frame] = &self.0[..] else { return false };
        let block = &part.blocks[BlockId::ENTRY.0 as usize];
        frame.block == BlockId::ENTRY
            && frame.at as usize + 1 == block.len()
            && matches!(block[frame.at as usize].kind, OpKind::Loop(_))
    }

    fn settle(&mut self, part: &Part<'_>) {
        while let Some(frame) = self.0.last() {
            if (frame.at as usize) < part.blocks[frame.block.0 as usize].len() {
                return;
            }
            self.0.pop();
        }
    }
}

impl<'a> Part<'a> {
    /// Every statement under a block, in order.
    pub(crate) fn ops(&self, block: BlockId) -> Vec<&Op<'a>> {
        let mut found = Vec::new();
        self.collect(block, &mut found);
        found
    }

    fn collect<'p>(&'p self, block: BlockId, found: &mut Vec<&'p Op<'a>>) {
        for op in &self.blocks[block.0 as usize] {
            found.push(op);
            op.blocks()
                .into_iter()
                .for_each(|one| self.collect(one, found));
        }
    }

    /// The variables that a block assigns.
    pub(crate) fn assigned(&self, block: BlockId) -> BTreeSet<Var> {
        self.ops(block).into_iter().flat_map(Op::assigns).collect()
    }

    /// The variables that are assigned from a place on.
    pub(crate) fn assigned_after(&self, place: &Place) -> BTreeSet<Var> {
        let mut all = BTreeSet::new();
        for frame in &place.0 {
            for op in &self.blocks[frame.block.0 as usize][frame.at as usize..] {
                all.extend(op.assigns());
                for block in op.blocks() {
                    all.extend(self.assigned(block));
                }
            }
            if frame.looped {
                all.extend(self.assigned(frame.block));
            }
        }
        all
    }
}

impl Op<'_> {
    /// The blocks directly under it.
    pub(crate) fn blocks(&self) -> Vec<BlockId> {
        match &self.kind {
            OpKind::If(_, yes, no) | OpKind::Maybe(yes, no) => vec![*yes, *no],
            OpKind::Match(_, arms) => arms.iter().map(|(_, block)| *block).collect(),
            OpKind::Loop(body) | OpKind::For { body, .. } => vec![*body],
            OpKind::Select { arms, timeout } => {
                let blocks = arms.iter().map(|(_, block)| *block);
                blocks.chain(*timeout).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What it assigns itself, without what is under it.
    pub(crate) fn assigns(&self) -> Vec<Var> {
        match &self.kind {
            OpKind::Set(var, _)
            | OpKind::SetPart(var, ..)
            | OpKind::Choose(var, _)
            | OpKind::ChoosePart(var, ..) => vec![*var],
            OpKind::For { local, .. } => vec![Var::Local(*local)],
            OpKind::Opaque(_, vars) => vars.iter().copied().collect(),
            OpKind::Receive(accept) => received(accept),
            OpKind::Select { arms, .. } => arms
                .iter()
                .flat_map(|(accept, _)| received(accept))
                .collect(),
            OpKind::Match(_, arms) => {
                let mut bound = Vec::new();
                arms.iter()
                    .for_each(|(pattern, _)| binds(pattern, &mut bound));
                bound
            }
            _ => Vec::new(),
        }
    }
}

impl<'a> OpKind<'a> {
    /// The messages that it takes one of.
    pub(crate) fn accepts(&self) -> Vec<&'a Accept> {
        match self {
            OpKind::Receive(accept) => vec![accept],
            OpKind::Select { arms, .. } => arms.iter().map(|(accept, _)| *accept).collect(),
            _ => Vec::new(),
        }
    }
}

/// The names that a receive binds.
pub(crate) fn received(accept: &Accept) -> Vec<Var> {
    use plainsong_ir::Source;
    let mut bound: Vec<LocalId> = accept.slots.iter().flatten().copied().collect();
    match &accept.source {
        Source::Anyone(who) => bound.extend(who),
        Source::Family(_, index, who) => {
            bound.extend(index);
            bound.extend(who);
        }
        Source::Process(_) => {}
    }
    bound.into_iter().map(Var::Local).collect()
}

/// The names that a pattern binds.
pub(crate) fn binds(pattern: &Pattern, bound: &mut Vec<Var>) {
    use plainsong_ir::PatternKind as P;
    match &pattern.kind {
        P::Bind(local) => bound.push(Var::Local(*local)),
        P::Some(inner) => binds(inner, bound),
        P::Tuple(parts) | P::Variant(_, _, parts) | P::Struct(_, parts) | P::Pid(_, parts) => {
            parts.iter().for_each(|part| binds(part, bound));
        }
        P::Wild | P::Bool(_) | P::Int(_) | P::None => {}
    }
}
