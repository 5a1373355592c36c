//! Following a derivation.
//!
//! Statement. From the start, every way of the certificate is followed together with those that begin alike. Each
//! event must be a step that its process can take in the symbolic state. At a decision that is not settled, every arm
//! that is possible must be among the ways; a whole family decides only what is settled, because its members may
//! differ. In the end everybody is at their end (a daemon that nobody woke, at its loop) and no message waits.
//!
//! Why sound. Steps of different processes commute: each queue has one writer and one reader. The only conflict is the
//! choice of the sender in a receive from any member; `race.rs` and `round.rs` make sure that its outcomes are
//! permutations of each other.

use crate::actor::Actor;
use crate::certificate::{Certificate, Event, VERSION, hash};
use crate::code::{Position, Var, assigned, communicates, is_endless};
use crate::late::Waiting;
use crate::race::Sends;
use crate::state::{Numbers, State};
use crate::symbol::{Symbol, Unknown};
use crate::{Refused, refuse};
use plainsong_ir::{
    Accept, Body, Choice, Delivery, Domain, ExprKind, FamilyId, LocalId, Place, Process, Root,
    Song, SortKind, Source, StartValue, Stmt, StmtKind, Ty, Voices,
};
use std::collections::{BTreeMap, BTreeSet};

/// Checks a certificate against the song it is about and its text.
pub fn recheck(song: &Song, text: &str, certificate: &Certificate) -> Result<(), Refused> {
    if certificate.version != VERSION {
        return refuse(format!("version {} is not known", certificate.version));
    }
    if certificate.hash != hash(text) {
        return refuse("it was made for another text");
    }
    let Some(voices) = song.voices() else {
        return refuse("there are no processes");
    };
    let mut checker = Checker::new(song, voices)?;
    let start = checker.start(voices)?;
    let everybody = start.positions.keys().copied().collect();
    let ways: Vec<&[Event]> = certificate.ways.iter().map(Vec::as_slice).collect();
    let scene = Scene {
        may_move: everybody,
        owner: None,
    };
    for end in checker.ways(start, &ways, &scene)? {
        checker.is_over(&end)?;
    }
    Ok(())
}

/// Who may move, and whose round it is.
pub(crate) struct Scene {
    pub(crate) may_move: BTreeSet<Actor>,
    pub(crate) owner: Option<Actor>,
}

/// What is checked against.
pub(crate) struct Checker<'a> {
    pub(crate) song: &'a Song,
    pub(crate) sends: Sends,
    pub(crate) numbers: Numbers,
    bodies: BTreeMap<FamilyId, &'a Process>,
}

impl<'a> Checker<'a> {
    /// Refuses songs with anything that would need more rules.
    fn new(song: &'a Song, voices: &'a Voices) -> Result<Self, Refused> {
        if !voices.faults.is_empty() || voices.init.is_some() {
            return refuse("faults and `init` are not covered");
        }
        let unordered =
            |message: &plainsong_ir::Message| message.delivery == Some(Delivery::Unordered);
        if voices.messages.iter().any(unordered) {
            return refuse("unordered delivery is not covered");
        }
        let mut sorts = BTreeSet::new();
        for process in &voices.processes {
            for index in &song.families[process.family.index()].index {
                let symmetric = matches!(index.ty, Ty::Sort(sort)
                    if song.sorts[sort.index()].kind == SortKind::Identities { ordered: false });
                if !symmetric || !sorts.insert(index.ty.clone()) {
                    return refuse(
                        "a family without a sort of identities of its own is not covered",
                    );
                }
            }
            if song.families[process.family.index()].index.len() > 1 {
                return refuse("families with several indices are not covered");
            }
        }
        if song
            .consts
            .iter()
            .any(|row| row.value.is_none() && !is_plain(&row.ty))
        {
            return refuse("a parameter may single out a member");
        }
        Ok(Checker {
            song,
            sends: Sends::of(song),
            numbers: Numbers::default(),
            bodies: voices
                .processes
                .iter()
                .map(|process| (process.family, process))
                .collect(),
        })
    }

