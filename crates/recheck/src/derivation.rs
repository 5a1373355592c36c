//! Following a derivation.
//!
//! Statement. From the start, every way of the certificate is followed together with those that begin alike. Each
//! event must be a step that its process can take in the symbolic state. Where ways part, every case that is possible
//! must be among them; a whole family decides only what is settled, because its members may differ. In the end
//! everybody is at their end (daemons at their loops) and no message waits.
//!
//! Why sound. Steps of different processes commute: each queue has one writer and one reader. The only conflict is the
//! choice of the sender in a receive from any member; `race.rs`, `receive.rs` and the rules for loops make sure that
//! its outcomes are permutations of each other.

use crate::actor::Actor;
use crate::causes::Kinds;
use crate::faults::Faults;
use crate::late::Waiting;
use crate::position::{Position, Var, first_deed, is_endless};
use crate::race::{Sends, waits};
use crate::state::{Index, Numbers, SymbolicState};
use crate::symbol::{Symbol, Unknown};
use crate::{Refused, not_covered, refuse};
use plainsong_certificate::{Certificate, Event, VERSION, hash};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Body, Delivery, Expr, ExprKind, FamilyId, LocalId, MessageId, Process, Song, SortKind,
    StartValue, Stmt, StmtKind, System, Ty, Voices,
};
use std::collections::{BTreeMap, BTreeSet};

/// What a certificate that is accepted shows, for every size: there is no deadlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// And no message is left over; not so where receives are given up or processes crash.
    pub nothing_left: bool,
}

/// Checks a certificate against the song it is about and its text.
pub fn recheck(song: &Song, text: &str, certificate: &Certificate) -> Result<Shown, Refused> {
    if certificate.version != VERSION {
        return refuse(format!("version {} is not known", certificate.version));
    }
    if certificate.hash != hash(text) {
        return refuse("it was made for another text");
    }
    let song = &as_delivered(song, certificate.delivery.as_deref())?;
    let Some(voices) = song.voices() else {
        return refuse("there are no processes");
    };
    if let [way] = &certificate.ways[..]
        && let [Event::Row { who, middle }] = &way[..]
    {
        crate::delivery_order::nothing_overtakes(voices)?;
        crate::neighbours::row(song, voices, who, *middle)?;
        return Ok(Shown { nothing_left: true });
    }
    crate::delivery_order::is_kept(song, voices)?;
    let mut checker = Checker::new(song, voices)?;
    let start = checker.start(voices)?;
    let ways: Vec<&[Event]> = certificate.ways.iter().map(Vec::as_slice).collect();
    let scene = Scene {
        frozen: checker.families_of_daemons(&start),
        ..Scene::default()
    };
    for end in checker.ways(start, &ways, &scene)? {
        checker.is_over(&end)?;
    }
    checker.kinds.are_apart()?;
    Ok(Shown {
        nothing_left: !checker.faults.may_leave(),
    })
}

/// What holds while some actors move.
#[derive(Clone, Default)]
pub(crate) struct Scene<'a> {
    /// These do not.
    pub(crate) frozen: BTreeSet<Actor>,
    /// Whose round it is.
    pub(crate) owner: Option<Actor>,
    /// What the rounds are counted by.
    pub(crate) index: Option<Index>,
    /// In how many rounds this is.
    pub(crate) depth: usize,
    /// Where the owner of a loop over members goes on, if the loop is in no other.
    pub(crate) beyond: Option<(Actor, Position<'a>)>,
    /// The member that is followed to its end.
    pub(crate) focus: Option<Actor>,
    /// The family whose conversations begin and end within one round.
    pub(crate) closed: Option<FamilyId>,
    /// The loop at which members of a family have ended the round that is gone through together.
    pub(crate) halts: Option<(FamilyId, Position<'a>)>,
}

/// What is checked against.
pub(crate) struct Checker<'a> {
    pub(crate) song: &'a Song,
    pub(crate) sends: Sends,
    pub(crate) numbers: Numbers,
    pub(crate) kinds: Kinds,
    pub(crate) faults: Faults,
    pub(crate) bodies: BTreeMap<FamilyId, &'a Process>,
}

