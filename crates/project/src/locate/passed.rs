//! Telling others that a statement was passed that may never be ([`ahead`](crate::ahead) says who has to know).

use super::Locate;
use crate::Options;
use crate::ahead::demands;
use crate::codes::{GLOBAL_ASSERTION, RUNS_AHEAD};
use crate::core::Core;
use crate::owner::{Owner, Who};
use crate::terms::truth;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Choreography, Song};

/// More often than any program needs: each time somebody more is told.
const MOST_ROUNDS: usize = 64;

impl<'a> Locate<'a> {
    /// A whole line, located until nobody fails ahead of it. Literally, nobody is told what the text does not show.
    pub(crate) fn whole(
        song: &'a Song,
        line: &'a Choreography,
        options: &'a Options,
    ) -> (Self, Vec<Core>) {
        let mut locate = Locate::new(song, line, options);
        let mut body = locate.with_premises(song, line);
        for _ in 0..MOST_ROUNDS {
            if options.strict || locate.problems.iter().any(Diagnostic::is_error) {
                break;
            }
            let more = demands(song, &line.endpoints, &body);
            let mut all = locate.demands.clone();
            all.early.extend(more.early);
            for (span, who) in more.told {
                let told = all.told.entry(span).or_default();
                who.into_iter()
                    .for_each(|one| crate::participants::add(told, one));
            }
            if all == locate.demands {
                break;
            }
            locate = Locate::new(song, line, options);
            locate.demands = all;
            body = locate.with_premises(song, line);
        }
        (locate, body)
    }

    /// One of those who have passed a statement tells those who rely on it. The second place is the one to show.
    pub(super) fn tell_that_it_is_passed(
        &mut self,
        (span, shown): (Span, Span),
        passing: &[Who],
        out: &mut Vec<Core>,
    ) {
        let Some(wanted) = self.demands.told.get(&span) else {
            return;
        };
        let knows =
            |who: &&Who| passing.contains(who) || passing.contains(&Who::Family(who.family()));
        let told: Vec<Who> = wanted.iter().filter(|who| !knows(who)).cloned().collect();
        if told.is_empty() {
            return;
        }
        let named = passing.iter().find_map(|who| match who {
            Who::One(owner) => Some(owner.clone()),
            Who::Family(_) => None,
        });
        let Some(teller) = named else {
            return self.nobody(shown);
        };
        let names: Vec<String> = told.iter().map(|who| self.words(who)).collect();
        let (names, by) = (names.join(", "), self.name_of(&teller));
        let message =
            format!("{names} could fail behind this statement, although `{by}` never gets past it");
        let help = format!(
            "projection lets `{by}` tell {names}; a loop with `decreases` needs no such message"
        );
        self.problems
            .push(Diagnostic::warning(&RUNS_AHEAD, shown, message).help(help));
        self.computed(&teller, &truth(true), told, "passed", span, out);
    }

    /// May an endpoint come to an assertion before the line does? Then it is left to the line.
    pub(super) fn comes_early(&mut self, at: &Owner, span: Span) -> bool {
        let is_early = self.demands.early.contains(&(span, at.family));
        if is_early {
            let name = self.name_of(at);
            let message = format!(
                "`{name}` may come here before the line does: this is checked in the line only"
            );
            self.problems
                .push(Diagnostic::warning(&GLOBAL_ASSERTION, span, message));
        }
        is_early
    }

    fn words(&self, who: &Who) -> String {
        match who {
            Who::One(owner) => format!("`{}`", self.name_of(owner)),
            Who::Family(family) => {
                format!("every `{}`", self.song.families[family.index()].name)
            }
        }
    }
}
