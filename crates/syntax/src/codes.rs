//! The codes of syntax errors, each with its explanation.

use plainsong_diagnostics::declare_codes;

declare_codes! {
    /// A character that no token contains.
    UNKNOWN_CHARACTER = "unknown-character", "a character that the language does not have",
"A program consists of names, decimal integers, comments and the operators of the language. Any other
character is reported, a run of them once, and ignored by the parser.

```text
property safe: always x ≤ 3;        // write `<=`
let name = \"server\";                // there are no strings
```

Write the operator with ordinary characters: `&&`, `||`, `!`, `==>`, `<=`, `!=`, `in`. Instead of a
string use an `enum` with one variant for each word.";

    /// A phrase of another language.
    FOREIGN_NOTATION = "foreign-notation", "something that is said otherwise in another language",
"People come from TLA+, PlusCal, Promela, P, Quint, Go, C or Rust and write what they are used to. Where such a phrase
stands, the message says how the same is written here; other mistakes on that line are left out until it is mended.

```text
property safe: always \\A c \\in Client : x = 0;     // forall c: Client :: x == 0
server ! Ask(1);                                   // send Ask(1) to server;
```

[The language](language.md) has all forms on one page.";

    /// `/*` without `*/`.
    UNTERMINATED_COMMENT = "unterminated-comment", "a comment that is never closed",
"A comment that begins with `/*` ends with `*/`. Such comments nest: each `/*` inside needs its own
`*/`.

```text
/* outer /* inner */ still a comment
```

Add the missing `*/`, or use `//`, which ends with the line.";

    /// Digits mixed with something else.
    MALFORMED_NUMBER = "malformed-number", "a number that is not a decimal integer",
"Integers are decimal digits, with `_` between digits where it helps the eye: `1_000_000`. There are no
fractions, no hexadecimal numbers and no suffixes, and a name cannot begin with a digit.

```text
const MASK: int = 0xff;      // write 255
const SIZE: int = 10u64;     // write 10
message 2phase;              // write two_phase
```";

    /// An integer that does not fit.
    NUMBER_TOO_LARGE = "number-too-large", "an integer that is too large",
"An integer in a program can be at most 9223372036854775807.

```text
const BIG: int = 99999999999999999999;
```

Large constants are seldom needed in a model: what usually matters is how two numbers compare. Use a
smaller number or a `param`.";

    /// A word kept for later.
    RESERVED_WORD = "reserved-word", "a word that is reserved for a later version",
"Some words have no meaning yet but will have one: `layer`. They cannot be names, so that programs written
today keep their meaning. Nor can `sequentialize`, which begins a schedule, and `extern`, which begins a
function of which only the contract is known: `extern fn f(x: int) -> int ensures result >= 0;`.

```text
var layer: nat = 0;          // write `level`
```

Choose another name. After `by` in a property the names of engines are allowed, `sequentialize`
included.";

    /// A keyword where a name is wanted.
    KEYWORD_AS_NAME = "keyword-as-name", "a keyword is used as a name",
"Keywords cannot be names of processes, messages, variables or anything else.

```text
var size: nat = 0;           // `size` is a keyword
message Put(to: Node);       // so is `to`
```

Choose another name. `from`, `by`, `at`, `count`, `sum`, `ordered`, `fair`, `quiescent` and `pending`
are keywords only where the grammar expects them and may be used as names.";

    UNEXPECTED_TOKEN = "unexpected-token", "something else was expected here",
"The text does not follow the grammar at this place. The message says what could have stood here.

```text
send Vote(true) coordinator;       // expected `to`
property p: forall x: T :: q;      // expected `leads to`
```

If the place looks right, look at the token before it: something may be missing there.";

    /// A statement or item without its `;`.
    MISSING_SEMICOLON = "missing-semicolon", "a `;` is missing",
"Declarations and statements that do not end with a block end with `;`.

```text
x = 1
y = 2;
```

Add `;` after the first line.";

    /// A bracket without its partner.
    UNCLOSED_DELIMITER = "unclosed-delimiter", "a bracket is not closed",
"Every `(`, `[` and `{` needs its `)`, `]` or `}`. The message points at where the closing bracket was
missed and at the opening one. When a `}` is missing, the mistake is often earlier: look for a block
whose contents are indented further than its `}`.

```text
process p {
    if ready {
        send Go to q;
}                            // closes the `if`; the process stays open
process q { }
```";

    /// A `}` without its partner.
    STRAY_BRACE = "stray-brace", "a `}` that closes nothing",
"There is a `}` for which no `{` is open.

```text
process p { send Go to q; } }
```

Remove it, or add the `{` that is missing before it.";

    /// A `;` after `}`.
    STRAY_SEMICOLON = "stray-semicolon", "a `;` that ends nothing",
"What ends with a block does not need a `;`, and there are no empty statements.

```text
process p { if ready { x = 1; }; }
```

Remove the `;`.";

    /// A value that goes nowhere.
    EXPRESSION_STATEMENT = "expression-statement", "an expression alone is not a statement",
"Expressions change nothing, so an expression alone would do nothing.

```text
seen.with(m);                // returns a new set; write seen = seen.with(m);
Release(t);                  // write async Release(t);
x == 1;                      // write x = 1;
```

Assign the value to a variable, or name it with `let`.";

    /// An assignment to something that has no place.
    INVALID_TARGET = "invalid-target", "something that cannot be assigned to",
"The left side of an assignment is a variable or a part of one: `x`, `x.field`, `x.0`, `x[k]`, or a
combination of these.

```text
x + 1 = y;
f(x) = 2;
```";

    /// `a < b < c`.
    CHAINED_COMPARISON = "chained-comparison", "comparisons do not chain",
"`a < b < c` would compare a truth value with `c`. Comparisons, `in` and `is` therefore stand once
between two operands, and so do `..` and `..=`.

```text
assert 0 <= x < n;           // write 0 <= x && x < n
```

Join two comparisons with `&&`, or add parentheses if a truth value is really meant.";

    /// `:=`, `/=`, `->` for `=>`, `=` for `==`.
    WRONG_OPERATOR = "wrong-operator", "an operator of another language",
"The operator is not the one that belongs here. The parser guesses what was meant and goes on.

```text
x := 1;                      // x = 1;
if x = 1 { }                 // if x == 1 { }
match e { none -> 1 }        // match e { none => 1 }
fn f(x: int) => int { x }    // fn f(x: int) -> int { x }
x /= 2;                      // x = x / 2;
```";

    /// `if` as a value without `else`.
    MISSING_ELSE = "missing-else", "an `if` that is a value has no `else`",
"An `if` that stands for a value must have one in both cases.

```text
let y = if x > 0 { x };      // what is y otherwise?
```

Add `else { … }`.";

    /// A struct literal before a block.
    STRUCT_IN_CONDITION = "struct-in-condition", "a struct literal before a block",
"After the condition of `if`, `while`, `match` or `for`, and after the `where` of a handler, a `{` begins
the block. A struct literal there would be confused with it and needs parentheses.

```text
if p == Point { x: 1, y: 2 } { }        // write (Point { x: 1, y: 2 })
```";

    MISPLACED_CHOOSE = "misplaced-choose", "`choose` inside an expression",
"`choose` is not an expression: it stands alone on the right of `=` in `let`, `var` and assignments,
so that every choice has a name and happens at one visible moment.

```text
send Vote(choose bool) to c;            // let v = choose bool; send Vote(v) to c;
```

Functions and properties are pure and cannot choose at all.";

    /// An item inside a block.
    MISPLACED_ITEM = "misplaced-item", "an item inside a block",
"Sorts, types, constants, functions, messages, processes, actions, choreographies and properties are
declared at the top level of a file.

```text
process p {
    const LIMIT: int = 3;    // move it out of the process
}
```

Move it out, or close the block before it if its `}` is missing.";

    /// Parts in the wrong order.
    WRONG_ORDER = "wrong-order", "the parts are in the wrong order",
"Some parts have a fixed order, so that a reader knows where to look: in a process with handlers the
`var`s come first; in a choreography the endpoints, then `requires` and `ensures`, then the statements;
in a `receive` with several arms `timeout` comes last; in a struct literal `..base` comes last.

```text
receive {
    timeout => { }
    Vote(yes) => { }         // put it before `timeout`
}
```";

    /// A process with statements and handlers.
    MIXED_BODY = "mixed-body", "a process with both statements and handlers",
"A process is either a body, which runs from its first statement to its last, or a set of handlers
(`on …`), each run when a message arrives. It cannot be both.

```text
process node[n: Node] {
    send Hello to server;
    on Reply(x) { }
}
```

Move the first statements into `init`, or turn the handlers into a `loop` around
`receive { … }`.";

    /// A tuple of one or none.
    TUPLE_TOO_SMALL = "tuple-too-small", "a tuple of less than two components",
"Tuples have two components or more: `(1, true)`, `(int, bool)`. There is no empty tuple and no tuple
of one.

```text
let t = (1,);                // write 1 or (1)
var u: (int) = 0;            // write int
```";

    /// A call of something that is not a name.
    NOT_CALLABLE = "not-callable", "something that cannot be called",
"Functions are not values, so only the name of a function or variant can be followed by arguments.

```text
let y = f(1)(2);
let z = (f)(1);
```

Call it by its name, or write a method as `value.method(…)`.";

    /// More levels than the parser accepts.
    TOO_DEEP = "too-deep", "nested too deeply",
"Blocks, expressions, types and patterns can be nested 200 levels deep, and a chain of operators such
as `a + b + c …` can have about 500 operands. This protects every tool that walks over the program.

Name parts with `let`, move them into a function, or use `sum`, `forall`, `exists` or a loop over a
collection instead of writing out every case.";

    /// More errors than are shown.
    TOO_MANY_ERRORS = "too-many-errors", "too many syntax errors",
"After 50 syntax errors the others are not shown. Usually the file is not a `.song` file, or one early
mistake has confused everything after it. Mend the first ones and try again.";

    /// A text larger than 4 GB.
    FILE_TOO_LARGE = "file-too-large", "the file is too large",
"A file can have at most 4 GB. A model is written by people for people; is this the right file?";
}