impl<'a> Checker<'a> {
    /// Refuses songs with anything that would need more rules.
    fn new(song: &'a Song, voices: &'a Voices) -> Result<Self, Refused> {
        if voices.init.is_some() {
            return not_covered("`init` is not covered");
        }
        let mut sorts = BTreeSet::new();
        for process in &voices.processes {
            for index in &song.families[process.family.index()].index {
                let symmetric = matches!(index.ty, Ty::Sort(sort)
                    if song.sorts[sort.index()].kind == SortKind::Identities { ordered: false });
                if !symmetric || !sorts.insert(index.ty.clone()) {
                    return not_covered(
                        "a family without a sort of identities of its own is not covered",
                    );
                }
            }
            if song.families[process.family.index()].index.len() > 1 {
                return not_covered("families with several indices are not covered");
            }
        }
        let is_fine = |row: &plainsong_ir::Const| {
            is_plain(&row.ty)
                || row.value.is_some() && matches!(row.ty, Ty::Enum(_) | Ty::Struct(_))
        };
        if !song.consts.iter().all(is_fine) {
            return refuse("a parameter may single out a member");
        }
        let mut daemons = voices.processes.iter().filter(|process| process.daemon);
        if !daemons.all(waits_to_be_asked) {
            return refuse("a daemon goes on without being asked");
        }
        let sends = Sends::of(song);
        Ok(Checker {
            song,
            faults: Faults::of(voices, &sends)?,
            sends,
            numbers: Numbers::default(),
            kinds: Kinds::default(),
            bodies: voices
                .processes
                .iter()
                .map(|process| (process.family, process))
                .collect(),
        })
    }

