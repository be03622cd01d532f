//! The paths that a source file mentions. They are read from tokens, not from text, so that
//! comments and strings do not count, and not from the syntax tree, so that the contents of macros
//! do.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

/// `std::time::Instant`, in code or spelled out from `use std::{fmt, time::Instant}`.
#[derive(Debug, PartialEq, Eq)]
pub struct Mention {
    pub segments: Vec<String>,
    pub line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tests {
    Include,
    /// Skip items under `#[cfg(test)]`.
    Skip,
}

impl Mention {
    /// Whether this is `path` (`std::time`) or something inside it.
    pub fn is_within(&self, path: &str) -> bool {
        let mut segments = self.segments.iter();
        path.split("::").all(|wanted| segments.next().is_some_and(|segment| segment == wanted))
    }
}

/// Every path in the file, including single identifiers.
pub fn mentions(tokens: TokenStream, tests: Tests) -> Vec<Mention> {
    let mut reader = Reader { tests, found: Vec::new() };
    reader.read(tokens, &[]);
    reader.found
}

struct Reader {
    tests: Tests,
    found: Vec<Mention>,
}

impl Reader {
    /// `prefix` is the part before the braces in `use prefix::{…}`.
    fn read(&mut self, tokens: TokenStream, prefix: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = tokens.as_slice();
        let mut is_member = false;
        while let Some((first, after)) = rest.split_first() {
            rest = match first {
                TokenTree::Ident(ident) if !is_member => self.read_path(ident, after, prefix),
                TokenTree::Group(group) => {
                    self.read(group.stream(), &[]);
                    after
                }
                TokenTree::Punct(punct) if punct.as_char() == '#' && self.tests == Tests::Skip => skip_if_test(after),
                _ => after,
            };
            // A token after `.` or `Vec::<u8>::` is a member, not the start of a path.
            let consumed = &tokens[..tokens.len().saturating_sub(rest.len())];
            is_member = ends_with(consumed, ".") || ends_with(consumed, ">::");
        }
    }

    fn read_path<'a>(&mut self, first: &Ident, mut rest: &'a [TokenTree], prefix: &[String]) -> &'a [TokenTree] {
        let mut segments = prefix.to_vec();
        segments.push(name(first));
        while let Some((next, after)) = after_colons(rest) {
            match next {
                TokenTree::Ident(ident) => segments.push(name(ident)),
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    self.read(group.stream(), &segments);
                }
                _ => break,
            }
            rest = after;
        }
        self.found.push(Mention { segments, line: first.span().start().line });
        rest
    }
}

fn name(ident: &Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

/// The token after `::`, and what comes after that.
fn after_colons(tokens: &[TokenTree]) -> Option<(&TokenTree, &[TokenTree])> {
    match tokens {
        [TokenTree::Punct(a), TokenTree::Punct(b), next, rest @ ..] if a.as_char() == ':' && b.as_char() == ':' => {
            Some((next, rest))
        }
        _ => None,
    }
}

fn ends_with(tokens: &[TokenTree], puncts: &str) -> bool {
    let last = tokens.iter().rev();
    let mut pairs = puncts.chars().rev().zip(last.map(Some).chain(std::iter::repeat(None)));
    pairs.all(|(wanted, token)| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted))
}

/// Given the tokens after a `#`: if they start with `[cfg(test)]`, the tokens after the marked
/// item.
fn skip_if_test(tokens: &[TokenTree]) -> &[TokenTree] {
    let Some((TokenTree::Group(attribute), item)) = tokens.split_first() else {
        return tokens;
    };
    if !is_cfg_test(attribute) {
        return tokens;
    }
    // An item ends with its braces or with a semicolon.
    let end = item.iter().position(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    });
    end.and_then(|end| item.get(end.saturating_add(1)..)).unwrap_or_default()
}

fn is_cfg_test(attribute: &Group) -> bool {
    let tokens: Vec<TokenTree> = attribute.stream().into_iter().collect();
    let [TokenTree::Ident(cfg), TokenTree::Group(condition)] = tokens.as_slice() else {
        return false;
    };
    *cfg == "cfg" && condition.stream().to_string() == "test"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, tests: Tests, expected: &[(&str, usize)]) {
        let found = mentions(text.parse().unwrap(), tests);
        // Single identifiers, including keywords, are mentions too; most tests check longer paths.
        let mut found: Vec<(String, usize)> = found
            .iter()
            .map(|mention| (mention.segments.join("::"), mention.line))
            .filter(|(path, _)| path.contains("::"))
            .collect();
        found.sort();
        let expected: Vec<_> = expected.iter().map(|(path, line)| ((*path).to_owned(), *line)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn paths_are_spelled_out() {
        check("fn f() -> a::b { ::c::d(e::f) }", Tests::Include, &[("a::b", 1), ("c::d", 1), ("e::f", 1)]);
        check(
            "use a::{b,\n c::{self, d}};",
            Tests::Include,
            &[("a::b", 1), ("a::c", 2), ("a::c::d", 2), ("a::c::self", 2)],
        );
    }

    #[test]
    fn macros_count_and_comments_do_not() {
        check("x! { a::b => \"c::d\" } // e::f", Tests::Include, &[("a::b", 1)]);
        check("/// [`a::b`]\nfn f() {}", Tests::Include, &[]);
    }

    #[test]
    fn members_are_not_paths() {
        let words = |text: &str| {
            let found = mentions(text.parse().unwrap(), Tests::Include);
            found.iter().any(|mention| mention.is_within("rand"))
        };
        assert!(words("use rand;"));
        assert!(words("a + rand::random()"));
        assert!(words("a.b(rand::random())"));
        assert!(!words("a.rand()"));
        assert!(!words("Vec::<u8>::rand()"));
        assert!(!words("a::rand()"));
        assert!(!words("let random = 1;"));
    }

    #[test]
    fn tests_can_be_skipped() {
        let text =
            "#[cfg(test)] mod tests { fn f() { a::b } } fn g() { c::d } #[cfg(test)] use e::f; #[x(g::h)] fn h() {}";
        check(text, Tests::Skip, &[("c::d", 1), ("g::h", 1)]);
        check(text, Tests::Include, &[("a::b", 1), ("c::d", 1), ("e::f", 1), ("g::h", 1)]);
    }
}
