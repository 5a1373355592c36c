//! Random programs that follow the grammar, with random white space and comments between tokens.
//!
//! Names are not resolved and types do not fit: this is about the text alone.

use crate::chance::Chance;

/// A program that is syntactically right.
pub(crate) fn program(seed: u64) -> String {
    let mut chance = Chance::new(seed);
    let fuel = chance.below(70);
    let mut writer = Writer {
        chance,
        out: String::new(),
        fuel,
    };
    for _ in 0..=writer.chance.below(3) {
        writer.item();
    }
    writer.out
}

struct Writer {
    chance: Chance,
    out: String,
    /// What is left before only the shortest forms are chosen.
    fuel: usize,
}

const NAMES: &[&str] = &[
    "x",
    "y",
    "db",
    "Vote",
    "from",
    "count",
    "sum",
    "pending",
    "by",
    "fair",
    "long_name_of_a_thing",
];

impl Writer {
    /// One of `forms` possible forms; the first when the program is long enough.
    fn form(&mut self, forms: usize) -> usize {
        if self.fuel == 0 {
            return 0;
        }
        self.fuel -= 1;
        self.chance.below(forms)
    }

    /// Writes tokens separated by spaces in `text`, with more or less between them.
    fn put(&mut self, text: &str) {
        for token in text.split_whitespace() {
            self.out.push_str(token);
            let gap = match self.chance.below(60) {
                0 => " // c\n",
                1 => "\n// c\n",
                2 => " /* c */ ",
                3 => "\n\n\n/* c\n c */\n\n",
                4..10 => "\n",
                10 => "\n\n",
                _ => " ",
            };
            self.out.push_str(gap);
        }
    }

    fn name(&mut self) {
        let name = *self.chance.pick(NAMES);
        self.put(name);
    }

    fn list(&mut self, open: &str, at_least: usize, close: &str, element: fn(&mut Self)) {
        self.put(open);
        let count = at_least + self.form(3);
        for index in 0..count {
            if index > 0 {
                self.put(",");
            }
            element(self);
        }
        if count > at_least && count > 0 && self.chance.once_in(4) {
            self.put(",");
        }
        self.put(close);
    }

    fn maybe(&mut self, write: impl FnOnce(&mut Self)) {
        if self.form(2) == 1 {
            write(self);
        }
    }

    fn item(&mut self) {
        match self.form(14) {
            0 => self.sized("sort", |w| w.maybe(|w| w.put("ordered"))),
            1 => self.sized("sort", |w| {
                w.put("=");
                w.operand();
                let dots = *w.chance.pick(&["..", "..=1", "..1"]);
                w.put(dots);
            }),
            2 => {
                self.put("enum E");
                self.list("{", 1, "}", |w| {
                    w.name();
                    w.maybe(|w| w.list("(", 1, ")", Self::ty));
                });
            }
            3 => {
                self.put("struct S");
                self.list("{", 0, "}", Self::binder);
            }
            4 => self.sized("const", |w| {
                w.put(": int =");
                w.expr();
            }),
            5 => self.sized("param", |w| {
                w.put(":");
                w.ty();
                w.maybe(Self::where_clause);
            }),
            6 => {
                self.put("fn f");
                self.list("(", 0, ")", Self::binder);
                self.put("->");
                self.ty();
                self.branch();
            }
            7 => self.sized("message", |w| {
                w.maybe(|w| w.list("(", 0, ")", Self::binder));
                w.maybe(|w| w.put("via fifo"));
            }),
            8 => self.process(),
            9 => self.var(),
            10 => {
                self.put("action A");
                self.list("(", 0, ")", Self::binder);
                self.block();
            }
            11 => {
                self.put("init");
                self.block();
            }
            12 => self.choreography(),
            _ => self.property(),
        }
    }

    fn sized(&mut self, keyword: &str, rest: impl FnOnce(&mut Self)) {
        self.put(keyword);
        self.name();
        rest(self);
        self.put(";");
    }

    fn binder(&mut self) {
        self.name();
        self.put(":");
        self.ty();
    }

    fn process(&mut self) {
        self.maybe(|w| w.put("daemon"));
        self.put("process p");
        self.maybe(|w| w.list("[", 1, "]", Self::binder));
        self.put("{");
        self.maybe(Self::var);
        for _ in 0..self.form(4) {
            self.put("on");
            self.accept();
            self.block();
        }
        self.put("}");
    }

    fn choreography(&mut self) {
        self.put("choreography c");
        self.list("(", 0, ")", Self::binder);
        self.put("{ endpoint a");
        self.maybe(|w| w.list("[", 1, "]", Self::binder));
        self.put("{");
        self.maybe(Self::var);
        self.put("}");
        self.maybe(|w| {
            w.put("ensures");
            w.expr();
            w.put(";");
        });
        self.maybe(Self::stmt);
        self.put("}");
    }