    fn start(&mut self, voices: &'a Voices) -> Result<SymbolicState<'a>, Refused> {
        let mut state = SymbolicState::default();
        if let Some(anybody) = voices.processes.first() {
            let anybody = Actor {
                family: anybody.family,
                member: None,
            };
            self.constants(&mut state, anybody);
        }
        for process in &voices.processes {
            let Body::Sequential(body) = &process.body else {
                return not_covered("handlers are not covered");
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

    /// What constants are, and what is said about parameters. Neither depends on who looks.
    fn constants(&mut self, state: &mut SymbolicState<'a>, anybody: Actor) {
        let song = self.song;
        for (at, row) in song.consts.iter().enumerate() {
            let number = Unknown::parameter(at.into()).number;
            if let Some(value) = &row.value {
                let value = state.eval(&mut self.numbers, anybody, value);
                state.parameters.insert(number, value);
            }
        }
        let constraints = song.consts.iter().filter(|row| row.value.is_none());
        for constraint in constraints.filter_map(|row| row.constraint.as_ref()) {
            state.suppose(&mut self.numbers, anybody, constraint, true);
        }
    }

    /// Daemons that are whole families: each member moves for itself only.
    fn families_of_daemons(&self, state: &SymbolicState<'a>) -> BTreeSet<Actor> {
        let actors = state.positions.keys().copied();
        actors
            .filter(|actor| actor.is_family(self.song) && self.bodies[&actor.family].daemon)
            .collect()
    }

    /// May it wait for ever at its loop?
    pub(crate) fn is_daemon(&self, state: &SymbolicState<'a>, actor: Actor) -> bool {
        self.bodies[&actor.family].daemon || state.reactive.contains(&actor.family)
    }

    /// Follows ways that begin in one state to their ends.
    pub(crate) fn ways(
        &mut self,
        mut state: SymbolicState<'a>,
        ways: &[&[Event]],
        scene: &Scene<'a>,
    ) -> Result<Vec<SymbolicState<'a>>, Refused> {
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
            if let Some(cases) = self.suppositions(&mut state, first, scene)? {
                let rest: Vec<&[Event]> =
                    ways.iter().map(|way| &way[at.min(way.len())..]).collect();
                let mut ends = Vec::new();
                for case in cases {
                    ends.extend(self.ways(case, &rest, scene)?);
                }
                return Ok(ends);
            }
            if self.parts(&mut state, first, scene)? {
                let rest: Vec<(&Event, &[Event])> = ways
                    .iter()
                    .filter_map(|way| Some((way.get(at)?, &way[at + 1..])))
                    .collect();
                if rest.len() != ways.len() {
                    return refuse("ways that begin alike end in different places");
                }
                return self.cases(state, first, &rest, scene);
            }
            if heads.iter().any(|head| *head != Some(first)) {
                return refuse("ways part without a decision");
            }
            self.step(&mut state, first, scene)?;
            at += 1;
        }
    }

    /// Is an event one of several cases?
    fn parts(
        &mut self,
        state: &mut SymbolicState<'a>,
        event: &Event,
        scene: &Scene<'a>,
    ) -> Result<bool, Refused> {
        Ok(match event {
            Event::Decides { .. }
            | Event::Chooses { .. }
            | Event::TimesOut { .. }
            | Event::Loses { .. } => true,
            Event::Receives { who, at, .. } => {
                let (_, stmt) = self.about(state, who, *at, scene)?;
                waits(stmt).is_some_and(|waits| waits.timeout.is_some())
            }
            Event::Sends { who, at, to } => {
                let (actor, stmt) = self.about(state, who, *at, scene)?;
                let to = Actor::named(self.song, to)?;
                matches!(&stmt.kind, StmtKind::Send(message, ..)
                    if self.faults.may_miss(actor.family, to.family, *message))
            }
            _ => false,
        })
    }

    /// Follows every case; all that are possible must be there.
    fn cases(
        &mut self,
        mut state: SymbolicState<'a>,
        first: &Event,
        ways: &[(&Event, &[Event])],
        scene: &Scene<'a>,
    ) -> Result<Vec<SymbolicState<'a>>, Refused> {
        let Some((who, at)) = place(first) else {
            return refuse("it is no decision");
        };
        if ways.iter().any(|(event, _)| place(event) != place(first)) {
            return refuse("ways part at different decisions");
        }
        let (actor, stmt) = self.about(&mut state, who, at, scene)?;
        let mut events: Vec<&Event> = Vec::new();
        for (event, _) in ways {
            if !events.contains(event) {
                events.push(event);
            }
        }
        self.drop_impossible(&state, actor, stmt, &mut events)?;
        let outcomes = self.outcomes(&state, actor, stmt, &events, scene)?;
        if actor.is_family(self.song) && outcomes.len() > 1 {
            return refuse("members may decide differently");
        }
        let mut ends = Vec::new();
        for (event, next) in events.into_iter().zip(outcomes) {
            let rest = ways.iter().filter(|(other, _)| *other == event);
            let rest: Vec<&[Event]> = rest.map(|(_, rest)| *rest).collect();
            ends.extend(self.ways(next, &rest, scene)?);
        }
        Ok(ends)
    }

    /// The two cases of an `if` in an expression of the statement that comes next, if it is not settled.
    fn suppositions(
        &mut self,
        state: &mut SymbolicState<'a>,
        event: &Event,
        scene: &Scene<'a>,
    ) -> Result<Option<Vec<SymbolicState<'a>>>, Refused> {
        let (Event::Does { who, at } | Event::Sends { who, at, .. }) = event else {
            return Ok(None);
        };
        let (actor, stmt) = self.about(state, who, *at, scene)?;
        if actor.is_family(self.song) {
            return Ok(None);
        }
        for condition in conditions(stmt) {
            if state.truth(&mut self.numbers, actor, &condition).is_some() {
                continue;
            }
            let cases = [true, false].map(|truth| {
                let mut case = state.clone();
                case.suppose(&mut self.numbers, actor, &condition, truth);
                case
            });
            let settled = cases.iter().zip([true, false]).all(|(case, truth)| {
                case.truth(&mut self.numbers, actor, &condition) == Some(truth)
            });
            if settled {
                return Ok(Some(cases.into()));
            }
        }
        Ok(None)
    }

