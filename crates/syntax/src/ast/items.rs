//! Views of a file and its items.

use super::patterns::integer;
use super::types::domain;
use super::{
    Block, BlockExpr, ChoreographyItem, CommuteItem, ConstraintItem, Contract, CoversClause,
    DecreasesClause, Domain, Expr, InvariantItem, InvariantUse, LayerClause, LayersItem, LemmaItem,
    Name, ProcedureItem, ProcessItem, PropertyItem, RangeExpr, ResultDecl, SequentializeItem,
    SizeItem, Type, VarDecl, accessors, choices, has, names, nodes, token,
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

accessors! {
    Song {
        /// The items in order.
        items: [Item];
    }
    SortItem {
        /// The sort.
        name: Name;
        is_ordered: {OrderedKw};
        /// The integers it consists of, if it is a range; the range may lack its end.
        range: RangeExpr;
    }
    EnumItem {
        /// The enum.
        name: Name;
        /// The type whose permissions it splits.
        splits: Type;
        /// Its variants in order.
        variants: [Variant];
    }
    Variant {
        /// The variant.
        name: Name;
        /// The types of what it carries.
        payload: [Type];
    }
    StructItem {
        /// The struct.
        name: Name;
        /// Its fields in order.
        fields: [FieldDecl];
    }
    FieldDecl {
        /// The field.
        name: Name;
        ty: Type;
    }
    ConstItem {
        /// The constant.
        name: Name;
        /// Its type, if written.
        ty: Type;
        value: Expr;
    }
    ParamItem {
        /// The parameter.
        name: Name;
        ty: Type;
        /// Which values are allowed.
        filter: WhereClause;
    }
    FnItem {
        is_external: {ExternKw};
        /// The function.
        name: Name;
        /// Its parameters.
        binders: BinderList;
        /// The type of its result.
        result: Type;
        body: BlockExpr;
    }
    FnItem {
        /// `requires` and `ensures`.
        contracts: [Contract];
        decreases: [DecreasesClause];
    }
    BinderList {
        /// The names with their types.
        binders: [Binder];
    }
    Binder {
        is_taken: {TakeKw};
        is_given: {GiveKw};
        name: Name;
        ty: Type;
    }
    MessageItem {
        /// The message.
        name: Name;
        /// What it carries.
        binders: BinderList;
        decreases: [DecreasesClause];
        covers: [CoversClause];
    }
    ActionItem {
        /// The action.
        name: Name;
        /// Its parameters.
        binders: BinderList;
        result: ResultDecl;
        /// The layers at which it exists.
        layers: LayerClause;
        /// What holds where it is called.
        uses: [InvariantUse];
        /// Is it always on offer?
        is_repeated: {RepeatKw};
        is_fair: {FairKw};
        is_strong: {StrongKw};
        is_unfair: {UnfairKw};
        /// What it does.
        block: Block;
    }
    InitItem {
        /// What is done before everything else.
        block: Block;
    }
    WhereClause {
        condition: Expr;
    }
    Choose {
        /// Which values are allowed.
        filter: WhereClause;
        is_fair: {FairKw};
    }
    FaultItem {
        is_fair: {FairKw};
        is_unfair: {UnfairKw};
    }
}

impl FnItem {
    /// The process or endpoint that runs it, if it is said.
    pub fn role(&self) -> Option<Name> {
        match has(&self.syntax, SyntaxKind::AtKw) {
            true => names(&self.syntax).nth(1),
            false => None,
        }
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

impl Binder {
    /// `linear` or `take`?
    pub fn is_linear(&self) -> bool {
        has(&self.syntax, SyntaxKind::LinearKw) || self.is_taken()
    }
}

impl MessageItem {
    /// How many are in flight at most in one channel, if written; `None` inside for a number that is too large.
    pub fn most(&self) -> Option<Option<i64>> {
        token(&self.syntax, SyntaxKind::Int).map(|most| integer(most.text()))
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
    /// The action of the next layer that it refines.
    pub fn refines(&self) -> Option<Name> {
        super::procedures::refined(&self.syntax)
    }

    /// `left`, `right`, `both` or `atomic`, if written.
    pub fn mover(&self) -> Option<SyntaxKind> {
        mover(&self.syntax)
    }
}

impl Choose {
    /// What is chosen from.
    pub fn domain(&self) -> Option<Domain> {
        domain(&self.syntax)
    }
}

/// `left`, `right`, `both` or `atomic`, if written.
pub(super) fn mover(syntax: &SyntaxNode) -> Option<SyntaxKind> {
    use SyntaxKind::{AtomicKw, BothKw, LeftKw, RightKw};
    let movers = [AtomicKw, LeftKw, RightKw, BothKw];
    movers.into_iter().find(|kind| has(syntax, *kind))
}
