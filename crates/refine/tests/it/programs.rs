//! Random systems of small actions: assignments, branches, gates, guards and choices over a few variables.

/// Where chance comes from: an xorshift generator.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }

    pub(crate) fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// The text of a song: variables, and three actions.
    pub(crate) fn system(&mut self) -> String {
        let mut text = "sort Id;\nvar x: int = 0;\nvar y: int = 0;\nvar b: bool = false;\n\
                        var m: map<Id, int> = map i: Id => 0;\nvar s: set<Id> = {};\n"
            .to_owned();
        for name in ["P", "Q", "R"] {
            text.push_str(&format!("both action {name}(i: Id, k: int) {{\n"));
            for _ in 0..=self.below(3) {
                let statement = self.statement();
                text.push_str(&format!("    {statement}\n"));
            }
            text.push_str("}\n");
        }
        text.push_str("init { let i = choose Id; async P(i, 0); }\n");
        text
    }

    fn statement(&mut self) -> String {
        match self.below(9) {
            0 => format!("assume {};", self.condition()),
            1 => format!("assert {};", self.condition()),
            2 => format!("if {} {{ {} }}", self.condition(), self.change()),
            3 => {
                let (yes, no) = (self.change(), self.change());
                format!("if {} {{ {yes} }} else {{ {no} }}", self.condition())
            }
            4 => "x = choose {x, y};".to_owned(),
            _ => self.change(),
        }
    }

    fn change(&mut self) -> String {
        match self.below(6) {
            0 => format!("x = {};", self.number()),
            1 => format!("y = {};", self.number()),
            2 => format!("b = {};", self.condition()),
            3 => format!("m[i] = {};", self.number()),
            4 => "s = s.with(i);".to_owned(),
            _ => format!("x = x + {};", self.of(&["1", "k", "-1"])),
        }
    }

    fn number(&mut self) -> String {
        match self.below(4) {
            0 => self.of(&["0", "1", "k"]).to_owned(),
            1 => format!("{} + 1", self.of(&["x", "y", "m[i]"])),
            2 => format!("{} - {}", self.of(&["x", "y"]), self.of(&["k", "m[i]"])),
            _ => self.of(&["x", "y", "m[i]"]).to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        match self.below(5) {
            0 => self.of(&["b", "!b", "i in s", "!(i in s)"]).to_owned(),
            1 => format!("{} == {}", self.number(), self.number()),
            2 => format!("{} <= {}", self.number(), self.number()),
            3 => self
                .of(&["forall j: Id :: m[j] <= x", "exists j: Id :: j in s"])
                .to_owned(),
            _ => format!("b || {} > 0", self.number()),
        }
    }
}
