//! What a receive, or a process with handlers, can be given.

use super::eval::{Store, Undefined, allows, eval};
use super::history::{History, Letter, Sending, Who};
use super::instance::Instance;
use super::value::Value;
use plainsong_ir::{Accept, Source};

/// A message that may be taken now.
pub(super) struct Offer {
    pub(super) sending: Sending,
    /// By which of the arms or handlers.
    pub(super) arm: usize,
    /// The store with the names bound; or the condition was undefined for this message.
    pub(super) bound: Result<Store, Undefined>,
}

/// What has been sent, seen by one of the receivers.
pub(super) struct Mail<'w> {
    pub(super) instance: &'w Instance<'w>,
    pub(super) history: &'w History,
    /// The identities of the participants.
    pub(super) identities: &'w [Value],
    /// The receiver.
    pub(super) who: Who,
}

impl Mail<'_> {
    /// The messages that may be taken, each by the first arm that accepts it. All arms together
    /// decide which messages match.
    pub(super) fn offers(&self, arms: &[&Accept], store: &Store) -> Result<Vec<Offer>, Undefined> {
        let sources = self.sources(arms, store)?;
        let mut accepted = Vec::new();
        for sending in self.history.unread(self.who) {
            let letter = self.history.letter(sending);
            let sender = &self.identities[sending.0];
            let taken = arms.iter().enumerate().find_map(|(arm, accept)| {
                let from = sources[arm].as_ref();
                let bound = bind(self.instance, accept, from, letter, sender, store.clone());
                bound.transpose().map(|bound| Offer {
                    sending,
                    arm,
                    bound,
                })
            });
            accepted.extend(taken);
        }
        let matching = accepted.iter().filter(|offer| offer.bound.is_ok());
        let matching: Vec<Sending> = matching.map(|offer| offer.sending).collect();
        accepted.retain(|offer| {
            offer.bound.is_err() || self.history.may_take(offer.sending, &matching)
        });
        Ok(accepted)
    }

    /// The processes named by the arms that want a particular one.
    fn sources(&self, arms: &[&Accept], store: &Store) -> Result<Vec<Option<Value>>, Undefined> {
        let source = |accept: &&Accept| match &accept.source {
            Source::Process(expr) => eval(self.instance, expr, &mut store.clone()).map(Some),
            Source::Anyone(_) | Source::Family(..) => Ok(None),
        };
        arms.iter().map(source).collect()
    }
}

/// The store with the parts of `letter` named, if `accept` takes it.
fn bind(
    instance: &Instance<'_>,
    accept: &Accept,
    wanted: Option<&Value>,
    letter: &Letter,
    sender: &Value,
    mut store: Store,
) -> Result<Option<Store>, Undefined> {
    if accept.message != letter.message || wanted.is_some_and(|wanted| wanted != sender) {
        return Ok(None);
    }
    let whole = match &accept.source {
        Source::Process(_) => None,
        Source::Anyone(whole) => *whole,
        Source::Family(family, names, whole) => {
            let Value::Process(of, index) = sender else {
                return Ok(None);
            };
            if of != family {
                return Ok(None);
            }
            for (name, value) in names.iter().zip(index) {
                store.bind(*name, value.clone());
            }
            *whole
        }
    };
    if let Some(whole) = whole {
        store.bind(whole, sender.clone());
    }
    for (slot, value) in accept.slots.iter().zip(&letter.payload) {
        if let Some(slot) = slot {
            store.bind(*slot, value.clone());
        }
    }
    Ok(allows(instance, accept.filter.as_ref(), &mut store)?.then_some(store))
}
