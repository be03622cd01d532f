//! The policy for dependencies, from `licences.toml`. Every exception needs a reason, and unused
//! exceptions are errors.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use crate::metadata::Package;
use crate::violation::{Violation, line_where};

pub const POLICY: &str = "crates/xtask/licences.toml";

pub struct Policy {
    text: String,
    table: PolicyTable,
    allowed: Vec<Licensee>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyTable {
    platforms: Vec<String>,
    allow: Vec<String>,
    #[serde(default)]
    clarify: Vec<LicenceClarification>,
    #[serde(default)]
    duplicate: Vec<DuplicatePackage>,
    #[serde(default)]
    ignore: Vec<IgnoredAdvisory>,
}

/// The licence of a package that does not name it itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LicenceClarification {
    name: String,
    expression: String,
    reason: String,
}

/// A package that is linked in several versions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DuplicatePackage {
    name: String,
    /// All of them, each by the part that compatible versions share.
    pub versions: BTreeSet<String>,
    reason: String,
}

/// A vulnerability that does not concern us.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IgnoredAdvisory {
    id: String,
    reason: String,
}

impl PolicyTable {
    /// Only the presence of a reason can be checked.
    fn lacks_a_reason(&self) -> bool {
        let clarify = self.clarify.iter().map(|entry| &entry.reason);
        let duplicate = self.duplicate.iter().map(|entry| &entry.reason);
        let ignore = self.ignore.iter().map(|entry| &entry.reason);
        clarify.chain(duplicate).chain(ignore).any(|reason| reason.trim().is_empty())
    }
}

impl Policy {
    pub fn read(root: &Path) -> Result<Self> {
        let text = fs::read_to_string(root.join(POLICY));
        Self::parse(text.with_context(|| format!("failed to read {POLICY}"))?)
    }

    pub fn parse(text: String) -> Result<Self> {
        let table: PolicyTable = toml::from_str(&text).with_context(|| format!("failed to parse {POLICY}"))?;
        ensure!(!table.lacks_a_reason(), "every exception in {POLICY} needs a reason");
        let parse = |licence: &String| {
            Licensee::parse(licence).with_context(|| format!("{licence} in {POLICY} is not an SPDX licence"))
        };
        let allowed = table.allow.iter().map(parse).collect::<Result<_>>()?;
        Ok(Self { text, table, allowed })
    }

    pub fn platforms(&self) -> &[String] {
        &self.table.platforms
    }

    /// Whether the allowed licences satisfy an SPDX expression; the error says why it cannot be
    /// parsed.
    pub fn allows(&self, expression: &str) -> Result<bool, String> {
        // Lax, because old manifests write MIT/Apache-2.0.
        let expression =
            Expression::parse_mode(expression, ParseMode::LAX).map_err(|error| error.reason.to_string())?;
        Ok(expression.evaluate(|wanted| self.allowed.iter().any(|allowed| allowed.satisfies(wanted))))
    }

    /// The licence that the policy states for a package.
    pub fn clarified(&self, name: &str) -> Option<&str> {
        let clarified = self.table.clarify.iter().find(|clarified| clarified.name == name);
        clarified.map(|clarified| clarified.expression.as_str())
    }

    pub fn duplicate(&self, name: &str) -> Option<&DuplicatePackage> {
        self.table.duplicate.iter().find(|duplicate| duplicate.name == name)
    }

    pub fn ignores(&self, id: &str) -> bool {
        self.table.ignore.iter().any(|ignored| ignored.id == id)
    }

    /// Clarifications for packages that are not linked or name their licence themselves.
    pub fn unused_clarifications(&self, packages: &[&Package]) -> Vec<Violation> {
        let is_needed = |name: &str| {
            let needs = |package: &&Package| package.name == name && package.license.is_none();
            packages.iter().any(needs)
        };
        let names = self.table.clarify.iter().map(|clarified| clarified.name.as_str());
        self.unused(names.filter(|name| !is_needed(name)), "names its licence itself or is not linked")
    }

    /// Listed duplicates that no longer exist.
    pub fn unused_duplicates(&self, is_duplicate: impl Fn(&str) -> bool) -> Vec<Violation> {
        let names = self.table.duplicate.iter().map(|duplicate| duplicate.name.as_str());
        self.unused(names.filter(|name| !is_duplicate(name)), "is not linked in several versions any more")
    }

    fn unused<'a>(&self, names: impl Iterator<Item = &'a str>, why: &str) -> Vec<Violation> {
        names
            .map(|name| {
                let line = line_where(&self.text, |line| line == format!("name = \"{name}\""));
                Violation::new(POLICY, line, format!("{name} {why}: remove this entry"))
            })
            .collect()
    }
}
