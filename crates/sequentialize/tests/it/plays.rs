//! Random plays: everybody may talk to everybody, in loops that are found on the way.
//!
//! Nothing is meant to be a protocol. A play grows by one message at a time: a send at the end of somebody's code and a
//! receive at the end of somebody else's, each in the loop that is there last or in a new one, by name or from anyone.
//! Then statements change places, are put into branches or loops, and are changed like those of other programs. Few
//! plays are right, but the wrong ones are wrong in ways that nobody thought of.

use crate::protocols::{Dice, Flag, Parts, S, Who};
use S::{
    AsManyAs, Break, Choose, ChooseOther, Claim, Each, EachOther, Fits, If, Keep, Loop, Mark,
    Receive, Remember, Rounds, Same, Select, Send, Twice,
};
use Who::{Any, AnyMember, AnyOther, D, E, Last, Named, Other, P, R};

/// Adds a play.
pub(crate) fn play(dice: &mut Dice, parts: &mut Parts) {
    parts.has_e |= dice.one_in(4);
    parts.serves |= parts.w.is_empty() && dice.one_in(2);
    let others = dice.one_in(3);
    for _ in 0..2 + dice.below(4) {
        let kind = kind(dice, parts);
        message(dice, parts, kind, others);
        if dice.one_in(4) {
            aside(dice, parts);
        }
    }
    for _ in 0..dice.below(3) {
        let code = some_code(dice, parts);
        disturb(dice, code);
    }
}

/// A new kind, now and then an old one.
fn kind(dice: &mut Dice, parts: &mut Parts) -> usize {
    if parts.kinds > 0 && dice.one_in(5) {
        return dice.below(parts.kinds);
    }
    parts.kinds += 1;
    parts.kinds - 1
}

fn flag(dice: &mut Dice) -> Flag {
    [Flag::Yes, Flag::No, Flag::Have, Flag::Have, Flag::Seen][dice.below(5)]
}

fn message(dice: &mut Dice, parts: &mut Parts, kind: usize, others: bool) {
    let value = flag(dice);
    let own = !dice.one_in(5);
    let send = |to| Send(kind, to, own, value);
    match dice.below(if others { 22 } else { 15 }) {
        0 | 1 => {
            let single = [P, R][dice.below(2)];
            let to = [Named, Named, Last][dice.below(3)];
            in_a_loop(dice, single_code(parts, single), send(to));
            let from = [single, Any][dice.below(2)];
            member_code(dice, parts, Receive(kind, from));
        }
        2..=4 => {
            let single = [P, P, R][dice.below(3)];
            let to = [single, single, single, Last][dice.below(4)];
            member_code(dice, parts, send(to));
            let from = [Any, AnyMember, AnyMember, Named, Last][dice.below(5)];
            in_a_loop(dice, single_code(parts, single), Receive(kind, from));
        }
        5 => {
            let (from, to) = [(P, R), (R, P)][dice.below(2)];
            if dice.one_in(2) {
                single_code(parts, from).push(send(to));
                single_code(parts, to).push(Receive(kind, [from, Any][dice.below(2)]));
            } else {
                in_a_loop(dice, single_code(parts, from), send(to));
                in_a_loop(dice, single_code(parts, to), Receive(kind, from));
            }
        }
        6..=8 => {
            let (daemon, code) = daemon_code(dice, parts);
            let from = [Any, AnyMember, AnyMember, Last][dice.below(4)];
            code.push(Receive(kind, from));
            member_code(dice, parts, send(daemon));
        }
        9 | 10 => {
            let (daemon, code) = daemon_code(dice, parts);
            code.push(send(Last));
            member_code(dice, parts, Receive(kind, daemon));
        }
        11 if parts.has_e => {
            let (one, two) = [(D, E), (E, D)][dice.below(2)];
            let (from, to) = match one {
                D => (&mut parts.d, &mut parts.e),
                _ => (&mut parts.e, &mut parts.d),
            };
            from.push(Send(kind, two, own && dice.one_in(2), value));
            to.push(Receive(kind, [one, Any][dice.below(2)]));
        }
        12 => {
            let single = [P, R][dice.below(2)];
            let (daemon, code) = daemon_code(dice, parts);
            code.push(Receive(kind, [single, Any, Last][dice.below(3)]));
            in_a_loop(dice, single_code(parts, single), send(daemon));
        }
        13 => {
            let single = [P, R][dice.below(2)];
            let (daemon, code) = daemon_code(dice, parts);
            code.push(send([single, Last][dice.below(2)]));
            in_a_loop(dice, single_code(parts, single), Receive(kind, daemon));
        }
        14 => member_code(dice, parts, Choose),
        15 | 16 => {
            in_another_loop(dice, &mut parts.q, send(Other));
            other_code(dice, parts, Receive(kind, AnyMember));
        }
        17 | 18 => {
            other_code(dice, parts, send(Last));
            let from = [Other, AnyOther][dice.below(2)];
            in_another_loop(dice, &mut parts.q, Receive(kind, from));
        }
        19 => {
            in_another_loop(dice, &mut parts.p, send(Other));
            let from = [P, Any][dice.below(2)];
            other_code(dice, parts, Receive(kind, from));
        }
        20 => {
            let to = [P, Last][dice.below(2)];
            other_code(dice, parts, send(to));
            let from = [Other, AnyOther][dice.below(2)];
            in_another_loop(dice, &mut parts.p, Receive(kind, from));
        }
        _ => {
            let single = [P, R][dice.below(2)];
            let arms = vec![(kind, [Any, AnyMember][dice.below(2)], vec![])];
            let late = dice.one_in(2).then(Vec::new);
            member_code(dice, parts, send(single));
            in_a_loop(dice, single_code(parts, single), Select(arms, late));
        }
    }
}

