//! Which integers are points.
//!
//! All integers in variables, payloads and locals are taken for points at first. Whatever treats some of them
//! as a number with a meaning of its own (compares one with a literal or another number, adds two,
//! multiplies one, indexes with one) makes them numbers, until nothing more has to change. One class is
//! kept for all integers of a variable, payload field or local, whatever it is made of; integers inside
//! structs, enums and keys of maps are always numbers, and so is what functions take and return.
//!
//! `init` and values at the start are not looked at: what matters is how states after them go on.
//!
//! For an [`accelerated_loop`](crate::accelerated_loop) less is asked ([`Manner`]): only some handlers are looked at, points may be compared
//! with numbers where that can be checked before the statement (*guards*), and points that never meet are of
//! different groups.

use super::Class;
pub(crate) use super::spot::Spot;
use plainsong_ir::visit::{each_expr, free_locals, locals_bound};
use plainsong_ir::{
    Accept, Access, ActionId, BinOp, Binding, Block, Body, Builtin, Choice, Domain, Expr, ExprKind,
    FamilyId, Local, LocalId, LoopClauses, MessageId, Pattern, PatternKind, Place, Quantifier,
    Root, Song, Source, Stmt, StmtKind, System, Ty, UnOp,
};
use std::collections::BTreeSet;

/// What was found out about a song.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inferred {
    /// What is no point, though it has integers.
    pub(crate) numbers: BTreeSet<Spot>,
    /// Is a point ever checked not to be negative?
    pub(crate) is_checked: bool,
    /// Points that meet.
    pub(crate) links: BTreeSet<(Spot, Spot)>,
}

/// The code that a message or async runs: of a family, or of an action, counted after the families.
pub(crate) type Used = BTreeSet<(usize, Option<MessageId>)>;

/// What is looked at, and how closely.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner<'a> {
    /// Only this code, if it is said.
    pub(crate) used: Option<&'a Used>,
    /// May points be compared with numbers, under guards?
    pub(crate) guards: bool,
}

/// A comparison of a point with a number.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) point: Expr,
    pub(crate) number: Expr,
}

/// Infers the classes of a song's system.
pub(crate) fn infer(song: &Song, manner: Manner<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    loop {
        let before = inferred.numbers.len();
        inferred.is_checked = false;
        inferred.links.clear();
        pass(song, manner, &mut inferred);
        if inferred.numbers.len() == before {
            return inferred;
        }
    }
}

/// Does a type have integers that can be points?
pub(crate) fn has_points(ty: &Ty) -> bool {
    match ty {
        Ty::Int | Ty::Nat => true,
        Ty::Bool | Ty::Sort(_) | Ty::Enum(_) | Ty::Struct(_) | Ty::Process => false,
        Ty::Tuple(parts) => parts.iter().any(has_points),
        Ty::Option(inner) | Ty::Set(inner) | Ty::Bag(inner) | Ty::Seq(inner) => has_points(inner),
        Ty::Map(_, value) => has_points(value),
    }
}

fn pass(song: &Song, manner: Manner<'_>, inferred: &mut Inferred) {
    let is_used = |number: usize, message: Option<MessageId>| {
        let used = manner.used;
        used.is_none_or(|used| used.contains(&(number, message)))
    };
    match &song.system {
        System::Voices(voices) => {
            for process in &voices.processes {
                let number = process.family.index();
                let family = Some(process.family);
                let mut code = Code::new(song, manner, inferred, number, family, &process.locals);
                match &process.body {
                    Body::Sequential(block) => code.block(block),
                    Body::Handlers(handlers) => {
                        for handler in handlers {
                            if !is_used(number, Some(handler.accept.message)) {
                                continue;
                            }
                            code.accept(&handler.accept);
                            code.block(&handler.body);
                        }
                    }
                }
            }
        }
        System::Actions(actions) => {
            for (at, action) in actions.actions.iter().enumerate() {
                let number = song.families.len() + at;
                if !is_used(number, None) {
                    continue;
                }
                let locals = &action.code.locals;
                let mut code = Code::new(song, manner, inferred, number, None, locals);
                for parameter in 0..action.code.arity {
                    let argument = Spot::Argument(ActionId::from(at), parameter);
                    code.same(Spot::Local(code.number, LocalId::from(parameter)), argument);
                }
                code.block(&action.code.body);
            }
        }
        System::None => {}
    }
}

