//! No circles: of the modules in a folder none uses itself by way of others. Where modules use each
//! other in a circle, none of them can be read, tested or changed alone. The circles of today are
//! listed in a file with a reason; the list only gets shorter.

mod imports;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::tree::{Crate, SourceFile};
use crate::violation::{Violation, line_where};
use imports::ModuleUse;

pub const LIST: &str = "crates/xtask/circles.toml";

/// The list of known circles.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CircleList {
    #[serde(default)]
    circles: Vec<KnownCircle>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownCircle {
    /// `crates/engine/src`, or a folder in it.
    folder: String,
    modules: BTreeSet<String>,
    why: String,
}

/// The modules of one folder, with those that each uses and one place where it does.
type SiblingUses = BTreeMap<String, BTreeMap<String, ModuleUse>>;

/// A circle that was found.
struct FoundCircle {
    folder: String,
    modules: BTreeSet<String>,
    /// The shortest way around it.
    way: Vec<ModuleUse>,
}

pub fn check(crates: &[Crate], files: &[SourceFile], list: &str) -> Result<Vec<Violation>> {
    let known: CircleList = toml::from_str(list).with_context(|| format!("failed to read {LIST}"))?;
    let found: Vec<FoundCircle> =
        crates.iter().flat_map(|krate| circles(&format!("{}/src", krate.dir), files)).collect();
    let mut violations: Vec<Violation> = found
        .iter()
        .filter(|found| !known.circles.iter().any(|known| known.is(found)))
        .map(|found| found.violation(known.circles.iter().find(|known| known.includes(found))))
        .collect();
    for known in &known.circles {
        let line = line_where(list, |line| line == format!("folder = \"{}\"", known.folder));
        let name = known.modules.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        if known.why.trim().is_empty() {
            violations.push(Violation::new(
                LIST,
                line,
                format!("the circle of {name} has no reason: say why it exists"),
            ));
        }
        if !found.iter().any(|found| known.is(found) || known.includes(found)) {
            let what = format!("{name} in {} are no circle any more: remove the entry", known.folder);
            violations.push(Violation::new(LIST, line, what));
        }
    }
    Ok(violations)
}

impl KnownCircle {
    fn is(&self, found: &FoundCircle) -> bool {
        self.folder == found.folder && self.modules == found.modules
    }

    /// Whether the found circle is what is left of this one.
    fn includes(&self, found: &FoundCircle) -> bool {
        self.folder == found.folder && found.modules.is_subset(&self.modules)
    }
}

impl FoundCircle {
    fn violation(&self, known: Option<&KnownCircle>) -> Violation {
        let modules = self.modules.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        if known.is_some() {
            let what = format!("the circle in {} is only {modules} now: shorten its entry", self.folder);
            return Violation::new(LIST, 1, what);
        }
        let depth = self.way.first().map_or(0, common);
        let step = |used: &ModuleUse| format!("{} ({}:{})", used.to[depth..].join("::"), used.file, used.line);
        let way = self.way.iter().map(step).collect::<Vec<_>>().join(", which uses ");
        let start = self.way.first().map_or(String::new(), |first| first.from[depth..].join("::"));
        let (file, line) = self.way.first().map_or((LIST, 1), |first| (first.file.as_str(), first.line));
        let what = format!("{modules} use each other in a circle: {start} uses {way}: turn one of these around");
        Violation::new(file, line, what)
    }
}

/// How many parts of their paths two modules share.
fn common(used: &ModuleUse) -> usize {
    used.from.iter().zip(&used.to).take_while(|(from, to)| from == to).count()
}

/// The circles in all folders of a crate.
fn circles(folder: &str, files: &[SourceFile]) -> Vec<FoundCircle> {
    let mut folders: BTreeMap<String, SiblingUses> = BTreeMap::new();
    for used in imports::uses(folder, files) {
        let depth = common(&used);
        // A module and its own parts belong together.
        let (Some(from), Some(to)) = (used.from.get(depth), used.to.get(depth)) else { continue };
        let path: String = used.from[..depth].iter().map(|part| format!("/{part}")).collect();
        let siblings = folders.entry(format!("{folder}{path}")).or_default();
        siblings.entry(from.clone()).or_default().entry(to.clone()).or_insert(used);
    }
    folders.iter().flat_map(|(folder, siblings)| circles_of(folder, siblings)).collect()
}

