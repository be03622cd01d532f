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
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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

    // The longest come first.
    let rules: &[Rule<'_>] = &[
        &|| sizes::check(&tree.files, &ratchet),
        &|| module_circles::check(&tree.crates, &tree.files, &circles),
        &|| Ok(prose::check(&tree.files)),
        &|| Ok(words::check(&tree.files)),
        &|| Ok(documents(&tree, exists)),
        &|| Ok(type_names::check(&tree.files)),
        &|| Ok(glossary::check(&tree.crates, &tree.files)),
        &|| Ok(proofs::check(&tree.files)),
        &|| Ok(features::check(&tree.files)),
        &|| Ok(module_style::check(&tree.files)),
        &|| Ok(openings::check(&tree.crates, &tree.files)),
        &|| Ok(forbidden_paths::check(&tree.files)),
        &|| Ok(tracked::check(&tree.files)),
        &|| Ok(dependencies::check(&tree.crates)),
    ];
    let mut violations = side_by_side(rules)?;
    violations.sort();
    Ok(violations)
}

type Rule<'a> = &'a (dyn Fn() -> Result<Vec<Violation>> + Sync);

/// The violations of all rules, each core taking the next rule that none has taken.
fn side_by_side(rules: &[Rule<'_>]) -> Result<Vec<Violation>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut violations = Vec::new();
        while let Some(rule) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
            violations.extend(rule()?);
        }
        Ok(violations)
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut violations = Vec::new();
        for worker in workers {
            let found: Result<Vec<Violation>> = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            violations.extend(found?);
        }
        Ok(violations)
    })
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
