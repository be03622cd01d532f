//! What is deliberately not there. An invariant like "only the journal knows SQL" is the absence of a word everywhere else, and
//! absences are easily lost: nobody sees them in a review.

use super::mentions::{Tests, mentions};
use crate::tree::File;
use crate::violation::Violation;

struct Absence {
    /// Paths whose mention is looked for, with everything inside them.
    paths: &'static [&'static str],
    /// Where they must not be mentioned: beginnings of file paths.
    within: &'static [&'static str],
    /// Where they may be after all.
    except: &'static [&'static str],
    tests: Tests,
    /// Reads on after "mentions `x`: ".
    why: &'static str,
}

const EVERYWHERE: &[&str] = &[""];

const ABSENCES: &[Absence] = &[
    Absence {
        // A duration is a value; it is the clocks that are kept out.
        paths: &["async", "std::time::Instant", "std::time::SystemTime", "tokio", "rand"],
        within: &["crates/session/src/"],
        except: &[],
        tests: Tests::Include,
        why: "the heart is pure; let time and chance come in with the command and do the work in `engine`",
    },
    Absence {
        paths: &["rusqlite"],
        within: EVERYWHERE,
        // The library's file is derived and its own; tests of damage spoil files on purpose, and the measurements compare with
        // bare SQLite.
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
    Absence {
        paths: &["genai"],
        within: EVERYWHERE,
        except: &["crates/model/"],
        tests: Tests::Include,
        why: "only `model` knows providers; go through the `Model` trait",
    },
    Absence {
        paths: &["axum"],
        within: EVERYWHERE,
        // The conformance suite is let in through the server's own router, since it brings no token; a bare server is what
        // Dwell is measured beside.
        except: &["crates/server/", "crates/testkit/", "crates/dwell/tests/it/conformance/", "bench/src/bare.rs"],
        tests: Tests::Include,
        why: "only `server` knows HTTP",
    },
    Absence {
        paths: &["std::env"],
        within: EVERYWHERE,
        // Cargo tells a build script by the environment where to write.
        except: &[
            "crates/dwell/",
            "crates/testkit/",
            "crates/fuzz/fuzz/",
            "crates/xtask/",
            "crates/tokens/build.rs",
            "bench/",
        ],
        tests: Tests::Skip,
        why: "only the binary reads its surroundings; take it as an argument or from the configuration",
    },
];

pub fn check(files: &[File]) -> Vec<Violation> {
    let sources = files.iter().filter(|file| file.path.ends_with(".rs"));
    sources.flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Violation> {
    let absences = ABSENCES.iter().filter(|absence| absence.applies_to(file));
    absences.flat_map(|absence| violations_of(absence, file)).collect()
}

impl Absence {
    fn applies_to(&self, file: &File) -> bool {
        let is_in = |places: &[&str]| places.iter().any(|place| file.path.starts_with(place));
        let is_skipped_test = self.tests == Tests::Skip && file.is_test();
        is_in(self.within) && !is_in(self.except) && !is_skipped_test
    }
}

fn violations_of(absence: &Absence, file: &File) -> Vec<Violation> {
    // What is not Rust at all is reported where sizes are measured.
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
        assert_violations(check(&[File::new(path, text)]), expected);
    }

    #[test]
    fn the_heart_is_pure() {
        let path = "crates/session/src/decide.rs";
        check_text(path, "//! No tokio, no rand, not async.\nfn decide() {}\n", &[]);
        check_text(path, "async fn f() {}", &["crates/session/src/decide.rs:1: mentions `async`: the heart"]);
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
