//! Code blocks of a Markdown page.

/// A code block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CodeBlock {
    pub(super) language: String,
    /// Whether it is run, or only checked for its syntax.
    pub(super) runs: bool,
    /// The line of the page on which its text begins.
    pub(super) line: usize,
    pub(super) text: String,
}

/// The code blocks of a page, and the faults in how they are marked.
pub(super) fn blocks(text: &str) -> (Vec<CodeBlock>, Vec<String>) {
    let (mut blocks, mut faults) = (Vec::new(), Vec::new());
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let indent = line.len() - line.trim_start().len();
        let content: Vec<&str> = lines
            .by_ref()
            .map(|(line, _)| line)
            .take_while(|line| line.trim() != "```")
            .map(|line| line.get(indent..).unwrap_or_default())
            .collect();
        match marked(info) {
            Ok((language, runs)) => {
                let text = content.join("\n") + "\n";
                blocks.push(CodeBlock { language: language.to_owned(), runs, line: number + 1, text });
            }
            Err(fault) => faults.push(format!("{number}: {fault}")),
        }
    }
    (blocks, faults)
}

/// The language of a block and whether it is run, from the text after its backticks.
fn marked(info: &str) -> Result<(&str, bool), String> {
    let (language, flag) = info.trim().split_once(',').unwrap_or((info.trim(), ""));
    match (language, flag) {
        ("", _) => Err("a code block has no language; use `text` where there is none".to_owned()),
        (_, "") => Ok((language, true)),
        (_, "norun") => Ok((language, false)),
        (_, other) => Err(format!("`{other}` is not a mark of a code block; there is only `norun`")),
    }
}

#[test]
fn blocks_are_found_with_their_lines() {
    let text = "# a\n\n```sh\necho 1\n\necho 2\n```\n\n- b\n\n  ```toml,norun\n  a = 1\n  ```\n";
    let block = |language: &str, runs, line, text: &str| CodeBlock {
        language: language.to_owned(),
        runs,
        line,
        text: text.to_owned(),
    };
    let expected = vec![block("sh", true, 4, "echo 1\n\necho 2\n"), block("toml", false, 12, "a = 1\n")];
    assert_eq!(blocks(text), (expected, Vec::new()));
}

#[test]
fn blocks_without_a_language_are_faults() {
    let (found, faults) = blocks("```\na\n```\n\n```sh,slow\nb\n```\n");
    assert!(found.is_empty(), "{found:?}");
    assert!(faults[0].starts_with("1: a code block has no language"), "{faults:?}");
    assert!(faults[1].starts_with("5: `slow` is not a mark"), "{faults:?}");
}
