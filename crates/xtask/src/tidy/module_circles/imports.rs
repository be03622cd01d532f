//! Which module of a crate uses which, from the paths in its files. A name that a module imports
//! leads on to where it comes from: a parent that re-exports its parts does not hide who uses whom.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Attribute, File, Item, Meta, UseTree};

use crate::tidy::mentions::{Tests, mentions};
use crate::tree::SourceFile;

/// Imports that lead to imports; more are a circle of names, which does not compile.
const HOPS_MAX: usize = 16;

/// The path of a module, without `crate`.
pub type ModulePath = Vec<String>;

/// A place where one module uses another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleUse {
    pub from: ModulePath,
    pub to: ModulePath,
    pub file: String,
    pub line: usize,
}

/// What is known of a module.
#[derive(Default)]
struct ModuleNames {
    /// Imported names, with the path that each was imported by.
    imports: BTreeMap<String, Vec<String>>,
    /// Parts that only tests have.
    test_parts: BTreeSet<String>,
}

/// All uses between modules of the crate whose sources are in `folder` (`crates/a/src`).
pub fn uses(folder: &str, files: &[SourceFile]) -> Vec<ModuleUse> {
    let sources: Vec<(ModulePath, &SourceFile)> = files
        .iter()
        .filter(|file| !file.is_test())
        .filter_map(|file| Some((module_of(file.path.strip_prefix(folder)?.strip_prefix('/')?)?, file)))
        .collect();
    let mut modules: BTreeMap<ModulePath, ModuleNames> = BTreeMap::new();
    for (module, file) in &sources {
        // Folders without a file of their own count, too.
        for end in 0..module.len() {
            modules.entry(module[..end].to_vec()).or_default();
        }
        // Files that do not parse are reported by the size check.
        let names = modules.entry(module.clone()).or_default();
        if let Ok(parsed) = syn::parse_file(&file.text()) {
            names.read(&parsed);
        }
    }
    let is_tested = |module: &ModulePath| {
        (0..module.len())
            .any(|end| modules.get(&module[..end]).is_some_and(|names| names.test_parts.contains(&module[end])))
    };
    let mut found = Vec::new();
    for (module, file) in sources.iter().filter(|(module, _)| !is_tested(module)) {
        let Ok(tokens) = file.text().parse() else { continue };
        // A single word is a name of the module itself.
        for mention in mentions(tokens, Tests::Skip).into_iter().filter(|mention| mention.segments.len() > 1) {
            let Some(to) = absolute(&modules, module, &mention.segments).map(|path| resolve(&modules, path)) else {
                continue;
            };
            if to != *module && !is_tested(&to) {
                found.push(ModuleUse { from: module.clone(), to, file: file.path.clone(), line: mention.line });
            }
        }
    }
    found
}

/// `hub/turns.rs` is `hub::turns`, `hub/mod.rs` is `hub`, and `lib.rs` is the crate itself.
fn module_of(path: &str) -> Option<ModulePath> {
    let mut parts: ModulePath = path.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    if matches!(parts.last()?.as_str(), "mod" | "lib" | "main") {
        parts.pop();
    }
    Some(parts)
}

/// A path from the crate's root; `None` if it does not lead into this crate.
fn absolute(
    modules: &BTreeMap<ModulePath, ModuleNames>,
    module: &[String],
    segments: &[String],
) -> Option<Vec<String>> {
    let (first, rest) = segments.split_first()?;
    let mut from = module.to_vec();
    let mut rest = rest;
    match first.as_str() {
        "crate" => from.clear(),
        "self" => {}
        "super" => {
            from.pop()?;
            while let Some(("super", after)) = rest.split_first().map(|(next, after)| (next.as_str(), after)) {
                from.pop()?;
                rest = after;
            }
        }
        _ => {
            from.push(first.clone());
            if !modules.contains_key(&from) {
                return None;
            }
        }
    }
    from.extend(rest.iter().filter(|segment| *segment != "self").cloned());
    Some(from)
}

