//! Information flow (noninterference) from windows of values: what may be different had a value outside of the window been chosen.
//!
//! Statement. Some values are chosen out of infinitely many, of which a window is tried: of `choose nat`, of open parameters,
//! of external functions. *High* is what they may influence: names whose values are computed from them or written where
//! they decide, messages and asyncs that are sent where they decide, and code whose steps they may cut off. Everything
//! else is *low*. Low steps are the same whatever is chosen: of every execution, its low steps are those of an execution
//! with values from the window alone.
//!
//! Why sound. By induction on the low steps of an execution. A low step reads low names only where it decides, so it goes
//! the same way; its choices of high values have a value in the window, or the search would have said that there is none.
//! Its message is low: a low step has sent it. No high step can hold it up: a step that a condition about high names may
//! cut off (`assume`, `where`, a choice) is high as a whole, and so is a body with a receive that may get nothing, or with
//! a loop whose rounds are decided by high names. The order of delivery may hold a message up behind a high one, so
//! where an order is kept and one of the messages is high, all of them are. Of two alternatives that accept the same
//! message the first is taken, so the second is high where the first asks for something high.
//!
//! Source. [Denning77], with the control dependences of code that may not terminate of [Volpano97].
//! NOT COVERED. Procedures: [`WindowFlow::has_procedures`]. Executions that end with a failure of an assertion about high
//! values: whoever asks has to know that there was none. Members of a family are not told apart.

mod conditions;

pub(crate) use conditions::{Asks, Condition};

use plainsong_diagnostics::Span;
use plainsong_ir::finite::is_finite;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Accept, Access, ActionId, Binding, Block, Body, Choice, Delivery, Domain, Expr, ExprKind,
    FamilyId, GlobalId, Handler, LocalId, MessageId, Pattern, PatternKind, Place, Root, Song,
    Source, StartValue, Stmt, StmtKind, System, Ty, VarId,
};
use plainsong_semantics::search::Coverage;
use std::collections::{BTreeMap, BTreeSet};

/// What a bound calls windows.
const WINDOWS: [&str; 3] = ["int", "nat", "length"];

/// Are values chosen from windows within these bounds?
pub(crate) fn has_window(bound: &BTreeMap<String, String>) -> bool {
    WINDOWS.iter().any(|name| bound.contains_key(*name))
}

/// `nat=0..=3; length=0..=2`.
pub(crate) fn windows(bound: &BTreeMap<String, String>) -> String {
    let windows = WINDOWS
        .iter()
        .filter_map(|name| Some(format!("{name}={}", bound.get(*name)?)));
    windows.collect::<Vec<_>>().join("; ")
}

/// A piece of code that is run as one step, or the body of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unit {
    /// The message or async that starts it; none for bodies and `init`.
    pub(crate) trigger: Option<u32>,
    /// The messages or asyncs that it may leave.
    pub(crate) sends: BTreeSet<u32>,
    /// What may cut its steps off, or whether it runs at all; none where it is low.
    pub(crate) high: Option<Span>,
    /// Its first loop that may have any number of rounds.
    pub(crate) endless: Option<Span>,
    /// Is it run from its beginning to its end only once?
    pub(crate) is_body: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    /// A local of a piece of code.
    Local(usize, LocalId),
    Variable(FamilyId, VarId),
    Global(GlobalId),
    Field(MessageId, usize),
    Argument(ActionId, usize),
}

/// Which values from windows are asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    #[default]
    Anywhere,
    /// Those with which variables start.
    Start,
    /// Those that the statement at this place chooses.
    Statement(Span),
}

/// What is asked about.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent<'a> {
    /// A search: what never ran in it has passed nothing on. Without one, everything might run.
    pub(crate) seen: Option<&'a Coverage>,
    /// The order of delivery that is asked for, whatever the song says.
    pub(crate) delivery: Option<Delivery>,
    /// May executions end with a failure? Then code that reads what is high is cut off by one.
    pub(crate) fails: bool,
    /// Which choices.
    pub(crate) origin: Origin,
}

