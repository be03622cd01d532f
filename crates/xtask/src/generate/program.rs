//! The built program, which prints the facts that the reference is made of.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::metadata;

pub struct BuiltProgram {
    path: PathBuf,
}

impl BuiltProgram {
    /// The program at `path`, or one that cargo builds now.
    pub fn find(path: Option<&Path>, root: &Path) -> Result<Self> {
        if let Some(path) = path {
            return Ok(Self { path: path.to_owned() });
        }
        let status = Command::new("cargo").args(["build", "--quiet", "--package", "dwell"]).current_dir(root).status();
        ensure!(status.context("failed to start cargo")?.success(), "failed to build dwell");
        let target = metadata::of_workspace(root)?.target_directory;
        Ok(Self { path: Path::new(&target).join("debug/dwell") })
    }

    /// What the program prints, with nothing of the caller's configuration in it.
    pub fn print(&self, arguments: &[&str]) -> Result<String> {
        let shown = || format!("`dwell {}`", arguments.join(" "));
        let output = Command::new(&self.path)
            .args(arguments)
            .env_clear()
            .env("HOME", "/nonexistent")
            .output()
            .with_context(|| format!("failed to start {} for {}", self.path.display(), shown()))?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{} failed: {}", shown(), error.trim());
        String::from_utf8(output.stdout).with_context(|| format!("{} printed no text", shown()))
    }

    pub fn json(&self, arguments: &[&str]) -> Result<Value> {
        let text = self.print(arguments)?;
        serde_json::from_str(&text).with_context(|| format!("`dwell {}` printed no JSON", arguments.join(" ")))
    }
}
