//! Forbidden paths. An invariant like "only the journal knows SQL" means that a path is absent
//! everywhere else, which is easily missed in a review.

use super::mentions::{Tests, mentions};
use crate::tree::SourceFile;
use crate::violation::Violation;

struct ForbiddenPath {
    /// The forbidden paths, with everything inside them.
    paths: &'static [&'static str],
    /// Where they are forbidden: prefixes of file paths.
    within: &'static [&'static str],
    /// Exceptions: prefixes of file paths.
    except: &'static [&'static str],
    tests: Tests,
    /// The reason, which follows "mentions `x`: ".
    why: &'static str,
}

const EVERYWHERE: &[&str] = &[""];

const ABSENCES: &[ForbiddenPath] = &[
    ForbiddenPath {
        // A duration is a value; only clocks are forbidden.
        paths: &["async", "std::time::Instant", "std::time::SystemTime", "tokio", "rand"],
        within: &["crates/session/src/", "crates/schedule/src/"],
        except: &[],
        tests: Tests::Include,
        why: "the core is pure; pass time and randomness in with the command and do the work in `engine`",
    },
    ForbiddenPath {
        paths: &["tokio", "std::fs", "std::net", "std::thread"],
        within: &["crates/ports/src/"],
        except: &[],
        tests: Tests::Include,
        why: "a port is a trait and the plain types it speaks; the work is done by the crate that implements it",
    },
    ForbiddenPath {
        paths: &["rusqlite"],
        within: EVERYWHERE,
        // The library's file is derived data of its own; tests of damage corrupt files on purpose,
        // and the benchmarks compare with bare SQLite.
        except: &[
            "crates/journal/src/sqlite",
            "crates/research/src/library/store",
            "crates/journal/tests/",
            "crates/dwell/tests/it/damage/",
            "bench/",
        ],
        tests: Tests::Include,
        why: "only `journal::sqlite` and `research::library::store` know SQL; go through the `Journal` trait",
    },
    ForbiddenPath {
        paths: &["tokio_postgres"],
        within: EVERYWHERE,
        except: &["crates/journal/src/postgres"],
        tests: Tests::Include,
        why: "only `journal::postgres` knows PostgreSQL; go through the `Journal` trait",
    },
    ForbiddenPath {
        paths: &["genai"],
        within: EVERYWHERE,
        except: &["crates/model/"],
        tests: Tests::Include,
        why: "only `model` knows providers; go through the `Model` trait",
    },
    ForbiddenPath {
        paths: &["axum"],
        within: EVERYWHERE,
        // The conformance suite sends no token, so it uses the server's router directly; the
        // benchmarks compare Dwell with a bare server.
        except: &["crates/server/", "crates/testkit/", "crates/dwell/tests/it/conformance/", "bench/src/bare.rs"],
        tests: Tests::Include,
        why: "only `server` knows HTTP",
    },
    ForbiddenPath {
        paths: &["std::env"],
        within: EVERYWHERE,
        // Cargo passes the output folder to build scripts in the environment.
        except: &[
            "crates/dwell/",
            "crates/testkit/",
            "crates/fuzz/fuzz/",
            "crates/xtask/",
            "crates/tokens/build.rs",
            "bench/",
        ],
        tests: Tests::Skip,
        why: "only the binary reads the environment; take the value as an argument or from the configuration",
    },
];

pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let sources = files.iter().filter(|file| file.path.ends_with(".rs"));
    sources.flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<Violation> {
    let absences = ABSENCES.iter().filter(|absence| absence.applies_to(file));
    absences.flat_map(|absence| violations_of(absence, file)).collect()
}

impl ForbiddenPath {
    fn applies_to(&self, file: &SourceFile) -> bool {
        let is_in = |places: &[&str]| places.iter().any(|place| file.path.starts_with(place));
        let is_skipped_test = self.tests == Tests::Skip && file.is_test();
        is_in(self.within) && !is_in(self.except) && !is_skipped_test
    }
}

fn violations_of(absence: &ForbiddenPath, file: &SourceFile) -> Vec<Violation> {
    // Files that do not parse are reported by the size check.
    let Ok(tokens) = file.text().parse() else {
        return Vec::new();
    };
    let mut violations = Vec::new();
    for mention in mentions(tokens, absence.tests) {
        for path in absence.paths.iter().filter(|path| mention.is_within(path)) {
            let what = format!("mentions `{path}`: {}", absence.why);
            violations.push(Violation::new(file.path.as_str(), mention.line, what));
        }
    }
    violations.dedup();
    violations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn check_text(path: &str, text: &str, expected: &[&str]) {
        assert_violations(check(&[SourceFile::new(path, text)]), expected);
    }

    #[test]
    fn the_heart_is_pure() {
        let path = "crates/session/src/decide.rs";
        check_text(path, "//! No tokio, no rand, not async.\nfn decide() {}\n", &[]);
        check_text(path, "async fn f() {}", &["crates/session/src/decide.rs:1: mentions `async`: the core"]);
        check_text(path, "fn f() {\n g(async move {});\n}", &["crates/session/src/decide.rs:2: mentions `async`"]);
        check_text(
            path,
            "use std::{fmt,\n time::Instant};",
            &["crates/session/src/decide.rs:2: mentions `std::time::Instant`"],
        );
        check_text(path, "use rand::Rng;", &["crates/session/src/decide.rs:1: mentions `rand`"]);
        check_text(path, "#[tokio::test]\nfn f() {}", &["crates/session/src/decide.rs:1: mentions `tokio`"]);
        check_text("crates/engine/src/lib.rs", "async fn f() { tokio::spawn(g()); }", &[]);
    }

    #[test]
    fn only_one_place_knows_each_library() {
        let uses = |library: &str| format!("fn f() -> {library}::Error {{}}");
        check_text("crates/journal/src/sqlite/open.rs", &uses("rusqlite"), &[]);
        check_text(
            "crates/journal/src/lib.rs",
            &uses("rusqlite"),
            &["crates/journal/src/lib.rs:1: mentions `rusqlite`"],
        );
        check_text("crates/model/src/genai.rs", &uses("genai"), &[]);
        check_text("crates/engine/src/lib.rs", &uses("genai"), &["crates/engine/src/lib.rs:1: mentions `genai`"]);
        check_text("crates/dwell/src/main.rs", "use model::genai::Provider;", &[]);
        check_text("crates/server/src/lib.rs", &uses("axum"), &[]);
        check_text("crates/testkit/src/lib.rs", &uses("axum"), &[]);
        check_text("crates/dwell/src/main.rs", &uses("axum"), &["crates/dwell/src/main.rs:1: mentions `axum`"]);
    }

    #[test]
    fn only_the_binary_reads_its_surroundings() {
        let reads = "fn f() { std::env::temp_dir(); }";
        check_text("crates/dwell/src/config.rs", reads, &[]);
        check_text("bench/src/main.rs", reads, &[]);
        check_text("crates/journal/tests/contract.rs", reads, &[]);
        check_text("crates/journal/src/lib.rs", &format!("#[cfg(test)] mod tests {{ {reads} }}"), &[]);
        check_text("crates/journal/src/lib.rs", reads, &["crates/journal/src/lib.rs:1: mentions `std::env`"]);
        check_text("crates/journal/src/lib.rs", "const A: &str = env!(\"A\");", &[]);
    }
}
