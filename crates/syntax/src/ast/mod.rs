//! Typed views of the syntax tree.
//!
//! Each wrapper is a [`SyntaxNode`] known to be of one kind. Accessors return `Option` or an
//! iterator, because a tree with mistakes may lack any part; in a tree without syntax errors, parts
//! that the grammar demands are there. Names are tokens, wrapped as [`Name`].
//!
//! - [`Song`] has [`Item`]s (`items.rs`).
//! - [`Stmt`] is every statement (`statements.rs`); [`Block`] is `{ statement* }`.
//! - [`Type`], [`Pattern`] and [`Domain`] (a type or an expression to take values from).
//! - [`Expr`] (`expressions.rs`) is one of
//!   - leaves: `Literal` (integer, `true`, `false`), `Name`, `SelfPid`, `None`, `Type` (`bool` as the
//!     set of its members), `Path` (`Enum::Variant`, with or without arguments), `Pending`;
//!   - wrappers: `Paren`, `Some`, `Old`;
//!   - collections: `Tuple`, `Set`, `Bag`, `Seq`, `Filter` (`{ x in S where p }`), `SetComprehension`
//!     (`{ e for x in S }`), `SeqComprehension` (`[ e for x in S ]`), `Map` (`map k: K => e`),
//!     `Struct`, `Range`;
//!   - operators: `Prefix`, `Binary` (with `in`), `Is`, `Field`, `TupleField`, `Index`, `Call`
//!     (a function or a variant by its bare name), `Method`;
//!   - scopes: `Quantifier` (`forall`, `exists`, `count`, `sum`), `If`, `Match`, `Block`.
//!
//! Spans cover a node from its first to its last token, without surrounding comments.

mod bodies;
mod expressions;
mod items;
mod operators;
mod patterns;
mod procedures;
mod properties;
mod receives;
mod sequences;
mod statements;
mod types;

use plainsong_diagnostics::Span;

use crate::kinds::{SyntaxKind, SyntaxNode, SyntaxToken};

pub use bodies::*;
pub use expressions::*;
pub use items::*;
pub use operators::*;
pub use patterns::*;
pub use procedures::*;
pub use properties::*;
pub use receives::*;
pub use sequences::*;
pub use statements::*;
pub use types::*;

/// A typed view of a node.
pub trait AstNode: Sized {
    /// The view, if `node` is of the right kind.
    fn cast(node: SyntaxNode) -> Option<Self>;
    /// The node behind the view.
    fn syntax(&self) -> &SyntaxNode;
    /// Where it is, without surrounding white space and comments.
    fn span(&self) -> Span {
        span_of(self.syntax())
    }
}

/// A name as written in the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    token: SyntaxToken,
}

impl Name {
    /// The name itself.
    pub fn text(&self) -> &str {
        self.token.text()
    }

    pub fn span(&self) -> Span {
        token_span(&self.token)
    }

    /// The token behind it.
    pub fn syntax(&self) -> &SyntaxToken {
        &self.token
    }
}

pub fn token_span(token: &SyntaxToken) -> Span {
    let range = token.text_range();
    Span::new(range.start().into(), range.end().into())
}

/// Where a node stands.
pub fn span_of(node: &SyntaxNode) -> Span {
    let range = node.text_range();
    Span::new(range.start().into(), range.end().into())
}

/// Declares views of single kinds.
macro_rules! nodes {
    ($($(#[$meta:meta])* $view:ident = $kind:ident;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $view {
            syntax: $crate::kinds::SyntaxNode,
        }

        impl $crate::ast::AstNode for $view {
            fn cast(node: $crate::kinds::SyntaxNode) -> Option<Self> {
                (node.kind() == $crate::kinds::SyntaxKind::$kind).then(|| Self { syntax: node })
            }

            fn syntax(&self) -> &$crate::kinds::SyntaxNode {
                &self.syntax
            }
        }
    )*};
}

