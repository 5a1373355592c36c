//! A proof of something that nothing uses says what it takes for granted.

use plainsong_ir::ProcedureId;
use plainsong_prove::theory::Theory;
use plainsong_refine::answer::{Answer, Prover};
use plainsong_refine::refine::Refining;
use plainsong_smt::{Cancel, Setup, Solvers};
use std::sync::Arc;

const SONG: &str = "
var x: int = 0 @ 0..2;
both action add() @ 1 { x += 1; }
invariant never() @ 1 { false }
procedure p() @ 1 refines ADD requires never() { call add(); assert false; }
atomic action ADD() @ 2 { assert x > 0; x += 1; }
";

#[test]
fn a_procedure_that_nothing_starts_is_proved_with_what_is_taken_for_granted() {
    let song = plainsong_syntax::compile(SONG).song;
    let song = Arc::new(song.expect("the song is fine"));
    let solvers = Solvers::new(Setup::from_environment());
    let mut theory = Theory::new(song.clone());
    let mut prover = Prover {
        theory: &mut theory,
        solvers: &solvers,
        cancel: &Cancel::default(),
        seed: 0,
        second: None,
    };
    let answer = Refining::new(&song).procedure(ProcedureId::from(0), &mut prover);
    let Answer::Proved(proof) = answer else {
        panic!("{answer:?}")
    };
    let told: Vec<String> = proof.notes.iter().map(ToString::to_string).collect();
    let told = told.join("\n");
    assert!(told.contains("nothing here calls or starts `p`"), "{told}");
    assert!(told.contains("`ADD` is a specification"), "{told}");
}
