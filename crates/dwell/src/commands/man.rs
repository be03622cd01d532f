//! `dwell man`: the manual pages of all commands, made from their help.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::{cli::Cli, command_error::CommandError, output::OutputOptions};

pub(crate) fn run(output: OutputOptions, to: &Path) -> Result<(), CommandError> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    let mut program = Cli::command();
    // Commands get the options of every command, and names such as `dwell-sessions-list`.
    program.build();
    let mut written = Vec::new();
    write(&program, "dwell", to, &mut written)?;
    let words = format!("wrote {} pages into {}", written.len(), to.display());
    output.done(&serde_json::json!({ "pages": written }), &words)
}

/// Writes the page of a command and those below it.
fn write(command: &Command, name: &str, to: &Path, written: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let path = to.join(format!("{name}.1"));
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    written.push(path);
    let below = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    for below in below {
        write(below, &format!("{name}-{}", below.get_name()), to, written)?;
    }
    Ok(())
}
