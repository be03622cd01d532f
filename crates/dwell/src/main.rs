//! The binary: configuration, wiring and the command line.
//!
//! `dwell serve` opens the journal, the models and the hub, and serves the APIs. Most other
//! commands are clients of a running server and use the same API as any other client. Only this
//! crate reads the environment.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line talks to its user")]

mod backup;
mod browser;
mod cli;
mod client;
mod command_error;
mod commands;
mod config;
mod logging;
mod mcp;
mod output;
mod private_file;
mod serve;
mod shared_files;

use std::process::ExitCode;

use clap::Parser;
use cli::{Cli, Command};
use command_error::CommandError;
use config::{Config, LoadedConfig};
use mimalloc::MiMalloc;

/// A turn allocates many small values that live for milliseconds on different threads; this
/// allocator is fast at that.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The exit code that shells report for a program that a closed pipe ended (128 + SIGPIPE).
const BROKEN_PIPE_EXIT: i32 = 141;

fn main() -> ExitCode {
    exit_quietly_on_closed_output();
    let cli = Cli::parse();
    match run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("dwell: {failure}");
            failure.exit_code()
        }
    }
}

/// `dwell stats | head -1` closes the pipe early, which is not an error, but `println!` panics
/// then.
fn exit_quietly_on_closed_output() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_closed = |said: &str| said.starts_with("failed printing to stdout") && said.contains("Broken pipe");
        if panic.payload_as_str().is_some_and(is_closed) {
            std::process::exit(BROKEN_PIPE_EXIT);
        }
        usual(panic);
    }));
}

fn run(cli: Cli) -> Result<(), CommandError> {
    match &cli.command {
        Command::Openapi => return print_openapi(),
        Command::WireReference => {
            print!("{}", server::wire_reference());
            return Ok(());
        }
        Command::ErrorCodes => return print_json(&server::error_codes()),
        Command::ReadPdf => return commands::read_pdf::run(),
        Command::Completions { shell } => return commands::completions::run(cli.output(), *shell),
        Command::Man { to } => return commands::man::run(cli.output(), to),
        _ => {}
    }
    let loaded = match (config::load(&cli), &cli.command) {
        (Ok(loaded), _) => loaded,
        (Err(error), Command::Doctor { .. }) => return commands::doctor::run_without_config(cli.output(), error),
        (Err(error), _) => return Err(CommandError::Usage(error)),
    };
    match cli.command {
        Command::Config => return commands::config::run(&loaded),
        Command::Verify => return commands::verify::run(&loaded.config),
        Command::Backup(asked) => return commands::backup::run(&loaded.config, asked),
        Command::Restore(asked) => return commands::backup::run_restore(&loaded.config, &asked),
        Command::Setup(asked) => return commands::setup::run(&loaded.config, asked),
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(anyhow::Error::from)?;
    runtime.block_on(run_async(cli.command, loaded))
}

async fn run_async(command: Command, LoadedConfig { config, .. }: LoadedConfig) -> Result<(), CommandError> {
    match command {
        Command::Serve { accept_loss, .. } => serve::run(config, accept_loss).await,
        Command::Mcp { .. } => mcp::run(config).await,
        Command::Open { print, .. } => commands::open::run(&config, print).await,
        Command::Chat { session, new, .. } => commands::chat::run(&config, session, new).await,
        Command::Ask { message, session, model, set, background, .. } => {
            let asked = commands::ask::AskOptions { message, session, model, set, background };
            commands::ask::run(&config, asked).await
        }
        Command::Doctor { asked, .. } => commands::doctor::run(&config, asked).await,
        Command::Logs { asked, .. } => commands::logs::run(&config, asked).await,
        Command::Sessions { command, .. } => commands::sessions::run(&config, command).await,
        Command::Nodes { .. } => commands::nodes::run(&config).await,
        Command::Turns { command, .. } => commands::turns::run(&config, command).await,
        Command::Export { session, format, to, sound, .. } => {
            commands::export::run(&config, commands::export::ExportArgs { session, format, to, sound }).await
        }
        Command::Import { path, format, name, accept_damage, .. } => {
            commands::import::run(&config, commands::import::ImportArgs { path, format, name, accept_damage }).await
        }
        Command::Memory { command, .. } => commands::memory::run(&config, command).await,
        Command::Library { command, .. } => commands::library::run(&config, command).await,
        Command::Approvals { command, .. } => commands::approvals::run(&config, command).await,
        Command::Schedules { asked, .. } => commands::schedules::run(&config, *asked).await,
        Command::Alerts { asked, .. } => commands::alerts::run(&config, asked).await,
        Command::Artifacts { command, .. } => commands::artifacts::run(&config, command).await,
        Command::Sweep { trust_clock, .. } => commands::sweep::run(&config, trust_clock).await,
        Command::Tools { .. } => commands::tools::run(&config).await,
        Command::Models { refresh, .. } => commands::models::run(&config, refresh).await,
        Command::Stats { id, node, .. } => commands::stats::run(&config, id.as_deref(), node.as_deref()).await,
        Command::Health { .. } => commands::health::run(&config).await,
        Command::Tokens { command, .. } => commands::tokens::run(&config, command).await,
        Command::Owners { command } => commands::owners::run(&config, command).await,
        Command::Migrate(asked) => commands::migrate::run(&config, asked).await,
        Command::Doors => commands::doors::run(&config).await,
        // Handled before the runtime was started.
        Command::Verify
        | Command::Backup(_)
        | Command::Restore(_)
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Config
        | Command::Setup(_)
        | Command::Openapi
        | Command::WireReference
        | Command::ErrorCodes
        | Command::ReadPdf => Ok(()),
    }
}

/// Prints the description of the API. It is long: a level is one space.
fn print_openapi() -> Result<(), CommandError> {
    let mut text = Vec::new();
    let indented = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, indented);
    serde::Serialize::serialize(&server::openapi(), &mut serializer).map_err(anyhow::Error::from)?;
    println!("{}", String::from_utf8_lossy(&text));
    Ok(())
}

fn print_json<T: serde::Serialize>(value: &T) -> Result<(), CommandError> {
    println!("{}", serde_json::to_string_pretty(value).map_err(anyhow::Error::from)?);
    Ok(())
}

/// The client for commands that talk to a server.
async fn client(config: &Config) -> Result<client::Client, CommandError> {
    client::Client::find(config).await
}