    fn start(&mut self, voices: &'a Voices) -> Result<State<'a>, Refused> {
        let mut state = State::default();
        for process in &voices.processes {
            let Body::Sequential(body) = &process.body else {
                return refuse("handlers are not covered");
            };
            let actor = Actor {
                family: process.family,
                member: None,
            };
            state.positions.insert(actor, Position::start(body));
            let family = &self.song.families[process.family.index()];
            if !family.index.is_empty() {
                let index = Var::Local(LocalId(0));
                state.values.insert((actor, index), Symbol::Member(actor));
            }
            for (at, var) in family.vars.iter().enumerate() {
                let value = match &var.start {
                    StartValue::Value(value) => state.eval(&mut self.numbers, actor, value),
                    StartValue::Choice(_) => self.numbers.fresh(actor),
                };
                state.values.insert((actor, Var::Own(at.into())), value);
            }
        }
        Ok(state)
    }

    /// Follows ways that begin in one state to their ends.
    pub(crate) fn ways(
        &mut self,
        mut state: State<'a>,
        ways: &[&[Event]],
        scene: &Scene,
    ) -> Result<Vec<State<'a>>, Refused> {
        let mut at = 0;
        loop {
            let heads: Vec<Option<&Event>> = ways.iter().map(|way| way.get(at)).collect();
            let Some(first) = heads.first().copied() else {
                return refuse("there is no way to the end");
            };
            let Some(first) = first else {
                return match heads.iter().all(Option::is_none) {
                    true => Ok(vec![state]),
                    false => refuse("ways that begin alike end in different places"),
                };
            };
            if let Event::Decides { who, at: place, .. } = first {
                let rest: Vec<(&Event, &[Event])> = ways
                    .iter()
                    .filter_map(|way| Some((way.get(at)?, &way[at + 1..])))
                    .collect();
                if rest.len() != ways.len() {
                    return refuse("ways that begin alike end in different places");
                }
                return self.decides(state, who, *place, &rest, scene);
            }
            if heads.iter().any(|head| *head != Some(first)) {
                return refuse("ways part without a decision");
            }
            self.step(&mut state, first, scene)?;
            at += 1;
        }
    }

    fn step(&mut self, state: &mut State<'a>, event: &Event, scene: &Scene) -> Result<(), Refused> {
        match event {
            Event::Does { who, at } => {
                let (actor, stmt) = self.about(state, who, *at, scene)?;
                self.does(state, actor, stmt)
            }
            Event::Sends { who, at, to } => {
                let (actor, stmt) = self.about(state, who, *at, scene)?;
                let to = Actor::named(self.song, to)?;
                self.sends(state, actor, stmt, to)
            }
            Event::Receives { who, at, from } => {
                let (actor, stmt) = self.about(state, who, *at, scene)?;
                let from = Actor::named(self.song, from)?;
                self.receives(state, actor, stmt, from, scene)
            }
            Event::Each {
                who,
                at,
                member,
                ways,
            } => {
                let (actor, stmt) = self.about(state, who, *at, scene)?;
                let member = Actor::named(self.song, member)?;
                *state = self.each(state, actor, stmt, member, ways)?;
                Ok(())
            }
            Event::Decides { .. } => refuse("a decision in the wrong place"),
            Event::NotCovered { rule } => refuse(format!("{rule}: not covered")),
        }
    }

    /// The process that an event is about, and the statement that it is at.
    fn about(
        &self,
        state: &mut State<'a>,
        who: &str,
        at: u32,
        scene: &Scene,
    ) -> Result<(Actor, &'a Stmt), Refused> {
        let actor = Actor::named(self.song, who)?;
        let Some(position) = state.positions.get_mut(&actor) else {
            return refuse(format!("`{who}` is not there"));
        };
        if self.bodies[&actor.family].daemon {
            return refuse("rounds of daemons are not covered");
        }
        if !scene.may_move.contains(&actor) {
            return refuse(format!("`{who}` must not move in this round"));
        }
        while let Some(stmt) = position.stmt() {
            match &stmt.kind {
                StmtKind::While(_, _, body) if is_endless(stmt) && !body.is_empty() => {
                    position.enter(body, true);
                }
                _ if starts_at(stmt) == at => return Ok((actor, stmt)),
                _ => break,
            }
        }
        refuse(format!("`{who}` is at another statement"))
    }

