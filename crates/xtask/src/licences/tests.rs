//! Small sets of dependencies, checked against a small policy.

use std::path::Path;

use semver::Version;

use super::policy::Policy;
use super::{check, lock_line};
use crate::metadata::{Metadata, Package};
use crate::violation::assert_violations;

const POLICY: &str = r#"platforms = []
allow = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"]
"#;

const LOCK: &str =
    "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"a\"\nversion = \"2.1.0\"\n";

/// `@` stands for the common registry.
fn package(name: &str, version: &str, license: Option<&str>, source: Option<&str>) -> Package {
    let common = ["registry+https://github.com/rust-lang/crates", ".io-index"].concat();
    Package {
        id: String::new(),
        name: name.to_owned(),
        version: version.parse().unwrap(),
        license: license.map(str::to_owned),
        source: source.map(|source| source.replace('@', &common)),
        manifest_path: format!("/root/crates/{name}/Cargo.toml"),
        dependencies: Vec::new(),
    }
}

fn check_packages(packages: Vec<Package>, exceptions: &str, expected: &[&str]) {
    let found = Metadata { packages, target_directory: String::new(), resolve: None };
    let policy = Policy::parse(format!("{POLICY}{exceptions}")).unwrap();
    let violations = check(&found, &policy, LOCK, Path::new("/root"));
    assert_violations(violations, expected);
}

fn check_licence(license: Option<&str>, exceptions: &str, expected: &[&str]) {
    check_packages(vec![package("a", "1.0.0", license, Some("@"))], exceptions, expected);
}

fn check_versions(versions: &[&str], exceptions: &str, expected: &[&str]) {
    let packages = versions.iter().map(|version| package("a", version, Some("MIT"), Some("@")));
    check_packages(packages.collect(), exceptions, expected);
}

#[test]
fn allowed_licences_pass() {
    let allowed = [
        "MIT",
        "MIT OR GPL-3.0-only",
        "MIT/Apache-2.0",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
    ];
    for licence in allowed {
        check_licence(Some(licence), "", &[]);
    }
}

#[test]
fn other_licences_do_not() {
    for licence in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "AGPL-3.0", "ISC"] {
        check_licence(Some(licence), "", &["Cargo.lock:4: a 1.0.0 is licensed as"]);
    }
    check_licence(Some("Beerware-ish"), "", &["Cargo.lock:4: a 1.0.0 has the licence `Beerware-ish`"]);
    check_licence(None, "", &["Cargo.lock:4: a 1.0.0 names no licence"]);
}

#[test]
fn clarifications_stand_in_for_what_is_missing() {
    let clarified = "[[clarify]]\nname = \"a\"\nexpression = \"MIT\"\nreason = \"LICENSE\"\n";
    check_licence(None, clarified, &[]);
    check_licence(Some("MIT"), clarified, &["crates/xtask/licences.toml:4: a names its licence itself"]);
    let forbidden = clarified.replace("MIT", "GPL-3.0-only");
    check_licence(None, &forbidden, &["Cargo.lock:4: a 1.0.0 is licensed as `GPL-3.0-only`"]);
}

#[test]
fn duplicates_need_a_reason() {
    check_versions(&["1.0.0"], "", &[]);
    check_versions(
        &["1.0.0", "0.2.3"],
        "",
        &[
            "Cargo.lock:4: a is linked in several versions: update the crate that depends on the old one, or list it in crates/xtask/licences.toml with versions = [\"0.2\", \"1\"]",
        ],
    );
    check_versions(&["0.0.1", "0.0.2"], "", &["Cargo.lock:4: a is linked in several versions"]);

    let listed = "[[duplicate]]\nname = \"a\"\nversions = [\"1\", \"2\"]\nreason = \"b is late\"\n";
    check_versions(&["1.0.0", "2.1.0"], listed, &[]);
    check_versions(&["1.0.0", "3.0.0"], listed, &["Cargo.lock:4: a is linked"]);
    check_versions(&["1.0.0", "2.1.0", "3.0.0"], listed, &["Cargo.lock:4: a is linked"]);
    check_versions(
        &["2.1.0"],
        listed,
        &["crates/xtask/licences.toml:4: a is not linked in several versions any more: remove"],
    );
}

#[test]
fn only_the_common_registry_will_do() {
    let from = |source| vec![package("a", "1.0.0", Some("MIT"), source)];
    for source in ["git+https://git.example/a#0123", "registry+https://packages.example/index", "@-2"] {
        check_packages(from(Some(source)), "", &["Cargo.lock:4: a 1.0.0 comes from"]);
    }
    // Our own crates come from a folder and need not name a licence; a folder outside of the
    // workspace is not ours.
    check_packages(vec![package("a", "1.0.0", None, None)], "", &[]);
    let mut elsewhere = package("a", "1.0.0", Some("MIT"), None);
    elsewhere.manifest_path = "/elsewhere/a/Cargo.toml".to_owned();
    check_packages(vec![elsewhere], "", &["Cargo.lock:4: a 1.0.0 comes from a folder"]);
}

#[test]
fn a_policy_is_read_strictly() {
    let parse = |text: &str| Policy::parse(text.to_owned());
    assert!(parse(POLICY).is_ok());
    assert!(parse("platforms = []\nallow = [\"NOT-A-LICENCE\"]").is_err());
    assert!(parse(&format!("{POLICY}[[ignore]]\nid = \"A\"\nreason = \" \"\n")).is_err());
    assert!(parse(&format!("{POLICY}[[duplicates]]\nname = \"a\"\n")).is_err());
}

#[test]
fn the_lock_is_pointed_at() {
    assert_eq!(lock_line(LOCK, "a", &Version::new(2, 1, 0)), 8);
    assert_eq!(lock_line(LOCK, "b", &Version::new(1, 0, 0)), 1);
}
