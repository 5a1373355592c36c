//! Codes about names: unknown ones, ambiguous ones, ones declared twice.

plainsong_diagnostics::declare_codes! {
    /// A name that nothing declares.
    UNKNOWN_NAME = "unknown-name", "a name is used but nothing declares it", "\
Every name must be declared somewhere: by an item of the file, as a state variable of the process, or
as a local name (`let`, `var`, `for`, a receive, a pattern, a quantifier). Items may be used before
they are declared; local names may not, and they end with the block that declares them.

```text
process client {
    send Ask to servr;          // error: `servr` is not declared
}
```

Correct the spelling, or declare the name. The help line lists declared names that look like it.";

    /// A type that nothing declares.
    UNKNOWN_TYPE = "unknown-type", "a type is used but nothing declares it", "\
A type is one of the built-in ones (`bool`, `int`, `nat`, `process`, `option<T>`, `set<T>`, `bag<T>`,
`seq<T>`, `map<K, V>`, tuples) or a name declared with `sort`, `enum` or `struct`.

```text
message Join(who: Nod);         // error: there is no type `Nod`
```

Correct the spelling, or declare the type: `sort Node;`.";

    /// A message that nothing declares.
    UNKNOWN_MESSAGE = "unknown-message", "a message is used but nothing declares it", "\
`send`, `receive` and `on` name a message, which must be declared as an item of the file.

```text
process server { receive Request; }     // error: there is no message `Request`
```

Declare it with the types of what it carries: `message Request(from: Client);`.";

    /// An action that nothing declares.
    UNKNOWN_ACTION = "unknown-action", "an action is used but nothing declares it", "\
`async A(…);` leaves work for the action `A`, which must be declared as an item of the file.

```text
init { async Strat(1); }
action Start(n: nat) { }        // error: there is no action `Strat`
```

Correct the spelling, or declare the action.";

    /// A field or variable that the value does not have.
    UNKNOWN_FIELD = "unknown-field", "a value has no field or variable of that name", "\
After a dot stands a field of a struct, a component of a tuple (`t.0`), or, after the name of a
process, one of its state variables.

```text
struct Entry { term: nat, value: int }
fn f(e: Entry) -> nat { e.trem }        // error: `Entry` has no field `trem`
```

Use a name that the type declares.";

    /// A variant that the enum does not have.
    UNKNOWN_VARIANT = "unknown-variant", "an enum has no variant of that name", "\
`E::V` is the variant `V` of the enum `E`, and `E` must declare it.

```text
enum Vote { Yes, No }
const v: Vote = Vote::Maybe;    // error: `Vote` has no variant `Maybe`
```

Use one of the declared variants, or add one.";

    /// A method that the type does not have.
    UNKNOWN_METHOD = "unknown-method", "a type has no method of that name", "\
Methods are built in; which ones there are depends on the type of what stands before the dot. Sets
have `len`, `is_empty`, `contains`, `with`, `without`, `min`, `max`, `subset`; the reference, section
3.1, lists all.

```text
fn f(s: set<int>) -> nat { s.size() }   // error: a set has no method `size`; it is `len`
```

There are no methods on numbers, enums and structs: write a function and call it.";

    /// A bare variant that several enums have.
    AMBIGUOUS_NAME = "ambiguous-name", "a name could mean several things", "\
A variant may be written without its enum when only one enum has a variant of that name, or when the
place wants a value of a certain enum. Otherwise say which is meant. The same holds for endpoints in
a property, when several choreographies have an endpoint of that name.

```text
enum Vote { Yes, No }
enum Reply { Yes, Later }
fn f() -> bool { let v = Yes; true }    // error: `Vote::Yes` or `Reply::Yes`?
```

Write `Vote::Yes`, or `swap.a.v` for an endpoint.";

    /// Two declarations of one name.
    DUPLICATE_NAME = "duplicate-name", "a name is declared twice", "\
In one file, sorts, enums, structs, constants, parameters, functions, processes and global variables
share one set of names; messages and actions have another; choreographies and properties have theirs.
Within one declaration, parameters, fields, variants, indices and state variables must differ, and so
must the names that one pattern or one receive binds.

```text
sort Node;
process Node { }                // error: `Node` is already a sort
```

Rename one of the two. A local name may hide an outer one; that is no mistake.";
}
