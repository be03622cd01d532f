//! A violation of a rule: where it is, and how to fix it.

use std::fmt;

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Relative to the workspace's root.
    pub path: String,
    pub line: usize,
    /// What is wrong and how to fix it.
    pub what: String,
}

impl Violation {
    pub fn new(path: impl Into<String>, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.into(), line, what: what.into() }
    }
}

/// `path:line: …`, which editors and terminals turn into a link.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// The first line of `text` that `wanted` accepts; 1 if none does, because a violation always has a
/// line.
pub fn line_where(text: &str, wanted: impl Fn(&str) -> bool) -> usize {
    text.lines().position(wanted).map_or(1, |index| index.saturating_add(1))
}

/// `check(input, expected)`: each expectation is a whole violation as printed, or its prefix.
#[cfg(test)]
pub fn assert_violations(mut found: Vec<Violation>, expected: &[&str]) {
    found.sort();
    let found: Vec<String> = found.iter().map(Violation::to_string).collect();
    let alike = found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected));
    assert!(alike, "found {found:#?}, expected {expected:#?}");
}
