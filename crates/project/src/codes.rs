//! What can be wrong with a choreography that is to be projected.

plainsong_diagnostics::declare_codes! {
    /// A statement reads several endpoints.
    MIXED_ENDPOINTS = "mixed-endpoints", "a statement computes with the state of several endpoints", "\
A value is computed at one endpoint. `a.x = a.x + b.y;` needs `b.y` at `a`, which is a message that the text
does not show. Projection adds it, and says so; with `--strict-paper` it is an error. To write it out, give
`a` a variable of its own and transfer first:

```text
a.y = b.y;
a.x = a.x + a.y;
```";

    /// A condition needs several endpoints together.
    MIXED_GUARD = "mixed-guard", "a condition computes with the state of several endpoints", "\
A condition of several endpoints is a conjunction, each conjunct about one of them: everybody decides by its
own. `if a.x < b.y { … }` has a conjunct that no endpoint can evaluate alone. Projection lets one endpoint decide
and tell the others, and says how many messages that adds; with `--strict-paper` it is an error.";

    /// Somebody acts in a branch without knowing that it is taken.
    UNINFORMED_ENDPOINT = "uninformed-endpoint", "an endpoint acts without knowing the choice", "\
`if a.x > 0 { c.y = 1; }`: only `a` knows which way to go, but `c` acts. Projection lets `a` tell `c`, and
says how many messages that adds; with `--strict-paper` it is an error. To write it out, transfer what decides
and add a conjunct:

```text
c.go = a.x > 0;
if a.x > 0 && c.go { c.y = 1; }
```";

    /// Whose state is meant depends on the state of somebody.
    HIDDEN_INDEX = "hidden-index", "which endpoint is meant depends on the state of an endpoint", "\
In `server[a.leader].x = 1;` only `a` knows which server is meant, so no server knows whether it is meant.
Let everybody know first, and let each decide for itself:

```text
for s in Server { server[s].leader = a.leader; }
for s in Server { if server[s].leader == s { server[s].x = 1; } }
```

`--fix` asks every member whether it is meant: `for m in Server { if a.leader == m { server[m].x = 1; } }`.";

    /// Nobody who could sing.
    NO_ENDPOINTS = "no-endpoints", "a choreography has no endpoints", "\
A choreography becomes one program for each endpoint. One without endpoints has no process that could do anything; it can be
proved, but there is nothing to run. Declare endpoints first: `endpoint a { var v: int = 0; }`.";

    /// A free choice that belongs to nobody.
    NOBODY_DECIDES = "nobody-decides", "a choice belongs to no endpoint", "\
A free choice (`maybe`, `let x = choose …`) is made by one endpoint, which tells the others. Here only members
of families take part, and none of them is named. Let an endpoint choose: `a.x = choose bool;`.";

    /// A call of an external function that is nobody's.
    UNPLACED_CALL = "unplaced-call", "no endpoint can be said to make a call of an external function", "\
An external function is Rust code that runs at the endpoint that calls it, with that endpoint's data and secrets. The
endpoint whose state a call reads makes it; a call that reads nobody's state is made by the one endpoint that
evaluates the statement, as in `bank.ok = approved(7);`. In `if approved(7) { … }`, where several endpoints act, each of
them would ask its own machine, and two answers may differ; `f(a.x, b.y)` is `a`'s as much as `b`'s. Let one endpoint
ask, and use its answer:

```text
bank.ok = approved(7);
if bank.ok { … }
```";

    /// A call of an external function by another endpoint than the one that runs it.
    MISPLACED_CALL = "misplaced-call", "an endpoint would call an external function that another one runs", "\
`extern fn price at seller(amount: nat) -> int …;` is Rust code of `seller` alone. A call is made by the endpoint whose state
it reads, or by the only one that takes part in the statement; here that is another one, which has no such code. Let the one that runs
it ask, and use its answer:

```text
seller.answer = price(seller.amount);
buyer.price = seller.answer;
```";

    /// An assertion about several endpoints.
    GLOBAL_ASSERTION = "global-assertion", "an assertion about several endpoints is not in the voices", "\
No endpoint sees the state of two endpoints at once, so an `assert` about both cannot be checked while the voices
run. It is part of the choreography and is checked and proved there.";

    /// An assumption in the text.
    ASSUMED = "assumed", "what is generated rests on an assumption", "\
`assume e` cuts off executions where `e` is false. Nothing makes it true in the world: generated code stops
with an error when it is false.";

    /// Somebody could fail where the line does not come to.
    RUNS_AHEAD = "runs-ahead", "an endpoint could fail behind a statement that is never passed", "\
A `while` without `decreases` may have no end. An `assume` ends an execution, and so does a choice with nothing to choose
(`choose S where …`). What stands behind them happens only if they are passed. In `while a.v == 0 {} c.y = 10 / c.w;`, `c` takes no part in the loop and
would divide at once, perhaps by 0, while `a` still waits. Projection lets an endpoint that has passed the statement tell the
others, where they do not hear from it anyway, and says so. Show that the loop ends (`decreases`), and no message is needed.";

    /// A `requires` clause that no endpoint can check.
    UNSTATED_PREMISE = "unstated-premise", "no endpoint can check a `requires` clause", "\
A `requires` clause about parameters and starting values becomes a constraint on the parameters, or an assumption of
every process. One about values that endpoints choose at the start is checked by one of them, who is sent the values of the
others, or by each member of a family. If it compares members of families and every endpoint is a family, there is no endpoint that
could check it. Declare an endpoint that is no family, or make such values parameters of the choreography.";

    /// The literal conditions of the paper.
    PAPER_RULE = "paper-rule", "a rule of `--strict-paper` is not kept", "\
With `--strict-paper` the conditions of the original method hold literally: every condition has a conjunct for
every endpoint of the choreography, and there are no families, no free choices and no local names.";

    /// Something that generated code cannot say.
    NOT_IN_RUST = "not-in-rust", "something has no counterpart in generated Rust", "\
Generated programs have numbers of 64 bits, truth values, members of sorts, enums, structs, tuples, options and
collections. Identities of processes are no values there, families are indexed by sorts, `bool` and enums
without payload, and of a tuple type with collections not all values can be listed.";
}
