//! `dwell read-pdf`: reads the PDF on standard input and prints its text. The server runs it as a
//! subprocess, so that a malicious file cannot harm the server.

use std::io;

use crate::command_error::CommandError;

/// The most memory that it may use.
#[cfg(target_os = "linux")]
const MEMORY_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// CPU time that it may use; the server's own timeout is shorter.
#[cfg(target_os = "linux")]
const SECONDS_MAX: u64 = 40;

/// Reads the PDF.
pub(crate) fn run() -> Result<(), CommandError> {
    limit();
    // A panic of the library counts as an unreadable PDF, and the server gets that as the answer.
    std::panic::set_hook(Box::new(|_| {}));
    research::read::pdf::serve(io::stdin().lock(), io::stdout().lock()).map_err(anyhow::Error::from)?;
    Ok(())
}

/// Limits memory and time of this process, so that a file cannot exhaust those of the server.
#[cfg(target_os = "linux")]
fn limit() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    for (resource, max) in [(Resource::As, MEMORY_BYTES_MAX), (Resource::Cpu, SECONDS_MAX), (Resource::Core, 0)] {
        // If a limit cannot be set, the server's timeout still applies.
        let _ = setrlimit(resource, Rlimit { current: Some(max), maximum: Some(max) });
    }
}

#[cfg(not(target_os = "linux"))]
fn limit() {}