/// Code that is looked at.
pub(crate) struct Code<'a> {
    song: &'a Song,
    manner: Manner<'a>,
    inferred: &'a mut Inferred,
    number: usize,
    family: Option<FamilyId>,
    locals: &'a [Local],
    /// Where guards can be checked before the statement: the names that it binds itself.
    binds: Option<BTreeSet<LocalId>>,
    /// The guards met.
    guards: Vec<Guard>,
}

impl<'a> Code<'a> {
    /// The code with this number, of this family.
    pub(crate) fn new(
        song: &'a Song,
        manner: Manner<'a>,
        inferred: &'a mut Inferred,
        number: usize,
        family: Option<FamilyId>,
        locals: &'a [Local],
    ) -> Self {
        Code {
            song,
            manner,
            inferred,
            number,
            family,
            locals,
            binds: None,
            guards: Vec::new(),
        }
    }

    /// The guards of a statement itself, without those of statements in it.
    pub(crate) fn guards(&mut self, stmt: &Stmt) -> Vec<Guard> {
        self.guards.clear();
        let mut alone = stmt.clone();
        match &mut alone.kind {
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                yes.clear();
                no.clear();
            }
            StmtKind::Match(_, arms) => arms.iter_mut().for_each(|(_, block)| block.clear()),
            StmtKind::While(_, _, block) | StmtKind::For { body: block, .. } => block.clear(),
            StmtKind::Part(part) => {
                part.start.clear();
                part.body.clear();
            }
            _ => {}
        }
        self.stmt(&alone);
        std::mem::take(&mut self.guards)
    }

    /// The group of an expression's points: some spot that it reads.
    pub(crate) fn point_of(&self, expr: &Expr) -> Option<Spot> {
        self.points(expr).into_iter().next()
    }
}