    fn advance(state: &mut State<'a>, actor: Actor) {
        if let Some(position) = state.positions.get_mut(&actor) {
            position.advance();
        }
    }

    fn does(&mut self, state: &mut State<'a>, actor: Actor, stmt: &'a Stmt) -> Result<(), Refused> {
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                let value = state.eval(&mut self.numbers, actor, value);
                state.values.insert((actor, Var::Local(*local)), value);
            }
            StmtKind::LetChoice(choice) => {
                let value = self.chosen(state, actor, choice);
                let var = Var::Local(choice.local);
                state.values.insert((actor, var), value);
            }
            StmtKind::Assign(place, value) => {
                let value = state.eval(&mut self.numbers, actor, value);
                self.put(state, actor, place, value);
            }
            StmtKind::AssignChoice(place, choice) => {
                let value = self.chosen(state, actor, choice);
                self.put(state, actor, place, value);
            }
            StmtKind::Assert(_) | StmtKind::Assume(_) => {}
            StmtKind::For { .. } if !communicates(stmt) => {
                for var in assigned(std::slice::from_ref(stmt)) {
                    let value = self.numbers.fresh(actor);
                    state.values.insert((actor, var), value);
                }
            }
            _ => return refuse("a statement of another kind"),
        }
        Self::advance(state, actor);
        Ok(())
    }

    /// A choice: one of a list, or anything.
    fn chosen(&mut self, state: &State<'a>, actor: Actor, choice: &Choice) -> Symbol {
        let Domain::In(set) = &choice.domain else {
            return self.numbers.fresh(actor);
        };
        let ExprKind::Literal(elements) = &set.kind else {
            return self.numbers.fresh(actor);
        };
        let among = elements.iter();
        let among = among
            .map(|one| state.eval(&mut self.numbers, actor, one))
            .collect();
        self.numbers.0 += 1;
        Symbol::Unknown(Unknown {
            number: self.numbers.0,
            owner: Some(actor),
            among: Some(among),
        })
    }

    fn put(&mut self, state: &mut State<'a>, actor: Actor, place: &Place, value: Symbol) {
        let var = match &place.root {
            Root::Local(local) => Var::Local(*local),
            Root::Own(var) => Var::Own(*var),
            Root::Of(..) | Root::Global(_) => return,
        };
        let value = match place.path.is_empty() {
            true => value,
            false => self.numbers.fresh(actor),
        };
        state.values.insert((actor, var), value);
    }

    fn sends(
        &mut self,
        state: &mut State<'a>,
        actor: Actor,
        stmt: &'a Stmt,
        to: Actor,
    ) -> Result<(), Refused> {
        let StmtKind::Send(message, arguments, address) = &stmt.kind else {
            return refuse("it is no `send`");
        };
        let address = state.eval(&mut self.numbers, actor, address);
        if address != Symbol::Process(to) {
            return refuse("it is not known that the message goes there");
        }
        let values = arguments.iter();
        let values = values
            .map(|one| state.eval(&mut self.numbers, actor, one))
            .collect();
        let queue = state.queues.entry((actor, to, *message)).or_default();
        queue.push(values);
        Self::advance(state, actor);
        Ok(())
    }

    fn receives(
        &mut self,
        state: &mut State<'a>,
        actor: Actor,
        stmt: &'a Stmt,
        from: Actor,
        scene: &Scene,
    ) -> Result<(), Refused> {
        let StmtKind::Receive(accept) = &stmt.kind else {
            return refuse("it is no `receive`");
        };
        if accept.filter.is_some() {
            return refuse("selective receives are not covered");
        }
        match &accept.source {
            Source::Process(process) => {
                let sender = state.eval(&mut self.numbers, actor, process);
                if sender != Symbol::Process(from) {
                    return refuse("it is not known that the message comes from there");
                }
            }
            _ => self.may_come_from(state, actor, accept, from, scene)?,
        }
        let channel = (from, actor, accept.message);
        let Some(queue) = state.queues.get_mut(&channel) else {
            return refuse("no such message waits");
        };
        let values = queue.remove(0);
        if queue.is_empty() {
            state.queues.remove(&channel);
        }
        self.bind(state, actor, accept, from, values);
        Self::advance(state, actor);
        Ok(())
    }

    /// A receive that does not name its sender takes from this one: the only one, or the member of the round.
    fn may_come_from(
        &self,
        state: &mut State<'a>,
        actor: Actor,
        accept: &Accept,
        from: Actor,
        scene: &Scene,
    ) -> Result<(), Refused> {
        let family = self.sends.sender(self.song, actor.family, accept)?;
        if from.family != family {
            return refuse("the message comes from another process");
        }
        if self.song.families[family.index()].index.is_empty() {
            return match from.member {
                None => Ok(()),
                Some(_) => refuse("a single process has no members"),
            };
        }
        if from.member.is_none() || scene.owner != Some(actor) {
            return refuse("a message of any member is taken outside of a round");
        }
        let engaged = state.engaged.contains(&from);
        if !engaged {
            let again = state
                .taken
                .iter()
                .any(|(taken, to, _)| taken.family == family && *to == actor);
            if again || !state.engaged.is_empty() {
                return refuse("a round deals with two members");
            }
        } else if !self.only_from(state, actor, accept, from) {
            return refuse("the message may come from another member");
        }
        state.engaged.insert(from);
        state.taken.push((from, actor, accept.message));
        Ok(())
    }

    /// Can no other member have such a message, before it hears from the owner of the round?
    fn only_from(&self, state: &State<'a>, actor: Actor, accept: &Accept, from: Actor) -> bool {
        let whole = from.whole();
        let waiting = Waiting {
            song: self.song,
            sends: &self.sends,
            family: from.family,
            message: accept.message,
            from: actor.family,
        };
        let pending = state.queues.contains_key(&(whole, actor, accept.message));
        !pending && actor.member.is_none() && waiting.holds(&state.positions[&whole])
    }

    fn bind(
        &mut self,
        state: &mut State<'a>,
        actor: Actor,
        accept: &Accept,
        from: Actor,
        values: Vec<Symbol>,
    ) {
        for (slot, value) in accept.slots.iter().zip(values) {
            if let Some(local) = slot {
                state.values.insert((actor, Var::Local(*local)), value);
            }
        }
        let (index, who) = match &accept.source {
            Source::Anyone(who) => (None, *who),
            Source::Family(_, index, who) => (index.first().copied(), *who),
            Source::Process(_) => (None, None),
        };
        if let Some(local) = index {
            let var = Var::Local(local);
            state.values.insert((actor, var), Symbol::Member(from));
        }
        if let Some(local) = who {
            let var = Var::Local(local);
            state.values.insert((actor, var), Symbol::Process(from));
        }
    }

    /// A decision: every arm that is possible is among the ways.
    fn decides(
        &mut self,
        mut state: State<'a>,
        who: &str,
        at: u32,
        ways: &[(&Event, &[Event])],
        scene: &Scene,
    ) -> Result<Vec<State<'a>>, Refused> {
        let (actor, stmt) = self.about(&mut state, who, at, scene)?;
        let mut arms: BTreeMap<usize, Vec<&[Event]>> = BTreeMap::new();
        for (event, rest) in ways {
            match event {
                Event::Decides { who: w, at: a, arm } if w == who && *a == at => {
                    arms.entry(*arm).or_default().push(rest);
                }
                _ => return refuse("ways part at different decisions"),
            }
        }
        let outcomes = self.outcomes(&state, actor, stmt)?;
        if actor.is_family(self.song) && outcomes.len() > 1 {
            return refuse("members may decide differently");
        }
        if arms.keys().any(|arm| !outcomes.contains_key(arm)) {
            return refuse("a way takes an arm that is not there or not possible");
        }
        let mut ends = Vec::new();
        for (arm, next) in outcomes {
            let Some(ways) = arms.get(&arm) else {
                return refuse("a way that is possible is missing");
            };
            ends.extend(self.ways(next, ways, scene)?);
        }
        Ok(ends)
    }

    /// The arms that are possible, and the state in each.
    fn outcomes(
        &mut self,
        state: &State<'a>,
        actor: Actor,
        stmt: &'a Stmt,
    ) -> Result<BTreeMap<usize, State<'a>>, Refused> {
        let numbers = &mut self.numbers;
        let mut outcomes = BTreeMap::new();
        let mut go = |arm: usize, mut next: State<'a>, way: &dyn Fn(&mut Position<'a>)| {
            if let Some(position) = next.positions.get_mut(&actor) {
                way(position);
            }
            outcomes.insert(arm, next);
        };
        match &stmt.kind {
            StmtKind::If(condition, ..) | StmtKind::While(condition, ..) => {
                let known = state.truth(numbers, actor, condition);
                for (arm, truth) in [(0, true), (1, false)] {
                    if known == Some(!truth) {
                        continue;
                    }
                    let mut next = state.clone();
                    if known.is_none() {
                        next.suppose(numbers, actor, condition, truth);
                    }
                    go(arm, next, &|position| match (&stmt.kind, truth) {
                        (StmtKind::If(_, yes, _), true) => position.enter(yes, false),
                        (StmtKind::If(_, _, no), false) => position.enter(no, false),
                        (StmtKind::While(_, _, body), true) => position.enter(body, true),
                        _ => position.advance(),
                    });
                }
            }
            StmtKind::Maybe(yes, no) => {
                go(0, state.clone(), &|position| position.enter(yes, false));
                go(1, state.clone(), &|position| position.enter(no, false));
            }
            StmtKind::Match(value, rows) => {
                let value = state.eval(numbers, actor, value);
                for (arm, (pattern, block)) in rows.iter().enumerate() {
                    let fits = state.fits(&value, pattern);
                    if fits == Some(false) {
                        continue;
                    }
                    let mut next = state.clone();
                    next.open(numbers, actor, &value, pattern);
                    go(arm, next, &|position| position.enter(block, false));
                    if fits == Some(true) {
                        break;
                    }
                }
            }
            _ => return refuse("it is no decision"),
        }
        Ok(outcomes)
    }

    /// Everybody is done, and nothing is left.
    fn is_over(&self, state: &State<'a>) -> Result<(), Refused> {
        for (actor, position) in &state.positions {
            let daemon = self.bodies[&actor.family].daemon;
            if !(position.is_end() || daemon && position.is_at_rest()) {
                let name = &self.song.families[actor.family.index()].name;
                return refuse(format!("`{name}` is not done"));
            }
        }
        match state.queues.is_empty() {
            true => Ok(()),
            false => refuse("a message is left over"),
        }
    }
}

/// Where an event says that a statement is: a `while` is named by its condition.
fn starts_at(stmt: &Stmt) -> u32 {
    match &stmt.kind {
        StmtKind::While(condition, ..) => condition.span.start,
        _ => stmt.span.start,
    }
}

/// Types whose values single out no member.
fn is_plain(ty: &Ty) -> bool {
    match ty {
        Ty::Bool | Ty::Int | Ty::Nat => true,
        Ty::Option(inner) | Ty::Set(inner) | Ty::Bag(inner) | Ty::Seq(inner) => is_plain(inner),
        Ty::Tuple(parts) => parts.iter().all(is_plain),
        _ => false,
    }
}
