//! The term language: sharing, bound variables, simplification.

use plainsong_prove::term::{Op, Sort, Terms};

#[test]
fn names_of_bound_variables_do_not_matter() {
    let mut terms = Terms::new();
    let two = |terms: &mut Terms| {
        let x = terms.fresh("x", Sort::INT);
        let limit = terms.int(5);
        let below = terms.le(x, limit);
        terms.forall(x, below)
    };
    assert_eq!(two(&mut terms), two(&mut terms));
}

#[test]
fn instances_do_not_capture() {
    let mut terms = Terms::new();
    let (x, y) = (terms.fresh("x", Sort::INT), terms.fresh("y", Sort::INT));
    let below = terms.le(x, y);
    let some = terms.exists(y, below);
    let f = terms.lambda(x, some);
    // exists z: f[z] is exists z: exists y: z <= y, whatever z is called.
    let read = terms.select(f, y);
    let outer = terms.exists(y, read);
    assert_eq!(terms.show(outer), "(exists (exists (le #1 #0)))");
    let three = terms.int(3);
    let at_three = terms.select(f, three);
    assert_eq!(terms.show(at_three), "(exists (le 3 #0))");
}

#[test]
fn sums_have_one_form() {
    let mut terms = Terms::new();
    let x = terms.fresh("x", Sort::INT);
    let more = terms.offset(x, 1);
    let same = terms.offset(more, -1);
    assert_eq!(same, x);
    let twice = terms.add(x, x);
    let none = terms.plus(twice, -2, x);
    assert_eq!(terms.op(none), Op::Int(0));
    let below = terms.lt(x, more);
    assert_eq!(terms.op(below), Op::True);
    let big = terms.int(i64::MAX);
    let bigger = terms.offset(big, 1);
    assert_eq!(terms.op(bigger), Op::Add, "no silent overflow");
}

#[test]
fn reads_see_through_changes() {
    let mut terms = Terms::new();
    let sort = terms.array_sort(Sort::INT, Sort::INT);
    let f = terms.fresh("f", sort);
    let (i, j) = (terms.fresh("i", Sort::INT), terms.fresh("j", Sort::INT));
    let seven = terms.int(7);
    let changed = terms.store(f, i, seven);
    assert_eq!(terms.select(changed, i), seven);
    let other = terms.select(changed, j);
    let (here, before) = (terms.eq(i, j), terms.select(f, j));
    assert_eq!(other, terms.ite(here, seven, before));
}
