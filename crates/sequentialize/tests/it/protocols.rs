//! Random protocols: phases that fit together, and changes that may break them.

use crate::conversations::conversation;
use crate::plays::play;
use crate::protocol_text::print;
use crate::rounds::rounds;

/// Numbers that look random and depend only on the seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Who {
    P,
    R,
    D,
    E,
    /// The member that a loop names.
    Named,
    /// The process that the last message named.
    Last,
    Own,
    /// The member of the other family that a loop names.
    Other,
    AnyOther,
    AnyMember,
    Any,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Flag {
    Yes,
    No,
    Have,
    Seen,
}

#[derive(Clone)]
pub(crate) enum S {
    Send(usize, Who, bool, Flag),
    Receive(usize, Who),
    /// Whichever kind comes, or a timeout.
    Select(Vec<(usize, Who, Vec<S>)>, Option<Vec<S>>),
    Each(Vec<S>),
    /// For each member of the other family.
    EachOther(Vec<S>),
    AsManyAs(Vec<S>),
    Rounds(Vec<S>),
    If(Flag, Vec<S>, Vec<S>),
    Same(Vec<S>),
    Loop(Vec<S>),
    Break,
    Choose,
    Keep,
    Claim,
    Twice(Vec<S>),
    /// A member of the other family, named from here on.
    ChooseOther,
    Mark,
    /// Whom the last message named is kept.
    Remember,
    /// If the last message named whom is kept.
    Fits(Vec<S>),
    /// Until a flag is set: `while !flag`.
    Until(Flag, Vec<S>),
    /// One more is counted.
    Add,
    /// The number of the last message is counted.
    Sum,
    /// If the number of the last message is more than what is counted.
    IfMore(Vec<S>),
    /// The number of the last message is this.
    ClaimNumber(usize),
}

#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) p: Vec<S>,
    pub(crate) r: Vec<S>,
    pub(crate) q: Vec<S>,
    pub(crate) d: Vec<S>,
    /// Another daemon.
    pub(crate) e: Vec<S>,
    pub(crate) has_e: bool,
    /// The other family.
    pub(crate) w: Vec<S>,
    /// Are its members daemons?
    pub(crate) serves: bool,
    pub(crate) kinds: usize,
    /// Kinds that may be lost.
    pub(crate) lost: Vec<usize>,
    /// May a member crash?
    pub(crate) crash: bool,
    /// What the number in each kind of message is, by its place among [`NUMBERS`]; `1` if nothing is said.
    pub(crate) numbers: Vec<usize>,
    /// What kinds of phases it has, to be found again in the text.
    pub(crate) notes: Vec<&'static str>,
}

/// The numbers that messages carry.
pub(crate) const NUMBERS: [&str; 6] = ["1", "got", "got + 1", "count", "2 * got", "count + got"];

/// The text of a program with so many changes.
pub(crate) fn program(dice: &mut Dice, changes: usize) -> String {
    let mut parts = Parts::default();
    if dice.one_in(4) {
        rounds(dice, &mut parts);
        if dice.one_in(3) {
            phase(dice, &mut parts);
        }
        return changed(dice, parts, changes / 2);
    }
    if dice.one_in(2) {
        conversation(dice, &mut parts);
        for _ in 0..dice.below(2) {
            match dice.one_in(3) {
                true => conversation(dice, &mut parts),
                false => phase(dice, &mut parts),
            }
        }
        return changed(dice, parts, changes / 2);
    }
    for _ in 0..1 + dice.below(4) {
        phase(dice, &mut parts);
    }
    changed(dice, parts, changes)
}

/// The text of a play with so many changes, perhaps with a phase of a protocol before it.
pub(crate) fn random_play(dice: &mut Dice, changes: usize) -> String {
    let mut parts = Parts::default();
    if dice.one_in(6) {
        phase(dice, &mut parts);
    }
    play(dice, &mut parts);
    changed(dice, parts, changes)
}

/// Its text after so many changes.
fn changed(dice: &mut Dice, mut parts: Parts, changes: usize) -> String {
    for _ in 0..changes {
        let whose = [
            &mut parts.p,
            &mut parts.r,
            &mut parts.q,
            &mut parts.d,
            &mut parts.e,
            &mut parts.w,
        ];
        let mut whose: Vec<&mut Vec<S>> =
            whose.into_iter().filter(|code| !code.is_empty()).collect();
        // Earlier changes may have left nothing to change.
        if whose.is_empty() {
            break;
        }
        let at = dice.below(whose.len());
        change(dice, whose[at], parts.kinds);
    }
    // What is known of numbers matters only where they are looked at.
    parts.numbers = (0..parts.kinds)
        .map(|_| match dice.one_in(2) {
            true => dice.below(NUMBERS.len()),
            false => 0,
        })
        .collect();
    print(&parts)
}

