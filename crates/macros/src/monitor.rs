//! `#[monitor(Vote, Decision)]`: an `impl` block becomes a monitor.
//!
//! A method whose first parameter is a reference to one of the listed types is the handler of that
//! type; each type has exactly one. `on_end` and `selects` are what they are in the trait. Everything
//! else in the block is left alone. Mistakes are reported at the user's own text.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, FnArg, ImplItem, ImplItemFn, Item, ItemImpl, Result, ReturnType, Token, Type};

/// The block, and the implementation of `plainsong::Monitor` that goes with it.
pub(crate) fn expand(messages: TokenStream, block: TokenStream) -> Result<TokenStream> {
    let types = message_types(messages)?;
    let block = impl_block(block)?;
    let handlers = handlers(&types, &block)?;
    let see = see(&handlers);
    let select = select(&types, &block)?;
    let end = end(&block)?;
    let (generics, _, condition) = block.generics.split_for_impl();
    let monitor = &block.self_ty;
    Ok(quote! {
        #block

        impl #generics ::plainsong::Monitor for #monitor #condition {
            fn selects(sent: &::plainsong::Sent<'_>) -> bool {
                #select
            }

            fn on_message(&mut self, sent: &::plainsong::Sent<'_>) {
                #see
            }

            #end
        }
    })
}

/// A method that is told about messages of a type.
struct Handler<'b> {
    of: &'b Type,
    method: &'b ImplItemFn,
}

fn message_types(messages: TokenStream) -> Result<Vec<Type>> {
    let types = Punctuated::<Type, Token![,]>::parse_terminated.parse2(messages)?;
    let types: Vec<Type> = types.into_iter().collect();
    if types.is_empty() {
        let text = "name the messages that the monitor sees: `#[monitor(Vote, Decision)]`";
        return Err(Error::new(Span::call_site(), text));
    }
    for (at, repeated) in types.iter().enumerate() {
        if types[..at].iter().any(|other| same(other, repeated)) {
            let text = format!("`{}` is named twice", show(repeated));
            return Err(Error::new_spanned(repeated, text));
        }
    }
    Ok(types)
}

fn impl_block(block: TokenStream) -> Result<ItemImpl> {
    let text = "`#[monitor]` belongs on the `impl` block with the methods that see the messages: \
                `impl MyMonitor { fn vote(&mut self, vote: &Vote) { … } }`";
    match syn::parse2::<Item>(block)? {
        Item::Impl(block) => match &block.trait_ {
            None => Ok(block),
            Some(_) => Err(Error::new_spanned(&block.self_ty, text)),
        },
        other => Err(Error::new_spanned(other, text)),
    }
}

fn methods(block: &ItemImpl) -> impl Iterator<Item = &ImplItemFn> {
    block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    })
}

/// One handler for each type.
fn handlers<'b>(types: &'b [Type], block: &'b ItemImpl) -> Result<Vec<Handler<'b>>> {
    let mut handlers: Vec<Handler<'b>> = Vec::new();
    for method in methods(block) {
        let Some(of) = types.iter().find(|of| takes(method, of)) else {
            continue;
        };
        check(method, of)?;
        if let Some(other) = handlers.iter().find(|other| same(other.of, of)) {
            let first = &other.method.sig.ident;
            let text = format!("`{first}` sees `{}` already", show(of));
            return Err(Error::new_spanned(&method.sig.ident, text));
        }
        handlers.push(Handler { of, method });
    }
    for of in types {
        if !handlers.iter().any(|handler| same(handler.of, of)) {
            let of_text = show(of);
            let text = format!(
                "no method sees `{of_text}`: write `fn name(&mut self, message: &{of_text})`, or \
                 with `sent: &Sent` as a second parameter"
            );
            return Err(Error::new_spanned(of, text));
        }
    }
    Ok(handlers)
}

