//! Random conversations: shapes in which rules for rounds went wrong before.
//!
//! Clients that keep services across loops, members chosen before and in loops, receives behind a `break`, messages
//! that rounds replace, services with state, services that ask or wait for each other, loops in loops, and stories in which
//! anybody tells anybody something. They are
//! mostly right in one order of events; the changes of `protocols.rs` and the other phases do the rest.

use crate::protocols::{Dice, Flag, Parts, S, Who};
use Flag::{Have, No, Seen, Yes};
use S::{
    AsManyAs, Break, Choose, ChooseOther, Claim, Each, EachOther, Fits, If, Keep, Loop, Mark,
    Receive, Remember, Rounds, Send, Twice,
};
use Who::{Any, AnyMember, D, E, Last, Named, Other, P, R};

/// Adds one conversation.
pub(crate) fn conversation(dice: &mut Dice, parts: &mut Parts) {
    match dice.below(12) {
        0 | 1 => keeps_services(dice, parts),
        2 => chooses_members(dice, parts),
        3 => behind_a_break(dice, parts),
        4 => replaces_messages(dice, parts),
        5 => service_with_state(dice, parts),
        6 => services_that_meet(dice, parts),
        7 | 8 => loops_in_loops(dice, parts),
        9 | 10 => story(dice, parts),
        _ => pairs_messages(dice, parts),
    }
}

fn kind(parts: &mut Parts) -> usize {
    parts.kinds += 1;
    parts.kinds - 1
}

fn from_members(dice: &mut Dice) -> Who {
    [Any, AnyMember][dice.below(2)]
}

/// A service, and the kinds that it is asked by, answers with and is left by.
#[derive(Clone, Copy)]
struct Service {
    at: Who,
    ask: usize,
    answer: usize,
    leave: Option<usize>,
}

impl Service {
    fn new(dice: &mut Dice, parts: &mut Parts, at: Who) -> (Service, Vec<S>) {
        let (ask, answer) = (kind(parts), kind(parts));
        let leave = (!dice.one_in(4)).then(|| kind(parts));
        let mut body = vec![
            Receive(ask, from_members(dice)),
            Send(answer, Last, true, Have),
        ];
        body.extend(leave.map(|leave| Receive(leave, Last)));
        let service = Service {
            at,
            ask,
            answer,
            leave,
        };
        (service, body)
    }

    fn asked(self) -> Vec<S> {
        vec![
            Send(self.ask, self.at, true, No),
            Receive(self.answer, self.at),
        ]
    }

    fn left(self) -> Vec<S> {
        let leave = self.leave.map(|leave| Send(leave, self.at, true, No));
        leave.into_iter().collect()
    }

    fn around(self, inner: Vec<S>) -> Vec<S> {
        let mut all = self.asked();
        all.extend(inner);
        all.extend(self.left());
        all
    }
}

fn keeps_services(dice: &mut Dice, parts: &mut Parts) {
    if !(parts.d.is_empty() && parts.e.is_empty() && parts.w.is_empty()) {
        return;
    }
    let (d, body) = Service::new(dice, parts, D);
    parts.d = body;
    let mut services = vec![d];
    if dice.one_in(2) {
        let (e, body) = Service::new(dice, parts, E);
        parts.e = body;
        parts.has_e = true;
        services.push(e);
    }
    let (w, body) = Service::new(dice, parts, Other);
    parts.w = body;
    parts.serves = true;
    let code = match dice.one_in(2) {
        true => uses(dice, &services, w, 2),
        false => in_two_orders(dice, &services, w),
    };
    parts.q.extend(code);
}

/// One service is kept while another is used; perhaps the other way round in some clients.
fn in_two_orders(dice: &mut Dice, services: &[Service], w: Service) -> Vec<S> {
    let (mut one, mut other) = (services[0], *services.last().unwrap_or(&w));
    if services.len() == 1 || dice.one_in(3) {
        other = w;
    }
    let mut branches = Vec::new();
    for _ in 0..2 {
        let inner = kept(dice, other, vec![]);
        branches.push(kept(dice, one, inner));
        if !dice.one_in(3) {
            (one, other) = (other, one);
        }
    }
    let [yes, no] = [branches.swap_remove(0), branches.swap_remove(0)];
    vec![Choose, If(Have, yes, no)]
}

/// A service is used, in a loop or not, and kept meanwhile.
fn kept(dice: &mut Dice, service: Service, inner: Vec<S>) -> Vec<S> {
    if service.at != Other {
        let code = service.around(inner);
        return match dice.one_in(2) {
            true => vec![Twice(code)],
            false => code,
        };
    }
    match dice.below(3) {
        0 => vec![EachOther(service.around(inner))],
        1 => {
            let mut all = vec![EachOther(service.asked())];
            all.extend(inner);
            all.push(EachOther(service.left()));
            all
        }
        _ => {
            let mut all = vec![ChooseOther];
            all.extend(service.around(inner));
            all
        }
    }
}

