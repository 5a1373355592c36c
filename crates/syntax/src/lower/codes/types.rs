//! Codes about types: mismatches, what cannot be inferred, what is not finite.

plainsong_diagnostics::declare_codes! {
    /// A value of one type where another is wanted.
    TYPE_MISMATCH = "type-mismatch", "a value has another type than the place wants", "\
The place where an expression stands often says which type its value must have: the declared type of
a variable, the type of a parameter, `bool` for a condition, the type of the other operand.

```text
message Vote(yes: bool);
process db { send Vote(1) to coordinator; }     // error: `Vote` wants a bool here, 1 is an int
```

Numbers convert between `int`, `nat` and integer-range sorts by themselves, but only as values of their
own: a `set<nat>` is not a `set<int>`. Build the collection at the wanted type instead, for example
with an annotation: `let s: set<int> = {n};`.";

    /// Nothing says which type is meant.
    CANNOT_INFER = "cannot-infer", "nothing says which type is meant", "\
`none`, `{}`, `bag {}` and `[]` fit many types. Which one is meant is found out from how the value is
used, in the same body. If nothing there decides, say it.

```text
process p {
    var seen = {};              // error: a set of what?
}
```

Write the type: `var seen: set<Node> = {};`.";

    /// All values of an infinite type are asked for.
    NOT_FINITE = "not-finite", "the values of a type cannot be listed", "\
Quantifiers and loops over a type, map keys, the indices of processes and the name of a type used as
a set need a type whose values can be listed once the sizes of sorts are fixed: `bool`, sorts, enums,
structs, tuples and options of such types, `set` and `map` over such types, `process`.

```text
property p: always forall n: int :: n * n >= 0;     // error: `int` is not finite
```

Use a range (`forall n in 0..10 :: …`), a sort (`sort Round = 1..;`), or a collection that the
program has. `choose` takes any type, and so do parameters: of infinite ones exploration tries a bounded
window and says so.";

    /// A wrong number of arguments, indices or payload parts.
    ARGUMENT_COUNT = "argument-count", "a wrong number of arguments", "\
Functions, messages, actions, variants, methods and process families take exactly as many arguments
as they declare. A `receive` or `on` names every part of the payload (with `_` for those it does not
want) or leaves out the parentheses altogether.

```text
message Put(key: int, value: int);
process server { receive Put(k); }      // error: `Put` carries 2 values
```

Write `receive Put(k, _);`.";

    /// Something that is no function is called, or a function is not called.
    NOT_CALLABLE_NAME = "not-a-function", "a name is called that is not a function", "\
`f(…)` calls a function declared with `fn`, or builds a variant that has a payload. Other names are
not called; and a function is not a value, so its name stands only in calls.

```text
const LIMIT = 10;
fn f() -> int { LIMIT() }       // error: `LIMIT` is a constant: leave out `()`
```";

    /// An operator or method that the types do not support.
    BAD_OPERAND = "bad-operand", "an operator does not apply to this type", "\
`+ - * / %` work on numbers; `+` also joins sequences, `-` also takes sets and bags. `|` unites sets
or bags, `&` intersects sets. `&& || ! ==> <==>` want `bool`. `< <= > >=`, `min` and `max` want numbers
or the members of a sort declared `ordered`. `in` wants a set, bag or sequence on its right.

```text
sort Node;
fn first(a: Node, b: Node) -> bool { a < b }    // error: `Node` is not ordered
```

Declare `sort Node ordered;` if the order is part of the problem.";

    /// `x[i]` on something that is no map or sequence.
    NOT_INDEXABLE = "not-indexable", "a value cannot be indexed", "\
`m[k]` reads a map, `s[i]` a sequence (from 0), and `db[d]` names a member of a process family. Sets
and bags have no positions.

```text
fn f(s: set<int>) -> int { s[0] }       // error: a set cannot be indexed
```

Use `s.min()`, a quantifier, or a sequence.";

    /// A process where its index is missing or superfluous.
    FAMILY_INDEX = "family-index", "a process is named without its index", "\
`process db[d: Db]` declares a family: one process for each `d`. A single one is named `db[e]`; the
bare name stands only in `from any db`. A process declared without an index is named by its name.

```text
send Prepare to db;             // error: which one? `db[d]`
```";

    /// A field that a struct literal does not give.
    MISSING_FIELD = "missing-field", "a struct literal does not give every field", "\
A struct literal gives each field once, in any order, unless it copies the rest from another value.

```text
struct Entry { term: nat, value: int }
const e = Entry { term: 1 };            // error: `value` is missing
```

Give the field, or copy: `Entry { term: 1, ..other }`.";

    /// A type that has outgrown all use.
    TYPE_TOO_LARGE = "type-too-large", "a type has become too large", "\
A type that is inferred from other inferred types can double with every line:

```text
let a = (x, x);
let b = (a, a);
let c = (b, b);                 // and so on
```

Types with thousands of parts, or nested a hundred levels deep, are rejected. Declare structs
instead of nesting tuples, and write the types of variables.";
}