/// The module in which a path ends, after all imports on the way.
fn resolve(modules: &BTreeMap<ModulePath, ModuleNames>, mut path: Vec<String>) -> ModulePath {
    for _ in 0..HOPS_MAX {
        let end = (0..=path.len()).rev().find(|end| modules.contains_key(&path[..*end])).unwrap_or(0);
        let module = path[..end].to_vec();
        let imported = path.get(end).and_then(|name| modules.get(&module)?.imports.get(name));
        let Some(next) = imported.and_then(|segments| absolute(modules, &module, segments)) else {
            return module;
        };
        let rest = path.split_off(end.saturating_add(1));
        path = next;
        path.extend(rest);
    }
    path
}

impl ModuleNames {
    fn read(&mut self, file: &File) {
        for item in &file.items {
            match item {
                Item::Use(item) if !is_for_tests(&item.attrs) => self.import(&item.tree, &mut Vec::new()),
                Item::Mod(item) if is_for_tests(&item.attrs) => {
                    self.test_parts.insert(item.ident.to_string());
                }
                _ => {}
            }
        }
    }

    fn import(&mut self, tree: &UseTree, path: &mut Vec<String>) {
        match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                self.import(&tree.tree, path);
                path.pop();
            }
            UseTree::Group(tree) => tree.items.iter().for_each(|tree| self.import(tree, path)),
            UseTree::Name(tree) if tree.ident == "self" => {
                if let Some(name) = path.last() {
                    self.imports.insert(name.clone(), path.clone());
                }
            }
            UseTree::Name(tree) => self.insert(tree.ident.to_string(), tree.ident.to_string(), path),
            UseTree::Rename(tree) => self.insert(tree.rename.to_string(), tree.ident.to_string(), path),
            UseTree::Glob(_) => {}
        }
    }

    fn insert(&mut self, name: String, last: String, path: &[String]) {
        self.imports.insert(name, path.iter().cloned().chain([last]).collect());
    }
}

fn is_for_tests(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| match &attr.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let files: Vec<SourceFile> = files.iter().map(|(path, text)| SourceFile::new(path, text)).collect();
        let found = uses("crates/a/src", &files);
        let mut found: Vec<String> = found
            .iter()
            .map(|found| format!("{} -> {} {}:{}", found.from.join("::"), found.to.join("::"), found.file, found.line))
            .collect();
        found.sort();
        found.dedup();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_kind_of_path_is_followed() {
        check(
            &[
                ("crates/a/src/lib.rs", "mod b; mod c;"),
                ("crates/a/src/b.rs", "use crate::c::{D,\n e::F};\nfn f() { super::c::g() }"),
                ("crates/a/src/c/mod.rs", "mod e; use e::F; fn g() { self::e::h(); serde::x() }"),
                ("crates/a/src/c/e.rs", "use super::super::b;"),
            ],
            &[
                "b -> c crates/a/src/b.rs:1",
                "b -> c crates/a/src/b.rs:3",
                "b -> c::e crates/a/src/b.rs:2",
                "c -> c::e crates/a/src/c/mod.rs:1",
                "c::e -> b crates/a/src/c/e.rs:1",
            ],
        );
    }

    #[test]
    fn a_name_that_a_parent_imports_leads_to_its_origin() {
        check(
            &[
                ("crates/a/src/lib.rs", "mod b; mod c; pub use c::D; use c as other;"),
                ("crates/a/src/b.rs", "use crate::D;\nuse crate::other::E;"),
                ("crates/a/src/c.rs", ""),
            ],
            &[" -> c crates/a/src/lib.rs:1", "b -> c crates/a/src/b.rs:1", "b -> c crates/a/src/b.rs:2"],
        );
    }

    #[test]
    fn tests_use_what_they_like() {
        check(
            &[
                ("crates/a/src/lib.rs", "#[cfg(test)] mod fake; mod b;"),
                ("crates/a/src/fake.rs", "use crate::b::C;"),
                ("crates/a/src/b.rs", "#[cfg(test)] mod tests { use crate::fake::D; }"),
                ("crates/a/src/c/tests.rs", "use crate::b::C;"),
            ],
            &[],
        );
    }
}
