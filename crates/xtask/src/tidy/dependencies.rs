//! Which crate may depend on which. The crates form layers only as long as no dependency points
//! upward.

use crate::metadata::Dependency;
use crate::tree::Crate;
use crate::violation::{Violation, line_where};

/// A crate and the workspace crates that it may use.
struct CrateRule {
    name: &'static str,
    may_use: &'static [&'static str],
}

/// In reading order: a crate uses only crates above it.
const CRATES: &[CrateRule] = &[
    CrateRule { name: "protocol", may_use: &[] },
    CrateRule { name: "ports", may_use: &["protocol"] },
    CrateRule { name: "secret", may_use: &[] },
    CrateRule { name: "tokens", may_use: &[] },
    CrateRule { name: "observe", may_use: &[] },
    CrateRule { name: "schedule", may_use: &["protocol"] },
    CrateRule { name: "session", may_use: &["protocol", "schedule"] },
    CrateRule { name: "journal", may_use: &["protocol", "observe"] },
    CrateRule { name: "model", may_use: &["protocol", "tokens", "observe"] },
    CrateRule { name: "offline", may_use: &["protocol", "model"] },
    CrateRule { name: "embedding", may_use: &[] },
    CrateRule { name: "reflex", may_use: &[] },
    CrateRule { name: "memory", may_use: &["protocol", "journal", "model", "embedding"] },
    CrateRule { name: "tools", may_use: &["protocol", "ports", "observe", "journal"] },
    CrateRule { name: "desktop", may_use: &["protocol", "ports", "tokens", "tools"] },
    CrateRule { name: "home", may_use: &["protocol", "ports", "schedule", "reflex", "tokens", "tools"] },
    CrateRule { name: "simulated_home", may_use: &["protocol", "ports", "tokens", "tools", "home"] },
    CrateRule { name: "research", may_use: &["protocol", "ports", "model", "memory", "tools"] },
    CrateRule { name: "external", may_use: &["protocol", "ports", "secret", "observe", "tools"] },
    CrateRule { name: "alert", may_use: &["protocol", "ports", "secret", "tools"] },
    CrateRule {
        name: "engine",
        may_use: &[
            "protocol", "ports", "secret", "observe", "session", "schedule", "journal", "model", "offline", "memory",
            "tools", "desktop",
        ],
    },
    CrateRule { name: "page", may_use: &[] },
    CrateRule { name: "server", may_use: &["protocol", "secret", "observe", "schedule", "engine"] },
    CrateRule { name: "telemetry", may_use: &["observe"] },
    CrateRule {
        name: "dwell",
        may_use: &[
            "protocol",
            "ports",
            "secret",
            "observe",
            "session",
            "schedule",
            "journal",
            "model",
            "offline",
            "memory",
            "tools",
            "desktop",
            "home",
            "simulated_home",
            "research",
            "external",
            "alert",
            "engine",
            "server",
            "telemetry",
            "page",
        ],
    },
    CrateRule { name: TESTKIT, may_use: &["protocol"] },
    CrateRule {
        name: FUZZ,
        may_use: &[
            "protocol", "session", "journal", "model", "offline", "tools", "desktop", "research", "engine", "server",
        ],
    },
    CrateRule {
        name: "bench",
        may_use: &[
            "protocol", "ports", "session", "schedule", "journal", "model", "reflex", "memory", "tools", "research",
            "engine", "server", "dwell", TESTKIT,
        ],
    },
    CrateRule { name: "xtask", may_use: &[] },
];

/// The crate for tests; every crate may have it as a dev-dependency.
const TESTKIT: &str = "testkit";
const FUZZ: &str = "fuzz";

pub fn check(crates: &[Crate]) -> Vec<Violation> {
    crates.iter().flat_map(check_crate).collect()
}

fn check_crate(krate: &Crate) -> Vec<Violation> {
    let manifest = format!("{}/Cargo.toml", krate.dir);
    let name_line = line_where(&krate.manifest, |line| line.starts_with("name"));
    let Some(rule) = rule_of(&krate.name) else {
        let what = format!(
            "`{}` is not a known crate: add it to the table in crates/xtask/src/tidy/dependencies.rs",
            krate.name
        );
        return vec![Violation::new(manifest, name_line, what)];
    };

    let mut violations = Vec::new();
    if krate.dir.rsplit('/').next() != Some(rule.name) {
        let what = format!("`{}` lives in `{}`: name the folder after the crate", rule.name, krate.dir);
        violations.push(Violation::new(manifest.as_str(), name_line, what));
    }
    for dependency in &krate.dependencies {
        if let Some(what) = objection(rule, dependency) {
            let line = dependency_line(&krate.manifest, dependency);
            violations.push(Violation::new(manifest.as_str(), line, what));
        }
    }
    violations
}