    /// The states that these events lead to. They must be all that can happen here, and all must be possible.
    fn outcomes(
        &mut self,
        state: &SymbolicState<'a>,
        actor: Actor,
        stmt: &'a Stmt,
        events: &[&Event],
        scene: &Scene<'a>,
    ) -> Result<Vec<SymbolicState<'a>>, Refused> {
        match &stmt.kind {
            StmtKind::Receive(_) | StmtKind::Select(..) => {
                self.takes_or_not(state, actor, stmt, events, scene)
            }
            StmtKind::Send(..) => self.sends_or_loses(state, actor, stmt, events),
            StmtKind::LetChoice(_) | StmtKind::AssignChoice(..) => {
                self.chooses(state, actor, stmt, events, scene)
            }
            _ => self.decides(state, actor, stmt, events),
        }
    }

    fn step(
        &mut self,
        state: &mut SymbolicState<'a>,
        event: &Event,
        scene: &Scene<'a>,
    ) -> Result<(), Refused> {
        match event {
            Event::Does { who, at } => {
                let (actor, stmt) = self.about(state, who, *at, scene)?;
                self.does(state, actor, stmt)?;
                self.settle(state, actor);
                Ok(())
            }
            Event::Sends { who, at, to } => {
                let (actor, stmt) = self.about(state, who, *at, scene)?;
                let to = Actor::named(self.song, to)?;
                self.sends(state, actor, stmt, to)
            }
            Event::Receives {
                who,
                at,
                from,
                kind,
            } => {
                let (actor, stmt) = self.about(state, who, *at, scene)?;
                let from = Actor::named(self.song, from)?;
                self.receives(state, actor, stmt, from, *kind, scene)
            }
            Event::Collects { who, at, from } => {
                let (actor, stmt) = self.about(state, who, *at, scene)?;
                let from = Actor::named(self.song, from)?;
                self.collects(state, actor, stmt, from, scene)
            }
            Event::Comes { member } => {
                let member = self.new_member(state, member)?;
                if !state.may_come.remove(&member.family) {
                    return refuse("a member comes where no process waits for one");
                }
                if !self.are_all_home(state, member.family) {
                    return refuse("there may be no member that could come");
                }
                state.strangers.insert(member.family);
                state.unfold(member);
                Ok(())
            }
            _ => {
                *state = self.rounds(state, event, scene)?;
                Ok(())
            }
        }
    }

    /// The rules for loops and whole families.
    fn rounds(
        &mut self,
        state: &mut SymbolicState<'a>,
        event: &Event,
        scene: &Scene<'a>,
    ) -> Result<SymbolicState<'a>, Refused> {
        match event {
            Event::Each {
                who,
                at,
                member,
                named,
                ways,
            } => {
                let (actor, stmt) = self.about(state, who, *at, scene)?;
                self.may_begin(state, actor, scene)?;
                let member = self.new_member(state, member)?;
                let named = self.new_member(state, named)?;
                self.each(state, (actor, stmt), (member, named), ways, scene)
            }
            Event::Repeats {
                who,
                at,
                with,
                ways,
            } => {
                let one = self.about(state, who, *at, scene)?;
                self.may_begin(state, one.0, scene)?;
                match with {
                    None => self.repeats(state, one, ways, scene),
                    Some((who, at)) => {
                        let other = self.about(state, who, *at, scene)?;
                        self.together(state, one, other, ways, scene)
                    }
                }
            }
            Event::Serves { who, member, ways } => {
                let family = Actor::named(self.song, who)?;
                let member = self.new_member(state, member)?;
                self.serves(state, family, member, ways, scene)
            }
            Event::Pairs {
                who,
                member,
                with,
                ways,
            } => {
                let family = Actor::named(self.song, who)?;
                let member = self.new_member(state, member)?;
                let with = Actor::named(self.song, with)?;
                self.pairs(state, family, member, with, ways, scene)
            }
            Event::NotCovered { rule } => not_covered(format!("{rule}: not covered")),
            _ => refuse("a step in the wrong place"),
        }
    }

    /// Whoever has ended the round that is gone through together does not begin the loop anew.
    fn may_begin(
        &self,
        state: &SymbolicState<'a>,
        actor: Actor,
        scene: &Scene<'a>,
    ) -> Result<(), Refused> {
        let halted = scene.halts.as_ref().is_some_and(|(family, position)| {
            *family == actor.family && state.positions[&actor] == *position
        });
        match halted {
            true => refuse("a member goes on after its round is over"),
            false => Ok(()),
        }
    }

    /// A member that is not looked at yet.
    pub(crate) fn new_member(
        &self,
        state: &SymbolicState<'a>,
        name: &str,
    ) -> Result<Actor, Refused> {
        let member = Actor::named(self.song, name)?;
        match member.member.is_some() && !state.positions.contains_key(&member) {
            true => Ok(member),
            false => refuse(format!("`{name}` is no new member")),
        }
    }

    /// The process that an event is about, and the statement that it is at.
    pub(crate) fn about(
        &mut self,
        state: &mut SymbolicState<'a>,
        who: &str,
        at: u32,
        scene: &Scene<'a>,
    ) -> Result<(Actor, &'a Stmt), Refused> {
        let actor = Actor::named(self.song, who)?;
        if scene.frozen.contains(&actor) {
            return refuse(format!("`{who}` must not move in this round"));
        }
        let Some(mut position) = state.positions.get(&actor).cloned() else {
            return refuse(format!("`{who}` is not there"));
        };
        while let Some(stmt) = position.stmt() {
            match &stmt.kind {
                StmtKind::While(_, _, body) if is_endless(stmt) && !body.is_empty() => {
                    if actor.is_family(self.song) {
                        return refuse("members may leave a loop at different times");
                    }
                    if position.is_outermost() && self.is_daemon(state, actor) {
                        self.begins_to_serve(state, actor, body)?;
                    }
                    position.enter(body, true);
                }
                _ if starts_at(stmt) == at => {
                    if let Some(condition) = position.begins_round_of() {
                        self.went_on(state, actor, condition);
                    }
                    state.positions.insert(actor, position);
                    return Ok((actor, stmt));
                }
                _ => break,
            }
        }
        refuse(format!("`{who}` is at another statement"))
    }

    /// Whoever is at the first statement of a round of `while c` has found `c` to be true, and has changed nothing since.
    fn went_on(&mut self, state: &mut SymbolicState<'a>, actor: Actor, condition: &Expr) {
        if state.truth(&mut self.numbers, actor, condition).is_none() {
            state.suppose(&mut self.numbers, actor, condition, true);
        }
    }

    /// A daemon begins a round: it may come after any others, and it waits first.
    fn begins_to_serve(
        &mut self,
        state: &mut SymbolicState<'a>,
        actor: Actor,
        body: &'a [Stmt],
    ) -> Result<(), Refused> {
        if first_deed(body)
            .is_none_or(|stmt| waits(stmt).is_none_or(|waits| waits.timeout.is_some()))
        {
            return refuse("a daemon goes on without being asked");
        }
        let vars = crate::position::assigned(body);
        state.forget(&mut self.numbers, actor, &vars);
        state.taken.retain(|(who, _)| *who != actor);
        Ok(())
    }

    /// Past the statement at hand; a daemon that is back at its loop serves nobody.
    pub(crate) fn advance(&self, state: &mut SymbolicState<'a>, actor: Actor) {
        if let Some(position) = state.positions.get_mut(&actor) {
            position.advance();
        }
        self.settle(state, actor);
    }

    pub(crate) fn settle(&self, state: &mut SymbolicState<'a>, actor: Actor) {
        let position = &state.positions[&actor];
        let head = position.is_outermost() && position.stmt().is_some_and(is_endless);
        if head && self.is_daemon(state, actor) {
            state.serving.remove(&actor);
            state.heard_in_round.remove(&actor);
            state.rounds.remove(&actor);
        }
    }

    /// Does a process send a kind, from a position on, only after hearing from one of these single processes? What
    /// waits for it in the state was sent before.
    pub(crate) fn is_late_free(
        &self,
        (state, actor): (&SymbolicState<'a>, Actor),
        position: &Position<'a>,
        message: MessageId,
        from: &BTreeSet<Actor>,
    ) -> bool {
        let queues = state.queues.keys();
        let old = queues.filter(|(sender, to, _)| *to == actor && from.contains(sender));
        let single = |actor: &&Actor| self.song.families[actor.family.index()].index.is_empty();
        let waiting = Waiting {
            song: self.song,
            sends: &self.sends,
            family: actor.family,
            message,
            waiting: old.map(|channel| channel.2).collect(),
            from: from
                .iter()
                .filter(single)
                .map(|actor| actor.family)
                .collect(),
        };
        waiting.holds(position)
    }

    /// Everybody is done, and nothing is left.
    fn is_over(&self, state: &SymbolicState<'a>) -> Result<(), Refused> {
        for (actor, position) in &state.positions {
            let is_home = match (self.is_daemon(state, *actor), actor.member) {
                (false, _) => position.is_end(),
                (true, None) => position.is_at_endless_loop(),
                (true, Some(_)) => *position == state.positions[&actor.whole()],
            };
            if !is_home {
                let name = &self.song.families[actor.family.index()].name;
                return refuse(format!("`{name}` is not done"));
            }
        }
        match state.queues.is_empty() && state.per_round.is_empty() {
            true => Ok(()),
            false => refuse("a message is left over"),
        }
    }
}

