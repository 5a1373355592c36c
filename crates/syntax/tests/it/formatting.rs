//! The canonical style, shown by examples.

use expect_test::{Expect, expect};
use plainsong_syntax::{WIDTH, format};

fn check(text: &str, expected: Expect) {
    let formatted = format(text).expect("no syntax errors");
    expected.assert_eq(&formatted);
    assert_eq!(format(&formatted), Ok(formatted.clone()), "not stable");
    let widest = formatted.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(WIDTH), "a line is too long");
}

#[test]
fn spaces_are_made_regular() {
    check(
        "sort A=0 .. N;process p[ i:I ]{var s:set < int >={ };s|={1,2};x=-1+ -f( x )[0] . y;\n\
         assert !a&&b in{c};send V ( 1 ) to p [i];x = R :: X ; assert forall x:T::p;}",
        expect![[r#"
            sort A = 0..N;
            process p[i: I] {
                var s: set<int> = {};
                s |= {1, 2};
                x = -1 + -f(x)[0].y;
                assert !a && b in {c};
                send V(1) to p[i];
                x = R::X;
                assert forall x: T :: p;
            }
        "#]],
    );
}

#[test]
fn blocks_on_one_line_stay_there_and_others_do_not() {
    check(
        "choreography c() {\nendpoint a { var v: int = x; }\nendpoint b { var v: int = 1; var w: int = 2;\n}\n\
         if a.v > 0 { b.v = 1; } else { b.v = 2; }\nloop { }\nloop {\n}\n\
         if a.v > 0 { b.v = 1; } else {\nb.v = 2; } }",
        expect![[r#"
            choreography c() {
                endpoint a { var v: int = x; }
                endpoint b {
                    var v: int = 1;
                    var w: int = 2;
                }
                if a.v > 0 { b.v = 1; } else { b.v = 2; }
                loop {}
                loop {}
                if a.v > 0 {
                    b.v = 1;
                } else {
                    b.v = 2;
                }
            }
        "#]],
    );
}

#[test]
fn at_most_one_blank_line_is_kept() {
    check(
        "\n\n// head\n\n\nsort A;\nsort B;\n\n\n\ninit {\n\n\n    x = 1;\n\n\n    y = 2;\n\n}\n\n\n",
        expect![[r#"
            // head

            sort A;
            sort B;

            init {
                x = 1;

                y = 2;
            }
        "#]],
    );
}

#[test]
fn comments_stay_with_their_tokens() {
    check(
        "sort A;// a\n/* one */ sort B; /* two */ sort C;\nprocess p { // open\n// first\n\nvar x: int = 0; // x\n\
         var yy: int = 1;     // y\nx = f(a, // why\nb);\nx = a && // because\nb;\nloop { // ever\n}\nloop {\n// nothing\n}\n\
         x = /* inside */ g(/* empty */);\n// last\n} // end\n// of file",
        expect![[r#"
            sort A; // a
            /* one */ sort B; /* two */
            sort C;
            process p { // open
                // first

                var x: int = 0;  // x
                var yy: int = 1; // y
                x = f(
                    a, // why
                    b
                );
                x = a
                    && // because
                    b;
                loop { // ever
                }
                loop {
                    // nothing
                }
                x = /* inside */ g(/* empty */);
                // last
            } // end
            // of file
        "#]],
    );
}

#[test]
fn long_lists_have_one_element_per_line() {
    check(
        "fn f(a_parameter_with_a_name: int, another_parameter: int, a_third_one: set<option<int>>) -> int { 1 }\n\
         init { x = some_function(an_argument_with_a_name, another_argument(with, more, inside), the_last_one_of_them); }\n\
         enum E { A, B, }\nenum F {\nA, B }\nconst P: Point = Point { first: a_rather_long_expression + 1, second: another_one, third: x };",
        expect![[r#"
            fn f(a_parameter_with_a_name: int, another_parameter: int, a_third_one: set<option<int>>) -> int {
                1
            }
            init {
                x = some_function(
                    an_argument_with_a_name,
                    another_argument(with, more, inside),
                    the_last_one_of_them
                );
            }
            enum E {
                A,
                B,
            }
            enum F {
                A,
                B
            }
            const P: Point = Point { first: a_rather_long_expression + 1, second: another_one, third: x };
        "#]],
    );
}

#[test]
fn long_expressions_are_broken_before_operators() {
    check(
        "property p: always the_first_condition_of_all && the_second_condition_of_all && (the_third || the_fourth) ==> x;\n\
         property q: always forall a, b: Client :: client[a].in_the_section && client[b].in_the_section ==> a == b;\n\
         init { x = { some_function(element) for element in the_collection_of_things where is_good(element) && ok }; }",
        expect![[r#"
            property p:
                always the_first_condition_of_all && the_second_condition_of_all && (the_third || the_fourth)
                    ==> x;
            property q: always forall a, b: Client ::
                client[a].in_the_section && client[b].in_the_section ==> a == b;
            init {
                x = {
                    some_function(element)
                    for element in the_collection_of_things
                    where is_good(element) && ok
                };
            }
        "#]],
    );
}

#[test]
fn long_headers_put_the_brace_on_its_own_line() {
    check(
        "init {\nwhile a < b\ninvariant c decreases d { x = 1; }\nwhile a invariant b { x = 1; }\n\
         if the_first_condition_of_all && the_second_condition_of_all && the_third_condition_of_all_of_them { x = 1; }\n}",
        expect![[r#"
            init {
                while a < b
                    invariant c
                    decreases d
                {
                    x = 1;
                }
                while a invariant b { x = 1; }
                if the_first_condition_of_all
                    && the_second_condition_of_all
                    && the_third_condition_of_all_of_them
                {
                    x = 1;
                }
            }
        "#]],
    );
}

#[test]
fn matches_and_receives() {
    check(
        "fn f(o: O) -> int { match o { none => 0, some(n) => { let m = n; m } } }\n\
         init {\nmatch x { A => { y = 1; } B(_, z) => { } }\nreceive {\nV(x) from any db[d] where x => { y = 1; }\ntimeout => { }\n} }",
        expect![[r#"
            fn f(o: O) -> int { match o { none => 0, some(n) => { let m = n; m } } }
            init {
                match x { A => { y = 1; } B(_, z) => {} }
                receive {
                    V(x) from any db[d] where x => { y = 1; }
                    timeout => {}
                }
            }
        "#]],
    );
}

#[test]
fn a_text_with_errors_is_not_touched() {
    let errors = format("sort A\nsort B;").expect_err("a missing semicolon");
    assert_eq!(errors.len(), 1);
    assert_eq!(format(""), Ok(String::new()));
    assert_eq!(format("  \n\n // only\n"), Ok("// only\n".to_owned()));
}