/// What is high in a song.
pub(crate) struct WindowFlow<'a> {
    song: &'a Song,
    bound: &'a BTreeMap<String, String>,
    extent: Extent<'a>,
    names: BTreeSet<Name>,
    /// Messages or asyncs that high values decide about, and the condition that does.
    kinds: BTreeMap<u32, Span>,
    units: Vec<Unit>,
    conditions: Vec<Condition>,
    /// Names that are computed from what they were.
    accumulators: BTreeSet<Name>,
    /// The statements that choose values from windows.
    choices: BTreeSet<Span>,
    /// Is the code at hand run before there is any state?
    before_all: bool,
    /// Loops that high values leave.
    left: BTreeSet<Span>,
    /// The loops around.
    loops: Vec<Span>,
    /// The table of locals at hand.
    code: usize,
    /// Whose it is.
    family: Option<FamilyId>,
    /// The unit at hand.
    unit: usize,
    /// The decisions by high values that are around.
    deciding: Vec<Span>,
}

impl<'a> WindowFlow<'a> {
    /// What is high within these bounds.
    pub(crate) fn new(
        song: &'a Song,
        bound: &'a BTreeMap<String, String>,
        extent: Extent<'a>,
    ) -> Self {
        let mut flow = WindowFlow {
            song,
            bound,
            extent,
            names: BTreeSet::new(),
            kinds: BTreeMap::new(),
            units: Vec::new(),
            conditions: Vec::new(),
            accumulators: BTreeSet::new(),
            choices: BTreeSet::new(),
            before_all: false,
            left: BTreeSet::new(),
            loops: Vec::new(),
            code: 0,
            family: None,
            unit: 0,
            deciding: Vec::new(),
        };
        loop {
            let before = flow.size();
            flow.song();
            if flow.size() == before {
                return flow;
            }
        }
    }

    /// The pieces of code.
    pub(crate) fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The conditions about high values that may cut off a step or leave a message.
    pub(crate) fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The statements that choose values from windows.
    pub(crate) fn choices(&self) -> &BTreeSet<Span> {
        &self.choices
    }

    /// Is there code of which nothing is known here?
    pub(crate) fn has_procedures(&self) -> bool {
        self.song
            .actions()
            .is_some_and(|actions| !actions.procedures.is_empty())
    }

    fn size(&self) -> [usize; 4] {
        let high = self.units.iter().filter(|unit| unit.high.is_some());
        let (names, kinds) = (self.names.len(), self.kinds.len());
        [names, kinds, self.left.len(), high.count()]
    }

    fn song(&mut self) {
        let song = self.song;
        self.conditions.clear();
        self.code = 0;
        self.unit = 0;
        for (number, family) in song.families.iter().enumerate() {
            let family_id = FamilyId(number as u32);
            for (at, decl) in family.vars.iter().enumerate() {
                self.enter(Some(family_id));
                if self.starts_high(&decl.start) {
                    self.names
                        .insert(Name::Variable(family_id, VarId(at as u32)));
                }
            }
        }
        match &song.system {
            System::None => {}
            System::Voices(voices) => {
                for process in &voices.processes {
                    self.enter(Some(process.family));
                    match &process.body {
                        Body::Sequential(body) => self.unit(None, true, body),
                        Body::Handlers(handlers) => self.handlers(handlers),
                    }
                }
                if let Some(init) = &voices.init {
                    self.enter(None);
                    self.unit(None, false, &init.body);
                }
                self.keep_order();
            }
            System::Actions(actions) => {
                for (number, global) in actions.globals.iter().enumerate() {
                    self.enter(None);
                    if self.starts_high(&global.start) {
                        self.names.insert(Name::Global(GlobalId(number as u32)));
                    }
                }
                for (number, action) in actions.actions.iter().enumerate() {
                    self.enter(None);
                    let id = ActionId(number as u32);
                    for at in 0..action.code.arity {
                        if self.names.contains(&Name::Argument(id, at)) {
                            self.raise(LocalId(at as u32));
                        }
                    }
                    self.unit(Some(id.0), false, &action.code.body);
                }
                if let Some(init) = &actions.init {
                    self.enter(None);
                    self.before_all = true;
                    self.unit(None, false, &init.body);
                    self.before_all = false;
                }
            }
        }
        for line in &song.lines {
            self.enter(None);
            for at in 0..line.code.arity {
                let is_open = !is_finite(song, &line.code.locals[at].ty);
                if is_open && self.is_origin(None) {
                    self.raise(LocalId(at as u32));
                }
            }
            self.unit(None, true, &line.code.body);
        }
    }

