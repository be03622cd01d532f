//! Asking a person before something is gone for good.

use std::io::Write;

use crate::failure::Failure;

/// Asks a person; anything but a yes is a no.
pub(super) fn confirm(question: &str) -> Result<bool, Failure> {
    eprint!("{question}");
    let failed = |error: std::io::Error| Failure::Failed(error.into());
    std::io::stderr().flush().map_err(failed)?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
