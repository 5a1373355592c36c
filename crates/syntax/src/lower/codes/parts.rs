//! Codes about choreographies that call each other.

plainsong_diagnostics::declare_codes! {
    /// Choreographies that call each other for ever.
    CALL_CIRCLE = "call-circle", "choreographies call each other in a circle", "\
What a call stands for is written out for each endpoint when the choreography is projected, so it has an end:
no choreography calls itself, also not by way of others.

```text
choreography turn() { endpoint a { … }  call turn(); }     // error: turn → turn
```

Repeat with `while` or `for`.";

    /// An argument that not everybody knows.
    FOREIGN_ARGUMENT = "foreign-argument", "an argument of a choreography depends on the state of an endpoint", "\
All who take part in a choreography know its parameters. `call give(a.price) with a as seller;` passes something
that only `a` knows. Leave it where it is: the endpoint that plays has the variable, so the choreography reads it
there; or transfer it first.

```text
call give() with a as seller;          // `give` reads `seller.price`, which is `a.price`
```

A member of a sort or an enum, or a truth value, can be passed value by value; `--fix` writes it so:

```text
for m in Node { if a.next == m { call give_to(m); } }
```";

    /// Somebody who cannot play an endpoint.
    WRONG_CAST = "wrong-cast", "an endpoint of a choreography cannot be played like this", "\
`call exchange() with left as a, node[i] as b;` lets `left` and `node[i]` do what `exchange` says of `a` and `b`.
Who plays an endpoint has its variables, by name and with the same types; a family is played by a family with the
same indices. An endpoint that is not mentioned is played by the one with its name. Nobody plays two endpoints.

A variable that starts with `choose` and its type keeps the value that it has when the call begins; one that starts
with a value gets it.

```text
choreography exchange() {
    endpoint a { var v: int = choose int; }
    endpoint b { var v: int = choose int; var t: int = 0; }
    ensures a.v == old(b.v) && b.v == old(a.v);
    b.t = a.v;
    a.v = b.v;
    b.v = b.t;
}
```";
}
