//! Who may use whom. `ls crates/` is the architecture only as long as its arrows point down.

use crate::metadata::Dependency;
use crate::tree::Crate;
use crate::violation::{Violation, line_where};

/// A crate and those of ours it may use.
struct Room {
    name: &'static str,
    may_use: &'static [&'static str],
}

/// In reading order: a room uses only rooms above it.
const ROOMS: &[Room] = &[
    Room { name: "protocol", may_use: &[] },
    Room { name: "secret", may_use: &[] },
    Room { name: "tokens", may_use: &[] },
    Room { name: "session", may_use: &["protocol"] },
    Room { name: "journal", may_use: &["protocol"] },
    Room { name: "model", may_use: &["protocol", "tokens"] },
    Room { name: "embedding", may_use: &[] },
    Room { name: "reflex", may_use: &[] },
    Room { name: "memory", may_use: &["protocol", "journal", "model", "embedding"] },
    Room { name: "tools", may_use: &["protocol", "journal"] },
    Room { name: "desktop", may_use: &["protocol", "tokens", "tools"] },
    Room { name: "home", may_use: &["protocol", "reflex", "tokens", "tools"] },
    Room { name: "research", may_use: &["protocol", "model", "memory", "tools"] },
    Room { name: "external", may_use: &["protocol", "secret", "tools"] },
    Room {
        name: "engine",
        may_use: &["protocol", "secret", "session", "journal", "model", "memory", "tools", "desktop"],
    },
    Room { name: "page", may_use: &[] },
    Room { name: "server", may_use: &["protocol", "secret", "engine"] },
    Room {
        name: "dwell",
        may_use: &[
            "protocol", "secret", "session", "journal", "model", "memory", "tools", "desktop", "home", "research",
            "external", "engine", "server", "page",
        ],
    },
    Room { name: TESTKIT, may_use: &["protocol"] },
    Room {
        name: FUZZ,
        may_use: &["protocol", "session", "journal", "model", "tools", "desktop", "research", "engine", "server"],
    },
    Room {
        name: "bench",
        may_use: &[
            "protocol", "session", "journal", "model", "reflex", "memory", "tools", "research", "engine", "server",
            "dwell", TESTKIT,
        ],
    },
    Room { name: "xtask", may_use: &[] },
];

/// What only tests use; every room may have these as dev-dependencies.
const TESTKIT: &str = "testkit";
const FUZZ: &str = "fuzz";

pub fn check(crates: &[Crate]) -> Vec<Violation> {
    crates.iter().flat_map(check_crate).collect()
}

fn check_crate(krate: &Crate) -> Vec<Violation> {
    let manifest = format!("{}/Cargo.toml", krate.dir);
    let name_line = line_where(&krate.manifest, |line| line.starts_with("name"));
    let Some(room) = room(&krate.name) else {
        let what =
            format!("`{}` is not a known crate: add it to the table in crates/xtask/src/tidy/arrows.rs", krate.name);
        return vec![Violation::new(manifest, name_line, what)];
    };

    let mut violations = Vec::new();
    if krate.dir.rsplit('/').next() != Some(room.name) {
        let what = format!("`{}` lives in `{}`: name the folder after the crate", room.name, krate.dir);
        violations.push(Violation::new(manifest.as_str(), name_line, what));
    }
    for dependency in &krate.dependencies {
        if let Some(what) = objection(room, dependency) {
            let line = dependency_line(&krate.manifest, dependency);
            violations.push(Violation::new(manifest.as_str(), line, what));
        }
    }
    violations
}

/// Why `room` may not have this dependency; `None` if it may.
fn objection(room: &Room, dependency: &Dependency) -> Option<String> {
    let used = self::room(&dependency.name)?;
    let is_dev = dependency.kind.as_deref() == Some("dev");
    let is_for_tests = [TESTKIT, FUZZ].contains(&used.name);
    if room.may_use.contains(&used.name) || (is_dev && is_for_tests) {
        return None;
    }
    if is_for_tests {
        return Some(format!("`{}` uses `{}` outside tests: move it to [dev-dependencies]", room.name, used.name));
    }
    let allowed = match room.may_use {
        [] => "nothing of ours".to_owned(),
        rooms => rooms.join(", "),
    };
    Some(format!(
        "`{}` uses `{}` but may use only {allowed}: turn the arrow round or move the code",
        room.name, used.name
    ))
}

fn room(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
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
            &["crates/protocol/Cargo.toml:6: `protocol` uses `session` but may use only nothing of ours"],
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
        for (index, room) in ROOMS.iter().enumerate() {
            for used in room.may_use {
                let above = ROOMS[..index].iter().any(|above| above.name == *used);
                assert!(above, "{} uses {used}, which comes after it", room.name);
            }
        }
    }
}