fn circles_of(folder: &str, siblings: &SiblingUses) -> Vec<FoundCircle> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        siblings.keys().map(|name| (name.as_str(), reachable(siblings, name))).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (name, reaches) in &reached {
        if !reaches.contains(name) || seen.contains(name) {
            continue;
        }
        let is_back = |other: &&&str| reached.get(**other).is_some_and(|back| back.contains(name));
        let modules: BTreeSet<&str> = reaches.iter().filter(is_back).copied().collect();
        seen.extend(modules.iter().copied());
        let ways = modules.iter().filter_map(|module| way(siblings, module));
        let way = ways.min_by_key(Vec::len).unwrap_or_default();
        let modules = modules.into_iter().map(str::to_owned).collect();
        found.push(FoundCircle { folder: folder.to_owned(), modules, way });
    }
    found
}

fn reachable<'a>(siblings: &'a SiblingUses, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = siblings.get(from).into_iter().flatten().map(|(to, _)| to.as_str()).collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(siblings.get(next).into_iter().flatten().map(|(to, _)| to.as_str()));
        }
    }
    reached
}

/// The shortest way from a module back to itself.
fn way(siblings: &SiblingUses, start: &str) -> Option<Vec<ModuleUse>> {
    let mut open: VecDeque<(&str, Vec<ModuleUse>)> = VecDeque::from([(start, Vec::new())]);
    let mut seen = BTreeSet::new();
    while let Some((here, way)) = open.pop_front() {
        for (to, used) in siblings.get(here).into_iter().flatten() {
            let way: Vec<ModuleUse> = way.iter().cloned().chain([used.clone()]).collect();
            if to == start {
                return Some(way);
            }
            if seen.insert(to.as_str()) {
                open.push_back((to, way));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    const CIRCLE: &[(&str, &str)] = &[
        ("crates/a/src/lib.rs", "mod b; mod c; mod d;"),
        ("crates/a/src/b.rs", "use crate::c::C;"),
        ("crates/a/src/c/mod.rs", "mod e;"),
        ("crates/a/src/c/e.rs", "\nuse crate::b::B;\nuse super::C;"),
        ("crates/a/src/d.rs", "use crate::b::B;"),
    ];

    fn check_files(files: &[(&str, &str)], list: &str, expected: &[&str]) {
        let krate = Crate {
            name: "a".to_owned(),
            dir: "crates/a".to_owned(),
            manifest: String::new(),
            dependencies: Vec::new(),
        };
        let files: Vec<SourceFile> = files.iter().map(|(path, text)| SourceFile::new(path, text)).collect();
        assert_violations(check(&[krate], &files, list).unwrap(), expected);
    }

    fn entry(modules: &str, why: &str) -> String {
        format!("[[circles]]\nfolder = \"crates/a/src\"\nmodules = [{modules}]\nwhy = \"{why}\"\n")
    }

    #[test]
    fn a_new_circle_is_found_with_the_way_around_it() {
        let way = "crates/a/src/b.rs:1: b, c use each other in a circle: b uses c (crates/a/src/b.rs:1), \
                   which uses b (crates/a/src/c/e.rs:2): turn one of these around";
        check_files(CIRCLE, "", &[way]);
        check_files(&CIRCLE[..3], "", &[]);
    }

    #[test]
    fn parts_of_a_module_are_checked_among_themselves() {
        let files = [
            ("crates/a/src/b/mod.rs", "mod c; mod d;"),
            ("crates/a/src/b/c.rs", "use super::d::D;"),
            ("crates/a/src/b/d.rs", "use crate::b::c::C;"),
        ];
        check_files(&files, "", &["crates/a/src/b/c.rs:1: c, d use each other in a circle: c uses d"]);
    }

    #[test]
    fn the_list_only_gets_shorter() {
        check_files(CIRCLE, &entry("\"b\", \"c\"", "one idea"), &[]);
        check_files(CIRCLE, &entry("\"b\", \"c\"", " "), &["crates/xtask/circles.toml:2: the circle of b, c has no"]);
        check_files(
            CIRCLE,
            &entry("\"b\", \"c\", \"d\"", "one idea"),
            &["crates/xtask/circles.toml:1: the circle in crates/a/src is only b, c now: shorten its entry"],
        );
        check_files(
            &CIRCLE[..3],
            &entry("\"b\", \"c\"", "one idea"),
            &["crates/xtask/circles.toml:2: b, c in crates/a/src are no circle any more: remove the entry"],
        );
        assert!(check(&[], &[], "[circle]\n").is_err());
    }
}
