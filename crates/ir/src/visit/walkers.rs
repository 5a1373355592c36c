//! The two traits and their walks, written once: the bodies differ only in `&` and `&mut`.

use crate::{
    Accept, Access, Actions, Binding, Block, Body, Choice, Choreography, Claim, Code, Const,
    Contract, Covers, Domain, Expr, ExprKind, Family, Function, InvariantCall, LineKind, Local,
    LocalId, LoopClauses, Measures, Part, Pattern, PatternKind, Place, Process, Property, RangeEnd,
    Root, Sequentialization, Sizing, Song, SortDecl, SortKind, Source, StartValue, Stmt, StmtKind,
    System, Voices,
};
use plainsong_diagnostics::Span;

/// Declares a visitor trait and the module of its walks.
macro_rules! walkers {
    ($(#[$meta:meta])* $visit:ident, $walk:ident, $table:ty $(, $mut:ident)?) => {
        $(#[$meta])*
        pub trait $visit {
            /// An expression.
            fn expr(&mut self, expr: & $($mut)? Expr) {
                $walk::expr(self, expr);
            }

            fn pattern(&mut self, pattern: & $($mut)? Pattern) {
                $walk::pattern(self, pattern);
            }

            /// A statement.
            fn stmt(&mut self, stmt: & $($mut)? Stmt) {
                $walk::stmt(self, stmt);
            }

            /// Statements in sequence.
            fn block(&mut self, block: & $($mut)? Block) {
                $walk::block(self, block);
            }

            /// Annotations of a loop.
            fn clauses(&mut self, clauses: & $($mut)? LoopClauses) {
                $walk::clauses(self, clauses);
            }

            /// What an assignment writes to.
            fn place(&mut self, place: & $($mut)? Place) {
                $walk::place(self, place);
            }

            /// Names over a domain, in a quantifier or comprehension.
            fn binding(&mut self, binding: & $($mut)? Binding) {
                $walk::binding(self, binding);
            }

            /// A free choice.
            fn choice(&mut self, choice: & $($mut)? Choice) {
                $walk::choice(self, choice);
            }

            /// What a receive or handler accepts.
            fn accept(&mut self, accept: & $($mut)? Accept) {
                $walk::accept(self, accept);
            }

            /// A local is bound here.
            fn binds(&mut self, _local: & $($mut)? LocalId) {}

            /// A local is read or assigned here.
            fn uses(&mut self, _local: & $($mut)? LocalId) {}

            /// A place in the text.
            fn span(&mut self, _span: & $($mut)? Span) {}

            /// A declaration with its own table of locals begins.
            fn enter(&mut self, _locals: & $($mut)? $table) {}

            /// The declaration ends.
            fn leave(&mut self, _locals: & $($mut)? $table) {}
        }

        /// The walks behind the trait's defaults.
        pub mod $walk {
            use super::*;

            /// Into the parts of an expression.
            pub fn expr<V: $visit + ?Sized>(v: &mut V, expr: & $($mut)? Expr) {
                v.span(& $($mut)? expr.span);
                match & $($mut)? expr.kind {
                    ExprKind::Bool(_)
                    | ExprKind::Int(_)
                    | ExprKind::Own(_)
                    | ExprKind::Global(_)
                    | ExprKind::Const(_)
                    | ExprKind::All(_)
                    | ExprKind::SelfPid
                    | ExprKind::None
                    | ExprKind::Pending(_) => {}
                    ExprKind::Local(local) => v.uses(local),
                    ExprKind::Of(_, parts, _)
                    | ExprKind::Pid(_, parts)
                    | ExprKind::Tuple(parts)
                    | ExprKind::Struct(_, parts)
                    | ExprKind::Variant(_, _, parts)
                    | ExprKind::Literal(parts)
                    | ExprKind::Method(_, parts)
                    | ExprKind::PendingOf(_, parts)
                    | ExprKind::Call(_, parts) => exprs(v, parts),
                    ExprKind::Unary(_, a)
                    | ExprKind::Project(a, _)
                    | ExprKind::Field(a, _)
                    | ExprKind::Some(a)
                    | ExprKind::Old(a)
                    | ExprKind::Crashed(a)
                    | ExprKind::Widen(a)
                    | ExprKind::Narrow(a) => v.expr(a),
                    ExprKind::Binary(_, a, b)
                    | ExprKind::Index(a, b)
                    | ExprKind::Range { start: a, end: b, .. } => {
                        v.expr(a);
                        v.expr(b);
                    }
                    ExprKind::If(a, b, c) => {
                        v.expr(a);
                        v.expr(b);
                        v.expr(c);
                    }
                    ExprKind::Match(scrutinee, arms) => {
                        v.expr(scrutinee);
                        for (pattern, value) in arms {
                            v.pattern(pattern);
                            v.expr(value);
                        }
                    }
                    ExprKind::Is(scrutinee, pattern) => {
                        v.expr(scrutinee);
                        v.pattern(pattern);
                    }
                    ExprKind::Let(local, value, body) => {
                        v.expr(value);
                        v.binds(local);
                        v.expr(body);
                    }
                    ExprKind::Update(base, changes) => {
                        for (_, value) in changes {
                            v.expr(value);
                        }
                        v.expr(base);
                    }
                    ExprKind::Comprehension(binding, body) => {
                        v.binding(binding);
                        v.expr(body);
                    }
                    ExprKind::MapOf(local, body) => {
                        v.binds(local);
                        v.expr(body);
                    }
                    ExprKind::Quantifier(_, bindings, body) => {
                        for binding in bindings {
                            v.binding(binding);
                        }
                        v.expr(body);
                    }
                }
            }

            /// Into each of several expressions.
            pub fn exprs<V: $visit + ?Sized>(v: &mut V, exprs: & $($mut)? [Expr]) {
                for expr in exprs {
                    v.expr(expr);
                }
            }

            /// Into the parts of a pattern.
            pub fn pattern<V: $visit + ?Sized>(v: &mut V, pattern: & $($mut)? Pattern) {
                v.span(& $($mut)? pattern.span);
                match & $($mut)? pattern.kind {
                    PatternKind::Wild
                    | PatternKind::Bool(_)
                    | PatternKind::Int(_)
                    | PatternKind::None => {}
                    PatternKind::Bind(local) => v.binds(local),
                    PatternKind::Some(inner) => v.pattern(inner),
                    PatternKind::Tuple(parts)
                    | PatternKind::Variant(_, _, parts)
                    | PatternKind::Struct(_, parts)
                    | PatternKind::Pid(_, parts) => {
                        for part in parts {
                            v.pattern(part);
                        }
                    }
                }
            }

            /// Into the domain, the names and the filter.
            pub fn binding<V: $visit + ?Sized>(v: &mut V, binding: & $($mut)? Binding) {
                domain(v, & $($mut)? binding.domain);
                for name in & $($mut)? binding.names {
                    v.binds(name);
                }
                optional(v, & $($mut)? binding.filter);
            }

            /// Into the domain, the name and the filter.
            pub fn choice<V: $visit + ?Sized>(v: &mut V, choice: & $($mut)? Choice) {
                domain(v, & $($mut)? choice.domain);
                v.binds(& $($mut)? choice.local);
                optional(v, & $($mut)? choice.filter);
            }

            fn domain<V: $visit + ?Sized>(v: &mut V, domain: & $($mut)? Domain) {
                match domain {
                    Domain::Type(_) => {}
                    Domain::In(set) => v.expr(set),
                }
            }

            fn optional<V: $visit + ?Sized>(v: &mut V, expr: & $($mut)? Option<Expr>) {
                if let Some(expr) = expr {
                    v.expr(expr);
                }
            }

            /// Into each statement.
            pub fn block<V: $visit + ?Sized>(v: &mut V, block: & $($mut)? Block) {
                for stmt in block {
                    v.stmt(stmt);
                }
            }

            /// Into a call of a choreography and what it stands for.
            pub fn part<V: $visit + ?Sized>(v: &mut V, part: & $($mut)? Part) {
                exprs(v, & $($mut)? part.arguments);
                for role in & $($mut)? part.cast {
                    exprs(v, & $($mut)? role.member);
                }
                v.block(& $($mut)? part.start);
                exprs(v, & $($mut)? part.requires);
                exprs(v, & $($mut)? part.ensures);
                v.block(& $($mut)? part.body);
            }

            /// Into the parts of a statement.
            pub fn stmt<V: $visit + ?Sized>(v: &mut V, stmt: & $($mut)? Stmt) {
                v.span(& $($mut)? stmt.span);
                match & $($mut)? stmt.kind {
                    StmtKind::Break | StmtKind::Continue => {}
                    StmtKind::Let(local, value) => {
                        v.expr(value);
                        v.binds(local);
                    }
                    StmtKind::LetChoice(choice) => v.choice(choice),
                    StmtKind::Assign(place, value) => {
                        v.place(place);
                        v.expr(value);
                    }
                    StmtKind::AssignChoice(place, choice) => {
                        v.place(place);
                        v.choice(choice);
                    }
                    StmtKind::If(condition, yes, no) => {
                        v.expr(condition);
                        v.block(yes);
                        v.block(no);
                    }
                    StmtKind::Match(scrutinee, arms) => {
                        v.expr(scrutinee);
                        for (pattern, body) in arms {
                            v.pattern(pattern);
                            v.block(body);
                        }
                    }
                    StmtKind::While(condition, annotations, body) => {
                        v.expr(condition);
                        v.clauses(annotations);
                        v.block(body);
                    }
                    StmtKind::For { local, domain: elements, filter, clauses: annotations, body } => {
                        domain(v, elements);
                        v.binds(local);
                        optional(v, filter);
                        v.clauses(annotations);
                        v.block(body);
                    }
                    StmtKind::Maybe(yes, no) => {
                        v.block(yes);
                        v.block(no);
                    }
                    StmtKind::Assert(condition) | StmtKind::Assume(condition) => v.expr(condition),
                    StmtKind::Send(_, payload, address) => {
                        exprs(v, payload);
                        v.expr(address);
                    }
                    StmtKind::Receive(accept) => v.accept(accept),
                    StmtKind::Select(arms, timeout) => {
                        for (accept, body) in arms {
                            v.accept(accept);
                            v.block(body);
                        }
                        if let Some(timeout) = timeout {
                            v.block(timeout);
                        }
                    }
                    StmtKind::Async(_, arguments) | StmtKind::Spawn(_, arguments) => {
                        exprs(v, arguments);
                    }
                    StmtKind::Call(result, call) => {
                        v.span(& $($mut)? call.span);
                        exprs(v, & $($mut)? call.arguments);
                        if let Some(local) = result {
                            v.binds(local);
                        }
                    }
                    StmtKind::Par(calls) => {
                        for call in calls {
                            v.span(& $($mut)? call.span);
                            exprs(v, & $($mut)? call.arguments);
                        }
                    }
                    StmtKind::Use(used) => exprs(v, & $($mut)? used.arguments),
                    StmtKind::Part(one) => part(v, one),
                    StmtKind::Yield(calls) => {
                        for call in calls {
                            invariant_call(v, call);
                        }
                    }
                }
            }

            fn invariant_call<V: $visit + ?Sized>(v: &mut V, call: & $($mut)? InvariantCall) {
                v.span(& $($mut)? call.span);
                exprs(v, & $($mut)? call.arguments);
            }

            /// Into invariants and measure.
            pub fn clauses<V: $visit + ?Sized>(v: &mut V, clauses: & $($mut)? LoopClauses) {
                exprs(v, & $($mut)? clauses.invariants);
                exprs(v, & $($mut)? clauses.decreases);
            }

            /// Into the root and the path of a place.
            pub fn place<V: $visit + ?Sized>(v: &mut V, place: & $($mut)? Place) {
                v.span(& $($mut)? place.span);
                match & $($mut)? place.root {
                    Root::Local(local) => v.uses(local),
                    Root::Of(_, index, _) => exprs(v, index),
                    Root::Own(_) | Root::Global(_) => {}
                }
                for access in & $($mut)? place.path {
                    if let Access::Index(index) = access {
                        v.expr(index);
                    }
                }
            }

            /// Into the source, the names and the filter of an accept.
            pub fn accept<V: $visit + ?Sized>(v: &mut V, accept: & $($mut)? Accept) {
                v.span(& $($mut)? accept.span);
                if let Source::Process(process) = & $($mut)? accept.source {
                    v.expr(process);
                }
                for slot in & $($mut)? accept.slots {
                    if let Some(local) = slot {
                        v.binds(local);
                    }
                }
                match & $($mut)? accept.source {
                    Source::Process(_) | Source::Anyone(None) => {}
                    Source::Anyone(Some(who)) => v.binds(who),
                    Source::Family(_, index, who) => {
                        for local in index {
                            v.binds(local);
                        }
                        if let Some(who) = who {
                            v.binds(who);
                        }
                    }
                }
                optional(v, & $($mut)? accept.filter);
            }

            /// Into a start value.
            pub fn start<V: $visit + ?Sized>(v: &mut V, start: & $($mut)? StartValue) {
                match start {
                    StartValue::Value(value) => v.expr(value),
                    StartValue::Choice(choice) => v.choice(choice),
                }
            }

            /// Into everything a song says.
            pub fn song<V: $visit + ?Sized>(v: &mut V, song: & $($mut)? Song) {
                for sort in & $($mut)? song.sorts {
                    sort_decl(v, sort);
                }
                for decl in & $($mut)? song.enums {
                    v.span(& $($mut)? decl.span);
                }
                for decl in & $($mut)? song.structs {
                    v.span(& $($mut)? decl.span);
                }
                for decl in & $($mut)? song.consts {
                    constant(v, decl);
                }
                for decl in & $($mut)? song.functions {
                    function(v, decl);
                }
                for decl in & $($mut)? song.families {
                    family(v, decl);
                }
                match & $($mut)? song.system {
                    System::None => {}
                    System::Voices(system) => voices(v, system),
                    System::Actions(system) => actions(v, system),
                }
                for line in & $($mut)? song.lines {
                    choreography(v, line);
                }
                for decl in & $($mut)? song.properties {
                    property(v, decl);
                }
                for decl in & $($mut)? song.constraints {
                    property(v, decl);
                }
                sizings(v, & $($mut)? song.sizes);
            }

            fn table<V: $visit + ?Sized>(v: &mut V, locals: & $($mut)? $table) {
                for local in & $($mut)? *locals {
                    v.span(& $($mut)? local.span);
                }
                v.enter(locals);
            }

            fn sort_decl<V: $visit + ?Sized>(v: &mut V, sort: & $($mut)? SortDecl) {
                v.span(& $($mut)? sort.span);
                if let SortKind::Range(range) = & $($mut)? sort.kind {
                    v.expr(& $($mut)? range.start);
                    match & $($mut)? range.end {
                        RangeEnd::Open => {}
                        RangeEnd::Before(end) | RangeEnd::With(end) => v.expr(end),
                    }
                }
            }

            fn constant<V: $visit + ?Sized>(v: &mut V, decl: & $($mut)? Const) {
                v.span(& $($mut)? decl.span);
                table(v, & $($mut)? decl.locals);
                optional(v, & $($mut)? decl.value);
                optional(v, & $($mut)? decl.constraint);
                v.leave(& $($mut)? decl.locals);
            }

            fn function<V: $visit + ?Sized>(v: &mut V, decl: & $($mut)? Function) {
                v.span(& $($mut)? decl.span);
                table(v, & $($mut)? decl.locals);
                contract(v, & $($mut)? decl.contract);
                optional(v, & $($mut)? decl.body);
                v.leave(& $($mut)? decl.locals);
            }

            fn contract<V: $visit + ?Sized>(v: &mut V, decl: & $($mut)? Contract) {
                exprs(v, & $($mut)? decl.requires);
                if let Some(result) = & $($mut)? decl.result {
                    v.binds(result);
                }
                exprs(v, & $($mut)? decl.ensures);
                exprs(v, & $($mut)? decl.decreases);
            }

            fn family<V: $visit + ?Sized>(v: &mut V, decl: & $($mut)? Family) {
                v.span(& $($mut)? decl.span);
                for var in & $($mut)? decl.vars {
                    v.span(& $($mut)? var.span);
                    table(v, & $($mut)? var.locals);
                    start(v, & $($mut)? var.start);
                    v.leave(& $($mut)? var.locals);
                }
            }

            fn voices<V: $visit + ?Sized>(v: &mut V, voices: & $($mut)? Voices) {
                for fault in & $($mut)? voices.faults {
                    v.span(& $($mut)? fault.span);
                }
                for message in & $($mut)? voices.messages {
                    v.span(& $($mut)? message.span);
                    measures(v, & $($mut)? message.measures);
                    order(v, & $($mut)? message.order);
                }
                for decl in & $($mut)? voices.processes {
                    process(v, decl);
                }
                if let Some(init) = & $($mut)? voices.init {
                    code(v, init);
                }
                sequences(v, & $($mut)? voices.sequences);
            }

            fn measures<V: $visit + ?Sized>(v: &mut V, measures: & $($mut)? Measures) {
                table(v, & $($mut)? measures.locals);
                exprs(v, & $($mut)? measures.levels);
                v.leave(& $($mut)? measures.locals);
            }

            fn order<V: $visit + ?Sized>(v: &mut V, order: & $($mut)? Covers) {
                table(v, & $($mut)? order.locals);
                exprs(v, & $($mut)? order.clauses);
                v.leave(& $($mut)? order.locals);
            }

            fn process<V: $visit + ?Sized>(v: &mut V, decl: & $($mut)? Process) {
                measures(v, & $($mut)? decl.measures);
                order(v, & $($mut)? decl.order);
                table(v, & $($mut)? decl.locals);
                match & $($mut)? decl.body {
                    Body::Sequential(body) => v.block(body),
                    Body::Handlers(handlers) => {
                        for handler in handlers {
                            v.accept(& $($mut)? handler.accept);
                            v.block(& $($mut)? handler.body);
                        }
                    }
                }
                v.leave(& $($mut)? decl.locals);
            }

            /// Into statements with their locals.
            pub fn code<V: $visit + ?Sized>(v: &mut V, code: & $($mut)? Code) {
                table(v, & $($mut)? code.locals);
                v.block(& $($mut)? code.body);
                v.leave(& $($mut)? code.locals);
            }

            fn actions<V: $visit + ?Sized>(v: &mut V, actions: & $($mut)? Actions) {
                for global in & $($mut)? actions.globals {
                    v.span(& $($mut)? global.span);
                    table(v, & $($mut)? global.locals);
                    start(v, & $($mut)? global.start);
                    v.leave(& $($mut)? global.locals);
                }
                for action in & $($mut)? actions.actions {
                    v.span(& $($mut)? action.span);
                    table(v, & $($mut)? action.code.locals);
                    for local in & $($mut)? action.role.linear {
                        v.uses(local);
                    }
                    for local in & $($mut)? action.role.taken {
                        v.uses(local);
                    }
                    for local in & $($mut)? action.role.given {
                        v.uses(local);
                    }
                    if let Some(local) = & $($mut)? action.role.result {
                        v.binds(local);
                    }
                    for call in & $($mut)? action.role.requires {
                        invariant_call(v, call);
                    }
                    v.block(& $($mut)? action.code.body);
                    v.leave(& $($mut)? action.code.locals);
                }
                if let Some(init) = & $($mut)? actions.init {
                    code(v, init);
                }
                for invariant in & $($mut)? actions.invariants {
                    v.span(& $($mut)? invariant.span);
                    table(v, & $($mut)? invariant.locals);
                    for local in & $($mut)? invariant.linear {
                        v.uses(local);
                    }
                    v.expr(& $($mut)? invariant.body);
                    v.leave(& $($mut)? invariant.locals);
                }
                for procedure in & $($mut)? actions.procedures {
                    v.span(& $($mut)? procedure.span);
                    table(v, & $($mut)? procedure.code.locals);
                    for local in & $($mut)? procedure.linear {
                        v.uses(local);
                    }
                    for local in & $($mut)? procedure.taken {
                        v.uses(local);
                    }
                    for local in & $($mut)? procedure.given {
                        v.uses(local);
                    }
                    if let Some(local) = & $($mut)? procedure.result {
                        v.binds(local);
                    }
                    for clause in & $($mut)? procedure.clauses {
                        invariant_call(v, & $($mut)? clause.call);
                    }
                    contract(v, & $($mut)? procedure.contract);
                    v.block(& $($mut)? procedure.code.body);
                    v.leave(& $($mut)? procedure.code.locals);
                }
                sequences(v, & $($mut)? actions.sequences);
                for commute in & $($mut)? actions.commutes {
                    v.span(& $($mut)? commute.span);
                    table(v, & $($mut)? commute.locals);
                    for (local, value) in & $($mut)? commute.with {
                        v.uses(local);
                        v.expr(value);
                    }
                    v.leave(& $($mut)? commute.locals);
                }
            }

            fn sequences<V: $visit + ?Sized>(v: &mut V, all: & $($mut)? [Sequentialization]) {
                for sequence in all {
                    v.span(& $($mut)? sequence.span);
                    table(v, & $($mut)? sequence.code.locals);
                    exprs(v, & $($mut)? sequence.invariants);
                    exprs(v, & $($mut)? sequence.decreases);
                    if let Some(by) = & $($mut)? sequence.by {
                        for (local, value) in & $($mut)? by.with {
                            v.uses(local);
                            v.expr(value);
                        }
                    }
                    v.block(& $($mut)? sequence.code.body);
                    v.leave(& $($mut)? sequence.code.locals);
                }
            }

            fn choreography<V: $visit + ?Sized>(v: &mut V, line: & $($mut)? Choreography) {
                v.span(& $($mut)? line.span);
                table(v, & $($mut)? line.code.locals);
                exprs(v, & $($mut)? line.requires);
                exprs(v, & $($mut)? line.ensures);
                if let LineKind::Lemma(decreases) = & $($mut)? line.kind {
                    exprs(v, decreases);
                }
                v.block(& $($mut)? line.code.body);
                v.leave(& $($mut)? line.code.locals);
            }

            fn property<V: $visit + ?Sized>(v: &mut V, decl: & $($mut)? Property) {
                v.span(& $($mut)? decl.span);
                sizings(v, & $($mut)? decl.sizes);
                table(v, & $($mut)? decl.locals);
                match & $($mut)? decl.claim {
                    Claim::Finally(claim) | Claim::Always(claim) | Claim::Step(claim) => {
                        v.expr(claim);
                    }
                    Claim::Quiescent { .. } => {}
                    Claim::Temporal(temporal) => {
                        for part in & $($mut)? temporal.parts {
                            for binding in & $($mut)? part.bindings {
                                v.binding(binding);
                            }
                            if let Some(premise) = & $($mut)? part.premise {
                                v.expr(premise);
                            }
                            v.expr(& $($mut)? part.goal);
                            for measure in & $($mut)? part.measure {
                                v.expr(measure);
                            }
                        }
                    }
                }
                v.leave(& $($mut)? decl.locals);
            }

            fn sizings<V: $visit + ?Sized>(v: &mut V, sizings: & $($mut)? [Sizing]) {
                for sizing in sizings {
                    v.span(& $($mut)? sizing.span);
                }
            }
        }
    };
}

walkers! {
    /// Looks at every part of a song.
    Visit, walk, [Local]
}

walkers! {
    /// Changes parts of a song.
    VisitMut, walk_mut, Vec<Local>, mut
}