fn uses(dice: &mut Dice, services: &[Service], w: Service, depth: usize) -> Vec<S> {
    let one = services[dice.below(services.len())];
    if depth == 0 {
        return one.around(vec![]);
    }
    let inner = |dice: &mut Dice| uses(dice, services, w, depth - 1);
    match dice.below(9) {
        0 => {
            let mut all = inner(dice);
            all.extend(inner(dice));
            all
        }
        1 => one.around(inner(dice)),
        2 | 3 => vec![Choose, If(Have, inner(dice), inner(dice))],
        4 => vec![Twice(inner(dice))],
        5 => vec![EachOther(w.around(vec![]))],
        6 => vec![EachOther(w.around(inner(dice)))],
        7 => {
            let mut all = vec![EachOther(w.asked())];
            all.extend(inner(dice));
            all.push(EachOther(w.left()));
            all
        }
        _ => {
            let mut all = vec![ChooseOther];
            all.extend(w.around(vec![]));
            all
        }
    }
}

/// A single process asks members that it chooses, in rounds that may tell somebody else.
fn chooses_members(dice: &mut Dice, parts: &mut Parts) {
    if !parts.w.is_empty() {
        return;
    }
    let (ask, answer, tell) = (kind(parts), kind(parts), kind(parts));
    let mut round = vec![Send(ask, Other, true, No), Receive(answer, Other)];
    let first = dice.one_in(3);
    if first {
        parts.p.push(ChooseOther);
    } else {
        round.insert(0, ChooseOther);
    }
    match dice.below(5) {
        0 => {
            round.push(Send(tell, Named, true, Have));
            parts.p.push(Each(round));
            parts.q.push(Receive(tell, P));
        }
        1 => {
            round.push(Send(tell, R, true, Have));
            parts.p.push(Twice(round));
            parts.r.push(Twice(vec![Receive(tell, P)]));
        }
        2 => parts.p.push(Twice(round)),
        3 => parts.p.push(Rounds(round)),
        _ => parts.p.extend(round),
    }
    let mut answers = match dice.below(3) {
        0 => vec![If(Seen, vec![], vec![Send(answer, P, true, Yes)]), Mark],
        1 => vec![Send(answer, P, true, Seen), Mark],
        _ => vec![Send(answer, P, true, Have)],
    };
    let mut body = vec![Receive(ask, P)];
    if dice.one_in(3) {
        body.append(&mut answers);
        parts.w = body;
        parts.serves = true;
    } else {
        body.push(If(Have, vec![Break], vec![]));
        body.append(&mut answers);
        parts.w.push(Loop(body));
        parts.p.push(EachOther(vec![Send(ask, Other, true, Yes)]));
    }
}

/// Members send twice to who collects, with a loop in between that may be left.
fn behind_a_break(dice: &mut Dice, parts: &mut Parts) {
    let [t, a, go, one, two] = [(); 5].map(|()| kind(parts));
    let from = from_members(dice);
    parts
        .p
        .push(Each(vec![Receive(t, from), Send(one, Last, true, Have)]));
    parts
        .p
        .push(Each(vec![Receive(t, from), Send(two, Last, true, Have)]));
    parts.r.push(Each(vec![Send(a, Named, true, Yes)]));
    let mut out = vec![Break];
    if dice.one_in(3) {
        out.insert(0, Keep);
    }
    parts.q.push(Send(t, P, true, Yes));
    let mut body = vec![Receive(a, R), If(Have, out, vec![]), Receive(go, P)];
    if dice.one_in(3) {
        body.swap(1, 2);
    }
    if dice.one_in(3) {
        parts.p.insert(0, Each(vec![Send(go, Named, true, Yes)]));
    }
    if dice.one_in(3) {
        body = vec![Receive(a, R), Receive(go, P), Break];
    }
    parts.q.push(Loop(body));
    parts
        .q
        .extend([Send(t, P, true, Yes), Receive(one, P), Receive(two, P)]);
}

/// Rounds serve whoever comes, and leave another message than they took.
fn replaces_messages(dice: &mut Dice, parts: &mut Parts) {
    let (ask, work) = (kind(parts), kind(parts));
    let from = from_members(dice);
    let serve = vec![Receive(ask, from), Send(work, Last, true, No)];
    parts
        .p
        .push([Twice(serve.clone()), Rounds(serve)][dice.below(2)].clone());
    let stop = vec![Send(work, Last, true, Yes)];
    let last = match dice.below(3) {
        0 => vec![If(Have, vec![], stop)],
        1 => vec![Keep, Claim, Send(work, Last, true, Yes)],
        _ => stop,
    };
    let mut round = vec![Receive(ask, from)];
    round.extend(last);
    parts
        .p
        .push([Each(round.clone()), AsManyAs(round)][dice.below(2)].clone());
    let again = [Seen, No, Have][dice.below(3)];
    parts.q.push(Send(ask, P, true, again));
    parts.q.push(Loop(vec![
        Receive(work, P),
        If(Have, vec![Break], vec![]),
        Mark,
        Send(ask, P, true, again),
    ]));
}