impl Code<'_> {
    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    /// Guards are checked before a statement that evaluates its expressions once, first of all.
    fn stmt(&mut self, stmt: &Stmt) {
        let bound = match &stmt.kind {
            _ if !self.manner.guards => None,
            StmtKind::Let(_, expr)
            | StmtKind::If(expr, ..)
            | StmtKind::Assert(expr)
            | StmtKind::Assume(expr)
            | StmtKind::Assign(_, expr) => Some(bound(std::slice::from_ref(expr))),
            StmtKind::Send(_, args, _) | StmtKind::Async(_, args) => Some(bound(args)),
            _ => None,
        };
        self.binds = bound;
        self.parts(stmt);
        self.binds = None;
    }

    fn parts(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let(local, value) => self.bind(*local, value),
            StmtKind::LetChoice(choice) => self.choice(choice),
            StmtKind::Assign(place, value) => self.assign(place, value),
            StmtKind::AssignChoice(place, choice) => {
                self.choice(choice);
                match self.place(place) {
                    Some(spot) => self.same(self.local(choice.local), spot),
                    None => self.number(self.local(choice.local)),
                }
            }
            StmtKind::If(condition, yes, no) => {
                self.class(condition);
                self.binds = None;
                self.block(yes);
                self.block(no);
            }
            StmtKind::Match(scrutinee, arms) => {
                for (pattern, block) in arms {
                    self.pattern(pattern, scrutinee);
                    self.block(block);
                }
            }
            StmtKind::While(condition, clauses, block) => {
                self.clauses(clauses);
                self.class(condition);
                self.block(block);
            }
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => {
                self.clauses(clauses);
                self.domain(&[*local], domain);
                filter.iter().for_each(|filter| self.looks_at(filter));
                self.block(body);
            }
            StmtKind::Maybe(yes, no) => {
                self.block(yes);
                self.block(no);
            }
            StmtKind::Assert(condition) | StmtKind::Assume(condition) => {
                self.class(condition);
            }
            StmtKind::Send(message, args, to) => {
                for (at, arg) in args.iter().enumerate() {
                    self.flows(arg, Spot::Field(*message, at));
                }
                self.class(to);
            }
            StmtKind::Async(action, args) => {
                for (at, arg) in args.iter().enumerate() {
                    self.flows(arg, Spot::Argument(*action, at));
                }
            }
            StmtKind::Receive(accept) => self.accept(accept),
            StmtKind::Select(arms, timeout) => {
                for (accept, block) in arms {
                    self.accept(accept);
                    self.block(block);
                }
                timeout.iter().for_each(|block| self.block(block));
            }
            // Programs with procedures have no states to shift; what is passed counts as a number.
            StmtKind::Spawn(_, args) => args.iter().for_each(|arg| self.plain(arg)),
            StmtKind::Call(_, call) => call.arguments.iter().for_each(|arg| self.plain(arg)),
            StmtKind::Par(calls) => {
                let args = calls.iter().flat_map(|call| &call.arguments);
                args.for_each(|arg| self.plain(arg));
            }
            StmtKind::Part(part) => {
                self.block(&part.start);
                part.requires.iter().for_each(|one| self.plain(one));
                self.block(&part.body);
            }
            StmtKind::Use(used) => used.arguments.iter().for_each(|arg| self.plain(arg)),
            StmtKind::Yield(_) | StmtKind::Break | StmtKind::Continue => {}
        }
    }

    fn clauses(&mut self, clauses: &LoopClauses) {
        let invariants = clauses.invariants.iter();
        invariants.for_each(|invariant| self.looks_at(invariant));
        clauses
            .decreases
            .iter()
            .for_each(|measure| self.plain(measure));
    }

    fn accept(&mut self, accept: &Accept) {
        for (at, slot) in accept.slots.iter().enumerate() {
            if let Some(local) = slot {
                self.same(self.local(*local), Spot::Field(accept.message, at));
            }
        }
        if let Source::Process(process) = &accept.source {
            self.class(process);
        }
        accept
            .filter
            .iter()
            .for_each(|filter| self.looks_at(filter));
    }

    fn choice(&mut self, choice: &Choice) {
        self.domain(&[choice.local], &choice.domain);
        choice
            .filter
            .iter()
            .for_each(|filter| self.looks_at(filter));
    }

    /// Names take their values from a domain; the integers of a whole type are numbers.
    fn domain(&mut self, names: &[LocalId], domain: &Domain) {
        for name in names {
            match domain {
                Domain::Type(_) => self.number(self.local(*name)),
                Domain::In(from) => self.bind(*name, from),
            }
        }
    }

    fn binding(&mut self, binding: &Binding) {
        self.domain(&binding.names, &binding.domain);
        binding
            .filter
            .iter()
            .for_each(|filter| self.looks_at(filter));
    }

    fn assign(&mut self, place: &Place, value: &Expr) {
        match self.place(place) {
            Some(spot) => self.flows(value, spot),
            None => self.plain(value),
        }
    }

    /// The spot that a place lies in; none for a part of a struct, whose integers are numbers.
    fn place(&mut self, place: &Place) -> Option<Spot> {
        let mut is_struct = false;
        for access in &place.path {
            match access {
                Access::Field(_) => is_struct = true,
                Access::Project(_) => {}
                Access::Index(index) => self.plain(index),
            }
        }
        let spot = match &place.root {
            Root::Local(local) => self.local(*local),
            Root::Own(var) => Spot::Var(self.family?, *var),
            Root::Global(global) => Spot::Global(*global),
            Root::Of(..) => return None,
        };
        (!is_struct).then_some(spot)
    }

    fn bind(&mut self, local: LocalId, value: &Expr) {
        self.flows(value, self.local(local));
    }

    /// A value flows into a spot: both are of one class.
    fn flows(&mut self, value: &Expr, spot: Spot) {
        match self.class(value) {
            Class::Point if !self.is_point(spot) => self.demote(value),
            Class::Number => self.number(spot),
            Class::Point => {
                let mut met = self.points(value);
                met.push(spot);
                self.meet(&met);
            }
            Class::Neither => {}
        }
    }

    fn same(&mut self, one: Spot, other: Spot) {
        if !self.is_point(one) {
            self.number(other);
        } else if !self.is_point(other) {
            self.number(one);
        } else {
            self.meet(&[one, other]);
        }
    }

    /// Points that are compared, subtracted or kept together are of one group.
    fn meet(&mut self, spots: &[Spot]) {
        let pairs = spots.windows(2).map(|pair| (pair[0], pair[1]));
        self.inferred.links.extend(pairs);
    }

    /// The points that an expression reads.
    fn points(&self, expr: &Expr) -> Vec<Spot> {
        let mut spots = Vec::new();
        read(expr, self.family, self.number, &mut spots);
        spots.retain(|spot| self.is_point(*spot));
        spots
    }

    /// May these be compared although one is a point and the other a number?
    fn guarded(&mut self, left: &Expr, right: &Expr) -> bool {
        let Some(binds) = &self.binds else {
            return false;
        };
        let is_integer = |expr: &Expr| matches!(expr.ty, Ty::Int | Ty::Nat);
        let mut used = free_locals(left);
        used.extend(free_locals(right));
        if !is_integer(left) || !is_integer(right) || !used.is_disjoint(binds) {
            return false;
        }
        let (point, number) = match (self.class(left), self.class(right)) {
            (Class::Point, Class::Number) => (left, right),
            (Class::Number, Class::Point) => (right, left),
            _ => return false,
        };
        self.guards.push(Guard {
            point: point.clone(),
            number: number.clone(),
        });
        true
    }

    fn is_point(&self, spot: Spot) -> bool {
        self.has_integers(spot) && !self.inferred.numbers.contains(&spot)
    }

    fn has_integers(&self, spot: Spot) -> bool {
        spot_type(self.song, self.locals, spot).is_some_and(has_points)
    }

    fn number(&mut self, spot: Spot) {
        if self.has_integers(spot) {
            self.inferred.numbers.insert(spot);
        }
    }

    fn local(&self, local: LocalId) -> Spot {
        Spot::Local(self.number, local)
    }

    /// Every spot that an expression reads has numbers.
    fn demote(&mut self, expr: &Expr) {
        let mut spots = Vec::new();
        read(expr, self.family, self.number, &mut spots);
        spots.into_iter().for_each(|spot| self.number(spot));
    }

    /// The integers of an expression are numbers.
    fn plain(&mut self, expr: &Expr) {
        if self.class(expr) == Class::Point {
            self.demote(expr);
        }
    }

    /// A condition: its parts are of the classes that they are of.
    fn looks_at(&mut self, expr: &Expr) {
        self.class(expr);
    }

    /// Expressions whose values are compared or kept together are of one class.
    fn unified<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Class {
        let exprs: Vec<&Expr> = exprs.into_iter().collect();
        let classes: Vec<Class> = exprs.iter().map(|expr| self.class(expr)).collect();
        match (
            classes.contains(&Class::Point),
            classes.contains(&Class::Number),
        ) {
            (true, true) => {
                exprs.iter().for_each(|expr| self.demote(expr));
                Class::Number
            }
            (true, false) => {
                let met: Vec<Spot> = exprs.iter().flat_map(|expr| self.points(expr)).collect();
                self.meet(&met);
                Class::Point
            }
            (false, true) => Class::Number,
            (false, false) => Class::Neither,
        }
    }

    fn pattern(&mut self, pattern: &Pattern, scrutinee: &Expr) {
        let class = self.class(scrutinee);
        self.matched(pattern, scrutinee, class);
    }

    fn matched(&mut self, pattern: &Pattern, scrutinee: &Expr, class: Class) {
        match &pattern.kind {
            PatternKind::Bind(local) => match class {
                Class::Point if !self.is_point(self.local(*local)) => {
                    if self.has_integers(self.local(*local)) {
                        self.demote(scrutinee);
                    }
                }
                Class::Number => self.number(self.local(*local)),
                Class::Point => {
                    let mut met = self.points(scrutinee);
                    met.push(self.local(*local));
                    met.retain(|spot| self.is_point(*spot));
                    self.meet(&met);
                }
                Class::Neither => {}
            },
            PatternKind::Int(_) if class == Class::Point => self.demote(scrutinee),
            PatternKind::Some(inner) => self.matched(inner, scrutinee, class),
            PatternKind::Tuple(parts) => {
                parts
                    .iter()
                    .for_each(|part| self.matched(part, scrutinee, class));
            }
            PatternKind::Variant(_, _, parts)
            | PatternKind::Struct(_, parts)
            | PatternKind::Pid(_, parts) => {
                parts
                    .iter()
                    .for_each(|part| self.matched(part, scrutinee, Class::Number));
            }
            PatternKind::Wild | PatternKind::Bool(_) | PatternKind::Int(_) | PatternKind::None => {}
        }
    }

    /// What is compared when asyncs or messages are counted by what they carry are numbers, not points.
    fn counted(&mut self, action: ActionId, count: usize) {
        let Some(voices) = self.song.voices() else {
            (0..count).for_each(|at| self.number(Spot::Argument(action, at)));
            return;
        };
        let message = voices.message_actions()[action.index()].message;
        let fields = voices.messages[message.index()].fields.len();
        (0..fields).for_each(|at| self.number(Spot::Field(message, at)));
    }

    /// The class of the integers of an expression's value.
    fn class(&mut self, expr: &Expr) -> Class {
        let at = |code: &Self, spot: Spot| match (code.has_integers(spot), code.is_point(spot)) {
            (false, _) => Class::Neither,
            (true, true) => Class::Point,
            (true, false) => Class::Number,
        };
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::None | ExprKind::SelfPid => Class::Neither,
            ExprKind::Int(_) | ExprKind::Const(_) | ExprKind::All(_) | ExprKind::Pending(_) => {
                Class::Number
            }
            ExprKind::Local(local) => at(self, self.local(*local)),
            ExprKind::Own(var) => match self.family {
                Some(family) => at(self, Spot::Var(family, *var)),
                None => Class::Number,
            },
            ExprKind::Global(global) => at(self, Spot::Global(*global)),
            ExprKind::Of(_, args, _)
            | ExprKind::Pid(_, args)
            | ExprKind::Call(_, args)
            | ExprKind::Struct(_, args)
            | ExprKind::Variant(_, _, args) => {
                args.iter().for_each(|arg| self.plain(arg));
                Class::Number
            }
            ExprKind::PendingOf(action, args) => {
                args.iter().for_each(|arg| self.plain(arg));
                self.counted(*action, args.len());
                Class::Number
            }
            ExprKind::Unary(UnOp::Not, inner) => {
                self.class(inner);
                Class::Neither
            }
            ExprKind::Unary(UnOp::Neg, inner) | ExprKind::Old(inner) | ExprKind::Crashed(inner) => {
                self.plain(inner);
                Class::Number
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Range { start, end, .. } => {
                self.plain(start);
                self.plain(end);
                Class::Number
            }
            ExprKind::If(condition, yes, no) => {
                self.class(condition);
                self.unified([&**yes, &**no])
            }
            ExprKind::Match(scrutinee, arms) => {
                for (pattern, _) in arms {
                    self.pattern(pattern, scrutinee);
                }
                self.unified(arms.iter().map(|(_, value)| value))
            }
            ExprKind::Is(scrutinee, pattern) => {
                self.pattern(pattern, scrutinee);
                Class::Neither
            }
            ExprKind::Let(local, value, body) => {
                self.bind(*local, value);
                self.class(body)
            }
            ExprKind::Tuple(parts) | ExprKind::Literal(parts) => self.unified(parts),
            ExprKind::Project(inner, _) | ExprKind::Some(inner) => self.class(inner),
            ExprKind::Widen(inner) => match inner.ty {
                Ty::Nat => self.class(inner),
                _ => {
                    self.plain(inner);
                    Class::Number
                }
            },
            ExprKind::Field(inner, _) => {
                self.class(inner);
                Class::Number
            }
            ExprKind::Update(inner, fields) => {
                self.class(inner);
                fields.iter().for_each(|(_, value)| self.plain(value));
                Class::Number
            }
            ExprKind::Comprehension(binding, body) => {
                self.binding(binding);
                self.class(body)
            }
            ExprKind::MapOf(key, body) => {
                self.number(self.local(*key));
                self.class(body)
            }
            ExprKind::Index(whole, index) => {
                self.plain(index);
                self.class(whole)
            }
            ExprKind::Method(method, args) => self.method(*method, args),
            ExprKind::Quantifier(quantifier, bindings, body) => {
                bindings.iter().for_each(|binding| self.binding(binding));
                match quantifier {
                    Quantifier::Sum => self.plain(body),
                    _ => self.looks_at(body),
                }
                match quantifier {
                    Quantifier::Forall | Quantifier::Exists => Class::Neither,
                    Quantifier::Count | Quantifier::Sum => Class::Number,
                }
            }
            ExprKind::Narrow(inner) => match (self.class(inner), &expr.ty) {
                (Class::Point, Ty::Nat) => {
                    self.inferred.is_checked = true;
                    Class::Point
                }
                (Class::Point, _) => {
                    self.demote(inner);
                    Class::Number
                }
                (class, _) => class,
            },
        }
    }

    fn binary(&mut self, op: BinOp, left: &Expr, right: &Expr) -> Class {
        let is_number = matches!(left.ty, Ty::Int | Ty::Nat | Ty::Sort(_));
        match op {
            BinOp::And | BinOp::Or | BinOp::Implies | BinOp::Iff => {
                self.class(left);
                self.class(right);
                Class::Neither
            }
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge
                if self.guarded(left, right) =>
            {
                Class::Neither
            }
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::In => {
                self.unified([left, right]);
                Class::Neither
            }
            BinOp::Add | BinOp::Sub if is_number => {
                match (op, self.class(left), self.class(right)) {
                    (BinOp::Add, Class::Point, Class::Point)
                    | (BinOp::Sub, Class::Number | Class::Neither, Class::Point) => {
                        self.demote(left);
                        self.demote(right);
                        Class::Number
                    }
                    (BinOp::Sub, Class::Point, Class::Point) => {
                        let met = [self.points(left), self.points(right)].concat();
                        self.meet(&met);
                        Class::Number
                    }
                    (_, Class::Point, _) | (_, _, Class::Point) => Class::Point,
                    _ => Class::Number,
                }
            }
            BinOp::Add | BinOp::Sub | BinOp::Union | BinOp::Inter => self.unified([left, right]),
            BinOp::Mul | BinOp::Div | BinOp::Rem => {
                self.plain(left);
                self.plain(right);
                Class::Number
            }
        }
    }

    fn method(&mut self, method: Builtin, args: &[Expr]) -> Class {
        match method {
            Builtin::Len
            | Builtin::Count
            | Builtin::IsEmpty
            | Builtin::IsSome
            | Builtin::IsNone
            | Builtin::Contains
            | Builtin::Subset => {
                self.unified(args);
                match method {
                    Builtin::Len | Builtin::Count => Class::Number,
                    _ => Class::Neither,
                }
            }
            Builtin::Update => {
                self.plain(&args[1]);
                self.unified([&args[0], &args[2]])
            }
            Builtin::With
            | Builtin::Without
            | Builtin::Min
            | Builtin::Max
            | Builtin::ToSet
            | Builtin::ToBag
            | Builtin::First
            | Builtin::Last
            | Builtin::Push
            | Builtin::DropFirst
            | Builtin::DropLast
            | Builtin::Unwrap
            | Builtin::UnwrapOr => self.unified(args),
        }
    }
}

