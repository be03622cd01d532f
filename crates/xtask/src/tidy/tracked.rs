//! What no file in the repository may be or contain: no huge files, and no host of a package
//! registry, because the user who builds this chooses the source of packages (a mirror, a vendored
//! folder), not the repository.

use crate::tree::{FILE_BYTES_MAX, SourceFile};
use crate::violation::Violation;

/// Split, so that this file does not contain the hosts itself.
const REGISTRY_HOSTS: &[(&str, &str)] = &[
    ("crates", ".io"),
    ("pypi", ".org"),
    ("pythonhosted", ".org"),
    ("npmjs", ".org"),
    ("npmjs", ".com"),
    ("yarnpkg", ".com"),
    ("rubygems", ".org"),
];

pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let hosts: Vec<String> = REGISTRY_HOSTS.iter().map(|(name, domain)| [*name, *domain].concat()).collect();
    files.iter().flat_map(|file| too_large(file).into_iter().chain(mentions(file, &hosts))).collect()
}

fn too_large(file: &SourceFile) -> Option<Violation> {
    (file.size > FILE_BYTES_MAX).then(|| {
        let what =
            format!("has {} bytes, at most {FILE_BYTES_MAX} are kept: generate or download it instead", file.size);
        Violation::new(file.path.as_str(), 1, what)
    })
}

fn mentions(file: &SourceFile, hosts: &[String]) -> Vec<Violation> {
    let text = file.text().to_ascii_lowercase();
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for host in hosts.iter().filter(|host| contains_host(line, host)) {
            let what = format!("names the package registry {host}: leave the choice of registry to the user");
            violations.push(Violation::new(file.path.as_str(), index.saturating_add(1), what));
        }
    }
    violations
}

/// Whole host names only: the index repository that cargo writes into every Cargo.lock begins with
/// a host's name.
fn contains_host(line: &str, host: &str) -> bool {
    let continues_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    line.match_indices(host).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start..].strip_prefix(host).and_then(|rest| rest.chars().next());
        !before.is_some_and(continues_name) && !after.is_some_and(continues_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    /// `@` stands for the dot in a host's name, because this file is checked too.
    fn check_text(text: &str, expected: &[&str]) {
        let file = SourceFile::new("docs/a.md", &text.replace('@', "."));
        assert_violations(check(&[file]), expected);
    }

    #[test]
    fn registries_are_found() {
        check_text("a\nhttps://index.crates@io/x\n", &["docs/a.md:2: names the package registry"]);
        check_text("from Pypi@org.", &["docs/a.md:1: names"]);
        check_text("\"https://registry.npmjs@org/left-pad\"", &["docs/a.md:1: names"]);
        check_text("files.pythonhosted@org and crates@io", &["docs/a.md:1:", "docs/a.md:1:"]);
    }

    #[test]
    fn names_that_only_look_alike_are_fine() {
        check_text("registry+https://git.example/crates@io-index", &[]);
        check_text("mypypi@org, pypi@organic, crates and io", &[]);
    }

    #[test]
    fn large_files_are_found() {
        let mut file = SourceFile::new("a.bin", "");
        file.size = FILE_BYTES_MAX;
        assert_violations(check(&[file]), &[]);

        let mut file = SourceFile::new("a.bin", "");
        file.size = FILE_BYTES_MAX + 1;
        assert_violations(check(&[file]), &["a.bin:1: has 1048577 bytes, at most 1048576"]);
    }
}