fn phase(dice: &mut Dice, parts: &mut Parts) {
    use Flag::{Have, No, Yes};
    use S::{
        AsManyAs, Break, Choose, Claim, Each, EachOther, If, Keep, Loop, Receive, Rounds, Select,
        Send,
    };
    use Who::{Any, AnyMember, AnyOther, D, Last, Named, Other, Own, P, R};
    let mut kind = || {
        // Now and then a kind is used again.
        if parts.kinds > 0 && dice.one_in(10) {
            return dice.below(parts.kinds);
        }
        parts.kinds += 1;
        parts.kinds - 1
    };
    let (a, b) = (kind(), kind());
    let from_p = if dice.one_in(2) { P } else { Any };
    let members = if dice.one_in(2) { AnyMember } else { Any };
    let count = |dice: &mut Dice, body| {
        if dice.one_in(3) {
            AsManyAs(body)
        } else {
            Each(body)
        }
    };
    match dice.below(30) {
        0 => {
            parts.p.push(Each(vec![Send(a, Named, true, Have)]));
            parts.q.push(Receive(a, from_p));
        }
        1 => {
            parts.q.push(Send(a, P, true, Yes));
            let body = count(dice, vec![Receive(a, members)]);
            parts.p.push(body);
        }
        2 => {
            parts.q.extend([Choose, Send(a, P, true, Have)]);
            let body = count(
                dice,
                vec![Receive(a, members), If(Have, vec![Keep], vec![])],
            );
            parts.p.push(body);
        }
        3 => {
            parts.q.extend([Send(a, P, true, Yes), Receive(b, from_p)]);
            let body = count(dice, vec![Receive(a, members), Send(b, Last, true, Have)]);
            parts.p.push(body);
        }
        4 => {
            parts
                .p
                .push(Each(vec![Send(a, Named, true, Yes), Receive(b, Named)]));
            let back = if dice.one_in(2) { P } else { Last };
            parts
                .q
                .extend([Receive(a, from_p), Send(b, back, true, Have)]);
        }
        5 => {
            parts.p.push(Send(a, R, true, Have));
            parts.r.push(Receive(a, from_p));
        }
        6 => {
            parts.p.push(Rounds(vec![Send(a, R, true, Yes)]));
            parts.r.push(Rounds(vec![Receive(a, from_p)]));
        }
        7 => {
            parts
                .p
                .push(Rounds(vec![Receive(a, members), Send(b, Last, true, No)]));
            parts
                .p
                .push(Each(vec![Receive(a, members), Send(b, Last, true, Yes)]));
            let body = vec![
                Send(a, P, true, No),
                Receive(b, from_p),
                If(Have, vec![Break], vec![]),
            ];
            parts.q.push(Loop(body));
        }
        8 if parts.d.is_empty() => {
            parts
                .d
                .extend([Receive(a, members), Send(b, Last, true, Have)]);
            parts.q.extend([Send(a, D, true, No), Receive(b, D)]);
        }
        9 => {
            parts.q.extend([Receive(a, from_p), Send(b, R, true, Have)]);
            parts.p.push(Each(vec![Send(a, Named, true, Have)]));
            parts.r.push(Each(vec![Receive(b, members)]));
        }
        10 => {
            parts.p.push(Each(vec![Send(a, Named, true, Have)]));
            parts.q.push(Receive(a, from_p));
            parts.q.push(If(Have, vec![Keep], vec![Claim]));
        }
        12 => {
            let tell = If(
                Have,
                vec![Send(a, Named, true, Yes)],
                vec![Send(b, Named, true, No)],
            );
            parts.p.push(Each(vec![Choose, tell]));
            let arms = vec![(a, from_p, vec![Keep]), (b, from_p, vec![])];
            parts.q.push(Select(arms, None));
        }
        13 => {
            let tell = If(
                Have,
                vec![Send(a, P, true, Yes)],
                vec![Send(b, P, true, No)],
            );
            parts.q.extend([Choose, tell]);
            let arms = vec![(a, members, vec![Keep]), (b, members, vec![])];
            let body = count(dice, vec![Select(arms, None)]);
            parts.p.push(body);
        }
        14 => {
            let tell = If(
                Have,
                vec![Send(a, P, true, Yes)],
                vec![Send(a, P, true, No)],
            );
            parts.q.extend([Choose, tell]);
            let body = count(dice, vec![Receive(a, members)]);
            parts.p.push(body);
        }
        15 => {
            parts.p.push(Each(vec![Send(a, Named, true, Have)]));
            let arms = vec![(a, from_p, vec![Keep])];
            parts.q.push(Select(arms, Some(vec![])));
            parts.lost.push(a);
        }
        16 => {
            parts.q.push(Send(a, P, true, Yes));
            let from = if dice.one_in(2) { Named } else { members };
            let arms = vec![(a, from, vec![Keep])];
            let body = vec![Select(arms, Some(vec![]))];
            parts.p.push(if from == Named {
                Each(body)
            } else {
                count(dice, body)
            });
            parts.lost.push(a);
        }
        17 => {
            let arms = vec![(b, from_p, vec![Keep])];
            parts
                .q
                .extend([Send(a, P, true, Yes), Select(arms, Some(vec![]))]);
            let arms = vec![(a, members, vec![Send(b, Last, true, Have)])];
            let body = count(dice, vec![Select(arms, Some(vec![]))]);
            parts.p.push(body);
            parts.lost.extend([a, b]);
        }
        18 if parts.d.is_empty() => {
            parts.d.extend([Receive(a, Any), Send(b, Last, true, Have)]);
            parts.q.extend([Send(a, D, true, No), Receive(b, D)]);
            let other = if dice.one_in(2) {
                &mut parts.p
            } else {
                &mut parts.r
            };
            other.extend([Send(a, D, true, No), Receive(b, D)]);
        }
        19 if parts.d.is_empty() => {
            parts
                .d
                .extend([Receive(a, members), Send(b, Last, true, Have)]);
            for _ in 0..2 {
                parts.q.extend([Send(a, D, true, No), Receive(b, D)]);
            }
        }
        20 if parts.d.is_empty() => {
            parts
                .d
                .extend([Receive(a, members), Send(b, Last, true, Have)]);
            let arms = vec![(b, D, vec![Keep])];
            parts
                .q
                .extend([Send(a, D, true, No), Select(arms, Some(vec![]))]);
            parts.lost.extend([a, b]);
        }
        21 => {
            parts
                .p
                .extend([Choose, Send(a, R, true, Yes), Send(b, R, true, No)]);
            let arms = vec![(a, from_p, vec![Keep]), (b, from_p, vec![])];
            parts
                .r
                .extend([Select(arms.clone(), None), Select(arms, None)]);
        }
        22 if parts.d.is_empty() => {
            let arms = vec![
                (a, members, vec![Send(a, Last, true, Have)]),
                (b, members, vec![Send(b, Last, true, Have)]),
            ];
            parts.d.push(Select(arms, None));
            parts.q.extend([Send(a, D, true, No), Receive(a, D)]);
            parts.q.extend([Send(b, D, true, No), Receive(b, D)]);
        }
        23 => {
            let ask = vec![Send(a, Other, true, Have), Receive(b, Other)];
            parts.q.push(EachOther(ask));
            let answer = vec![Receive(a, members), Send(b, Last, true, Have)];
            parts.w.push(count(dice, answer));
        }
        24 => {
            parts.q.push(EachOther(vec![Send(a, Other, true, Have)]));
            parts.q.push(EachOther(vec![Receive(b, AnyOther)]));
            let answer = vec![Receive(a, members), Send(b, Last, true, Have)];
            parts.w.push(count(dice, answer));
        }
        25 => {
            parts.q.push(EachOther(vec![Send(a, Other, true, Have)]));
            parts.w.push(count(dice, vec![Receive(a, members), Keep]));
        }
        // Either path sends, and what was sent is collected later.
        26 => {
            let paths = [
                vec![S::Add, Send(a, P, true, Yes)],
                vec![Send(a, P, true, No)],
            ];
            let [yes, no] = paths;
            parts.q.extend([Choose, If(Have, yes, no)]);
            let body = vec![Receive(a, members), If(Have, vec![Keep, S::Sum], vec![])];
            parts.p.push(count(dice, body));
        }
        27 => {
            parts.p.push(Each(vec![Send(a, Named, true, Have)]));
            let no = vec![Choose, Send(b, P, true, Have)];
            let yes = vec![Keep, Send(b, P, true, Flag::Seen)];
            parts.q.extend([Receive(a, from_p), If(Have, yes, no)]);
            parts
                .p
                .push(count(dice, vec![Receive(b, members), Keep, S::Sum]));
        }
        28 => {
            parts.q.push(EachOther(vec![Send(a, Other, true, Have)]));
            let paths = [
                vec![Keep, Send(b, Last, true, Flag::Seen)],
                vec![Send(b, Last, true, No)],
            ];
            let [yes, no] = paths;
            let answer = vec![Receive(a, members), If(Have, yes, no)];
            parts.w.push(count(dice, answer));
            parts.q.push(EachOther(vec![Receive(b, AnyOther), Keep]));
        }
        _ => {
            parts.q.push(Send(a, P, true, Yes));
            parts
                .p
                .push(Each(vec![Receive(a, members), Send(b, R, true, Yes)]));
            parts.r.push(Each(vec![Receive(b, from_p)]));
        }
    }
    let _ = Own;
    if !dice.one_in(2) {
        parts.lost.clear();
    }
    parts.crash |= dice.one_in(5);
}

