//! Programs that are large in some direction.

use super::compile_clean;
use plainsong_syntax::compile;

/// As many as fit below the parser's limits.
const DEEP: usize = 190;
const LONG: usize = 490;

#[test]
fn long_chains() {
    let sum = vec!["n"; LONG].join(" + ");
    let conjunction = vec!["n == 1"; LONG].join(" && ");
    let with = ".with(n)".repeat(LONG);
    compile_clean(&format!("fn f(n: int) -> int {{ {sum} }}"));
    compile_clean(&format!("fn f(n: int) -> bool {{ {conjunction} }}"));
    compile_clean(&format!(
        "fn f(n: int, s: set<int>) -> set<int> {{ s{with} }}"
    ));
}

#[test]
fn deep_nesting() {
    let depth = DEEP / 2;
    let parens = format!("{}n{}", "(".repeat(depth), ")".repeat(depth));
    compile_clean(&format!("fn f(n: int) -> int {{ {parens} }}"));
    let somes = format!("{}n{}", "some(".repeat(depth), ")".repeat(depth));
    compile(&format!("fn f(n: int) -> bool {{ {somes} == none }}"));
    let branches = format!(
        "{}1{}",
        "if n == 1 { ".repeat(depth),
        " } else { 2 }".repeat(depth)
    );
    compile(&format!("fn f(n: int) -> int {{ {branches} }}"));
    let blocks = format!("{}{}", "if true { ".repeat(depth), " }".repeat(depth));
    compile_clean(&format!("process p {{ {blocks} }}"));
    let types = format!("{}int{}", "option<".repeat(depth), ">".repeat(depth));
    compile_clean(&format!("fn f(x: {types}) -> bool {{ x == none }}"));
    let not = "!".repeat(depth);
    compile_clean(&format!("fn f(b: bool) -> bool {{ {not}b }}"));
}

#[test]
fn types_that_double_with_every_line_are_refused() {
    let lines: String = (0..60)
        .map(|n| format!("let x{} = (x{n}, x{n}); ", n + 1))
        .collect();
    let compiled = compile(&format!("fn f(x0: int) -> bool {{ {lines} x60 == x60 }}"));
    assert_eq!(compiled.diagnostics.len(), 1);
    assert_eq!(compiled.diagnostics[0].code.name, "type-too-large");
}

#[test]
fn types_that_are_inferred_backwards_are_refused_when_too_deep() {
    let vars: String = (0..300).map(|n| format!("var x{n} = []; ")).collect();
    let links: String = (0..299).map(|n| format!("x{n} = [x{}]; ", n + 1)).collect();
    let compiled = compile(&format!(
        "process p {{ assert true; {vars} {links} x299 = [1]; }}"
    ));
    let codes: Vec<&str> = compiled
        .diagnostics
        .iter()
        .map(|one| one.code.name)
        .collect();
    assert!(codes.contains(&"type-too-large"), "{codes:?}");
}

#[test]
fn a_long_chain_of_constants_in_any_order() {
    let count = 3_000;
    let chain: String = (0..count)
        .map(|n| format!("const C{n} = C{} + 1;\n", n + 1))
        .collect();
    compile_clean(&format!("{chain}const C{count} = 1;\n"));
}

#[test]
fn a_long_chain_of_structs() {
    let count = 3_000;
    let chain: String = (0..count)
        .map(|n| format!("struct S{n} {{ x: S{} }}\n", n + 1))
        .collect();
    compile_clean(&format!(
        "{chain}struct S{count} {{ x: bool }}\nfn f() -> nat {{ S0.len() }}\n"
    ));
}

#[test]
fn wide_declarations() {
    let count = 1_000;
    let fields: Vec<String> = (0..count).map(|n| format!("x{n}: int")).collect();
    let values: Vec<String> = (0..count).rev().map(|n| format!("x{n}: {n}")).collect();
    compile_clean(&format!(
        "struct S {{ {} }} const s = S {{ {} }};",
        fields.join(", "),
        values.join(", ")
    ));
    let variants: Vec<String> = (0..count).map(|n| format!("V{n}")).collect();
    let arms: Vec<String> = (0..count).map(|n| format!("V{n} => {n}")).collect();
    compile_clean(&format!(
        "enum E {{ {} }} fn f(e: E) -> int {{ match e {{ {} }} }}",
        variants.join(", "),
        arms.join(", ")
    ));
}

#[test]
fn a_match_that_is_too_hard_is_refused_and_not_waited_for() {
    let width = 24;
    let types = vec!["(bool, bool)"; width].join(", ");
    let arms: String = (0..width)
        .flat_map(|at| [("true, _", at), ("_, false", at)])
        .map(|(pair, at)| {
            let row: Vec<String> = (0..width)
                .map(|n| {
                    if n == at {
                        format!("({pair})")
                    } else {
                        "_".to_owned()
                    }
                })
                .collect();
            format!("({}) => 1, ", row.join(", "))
        })
        .collect();
    let compiled = compile(&format!(
        "fn f(t: ({types})) -> int {{ match t {{ {arms} }} }}"
    ));
    assert_eq!(compiled.diagnostics[0].code.name, "missing-case");
}

#[test]
fn many_mistakes_are_all_reported_in_time() {
    let lines: String = (0..2_000)
        .map(|n| format!("    assert unknown_{n} == 1;\n"))
        .collect();
    let compiled = compile(&format!("process p {{\n{lines}}}\n"));
    assert_eq!(compiled.diagnostics.len(), 2_000);
}

#[test]
fn everything_at_once() {
    let depth = DEEP / 2;
    let open = "if s.len() > 1 { for x in s { ".repeat(depth / 2);
    let close = " } }".repeat(depth / 2);
    let chain = ".with(n + 1)".repeat(LONG / 2);
    let sum = vec!["n"; LONG / 2].join(" + ");
    compile_clean(&format!(
        "process p {{ var s: set<int> = {{}}; var n = 1; {open} s = s{chain}; n = {sum}; {close} }}"
    ));
}
