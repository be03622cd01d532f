//! The binary: configuration, wiring and the command line.
//!
//! `dwell serve` opens the journal, the model and the hub, and puts the doors in front of them. The other commands are
//! clients of a running server and speak the same wire as everybody else. Only this room reads the environment.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line talks to its user")]

mod browser;
mod cli;
mod client;
mod commands;
mod config;
mod failure;
mod logging;
mod mcp;
mod serve;

use std::process::ExitCode;

use clap::Parser;
use cli::{Cli, Command};
use config::{Config, Loaded};
use failure::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("dwell: {failure}");
            failure.exit_code()
        }
    }
}

fn run(cli: Cli) -> Result<(), Failure> {
    match &cli.command {
        Command::Openapi => return print_json(&server::openapi()),
        Command::WireReference => {
            print!("{}", server::wire_reference());
            return Ok(());
        }
        Command::ReadPdf => return commands::read_pdf::run(),
        _ => {}
    }
    let loaded = config::load(&cli).map_err(Failure::Usage)?;
    match cli.command {
        Command::Config { json } => return commands::config::run(&loaded, json),
        Command::Owners { command, json } => return commands::owners::run(&loaded.config, command, json),
        Command::Doors => return commands::doors::run(&loaded.config),
        Command::Setup { to, sentences } => return commands::setup::run(&loaded.config, to, sentences),
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(anyhow::Error::from)?;
    runtime.block_on(run_async(cli.command, loaded))
}

async fn run_async(command: Command, Loaded { config, .. }: Loaded) -> Result<(), Failure> {
    match command {
        Command::Serve { .. } => serve::run(config).await,
        Command::Mcp { .. } => mcp::run(config).await,
        Command::Open { print, json, .. } => commands::open::run(&config, print, json).await,
        Command::Chat { session, new, .. } => commands::chat::run(&config, session, new).await,
        Command::Ask { message, session, model, json, .. } => {
            commands::ask::run(&config, commands::ask::Question { message, session, model, json }).await
        }
        Command::Sessions { command, .. } => commands::sessions::run(&config, command).await,
        Command::Turns { command, .. } => commands::turns::run(&config, command).await,
        Command::Export { session, format, to, .. } => {
            commands::export::run(&config, commands::export::Wanted { session, format, to }).await
        }
        Command::Import { path, format, name, json, .. } => {
            commands::import::run(&config, commands::import::Given { path, format, name, json }).await
        }
        Command::Memory { command, json, .. } => commands::memory::run(&config, command, json).await,
        Command::Library { command, json, .. } => commands::library::run(&config, command, json).await,
        Command::Approvals { command, .. } => commands::approvals::run(&config, command).await,
        Command::Artifacts { command, json, .. } => commands::artifacts::run(&config, command, json).await,
        Command::Sweep { json, .. } => commands::sweep::run(&config, json).await,
        Command::Tools { json, .. } => commands::tools::run(&config, json).await,
        Command::Stats { id, json, .. } => commands::stats::run(&config, id.as_deref(), json).await,
        // Answered before the runtime was started.
        Command::Owners { .. }
        | Command::Doors
        | Command::Config { .. }
        | Command::Setup { .. }
        | Command::Openapi
        | Command::WireReference
        | Command::ReadPdf => Ok(()),
    }
}

fn print_json<T: serde::Serialize>(value: &T) -> Result<(), Failure> {
    println!("{}", serde_json::to_string_pretty(value).map_err(anyhow::Error::from)?);
    Ok(())
}

/// What the commands need to reach a server.
fn client(config: &Config) -> Result<client::Client, Failure> {
    client::Client::find(config)
}