fn service_with_state(dice: &mut Dice, parts: &mut Parts) {
    if !parts.d.is_empty() {
        return;
    }
    let (ask, answer) = (kind(parts), kind(parts));
    let tell = |flag| Send(answer, Last, true, flag);
    parts.d.push(Receive(ask, from_members(dice)));
    match dice.below(4) {
        0 => parts.d.extend([If(Seen, vec![], vec![tell(Yes)]), Mark]),
        1 => parts.d.extend([tell(Seen), Mark]),
        2 => parts.d.extend([tell(Seen), Keep]),
        _ => parts.d.push(If(Have, vec![tell(Yes)], vec![tell(No)])),
    }
    let asks = vec![Choose, Send(ask, D, true, Have), Receive(answer, D)];
    match dice.below(3) {
        0 => parts.q.push(Twice(asks)),
        1 => parts.q.extend(asks),
        _ => {
            parts.q.extend(asks);
            parts.q.push(If(Have, vec![Keep], vec![Claim]));
        }
    }
}

/// A service asks another one, which may also hear from the client.
fn services_that_meet(dice: &mut Dice, parts: &mut Parts) {
    if !(parts.d.is_empty() && parts.e.is_empty()) {
        return;
    }
    parts.has_e = true;
    let [ask, answer, pass, back, more, end] = [(); 6].map(|()| kind(parts));
    let from = from_members(dice);
    parts.d = vec![Receive(ask, from), Send(pass, E, false, Have)];
    parts.q.push(Send(ask, D, true, No));
    let fits = |body| vec![Remember, Receive(more, from), Fits(body)];
    match dice.below(4) {
        0 => {
            parts
                .d
                .extend([Receive(back, E), Send(answer, Last, true, Have)]);
            parts.e = vec![Receive(pass, D), Send(back, D, false, Have)];
            parts.q.push(Receive(answer, D));
        }
        1 => {
            parts.e = vec![Receive(pass, D)];
            parts.e.extend(fits(vec![Send(end, Last, true, Have)]));
            parts.q.extend([Send(more, E, true, No), Receive(end, E)]);
        }
        2 => {
            parts.e = vec![
                Receive(pass, D),
                Receive(more, Last),
                Send(end, Last, true, No),
            ];
            let (wait, done) = (kind(parts), kind(parts));
            if dice.one_in(2) {
                parts.p.push(Each(vec![
                    Send(wait, Named, true, No),
                    Receive(done, Named),
                ]));
                parts.q.push(Receive(wait, P));
                parts.q.extend([
                    Send(more, E, true, No),
                    Receive(end, E),
                    Send(done, P, true, No),
                ]);
            } else {
                parts.q.extend([Send(more, E, true, No), Receive(end, E)]);
            }
        }
        _ => {
            parts.e = vec![Receive(more, from), Remember, Receive(pass, D)];
            parts.e.push(Fits(vec![Send(end, Last, true, Have)]));
            parts.q.extend([Send(more, E, true, No), Receive(end, E)]);
        }
    }
}

/// A service takes two messages, perhaps of members that are let go one by one.
fn pairs_messages(dice: &mut Dice, parts: &mut Parts) {
    if !parts.d.is_empty() {
        return;
    }
    let [go, one, two, mid, end, done] = [(); 6].map(|()| kind(parts));
    let from = from_members(dice);
    let (asks_between, waits) = (dice.one_in(2), dice.one_in(2));
    let released = !dice.one_in(3);
    if released {
        let mut round = vec![Send(go, Named, true, No)];
        if waits {
            round.push(Receive(done, Named));
        }
        parts.p.push(Each(round));
        parts.q.push(Receive(go, P));
    }
    parts.d = vec![Receive(one, from), Remember];
    parts.q.push(Send(one, D, true, No));
    if asks_between {
        parts.d.push(Send(mid, Last, true, No));
        parts.q.push(Receive(mid, D));
    }
    parts
        .d
        .extend([Receive(two, from), Fits(vec![Send(end, Last, true, No)])]);
    parts.q.extend([Send(two, D, true, No), Receive(end, D)]);
    if released && waits {
        parts.q.push(Send(done, P, true, No));
    }
}

