//! Terms as text for people and for tests.

use super::{Op, Term, Terms};

impl Terms {
    /// The term in prefix notation; bound variables are `#0`, `#1`, … counted outwards.
    pub fn show(&self, term: Term) -> String {
        let head = match self.op(term) {
            Op::Int(int) => int.to_string(),
            Op::Symbol(number) => format!("{}'{number}", self.symbol(number).name),
            Op::Bound(index) => format!("#{index}"),
            Op::Make(data, constructor) => self.data(data).constructors[constructor as usize]
                .name
                .clone(),
            Op::Get(_, _, field) => format!("get{field}"),
            Op::Is(data, constructor) => {
                format!(
                    "is-{}",
                    self.data(data).constructors[constructor as usize].name
                )
            }
            Op::Forall(_) => "forall".to_owned(),
            Op::Exists(_) => "exists".to_owned(),
            Op::Scale(factor) => format!("{factor}*"),
            Op::Call(function) => format!("call{function}"),
            Op::Same(_) => "same".to_owned(),
            other => format!("{other:?}").to_lowercase(),
        };
        if self.args(term).is_empty() {
            return head;
        }
        let args: Vec<String> = self.args(term).iter().map(|arg| self.show(*arg)).collect();
        format!("({head} {})", args.join(" "))
    }
}
