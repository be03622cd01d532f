//! Measures the length of functions. Only functions that the parser sees count: one inside a macro
//! (`proptest!`) is part of its caller's or its file's length.

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ImplItemFn, ItemFn, ItemImpl, ItemMod, ItemTrait, Meta, TraitItemFn, Type};

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// `module::Type::name`, without the file's own module.
    pub name: String,
    pub line: usize,
    /// Lines between its braces.
    pub lines: usize,
    pub is_test: bool,
}

/// All functions of a file, in reading order, including nested ones.
pub fn functions(text: &str, file_is_test: bool) -> syn::Result<Vec<Function>> {
    let mut finder = Finder { scope: Vec::new(), in_test: file_is_test, found: Vec::new() };
    finder.visit_file(&syn::parse_file(text)?);
    Ok(finder.found)
}

struct Finder {
    scope: Vec<String>,
    in_test: bool,
    found: Vec<Function>,
}

impl Finder {
    /// Visits the contents of an item under its name.
    fn inside(&mut self, name: String, attrs: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let was_in_test = self.in_test;
        self.in_test |= marks_test(attrs);
        self.scope.push(name);
        visit(self);
        self.scope.pop();
        self.in_test = was_in_test;
    }

    fn function(&mut self, name: &syn::Ident, attrs: &[Attribute], body: &Block, visit: impl FnOnce(&mut Self)) {
        self.inside(name.to_string(), attrs, |finder| {
            finder.found.push(Function {
                name: finder.scope.join("::"),
                line: name.span().start().line,
                lines: lines_between(body.brace_token.span.open(), body.brace_token.span.close()),
                is_test: finder.in_test,
            });
            visit(finder);
        });
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.inside(item.ident.to_string(), &item.attrs, |finder| {
            visit::visit_item_mod(finder, item);
        });
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        self.inside(type_name(&item.self_ty), &item.attrs, |finder| {
            visit::visit_item_impl(finder, item);
        });
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.inside(item.ident.to_string(), &item.attrs, |finder| {
            visit::visit_item_trait(finder, item);
        });
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.sig.ident, &item.attrs, &item.block, |finder| {
            visit::visit_item_fn(finder, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.sig.ident, &item.attrs, &item.block, |finder| {
            visit::visit_impl_item_fn(finder, item);
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        let Some(body) = &item.default else { return };
        self.function(&item.sig.ident, &item.attrs, body, |finder| {
            visit::visit_trait_item_fn(finder, item);
        });
    }
}

fn lines_between(open: Span, close: Span) -> usize {
    close.start().line.saturating_sub(open.start().line).saturating_sub(1)
}

fn type_name(of: &Type) -> String {
    let last_segment = match of {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    last_segment.map_or_else(|| "impl".to_owned(), |segment| segment.ident.to_string())
}

/// `#[cfg(test)]`, `#[test]`, `#[tokio::test]`.
fn marks_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| match &attr.meta {
        Meta::List(list) => {
            let is_cfg_test = list.path.is_ident("cfg") && list.tokens.to_string() == "test";
            is_cfg_test || ends_with_test(&list.path)
        }
        Meta::Path(path) => ends_with_test(path),
        Meta::NameValue(_) => false,
    })
}

fn ends_with_test(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == "test")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, usize, usize, bool)]) {
        let found = functions(text, false).unwrap();
        let found: Vec<_> = found.iter().map(|f| (f.name.as_str(), f.line, f.lines, f.is_test)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_between_the_braces_count() {
        check("fn a() {}", &[("a", 1, 0, false)]);
        check("fn a() { 1 }", &[("a", 1, 0, false)]);
        check("\n\nfn a()\nwhere\n{\n1\n// why\n\n}\n", &[("a", 3, 3, false)]);
    }

    #[test]
    fn names_say_where() {
        check(
            "mod m { impl<T> a::B<T> { fn c() {\n fn d() {\n\n} } } }",
            &[("m::B::c", 1, 2, false), ("m::B::c::d", 2, 1, false)],
        );
        check("trait T { fn a(); fn b() {\n1\n} }", &[("T::b", 1, 1, false)]);
        check("impl T for [u8] { fn a() {} }", &[("impl::a", 1, 0, false)]);
    }

    #[test]
    fn tests_are_recognised() {
        check("#[test] fn a() {}", &[("a", 1, 0, true)]);
        check("#[tokio::test(start_paused = true)] async fn a() {}", &[("a", 1, 0, true)]);
        check("#[cfg(test)] mod tests { fn a() {} } fn b() {}", &[("tests::a", 1, 0, true), ("b", 1, 0, false)]);
        check("#[cfg(feature = \"test\")] fn a() {}", &[("a", 1, 0, false)]);
        assert!(functions("fn a() {}", true).unwrap()[0].is_test);
    }

    #[test]
    fn what_is_not_rust_is_an_error() {
        assert!(functions("fn a( {", false).is_err());
    }
}
