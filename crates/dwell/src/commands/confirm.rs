//! Asking for confirmation before something is deleted permanently.

use std::io::Write;

use crate::command_error::CommandError;

/// Asks the user; anything but yes counts as no.
pub(super) fn confirm(question: &str) -> Result<bool, CommandError> {
    eprint!("{question}");
    let failed = |error: std::io::Error| CommandError::Failed(error.into());
    std::io::stderr().flush().map_err(failed)?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
