//! Steps and states in words: the events of a trace.

use crate::actions::ActionSystem;
use crate::actions::config::{ActionsConfig, Pending};
use crate::code::OpKind;
use crate::code::run::Chosen;
use crate::machine::{Config, Form, Machine, Outcome, Step, Taken};
use crate::outcomes::each_told;
use crate::show::{call, show};
use crate::trace::{Change, Event, EventKind, Sent};
use crate::value::{Pid, Value};
use crate::voices::config::VoicesConfig;
use crate::voices::network::InFlight;
use plainsong_ir::{MessageId, Ty};

impl Machine {
    /// The words for `step`, which is the `position`-th of the steps of `config`.
    pub fn event(&self, config: &Config, position: usize, step: &Step) -> Event {
        let after = match &step.outcome {
            Outcome::Next(after) | Outcome::Failed(_, after) => Some(after),
            Outcome::Discarded => None,
        };
        let sent = after.map_or(Vec::new(), |after| self.sent_between(config, after));
        let mut event = Event {
            lane: step.lane,
            kind: step.kind,
            label: self.label(config, step),
            peer: None,
            message: None,
            sends: Vec::new(),
            choices: self.choices(step),
            changes: after.map_or(Vec::new(), |after| self.changes(config, after)),
            span: step.span,
            step: position,
        };
        match (&step.taken, &self.form, &config.0) {
            (Some(Taken::Message(taken)), ..) => {
                event.peer = taken.from.member();
                event.message = Some(taken.number.0);
                event.sends = sent;
            }
            (Some(Taken::Hit(hit)), ..) => {
                event.message = Some(hit.number.0);
                event.sends = sent;
            }
            (Some(Taken::Async(taken)), ..) => {
                event.message = Some(taken.number.0);
                event.sends = sent;
            }
            (None, Form::Line(line), Form::Line(config)) => {
                event.peer = line.located(config).peer;
            }
            _ if step.kind == EventKind::Send => {
                let first = sent.into_iter().next();
                event.peer = first.as_ref().and_then(|sent| sent.to);
                event.message = first.map(|sent| sent.message);
            }
            _ => event.sends = sent,
        }
        event
    }

    /// The variables at the start, and the parameters of a choreography.
    pub fn start(&self, config: &Config) -> Vec<Change> {
        let mut start = Vec::new();
        if let (Form::Line(line), Form::Line(config)) = (&self.form, &config.0) {
            let params = line
                .code()
                .locals
                .iter()
                .zip(&config.slots)
                .take(line.arity());
            start.extend(params.map(|(local, value)| {
                unchanged(local.name.clone(), show(self.instance(), value, &local.ty))
            }));
        }
        let variables = self.variables(config).into_iter();
        start.extend(variables.map(|(variable, value)| unchanged(variable, value)));
        let outcomes = each_told(self.instance()).into_iter();
        start.extend(outcomes.map(|(call, result)| unchanged(call, result)));
        start
    }

    /// What is in flight, oldest first.
    pub(crate) fn undelivered(&self, config: &Config) -> Vec<Sent> {
        self.sent_since(0, config)
    }

    /// Names and values of the variables that traces show.
    pub fn variables(&self, config: &Config) -> Vec<(String, String)> {
        self.values(config)
            .into_iter()
            .map(|(name, value, ty)| (name, show(self.instance(), value, ty)))
            .collect()
    }

