//! Random rounds and pools: a whole family goes through as many rounds as who talks to it, or asks until it is told to stop.
//!
//! Some of them are right; others are ahead of their round, do two rounds in one, say something once more behind their
//! rounds, or leave when others still count on them. The changes of `protocols.rs` do the rest.

use crate::protocols::{Dice, Flag, Parts, S, Who};
use Flag::{Have, No, Seen, Yes};
use S::{Add, AsManyAs, Choose, Each, If, IfMore, Keep, Mark, Receive, Rounds, Send, Sum, Until};
use Who::{Any, AnyMember, D, Last, Named, P, R};

/// Adds rounds or a pool.
pub(crate) fn rounds(dice: &mut Dice, parts: &mut Parts) {
    match dice.one_in(3) {
        true => pool(dice, parts),
        false => together(dice, parts),
    }
}

fn kind(parts: &mut Parts) -> usize {
    parts.kinds += 1;
    parts.kinds - 1
}

/// Both go through rounds, with one to three exchanges in each.
fn together(dice: &mut Dice, parts: &mut Parts) {
    parts.notes.push("rounds");
    let (mut p, mut q, mut r) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..1 + dice.below(3) {
        exchange(dice, parts, (&mut p, &mut q, &mut r));
    }
    if dice.one_in(5) {
        // Once more behind the rounds.
        let (mut p, mut q, mut r) = (Vec::new(), Vec::new(), Vec::new());
        exchange(dice, parts, (&mut p, &mut q, &mut r));
        parts.p.extend(p);
        parts.q.extend(q);
    }
    parts.p.push(Rounds(p));
    parts.q.push(Rounds(q));
    if !r.is_empty() {
        parts.r.push(Rounds(r));
    }
}

/// Something that is said in a round, by one side or by both.
fn exchange(
    dice: &mut Dice,
    parts: &mut Parts,
    (p, q, r): (&mut Vec<S>, &mut Vec<S>, &mut Vec<S>),
) {
    let (a, b) = (kind(parts), kind(parts));
    let from_p = [P, Any][dice.below(2)];
    let members = [AnyMember, Any][dice.below(2)];
    let value = [Have, Yes, Seen][dice.below(3)];
    let aside = [Keep, Add, Sum, Choose][dice.below(4)].clone();
    let count = |dice: &mut Dice, body| match dice.one_in(4) {
        true => AsManyAs(body),
        false => Each(body),
    };
    match dice.below(9) {
        // Ask everybody, then hear everybody.
        0..=2 => {
            p.push(Each(vec![Send(a, Named, true, value)]));
            p.push(count(dice, vec![Receive(b, members), aside]));
            q.extend([Receive(a, from_p), Send(b, P, true, Have)]);
        }
        // Hear everybody, then tell everybody.
        3 | 4 => {
            p.push(count(dice, vec![Receive(a, members), Keep]));
            p.push(Each(vec![Send(b, Named, true, Seen)]));
            q.extend([Choose, Send(a, P, true, Have), Receive(b, from_p), aside]);
        }
        // One after the other.
        5 => {
            p.push(Each(vec![Send(a, Named, true, value), Receive(b, Named)]));
            q.extend([Receive(a, from_p), aside, Send(b, P, true, Have)]);
        }
        // Without being asked.
        6 => {
            p.push(count(dice, vec![Receive(a, members), aside]));
            q.push(Send(a, P, true, value));
        }
        // With a service.
        7 if parts.d.is_empty() => {
            parts.d = vec![Receive(a, members), Send(b, Last, true, Have)];
            q.extend([Send(a, D, true, No), Receive(b, D)]);
        }
        // By the way, somebody else goes through rounds as well.
        _ => {
            p.push(Send(a, R, true, value));
            r.push(Receive(a, from_p));
        }
    }
}

/// Members ask until they are told to stop, or for some other reason.
fn pool(dice: &mut Dice, parts: &mut Parts) {
    parts.notes.push("pool");
    let (ask, answer) = (kind(parts), kind(parts));
    let members = [AnyMember, Any][dice.below(2)];
    let flag = match dice.one_in(4) {
        true => Seen,
        false => Have,
    };
    let serve = |value| vec![Receive(ask, members), Send(answer, Last, true, value)];
    if !dice.one_in(4) {
        parts.p.push(Rounds(serve(No)));
    }
    if !dice.one_in(6) {
        parts.p.push(Each(serve(Yes)));
    }
    let mut body = vec![Send(ask, P, true, No), Receive(answer, P)];
    match dice.below(6) {
        0 => body.push(Mark),
        1 => body.push(IfMore(vec![Choose])),
        2 => body.insert(0, Choose),
        3 => body.push(Add),
        4 if flag == Seen => body.push(Keep),
        _ => body.push(If(Have, vec![Mark], vec![Sum])),
    }
    parts.q.push(Until(flag, body));
}
