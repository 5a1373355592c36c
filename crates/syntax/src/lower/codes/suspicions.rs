//! Codes of warnings: what is accepted, but probably not meant.

plainsong_diagnostics::declare_codes! {
    /// A message that is received but never sent.
    NEVER_SENT = "never-sent", "a message is never sent", "\
Nothing sends this message, so a `receive` waits for it in vain and a handler never runs.

```text
message Stop;                   // warning: received, but never sent
process p { receive Stop; }
```

Send it, or remove it.";

    /// A message that is sent but never received.
    NEVER_RECEIVED = "never-received", "a message is never received", "\
The message is sent, but no `receive` or `on` takes it: it stays in flight for ever. Receive it, or do
not send it.";

    /// A local that nothing reads.
    UNUSED_LOCAL = "unused-local", "a local name is never read", "\
A name was declared with `let` or `var`, and nothing reads it. This is often a slip: another name was
meant where it should have been used.

```text
let next = n + 1;               // warning: `next` is never read
send Token(n) to node[1];
```

Use it, remove it, or begin its name with `_` if it is there on purpose.";

    /// Statements that are never reached.
    UNREACHABLE_STATEMENT = "unreachable-statement", "a statement is never reached", "\
The statement before this one never goes on to the next: it is a `break`, a `continue`, a `loop`
without `break`, or an `if` whose branches all end that way.

```text
loop { receive Ask; }
send Done to main;              // warning: the loop above never ends
```";

    /// Two handlers for the same messages.
    OVERLAPPING_HANDLERS = "overlapping-handlers", "two handlers accept the same messages", "\
Both handlers accept the same message, without a `where` that tells them apart; either may run, and
every check considers both. If a free choice is meant, write one handler with `maybe { … } else { … }`;
otherwise add `where` conditions.";

    /// `daemon` without effect.
    IDLE_DAEMON = "idle-daemon", "`daemon` has no effect", "\
`daemon` says that a process may wait in a `receive` for ever without this being a deadlock. A process
with handlers, or one that never receives, does not wait, so the word changes nothing. Leave it out.";

    /// A new name in a pattern that looks like a variant.
    LIKE_A_VARIANT = "like-a-variant", "a pattern looks like a variant but is a new name", "\
In a pattern, a bare name that is no variant of the value's enum (and no process, for a `process`) is a
new name: it matches everything. This one looks so much like a variant that it is probably a slip.

```text
enum Vote { Yes, No }
match vote { Yes => 1, Np => 2 }        // warning: `Np` matches everything
```

Correct the spelling, or use a name that cannot be mistaken, or `_`.";

    /// An external function that promises nothing.
    NOTHING_PROMISED = "nothing-promised", "an external function promises nothing", "\
Of an external function only the contract is known. Without `ensures` its result may be any value of the type, so
nothing that depends on it can be proved.

```text
extern fn price(amount: nat) -> int;            // warning
extern fn price(amount: nat) -> int
    ensures result >= amount;
```

Say what callers may rely on; `ensures true` if they rely on nothing.";

    /// A message that nothing mentions.
    UNUSED_MESSAGE = "unused-message", "a message is neither sent nor received", "\
Nothing in the file sends or receives this message. Remove it, or use it.";

    /// A `where` of a `choose` that does not look at what is chosen.
    WHERE_OF_NOTHING = "where-of-nothing", "a `where` says nothing about what is chosen", "\
In `x = choose S where p`, `x` in `p` is what is chosen; what the variable held before has its full name:
`me.x = choose 0..5 where x != me.x;` chooses another value than before. A `where` that does not name what is
chosen lets everything be chosen, or nothing: then the execution ends there.";
}
