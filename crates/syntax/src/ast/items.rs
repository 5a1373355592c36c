//! Views of a file and its items.

use super::patterns::integer;
use super::types::domain;
use super::{
    Block, BlockExpr, ChoreographyItem, CommuteItem, ConstraintItem, Contract, CoversClause,
    DecreasesClause, Domain, Expr, InvariantItem, InvariantUse, LayerClause, LayersItem, LemmaItem,
    Name, ProcedureItem, ProcessItem, PropertyItem, RangeExpr, ResultDecl, SequentializeItem,
    SizeItem, Type, VarDecl, child, children, choices, has, name, names, nodes, token,
};
use crate::kinds::{SyntaxKind, SyntaxNode};

nodes! {
    /// A whole file.
    Song = SongFile;
    /// `sort Db;`
    SortItem = SortItem;
    /// `enum Reply { … }`
    EnumItem = EnumItem;
    /// `Value(int, bool)` in an enum.
    Variant = Variant;
    /// `struct Entry { … }`
    StructItem = StructItem;
    /// `term: nat` in a struct.
    FieldDecl = FieldDecl;
    /// `const LIMIT: int = 10;`
    ConstItem = ConstItem;
    /// `param N: nat where N >= 1;`
    ParamItem = ParamItem;
    /// `fn f(x: int) -> int { … }`
    FnItem = FnItem;
    /// `message Vote(yes: bool) via fifo;`
    MessageItem = MessageItem;
    /// `action A(t: Tid) { … }`
    ActionItem = ActionItem;
    /// `init { … }`
    InitItem = InitItem;
    /// `fault crash node <= 1;`
    FaultItem = FaultItem;
    /// `(x: T, …)` or `[x: T, …]`.
    BinderList = BinderList;
    /// `x: T`
    Binder = Binder;
    /// `where e`
    WhereClause = WhereClause;
    /// `choose S where e`
    Choose = Choose;
}

choices! {
    /// An item.
    Item {
        /// `sort …`
        Sort(SortItem),
        /// `enum …`
        Enum(EnumItem),
        /// `struct …`
        Struct(StructItem),
        /// `const …`
        Const(ConstItem),
        /// `param …`
        Param(ParamItem),
        /// `fn …`
        Fn(FnItem),
        /// `message …`
        Message(MessageItem),
        /// `process …`
        Process(ProcessItem),
        /// `var …`: a global variable.
        Var(VarDecl),
        /// `action …`
        Action(ActionItem),
        /// `init …`
        Init(InitItem),
        /// `choreography …`
        Choreography(ChoreographyItem),
        /// `lemma …`
        Lemma(LemmaItem),
        /// `property …`
        Property(PropertyItem),
        /// `constraint …`
        Constraint(ConstraintItem),
        /// `size …`
        Size(SizeItem),
        /// `fault …`
        Fault(FaultItem),
        /// `invariant …`
        Invariant(InvariantItem),
        /// `procedure …`
        Procedure(ProcedureItem),
        /// `sequentialize …`
        Sequentialize(SequentializeItem),
        /// `commute …`
        Commute(CommuteItem),
        /// `layers …`
        Layers(LayersItem),
    }
}

impl Song {
    /// The items in order.
    pub fn items(&self) -> impl Iterator<Item = Item> + use<> {
        children(&self.syntax)
    }
}

impl FaultItem {
    /// What happens, as written.
    pub fn what(&self) -> Option<Name> {
        names(&self.syntax).next()
    }

    /// The process or message.
    pub fn whom(&self) -> Option<Name> {
        names(&self.syntax).nth(1)
    }

    /// How often at most, if written; `None` inside for a number that is too large.
    pub fn most(&self) -> Option<Option<i64>> {
        token(&self.syntax, SyntaxKind::Int).map(|most| integer(most.text()))
    }
}

impl SortItem {
    /// The sort.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// `ordered`?
    pub fn is_ordered(&self) -> bool {
        has(&self.syntax, SyntaxKind::OrderedKw)
    }

    /// The integers it consists of, if it is a range; the range may lack its end.
    pub fn range(&self) -> Option<RangeExpr> {
        child(&self.syntax)
    }
}

impl EnumItem {
    /// The enum.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// The type whose permissions it splits.
    pub fn splits(&self) -> Option<Type> {
        child(&self.syntax)
    }

    /// Its variants in order.
    pub fn variants(&self) -> impl Iterator<Item = Variant> + use<> {
        children(&self.syntax)
    }
}

impl Variant {
    /// The variant.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// The types of what it carries.
    pub fn payload(&self) -> impl Iterator<Item = Type> + use<> {
        children(&self.syntax)
    }
}

impl StructItem {
    /// The struct.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its fields in order.
    pub fn fields(&self) -> impl Iterator<Item = FieldDecl> + use<> {
        children(&self.syntax)
    }
}

impl FieldDecl {
    /// The field.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its type.
    pub fn ty(&self) -> Option<Type> {
        child(&self.syntax)
    }
}

