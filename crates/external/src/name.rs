//! The local names of external tools.

use std::collections::BTreeMap;

use serde_json::Value;

/// The longest name of a tool.
const CHARS_MAX: usize = 64;
/// Digits of the digest that replaces the lost part of a name.
const DIGEST_CHARS: usize = 8;

/// The local name of a server's tool: always the same for the same two names, and valid for every
/// provider. A digest replaces what cannot be kept, as in names of other scripts or very long ones.
pub(crate) fn local(server: &str, tool: &str) -> String {
    let mut name = format!("{server}_");
    let (mut is_whole, mut was_small) = (true, false);
    for char in tool.chars() {
        match char {
            'a'..='z' | '0'..='9' | '_' => name.push(char),
            'A'..='Z' => {
                if was_small {
                    name.push('_');
                }
                name.push(char.to_ascii_lowercase());
            }
            '-' | '.' | '/' | ':' | ' ' => name.push('_'),
            _ => {
                is_whole = false;
                name.push('_');
            }
        }
        was_small = char.is_ascii_lowercase() || char.is_ascii_digit();
    }
    if is_whole && name.len() <= CHARS_MAX && !tool.is_empty() {
        return name;
    }
    name.truncate(CHARS_MAX - DIGEST_CHARS - 1);
    let digest = tools::digest(tool, &Value::Null);
    format!("{name}_{}", &digest[..DIGEST_CHARS])
}

/// The local names of a server's tools by their names on the server, and the names that collide.
/// Colliding tools are all left out: which of them a name means must not depend on the order of the
/// list.
pub(crate) fn locals<'a>(server: &str, tools: &[&'a str]) -> (BTreeMap<&'a str, String>, BTreeMap<&'a str, String>) {
    let mut taken: BTreeMap<String, Vec<&'a str>> = BTreeMap::new();
    for tool in tools {
        taken.entry(local(server, tool)).or_default().push(tool);
    }
    let (mut known, mut refused) = (BTreeMap::new(), BTreeMap::new());
    for (name, tools) in taken {
        let into = if tools.len() == 1 { &mut known } else { &mut refused };
        into.extend(tools.into_iter().map(|tool| (tool, name.clone())));
    }
    (known, refused)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_made_to_fit() {
        for (tool, expected) in [
            ("search", "files_search"),
            ("readFile", "files_read_file"),
            ("HTTPGet", "files_httpget"),
            ("read-file.v2", "files_read_file_v2"),
            ("resources/read", "files_resources_read"),
            ("2fast", "files_2fast"),
        ] {
            assert_eq!(local("files", tool), expected);
        }
        assert_ne!(local("files", "搜索"), local("files", "删除"), "what is lost is made up for");
        let (long, longer) = ("x".repeat(80), "x".repeat(81));
        assert_ne!(local("files", &long), local("files", &longer));
    }

    #[test]
    fn tools_that_would_share_a_name_are_refused_in_any_order() {
        for tools in [["read_file", "readFile", "other"], ["other", "readFile", "read_file"]] {
            let (known, refused) = locals("files", &tools);
            assert_eq!(known.into_iter().collect::<Vec<_>>(), [("other", "files_other".to_owned())]);
            assert_eq!(refused.keys().copied().collect::<Vec<_>>(), ["readFile", "read_file"]);
        }
    }

    proptest! {
        #[test]
        fn every_name_fits_and_stays_the_same(server in "[a-z][a-z0-9_]{0,31}", tool in ".{0,120}") {
            let name = local(&server, &tool);
            prop_assert!(tools::is_name(&name), "{}", name);
            prop_assert_eq!(&name, &local(&server, &tool));
        }
    }
}
