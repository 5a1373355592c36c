//! What the words of the language mean, in a sentence or two.

/// Words and methods with their meaning; in alphabetical order.
const MEANINGS: &[(&str, &str)] = &[
    (
        "action",
        "An atomic step of an action system. `async A(…)` makes one pending; it is executed at some later time.",
    ),
    (
        "always",
        "`always e` holds at the start and after every step. With `old(x)` it speaks about steps.",
    ),
    (
        "assert",
        "A failure when the condition is false. Every song is checked for failing assertions (`assertions`).",
    ),
    (
        "assume",
        "Cuts off executions in which the condition is false. In a handler or an action it means *not now*.",
    ),
    (
        "async",
        "Makes an action pending: it is executed at some later time, in any order with the others.",
    ),
    (
        "atomic",
        "An action that is neither a left nor a right mover.",
    ),
    (
        "both",
        "An action that moves to the left and to the right of all others.",
    ),
    (
        "choose",
        "A nondeterministic choice: any value of a type or set, restricted by `where`. Every value is considered.",
    ),
    (
        "choreography",
        "A sequential program whose statements are located at endpoints. `project` makes processes of it.",
    ),
    (
        "constraint",
        "A condition on the states that are searched: states that violate it are checked, but not searched further.",
    ),
    (
        "covers",
        "A declared order of values, by which a cycle may be covered by a smaller one.",
    ),
    (
        "daemon",
        "A process that may be waiting at the end: it takes no part in deadlocks.",
    ),
    (
        "decreases",
        "A ranking function: an expression that decreases in every round, and is never negative.",
    ),
    (
        "durable",
        "The variable keeps its value when the process crashes and restarts.",
    ),
    (
        "endpoint",
        "A participant of a choreography, with its own variables.",
    ),
    (
        "ensures",
        "What holds at the end; `old(x)` is the value at the beginning.",
    ),
    (
        "eventually",
        "`eventually e`: every fair execution has a state with `e`. `eventually quiescent`: every execution terminates.",
    ),
    (
        "fair",
        "Fairness: what is possible again and again happens at last.",
    ),
    (
        "fault",
        "What may go wrong, and how often: `crash`, `restart`, `lose`, `duplicate`.",
    ),
    (
        "finally",
        "`finally e` holds in every final state: when no step is possible any more.",
    ),
    ("give", "The caller has the permission afterwards."),
    (
        "infinitely",
        "`infinitely often e`: every fair execution has `e` again and again.",
    ),
    ("init", "What happens first, in one step."),
    (
        "invariant",
        "What holds in every state, or at every round of a loop. Proofs by induction use it.",
    ),
    (
        "leads",
        "`p leads to q`: after each state with `p`, every fair execution has one with `q`.",
    ),
    (
        "left",
        "A left mover: it can be moved before what others do just before it.",
    ),
    (
        "lemma",
        "A fact with a proof, which `use` makes available to other proofs.",
    ),
    (
        "linear",
        "A permission that nobody else has. It cannot be duplicated.",
    ),
    (
        "maybe",
        "A nondeterministic choice between doing something and not, or doing something else.",
    ),
    (
        "message",
        "A kind of message, what it carries, and in which order it is delivered: `via unordered`, `fifo`, `causal` or `mailbox`.",
    ),
    (
        "old",
        "The value before the step, or at the beginning of the procedure.",
    ),
    (
        "on",
        "A handler: what a process does with a message, at any time and as often as one comes.",
    ),
    ("par", "Calls that run concurrently."),
    (
        "param",
        "A number or value that is chosen from outside: `--size`. Proofs hold for every value.",
    ),
    (
        "pending",
        "How many messages of a kind are in flight, or how many asyncs are pending.",
    ),
    ("preserves", "The action keeps the yield invariant."),
    (
        "procedure",
        "Code of several steps on a layer. It refines an atomic action, or is checked itself.",
    ),
    (
        "process",
        "A process, or a family of them with one for each index. Processes share nothing and exchange messages.",
    ),
    (
        "property",
        "A claim about the system, with a name: `finally`, `always`, `eventually`, `leads to`, `infinitely often`.",
    ),
    ("quiescent", "No step is possible any more."),
    (
        "receive",
        "Takes one message of this kind from the inbox; waits until there is one.",
    ),
    (
        "refines",
        "The procedure is an implementation of this atomic action.",
    ),
    (
        "repeat",
        "The action is on offer in every state, for every argument.",
    ),
    ("requires", "What the caller has to make true."),
    (
        "right",
        "A right mover: it can be moved after what others do just after it.",
    ),
    ("self", "The identity of this process."),
    ("send", "Puts a message in flight. It never waits."),
    (
        "sequentialize",
        "A schedule: asyncs may be thought to be executed in this order.",
    ),
    (
        "size",
        "Default sizes of sorts and parameters for searches.",
    ),
    (
        "sort",
        "A finite set of identities. Its size is a parameter: proofs hold for every size.",
    ),
    (
        "synchronizes",
        "The procedures that may run at the same time as this one.",
    ),
    ("take", "The caller gives the permission away."),
    (
        "timeout",
        "What may be done instead of receiving, at any time.",
    ),
    ("unfair", "Nothing is owed: it may be ignored for ever."),
    (
        "via",
        "In which order messages of this kind are delivered; `<= 3` bounds how many are in flight in one channel.",
    ),
    ("where", "Only those for which the condition holds."),
    (
        "while",
        "Repeats while the condition holds. `invariant` and `decreases` are for proofs.",
    ),
    (
        "yield",
        "Others may take steps here. What is named holds before and after.",
    ),
];