/// Declares a choice between views.
macro_rules! choices {
    ($($(#[$meta:meta])* $choice:ident { $($(#[$case_meta:meta])* $case:ident($view:ty),)* })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $choice {
            $($(#[$case_meta])* $case($view),)*
        }

        impl $crate::ast::AstNode for $choice {
            fn cast(node: $crate::kinds::SyntaxNode) -> Option<Self> {
                $(if let Some(view) = <$view>::cast(node.clone()) {
                    return Some($choice::$case(view));
                })*
                None
            }

            fn syntax(&self) -> &$crate::kinds::SyntaxNode {
                match self {
                    $($choice::$case(view) => view.syntax(),)*
                }
            }
        }
    )*};
}

/// Declares how the parts of views are found: a child (`part: View`), all children (`parts: [View]`), names (`Name`,
/// `[Name]`), or whether a token is there (`is_so: {Token}`).
macro_rules! accessors {
    ($($view:ident { $($(#[$meta:meta])* $part:ident: $how:tt;)* })*) => {$(
        impl $view {
            $($crate::ast::accessor! { [$(#[$meta])*] $part $how })*
        }
    )*};
}

/// One accessor of [`accessors`].
macro_rules! accessor {
    ([$(#[$meta:meta])*] $part:ident Name) => {
        $(#[$meta])*
        pub fn $part(&self) -> Option<$crate::ast::Name> {
            $crate::ast::name(&self.syntax)
        }
    };
    ([$(#[$meta:meta])*] $part:ident [Name]) => {
        $(#[$meta])*
        pub fn $part(&self) -> impl Iterator<Item = $crate::ast::Name> + use<> {
            $crate::ast::names(&self.syntax)
        }
    };
    ([$(#[$meta:meta])*] $part:ident $view:ident) => {
        $(#[$meta])*
        pub fn $part(&self) -> Option<$view> {
            $crate::ast::child(&self.syntax)
        }
    };
    ([$(#[$meta:meta])*] $part:ident [$view:ident]) => {
        $(#[$meta])*
        pub fn $part(&self) -> impl Iterator<Item = $view> + use<> {
            $crate::ast::children(&self.syntax)
        }
    };
    ([$(#[$meta:meta])*] $part:ident {$token:ident}) => {
        $(#[$meta])*
        pub fn $part(&self) -> bool {
            $crate::ast::has(&self.syntax, $crate::kinds::SyntaxKind::$token)
        }
    };
}

use {accessor, accessors, choices, nodes};

fn child<N: AstNode>(node: &SyntaxNode) -> Option<N> {
    node.children().find_map(N::cast)
}

fn children<N: AstNode>(node: &SyntaxNode) -> impl Iterator<Item = N> + use<N> {
    node.children().filter_map(N::cast)
}

fn token(node: &SyntaxNode, kind: SyntaxKind) -> Option<SyntaxToken> {
    tokens(node).find(|token| token.kind() == kind)
}

fn tokens(node: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> + use<> {
    node.children_with_tokens()
        .filter_map(rowan::NodeOrToken::into_token)
        .filter(|token| !token.kind().is_trivia())
}

fn has(node: &SyntaxNode, kind: SyntaxKind) -> bool {
    token(node, kind).is_some()
}

fn names(node: &SyntaxNode) -> impl Iterator<Item = Name> + use<> {
    tokens(node)
        .filter(|token| token.kind() == SyntaxKind::Ident)
        .map(|token| Name { token })
}

fn name(node: &SyntaxNode) -> Option<Name> {
    names(node).next()
}

/// The first view among what follows the token of kind `kind`.
fn child_after<N: AstNode>(node: &SyntaxNode, kind: SyntaxKind) -> Option<N> {
    node.children_with_tokens()
        .skip_while(|element| element.kind() != kind)
        .filter_map(rowan::NodeOrToken::into_node)
        .find_map(N::cast)
}