/// A family that is asked again and again in rounds of others, and may remember it.
fn loops_in_loops(dice: &mut Dice, parts: &mut Parts) {
    if !parts.w.is_empty() {
        return;
    }
    let [ask, answer, request, reply] = [(); 4].map(|()| kind(parts));
    let tell = |flag| Send(answer, P, true, flag);
    let mut serve = vec![Receive(ask, P), If(Have, vec![Break], vec![])];
    match dice.below(4) {
        0 => serve.extend([If(Seen, vec![], vec![tell(Yes)]), Mark]),
        1 => serve.extend([tell(Seen), Mark]),
        2 => serve.push(tell(Have)),
        _ => serve.push(tell(Yes)),
    }
    parts.w.push(Loop(serve));
    let has_clients = !dice.one_in(3);
    let kinds = [ask, answer, request, reply];
    for _ in 0..1 + dice.below(2) {
        let round = nested(dice, kinds, has_clients, 2);
        parts.p.extend(round);
    }
    if has_clients {
        let last = vec![Receive(request, AnyMember), Send(reply, Last, true, Yes)];
        parts.p.push(Each(last));
        parts.q.push(Loop(vec![
            Send(request, P, true, No),
            Receive(reply, P),
            If(Have, vec![Break], vec![]),
        ]));
    }
    parts.p.push(EachOther(vec![Send(ask, Other, true, Yes)]));
}

/// Asks the other family, or serves clients, in loops that may be in each other.
fn nested(dice: &mut Dice, kinds: [usize; 4], has_clients: bool, depth: usize) -> Vec<S> {
    let [ask, answer, request, reply] = kinds;
    let from = [Other, Other, Who::AnyOther][dice.below(3)];
    let asks = vec![Send(ask, Other, true, No), Receive(answer, from)];
    let inner = |dice: &mut Dice| match depth {
        0 => vec![],
        _ => nested(dice, kinds, has_clients, depth - 1),
    };
    match dice.below(6) {
        0 | 1 => vec![EachOther(asks)],
        2 => {
            let mut all = vec![ChooseOther];
            all.extend(asks);
            all
        }
        3 => vec![Rounds(inner(dice))],
        _ if !has_clients => vec![EachOther(asks)],
        _ => {
            let mut round = vec![Receive(request, AnyMember)];
            let last = [No, No, Yes][dice.below(3)];
            let (before, after) = (dice.one_in(2), dice.one_in(3));
            if before {
                // Whom the last message named is somebody else afterwards, or nobody.
                round.push(Send(reply, Last, true, last));
                round.extend(inner(dice));
            } else {
                round.push(Send(reply, Last, true, last));
            }
            if after {
                round.extend(inner(dice));
            }
            vec![[Each(round.clone()), Rounds(round)][dice.below(2)].clone()]
        }
    }
}

/// Clients, services and `p` tell each other things, in an order that is right; then somebody changes places.
fn story(dice: &mut Dice, parts: &mut Parts) {
    if !(parts.d.is_empty() && parts.e.is_empty()) {
        return;
    }
    let (mut q, mut d, mut e, mut p) = (vec![], vec![], vec![], vec![]);
    let (mut d_knows, mut e_knows) = (false, false);
    parts.has_e = true;
    let from = from_members(dice);
    for _ in 0..2 + dice.below(6) {
        let k = kind(parts);
        let by_name = !dice.one_in(3);
        match dice.below(8) {
            0 | 1 => {
                q.push(Send(k, D, true, Have));
                d.push(Receive(k, if d_knows && by_name { Last } else { from }));
                d_knows = true;
            }
            2 => {
                q.push(Send(k, E, true, Have));
                e.push(Receive(k, if e_knows && by_name { Last } else { from }));
                e_knows = true;
            }
            3 if d_knows => {
                d.push(Send(k, Last, true, Have));
                q.push(Receive(k, D));
            }
            4 if e_knows => {
                e.push(Send(k, Last, true, Have));
                q.push(Receive(k, E));
            }
            5 if d_knows => {
                d.push(Send(k, E, false, Have));
                e.push(Receive(k, D));
                e_knows = true;
            }
            6 if e_knows && d_knows => {
                e.push(Send(k, D, false, Have));
                d.push(Receive(k, E));
            }
            7 => match dice.below(3) {
                0 => {
                    p.push(Send(k, Named, true, Have));
                    q.push(Receive(k, P));
                }
                1 if d_knows => {
                    d.push(Send(k, P, false, Have));
                    p.push(Receive(k, D));
                }
                _ => {
                    q.push(Send(k, P, true, Have));
                    p.push(Receive(k, [Named, AnyMember][dice.below(2)]));
                }
            },
            _ => {}
        }
    }
    for code in [&mut q, &mut d, &mut e, &mut p] {
        if code.len() > 2 && dice.one_in(3) {
            let at = 1 + dice.below(code.len() - 2);
            code.swap(at, at + 1);
        }
    }
    parts.q.extend(q);
    (parts.d, parts.e) = (d, e);
    if !p.is_empty() {
        parts.p.push(Each(p));
    }
}
