//! Questions in the terminal. They go to standard error, so that standard output has results only.

use std::io::Write;

use rustyline::{DefaultEditor, error::ReadlineError};
use secrecy::SecretString;

use crate::command_error::CommandError;

/// Wrong answers to one question, after which it is given up.
const TRIES_MAX: usize = 5;

pub(super) struct Terminal(DefaultEditor);

impl Terminal {
    pub(super) fn open() -> Result<Self, CommandError> {
        Ok(Self(DefaultEditor::new().map_err(anyhow::Error::from)?))
    }

    #[allow(clippy::unused_self, reason = "all that is said to the user goes through here")]
    pub(super) fn say(&mut self, words: &str) {
        eprintln!("{words}");
    }

    /// An answer, or what is usual if it is empty.
    pub(super) fn line(&mut self, question: &str, usual: &str) -> Result<String, CommandError> {
        let prompt = if usual.is_empty() { format!("{question}: ") } else { format!("{question} [{usual}]: ") };
        match self.0.readline(&prompt) {
            Ok(line) if line.trim().is_empty() => Ok(usual.to_owned()),
            Ok(line) => Ok(line.trim().to_owned()),
            Err(ReadlineError::Interrupted | ReadlineError::Eof) => Err(given_up()),
            Err(error) => Err(CommandError::Failed(error.into())),
        }
    }

    /// A number from 1 on.
    pub(super) fn number(&mut self, question: &str, usual: usize, most: usize) -> Result<usize, CommandError> {
        for _ in 0..TRIES_MAX {
            let line = self.line(question, &usual.to_string())?;
            match line.parse() {
                Ok(number) if (1..=most).contains(&number) => return Ok(number),
                _ => self.say(&format!("please give a number from 1 to {most}")),
            }
        }
        Err(given_up())
    }

    pub(super) fn yes(&mut self, question: &str, usual: bool) -> Result<bool, CommandError> {
        let line = self.line(question, if usual { "Y/n" } else { "y/N" })?;
        Ok(match line.to_lowercase().as_str() {
            "y" | "yes" => true,
            "n" | "no" => false,
            _ => usual,
        })
    }
}

fn given_up() -> CommandError {
    CommandError::Failed(anyhow::anyhow!("given up; nothing more was written"))
}

/// A line that the terminal does not show.
#[cfg(target_os = "linux")]
pub(super) fn ask_secret(question: &str) -> Result<SecretString, CommandError> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let stdin = std::io::stdin();
    let shown = tcgetattr(&stdin).map_err(anyhow::Error::from)?;
    let mut unseen = shown.clone();
    unseen.local_modes &= !LocalModes::ECHO;
    // Before the question: an answer that is pasted at once is not shown either.
    tcsetattr(&stdin, OptionalActions::Now, &unseen).map_err(anyhow::Error::from)?;
    eprint!("{question}: ");
    let _ = std::io::stderr().flush();
    let mut line = String::new();
    let read = stdin.read_line(&mut line);
    // Before anything else, so that no failure leaves the terminal without its echo.
    let restored = tcsetattr(&stdin, OptionalActions::Now, &shown);
    eprintln!();
    read.map_err(anyhow::Error::from)?;
    restored.map_err(anyhow::Error::from)?;
    Ok(line.into())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn ask_secret(_: &str) -> Result<SecretString, CommandError> {
    let hint = "a key cannot be typed unseen here: use `dwell setup --provider NAME --key-file FILE`";
    Err(CommandError::Usage(hint.to_owned()))
}
