//! The macros of `plainsong`; use them from there.

#![warn(missing_docs)]

mod choices;
mod monitor;

use proc_macro::TokenStream;

/// Makes a monitor of an `impl` block with one method for each kind of message.
#[proc_macro_attribute]
pub fn monitor(messages: TokenStream, block: TokenStream) -> TokenStream {
    let block: proc_macro2::TokenStream = block.into();
    match monitor::expand(messages.into(), block.clone()) {
        Ok(tokens) => tokens.into(),
        Err(error) => {
            // The block stays, so that what is right in it gives no errors of its own.
            let complaint = error.into_compile_error();
            quote::quote!(#block #complaint).into()
        }
    }
}

/// All values of an enum or struct whose parts have finitely many.
#[proc_macro_derive(Choices)]
pub fn choices(input: TokenStream) -> TokenStream {
    choices::expand(input.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
