//! `dwell read-pdf`: reads the PDF on standard input and says what is in it, for a server that does not want to do that itself.

use std::io;

use crate::failure::Failure;

/// How much memory it may take.
#[cfg(target_os = "linux")]
const MEMORY_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// How long it may work; the server's patience ends before.
#[cfg(target_os = "linux")]
const SECONDS_MAX: u64 = 40;

/// Reads it.
pub(crate) fn run() -> Result<(), Failure> {
    limit();
    // A PDF on which the library panics is one that cannot be read, and the server is told so.
    std::panic::set_hook(Box::new(|_| {}));
    research::read::pdf::serve(io::stdin().lock(), io::stdout().lock()).map_err(anyhow::Error::from)?;
    Ok(())
}

/// Whatever a file makes the library do, it is this process alone that runs out of memory or time.
#[cfg(target_os = "linux")]
fn limit() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    for (resource, max) in [(Resource::As, MEMORY_BYTES_MAX), (Resource::Cpu, SECONDS_MAX), (Resource::Core, 0)] {
        // Where it cannot be limited, the server's clock is still there.
        let _ = setrlimit(resource, Rlimit { current: Some(max), maximum: Some(max) });
    }
}

#[cfg(not(target_os = "linux"))]
fn limit() {}
