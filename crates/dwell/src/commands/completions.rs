//! `dwell completions`: what a shell needs to complete commands and options.

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::{
    cli::{Cli, ShellArg},
    command_error::CommandError,
    output::OutputOptions,
    print_json,
};

pub(crate) fn run(output: OutputOptions, shell: ShellArg) -> Result<(), CommandError> {
    let (shell, name) = match shell {
        ShellArg::Bash => (Shell::Bash, "bash"),
        ShellArg::Zsh => (Shell::Zsh, "zsh"),
        ShellArg::Fish => (Shell::Fish, "fish"),
    };
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "dwell", &mut script);
    let script = String::from_utf8_lossy(&script);
    if output.json {
        return print_json(&serde_json::json!({ "shell": name, "script": script }));
    }
    print!("{script}");
    Ok(())
}