/// Changes one statement somewhere under `code`.
fn change(dice: &mut Dice, code: &mut Vec<S>, kinds: usize) {
    if code.is_empty() {
        return;
    }
    let at = dice.below(code.len());
    let inside = match &mut code[at] {
        S::Each(body)
        | S::EachOther(body)
        | S::AsManyAs(body)
        | S::Rounds(body)
        | S::Twice(body)
        | S::Fits(body)
        | S::Until(_, body)
        | S::IfMore(body)
        | S::Loop(body) => Some(body),
        S::If(_, yes, _) | S::Same(yes) => Some(yes),
        S::Select(_, Some(late)) if dice.one_in(3) => Some(late),
        S::Select(arms, _) => arms.first_mut().map(|(.., body)| body),
        _ => None,
    };
    if let Some(body) = inside
        && !body.is_empty()
        && !dice.one_in(3)
    {
        return change(dice, body, kinds);
    }
    let whom = [
        Who::P,
        Who::R,
        Who::D,
        Who::Named,
        Who::Last,
        Who::Own,
        Who::Other,
        Who::AnyOther,
        Who::AnyMember,
        Who::Any,
    ];
    match dice.below(9) {
        0 => drop(code.remove(at)),
        1 => code.insert(at, code[at].clone()),
        2 if at + 1 < code.len() => code.swap(at, at + 1),
        3 => match &mut code[at] {
            S::Send(kind, ..) | S::Receive(kind, _) => *kind = dice.below(kinds),
            S::Select(arms, _) => arms[0].0 = dice.below(kinds),
            S::Each(body) => code[at] = S::Rounds(body.clone()),
            S::Rounds(body) => code[at] = S::Each(body.clone()),
            _ => {}
        },
        4 => match &mut code[at] {
            S::Send(_, to, ..) => *to = whom[dice.below(7)],
            S::Receive(_, from) => *from = whom[dice.below(10)],
            S::Select(arms, _) => arms[0].1 = whom[dice.below(10)],
            _ => {}
        },
        5 => {
            let one = code.remove(at);
            let flag = [Flag::Have, Flag::Seen][dice.below(2)];
            code.insert(at, S::If(flag, vec![one], vec![]));
        }
        6 => {
            let one = code.remove(at);
            code.insert(at, S::Same(vec![one]));
        }
        7 => {
            let some = [
                S::Choose,
                S::Keep,
                S::Claim,
                S::Mark,
                S::Remember,
                S::Add,
                S::Sum,
                S::ClaimNumber(1 + dice.below(2)),
            ];
            code.insert(at, some[dice.below(8)].clone());
        }
        _ => match &mut code[at] {
            S::Send(_, _, own, flag) => {
                *own = !*own;
                *flag = [Flag::Yes, Flag::No, Flag::Have, Flag::Seen][dice.below(4)];
            }
            S::Select(arms, late) => {
                *late = match late {
                    Some(_) => None,
                    None => Some(vec![]),
                };
                arms.truncate(1 + dice.below(2));
            }
            S::Until(value, _) => {
                *value = [Flag::Have, Flag::Seen][dice.below(2)];
            }
            S::Loop(body) | S::Each(body) => {
                let body = body.clone();
                code.remove(at);
                code.splice(
                    at..at,
                    body.into_iter().filter(|one| !matches!(one, S::Break)),
                );
            }
            _ => {}
        },
    }
}
