//! What the macro makes of blocks, right and wrong.

use super::expand;
use proc_macro2::TokenStream;

/// The error, and the text that it points at.
fn complaint(messages: &str, block: &str) -> (String, String) {
    let tokens = |text: &str| text.parse::<TokenStream>().expect("these are tokens");
    let error = expand(tokens(messages), tokens(block)).expect_err("there is a mistake");
    let place = error.span().source_text().unwrap_or_default();
    (error.to_string(), place)
}

fn expect(messages: &str, block: &str, text: &str, place: &str) {
    let (said, at) = complaint(messages, block);
    assert!(said.contains(text), "{said}");
    assert_eq!(at, place, "{said}");
}

#[test]
fn a_type_without_a_method_is_named() {
    expect(
        "Vote, Decision",
        "impl M { fn vote(&mut self, vote: &Vote) {} }",
        "no method sees `Decision`",
        "Decision",
    );
    expect(
        "Option<Vote>",
        "impl M { fn vote(&mut self, vote: Option<Vote>) {} }",
        "write `fn name(&mut self, message: &Option<Vote>)`",
        "Option<Vote>",
    );
}

#[test]
fn a_type_has_one_method() {
    expect(
        "Vote",
        "impl M { fn a(&mut self, vote: &Vote) {} fn b(&mut self, vote: &Vote, sent: &Sent) {} }",
        "`a` sees `Vote` already",
        "b",
    );
    expect(
        "Vote, Vote",
        "impl M { fn a(&mut self, vote: &Vote) {} }",
        "`Vote` is named twice",
        "Vote",
    );
}

#[test]
fn methods_look_as_they_should() {
    expect(
        "Vote",
        "impl M { fn a(&mut self, vote: &Vote) -> bool { true } }",
        "returns nothing",
        "bool",
    );
    expect(
        "Vote",
        "impl M { async fn a(&mut self, vote: &Vote) {} }",
        "cannot wait",
        "async",
    );
    expect(
        "Vote",
        "impl M { fn a(&mut self, vote: &Vote, sent: &Sent, more: u32) {} }",
        "takes `&Vote` and, if it likes, `&Sent`",
        "more: u32",
    );
    expect(
        "Vote",
        "impl M { fn a(&mut self, v: &Vote) {} fn selects(&self, sent: &Sent) -> bool { true } }",
        "leave out `self`",
        "&self",
    );
    expect(
        "Vote",
        "impl M { fn a(&mut self, v: &Vote) {} fn on_end(end: &ExecutionEnd) {} }",
        "`on_end` is a method",
        "on_end",
    );
}

#[test]
fn it_belongs_on_an_impl_block() {
    let (said, _) = complaint("Vote", "struct M;");
    assert!(said.contains("belongs on the `impl` block"), "{said}");
    expect(
        "Vote",
        "impl Display for M { fn a(&mut self, vote: &Vote) {} }",
        "belongs on the `impl` block",
        "M",
    );
    let (said, _) = complaint("", "impl M {}");
    assert!(said.contains("name the messages"), "{said}");
}

#[test]
fn other_methods_are_left_alone() {
    let messages = "Vote".parse().expect("these are tokens");
    let block = "impl<T: Clone> M<T> where T: Copy {
            fn new() -> Self { M }
            fn vote(&mut self, vote: &Vote) { self.count(1); }
            fn count(&mut self, n: u32) -> u32 { n }
        }";
    let block = block.parse().expect("these are tokens");
    let text = expand(messages, block)
        .expect("nothing is wrong")
        .to_string();
    assert!(text.contains("where T : Copy { fn selects"), "{text}");
    assert!(
        text.contains("Self :: vote (self , message)") && !text.contains("Self :: count"),
        "{text}"
    );
}
