//! Resolution of names: qualifies names that are shadowed.
//!
//! A format of the user may shadow a name of another crate, which is then qualified by its path; a
//! variable may shadow a function, which is then qualified by `self::`.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};

use super::names::tokens;
use crate::names::imported::find;
use crate::names::is_keyword;

/// Qualifies the shadowed names of an item; `own` are the types that the file declares.
pub(super) fn qualified(item: TokenStream, own: &BTreeSet<String>) -> TokenStream {
    let (mut variables, mut called) = (BTreeSet::new(), BTreeSet::new());
    bare_names(item.clone(), &mut |name, used_as| {
        match used_as {
            UsedAs::Value => variables.insert(name.to_owned()),
            UsedAs::Function => called.insert(name.to_owned()),
            UsedAs::Path => false,
        };
    });
    // Most items use no name twice.
    let is_plain = called.is_disjoint(&variables) && own.iter().all(|name| find(name).is_none());
    if is_plain { item } else { Scope { own, variables }.qualify(item) }
}

/// The use of an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UsedAs {
    /// A function that is called: `name(…)`.
    Function,
    /// The first of several segments, or a generic item with its arguments: `name::…`.
    Path,
    /// A variable or a type.
    Value,
}

/// Calls `visit` with every identifier that starts a path and is not a field or a definition, and
/// its use.
pub(super) fn bare_names(stream: TokenStream, visit: &mut dyn FnMut(&str, UsedAs)) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (k, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(ident) if is_bare(&trees, k) => {
                visit(&ident.to_string(), used_as(&trees, k));
            }
            TokenTree::Group(group) if !is_attribute(&trees, k) => {
                bare_names(group.stream(), visit);
            }
            TokenTree::Ident(_)
            | TokenTree::Group(_)
            | TokenTree::Punct(_)
            | TokenTree::Literal(_) => {}
        }
    }
}

struct Scope<'o> {
    own: &'o BTreeSet<String>,
    /// The names of an item, without those of called functions.
    variables: BTreeSet<String>,
}

impl Scope<'_> {
    fn qualify(&self, stream: TokenStream) -> TokenStream {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let mut qualified = TokenStream::new();
        for (k, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Ident(ident) if is_bare(&trees, k) => {
                    let name = ident.to_string();
                    if used_as(&trees, k) == UsedAs::Function && self.variables.contains(&name) {
                        qualified.extend(tokens("self::"));
                    }
                    match find(&name).filter(|_| self.own.contains(&name)) {
                        Some(other) => {
                            qualified.extend(tokens(&format!("{}::{name}", other.module)));
                        }
                        None => qualified.extend([tree.clone()]),
                    }
                }
                TokenTree::Group(group) => {
                    let within = match is_attribute(&trees, k) {
                        true => self.documented(group.stream()),
                        false => self.qualify(group.stream()),
                    };
                    let mut group = Group::new(group.delimiter(), within);
                    group.set_span(tree.span());
                    qualified.extend([TokenTree::Group(group)]);
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {
                    qualified.extend([tree.clone()]);
                }
            }
        }
        qualified
    }

    /// Qualifies the links in the text of a documentation attribute.
    fn documented(&self, attribute: TokenStream) -> TokenStream {
        let link = |tree: TokenTree| {
            let TokenTree::Literal(literal) = &tree else { return tree };
            let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) else { return tree };
            let (written, mut linked) = (text.value(), text.value());
            for other in self.own.iter().filter_map(|name| find(name)) {
                let (name, module) = (other.name, other.module);
                linked = linked.replace(&format!("[`{name}"), &format!("[`{module}::{name}"));
            }
            if linked == written { tree } else { Literal::string(&linked).into() }
        };
        attribute.into_iter().map(link).collect()
    }
}

/// The keywords before the name of a definition.
const DEFINING: [&str; 5] = ["fn", "struct", "type", "trait", "const"];

/// Returns whether an identifier starts a path and is not a field, a lifetime or a definition.
fn is_bare(trees: &[TokenTree], k: usize) -> bool {
    let before = |back: usize| k.checked_sub(back).map(|before| &trees[before]);
    let is_sign = |back: usize, sign: char| matches!(before(back), Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
    let is_in_path = is_sign(1, ':') && is_sign(2, ':');
    // A range ends with the punctuation of a field access.
    let is_field = is_sign(1, '.') && !is_sign(2, '.');
    let is_defined =
        matches!(before(1), Some(TokenTree::Ident(word)) if DEFINING.iter().any(|it| word == it));
    let is_special = is_in_path || is_field || is_sign(1, '\'') || is_defined;
    !is_special && !is_keyword(&trees[k].to_string())
}

/// Returns the use of an identifier by the tokens that follow.
fn used_as(trees: &[TokenTree], k: usize) -> UsedAs {
    match &trees[k + 1..] {
        [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Parenthesis => {
            UsedAs::Function
        }
        [TokenTree::Punct(first), TokenTree::Punct(second), ..]
            if (first.as_char(), second.as_char()) == (':', ':') =>
        {
            UsedAs::Path
        }
        _ => UsedAs::Value,
    }
}

/// Returns whether a group is the content of an attribute.
fn is_attribute(trees: &[TokenTree], k: usize) -> bool {
    k >= 1 && matches!(&trees[k - 1], TokenTree::Punct(sign) if sign.as_char() == '#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(item: &str, own: &[&str], expected: &str) {
        let own = own.iter().map(|name| (*name).to_owned()).collect();
        let qualified = qualified(tokens(item), &own).to_string();
        assert_eq!(qualified, tokens(expected).to_string(), "{item}");
    }

    #[test]
    fn functions_that_variables_hide_are_called_by_their_paths() {
        let calls = "fn a_into(a: u8) { a(a.a()); b(a..b(1)); }";
        check(calls, &[], "fn a_into(a: u8) { self::a(a.a()); b(a..b(1)); }");
        let typed = "fn f() { g(|| Ok::<_, Error>(1)); Ok(()) }";
        check(typed, &[], typed);
    }

    #[test]
    fn what_formats_hide_gets_its_path() {
        let item = "impl Format for self::Map { const MAP: Map = Map::new(&[LevelMap::new()]); }";
        let expected = "impl Format for self::Map {
            const MAP: sparsegen::Map = sparsegen::Map::new(&[LevelMap::new()]); }";
        check(item, &["Map"], expected);
        let item = "#[doc = \"[`Error::Shape`]\"] fn f() -> Result<self::Ok, Error> { Ok(Error) }";
        let expected = "#[doc = \"[`sparsegen::Error::Shape`]\"]
            fn f() -> Result<self::Ok, sparsegen::Error> { core::result::Result::Ok(sparsegen::Error) }";
        check(item, &["Ok", "Error"], expected);
        check("pub struct Map;", &["Map"], "pub struct Map;");
    }
}
