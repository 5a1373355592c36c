//! The kinds of tokens and nodes in a syntax tree, and the table of keywords.
//!
//! One enum serves both, as `rowan` wants. Tokens come first, then nodes. Words that mean something
//! only where the grammar expects them (`from`, `by`, `fair`, …) are lexed as [`SyntaxKind::Ident`];
//! the parser gives them their keyword kind where they are used as keywords.

use SyntaxKind::*;

/// A node of the lossless tree.
pub type SyntaxNode = rowan::SyntaxNode<SongLanguage>;
/// A token of the lossless tree.
pub type SyntaxToken = rowan::SyntaxToken<SongLanguage>;
/// A node or a token.
pub type SyntaxElement = rowan::SyntaxElement<SongLanguage>;

/// The language of `.song` files, for `rowan`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SongLanguage {}

impl rowan::Language for SongLanguage {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        SyntaxKind::ALL[usize::from(raw.0)]
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}

/// Declares the enum together with the list that turns a raw number back into a kind.
macro_rules! kinds {
    ($($(#[$meta:meta])* $kind:ident,)*) => {
        /// What a token or a node is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        #[expect(missing_docs, reason = "the names say it; the grammar in the book says the rest")]
        pub enum SyntaxKind {
            $($(#[$meta])* $kind,)*
        }

        impl SyntaxKind {
            const ALL: &'static [SyntaxKind] = &[$($kind,)*];
        }
    };
}

kinds! {
    /// Never in a tree: what the parser sees after the last token.
    Eof,

    // Trivia: kept in the tree, invisible to the parser.
    Whitespace, LineComment, BlockComment,
    /// A run of characters that mean nothing; already reported by the lexer.
    Unknown,

    Ident, Int, Underscore,
    /// A word kept for a later version of the language.
    Reserved,

    LParen, RParen, LBracket, RBracket, LBrace, RBrace,
    Comma, Semicolon, Colon, ColonColon, Dot, DotDot, DotDotEq,
    ThinArrow, FatArrow,
    Eq, PlusEq, MinusEq, StarEq, PipeEq, AmpEq,
    /// Not operators of the language; lexed so that the parser can say so.
    SlashEq, PercentEq,
    IffOp, ImpliesOp, OrOp, AndOp,
    EqEq, NotEq, Lt, LtEq, Gt, GtEq,
    Pipe, Amp, Plus, Minus, Star, Slash, Percent, Bang, AtSign,

    ActionKw, AlwaysKw, AnyKw, AsKw, AssertKw, AssumeKw, AsyncKw, BagKw, BoolKw, BreakKw, CallKw, ChooseKw,
    ChoreographyKw, ConstKw, ContinueKw, DaemonKw, DecreasesKw, ElseKw, EndpointKw,
    EnsuresKw, EnumKw, EventuallyKw, ExistsKw, FalseKw, FinallyKw, FnKw, ForKw, ForallKw, IfKw,
    InKw, InitKw, IntKw, InvariantKw, IsKw, LemmaKw, LetKw, LinearKw, LoopKw, MapKw, MatchKw, MaybeKw, MessageKw, NatKw,
    NoneKw, OldKw, OnKw, OptionKw, ParKw, ParamKw, ProcedureKw, ProcessKw, PropertyKw, ReceiveKw,
    RefinesKw, RequiresKw, SelfKw,
    SendKw, SeqKw, SetKw, SizeKw, SomeKw, SortKw, StructKw, TimeoutKw, ToKw, TrueKw, VarKw,
    ViaKw, WhereKw, WhileKw, YieldKw,

    // Keywords only where the grammar expects them.
    AtKw, AtomicKw, BothKw, ByKw, ChoosingKw, CommuteKw, ConstraintKw, CountKw, CoversKw, DurableKw, ExternKw, FairKw, FaultKw, FromKw, GiveKw, InfinitelyKw, IntoKw,
    LayersKw, LeadsKw, LeftKw, MeasureKw, OftenKw, OrderedKw, PendingKw, PreservesKw, QuiescentKw, RepeatKw, RightKw, SequentializeKw, SplitsKw, StrongKw, SumKw,
    SynchronizesKw, TakeKw, ThenKw, UnfairKw, UseKw, WeaklyKw, WithKw,

    // Nodes.
    /// Text that fits nowhere, kept so that the tree is complete.
    Error,
    SongFile,
    SortItem, EnumItem, Variant, StructItem, FieldDecl, ConstItem, ParamItem, FnItem, MessageItem,
    ProcessItem, ProcessBody, Handler, VarDecl, ActionItem, InitItem, ChoreographyItem,
    ChoreographyBody, Endpoint, Contract, PropertyItem, ConstraintItem, Claim, QuantifiedClaim, MeasureClause, SizeItem, Sizing,
    FaultItem, InvariantItem, LemmaItem, ProcedureItem, ResultDecl, LayerClause, RefinesClause,
    SynchronizesClause,
    InvariantUse, InvariantCall, SequentializeItem, Eliminated, CommuteItem, CommuteSide, Witness, LayersItem,
    BinderList, Binder, EngineList, SizingList,
    Accept, SlotList, Slot, Source,
    Block, LetStmt, AssignStmt, IfStmt, MatchStmt, MatchStmtArm, WhileStmt, ForStmt, LoopStmt,
    BreakStmt, ContinueStmt, MaybeStmt, AssertStmt, AssumeStmt, SendStmt, ReceiveStmt,
    ReceiveChoice, ReceiveArm, TimeoutArm, AsyncStmt, CallStmt, Called, Cast, Player, ParStmt, UseStmt, YieldStmt,
    InvariantClause, DecreasesClause, CoversClause, WhereClause,
    Choose, Binding,
    PrimitiveType, NamedType, GenericType, TupleType,
    WildcardPattern, NamePattern, LiteralPattern, NonePattern, SomePattern, TuplePattern,
    VariantPattern, StructPattern, FieldPattern, ProcessPattern,
    Literal, NameExpr, SelfExpr, NoneExpr, SomeExpr, TypeExpr, ParenExpr, TupleExpr, SetExpr,
    BagExpr, SeqExpr, FilterComprehension, SetComprehension, SeqComprehension, MapExpr, StructExpr,
    FieldInit, StructBase, PrefixExpr, BinaryExpr, RangeExpr, IsExpr, FieldExpr, TupleFieldExpr,
    IndexExpr, IndexList, CallExpr, ArgList, PathExpr, MethodExpr, IfExpr, MatchExpr, MatchArm,
    QuantifierExpr, OldExpr, PendingExpr, BlockExpr,
}

/// Every keyword with its spelling, in alphabetical order.
pub const KEYWORDS: &[(&str, SyntaxKind)] = &[
    ("action", ActionKw),
    ("always", AlwaysKw),
    ("any", AnyKw),
    ("as", AsKw),
    ("assert", AssertKw),
    ("assume", AssumeKw),
    ("async", AsyncKw),
    ("bag", BagKw),
    ("bool", BoolKw),
    ("break", BreakKw),
    ("call", CallKw),
    ("choose", ChooseKw),
    ("choreography", ChoreographyKw),
    ("const", ConstKw),
    ("continue", ContinueKw),
    ("daemon", DaemonKw),
    ("decreases", DecreasesKw),
    ("else", ElseKw),
    ("endpoint", EndpointKw),
    ("ensures", EnsuresKw),
    ("enum", EnumKw),
    ("eventually", EventuallyKw),
    ("exists", ExistsKw),
    ("false", FalseKw),
    ("finally", FinallyKw),
    ("fn", FnKw),
    ("for", ForKw),
    ("forall", ForallKw),
    ("if", IfKw),
    ("in", InKw),
    ("init", InitKw),
    ("int", IntKw),
    ("invariant", InvariantKw),
    ("is", IsKw),
    ("lemma", LemmaKw),
    ("let", LetKw),
    ("linear", LinearKw),
    ("loop", LoopKw),
    ("map", MapKw),
    ("match", MatchKw),
    ("maybe", MaybeKw),
    ("message", MessageKw),
    ("nat", NatKw),
    ("none", NoneKw),
    ("old", OldKw),
    ("on", OnKw),
    ("option", OptionKw),
    ("par", ParKw),
    ("param", ParamKw),
    ("procedure", ProcedureKw),
    ("process", ProcessKw),
    ("property", PropertyKw),
    ("receive", ReceiveKw),
    ("refines", RefinesKw),
    ("requires", RequiresKw),
    ("self", SelfKw),
    ("send", SendKw),
    ("seq", SeqKw),
    ("set", SetKw),
    ("size", SizeKw),
    ("some", SomeKw),
    ("sort", SortKw),
    ("struct", StructKw),
    ("timeout", TimeoutKw),
    ("to", ToKw),
    ("true", TrueKw),
    ("var", VarKw),
    ("via", ViaKw),
    ("where", WhereKw),
    ("while", WhileKw),
    ("yield", YieldKw),
];

/// Words kept for a later version of the language, in alphabetical order.
pub const RESERVED_WORDS: &[&str] = &["extern", "layer", "sequentialize"];

impl SyntaxKind {
    /// The kind of a word: a keyword, a reserved word, `_`, or an ordinary name.
    pub fn of_word(word: &str) -> SyntaxKind {
        if word == "_" {
            return Underscore;
        }
        match KEYWORDS.binary_search_by_key(&word, |&(spelling, _)| spelling) {
            Ok(at) => KEYWORDS[at].1,
            Err(_) if RESERVED_WORDS.binary_search(&word).is_ok() => Reserved,
            Err(_) => Ident,
        }
    }

    /// Invisible to the parser: white space, comments, characters already reported.
    pub fn is_trivia(self) -> bool {
        matches!(self, Whitespace | LineComment | BlockComment | Unknown)
    }

    /// A word that cannot be a name because the language uses it.
    pub fn is_keyword(self) -> bool {
        (ActionKw..=YieldKw).contains(&self)
    }

    /// May this token begin an item of a file?
    pub fn starts_item(self) -> bool {
        self == VarKw || self.starts_only_items()
    }

    /// May this token begin an item but neither a statement nor an expression?
    pub fn starts_only_items(self) -> bool {
        matches!(
            self,
            SortKw
                | EnumKw
                | StructKw
                | ConstKw
                | ParamKw
                | FnKw
                | MessageKw
                | DaemonKw
                | ProcessKw
                | ActionKw
                | ProcedureKw
                | InitKw
                | ChoreographyKw
                | LemmaKw
                | PropertyKw
                | SizeKw
        )
    }

    /// A keyword that begins a statement (an assignment begins with an expression).
    pub fn starts_keyword_statement(self) -> bool {
        matches!(
            self,
            LetKw
                | VarKw
                | IfKw
                | MatchKw
                | WhileKw
                | ForKw
                | LoopKw
                | BreakKw
                | ContinueKw
                | MaybeKw
                | AssertKw
                | AssumeKw
                | SendKw
                | ReceiveKw
                | AsyncKw
                | CallKw
                | ParKw
                | YieldKw
        )
    }

    /// May this token begin an expression?
    pub fn starts_expression(self) -> bool {
        matches!(
            self,
            Ident
                | Int
                | TrueKw
                | FalseKw
                | NoneKw
                | SomeKw
                | SelfKw
                | BoolKw
                | BagKw
                | MapKw
                | ForallKw
                | ExistsKw
                | IfKw
                | MatchKw
                | OldKw
                | LParen
                | LBracket
                | LBrace
                | Bang
                | Minus
        )
    }

    /// Does this token combine a target and a value into an assignment?
    pub fn is_assignment(self) -> bool {
        matches!(self, Eq | PlusEq | MinusEq | StarEq | PipeEq | AmpEq)
    }

    /// The bracket that closes this one.
    pub fn closing(self) -> Option<SyntaxKind> {
        match self {
            LParen => Some(RParen),
            LBracket => Some(RBracket),
            LBrace => Some(RBrace),
            _ => None,
        }
    }

    /// How a token of fixed spelling is written, for messages.
    pub fn spelling(self) -> Option<&'static str> {
        if let Some((spelling, _)) = KEYWORDS.iter().find(|&&(_, kind)| kind == self) {
            return Some(spelling);
        }
        PUNCTUATION
            .iter()
            .find(|&&(_, kind)| kind == self)
            .map(|&(spelling, _)| spelling)
    }
}

/// Punctuation and operators, longest first among those that share a beginning.
pub(crate) const PUNCTUATION: &[(&str, SyntaxKind)] = &[
    ("<==>", IffOp),
    ("==>", ImpliesOp),
    ("..=", DotDotEq),
    ("==", EqEq),
    ("=>", FatArrow),
    ("=", Eq),
    ("<=", LtEq),
    ("<", Lt),
    (">=", GtEq),
    (">", Gt),
    ("!=", NotEq),
    ("!", Bang),
    ("||", OrOp),
    ("|=", PipeEq),
    ("|", Pipe),
    ("&&", AndOp),
    ("&=", AmpEq),
    ("&", Amp),
    ("+=", PlusEq),
    ("+", Plus),
    ("->", ThinArrow),
    ("-=", MinusEq),
    ("-", Minus),
    ("*=", StarEq),
    ("*", Star),
    ("/=", SlashEq),
    ("/", Slash),
    ("%=", PercentEq),
    ("%", Percent),
    ("@", AtSign),
    ("::", ColonColon),
    (":", Colon),
    ("..", DotDot),
    (".", Dot),
    (",", Comma),
    (";", Semicolon),
    ("(", LParen),
    (")", RParen),
    ("[", LBracket),
    ("]", RBracket),
    ("{", LBrace),
    ("}", RBrace),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_so_that_they_can_be_searched() {
        assert!(KEYWORDS.is_sorted_by_key(|&(spelling, _)| spelling));
        assert!(RESERVED_WORDS.is_sorted());
    }

    #[test]
    fn every_keyword_kind_has_a_spelling_and_is_a_keyword() {
        for &(spelling, kind) in KEYWORDS {
            assert!(kind.is_keyword(), "{spelling}");
            assert_eq!(SyntaxKind::of_word(spelling), kind);
        }
        assert_eq!(KEYWORDS.len(), YieldKw as usize - ActionKw as usize + 1);
    }

    #[test]
    fn a_longer_operator_comes_before_its_prefix() {
        for (at, &(long, _)) in PUNCTUATION.iter().enumerate() {
            assert!(
                PUNCTUATION[..at]
                    .iter()
                    .all(|&(earlier, _)| !long.starts_with(earlier)),
                "{long} is shadowed"
            );
        }
    }
}
