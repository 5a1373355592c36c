//! Expressions as high as the parser lets through are walked, checked and printed on the small
//! stack of a test thread.

use crate::make::*;
use plainsong_ir::*;

/// More than the parser's limit on the height of a chain of operators.
const LONG: usize = 600;
/// More than its limit on nesting.
const DEEP: usize = 300;

fn song_with(body: Expr) -> Song {
    let functions = vec![function("f", 0, vec![], body)];
    Song {
        functions,
        ..Song::default()
    }
}

fn goes_through(body: Expr) {
    let mut song = song_with(body);
    assert_eq!(validate::validate(&song), Ok(()));
    assert!(print::song(&song).len() > DEEP);
    visit::renumber_locals(&mut song);
    visit::erase_spans(&mut song);
}

#[test]
fn long_chains() {
    goes_through((0..LONG).fold(int(0), |sum, _| binary(BinOp::Add, sum, int(1))));
}

#[test]
fn deep_nesting() {
    goes_through((0..DEEP).fold(int(0), |sum, _| binary(BinOp::Sub, int(1), sum)));
    goes_through((0..DEEP).fold(truth(true), |inner, _| unary(UnOp::Not, inner)));
    goes_through((0..DEEP).fold(int(0), |inner, _| if_expr(truth(true), inner, int(1))));
}