fn single_code(parts: &mut Parts, single: Who) -> &mut Vec<S> {
    if single == P {
        &mut parts.p
    } else {
        &mut parts.r
    }
}

fn daemon_code<'p>(dice: &mut Dice, parts: &'p mut Parts) -> (Who, &'p mut Vec<S>) {
    match parts.has_e && dice.one_in(2) {
        true => (E, &mut parts.e),
        false => (D, &mut parts.d),
    }
}

/// In the loop that is there last, in a new one, or in none.
fn in_a_loop(dice: &mut Dice, code: &mut Vec<S>, one: S) {
    if !dice.one_in(3)
        && let Some(Each(body) | AsManyAs(body) | Rounds(body) | Twice(body)) = code.last_mut()
    {
        return match dice.one_in(6) {
            true => in_a_loop(dice, body, one),
            false => body.push(one),
        };
    }
    code.push(match dice.below(12) {
        0..=5 => Each(vec![one]),
        6 | 7 => AsManyAs(vec![one]),
        8 | 9 => Rounds(vec![one]),
        10 => Twice(vec![one]),
        _ => one,
    });
}

fn in_another_loop(dice: &mut Dice, code: &mut Vec<S>, one: S) {
    if !dice.one_in(3)
        && let Some(EachOther(body)) = code.last_mut()
    {
        return body.push(one);
    }
    if dice.one_in(5) {
        return code.extend([ChooseOther, one]);
    }
    code.push(EachOther(vec![one]));
}

/// At the end of what members do: in their loop, if they have one.
fn member_code(dice: &mut Dice, parts: &mut Parts, one: S) {
    let code = &mut parts.q;
    if !dice.one_in(3)
        && let Some(Loop(body) | Twice(body) | Rounds(body)) = code.last_mut()
    {
        return body.push(one);
    }
    match dice.below(14) {
        0 => code.push(Loop(vec![one, If(Flag::Have, vec![Break], vec![])])),
        1 => code.push(Loop(vec![If(Flag::Have, vec![Break], vec![]), one])),
        2 => code.push(Twice(vec![one])),
        3 => code.push(Rounds(vec![one])),
        _ => code.push(one),
    }
}

fn other_code(dice: &mut Dice, parts: &mut Parts, one: S) {
    let code = &mut parts.w;
    if parts.serves {
        return code.push(one);
    }
    if !dice.one_in(3)
        && let Some(Each(body) | Rounds(body)) = code.last_mut()
    {
        return body.push(one);
    }
    code.push(match dice.below(4) {
        0 => one,
        1 => Rounds(vec![one]),
        _ => Each(vec![one]),
    });
}

/// Something that nobody else sees at once.
fn aside(dice: &mut Dice, parts: &mut Parts) {
    let some = [Choose, Keep, Claim, Mark, Remember][dice.below(5)].clone();
    let code = some_code(dice, parts);
    let body = match code.last_mut() {
        Some(Each(body) | AsManyAs(body) | Rounds(body) | Twice(body) | Loop(body)) => body,
        _ => code,
    };
    body.push(some);
}

fn some_code<'p>(dice: &mut Dice, parts: &'p mut Parts) -> &'p mut Vec<S> {
    match dice.below(6) {
        0 => &mut parts.p,
        1 => &mut parts.r,
        2 | 3 => &mut parts.q,
        4 => &mut parts.d,
        _ => &mut parts.w,
    }
}

/// Statements change places, or are put into branches and loops.
fn disturb(dice: &mut Dice, code: &mut Vec<S>) {
    if code.is_empty() {
        return;
    }
    let at = dice.below(code.len());
    if let Each(body) | AsManyAs(body) | Rounds(body) | Twice(body) | Loop(body) | EachOther(body) =
        &mut code[at]
        && !dice.one_in(3)
    {
        return disturb(dice, body);
    }
    let rest = code.len() - at;
    match dice.below(10) {
        0 | 1 if rest > 1 => code.swap(at, at + 1),
        7 => {
            if let Receive(kind, from) = code[at] {
                code[at] = Select(vec![(kind, from, vec![])], Some(vec![]));
            }
        }
        8 if rest > 1 => {
            if let (Receive(one, from), Receive(other, _)) = (&code[at], &code[at + 1]) {
                let arms = vec![(*one, *from, vec![]), (*other, *from, vec![])];
                let late = dice.one_in(4).then(Vec::new);
                code.splice(at..at + 2, [Select(arms, late)]);
            }
        }
        2 => {
            let one = code.remove(at);
            code.insert(at, If(flag(dice), vec![one], vec![]));
        }
        3 => {
            let one = code.remove(at);
            let flag = flag(dice);
            code.insert(at, If(flag, vec![one.clone()], vec![one]));
        }
        4 => {
            let one = code.remove(at);
            let body = vec![one];
            code.insert(at, [Same(body.clone()), Fits(body)][dice.below(2)].clone());
        }
        5 => {
            let some: Vec<S> = code
                .drain(at..(at + 1 + dice.below(rest)).min(code.len()))
                .collect();
            let some = match dice.below(4) {
                0 => Twice(some),
                1 => Rounds(some),
                2 => Each(some),
                _ => AsManyAs(some),
            };
            code.insert(at, some);
        }
        6 => {
            let mut some: Vec<S> = code.drain(at..).collect();
            let out = If(flag(dice), vec![Break], vec![]);
            let place = dice.below(some.len() + 1);
            some.insert(place, out);
            if dice.one_in(2) {
                some.push(Break);
            }
            code.push(Loop(some));
        }
        _ => {
            let one = code[at].clone();
            code.insert(at, one);
        }
    }
}
