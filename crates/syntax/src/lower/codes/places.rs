//! Codes about things that stand where they may not.

plainsong_diagnostics::declare_codes! {
    /// A statement that its surroundings do not allow.
    MISPLACED_STATEMENT = "misplaced-statement", "a statement cannot stand here", "\
Which statements may stand where:

| statement | bodies of processes | handlers | `init` | actions | choreographies |
|---|---|---|---|---|---|
| `send` | yes | yes | yes, with processes | no | no |
| `receive` | yes | no | no | no | no |
| `async` | no | no | yes, with actions | yes | no |
| `while`, `loop` | yes | yes | yes, with processes | no | yes |
| `var` | yes | yes | yes | yes | no |

A handler runs to completion as one step, so it cannot wait: write another handler for the message it
would wait for. An action is one step too, so it loops over finite collections only. In a choreography
communication is an assignment from one endpoint to another: `a.v = b.t;`, and all variables belong to
endpoints.";

    /// A receive that accepts nothing.
    EMPTY_RECEIVE = "empty-receive", "a `receive` accepts nothing", "\
`receive { … }` takes whichever of its messages comes; without arms it would wait for ever. Add an arm:

```text
receive {
    Vote(yes) from any db => { … }
    timeout => { … }
}
```";

    /// `break` or `continue` without a loop.
    OUTSIDE_LOOP = "outside-loop", "`break` or `continue` outside of a loop", "\
`break` leaves the innermost `while`, `for` or `loop` around it, `continue` goes on with its next round.
Without such a loop there is nothing to leave.

```text
on Stop { break; }              // error: not in a loop
```

To end a process, let its body come to its end; to skip the rest of a block, use `if`.";

    /// `old`, `pending` or `self` where they mean nothing.
    MISPLACED_EXPRESSION = "misplaced-expression", "an expression cannot stand here", "\
`old(e)` is the value at the start of a choreography and stands in its `ensures` clauses and loop
invariants. `pending(M)` counts messages in flight and stands in properties. `self` is the process
whose code it is, so it stands in processes only.

```text
property p: always old(x) == x;         // error: `old` is for choreographies
```";

    /// An assignment to something that does not change.
    NOT_ASSIGNABLE = "not-assignable", "something is assigned that cannot change", "\
Only variables change: those declared with `var` in a process, an endpoint, a body, or as globals of an
action system, and parts of them (`x.f`, `m[k]`, `t.0`). Names from `let`, `for`, receives, patterns and
parameters keep the value they were given; constants and parameters of the file do too.

```text
let n = 0;
n = n + 1;                      // error: `n` was declared with `let`
```

Declare it with `var`.";

    /// State that belongs to another process.
    FOREIGN_STATE = "foreign-state", "the state of another process is used", "\
Processes share nothing: code reads and writes the variables of its own process only, by their bare
names. Only properties see the state of all processes, as `db[d].outcome`.

```text
process coordinator { if db[d].ready { … } }    // error: ask for it with a message
```

Send the value in a message.";

    /// A property names something that is no state variable.
    NOT_STATE = "not-state", "a property names a local variable", "\
Properties see the *state variables* of processes: the `var`s at the very top of a process. What is
declared after the first statement is local to the body.

```text
process db {
    receive Prepare;
    var outcome = none;         // local, because it comes after a statement
}
property p: finally db.outcome != none;     // error
```

Declare it as a `var` at the top of the process.";

    /// An expression that should be closed is not.
    NOT_CLOSED = "not-closed", "a constant or function depends on the state", "\
The value of a constant, the bounds of a sort, the condition on a parameter and the body of a function
depend on nothing that changes: they use other constants, parameters, functions and their own
arguments only.

```text
var held: bool = false;
const FREE = !held;             // error: `held` changes
```

Pass the value to a function as an argument.";

    /// Processes and actions in one file.
    MIXED_FORMS = "mixed-forms", "processes and actions are mixed in one file", "\
A file describes one system, either with processes that exchange messages (`message`, `process`) or with
global variables and actions (`var`, `action`). Choreographies may stand beside either.

Split the file, or write the globals as the state of a process.";
}
