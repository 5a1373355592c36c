//! Small random programs that go on for ever, as text: actions on offer, handlers, bodies, faults.
//!
//! Whoever takes a message sends at most one, so there are finitely many states.

/// Reproducible dice.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// A program with four claims.
pub(crate) fn program(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    match dice.below(3) {
        0 => actions(&mut dice),
        1 => handlers(&mut dice),
        _ => bodies(&mut dice),
    }
}

fn actions(dice: &mut Dice) -> String {
    let mut text = "sort V = 0..3;\nvar x: V = 0;\nvar y: V = 0;\n".to_owned();
    for name in ["A", "B", "C", "D"].iter().take(2 + dice.below(3) as usize) {
        let (a, b) = (dice.pick(&["x", "y"]), dice.pick(&["x", "y"]));
        let guard = dice.pick(&["==", "!=", "<="]);
        let by = 1 + dice.below(2);
        let k = dice.below(3);
        let parameter = dice.pick(&["", "v: V"]);
        let also = match parameter {
            "" => String::new(),
            _ => format!(" && v != {}", dice.pick(&["x", "y", "1"])),
        };
        let value = match parameter {
            "" if dice.below(4) == 0 => format!("{}choose V", fairly(dice)),
            "" => format!("({b} + {by}) % 3"),
            _ => "v".to_owned(),
        };
        let guarded = match dice.below(4) {
            0 => String::new(),
            _ => format!("assume {a} {guard} {k}{also}; "),
        };
        let fair = declared(dice);
        text += &format!("{fair}repeat action {name}({parameter}) {{ {guarded}{b} = {value}; }}\n");
    }
    text + &claims(dice, &["x", "y"])
}

fn fault(dice: &mut Dice) -> &'static str {
    dice.pick(&[
        "",
        "",
        "fault lose M <= 1;\n",
        "fault lose N <= 1;\n",
        "fault duplicate N <= 1;\n",
        "fault crash q <= 1;\n",
        "fault lose M;\n",
        "fair fault lose N;\n",
        "unfair fault lose N;\n",
        "fault lose M;\nfair fault lose N;\n",
        "fault crash q <= 1;\nfair fault restart q;\n",
        "fault crash q <= 1;\nfault restart q;\n",
    ])
}

/// What is declared of a process or an action, mostly nothing.
fn declared(dice: &mut Dice) -> &'static str {
    dice.pick(&["", "", "", "", "unfair ", "fair ", "strong fair "])
}

/// What is declared of a choice.
fn fairly(dice: &mut Dice) -> &'static str {
    dice.pick(&["", "fair "])
}

fn handlers(dice: &mut Dice) -> String {
    let mut text = "sort V = 0..3;\nmessage M(v: V);\nmessage N;\n".to_owned();
    text += fault(dice);
    for process in ["p", "q"] {
        text += &format!("{}process {process} {{\nvar x: V = 0;\n", declared(dice));
        for message in ["M(v)", "N"] {
            let guard = match dice.below(3) {
                0 => format!(" where x {} {}", dice.pick(&["==", "!="]), dice.below(3)),
                _ => String::new(),
            };
            let step = match dice.below(4) {
                0 => "x = (x + 1) % 3;".to_owned(),
                1 if message == "M(v)" => "x = v;".to_owned(),
                2 => format!("x = 0; {}maybe {{ x = 1; }}", fairly(dice)),
                _ if dice.below(3) == 0 => format!("x = {}choose V;", fairly(dice)),
                _ => String::new(),
            };
            let send = send(dice);
            text += &format!("on {message}{guard} {{ {step} {send} }}\n");
        }
        text += "}\n";
    }
    text += "init { ";
    for _ in 0..1 + dice.below(3) {
        text += &sent(dice);
    }
    text += "}\n";
    text + &claims(dice, &["p.x", "q.x"])
}

fn sent(dice: &mut Dice) -> String {
    let message = match dice.below(2) {
        0 => "N".to_owned(),
        _ => format!("M({})", dice.below(3)),
    };
    format!("send {message} to {}; ", dice.pick(&["p", "q"]))
}

fn send(dice: &mut Dice) -> String {
    match dice.below(6) {
        0 => String::new(),
        1 => format!("{}maybe {{ {} }}", fairly(dice), sent(dice)),
        2 => format!("if x == {} {{ {} }}", dice.below(3), sent(dice)),
        _ => sent(dice),
    }
}

fn bodies(dice: &mut Dice) -> String {
    let via = dice.pick(&["", " via unordered", " via mailbox", " via causal"]);
    let mut text = format!("sort V = 0..3;\nmessage M(v: V){via};\nmessage N;\n");
    text += fault(dice);
    for process in ["p", "q"] {
        let fair = declared(dice);
        let first = sent(dice);
        text += &format!(
            "{fair}process {process} {{
var x: V = 0;
{first}loop {{ receive {{
"
        );
        text += &format!("M(v) from any => {{ x = v; {} }}\n", send(dice));
        text += &format!("N from any => {{ x = (x + 1) % 3; {} }}\n", send(dice));
        if dice.below(3) == 0 {
            let step = dice.pick(&["x = 2;", "", "x = (x + 1) % 3;"]);
            text += &format!("timeout => {{ {step} }}\n");
        }
        text += "}\n} }\n";
    }
    text + &claims(dice, &["p.x", "q.x"])
}

fn claims(dice: &mut Dice, variables: &[&str]) -> String {
    let atom = |dice: &mut Dice| {
        let (a, op, k) = (
            dice.pick(variables),
            dice.pick(&["==", "!="]),
            dice.below(3),
        );
        match dice.below(4) {
            0 => format!(
                "{a} {op} {k} || {} == {}",
                dice.pick(variables),
                dice.below(3)
            ),
            _ => format!("{a} {op} {k}"),
        }
    };
    let (a, b, c, d, e) = (atom(dice), atom(dice), atom(dice), atom(dice), atom(dice));
    format!(
        "property once: eventually {a};\nproperty often: infinitely often {b};\nproperty stays: eventually always {c};\n\
         property answers: forall w: V :: ({d} && w != 0) leads to ({e} && w != 1);\n"
    )
}