/// Built-in methods with what they return.
const METHODS: &[(&str, &str)] = &[
    (
        "contains",
        "`contains(x)`: is `x` in it? The same as `x in s`.",
    ),
    ("count", "`count(x)`: how many times `x` is in the bag."),
    (
        "drop_first",
        "`drop_first()`: without the first element; fails when empty.",
    ),
    (
        "drop_last",
        "`drop_last()`: without the last element; fails when empty.",
    ),
    ("first", "`first()`: the first element; fails when empty."),
    ("is_empty", "`is_empty()`: are there no elements?"),
    ("is_none", "`is_none()`: is there no value?"),
    ("is_some", "`is_some()`: is there a value?"),
    ("last", "`last()`: the last element; fails when empty."),
    ("len", "`len()`: the number of elements, a `nat`."),
    ("max", "`max()`: the greatest element; fails when empty."),
    ("min", "`min()`: the least element; fails when empty."),
    ("push", "`push(x)`: with `x` at the end."),
    ("subset", "`subset(t)`: are all elements in `t`, too?"),
    ("to_bag", "`to_bag()`: its elements as a bag."),
    ("to_set", "`to_set()`: its elements as a set."),
    ("unwrap", "`unwrap()`: the value; fails on `none`."),
    ("unwrap_or", "`unwrap_or(d)`: the value, or `d` for `none`."),
    ("update", "`update(k, v)`: with `v` at `k`."),
    ("with", "`with(x)`: one element more."),
    ("without", "`without(x)`: one element less, if it is there."),
];

/// What a word of the language means.
pub fn meaning(word: &str) -> Option<&'static str> {
    look_up(MEANINGS, word)
}

/// What a method returns.
pub fn method(name: &str) -> Option<&'static str> {
    look_up(METHODS, name)
}

fn look_up(table: &'static [(&str, &str)], word: &str) -> Option<&'static str> {
    let at = table.binary_search_by_key(&word, |(word, _)| *word).ok()?;
    Some(table[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_so_that_they_can_be_searched() {
        assert!(MEANINGS.is_sorted_by_key(|(word, _)| *word));
        assert!(METHODS.is_sorted_by_key(|(word, _)| *word));
    }
}