    /// Another table of locals.
    fn enter(&mut self, family: Option<FamilyId>) {
        self.code += 1;
        self.family = family;
        self.deciding.clear();
    }

    fn unit(&mut self, trigger: Option<u32>, is_body: bool, block: &Block) {
        self.begin(trigger, is_body);
        self.finish(block);
    }

    fn begin(&mut self, trigger: Option<u32>, is_body: bool) {
        if self.unit == self.units.len() {
            self.units.push(Unit {
                trigger,
                is_body,
                ..Unit::default()
            });
        }
        self.deciding.clear();
    }

    fn finish(&mut self, block: &Block) {
        let trigger = self.units[self.unit].trigger;
        if let Some(why) = trigger.and_then(|kind| self.kinds.get(&kind)) {
            self.cut_off(*why);
        }
        let mut reads = self.reads();
        reads.block(block);
        if let (true, true, Some(first)) = (self.extent.fails, reads.found, block.first()) {
            self.cut_off(first.span);
        }
        self.block(block);
        self.unit += 1;
    }

    /// The first handler that accepts a message takes it, so those behind one that asks for something high are high.
    fn handlers(&mut self, handlers: &[Handler]) {
        let mut asked: BTreeMap<MessageId, Span> = BTreeMap::new();
        for handler in handlers {
            let message = handler.accept.message;
            self.begin(Some(message.0), false);
            if let Some(span) = self.accept(&handler.accept) {
                asked.entry(message).or_insert(span);
            }
            if let Some(span) = asked.get(&message) {
                self.cut_off(*span);
            }
            self.finish(&handler.body);
        }
    }

    /// The steps at hand may be cut off here.
    fn cut_off(&mut self, span: Span) {
        self.units[self.unit].high.get_or_insert(span);
    }

    /// What decides whether this is done at all, if that is high.
    fn uncertain(&self) -> Option<Span> {
        let deciding = self.deciding.last().copied();
        deciding.or(self.units[self.unit].high)
    }

