//! The rules of this workspace that a compiler does not know. A rule is a file with a `check` from a part of the [`Tree`] to
//! violations; a new rule is a new file and a line in [`run`].

mod absences;
mod arrows;
mod links;
mod measure;
mod mentions;
mod openings;
mod proofs;
mod sizes;
mod tracked;

use std::fs;

use anyhow::{Context, Result};

use crate::tree::{self, Tree};
use crate::violation::Violation;

pub fn run() -> Result<Vec<Violation>> {
    let root = tree::root()?;
    let tree = Tree::read(&root)?;
    let ratchet =
        fs::read_to_string(root.join(sizes::RATCHET)).with_context(|| format!("failed to read {}", sizes::RATCHET))?;
    let exists = |path: &str| root.join(path).exists();

    let mut violations = arrows::check(&tree.crates);
    violations.extend(sizes::check(&tree.files, &ratchet)?);
    violations.extend(openings::check(&tree.crates, &tree.files));
    violations.extend(absences::check(&tree.files));
    violations.extend(tracked::check(&tree.files));
    violations.extend(links::check(&tree.files, exists));
    violations.extend(proofs::check(&tree.files));
    violations.sort();
    Ok(violations)
}
