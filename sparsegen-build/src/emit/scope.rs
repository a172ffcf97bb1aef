//! Resolution of names: qualifies names that are shadowed.
//!
//! A format of the user may shadow a name of another crate, which is then qualified by its path; a
//! variable may shadow a function, which is then qualified by `self::`.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};
use syn::buffer::{Cursor, TokenBuffer};

use super::names::tokens;
use crate::names::imported::find;
use crate::names::is_keyword;

/// The names that start the paths of items, without fields and definitions.
#[derive(Default)]
pub(super) struct Names {
    /// Variables and types.
    pub values: BTreeSet<String>,
    /// The first of several segments, and generic items with their arguments: `name::…`.
    pub begins: BTreeSet<String>,
    /// Functions that are called: `name(…)`.
    pub called: BTreeSet<String>,
}

impl Names {
    /// Adds the names of the tokens from a cursor on.
    pub(super) fn add(&mut self, at: Cursor<'_>) {
        for token in each(at) {
            if let Some(name) = token.bare_name() {
                match token.used_as() {
                    UsedAs::Value => self.values.insert(name),
                    UsedAs::Path => self.begins.insert(name),
                    UsedAs::Function => self.called.insert(name),
                };
            } else if let Some(within) = token.within.filter(|_| !token.is_attribute()) {
                self.add(within);
            }
        }
    }

    /// Adds other names.
    pub(super) fn extend(&mut self, other: Names) {
        self.values.extend(other.values);
        self.begins.extend(other.begins);
        self.called.extend(other.called);
    }

    /// Returns whether no name is shadowed in an item, of which these are the names; `own` are the
    /// types that the file declares.
    pub(super) fn are_plain(&self, own: &BTreeSet<String>) -> bool {
        self.called.is_disjoint(&self.values) && own.iter().all(|name| find(name).is_none())
    }
}

/// Qualifies the shadowed names of an item; `own` are the types that the file declares.
pub(super) fn qualified(item: TokenStream, names: &Names, own: &BTreeSet<String>) -> TokenStream {
    let item = TokenBuffer::new2(item);
    Scope { own, variables: &names.values }.qualify(item.begin())
}

/// The use of an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UsedAs {
    Function,
    Path,
    Value,
}

struct Scope<'o> {
    own: &'o BTreeSet<String>,
    /// The names of an item, without those of called functions.
    variables: &'o BTreeSet<String>,
}

impl Scope<'_> {
    fn qualify(&self, at: Cursor<'_>) -> TokenStream {
        let mut qualified = TokenStream::new();
        for token in each(at) {
            if let Some(name) = token.bare_name() {
                if token.used_as() == UsedAs::Function && self.variables.contains(&name) {
                    qualified.extend(tokens("self::"));
                }
                match find(&name).filter(|_| self.own.contains(&name)) {
                    Some(other) => qualified.extend(tokens(&format!("{}::{name}", other.module))),
                    None => qualified.extend([token.tree]),
                }
                continue;
            }
            match (&token.tree, token.within) {
                (TokenTree::Group(group), Some(within)) => {
                    let within = match token.is_attribute() {
                        true => self.documented(group.stream()),
                        false => self.qualify(within),
                    };
                    let mut within = Group::new(group.delimiter(), within);
                    within.set_span(group.span());
                    qualified.extend([TokenTree::Group(within)]);
                }
                _ => qualified.extend([token.tree]),
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

/// A token of an item or of a group.
struct Token<'b> {
    tree: TokenTree,
    /// The two tokens before it, the nearer one first.
    before: [Before; 2],
    /// The first token of a group.
    within: Option<Cursor<'b>>,
    /// The token after it.
    next: Cursor<'b>,
}

/// A token before another one, as far as it determines the other's meaning.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Sign(char),
    /// The keyword of a definition.
    Defining,
    Other,
}

/// The keywords before the name of a definition.
const DEFINING: [&str; 5] = ["fn", "struct", "type", "trait", "const"];

/// Returns the tokens from a cursor to the end of its group.
fn each<'b>(mut at: Cursor<'b>) -> impl Iterator<Item = Token<'b>> {
    let mut before = [Before::Other; 2];
    std::iter::from_fn(move || {
        let (tree, next) = at.token_tree()?;
        let within = at.any_group().map(|(within, ..)| within);
        let own = match &tree {
            TokenTree::Punct(sign) => Before::Sign(sign.as_char()),
            TokenTree::Ident(word) if DEFINING.iter().any(|it| word == it) => Before::Defining,
            TokenTree::Ident(_) | TokenTree::Group(_) | TokenTree::Literal(_) => Before::Other,
        };
        let token = Token { tree, before, within, next };
        (at, before) = (next, [own, before[0]]);
        Some(token)
    })
}

impl Token<'_> {
    /// Returns the identifier, if the token is one that starts a path and is not a field, a lifetime or
    /// a definition.
    fn bare_name(&self) -> Option<String> {
        let TokenTree::Ident(ident) = &self.tree else { return None };
        let is_special = match self.before {
            [Before::Sign(':'), Before::Sign(':')]
            | [Before::Sign('\''), _]
            | [Before::Defining, _] => true,
            // A range ends with the punctuation of a field access.
            [Before::Sign('.'), other] => other != Before::Sign('.'),
            _ => false,
        };
        let name = Some(ident).filter(|_| !is_special)?.to_string();
        (!is_keyword(&name)).then_some(name)
    }

    /// Returns the use of an identifier by the tokens that follow.
    fn used_as(&self) -> UsedAs {
        let colon = |at: Cursor<'_>| at.punct().filter(|(sign, _)| sign.as_char() == ':').is_some();
        let is_path = colon(self.next) && self.next.punct().is_some_and(|(_, next)| colon(next));
        match self.next.group(Delimiter::Parenthesis) {
            Some(_) => UsedAs::Function,
            None if is_path => UsedAs::Path,
            None => UsedAs::Value,
        }
    }

    /// Returns whether a group is the content of an attribute.
    fn is_attribute(&self) -> bool {
        self.before[0] == Before::Sign('#')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(item: &str, own: &[&str], expected: &str) {
        let own = own.iter().map(|name| (*name).to_owned()).collect();
        let mut names = Names::default();
        names.add(TokenBuffer::new2(tokens(item)).begin());
        let qualified = match names.are_plain(&own) {
            true => tokens(item),
            false => qualified(tokens(item), &names, &own),
        };
        assert_eq!(qualified.to_string(), tokens(expected).to_string(), "{item}");
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
