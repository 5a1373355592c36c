//! Codes about layers, procedures, permissions and schedules.

plainsong_diagnostics::declare_codes! {
    /// Something is used at a layer where it is not.
    WRONG_LAYER = "wrong-layer", "something is used at a layer where it does not exist", "\
A program in layers is a stack of programs. At layer `n` there are

- the variables declared `@ a..b` with `a < n <= b` (introduced at layer `a`, hidden above `b`),
- the actions declared `@ a..b` with `a <= n <= b`,
- the procedures declared `@ m` with `n <= m`; a call of any other procedure is a call of the action it
  refines.

An action uses only variables that exist at all of its layers. A procedure `@ n` calls only what exists
at every layer up to `n`, and the action it refines exists at layer `n + 1`. What has no `@` exists at
all layers. A procedure reads no global variables, except to assign to the ones introduced at its own
layer: everything else goes through actions.";

    /// A procedure and its action have different parameters.
    WRONG_REFINES = "wrong-refines", "a procedure and the action it refines differ in their parameters", "\
A call of a procedure becomes a call of the action it refines, with the same arguments. So both have the
same parameters in the same order, the same `linear` ones, and both or neither have a result of the same
type.";

    /// A procedure that moves where none can.
    MOVING = "moving-procedure", "a procedure that moves does not fit where it stands", "\
`left procedure p(…) @ n requires i() ensures j() { … }` is one left mover at layer `n`, made of the steps of its body; its
callers know that `j` holds behind it, and that what it does not write stays as it is. It does not yield at that layer and
refines nothing: above layer `n` it is part of what its callers do. So only procedures of layer `n` call it, and none of them
in a `par`. A procedure that `synchronizes` it may start it by `async` if it moves left. One that moves left comes to an
end: if it calls itself, it says what it `decreases`.";

    /// A result that is not always there.
    UNASSIGNED_RESULT = "unassigned-result", "a result is not assigned on every way to the end", "\
`-> won: bool` declares the result of an action or procedure as a variable without a first value. Every
way through the body assigns it.

```text
atomic action cas() -> won: bool {
    won = !held;
    if won { held = true; }
}
```";

    /// The result of a call used wrongly.
    CALLED_RESULT = "called-result", "the result of a call is used wrongly", "\
`let r = call f(x);` names the result of a call. There must be one, and it is not assigned to a
variable that exists already.";

    /// Something that cannot run in parallel.
    PAR_ARM = "par-arm", "only calls run in parallel", "\
`par { call f(x); call g(y); }` runs several calls at once and goes on when all are done. Anything else
stands before or after it, or in a procedure of its own.";

    /// A schedule that does not fit its program.
    SCHEDULE = "schedule", "a schedule and the actions that it eliminates do not fit together", "\
`sequentialize A, B as C { … }` says in which order the pending asyncs of `A` and `B` may be thought to
run, one after the other, directly after `init`. `call A(x);` in the schedule runs one of them. Only
actions named in front are run, each is named once, and what stands in the place of an action (`B as C`)
has parameters of the same types. In `sequentialize A into M as N by I(x) choosing k { … }` the actions `M`, `N` and `I`
have parameters of the same types, all of them get a name, and, after `choosing`, all of what `I` chooses, in the order of
the text.";

    /// Witnesses that do not fit the actions.
    COMMUTE = "commute", "the names after `commute` do not fit the actions", "\
`commute A(x) choosing v then B(y) with v = e;` says what `A` chooses when `B` comes before it instead of after
it. All arguments of both actions get a name, and, after `choosing`, all of their `choose`, in the order of the text;
only what is chosen is given another value. It is a hint: a wrong one proves nothing.";

    /// An action that is always on offer, used as if it were left pending.
    REPEATED_ACTION = "repeated-action", "an action that is always on offer is used as if it were pending", "\
`repeat action A(x: T) { … }` is on offer in every state after `init`, for every value of its parameters: it runs wherever its
`assume`s pass, any number of times. It is never a pending async, so nobody leaves it behind with `async`, `pending(A)`
does not count it, and schedules, movers, layers and procedures, which are about asyncs and calls, have no use for it. A choice
among infinitely many values stands in its body: `let n = choose nat;`.";

    /// A permission that is not there, or there twice.
    PERMISSION = "permission", "a permission is not available here", "\
A `linear` parameter carries a permission: a value of which no two threads hold the same one. So it
cannot be copied: an argument for a `linear` parameter is a `linear` parameter of the caller, passed at
most once in a call (or in all arms of a `par` together). `async` gives it away for good, and so does a call for a
parameter declared `take`; a parameter declared `give` is a permission that the caller has after the call. `enum Half
splits Id { Left(Id), Right(Id) }` says that a permission `i` is made of `Left(i)` and `Right(i)`. In `init` it
is the name of a `for` over a whole sort, so that everyone gets another one.";
}