/// Is the first parameter of a method a reference to the type?
fn takes(method: &ImplItemFn, of: &Type) -> bool {
    match (method.sig.receiver(), method.sig.inputs.iter().nth(1)) {
        (Some(_), Some(FnArg::Typed(parameter))) => match &*parameter.ty {
            Type::Reference(reference) => same(&reference.elem, of),
            _ => false,
        },
        _ => false,
    }
}

/// Can the method be called with a message?
fn check(method: &ImplItemFn, of: &Type) -> Result<()> {
    let signature = &method.sig;
    let of = show(of);
    if let Some(asynchronous) = &signature.asyncness {
        let text = "a monitor only watches: its methods cannot wait";
        return Err(Error::new_spanned(asynchronous, text));
    }
    if let Some(extra) = signature.inputs.iter().nth(3) {
        let text = format!("a method that sees `{of}` takes `&{of}` and, if it likes, `&Sent`");
        return Err(Error::new_spanned(extra, text));
    }
    if let ReturnType::Type(_, returned) = &signature.output {
        let text = "a method that sees messages returns nothing; it panics when something is wrong";
        return Err(Error::new_spanned(returned, text));
    }
    Ok(())
}

/// Calls the handler of the message's type.
fn see(handlers: &[Handler<'_>]) -> TokenStream {
    let calls = handlers.iter().map(|Handler { of, method }| {
        let name = &method.sig.ident;
        let message = argument("message", method.sig.inputs.iter().nth(1));
        let sent = argument("sent", method.sig.inputs.iter().nth(2));
        let call = quote_spanned!(name.span()=> Self::#name(self #message #sent););
        quote! {
            if let ::core::option::Option::Some(message) = sent.get::<#of>() {
                #call
            }
        }
    });
    quote!(#(#calls)*)
}

/// Is the message of one of the types, and does `selects` agree, if there is one?
fn select(types: &[Type], block: &ItemImpl) -> Result<TokenStream> {
    let of_types = quote!((#(sent.is::<#types>())||*));
    let Some(own) = methods(block).find(|method| method.sig.ident == "selects") else {
        return Ok(of_types);
    };
    if let Some(receiver) = own.sig.receiver() {
        let text = "the sender asks `selects`, and cannot see the monitor: leave out `self`";
        return Err(Error::new_spanned(receiver, text));
    }
    let call = quote_spanned!(own.sig.ident.span()=> Self::selects(sent));
    Ok(quote!(#of_types && #call))
}

/// Calls `on_end`, if there is one.
fn end(block: &ItemImpl) -> Result<TokenStream> {
    let Some(own) = methods(block).find(|method| method.sig.ident == "on_end") else {
        return Ok(TokenStream::new());
    };
    if own.sig.receiver().is_none() {
        let text = "`on_end` is a method: `fn on_end(&mut self, end: &ExecutionEnd)`";
        return Err(Error::new_spanned(&own.sig.ident, text));
    }
    let how = argument("end", own.sig.inputs.iter().nth(1));
    let unused = how.is_none().then(|| quote!(let _ = end;));
    let call = quote_spanned!(own.sig.ident.span()=> Self::on_end(self #how););
    Ok(quote! {
        fn on_end(&mut self, end: &::plainsong::ExecutionEnd) {
            #unused
            #call
        }
    })
}

/// What is given for a parameter, if there is one; where it does not fit, the parameter is blamed.
fn argument(name: &str, parameter: Option<&FnArg>) -> Option<TokenStream> {
    let FnArg::Typed(parameter) = parameter? else {
        return None;
    };
    let place = Span::call_site().located_at(parameter.ty.span());
    let name = Ident::new(name, place);
    Some(quote!(, #name))
}

/// Are two types written in the same way?
fn same(one: &Type, other: &Type) -> bool {
    one.to_token_stream().to_string() == other.to_token_stream().to_string()
}

/// A type as people write it.
fn show(of: &Type) -> String {
    match of.span().source_text() {
        Some(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        None => of.to_token_stream().to_string(),
    }
}

#[cfg(test)]
mod tests;
