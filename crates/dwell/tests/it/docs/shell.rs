//! The shell blocks of a page, run as one script against a server of the page's own.

use std::{fmt::Write, process::Stdio, time::Duration};

use tempfile::TempDir;
use tokio::{io::AsyncWriteExt, process::Command};

use super::block::CodeBlock;
use crate::program_with_home;

/// How long the blocks of a page may take together.
const PATIENCE: Duration = Duration::from_secs(50);
/// Where the usual commands are.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// How many lines of what a failing page printed are shown.
const LINES_MAX: usize = 15;

/// Prints which block failed, and ends the background processes of the blocks. With job control, as
/// in a terminal, each has a process group of its own.
const HEAD: &str = r#"set -m
at_end() {
  status=$?
  for job in $(jobs -p); do kill -- "-$job" 2>/dev/null || true; done
  if [ "$status" != 0 ]; then printf '\nfailed: %s\n' "$block_line" >&2; fi
}
trap at_end EXIT
"#;

/// Whether the shell understands a block.
pub(super) async fn syntax(text: &str) -> Result<(), String> {
    let mut shell = Command::new("bash");
    shell.args(["-n", "/dev/stdin"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    shell.stdin.take().unwrap().write_all(text.as_bytes()).await.unwrap();
    let output = shell.wait_with_output().await.unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Runs blocks one after the other in one shell. The error says which of them failed, and how.
pub(super) async fn run(blocks: &[&CodeBlock]) -> Result<(), String> {
    let program = program_with_home().with_own_token();
    let server = program.start().await;
    let token = std::fs::read_to_string(program.folder().join("token")).unwrap();
    let folder = TempDir::new().unwrap();
    let (bin, home) = (folder.path().join("bin"), folder.path().join("home"));
    std::fs::create_dir(&bin).unwrap();
    std::fs::create_dir(&home).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_dwell"), bin.join("dwell")).unwrap();

    let mut shell = Command::new("bash");
    shell.args(["-eu", "-c", &script(blocks)]).current_dir(&home).env_clear().kill_on_drop(true);
    shell.env("PATH", format!("{}:{PATH}", bin.display())).env("HOME", &home).env("LANG", "C.UTF-8");
    shell.env("DWELL_URL", server.url()).env("DWELL_TOKEN", token.trim()).env("DWELL_DATA", program.folder());
    shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = tokio::time::timeout(PATIENCE, shell.output()).await;
    let Ok(output) = running else {
        return Err(format!("{}: the blocks take longer than {PATIENCE:?}", blocks[0].line));
    };
    let output = output.unwrap();
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = said.lines().rev().find_map(|line| line.strip_prefix("failed: ")).unwrap_or("1");
    Err(format!("{line}: this block exits with {}\n{}", output.status, last_lines(&output.stdout, &said)))
}

/// All blocks as one script, so that variables and folders carry over.
fn script(blocks: &[&CodeBlock]) -> String {
    let mut script = HEAD.to_owned();
    for block in blocks {
        // Writing to a string cannot fail.
        let _ = writeln!(script, "block_line={}\n{}", block.line, block.text);
    }
    script
}

fn last_lines(printed: &[u8], said: &str) -> String {
    let printed = String::from_utf8_lossy(printed);
    let last = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LINES_MAX)..].join("\n    ")
    };
    format!("    {}\n    {}", last(&printed), last(said))
}

#[tokio::test]
async fn a_failing_block_is_named() {
    let block = |line, text: &str| CodeBlock { language: "sh".to_owned(), runs: true, line, text: text.to_owned() };
    let (good, bad) =
        (block(3, "folder=$PWD\ntouch here\n"), block(9, "test -e \"$folder/here\"\necho no >&2\nfalse\n"));
    assert_eq!(run(&[&good]).await, Ok(()));
    let fault = run(&[&good, &bad]).await.unwrap_err();
    assert!(fault.starts_with("9: this block exits with exit status: 1") && fault.contains("no"), "{fault}");
    assert!(syntax("if true\n").await.is_err() && syntax("true\n").await.is_ok());
}
