//! Who waits when nothing can happen any more.

use super::config::{Voice, VoicesConfig};
use super::{Act, VoiceSystem};
use crate::code::OpKind;
use crate::eval::Eval;
use crate::phrase::Phrase;
use crate::show;
use crate::trace::Waiting;
use crate::value::Pid;
use crate::world::OwnVars;
use plainsong_diagnostics::Span;
use plainsong_ir::{Accept, Source};

impl VoiceSystem {
    /// The processes with bodies that have not ended and may not wait for ever, in a state where
    /// nothing can happen.
    pub(crate) fn waiting(&self, config: &VoicesConfig) -> Vec<Waiting> {
        (0..config.voices.len())
            .filter(|lane| !config.trouble.is_down(*lane))
            .filter_map(|lane| self.waits(config, lane))
            .collect()
    }

    /// The statement that the body of a process has come to.
    pub(crate) fn place(&self, lane: usize, voice: &Voice) -> Option<Span> {
        match self.program_at(lane).act {
            Act::Body(number) => Some(self.codes[number].ops.get(voice.pc)?.span),
            _ => None,
        }
    }

    fn waits(&self, config: &VoicesConfig, lane: usize) -> Option<Waiting> {
        let program = self.program_at(lane);
        let Act::Body(number) = program.act else {
            return None;
        };
        let op = self.codes[number].ops.get(config.voices[lane].pc)?;
        let OpKind::Select(arms, _) = &op.kind else {
            panic!(
                "a process that cannot move waits in a receive, not in {:?}",
                op.kind
            )
        };
        if program.daemon {
            return None;
        }
        let wanted: Vec<String> = arms
            .iter()
            .map(|arm| self.wanted(config, lane, number, &arm.accept))
            .collect();
        let what = if wanted.is_empty() {
            "nothing".to_owned()
        } else {
            wanted.join(" or ")
        };
        Some(Waiting {
            lane: Some(lane),
            what,
            span: op.span,
        })
    }

    /// `Vote from any db where yes`.
    fn wanted(&self, config: &VoicesConfig, lane: usize, code: usize, accept: &Accept) -> String {
        let voice = &config.voices[lane];
        let world = OwnVars {
            me: Pid::Member(lane as u32),
            vars: &voice.vars,
        };
        let family = self.instance.members()[lane].family;
        let song = self.instance.song();
        let voices = song.voices().expect("voices have messages");
        let mut text = voices.messages[accept.message.index()].name.clone();
        match &accept.source {
            Source::Anyone(_) => {}
            Source::Family(family, ..) => {
                text += &format!(" from any {}", song.families[family.index()].name);
            }
            Source::Process(process) => {
                let value =
                    Eval::new(&self.instance, &world).expr(process, &mut voice.slots.clone());
                if let Ok(value) = value {
                    text += &format!(" from {}", show::process(&self.instance, value.pid()));
                }
            }
        }
        if let Some(filter) = &accept.filter {
            let phrase = Phrase::new(&self.instance, &self.codes[code].locals, Some(family));
            text += &format!(" where {}", phrase.expr(filter));
        }
        text
    }
}