/// The conditions of every `if` in the expressions of a statement that is not a decision.
fn conditions(stmt: &Stmt) -> Vec<Expr> {
    struct Conditions(Vec<Expr>);
    impl Visit for Conditions {
        fn expr(&mut self, expr: &Expr) {
            if let ExprKind::If(condition, ..) = &expr.kind {
                self.0.push((**condition).clone());
            }
            walk::expr(self, expr);
        }
    }
    let mut found = Conditions(Vec::new());
    if let StmtKind::Let(..) | StmtKind::Assign(..) | StmtKind::Send(..) = &stmt.kind {
        found.stmt(stmt);
    }
    found.0
}

/// The process and the statement of an event that is one of several cases.
fn place(event: &Event) -> Option<(&str, u32)> {
    match event {
        Event::Decides { who, at, .. }
        | Event::Chooses { who, at, .. }
        | Event::Receives { who, at, .. }
        | Event::TimesOut { who, at }
        | Event::Sends { who, at, .. }
        | Event::Loses { who, at } => Some((who, *at)),
        _ => None,
    }
}

/// Where an event says that a statement is: a `while` is named by its condition.
fn starts_at(stmt: &Stmt) -> u32 {
    match &stmt.kind {
        StmtKind::While(condition, ..) => condition.span.start,
        _ => stmt.span.start,
    }
}

/// The song in which all messages are delivered by the model of the certificate, or as declared.
fn as_delivered(song: &Song, delivery: Option<&str>) -> Result<Song, Refused> {
    let mut song = song.clone();
    let Some(name) = delivery else {
        return Ok(song);
    };
    let Some(model) = Delivery::named(name) else {
        return refuse(format!("there is no model of delivery `{name}`"));
    };
    if let System::Voices(voices) = &mut song.system {
        for message in &mut voices.messages {
            message.delivery = Some(model);
        }
    }
    Ok(song)
}

/// Does a daemon end in a loop whose rounds begin with a receive?
fn waits_to_be_asked(process: &Process) -> bool {
    let Body::Sequential(body) = &process.body else {
        return false;
    };
    let Some(StmtKind::While(_, _, round)) = body.last().map(|stmt| &stmt.kind) else {
        return false;
    };
    let first = first_deed(round).and_then(waits);
    body.last().is_some_and(is_endless) && first.is_some_and(|first| first.timeout.is_none())
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