    fn property(&mut self) {
        self.sized("property", |w| {
            w.maybe(|w| w.put("by explore , sequentialize"));
            w.maybe(|w| w.put("at Db = 3 , N = 2 ..= 4"));
            w.put(":");
            match w.form(7) {
                0 => w.put("eventually quiescent fair"),
                3 => {
                    w.put("eventually");
                    w.maybe(|w| w.put("always"));
                    w.expr();
                    w.maybe(|w| w.put("weakly fair"));
                }
                4 => {
                    w.put("infinitely often");
                    w.expr();
                    w.maybe(|w| w.put("unfair"));
                }
                5 => {
                    w.put("forall c : Db :: (");
                    w.expr();
                    w.put(") leads to (");
                    w.expr();
                    w.put(") fair");
                }
                6 => {
                    w.put("( eventually");
                    w.expr();
                    w.put(") && ( infinitely often");
                    w.expr();
                    w.put(")");
                }
                1 => {
                    w.put("always");
                    w.expr();
                }
                _ => {
                    w.put("finally");
                    w.expr();
                }
            }
        });
        self.maybe(|w| {
            w.sized("invariant", |w| {
                w.put(":");
                w.expr();
            });
        });
        self.maybe(|w| w.put("size Db = 3 , N = 2 ..= 4 ;"));
    }

    fn ty(&mut self) {
        match self.form(9) {
            0 => self.put("int"),
            1 => self.put("bool"),
            2 => self.put("nat"),
            3 => self.put("process"),
            4 => self.name(),
            5 => self.list("(", 2, ")", Self::ty),
            6 => {
                self.put("map <");
                self.ty();
                self.put(",");
                self.ty();
                self.put(">");
            }
            _ => {
                let constructor = *self.chance.pick(&["option", "set", "bag", "seq"]);
                self.put(constructor);
                self.put("<");
                self.ty();
                self.put(">");
            }
        }
    }

    fn where_clause(&mut self) {
        self.put("where");
        self.expr();
    }

    fn value(&mut self) {
        if self.form(4) == 1 {
            self.put("choose");
            self.domain();
            self.maybe(Self::where_clause);
        } else {
            self.expr();
        }
    }

    fn domain(&mut self) {
        if self.form(3) == 1 {
            self.put("option < bool >");
        } else {
            self.operand();
        }
    }

    fn var(&mut self) {
        self.sized("var", |w| {
            w.maybe(|w| {
                w.put(":");
                w.ty();
            });
            w.put("=");
            w.value();
        });
    }

    fn block(&mut self) {
        self.put("{");
        for _ in 0..self.form(4) {
            self.stmt();
        }
        self.put("}");
    }

    fn stmt(&mut self) {
        match self.form(17) {
            0 => self.put("break ;"),
            1 => self.put("continue ;"),
            2 => self.sized("let", |w| {
                w.put("=");
                w.value();
            }),
            3 => self.var(),
            4 | 5 => {
                self.name();
                self.maybe(|w| w.put(". f [ 1 ] . 0"));
                let operator = *self.chance.pick(&["=", "+=", "-=", "*=", "|=", "&="]);
                self.put(operator);
                self.value();
                self.put(";");
            }
            6 => self.if_stmt(),
            7 => {
                self.put("match (");
                self.expr();
                self.put(") {");
                self.pattern();
                self.put("=>");
                self.block();
                self.maybe(|w| w.put(", _ => { }"));
                self.put("}");
            }
            8 => {
                self.put("while (");
                self.expr();
                self.put(")");
                self.clauses();
                self.block();
            }
            9 => {
                self.put("for x in (");
                self.expr();
                self.put(")");
                self.clauses();
                self.block();
            }
            10 => {
                self.put("loop");
                self.block();
            }
            11 => {
                self.put("maybe");
                self.block();
                self.maybe(|w| {
                    w.put("else");
                    w.block();
                });
            }
            12 => {
                let keyword = *self.chance.pick(&["assert", "assume"]);
                self.put(keyword);
                self.expr();
                self.put(";");
            }
            13 => self.sized("send", |w| {
                w.maybe(|w| w.list("(", 0, ")", Self::expr));
                w.put("to");
                w.expr();
            }),
            14 => {
                self.put("receive");
                self.accept();
                self.put(";");
            }
            15 => {
                self.put("receive {");
                for _ in 0..self.form(3) {
                    self.accept();
                    self.put("=>");
                    self.block();
                }
                self.maybe(|w| w.put("timeout => { }"));
                self.put("}");
            }
            _ => self.sized("async", |w| w.list("(", 0, ")", Self::expr)),
        }
    }