impl ConstItem {
    /// The constant.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its type, if written.
    pub fn ty(&self) -> Option<Type> {
        child(&self.syntax)
    }

    /// Its value.
    pub fn value(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl ParamItem {
    /// The parameter.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its type.
    pub fn ty(&self) -> Option<Type> {
        child(&self.syntax)
    }

    /// Which values are allowed.
    pub fn filter(&self) -> Option<WhereClause> {
        child(&self.syntax)
    }
}

impl FnItem {
    /// `extern`?
    pub fn is_external(&self) -> bool {
        has(&self.syntax, SyntaxKind::ExternKw)
    }

    /// The function.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its parameters.
    pub fn binders(&self) -> Option<BinderList> {
        child(&self.syntax)
    }

    /// The type of its result.
    pub fn result(&self) -> Option<Type> {
        child(&self.syntax)
    }

    /// Its body.
    pub fn body(&self) -> Option<BlockExpr> {
        child(&self.syntax)
    }
}

impl FnItem {
    /// `requires` and `ensures`.
    pub fn contracts(&self) -> impl Iterator<Item = Contract> + use<> {
        children(&self.syntax)
    }

    /// `decreases`.
    pub fn decreases(&self) -> impl Iterator<Item = DecreasesClause> + use<> {
        children(&self.syntax)
    }
}

impl BinderList {
    /// The names with their types.
    pub fn binders(&self) -> impl Iterator<Item = Binder> + use<> {
        children(&self.syntax)
    }
}

impl Binder {
    /// `linear` or `take`?
    pub fn is_linear(&self) -> bool {
        has(&self.syntax, SyntaxKind::LinearKw) || self.is_taken()
    }

    /// `take`?
    pub fn is_taken(&self) -> bool {
        has(&self.syntax, SyntaxKind::TakeKw)
    }

    /// `give`?
    pub fn is_given(&self) -> bool {
        has(&self.syntax, SyntaxKind::GiveKw)
    }

    /// The name.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its type.
    pub fn ty(&self) -> Option<Type> {
        child(&self.syntax)
    }
}

impl MessageItem {
    /// The message.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// What it carries.
    pub fn binders(&self) -> Option<BinderList> {
        child(&self.syntax)
    }

    /// How many are in flight at most in one channel, if written; `None` inside for a number that is too large.
    pub fn most(&self) -> Option<Option<i64>> {
        token(&self.syntax, SyntaxKind::Int).map(|most| integer(most.text()))
    }

    /// `decreases`.
    pub fn decreases(&self) -> impl Iterator<Item = DecreasesClause> + use<> {
        children(&self.syntax)
    }

    /// `covers`.
    pub fn covers(&self) -> impl Iterator<Item = CoversClause> + use<> {
        children(&self.syntax)
    }

    /// The delivery model as written after `via`.
    pub fn via(&self) -> Option<Name> {
        if has(&self.syntax, SyntaxKind::ViaKw) {
            names(&self.syntax).nth(1)
        } else {
            None
        }
    }
}

impl ActionItem {
    /// The action.
    pub fn name(&self) -> Option<Name> {
        name(&self.syntax)
    }

    /// Its parameters.
    pub fn binders(&self) -> Option<BinderList> {
        child(&self.syntax)
    }

    /// Its result.
    pub fn result(&self) -> Option<ResultDecl> {
        child(&self.syntax)
    }

    /// The layers at which it exists.
    pub fn layers(&self) -> Option<LayerClause> {
        child(&self.syntax)
    }

    /// The action of the next layer that it refines.
    pub fn refines(&self) -> Option<Name> {
        super::procedures::refined(&self.syntax)
    }

    /// What holds where it is called.
    pub fn uses(&self) -> impl Iterator<Item = InvariantUse> + use<> {
        children(&self.syntax)
    }

    /// `left`, `right`, `both` or `atomic`, if written.
    pub fn mover(&self) -> Option<SyntaxKind> {
        mover(&self.syntax)
    }

    /// Is it always on offer?
    pub fn is_repeated(&self) -> bool {
        has(&self.syntax, SyntaxKind::RepeatKw)
    }

    /// What it does.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
    }
}

impl InitItem {
    /// What is done before everything else.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
    }
}

impl WhereClause {
    /// The condition.
    pub fn condition(&self) -> Option<Expr> {
        child(&self.syntax)
    }
}

impl Choose {
    /// What is chosen from.
    pub fn domain(&self) -> Option<Domain> {
        domain(&self.syntax)
    }

    /// Which values are allowed.
    pub fn filter(&self) -> Option<WhereClause> {
        child(&self.syntax)
    }
}

/// `left`, `right`, `both` or `atomic`, if written.
pub(super) fn mover(syntax: &SyntaxNode) -> Option<SyntaxKind> {
    use SyntaxKind::{AtomicKw, BothKw, LeftKw, RightKw};
    let movers = [AtomicKw, LeftKw, RightKw, BothKw];
    movers.into_iter().find(|kind| has(syntax, *kind))
}