    /// Where an order of delivery is kept, a message may have to wait behind a high one.
    fn keep_order(&mut self) {
        let Some(voices) = self.song.voices() else {
            return;
        };
        let has_body =
            |process: &plainsong_ir::Process| matches!(process.body, Body::Sequential(_));
        let by_default = Delivery::by_default(voices.processes.iter().any(has_body));
        let ordered = voices.messages.iter().enumerate().filter(|(_, message)| {
            let declared = self.extent.delivery.or(message.delivery);
            declared.unwrap_or(by_default).keeps_order()
        });
        let ordered: BTreeSet<u32> = ordered.map(|(at, _)| at as u32).collect();
        let is_ordered = |kind: &u32| ordered.contains(kind);
        let is_left = |unit: &&Unit| unit.high.is_some() && unit.trigger.iter().any(is_ordered);
        let before = self.kinds.iter().find(|(kind, _)| is_ordered(kind));
        let left = self.units.iter().find(is_left);
        let why = before
            .map(|(_, why)| *why)
            .or(left.and_then(|unit| unit.high));
        if let Some(why) = why {
            for kind in ordered {
                self.kinds.entry(kind).or_insert(why);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if self
            .extent
            .seen
            .is_some_and(|seen| seen.missed.contains(&stmt.span))
        {
            return;
        }
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                if self.is_high(value) {
                    self.raise(*local);
                }
            }
            StmtKind::LetChoice(choice) => self.choice(choice, None, stmt.span),
            StmtKind::Assign(place, value) => {
                let is_high = self.is_high(value) || self.is_high_place(place);
                self.assign(place, is_high);
                self.accumulate(place, value);
            }
            StmtKind::AssignChoice(place, choice) => self.choice(choice, Some(place), stmt.span),
            StmtKind::If(condition, yes, no) => {
                let is_high = self.is_high(condition);
                self.within(is_high.then_some(condition.span), &[yes, no]);
            }
            StmtKind::Match(scrutinee, arms) => self.match_stmt(scrutinee, arms),
            StmtKind::While(condition, _, body) => {
                let is_high = self.is_high(condition) || self.left.contains(&stmt.span);
                if is_high {
                    self.cut_off(condition.span);
                }
                let unit = &mut self.units[self.unit];
                if is_high || unit.is_body {
                    unit.endless.get_or_insert(stmt.span);
                }
                self.rounds(stmt.span, is_high.then_some(condition.span), body);
            }
            StmtKind::For {
                local,
                domain,
                filter,
                body,
                ..
            } => {
                let over = self.is_high_domain(domain) || self.left.contains(&stmt.span);
                let is_high = over || filter.as_ref().is_some_and(|filter| self.is_high(filter));
                if is_high {
                    self.raise(*local);
                }
                self.rounds(stmt.span, is_high.then_some(stmt.span), body);
            }
            StmtKind::Maybe(yes, no) => self.within(None, &[yes, no]),
            StmtKind::Break | StmtKind::Continue => {
                if !self.deciding.is_empty() {
                    self.left.extend(self.loops.last());
                }
            }
            StmtKind::Assume(condition) => {
                if self.is_high(condition) {
                    self.ask(condition, Asks::Assume(stmt.span));
                    self.cut_off(condition.span);
                }
            }
            StmtKind::Send(message, payload, to) => {
                self.units[self.unit].sends.insert(message.0);
                let address = self.is_high(to).then_some(to.span);
                if let Some(why) = self.uncertain().or(address) {
                    self.kinds.entry(message.0).or_insert(why);
                }
                for (at, value) in payload.iter().enumerate() {
                    if self.is_high(value) {
                        self.names.insert(Name::Field(*message, at));
                    }
                }
            }
            StmtKind::Async(action, arguments) => {
                self.units[self.unit].sends.insert(action.0);
                if let Some(why) = self.uncertain() {
                    self.kinds.entry(action.0).or_insert(why);
                }
                for (at, value) in arguments.iter().enumerate() {
                    if self.is_high(value) {
                        self.names.insert(Name::Argument(*action, at));
                    }
                }
            }
            StmtKind::Receive(accept) => {
                self.receive(accept);
            }
            StmtKind::Select(arms, timeout) => {
                arms.iter().for_each(|(accept, _)| self.receive(accept));
                arms.iter().for_each(|(_, body)| self.block(body));
                timeout.iter().for_each(|body| self.block(body));
            }
            StmtKind::Part(part) => {
                self.block(&part.start);
                self.block(&part.body);
            }
            StmtKind::Assert(_)
            | StmtKind::Spawn(..)
            | StmtKind::Call(..)
            | StmtKind::Par(_)
            | StmtKind::Use(_)
            | StmtKind::Yield(_) => {}
        }
    }