/// The type of what is kept in a spot, seen from code with these locals.
pub(crate) fn spot_type<'a>(song: &'a Song, locals: &'a [Local], spot: Spot) -> Option<&'a Ty> {
    Some(match spot {
        Spot::Var(family, var) => &song.families[family.index()].vars[var.index()].ty,
        Spot::Global(global) => &song.actions()?.globals[global.index()].ty,
        Spot::Field(message, at) => &song.voices()?.messages[message.index()].fields[at].ty,
        Spot::Argument(action, at) => &song.actions()?.actions[action.index()].code.locals[at].ty,
        Spot::Local(_, local) => &locals[local.index()].ty,
    })
}

/// The names that expressions bind themselves.
fn bound(exprs: &[Expr]) -> BTreeSet<LocalId> {
    exprs.iter().flat_map(locals_bound).collect()
}

/// The spots that an expression reads.
fn read(expr: &Expr, family: Option<FamilyId>, code: usize, spots: &mut Vec<Spot>) {
    each_expr(expr, |expr| match &expr.kind {
        ExprKind::Local(local) => spots.push(Spot::Local(code, *local)),
        ExprKind::Own(var) => spots.extend(family.map(|family| Spot::Var(family, *var))),
        ExprKind::Global(global) => spots.push(Spot::Global(*global)),
        _ => {}
    });
}
