//! A module with parts is a folder with a `mod.rs`, everywhere: `a/mod.rs`, never `a.rs` beside
//! `a/`.

use std::collections::BTreeSet;

use crate::tree::SourceFile;
use crate::violation::Violation;

pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let sources = || files.iter().map(|file| file.path.as_str()).filter(|path| path.ends_with(".rs"));
    let folders: BTreeSet<&str> =
        sources().filter_map(|path| path.rsplit_once('/')).map(|(folder, _)| folder).collect();
    sources()
        .filter(|path| path.strip_suffix(".rs").is_some_and(|module| folders.contains(module)))
        .map(|path| Violation::new(path, 1, "a module with parts is a folder with a `mod.rs`: move this file there"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn check_paths(paths: &[&str], expected: &[&str]) {
        let files: Vec<SourceFile> = paths.iter().map(|path| SourceFile::new(path, "")).collect();
        assert_violations(check(&files), expected);
    }

    #[test]
    fn a_module_is_a_file_or_a_folder() {
        check_paths(&["crates/a/src/b/mod.rs", "crates/a/src/b/c.rs", "crates/a/src/d.rs"], &[]);
        check_paths(&["crates/a/src/b.rs", "crates/a/src/b/c.rs"], &["crates/a/src/b.rs:1: a module with parts"]);
    }
}
