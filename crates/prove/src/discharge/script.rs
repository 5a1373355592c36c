//! Terms as commands for a solver.
//!
//! Names are numbered in the order in which they occur, so equal obligations give equal text whatever
//! came before them. A closed term that is used more than once is defined once.

use crate::term::{Op, Sort, SortKind, Term, Terms};
use plainsong_smt::Sexpr;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Commands under construction.
pub(crate) struct Script<'t> {
    terms: &'t Terms,
    sorts: Vec<Sexpr>,
    declarations: Vec<Sexpr>,
    assertions: Vec<Sexpr>,
    known_sorts: BTreeMap<Sort, Sexpr>,
    symbols: FxHashMap<u32, Sexpr>,
    functions: FxHashMap<u32, Sexpr>,
    defined: FxHashMap<Term, Sexpr>,
    uses: FxHashMap<Term, u32>,
    bound: u32,
}

impl<'t> Script<'t> {
    pub(crate) fn new(terms: &'t Terms) -> Self {
        Script {
            terms,
            sorts: Vec::new(),
            declarations: Vec::new(),
            assertions: Vec::new(),
            known_sorts: BTreeMap::new(),
            symbols: FxHashMap::default(),
            functions: FxHashMap::default(),
            defined: FxHashMap::default(),
            uses: FxHashMap::default(),
            bound: 0,
        }
    }

    /// Counts how often terms are used, to define those that are used more than once.
    pub(crate) fn count(&mut self, term: Term) {
        let uses = self.uses.entry(term).or_insert(0);
        *uses += 1;
        if *uses == 1 {
            for &arg in self.terms.args(term) {
                self.count(arg);
            }
        }
    }

    /// Asserts a closed formula.
    pub(crate) fn assert(&mut self, formula: Term) {
        let text = self.term(formula, &mut Vec::new());
        self.assertions.push(Sexpr::call("assert", [text]));
    }

    /// Asserts closed formulas, each of whose common parts is defined once.
    pub(crate) fn assert_all(&mut self, formulas: &[Term]) {
        formulas.iter().for_each(|formula| self.count(*formula));
        formulas.iter().for_each(|formula| self.assert(*formula));
    }

    /// Asserts `proxy ==> forall … body`.
    pub(crate) fn assert_universal(&mut self, proxy: Option<Term>, sorts: &[Sort], body: Term) {
        let mut variables = Vec::new();
        let mut binders = Vec::new();
        for &sort in sorts {
            let name = Sexpr::name(&format!("b{}", self.bound));
            self.bound += 1;
            binders.push(Sexpr::list([name.clone(), self.sort(sort)]));
            variables.push(name);
        }
        let body = self.term(body, &mut variables);
        let mut formula = Sexpr::call("forall", [Sexpr::List(binders), body]);
        if let Some(proxy) = proxy {
            let proxy = self.term(proxy, &mut Vec::new());
            formula = Sexpr::call("=>", [proxy, formula]);
        }
        self.assertions.push(Sexpr::call("assert", [formula]));
    }

    /// A closed term, for a question about its value.
    pub(crate) fn say(&mut self, term: Term) -> Sexpr {
        self.term(term, &mut Vec::new())
    }

    /// All commands.
    pub(crate) fn finish(self) -> Vec<Sexpr> {
        let mut commands = self.sorts;
        commands.extend(self.declarations);
        commands.extend(self.assertions);
        commands
    }

    fn term(&mut self, term: Term, bound: &mut Vec<Sexpr>) -> Sexpr {
        if let Some(known) = self.defined.get(&term) {
            return known.clone();
        }
        let text = self.node(term, bound);
        let shared = self.uses.get(&term).is_some_and(|uses| *uses > 1);
        if shared && self.terms.is_closed(term) && !self.terms.args(term).is_empty() {
            let name = Sexpr::name(&format!("t{}", self.defined.len()));
            let sort = self.sort(self.terms.sort(term));
            let definition = [name.clone(), Sexpr::List(Vec::new()), sort, text];
            self.declarations
                .push(Sexpr::call("define-fun", definition));
            self.defined.insert(term, name.clone());
            return name;
        }
        text
    }

    fn node(&mut self, term: Term, bound: &mut Vec<Sexpr>) -> Sexpr {
        let op = self.terms.op(term);
        match op {
            Op::True => return Sexpr::bool(true),
            Op::False => return Sexpr::bool(false),
            Op::Int(int) => return Sexpr::int(int),
            Op::Symbol(number) => return self.symbol(number),
            Op::Bound(index) => return bound[bound.len() - 1 - index as usize].clone(),
            Op::Forall(sort) | Op::Exists(sort) => return self.quantifier(term, sort, bound),
            _ => {}
        }
        let args: Vec<Term> = self.terms.args(term).to_vec();
        let args: Vec<Sexpr> = args.into_iter().map(|arg| self.term(arg, bound)).collect();
        match op {
            Op::Not => Sexpr::call("not", args),
            Op::And => Sexpr::call("and", args),
            Op::Or => Sexpr::call("or", args),
            Op::Ite => Sexpr::call("ite", args),
            Op::Eq | Op::Same(_) => Sexpr::call("=", args),
            Op::Add => Sexpr::call("+", args),
            Op::Scale(factor) => Sexpr::call("*", std::iter::once(Sexpr::int(factor)).chain(args)),
            Op::Mul => Sexpr::call("*", args),
            Op::Div => Sexpr::call("div", args),
            Op::Mod => Sexpr::call("mod", args),
            Op::Le => Sexpr::call("<=", args),
            Op::Select => Sexpr::call("select", args),
            Op::Store => Sexpr::call("store", args),
            Op::Make(data, constructor) => {
                self.sort(self.terms.sort(term));
                let name = constructor_name(data, constructor);
                if args.is_empty() {
                    name
                } else {
                    Sexpr::list(std::iter::once(name).chain(args))
                }
            }
            Op::Get(data, constructor, field) => {
                let name = field_name(data, constructor, field);
                Sexpr::list(std::iter::once(name).chain(args))
            }
            Op::Is(data, constructor) => {
                let tester = Sexpr::call(
                    "_",
                    [Sexpr::word("is"), constructor_name(data, constructor)],
                );
                Sexpr::list(std::iter::once(tester).chain(args))
            }
            Op::Call(function) => {
                let name = self.function(function, term);
                match args.is_empty() {
                    true => name,
                    false => Sexpr::list(std::iter::once(name).chain(args)),
                }
            }
            other => panic!("{other:?} is not for a solver"),
        }
    }