    fn if_stmt(&mut self) {
        self.put("if (");
        self.expr();
        self.put(")");
        self.block();
        match self.form(3) {
            0 => {}
            1 => {
                self.put("else");
                self.block();
            }
            _ => {
                self.put("else");
                self.if_stmt();
            }
        }
    }

    fn clauses(&mut self) {
        self.maybe(|w| {
            w.put("invariant (");
            w.expr();
            w.put(") decreases ( x ) , x");
        });
    }

    fn accept(&mut self) {
        self.put("Vote");
        self.maybe(|w| {
            w.list("(", 0, ")", |w| {
                let slot = *w.chance.pick(&["x", "_", "from"]);
                w.put(slot);
            });
        });
        match self.form(4) {
            0 => {}
            1 => self.put("from any"),
            2 => self.put("from any db [ i , _ ] as who"),
            _ => self.put("from db [ 1 ]"),
        }
        self.maybe(|w| {
            w.put("where (");
            w.expr();
            w.put(")");
        });
    }

    fn pattern(&mut self) {
        match self.form(9) {
            0 => self.put("_"),
            1 => self.name(),
            2 => self.put("- 1"),
            3 => self.put("none"),
            4 => {
                self.put("some (");
                self.pattern();
                self.put(")");
            }
            5 => self.list("(", 2, ")", Self::pattern),
            6 => {
                self.put("R :: X");
                self.maybe(|w| w.list("(", 1, ")", Self::pattern));
            }
            7 => self.put("P { a , b : 1 }"),
            _ => self.list("db [", 1, "]", Self::pattern),
        }
    }

    fn expr(&mut self) {
        match self.form(6) {
            0..3 => self.operand(),
            3 => self.quantifier(),
            _ => {
                self.operand();
                for _ in 0..=self.form(5) {
                    let operators = ["<==>", "==>", "||", "&&", "|", "&", "+", "-", "*", "/", "%"];
                    let operator = *self.chance.pick(&operators);
                    self.put(operator);
                    self.operand();
                }
                self.maybe(|w| {
                    let operator = *w.chance.pick(&["==", "!=", "<", "<=", ">", ">=", "in"]);
                    w.put("&& (");
                    w.operand();
                    w.put(operator);
                    w.operand();
                    w.put(")");
                });
            }
        }
    }

    fn quantifier(&mut self) {
        let keyword = *self.chance.pick(&["forall", "exists", "count", "sum"]);
        self.put(keyword);
        self.put("x , y : T , z in S where ( p )");
        self.put("::");
        self.expr();
    }

    /// `{ let x = e; f }`
    fn branch(&mut self) {
        self.put("{");
        self.maybe(|w| {
            w.put("let x =");
            w.expr();
            w.put(";");
        });
        self.expr();
        self.put("}");
    }

    fn operand(&mut self) {
        match self.form(24) {
            0 => self.name(),
            1 => self.put("1_000"),
            2 => self.put("true"),
            3 => self.put("none"),
            4 => self.put("self . id"),
            5 => self.put("1 . f ( )"),
            6 => self.put("t . 0 . 1"),
            7 => self.put("R :: X ( 1 )"),
            8 => self.wrapped("some (", ")"),
            9 => self.wrapped("old (", ")"),
            10 => self.wrapped("(", ")"),
            11 => self.wrapped("! (", ")"),
            12 => self.wrapped("- (", ")"),
            13 => self.wrapped("( 0 .. (", ") )"),
            14 => self.list("(", 2, ")", Self::expr),
            15 => self.list("{", 0, "}", Self::operand),
            16 => self.list("bag {", 0, "}", Self::expr),
            17 => self.list("[", 0, "]", Self::expr),
            18 => {
                let open = *self.chance.pick(&["{ y in", "{ y + 1 for x in"]);
                self.put(open);
                self.operand();
                self.maybe(Self::where_clause);
                self.put("}");
            }
            19 => self.wrapped("[ x for x in S where", "]"),
            20 => self.wrapped("( map k : K =>", ")"),
            21 => {
                self.put("( P { a :");
                self.expr();
                self.put(", .. p } )");
            }
            22 => {
                self.put("( if");
                self.operand();
                self.branch();
                self.put("else");
                self.branch();
                self.put(")");
            }
            _ => {
                self.put("( match x {");
                self.pattern();
                self.put("=>");
                if self.form(2) == 0 {
                    self.operand();
                } else {
                    self.branch();
                }
                self.put(", _ => f (");
                self.expr();
                self.put(") . with ( 1 ) [ 2 ] } )");
            }
        }
    }

    fn wrapped(&mut self, open: &str, close: &str) {
        self.put(open);
        self.expr();
        self.put(close);
    }
}