    fn match_stmt(&mut self, scrutinee: &Expr, arms: &[(Pattern, Block)]) {
        let is_high = self.is_high(scrutinee);
        if is_high {
            let mut bound = Bound(Vec::new());
            arms.iter().for_each(|(pattern, _)| bound.pattern(pattern));
            bound.0.into_iter().for_each(|local| self.raise(local));
        }
        let blocks: Vec<&Block> = arms.iter().map(|(_, block)| block).collect();
        self.within(is_high.then_some(scrutinee.span), &blocks);
    }

    /// A choice is high if its value is. It may be one without a value if what it asks for is high without it.
    fn choice(&mut self, choice: &Choice, place: Option<&Place>, span: Span) {
        let asks = choice.filter.as_ref().is_some_and(|filter| {
            let mut reads = self.reads();
            reads.except = Some(choice.local);
            reads.expr(filter);
            reads.found
        });
        if asks || self.is_high_domain(&choice.domain) {
            self.cut_off(span);
        }
        if matches!(&choice.domain, Domain::Type(ty) if !is_finite(self.song, ty)) {
            self.choices.insert(span);
        }
        if let (true, Some(filter)) = (asks, &choice.filter) {
            self.ask(filter, Asks::Choice);
        }
        let is_high = self.is_chosen_high(choice, Some(span));
        if is_high {
            self.raise(choice.local);
        }
        if let Some(place) = place {
            self.assign(place, is_high || self.is_high_place(place));
        }
    }

    /// A receive of a body: it may get nothing if its message is high, or what it asks for.
    fn receive(&mut self, accept: &Accept) {
        let asks = self.accept(accept);
        let decided = self.deciding.last().copied();
        let sent = self.kinds.get(&accept.message.0).copied();
        if let Some(why) = asks.or(decided).or(sent) {
            self.cut_off(why);
        }
    }

    /// Gives the names their parts; what it asks for that is high.
    fn accept(&mut self, accept: &Accept) -> Option<Span> {
        for (at, slot) in accept.slots.iter().enumerate() {
            if let Some(local) = slot
                && self.names.contains(&Name::Field(accept.message, at))
            {
                self.raise(*local);
            }
        }
        let high = |expr: &&Expr| self.is_high(expr);
        let filter = accept.filter.as_ref().filter(high);
        let from = match &accept.source {
            Source::Process(process) => Some(process).filter(high).map(|one| one.span),
            Source::Anyone(_) | Source::Family(..) => None,
        };
        if let Some(filter) = filter {
            self.ask(filter, Asks::Receive(accept.message));
        }
        filter.map(|one| one.span).or(from)
    }

    fn within(&mut self, decides: Option<Span>, blocks: &[&Block]) {
        let before = self.deciding.len();
        self.deciding.extend(decides);
        blocks.iter().for_each(|block| self.block(block));
        self.deciding.truncate(before);
    }

    fn rounds(&mut self, at: Span, decides: Option<Span>, body: &Block) {
        self.loops.push(at);
        self.within(decides, &[body]);
        self.loops.pop();
    }

    fn raise(&mut self, local: LocalId) {
        self.names.insert(Name::Local(self.code, local));
    }

    /// What is written by a step that may be left out is high for all others. A body is the only one to read its names.
    fn assign(&mut self, place: &Place, is_high: bool) {
        let unit = &self.units[self.unit];
        let is_shared = !unit.is_body && !matches!(place.root, Root::Local(_));
        let is_left_out = is_shared && unit.high.is_some();
        if !(is_high || is_left_out) {
            return;
        }
        self.names.extend(self.written(place));
    }

    /// What is written there.
    fn written(&self, place: &Place) -> Option<Name> {
        Some(match (&place.root, self.family) {
            (Root::Local(local), _) => Name::Local(self.code, *local),
            (Root::Own(var), family) => Name::Variable(family?, *var),
            (Root::Of(family, _, var), _) => Name::Variable(*family, *var),
            (Root::Global(global), _) => Name::Global(*global),
        })
    }

