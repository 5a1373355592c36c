//! Snapshots of whole trees and of what the typed views say about them.

use expect_test::{Expect, expect};
use plainsong_syntax::ast::{AstNode, BinaryOp, Expr, Item, LiteralValue, Stmt};
use plainsong_syntax::parse;

fn check(text: &str, tree: Expect) {
    let parse = parse(text);
    assert_eq!(parse.errors(), &[]);
    tree.assert_eq(&format!("{:#?}", parse.syntax()));
}

#[test]
fn a_process_that_receives() {
    check(
        "process db[d: Db] {\n    receive Vote(yes, _) from any db[e] as who where yes; // why\n}\n",
        expect![[r#"
            SongFile@0..87
              ProcessItem@0..86
                ProcessKw@0..7 "process"
                Whitespace@7..8 " "
                Ident@8..10 "db"
                BinderList@10..17
                  LBracket@10..11 "["
                  Binder@11..16
                    Ident@11..12 "d"
                    Colon@12..13 ":"
                    Whitespace@13..14 " "
                    NamedType@14..16
                      Ident@14..16 "Db"
                  RBracket@16..17 "]"
                Whitespace@17..18 " "
                ProcessBody@18..86
                  LBrace@18..19 "{"
                  Whitespace@19..24 "\n    "
                  ReceiveStmt@24..77
                    ReceiveKw@24..31 "receive"
                    Whitespace@31..32 " "
                    Accept@32..76
                      Ident@32..36 "Vote"
                      SlotList@36..44
                        LParen@36..37 "("
                        Slot@37..40
                          Ident@37..40 "yes"
                        Comma@40..41 ","
                        Whitespace@41..42 " "
                        Slot@42..43
                          Underscore@42..43 "_"
                        RParen@43..44 ")"
                      Whitespace@44..45 " "
                      Source@45..66
                        FromKw@45..49 "from"
                        Whitespace@49..50 " "
                        AnyKw@50..53 "any"
                        Whitespace@53..54 " "
                        Ident@54..56 "db"
                        SlotList@56..59
                          LBracket@56..57 "["
                          Slot@57..58
                            Ident@57..58 "e"
                          RBracket@58..59 "]"
                        Whitespace@59..60 " "
                        AsKw@60..62 "as"
                        Whitespace@62..63 " "
                        Ident@63..66 "who"
                      Whitespace@66..67 " "
                      WhereClause@67..76
                        WhereKw@67..72 "where"
                        Whitespace@72..73 " "
                        NameExpr@73..76
                          Ident@73..76 "yes"
                    Semicolon@76..77 ";"
                  Whitespace@77..78 " "
                  LineComment@78..84 "// why"
                  Whitespace@84..85 "\n"
                  RBrace@85..86 "}"
              Whitespace@86..87 "\n"
        "#]],
    );
}

#[test]
fn an_expression_of_every_level() {
    check(
        "const E: bool = a <==> b ==> c || d && e == f | g & h + 1..2 * -i.j[k];",
        expect![[r#"
        SongFile@0..71
          ConstItem@0..71
            ConstKw@0..5 "const"
            Whitespace@5..6 " "
            Ident@6..7 "E"
            Colon@7..8 ":"
            Whitespace@8..9 " "
            PrimitiveType@9..13
              BoolKw@9..13 "bool"
            Whitespace@13..14 " "
            Eq@14..15 "="
            Whitespace@15..16 " "
            BinaryExpr@16..70
              NameExpr@16..17
                Ident@16..17 "a"
              Whitespace@17..18 " "
              IffOp@18..22 "<==>"
              Whitespace@22..23 " "
              BinaryExpr@23..70
                NameExpr@23..24
                  Ident@23..24 "b"
                Whitespace@24..25 " "
                ImpliesOp@25..28 "==>"
                Whitespace@28..29 " "
                BinaryExpr@29..70
                  NameExpr@29..30
                    Ident@29..30 "c"
                  Whitespace@30..31 " "
                  OrOp@31..33 "||"
                  Whitespace@33..34 " "
                  BinaryExpr@34..70
                    NameExpr@34..35
                      Ident@34..35 "d"
                    Whitespace@35..36 " "
                    AndOp@36..38 "&&"
                    Whitespace@38..39 " "
                    BinaryExpr@39..70
                      NameExpr@39..40
                        Ident@39..40 "e"
                      Whitespace@40..41 " "
                      EqEq@41..43 "=="
                      Whitespace@43..44 " "
                      BinaryExpr@44..70
                        NameExpr@44..45
                          Ident@44..45 "f"
                        Whitespace@45..46 " "
                        Pipe@46..47 "|"
                        Whitespace@47..48 " "
                        BinaryExpr@48..70
                          NameExpr@48..49
                            Ident@48..49 "g"
                          Whitespace@49..50 " "
                          Amp@50..51 "&"
                          Whitespace@51..52 " "
                          RangeExpr@52..70
                            BinaryExpr@52..57
                              NameExpr@52..53
                                Ident@52..53 "h"
                              Whitespace@53..54 " "
                              Plus@54..55 "+"
                              Whitespace@55..56 " "
                              Literal@56..57
                                Int@56..57 "1"
                            DotDot@57..59 ".."
                            BinaryExpr@59..70
                              Literal@59..60
                                Int@59..60 "2"
                              Whitespace@60..61 " "
                              Star@61..62 "*"
                              Whitespace@62..63 " "
                              PrefixExpr@63..70
                                Minus@63..64 "-"
                                IndexExpr@64..70
                                  FieldExpr@64..67
                                    NameExpr@64..65
                                      Ident@64..65 "i"
                                    Dot@65..66 "."
                                    Ident@66..67 "j"
                                  IndexList@67..70
                                    LBracket@67..68 "["
                                    NameExpr@68..69
                                      Ident@68..69 "k"
                                    RBracket@69..70 "]"
            Semicolon@70..71 ";"
    "#]],
    );
}

#[test]
fn a_quantifier_and_a_path() {
    check(
        "property p: always forall a: T where a != R::X :: a;",
        expect![[r#"
        SongFile@0..52
          PropertyItem@0..52
            PropertyKw@0..8 "property"
            Whitespace@8..9 " "
            Ident@9..10 "p"
            Colon@10..11 ":"
            Whitespace@11..12 " "
            Claim@12..51
              AlwaysKw@12..18 "always"
              Whitespace@18..19 " "
              QuantifierExpr@19..51
                ForallKw@19..25 "forall"
                Whitespace@25..26 " "
                Binding@26..46
                  Ident@26..27 "a"
                  Colon@27..28 ":"
                  Whitespace@28..29 " "
                  NamedType@29..30
                    Ident@29..30 "T"
                  Whitespace@30..31 " "
                  WhereClause@31..46
                    WhereKw@31..36 "where"
                    Whitespace@36..37 " "
                    BinaryExpr@37..46
                      NameExpr@37..38
                        Ident@37..38 "a"
                      Whitespace@38..39 " "
                      NotEq@39..41 "!="
                      Whitespace@41..42 " "
                      PathExpr@42..46
                        Ident@42..43 "R"
                        ColonColon@43..45 "::"
                        Ident@45..46 "X"
                Whitespace@46..47 " "
                ColonColon@47..49 "::"
                Whitespace@49..50 " "
                NameExpr@50..51
                  Ident@50..51 "a"
            Semicolon@51..52 ";"
    "#]],
    );
}

#[test]
fn braces_are_sets_or_blocks() {
    check(
        "fn f(o: T) -> int { match o { A => {}, B => { {1} }, C => { x in S where p } D(n) => n } }",
        expect![[r#"
            SongFile@0..90
              FnItem@0..90
                FnKw@0..2 "fn"
                Whitespace@2..3 " "
                Ident@3..4 "f"
                BinderList@4..10
                  LParen@4..5 "("
                  Binder@5..9
                    Ident@5..6 "o"
                    Colon@6..7 ":"
                    Whitespace@7..8 " "
                    NamedType@8..9
                      Ident@8..9 "T"
                  RParen@9..10 ")"
                Whitespace@10..11 " "
                ThinArrow@11..13 "->"
                Whitespace@13..14 " "
                PrimitiveType@14..17
                  IntKw@14..17 "int"
                Whitespace@17..18 " "
                BlockExpr@18..90
                  LBrace@18..19 "{"
                  Whitespace@19..20 " "
                  MatchExpr@20..88
                    MatchKw@20..25 "match"
                    Whitespace@25..26 " "
                    NameExpr@26..27
                      Ident@26..27 "o"
                    Whitespace@27..28 " "
                    LBrace@28..29 "{"
                    Whitespace@29..30 " "
                    MatchArm@30..38
                      NamePattern@30..31
                        Ident@30..31 "A"
                      Whitespace@31..32 " "
                      FatArrow@32..34 "=>"
                      Whitespace@34..35 " "
                      SetExpr@35..37
                        LBrace@35..36 "{"
                        RBrace@36..37 "}"
                      Comma@37..38 ","
                    Whitespace@38..39 " "
                    MatchArm@39..52
                      NamePattern@39..40
                        Ident@39..40 "B"
                      Whitespace@40..41 " "
                      FatArrow@41..43 "=>"
                      Whitespace@43..44 " "
                      BlockExpr@44..51
                        LBrace@44..45 "{"
                        Whitespace@45..46 " "
                        SetExpr@46..49
                          LBrace@46..47 "{"
                          Literal@47..48
                            Int@47..48 "1"
                          RBrace@48..49 "}"
                        Whitespace@49..50 " "
                        RBrace@50..51 "}"
                      Comma@51..52 ","
                    Whitespace@52..53 " "
                    MatchArm@53..76
                      NamePattern@53..54
                        Ident@53..54 "C"
                      Whitespace@54..55 " "
                      FatArrow@55..57 "=>"
                      Whitespace@57..58 " "
                      FilterComprehension@58..76
                        LBrace@58..59 "{"
                        Whitespace@59..60 " "
                        Binding@60..74
                          Ident@60..61 "x"
                          Whitespace@61..62 " "
                          InKw@62..64 "in"
                          Whitespace@64..65 " "
                          NameExpr@65..66
                            Ident@65..66 "S"
                          Whitespace@66..67 " "
                          WhereClause@67..74
                            WhereKw@67..72 "where"
                            Whitespace@72..73 " "
                            NameExpr@73..74
                              Ident@73..74 "p"
                        Whitespace@74..75 " "
                        RBrace@75..76 "}"
                    Whitespace@76..77 " "
                    MatchArm@77..86
                      VariantPattern@77..81
                        Ident@77..78 "D"
                        LParen@78..79 "("
                        NamePattern@79..80
                          Ident@79..80 "n"
                        RParen@80..81 ")"
                      Whitespace@81..82 " "
                      FatArrow@82..84 "=>"
                      Whitespace@84..85 " "
                      NameExpr@85..86
                        Ident@85..86 "n"
                    Whitespace@86..87 " "
                    RBrace@87..88 "}"
                  Whitespace@88..89 " "
                  RBrace@89..90 "}"
        "#]],
    );
}

/// The expression of `const E: T = …;`.
fn expression(text: &str) -> Expr {
    let parse = parse(&format!("const E: int = {text};"));
    assert_eq!(parse.errors(), &[], "{text}");
    match parse.root().items().next() {
        Some(Item::Const(item)) => item.value().expect("a value"),
        other => panic!("not a constant: {other:?}"),
    }
}

/// Full parentheses around every operator.
fn grouped(expr: &Expr) -> String {
    match expr {
        Expr::Binary(binary) => {
            let op = binary.op_span().expect("an operator");
            let text = expr
                .syntax()
                .ancestors()
                .last()
                .expect("a root")
                .text()
                .to_string();
            let (left, right) = (binary.left().expect("left"), binary.right().expect("right"));
            format!(
                "({} {} {})",
                grouped(&left),
                op.slice(&text),
                grouped(&right)
            )
        }
        Expr::Prefix(prefix) => {
            format!(
                "({:?} {})",
                prefix.op(),
                grouped(&prefix.operand().expect("an operand"))
            )
        }
        Expr::Range(range) => {
            let (start, end) = (
                range.start().expect("a start"),
                range.end().expect("an end"),
            );
            format!("({}..{})", grouped(&start), grouped(&end))
        }
        Expr::Is(is) => {
            let pattern = is.pattern().expect("a pattern").syntax().text().to_string();
            format!(
                "({} is {pattern})",
                grouped(&is.subject().expect("a subject"))
            )
        }
        Expr::Quantifier(quantifier) => {
            format!(
                "({:?} {})",
                quantifier.quantifier(),
                grouped(&quantifier.body().expect("a body"))
            )
        }
        _ => expr.syntax().text().to_string(),
    }
}

#[test]
fn operators_bind_as_the_book_says() {
    let cases = [
        ("a <==> b <==> c", "((a <==> b) <==> c)"),
        ("a ==> b ==> c", "(a ==> (b ==> c))"),
        (
            "a || b && c ==> d <==> e",
            "(((a || (b && c)) ==> d) <==> e)",
        ),
        (
            "a == b && c in d || !e",
            "(((a == b) && (c in d)) || (Not e))",
        ),
        ("a | b & c == d", "((a | (b & c)) == d)"),
        ("a - b - c", "((a - b) - c)"),
        ("a + b * c % d", "(a + ((b * c) % d))"),
        ("x in 0..n + 1", "(x in (0..(n + 1)))"),
        ("0..n | {5}", "((0..n) | {5})"),
        ("-x.y * 2", "((Negate x.y) * 2)"),
        (
            "a && forall x: T :: b || c",
            "(a && (Some(Forall) (b || c)))",
        ),
        ("x is some(_) && y", "((x is some(_)) && y)"),
        ("count x in S :: p == 3", "(Some(Count) (p == 3))"),
        ("(count x in S :: p) == 3", "((count x in S :: p) == 3)"),
        ("count + sum", "(count + sum)"),
    ];
    for (text, expected) in cases {
        assert_eq!(grouped(&expression(text)), expected, "{text}");
    }
}

#[test]
fn every_expression_is_recognised() {
    let cases = [
        ("1_000", "Literal"),
        ("x", "Name"),
        ("self", "SelfPid"),
        ("none", "None"),
        ("some(1)", "Some"),
        ("bool", "Type"),
        ("bool.len()", "Method"),
        ("R::X", "Path"),
        ("R::X(1)", "Path"),
        ("(1)", "Paren"),
        ("(1, 2)", "Tuple"),
        ("{}", "Set"),
        ("{1, 2}", "Set"),
        ("{x in S, true}", "Set"),
        ("{x in S && true}", "Set"),
        ("{ x in S }", "Filter"),
        ("{ x in S where p }", "Filter"),
        ("{ x in option<T> where p }", "Filter"),
        ("{ x + 1 for x in S }", "SetComprehension"),
        ("[ x for x in S where p ]", "SeqComprehension"),
        ("[]", "Seq"),
        ("bag {1, 1}", "Bag"),
        ("map k: K => {}", "Map"),
        ("P { x: 1, ..p }", "Struct"),
        ("t.0", "TupleField"),
        ("t.x", "Field"),
        ("m[1, 2]", "Index"),
        ("f(1)", "Call"),
        ("b.count(1)", "Method"),
        ("s.size()", "Method"),
        ("if a { 1 } else if b { 2 } else { 3 }", "If"),
        ("match a { _ => 1 }", "Match"),
        ("sum x in S where q :: x", "Quantifier"),
        ("old(x)", "Old"),
        ("pending(M)", "Pending"),
        ("pending()", "Pending"),
        ("pending", "Name"),
        ("from", "Name"),
        ("1..=2", "Range"),
        ("x is P { a, b: 1 }", "Is"),
    ];
    for (text, expected) in cases {
        let shown = format!("{:?}", expression(text));
        assert_eq!(shown.split('(').next(), Some(expected), "{text}");
    }
}

#[test]
fn views_reach_every_part() {
    let text = "process p { var s: int = 1; x.f[2] += choose int where x > 1; }";
    let Some(Item::Process(process)) = parse(text).root().items().next() else {
        panic!("not a process")
    };
    let body = process.body().expect("a body");
    assert_eq!(body.state().count(), 1);
    let Some(Stmt::Assign(assign)) = body.statements().next() else {
        panic!("not an assignment")
    };
    assert_eq!(assign.target().expect("a target").syntax().text(), "x.f[2]");
    assert_eq!(format!("{:?}", assign.op()), "Some(Add)");
    assert_eq!(
        assign.value().expect("a value").span().slice(text),
        "choose int where x > 1"
    );

    let Expr::Binary(binary) = expression("9_9 * true") else {
        panic!("not an operator")
    };
    assert_eq!(binary.op(), Some(BinaryOp::Multiply));
    let Some(Expr::Literal(literal)) = binary.left() else {
        panic!("not a literal")
    };
    assert_eq!(literal.value(), Some(LiteralValue::Int(99)));
}