    /// The variables with their values and types, in the same order.
    pub fn values<'a>(&'a self, config: &'a Config) -> Vec<(String, &'a Value, &'a Ty)> {
        let instance = self.instance();
        let song = instance.song();
        if let Form::Actions(config) = &config.0 {
            let globals = song.actions().map_or(&[][..], |actions| &actions.globals);
            let values = globals.iter().zip(&config.globals);
            return values
                .map(|(global, value)| (global.name.clone(), value, &global.ty))
                .collect();
        }
        let mut variables = Vec::new();
        let members = &instance.members()[instance.lanes(self.subject())];
        for (lane, member) in members.iter().enumerate() {
            let vars = &song.families[member.family.index()].vars;
            for (var, value) in vars.iter().zip(lane_vars(config, lane)) {
                let name = format!("{}.{}", member.name, var.name);
                variables.push((name, value, &var.ty));
            }
        }
        variables
    }

    fn changes(&self, before: &Config, after: &Config) -> Vec<Change> {
        let pairs = self
            .variables(before)
            .into_iter()
            .zip(self.variables(after));
        pairs
            .filter(|((_, before), (_, after))| before != after)
            .map(|((variable, before), (_, after))| Change {
                variable,
                before,
                after,
            })
            .collect()
    }

    pub(crate) fn label(&self, config: &Config, step: &Step) -> String {
        match (&step.taken, &self.form, &config.0) {
            (Some(Taken::Message(taken) | Taken::Hit(taken)), ..) => {
                self.message(taken.kind, &taken.payload)
            }
            (Some(Taken::Awaited(kind)), ..) => self.kind_name(*kind),
            (Some(Taken::Async(taken) | Taken::Offer(taken)), Form::Actions(system), _) => {
                system.text(taken)
            }
            (_, Form::Line(line), Form::Line(config)) => line.statement(config),
            _ => match step.kind {
                EventKind::Init => "init".to_owned(),
                EventKind::Start => "start".to_owned(),
                EventKind::Timeout => "timeout".to_owned(),
                EventKind::Crash => "crash".to_owned(),
                EventKind::Restart => "restart".to_owned(),
                _ => self.sent_label(config, step),
            },
        }
    }

    /// What a send sends; only the kind of message when it failed before there was one.
    fn sent_label(&self, config: &Config, step: &Step) -> String {
        if let Outcome::Next(after) | Outcome::Failed(_, after) = &step.outcome
            && let Some(sent) = self.sent_between(config, after).first()
        {
            return sent.label.clone();
        }
        match self.code(step.code).ops.get(step.pc).map(|op| &op.kind) {
            Some(OpKind::Send(kind, ..)) => self.kind_name(*kind),
            other => panic!("only a send sends, not {other:?}"),
        }
    }

    pub(crate) fn choices(&self, step: &Step) -> Vec<String> {
        let locals = &self.code(step.code).locals;
        let text = |chosen: &Chosen| match chosen.local {
            Some(local) => {
                let local = &locals[local.index()];
                format!(
                    "{} = {}",
                    local.name,
                    show(self.instance(), &chosen.value, &local.ty)
                )
            }
            None if chosen.value.truth() => "maybe: done".to_owned(),
            None => "maybe: not done".to_owned(),
        };
        step.chosen.iter().map(text).collect()
    }

    /// What was sent or left in one step.
    fn sent_between(&self, before: &Config, after: &Config) -> Vec<Sent> {
        let first = match &before.0 {
            Form::Voices(config) => config.network.sent(),
            Form::Actions(config) => config.left(),
            Form::Line(_) => 0,
        };
        self.sent_since(first, after)
    }

    fn sent_since(&self, first: u64, config: &Config) -> Vec<Sent> {
        let mut sent = match (&self.form, &config.0) {
            (Form::Voices(_), Form::Voices(config)) => self.messages(config),
            (Form::Actions(system), Form::Actions(config)) => asyncs(system, config),
            _ => Vec::new(),
        };
        sent.retain(|sent| sent.message >= first);
        sent.sort_by_key(|sent| sent.message);
        sent
    }

    fn messages(&self, config: &VoicesConfig) -> Vec<Sent> {
        let sent = |message: &InFlight| Sent {
            message: message.number.0,
            label: self.message(message.kind, &message.payload),
            from: message.from.member(),
            to: message.to.member(),
        };
        config.network.messages().iter().map(sent).collect()
    }

    /// `Vote(true)`.
    pub(crate) fn message(&self, kind: MessageId, payload: &[Value]) -> String {
        let song = self.instance().song();
        let voices = song.voices().expect("voices have messages");
        let message = &voices.messages[kind.index()];
        let types = message
            .fields
            .iter()
            .map(|field: &plainsong_ir::Binder| -> &Ty { &field.ty });
        call(self.instance(), &message.name, payload, types)
    }

    fn kind_name(&self, kind: MessageId) -> String {
        let song = self.instance().song();
        song.voices().map_or(String::new(), |voices| {
            voices.messages[kind.index()].name.clone()
        })
    }

    /// Kinds of messages in flight and where to, as `Vote to coordinator`; names of asyncs.
    pub(crate) fn leftovers(&self, config: &Config) -> Vec<String> {
        let instance = self.instance();
        match &config.0 {
            Form::Voices(config) => {
                let text = |message: &InFlight| {
                    let name = self.kind_name(message.kind);
                    match message.to {
                        Pid::Init => format!("{name} to init"),
                        Pid::Member(row) => {
                            let family = instance.members()[row as usize].family;
                            format!(
                                "{name} to {}",
                                instance.song().families[family.index()].name
                            )
                        }
                    }
                };
                config.network.messages().iter().map(text).collect()
            }
            Form::Actions(_) | Form::Line(_) => Vec::new(),
        }
    }
}

fn lane_vars(config: &Config, lane: usize) -> &[Value] {
    match &config.0 {
        Form::Voices(config) => config.voices.get(lane).map_or(&[], |voice| &voice.vars),
        Form::Line(config) => config.endpoints.vars.get(lane).map_or(&[], |vars| vars),
        Form::Actions(_) => &[],
    }
}

fn asyncs(system: &ActionSystem, config: &ActionsConfig) -> Vec<Sent> {
    let sent = |pending: &Pending| Sent {
        message: pending.number.0,
        label: system.text(pending),
        from: None,
        to: None,
    };
    config.pending.iter().map(sent).collect()
}

fn unchanged(variable: String, value: String) -> Change {
    Change {
        variable,
        before: value.clone(),
        after: value,
    }
}
