//! Every crate starts with a description: its lib.rs and main.rs begin with a `//!` paragraph.

use crate::tree::{Crate, SourceFile};
use crate::violation::Violation;

pub fn check(crates: &[Crate], files: &[SourceFile]) -> Vec<Violation> {
    let roots: Vec<String> =
        crates.iter().flat_map(|krate| ["lib", "main"].map(|name| format!("{}/src/{name}.rs", krate.dir))).collect();
    files
        .iter()
        .filter(|file| roots.contains(&file.path) && !opens_with_a_paragraph(&file.text()))
        .map(|file| {
            let what = "does not open with a `//!` paragraph: describe the crate in the first line";
            Violation::new(file.path.as_str(), 1, what)
        })
        .collect()
}

fn opens_with_a_paragraph(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.strip_prefix("//!").is_some_and(|words| !words.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn check_text(path: &str, text: &str, expected: &[&str]) {
        let krate = Crate {
            name: "model".to_owned(),
            dir: "crates/model".to_owned(),
            manifest: String::new(),
            dependencies: Vec::new(),
        };
        assert_violations(check(&[krate], &[SourceFile::new(path, text)]), expected);
    }

    #[test]
    fn the_first_line_says_what_it_is() {
        check_text("crates/model/src/lib.rs", "//! Models.\n\nmod a;\n", &[]);
        let wrong = ["mod a;\n", "", "//!\nmod a;\n", "use a;\n//! Late.\n", "// Models.\n"];
        for text in wrong {
            check_text("crates/model/src/lib.rs", text, &["crates/model/src/lib.rs:1: does not open with"]);
        }
        check_text("crates/model/src/main.rs", "", &["crates/model/src/main.rs:1:"]);
    }

    #[test]
    fn other_files_need_not() {
        check_text("crates/model/src/chain.rs", "mod a;\n", &[]);
    }
}