/// Why `rule` may not have this dependency; `None` if it may.
fn objection(rule: &CrateRule, dependency: &Dependency) -> Option<String> {
    let used = self::rule_of(&dependency.name)?;
    let is_dev = dependency.kind.as_deref() == Some("dev");
    let is_for_tests = [TESTKIT, FUZZ].contains(&used.name);
    if rule.may_use.contains(&used.name) || (is_dev && is_for_tests) {
        return None;
    }
    if is_for_tests {
        return Some(format!("`{}` uses `{}` outside tests: move it to [dev-dependencies]", rule.name, used.name));
    }
    let allowed = match rule.may_use {
        [] => "external crates".to_owned(),
        crates => crates.join(", "),
    };
    Some(format!(
        "`{}` uses `{}` but may use only {allowed}: invert the dependency or move the code",
        rule.name, used.name
    ))
}

fn rule_of(name: &str) -> Option<&'static CrateRule> {
    CRATES.iter().find(|rule| rule.name == name)
}

/// `name = …`, `name.workspace = …` or `[dependencies.name]`.
fn dependency_line(manifest: &str, dependency: &Dependency) -> usize {
    let name = dependency.rename.as_deref().unwrap_or(&dependency.name);
    line_where(manifest, |line| {
        let key = line.split_once('=').map_or(line, |(key, _)| key).trim();
        let key = key.strip_suffix(".workspace").unwrap_or(key);
        key == name || (key.starts_with('[') && key.ends_with(&format!("dependencies.{name}]")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn krate(name: &str, dependencies: &[(&str, Option<&str>)]) -> Crate {
        let mut manifest = format!("[package]\nname = \"{name}\"\n\n[dependencies]\n");
        for (name, _) in dependencies {
            manifest.push_str(&format!("{name}.workspace = true\n"));
        }
        Crate {
            name: name.to_owned(),
            dir: format!("crates/{name}"),
            manifest,
            dependencies: dependencies
                .iter()
                .map(|(name, kind)| Dependency {
                    name: (*name).to_owned(),
                    rename: None,
                    kind: kind.map(str::to_owned),
                })
                .collect(),
        }
    }

    fn check_one(name: &str, dependencies: &[(&str, Option<&str>)], expected: &[&str]) {
        assert_violations(check(&[krate(name, dependencies)]), expected);
    }

    #[test]
    fn arrows_down_are_fine() {
        check_one("engine", &[("session", None), ("model", None), ("tokio", None)], &[]);
        check_one("bench", &[("dwell", None), ("testkit", None)], &[]);
    }

    #[test]
    fn arrows_up_are_not() {
        check_one(
            "protocol",
            &[("serde", None), ("session", None)],
            &["crates/protocol/Cargo.toml:6: `protocol` uses `session` but may use only external crates"],
        );
        check_one(
            "session",
            &[("journal", Some("dev"))],
            &["crates/session/Cargo.toml:5: `session` uses `journal` but may use only protocol"],
        );
        check_one("xtask", &[("protocol", Some("build"))], &["crates/xtask/Cargo.toml:5: `xtask` uses `protocol`"]);
    }

    #[test]
    fn testkit_is_for_tests() {
        check_one("session", &[("testkit", Some("dev"))], &[]);
        check_one("dwell", &[("testkit", None)], &["crates/dwell/Cargo.toml:5: `dwell` uses `testkit` outside tests"]);
    }

    #[test]
    fn unknown_crates_are_noticed() {
        check_one("attic", &[], &["crates/attic/Cargo.toml:2: `attic` is not a known crate: add it to the table"]);
    }

    #[test]
    fn the_folder_bears_the_name() {
        let mut moved = krate("model", &[]);
        moved.dir = "crates/models".to_owned();
        assert_violations(check(&[moved]), &["crates/models/Cargo.toml:2: `model` lives in `crates/models`"]);
    }

    #[test]
    fn the_table_is_in_reading_order() {
        for (index, rule) in CRATES.iter().enumerate() {
            for used in rule.may_use {
                let above = CRATES[..index].iter().any(|above| above.name == *used);
                assert!(above, "{} uses {used}, which comes after it", rule.name);
            }
        }
    }
}
