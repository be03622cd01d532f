//! The releases of Home Assistant, and whether they are installed here.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// A release that Dwell is tested against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// 2024.3.3
    March2024,
    /// 2025.4.4, with the integrations through which it talks to assistants.
    April2025,
}

impl Release {
    const fn version(self) -> &'static str {
        match self {
            Self::March2024 => "2024.3.3",
            Self::April2025 => "2025.4.4",
        }
    }

    const fn python(self) -> &'static str {
        match self {
            Self::March2024 => "python3.11",
            Self::April2025 => "python3.13",
        }
    }

    /// The environment variables for the tool.
    pub(super) fn environment(self) -> [(&'static str, String); 4] {
        let (cutoff, extra) = match self {
            Self::March2024 => ("2024-04-01", ""),
            Self::April2025 => ("2025-05-01", "ollama mcp mcp_server wyoming"),
        };
        [
            ("HA_VERSION", self.version().to_owned()),
            ("HA_PYTHON", self.python().to_owned()),
            ("HA_CUTOFF", cutoff.to_owned()),
            ("HA_EXTRA", extra.to_owned()),
        ]
    }

    /// The folder of the installation.
    pub(super) fn venv(self) -> PathBuf {
        let kept = variable("DWELL_HA_DIR").map_or_else(|| target().join("home-assistant"), PathBuf::from);
        kept.join(format!("venv-{}", self.version()))
    }

    /// Whether it is installed: the tool writes a mark file at the end.
    pub(super) fn is_installed(self, venv: &Path) -> bool {
        venv.join(format!(".ready-{}", self.version())).exists()
    }

    /// Whether it can be started here; the error says why not.
    pub(super) fn check(self, venv: &Path) -> Result<(), String> {
        let (version, python) = (self.version(), self.python());
        if self.is_installed(venv) {
            return Ok(());
        }
        if variable("DWELL_REAL_HOME").as_deref() != Some("1") {
            let venv = venv.display();
            return Err(format!("Home Assistant {version} is not in {venv}; DWELL_REAL_HOME=1 installs it there"));
        }
        let has_python = Command::new(python).arg("--version").output().is_ok_and(|output| output.status.success());
        if has_python { Ok(()) } else { Err(format!("{python} is missing, which Home Assistant {version} needs")) }
    }
}

/// The tool that installs, starts and stops it.
pub(super) fn tool() -> Result<PathBuf, String> {
    let beside = || project().join("../shared/tools/run-ha.sh");
    let tool = variable("DWELL_HA_TOOL").map_or_else(beside, PathBuf::from);
    if tool.is_file() { Ok(tool) } else { Err(format!("there is no {}; DWELL_HA_TOOL names it", tool.display())) }
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn target() -> PathBuf {
    variable("CARGO_TARGET_DIR").map_or_else(|| project().join("target"), PathBuf::from)
}

#[allow(clippy::disallowed_methods, reason = "a tester says by the environment what may be used")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
