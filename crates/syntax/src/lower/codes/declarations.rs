//! Codes about items of a file that do not make sense as they are declared.

plainsong_diagnostics::declare_codes! {
    /// Declarations that depend on themselves.
    RECURSIVE_DEFINITION = "recursive-definition", "a definition depends on itself", "\
The value of a constant and the bounds of a sort must be computable from other declarations. Here they
lead back to themselves, directly or through other constants, sorts and functions.

```text
const A = B + 1;
const B = A - 1;                // error: `A` needs `B`, and `B` needs `A`
```

Functions may call themselves; constants and sorts may not refer to themselves.";

    /// A type that contains itself.
    INFINITE_TYPE = "infinite-type", "a type contains itself", "\
A value of this type would contain a value of the same type, and so on without end. Types here are
trees of fixed depth, also inside `option`, `set` and `seq`.

```text
struct Cell { next: option<Cell> }      // error
```

Keep the values in a map and refer to them by a sort: `sort Id; struct Cell { next: option<Id> }`.";

    /// An enum without variants.
    EMPTY_ENUM = "empty-enum", "an enum has no variants", "\
A value of an enum is one of its variants, so an enum needs at least one.

```text
enum Never { }                  // error
```";

    SECOND_INIT = "second-init", "a file has more than one `init`", "\
`init { … }` runs once, before everything. Put all its statements into one block.";

    UNKNOWN_DELIVERY = "unknown-delivery", "an unknown delivery model", "\
After `via` stands how the network delivers the message: `unordered` (any order), `fifo` (in order from
each sender to each receiver), `causal` (causes before effects) or `mailbox` (one queue per receiver).

```text
message Beat via lossy;         // error
```";

    UNKNOWN_ENGINE = "unknown-engine", "an unknown engine", "\
After `by` stand the engines that may answer for the property: `states`, `explore`, `sequentialize`,
`diverge`, `refine`, `project`, `induct`. Without `by` any engine that can answer may.";

    /// A size for something that has none to choose.
    BAD_SIZE = "bad-size", "a size that cannot be chosen", "\
`size Db = 3;` and `at Db = 3` choose how many members a sort has, or the value of a parameter that is a
number. A sort like `0..N` has the size its bounds say: choose `N` instead. A sort has at least one
member, and a range of sizes goes upwards: `2..=4`.

```text
sort Slot = 0..4;
size Slot = 3;                  // error: it has 4 members
```";

    /// A fault that cannot be.
    BAD_FAULT = "bad-fault", "a fault that cannot be", "\
`fault crash node <= 1;` says what may go wrong, to whom, and how often: `crash` and `restart` are about
processes, `lose` and `duplicate` about messages. Each is declared once. A restart needs a crash and has
no number: it happens as often as there was a crash. A loss without a number may happen any number of times, and only such
a loss, or a restart, is `fair` or `unfair`.

```text
fault duplicate Beat;           // error: how often? write `fault duplicate Beat <= 2;`
```";

    /// A channel in which nothing may be.
    BAD_BOUND = "bad-bound", "a bound on a channel that nothing can keep", "\
`message Req via fifo <= 3;` says that executions are searched only as long as at most three `Req` are in flight from one process
to another. What is found within this bound is said to hold within it. The number is at least 1.";

    /// A name that already means something.
    RESERVED_NAME = "reserved-name", "a name already means something else", "\
`no_deadlock` and `assertions` are checked for every system, and verdicts name them, so no property can
be called so. `pending(…)` counts what is in flight, so no function can be called `pending`.

Choose another name.";

    /// A loop with two measures.
    SECOND_MEASURE = "second-measure", "there is more than one `decreases`", "\
`decreases e` names what decreases with every round. Several numbers stand in one clause, the most
important first: with `decreases a, b` either `a` decreases, or `a` stays and `b` decreases.";

    /// An external function with a measure.
    EXTERNAL_MEASURE = "external-measure", "an external function has `decreases`", "\
Of an external function only the contract is known: what it wants and what it promises. It has no body in
which it could call itself, so there is nothing that could decrease.

```text
extern fn hash(n: int) -> int ensures result >= 0 decreases n;   // error
```

Leave out `decreases`, or give the function a body and leave out `extern`.";

    /// A function that is run by nobody.
    RUN_NOWHERE = "run-nowhere", "nobody runs this function", "\
`extern fn price at seller(amount: nat) -> int …;` says that `seller` runs it: only the program of that endpoint is asked for
the Rust code, and a choreography in which another one would make the call is refused. The name is that of an endpoint or a
process; of a family, its members run it. A function with a body is computed wherever it is called, so it has no `at`.";

    /// A range sort whose bounds bind names.
    BINDING_IN_BOUND = "binding-in-bound", "the bounds of a sort bind names", "\
The bounds of a sort are simple: constants, parameters, calls and arithmetic. Quantifiers, `match` and
`let` do not stand there.

```text
sort Slot = 0..(count d: Db :: true);   // error
```

Give the bound a name: `const N = count d: Db :: true; sort Slot = 0..N;`.";

    /// A property about two systems.
    MIXED_PROPERTY = "mixed-property", "a property is about two systems", "\
A property speaks about the processes of the file, about its global variables, or about the endpoints of
one choreography. These run apart from each other, so there is no state in which the property could be
evaluated. Write one property for each.";

    /// A temporal claim that cannot be asked.
    TEMPORAL_CLAIM = "temporal-claim", "a temporal claim cannot be asked like this", "\
A temporal claim is about whole executions: `eventually p`, `infinitely often p`, `eventually always p`, `p
leads to q`. Names that a `forall` in front of it binds have the same values in every state, so they cannot range
over a set that steps change.

```text
property answered: forall c in server.asked :: eventually client[c].served;   // error: `server.asked` changes
```

Let the name range over a type: `forall c: Client :: c in server.asked leads to client[c].served`.";
}
