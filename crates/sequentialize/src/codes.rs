//! What prevents a line, as `plainsong explain` tells it.

plainsong_diagnostics::declare_codes! {
    /// See [`Obstacle::AsymmetricRace`](crate::Obstacle::AsymmetricRace).
    ASYMMETRIC_RACE = "asymmetric-race", "a receive may be served by different sends, with different outcomes", "\
A line has one order of events, so whatever order messages come in must end alike. Members of one family may race
for a receive: they are like each other. Two different senders, or one sender with two messages that are not in order,
are not:

```text
process server { receive Put(v) from any client; }   // fine: clients are alike
process server { receive Done; }                     // from `a` or from `b`?
```

Name the sender (`receive Done from a; receive Done from b;`), give the two messages different names, or send them in an
order that the delivery model keeps.";

    /// See [`Obstacle::NoSender`](crate::Obstacle::NoSender).
    NO_SENDER = "no-sender", "nothing sends what a receive waits for", "\
A process waits for a message that nobody sends, or that everybody who sends it has sent already. Usually a receive is
one too many, names the wrong sender or the wrong message, or a send stands in a branch that is not always taken.";

    /// See [`Obstacle::Blocked`](crate::Obstacle::Blocked).
    BLOCKED = "blocked", "a process waits, and no process is seen to come to the send", "\
In the order in which the line is built, every process that has not terminated waits for another, or stands before a loop whose
rounds are not seen to fit to each other. That need not be a deadlock: small sizes are explored to see whether it is one,
and the answer says so. Where it is none, write both sides in the same shape: loops over the same sort or range,
one exchange of messages in each round.";

    /// See [`Obstacle::SuperfluousSend`](crate::Obstacle::SuperfluousSend).
    SUPERFLUOUS_SEND = "superfluous-send", "a message is sent that nothing receives", "\
At the end of the line a message is left over. Receive it, or do not send it. (What a daemon may receive or not is not
left over.)";

    /// See [`Obstacle::UnknownAddress`](crate::Obstacle::UnknownAddress).
    UNKNOWN_ADDRESS = "unknown-address", "it is not known to whom something is sent", "\
An address has to be known where the line is built: a process, a member named by the index of a loop or of the process,
the sender of a message that was received (`from any client[c]`), or a member that a message carries and that is known
there. One that is computed, or kept in a variable that loops change, is not.";

    /// See [`Obstacle::Indiscriminate`](crate::Obstacle::Indiscriminate).
    INDISCRIMINATE = "indiscriminate", "one round deals with two members, and cannot tell them apart", "\
A round of a loop receives `from any` member twice. The second message may be of the same member or of another, and what
is right for one is wrong for the other. Remember who sent the first (`from any w[x]`) and name it in the second
(`from w[x]`).";

    /// See [`Obstacle::StatefulLoop`](crate::Obstacle::StatefulLoop).
    STATEFUL_LOOP = "stateful-loop", "what a round does depends on rounds before it", "\
The rounds of a loop are told as one round for an arbitrary member or number. That is right if each does the same
whatever the others did. A loop that ends early, or sends something else once a counter is reached, is not such a loop.
Let the round decide by what it received, and keep what it learns in variables that are read behind the loop.";

    /// See [`Obstacle::LateMessage`](crate::Obstacle::LateMessage).
    LATE_MESSAGE = "late-message", "a message of the same kind may come too early", "\
A message that is meant for a later receive may be there already when an earlier one waits for the same kind from the
same sender. Give the two phases messages of different names, or let the sender wait for an answer between them.";

    /// See [`Obstacle::MixedChannel`](crate::Obstacle::MixedChannel).
    MIXED_CHANNEL = "mixed-channel", "messages of rounds and of members share a channel", "\
Some messages of a kind are sent once in each round of a loop, others once by each member, and one receive may take
either. Give them different names.";

    /// See [`Obstacle::IndependentChoices`](crate::Obstacle::IndependentChoices).
    INDEPENDENT_CHOICES = "independent-choices", "two choices that need not be of the same member", "\
A member is chosen at two places, and only if both choose the same does everybody go on. Choose once and pass on the
choice in a message.";

    /// See [`Obstacle::HoldAndWait`](crate::Obstacle::HoldAndWait).
    HOLD_AND_WAIT = "hold-and-wait", "a daemon keeps one member waiting for another process", "\
While a daemon serves one member it waits for a message of another process, which may itself wait for the daemon. A round of a
daemon has to come to its end with whom it began, or with daemons that do not wait for it.";

    /// See [`Obstacle::FailReachable`](crate::Obstacle::FailReachable).
    FAIL_REACHABLE = "fail-reachable", "an assertion may fail on the way", "\
On the line, an assertion is false, or it is not known that it is true. Small sizes are explored to find an execution
in which it fails; if there is none, an invariant of the loop before it usually helps.";

    /// See [`Obstacle::NotCovered`](crate::Obstacle::NotCovered).
    NOT_COVERED = "not-covered", "a construct for which there is no rule", "\
The song uses something that the rules do not speak about; the sentence says what. `explore` answers for sizes that you
choose, and `refine` with a schedule that you write for all of them.";

    /// See [`Obstacle::TooLong`](crate::Obstacle::TooLong).
    TOO_LONG = "too-long", "the line has too many steps or branches", "\
The search for a line ends after some number of steps. Loops of a fixed large number of rounds are written out where
their number is known; a parameter or a sort instead of the number lets one round stand for all.";
}
