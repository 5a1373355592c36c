//! `#[derive(Choices)]`: all values of a type whose parts have finitely many.
//!
//! For each variant of an enum, or for a struct, a loop over the values of each field inside the loop
//! over those of the field before: the last field changes fastest, variants in the order of their
//! declaration. A type with parameters gets the bound that each of them has choices.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Result, parse_quote};

/// The implementation for a type.
pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut input: DeriveInput = syn::parse2(input)?;
    let pushes: Vec<TokenStream> = match &input.data {
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|variant| {
                let name = &variant.ident;
                push(&quote!(Self::#name), &variant.fields)
            })
            .collect(),
        Data::Struct(data) => vec![push(&quote!(Self), &data.fields)],
        Data::Union(_) => {
            let message = "a union has no list of values: `Choices` is for enums and structs";
            return Err(Error::new_spanned(&input.ident, message));
        }
    };
    for parameter in input.generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::plainsong::Choices));
    }
    let name = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics ::plainsong::Choices for #name #arguments #bounds {
            fn choices() -> ::std::vec::Vec<Self> {
                let mut all = ::std::vec::Vec::new();
                #(#pushes)*
                all
            }
        }
    })
}

/// Adds every value of one variant to the list.
fn push(path: &TokenStream, fields: &Fields) -> TokenStream {
    let names: Vec<_> = (0..fields.len())
        .map(|n| format_ident!("field_{n}"))
        .collect();
    let value = match fields {
        Fields::Unit => quote!(#path),
        Fields::Unnamed(_) => quote!(#path(#(::std::clone::Clone::clone(&#names)),*)),
        Fields::Named(named) => {
            let idents = named.named.iter().map(|field| &field.ident);
            quote!(#path { #(#idents: ::std::clone::Clone::clone(&#names)),* })
        }
    };
    let mut body = quote!(all.push(#value););
    for (name, field) in names.iter().zip(fields).rev() {
        let of = &field.ty;
        body = quote! {
            for #name in <#of as ::plainsong::Choices>::choices() {
                #body
            }
        };
    }
    body
}

#[cfg(test)]
mod tests {
    use super::expand;
    use quote::quote;

    #[test]
    fn unions_are_rejected() {
        let error = expand(quote!(union Either { a: u8, b: bool })).unwrap_err();
        assert!(error.to_string().contains("enums and structs"));
    }
}
