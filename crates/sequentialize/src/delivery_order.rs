//! Delivery order: what the rules may rely on when messages overtake each other.
//!
//! The rules assume one queue per sender, receiver and kind, and that a receive of several kinds takes the oldest.
//!
//! Statement. `fifo`, `causal` and `mailbox` each allow a subset of what the rules assume and enable a receive exactly
//! when it does, so what is shown holds for them. A model says nothing about messages of another one: all kinds that
//! one receive waits for have the same model (trap `x1`). `unordered` promises nothing. It is fine for a
//! kind that is received alone and of which at most one message ever goes from any process to any other: on every
//! path of a process, at most one send can have a certain address. A loop over the members of a family that sends to
//! the member it names sends one to each.
//!
//! Why sound. A queue through which one message goes has no order.
//!
//! NOT COVERED. Several unordered messages between two processes of which the second is sent after an answer to the
//! first; answers to whoever asked, in a loop.

use crate::process_code::{BlockId, OpKind, Over, Part};
use crate::stuck::{Obstacle, Stuck};
use crate::voices_to_parts::Score;
use plainsong_diagnostics::Span;
use plainsong_ir::{Delivery, Expr, ExprKind, FamilyId, LocalId, MessageId};
use std::collections::BTreeSet;

/// More than one.
const MANY: usize = 2;

/// Refuses programs in which the order of messages could matter and is not known.
pub(crate) fn check(score: &Score<'_>, delivery: Option<Delivery>) -> Result<(), Stuck> {
    let model = |message: MessageId| {
        let declared = score.voices.messages[message.index()].delivery;
        delivery.or(declared).unwrap_or(Delivery::by_default(true))
    };
    let name = |message: MessageId| &score.voices.messages[message.index()].name;
    for part in score.parts.values() {
        for op in part.ops(BlockId::ENTRY) {
            let accepts = op.kind.accepts();
            let Some((first, more)) = accepts.split_first() else {
                continue;
            };
            let odd = more.iter().find(|other| {
                model(other.message) != model(first.message) || !model(other.message).keeps_order()
            });
            if let Some(odd) = odd {
                let sentence = format!(
                    "nothing says which of `{}` ({}) and `{}` ({}) comes first",
                    name(first.message),
                    model(first.message).name(),
                    name(odd.message),
                    model(odd.message).name(),
                );
                return Err(Stuck::new(Obstacle::MixedChannel, odd.span, sentence)
                    .help("deliver both by the same model, or wait for one after the other"));
            }
        }
    }
    for part in score.parts.values() {
        for op in part.ops(BlockId::ENTRY) {
            if let OpKind::Send(message, ..) = op.kind
                && !model(message).keeps_order()
            {
                once(score, part, message, op.span)?;
            }
        }
    }
    Ok(())
}

/// At most one message of a kind goes from a process of this part to any other.
fn once(score: &Score<'_>, part: &Part<'_>, message: MessageId, span: Span) -> Result<(), Stuck> {
    let receivers: BTreeSet<FamilyId> = score.parts.keys().copied().collect();
    let to = receivers
        .into_iter()
        .find(|to| most(part, BlockId::ENTRY, message, *to) > 1);
    let Some(to) = to else { return Ok(()) };
    let what = &score.voices.messages[message.index()].name;
    let sentence = format!(
        "`{}` may send several `{what}` to one process of `{}`, and they are delivered in any order",
        score.name(part.family),
        score.name(to),
    );
    Err(
        Stuck::new(Obstacle::NotCovered, span, sentence).help(format!(
            "declare `{what}` with `via fifo`, or use a kind for each"
        )),
    )
}

/// How many messages of a kind one process of a family may get on a path of this block.
fn most(part: &Part<'_>, block: BlockId, message: MessageId, to: FamilyId) -> usize {
    let ops = part.blocks[block.0 as usize].iter();
    let sum: usize = ops
        .map(|op| {
            let under = |block: &BlockId| most(part, *block, message, to);
            match &op.kind {
                OpKind::Send(sent, _, address) => {
                    usize::from(*sent == message && may_be_to(part, address, to))
                }
                OpKind::Loop(body) => MANY * under(body),
                OpKind::For { local, over, body } => {
                    let each =
                        *over == Over::Members(to) && only_named(part, *body, message, *local);
                    under(body) * if each { 1 } else { MANY }
                }
                _ => op.blocks().iter().map(under).max().unwrap_or(0),
            }
        })
        .sum();
    sum.min(MANY)
}

fn may_be_to(part: &Part<'_>, address: &Expr, to: FamilyId) -> bool {
    match &address.kind {
        ExprKind::Pid(family, _) => *family == to,
        ExprKind::SelfPid => part.family == to,
        _ => true,
    }
}

/// Do all sends of a kind in a block go to the member with this name?
fn only_named(part: &Part<'_>, block: BlockId, message: MessageId, local: LocalId) -> bool {
    let mut ops = part.ops(block).into_iter();
    ops.all(|op| match &op.kind {
        OpKind::Send(sent, _, address) if *sent == message => match &address.kind {
            ExprKind::Pid(_, index) => {
                matches!(&index[..], [one] if one.kind == ExprKind::Local(local))
            }
            _ => false,
        },
        _ => true,
    })
}
