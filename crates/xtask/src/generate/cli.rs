//! docs/reference/cli.md: every command with its arguments and options, from what the program's own
//! `--help` prints.

use anyhow::{Result, ensure};

use super::markdown::{self, table};

const INTRODUCTION: &str = "`dwell serve` runs the server. Most other commands are clients of a running server: they find it by \
the data folder, or by `--url`. `--help` after any command prints what is listed here.";

/// Options that every command has; they are listed once.
const GLOBAL: [&str; 7] = ["--data", "--config", "--json", "--quiet", "--ca", "--help", "--version"];
/// Deeper than any command is nested, so that a mistake ends.
const DEPTH_MAX: usize = 4;

/// What `--help` prints of a command.
#[derive(Debug, Default, PartialEq)]
struct CommandHelp {
    about: String,
    usage: String,
    commands: Vec<HelpEntry>,
    arguments: Vec<HelpEntry>,
    options: Vec<HelpEntry>,
}

#[derive(Debug, Clone, PartialEq)]
struct HelpEntry {
    name: String,
    meaning: String,
}

/// `print` gives what the program prints for its arguments.
pub fn page(print: &dyn Fn(&[&str]) -> Result<String>) -> Result<String> {
    let top = read(&print(&["--help"])?);
    ensure!(!top.commands.is_empty(), "`dwell --help` lists no commands");
    let mut text = markdown::head("Command line", "what `dwell --help` prints");
    text.push_str(&format!(
        "\n{}\n\n## Options of every command\n\n{}",
        markdown::wrap(INTRODUCTION),
        options(&top.options)
    ));
    text.push_str("\n## Commands\n\n");
    let rows: Vec<Vec<String>> = commands(&top)
        .map(|entry| vec![format!("[`dwell {0}`](#dwell-{0})", entry.name), entry.meaning.clone()])
        .collect();
    text.push_str(&table(&["command", "what it does"], &rows));
    for command in commands(&top) {
        push(&mut text, print, &[&command.name])?;
    }
    Ok(text)
}

/// A command and those below it.
fn push(text: &mut String, print: &dyn Fn(&[&str]) -> Result<String>, path: &[&str]) -> Result<()> {
    ensure!(path.len() < DEPTH_MAX, "`dwell {}` is nested too deep", path.join(" "));
    let help = read(&print(&[path, &["--help"]].concat())?);
    let marks = "#".repeat(path.len().saturating_add(1));
    text.push_str(&format!("\n{marks} `dwell {}`\n\n{}.\n", path.join(" "), sentence(&help.about)));
    text.push_str(&format!("\n```text\n{}\n```\n", help.usage));
    let own: Vec<HelpEntry> = help
        .options
        .iter()
        .filter(|entry| !GLOBAL.iter().any(|name| entry.name.split([' ', ',']).any(|part| part == *name)))
        .cloned()
        .collect();
    let listed: Vec<HelpEntry> = help.arguments.iter().cloned().chain(own).collect();
    if !listed.is_empty() {
        text.push_str(&format!("\n{}", options(&listed)));
    }
    for command in commands(&help) {
        push(text, print, &[path, &[command.name.as_str()]].concat())?;
    }
    Ok(())
}

fn commands(help: &CommandHelp) -> impl Iterator<Item = &HelpEntry> {
    help.commands.iter().filter(|entry| entry.name != "help")
}

fn options(entries: &[HelpEntry]) -> String {
    let rows: Vec<Vec<String>> =
        entries.iter().map(|entry| vec![format!("`{}`", entry.name), entry.meaning.clone()]).collect();
    table(&["option", "meaning"], &rows)
}

fn sentence(text: &str) -> String {
    markdown::wrap(text.trim_end_matches('.'))
}

fn read(text: &str) -> CommandHelp {
    let mut help = CommandHelp::default();
    let mut part = "";
    for line in text.lines() {
        if let Some(usage) = line.strip_prefix("Usage: ") {
            help.usage = usage.to_owned();
        } else if let Some(name) = ["Commands:", "Arguments:", "Options:"].into_iter().find(|name| line == *name) {
            part = name;
        } else {
            match part {
                "" => help.about.push_str(&format!("{} ", line.trim())),
                "Commands:" => push_line(&mut help.commands, line),
                "Arguments:" => push_line(&mut help.arguments, line),
                _ => push_line(&mut help.options, line),
            }
        }
    }
    help.about = help.about.trim().to_owned();
    help
}

/// Takes in a line of a list: an entry with its meaning, an entry alone, or more of the last one's
/// meaning.
fn push_line(entries: &mut Vec<HelpEntry>, line: &str) {
    const MEANING_INDENT: usize = 10;
    let indent = line.chars().take_while(|c| *c == ' ').count();
    let line = line.trim();
    match entries.last_mut() {
        _ if line.is_empty() => {}
        Some(last) if indent >= MEANING_INDENT => {
            let gap = if last.meaning.is_empty() { "" } else { " " };
            last.meaning.push_str(&format!("{gap}{}", value(line)));
        }
        _ => {
            let (name, meaning) = line.split_once("  ").unwrap_or((line, ""));
            entries.push(HelpEntry { name: name.to_owned(), meaning: meaning.trim().to_owned() });
        }
    }
}

/// `- name: meaning` is a possible value.
fn value(line: &str) -> String {
    match line.strip_prefix("- ").and_then(|line| line.split_once(':')) {
        Some((name, meaning)) => format!("`{name}`: {};", meaning.trim()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOP: &str = "Keeps things\n\nUsage: dwell [OPTIONS] <COMMAND>\n\nCommands:\n  ask   Ask one question\n  help  Print this\n\n\
                       Options:\n      --data <DIR>  The folder\n  -h, --help        Print help\n";
    const ASK: &str = "Ask one question\n\nUsage: dwell ask [OPTIONS] <MESSAGE>\n\nArguments:\n  <MESSAGE>  The question\n\n\
                       Options:\n      --data <DIR>\n          The folder\n\n      --level <LEVEL>\n          Only this\n\n          \
                       Possible values:\n          - fact:  Lasting\n          - entry: Words\n\n  -h, --help\n          Print help\n";

    fn print(arguments: &[&str]) -> Result<String> {
        Ok(match arguments {
            ["--help"] => TOP.to_owned(),
            ["ask", "--help"] => ASK.to_owned(),
            other => anyhow::bail!("{other:?}"),
        })
    }

    #[test]
    fn commands_have_their_arguments_and_options() {
        let page = page(&print).unwrap();
        let expected = "\n## `dwell ask`\n\nAsk one question.\n\n```text\ndwell ask [OPTIONS] <MESSAGE>\n```\n\n\
                        | option | meaning |\n|---|---|\n| `<MESSAGE>` | The question |\n\
                        | `--level <LEVEL>` | Only this Possible values: `fact`: Lasting; `entry`: Words; |\n";
        assert!(page.ends_with(expected), "{page}");
        assert!(page.contains("| [`dwell ask`](#dwell-ask) | Ask one question |"), "{page}");
        assert!(page.contains("| `--data <DIR>` | The folder |"), "{page}");
        assert!(!page.contains("dwell help"), "{page}");
    }
}
