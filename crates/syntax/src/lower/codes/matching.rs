//! Codes about patterns.

plainsong_diagnostics::declare_codes! {
    /// A match that misses a case.
    MISSING_CASE = "missing-case", "a match does not cover every case", "\
A `match` must have an arm for every value that can occur; the message names one it misses.

```text
match vote {
    Yes => { count += 1; }      // error: `No` is not covered
}
```

Add the missing arm, or `_ => …` for all that remain. Integers and members of sorts cannot be listed,
so a match over them ends with a name or `_`.";

    /// An arm that no value reaches.
    UNREACHABLE_ARM = "unreachable-arm", "no value reaches an arm of a match", "\
Arms are tried from first to last. This one can never be taken, because the arms above it cover all
that it covers.

```text
match n {
    _ => { }
    0 => { }                    // never taken
}
```

Move the arm up, or remove it.";

    /// A pattern that cannot stand there.
    BAD_PATTERN = "bad-pattern", "a pattern does not fit the value", "\
A pattern has the shape of the values it is matched with: a variant of their enum, `none` or `some(p)`
for an option, as many components as the tuple has, fields of their struct, a process for a `process`.

```text
fn f(o: option<int>) -> int { match o { Yes => 1, _ => 0 } }    // error: an option is `none` or `some(…)`
```

A bare name that is no variant is a new name and matches everything. One that is a variant of another
enum would do so too, but is not what anybody means: it is an error.";
}
