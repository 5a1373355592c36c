//! Random songs are valid, come from their seed alone, and use everything there is.

use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Delivery, Expr, ExprKind, Pattern, PatternKind, Song, Stmt, StmtKind, validate::validate,
};
use plainsong_testkit::random_song::{Form, small_voices, song, song_of};
use std::collections::BTreeSet;

/// A song must be valid; if it is not, the message shows it.
pub(crate) fn assert_valid(song: &Song, what: &str) {
    if let Err(violations) = validate(song) {
        let list: Vec<String> = violations.iter().take(5).map(ToString::to_string).collect();
        let text = plainsong_ir::print::song(song);
        panic!("{what} is not valid:\n{}\n{text}", list.join("\n"));
    }
}

#[test]
fn random_songs_are_valid() {
    for seed in 0..2_000 {
        let size = (seed % 4) as usize;
        assert_valid(&song(seed, size), &format!("seed {seed}, size {size}"));
    }
}

#[test]
fn small_programs_are_valid_small_and_end() {
    for seed in 0..3_000 {
        let song = small_voices(seed, None);
        assert_valid(&song, &format!("small program {seed}"));
        let mut seen = Kinds::default();
        walk::song(&mut seen, &song);
        assert!(
            !seen.0.contains("s:While"),
            "small program {seed} may not end"
        );
        assert!(
            (2..=4).contains(&song.families.len()),
            "small program {seed} is not small"
        );
    }
}

#[test]
fn small_programs_deliver_as_asked() {
    for delivery in Delivery::ALL {
        let song = small_voices(7, Some(delivery));
        let messages = &song.voices().unwrap().messages;
        assert!(
            messages
                .iter()
                .all(|message| message.delivery == Some(delivery))
        );
    }
    let mixed: BTreeSet<Option<Delivery>> = (0..50)
        .flat_map(|seed| small_voices(seed, None).voices().unwrap().messages.clone())
        .map(|message| message.delivery)
        .collect();
    assert_eq!(mixed.len(), 5);
}

#[test]
fn a_seed_decides_the_song() {
    for form in Form::ALL {
        assert_eq!(song_of(form, 3, 2), song_of(form, 3, 2));
        assert_ne!(song_of(form, 3, 2), song_of(form, 4, 2));
    }
}

#[test]
fn every_construct_occurs() {
    let mut seen = Kinds::default();
    for seed in 0..600 {
        walk::song(&mut seen, &song(seed, 3));
    }
    let missing = |all: &[&str]| -> Vec<String> {
        let missing = all.iter().filter(|kind| !seen.0.contains(**kind));
        missing.map(|kind| (*kind).to_owned()).collect()
    };
    assert_eq!(missing(EXPRS), Vec::<String>::new());
    assert_eq!(missing(STMTS), Vec::<String>::new());
    assert_eq!(missing(PATTERNS), Vec::<String>::new());
    assert_eq!(missing(METHODS), Vec::<String>::new());
}

#[derive(Default)]
struct Kinds(BTreeSet<String>);

impl Kinds {
    /// The name of a variant, from how it is shown.
    fn add(&mut self, prefix: &str, shown: &str) {
        let name: String = shown.chars().take_while(|c| c.is_alphanumeric()).collect();
        self.0.insert(format!("{prefix}{name}"));
    }
}

impl Visit for Kinds {
    fn expr(&mut self, expr: &Expr) {
        self.add("", &format!("{:?}", expr.kind));
        match &expr.kind {
            ExprKind::Method(builtin, _) => self.add("", &format!("{builtin:?}")),
            ExprKind::Binary(op, _, _) => self.add("", &format!("{op:?}")),
            ExprKind::Quantifier(quantifier, _, _) => self.add("", &format!("{quantifier:?}")),
            _ => {}
        }
        walk::expr(self, expr);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.add("s:", &format!("{:?}", stmt.kind));
        if let StmtKind::Select(_, Some(_)) = stmt.kind {
            self.add("s:", "Timeout");
        }
        walk::stmt(self, stmt);
    }

    fn pattern(&mut self, pattern: &Pattern) {
        self.add("p:", &format!("{:?}", pattern.kind));
        if let PatternKind::Int(value) = pattern.kind
            && value < 0
        {
            self.add("p:", "Negative");
        }
        walk::pattern(self, pattern);
    }
}

const EXPRS: &[&str] = &[
    "Bool",
    "Int",
    "Local",
    "Own",
    "Of",
    "Global",
    "Const",
    "All",
    "Pid",
    "SelfPid",
    "Unary",
    "Binary",
    "Range",
    "If",
    "Match",
    "Is",
    "Let",
    "Tuple",
    "Project",
    "Struct",
    "Field",
    "Update",
    "Variant",
    "None",
    "Some",
    "Literal",
    "Comprehension",
    "MapOf",
    "Index",
    "Method",
    "Call",
    "Quantifier",
    "Old",
    "Pending",
    "Widen",
    "Narrow",
    "And",
    "Or",
    "Implies",
    "Iff",
    "Eq",
    "Ne",
    "Lt",
    "Le",
    "Gt",
    "Ge",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "Union",
    "Inter",
    "In",
    "Forall",
    "Exists",
    "Count",
    "Sum",
];

const STMTS: &[&str] = &[
    "s:Let",
    "s:LetChoice",
    "s:Assign",
    "s:AssignChoice",
    "s:If",
    "s:Match",
    "s:While",
    "s:For",
    "s:Break",
    "s:Continue",
    "s:Maybe",
    "s:Assert",
    "s:Assume",
    "s:Send",
    "s:Receive",
    "s:Select",
    "s:Async",
    "s:Timeout",
];

const PATTERNS: &[&str] = &[
    "p:Wild",
    "p:Bind",
    "p:Bool",
    "p:Int",
    "p:None",
    "p:Some",
    "p:Tuple",
    "p:Variant",
    "p:Struct",
    "p:Pid",
    "p:Negative",
];

const METHODS: &[&str] = &[
    "Len",
    "IsEmpty",
    "Contains",
    "With",
    "Without",
    "Min",
    "Max",
    "Subset",
    "Count",
    "ToSet",
    "ToBag",
    "First",
    "Last",
    "Push",
    "DropFirst",
    "DropLast",
    "Update",
    "IsSome",
    "IsNone",
    "Unwrap",
    "UnwrapOr",
];
