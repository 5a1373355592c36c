//! Delivery models, as a table that engines read: of two messages that one receive accepts, which must be taken first.
//!
//! A model is one row. Engines ask what a row says ([`Delivery::precedence`], [`Delivery::keeps_order`], …) and do not
//! compare models, so another model is another row, and whatever its kind of precedence takes. What a
//! model means is defined by the interpreter's network, with which everything is compared.

/// Which order of delivery the network guarantees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Delivery {
    /// None.
    Unordered,
    /// Between each sender and receiver.
    Fifo,
    /// Causes before effects, per receiver.
    Causal,
    /// One queue per receiver, in the order of sending.
    Mailbox,
}

/// When the earlier of two messages to one receiver must be taken first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precedence {
    Never,
    /// If both have one sender.
    SameSender,
    /// If it is in the causal past of the later one.
    Cause,
    Always,
}

const ROWS: [(Delivery, &str, Precedence); 4] = [
    (Delivery::Unordered, "unordered", Precedence::Never),
    (Delivery::Fifo, "fifo", Precedence::SameSender),
    (Delivery::Causal, "causal", Precedence::Cause),
    (Delivery::Mailbox, "mailbox", Precedence::Always),
];

impl Delivery {
    /// All models, weakest first.
    pub const ALL: [Delivery; ROWS.len()] = [ROWS[0].0, ROWS[1].0, ROWS[2].0, ROWS[3].0];

    fn row(self) -> &'static (Delivery, &'static str, Precedence) {
        &ROWS[self as usize]
    }

    /// As written after `via`.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The model that is written so after `via`.
    pub fn named(name: &str) -> Option<Delivery> {
        Delivery::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The model of messages that declare none, to processes with a body or with handlers.
    pub fn by_default(to_a_body: bool) -> Delivery {
        match to_a_body {
            true => Delivery::Fifo,
            false => Delivery::Unordered,
        }
    }

    /// When the earlier of two messages must be taken first.
    pub fn precedence(self) -> Precedence {
        self.row().2
    }

    /// May a message have to wait for another one?
    pub fn keeps_order(self) -> bool {
        self.precedence() != Precedence::Never
    }

    /// Does the order depend on what the sender knew?
    pub fn needs_causes(self) -> bool {
        self.precedence() == Precedence::Cause
    }

    /// Does the order depend on when messages of different senders were sent?
    pub fn orders_senders(self) -> bool {
        self.precedence() == Precedence::Always
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_finds_its_own_row() {
        for model in Delivery::ALL {
            assert_eq!(model.row().0, model);
            assert_eq!(Delivery::named(model.name()), Some(model));
        }
    }
}
