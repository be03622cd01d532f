//! The measured program: the release build of this checkout.

use std::{env, path::Path, path::PathBuf, process::Command};

use anyhow::{Context, Result, bail, ensure};
use testkit::{ModelServer, Program};

/// The program with this model, on a data folder of its own.
pub(crate) fn release(model: &ModelServer) -> Result<Program> {
    Ok(plain()?.with_model(model))
}

/// The program without a model, on a data folder of its own.
pub(crate) fn plain() -> Result<Program> {
    if cfg!(debug_assertions) {
        bail!("a debug build cannot be measured; use `cargo run --release -p bench`");
    }
    let binary = find()?;
    let path = binary.to_str().context("failed to start the program: its path is not text")?;
    // Raised, so that concurrent sessions do not wait for each other.
    let program = Program::new(path).with_home().with("DWELL_AGENTS_MAX", "64");
    Ok(program.with("DWELL_LOG_FILTER", "warn"))
}

/// The program in the same folder as this one. Under cargo it is built first, so that it is never
/// older than the sources.
fn find() -> Result<PathBuf> {
    let own = env::current_exe().context("failed to find this program")?;
    let folder = own.parent().context("failed to find this program's folder")?;
    #[allow(clippy::disallowed_methods, reason = "cargo sets this variable for programs that it starts")]
    let cargo = env::var_os("CARGO");
    if let Some(cargo) = cargo {
        build(&PathBuf::from(cargo), folder)?;
    }
    let binary = folder.join(format!("dwell{}", env::consts::EXE_SUFFIX));
    ensure!(binary.is_file(), "failed to find {}; use `cargo run --release -p bench`", binary.display());
    Ok(binary)
}

fn build(cargo: &Path, folder: &Path) -> Result<()> {
    let target = folder.parent().context("failed to find the target folder")?;
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--release", "--package", "dwell", "--target-dir"]).arg(target);
    let status = command.status().context("failed to start cargo")?;
    ensure!(status.success(), "failed to build dwell");
    Ok(())
}
