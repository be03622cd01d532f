//! docs/architecture.md describes every crate.

use crate::tree::{Crate, SourceFile};
use crate::violation::Violation;

const PAGE: &str = "docs/architecture.md";

pub fn check(crates: &[Crate], files: &[SourceFile]) -> Vec<Violation> {
    let page = files.iter().find(|file| file.path == PAGE).map(SourceFile::text).unwrap_or_default();
    let is_described = |name: &str| page.lines().any(|line| line.starts_with(&format!("- **`{name}`**")));
    let missing = crates.iter().filter(|krate| !is_described(&krate.name));
    missing
        .map(|krate| Violation::new(PAGE, 1, format!("has no entry for the crate `{}`: add one", krate.name)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    #[test]
    fn every_crate_has_an_entry() {
        let krate = |name: &str| Crate {
            name: name.to_owned(),
            dir: format!("crates/{name}"),
            manifest: String::new(),
            dependencies: Vec::new(),
        };
        let page = SourceFile::new(PAGE, "- **`journal`**. The store.\n- **`fuzz`** (tests only).\n");
        let crates = [krate("journal"), krate("fuzz"), krate("model")];
        assert_violations(check(&crates, &[page]), &["docs/architecture.md:1: has no entry for the crate `model`"]);
        assert_violations(check(&crates[..1], &[]), &["docs/architecture.md:1: has no entry for the crate `journal`"]);
    }
}