    /// What an expression reads.
    fn name_of(&self, expr: &Expr) -> Option<Name> {
        Some(match &expr.kind {
            ExprKind::Local(local) => Name::Local(self.code, *local),
            ExprKind::Own(var) => Name::Variable(self.family?, *var),
            ExprKind::Of(family, _, var) => Name::Variable(*family, *var),
            ExprKind::Global(global) => Name::Global(*global),
            _ => return None,
        })
    }

    fn starts_high(&self, start: &StartValue) -> bool {
        match start {
            StartValue::Value(value) => self.is_high(value),
            StartValue::Choice(choice) => self.is_chosen_high(choice, None),
        }
    }

    /// Is the value of a choice high, at this statement or at the start?
    fn is_chosen_high(&self, choice: &Choice, at: Option<Span>) -> bool {
        let filter = choice.filter.as_ref();
        let is_open = matches!(&choice.domain, Domain::Type(ty) if !is_finite(self.song, ty));
        is_open && self.is_origin(at)
            || !self.deciding.is_empty()
            || self.is_high_domain(&choice.domain)
            || filter.is_some_and(|filter| self.is_high(filter))
    }

    fn is_high_domain(&self, domain: &Domain) -> bool {
        matches!(domain, Domain::In(collection) if self.is_high(collection))
    }

    /// Do high values decide which part of a variable is written?
    fn is_high_place(&self, place: &Place) -> bool {
        let index = place.path.iter().any(|access| match access {
            Access::Index(index) => self.is_high(index),
            Access::Field(_) | Access::Project(_) => false,
        });
        let member = match &place.root {
            Root::Of(_, index, _) => index.iter().any(|one| self.is_high(one)),
            _ => false,
        };
        index || member
    }

    fn is_high(&self, expr: &Expr) -> bool {
        let mut reads = self.reads();
        reads.expr(expr);
        reads.found
    }

    fn reads(&self) -> Reads<'a, '_> {
        Reads {
            flow: self,
            except: None,
            found: !self.deciding.is_empty(),
        }
    }

    /// Is it a parameter of which a window of values is tried?
    fn is_open(&self, name: &str, ty: &Ty) -> bool {
        let tried = self.bound.get(name);
        !is_finite(self.song, ty) && tried.is_some_and(|tried| tried.contains(".."))
    }
}

/// Does an expression read what is high?
struct Reads<'a, 'b> {
    flow: &'b WindowFlow<'a>,
    /// What does not count.
    except: Option<LocalId>,
    found: bool,
}

impl Visit for Reads<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        let flow = self.flow;
        let name = match &expr.kind {
            ExprKind::Local(local) if self.except == Some(*local) => None,
            ExprKind::Const(id) => {
                let decl = &flow.song.consts[id.index()];
                let is_open = flow.extent.origin == Origin::Anywhere && decl.value.is_none();
                self.found |= is_open && flow.is_open(&decl.name, &decl.ty);
                None
            }
            ExprKind::Call(function, _) => {
                let decl = &flow.song.functions[function.index()];
                let is_open = flow.extent.origin == Origin::Anywhere && decl.body.is_none();
                self.found |= is_open && !is_finite(flow.song, &decl.result);
                None
            }
            _ => flow.name_of(expr),
        };
        self.found |= name.is_some_and(|name| flow.names.contains(&name));
        walk::expr(self, expr);
    }

    /// A quantifier over infinitely many values is asked of those in the window.
    fn binding(&mut self, binding: &Binding) {
        let is_open = matches!(&binding.domain, Domain::Type(ty) if !is_finite(self.flow.song, ty));
        self.found |= is_open && self.flow.extent.origin == Origin::Anywhere;
        walk::binding(self, binding);
    }
}

/// The names that patterns bind.
struct Bound(Vec<LocalId>);

impl Visit for Bound {
    fn pattern(&mut self, pattern: &Pattern) {
        if let PatternKind::Bind(local) = &pattern.kind {
            self.0.push(*local);
        }
        walk::pattern(self, pattern);
    }
}