    fn quantifier(&mut self, term: Term, sort: Sort, bound: &mut Vec<Sexpr>) -> Sexpr {
        let word = match self.terms.op(term) {
            Op::Forall(_) => "forall",
            _ => "exists",
        };
        let name = Sexpr::name(&format!("b{}", self.bound));
        self.bound += 1;
        let binder = Sexpr::list([name.clone(), self.sort(sort)]);
        bound.push(name);
        let body = self.term(self.terms.args(term)[0], bound);
        bound.pop();
        Sexpr::call(word, [Sexpr::list([binder]), body])
    }

    fn symbol(&mut self, number: u32) -> Sexpr {
        if let Some(known) = self.symbols.get(&number) {
            return known.clone();
        }
        let symbol = self.terms.symbol(number);
        let name = Sexpr::name(&format!("{}_{}", symbol.name, self.symbols.len()));
        let sort = self.sort(symbol.sort);
        let declaration = [name.clone(), sort];
        self.declarations
            .push(Sexpr::call("declare-const", declaration));
        self.symbols.insert(number, name.clone());
        name
    }

    /// A function of the source, about which only facts are known.
    fn function(&mut self, number: u32, call: Term) -> Sexpr {
        if let Some(known) = self.functions.get(&number) {
            return known.clone();
        }
        let name = Sexpr::name(&format!("f{}", self.functions.len()));
        let arguments: Vec<Term> = self.terms.args(call).to_vec();
        let from = arguments.into_iter().map(|arg| self.terms.sort(arg));
        let from: Vec<Sort> = from.collect();
        let from = from.into_iter().map(|sort| self.sort(sort)).collect();
        let to = self.sort(self.terms.sort(call));
        let declaration = [name.clone(), Sexpr::List(from), to];
        self.declarations
            .push(Sexpr::call("declare-fun", declaration));
        self.functions.insert(number, name.clone());
        name
    }

    fn sort(&mut self, sort: Sort) -> Sexpr {
        if let Some(known) = self.known_sorts.get(&sort) {
            return known.clone();
        }
        let text = match self.terms.kind(sort) {
            SortKind::Bool => Sexpr::word("Bool"),
            SortKind::Int => Sexpr::word("Int"),
            SortKind::Named(id) => {
                let name = Sexpr::name(&format!("sort{}", id.0));
                let declaration = [name.clone(), Sexpr::int(0)];
                self.sorts.push(Sexpr::call("declare-sort", declaration));
                name
            }
            SortKind::Array(from, to) => {
                let (from, to) = (self.sort(from), self.sort(to));
                Sexpr::call("Array", [from, to])
            }
            SortKind::Data(data) => self.datatype(data),
        };
        self.known_sorts.insert(sort, text.clone());
        text
    }

    fn datatype(&mut self, data: u32) -> Sexpr {
        let constructors = self.terms.data(data).constructors.clone();
        let name = Sexpr::name(&format!("data{data}"));
        let mut ways = Vec::new();
        for (number, constructor) in constructors.iter().enumerate() {
            let mut way = vec![constructor_name(data, number as u32)];
            for (field, &sort) in constructor.fields.iter().enumerate() {
                let field = field_name(data, number as u32, field as u32);
                way.push(Sexpr::list([field, self.sort(sort)]));
            }
            ways.push(Sexpr::List(way));
        }
        let head = Sexpr::list([name.clone(), Sexpr::int(0)]);
        let declaration = [Sexpr::list([head]), Sexpr::list([Sexpr::List(ways)])];
        self.sorts
            .push(Sexpr::call("declare-datatypes", declaration));
        name
    }
}

fn constructor_name(data: u32, constructor: u32) -> Sexpr {
    Sexpr::name(&format!("make{data}_{constructor}"))
}

fn field_name(data: u32, constructor: u32, field: u32) -> Sexpr {
    Sexpr::name(&format!("get{data}_{constructor}_{field}"))
}

/// Can a solver read it: does it contain no lambda or sum?
pub(crate) fn is_readable(terms: &Terms, term: Term, seen: &mut FxHashSet<Term>) -> bool {
    if !seen.insert(term) {
        return true;
    }
    let foreign = matches!(
        terms.op(term),
        Op::Lambda | Op::Total | Op::Least | Op::Greatest
    );
    !foreign
        && terms
            .args(term)
            .iter()
            .all(|arg| is_readable(terms, *arg, seen))
}
