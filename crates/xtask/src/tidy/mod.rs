//! Rules of this workspace that the compiler does not check. A rule is a file with a `check` from a
//! part of the [`SourceTree`] to violations; a new rule is a new file and a line in [`run`].

mod crate_map;
mod dependencies;
mod features;
mod forbidden_paths;
mod glossary;
pub mod links;
mod measure;
mod mentions;
mod module_circles;
mod module_style;
mod openings;
mod pages;
mod paths;
mod proofs;
mod prose;
mod sizes;
mod summary;
mod tracked;
mod type_names;
mod words;

use std::fs;

use anyhow::{Context, Result};

use crate::tree::{self, SourceTree};
use crate::violation::Violation;

pub fn run() -> Result<Vec<Violation>> {
    let root = tree::root()?;
    let tree = SourceTree::read(&root)?;
    let ratchet =
        fs::read_to_string(root.join(sizes::RATCHET)).with_context(|| format!("failed to read {}", sizes::RATCHET))?;
    let circles = fs::read_to_string(root.join(module_circles::LIST))
        .with_context(|| format!("failed to read {}", module_circles::LIST))?;
    let exists = |path: &str| root.join(path).exists();

    let mut violations = dependencies::check(&tree.crates);
    violations.extend(sizes::check(&tree.files, &ratchet)?);
    violations.extend(openings::check(&tree.crates, &tree.files));
    violations.extend(forbidden_paths::check(&tree.files));
    violations.extend(tracked::check(&tree.files));
    violations.extend(documents(&tree, exists));
    violations.extend(proofs::check(&tree.files));
    violations.extend(features::check(&tree.files));
    violations.extend(words::check(&tree.files));
    violations.extend(type_names::check(&tree.files));
    violations.extend(module_style::check(&tree.files));
    violations.extend(module_circles::check(&tree.crates, &tree.files, &circles)?);
    violations.extend(prose::check(&tree.files));
    violations.extend(glossary::check(&tree.crates, &tree.files));
    violations.sort();
    Ok(violations)
}

/// Only the rules about the documentation: links, paths and the list of pages.
pub fn run_documents() -> Result<Vec<Violation>> {
    let root = tree::root()?;
    let mut violations = documents(&SourceTree::read(&root)?, |path: &str| root.join(path).exists());
    violations.sort();
    Ok(violations)
}

fn documents(tree: &SourceTree, exists: impl Fn(&str) -> bool) -> Vec<Violation> {
    let mut violations = links::check(&tree.files, &exists);
    violations.extend(paths::check(&tree.files, &exists));
    violations.extend(summary::check(&tree.files));
    violations.extend(crate_map::check(&tree.crates, &tree.files));
    violations
}
