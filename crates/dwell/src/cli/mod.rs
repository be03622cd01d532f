//! The command line.

mod alerts;
mod artifacts;
mod backup;
mod doctor;
mod library;
mod logs;
mod memory;
mod migrate;
mod schedules;
mod setup;
mod tokens;
mod turns;

use std::path::PathBuf;

pub(crate) use alerts::{AlertsArgs, AlertsCommand};
pub(crate) use artifacts::ArtifactsCommand;
pub(crate) use backup::{BackupArgs, RestoreArgs};
use clap::{Args, Parser, Subcommand, ValueEnum};
pub(crate) use doctor::DoctorArgs;
pub(crate) use library::LibraryCommand;
pub(crate) use logs::LogsArgs;
pub(crate) use memory::MemoryCommand;
pub(crate) use migrate::MigrateArgs;
pub(crate) use schedules::{ScheduleListArgs, ScheduleSpecArgs, SchedulesArgs, SchedulesCommand, WhenArgs};
pub(crate) use setup::{ProviderArg, SetupArgs};
pub(crate) use tokens::TokensCommand;
pub(crate) use turns::{CallOutcomeArg, TurnsCommand};

use crate::output::OutputOptions;

/// Runs AI agents whose conversations survive crashes and restarts.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
    /// The data folder (default: the platform's folder for application data)
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The configuration file (default: config.toml in the platform's folder for configuration)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print results as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only results and errors: no progress, remarks and confirmations
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// The authorities (PEM) that the certificate of an `https://` server is checked against
    /// (default: those of the system)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// The command
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The server that a command talks to.
#[derive(Debug, Default, Args)]
pub(crate) struct ServerArgs {
    /// The server's address (default: the server that runs on the data folder)
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) url: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server
    Serve {
        /// The address to listen on; port 0 picks a free one
        #[arg(long, value_name = "IP:PORT")]
        listen: Option<String>,
        /// Start even if acknowledged events are missing from the journal; its files are copied
        /// first. On PostgreSQL: report no more what the database was found to have lost
        #[arg(long)]
        accept_loss: bool,
    },
    /// Serve the Model Context Protocol on standard input and output, for clients that start their
    /// own servers
    Mcp {
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Choose a model by answering questions, or download an embedding model for semantic search
    Setup(SetupArgs),
    /// Open Dwell's page in the browser
    Open {
        /// Print the link instead of opening it; it works once, within ten minutes
        #[arg(long)]
        print: bool,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Chat in the terminal; Ctrl-C cancels the answer, Ctrl-D quits
    Chat {
        /// The session's name, which is created if it does not exist, or its id
        #[arg(long, value_name = "ID|NAME", default_value = "terminal")]
        session: String,
        /// Start a new session without a name
        #[arg(long, conflicts_with = "session")]
        new: bool,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Ask one question and print the answer
    Ask {
        /// The question; `-` reads it from standard input
        message: String,
        /// The session to ask in, by id or name (default: a temporary one)
        #[arg(long, value_name = "ID|NAME")]
        session: Option<String>,
        /// The model to use (default: the configured one)
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// A model setting, such as `temperature=0.2` or `reasoning_effort=low`; may be repeated
        #[arg(long = "set", value_name = "SETTING=VALUE")]
        set: Vec<String>,
        /// Do not wait: the turn runs in the background, for hours if need be, and its end raises
        /// an alert
        #[arg(long)]
        background: bool,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Check the installation: disk, clock, providers, home, backups, versions, and what to do
    Doctor {
        #[command(flatten)]
        asked: DoctorArgs,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Print the server's log, or follow it
    Logs {
        #[command(flatten)]
        asked: LogsArgs,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// List, show, end or delete sessions
    Sessions {
        #[command(subcommand)]
        command: SessionsCommand,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// List the nodes that use the same database
    Nodes {
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// List, show, pause, resume, cancel or retry turns
    Turns {
        #[command(subcommand)]
        command: TurnsCommand,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Export a session: its whole journal, or its messages in another program's format
    Export {
        /// The session's id, or its name
        session: String,
        /// ndjson (the journal, default), openai, langchain or langgraph
        #[arg(long, value_name = "FORMAT")]
        format: Option<String>,
        /// The file to write, or a folder (ending in `/`) of readable files (default: standard
        /// output)
        #[arg(long, value_name = "PATH")]
        to: Option<PathBuf>,
        /// For a damaged session: export only the events before the damage
        #[arg(long, conflicts_with = "format")]
        sound: bool,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Import a session that `dwell export` or another program wrote
    Import {
        /// The file or folder; `-` reads standard input
        path: PathBuf,
        /// ndjson (the journal), openai, langchain or langgraph (default: detected)
        #[arg(long, value_name = "FORMAT")]
        format: Option<String>,
        /// A name for the new session
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Import what is readable of a damaged journal, and print what is damaged
        #[arg(long)]
        accept_damage: bool,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// List, search, correct or forget memories
    Memory {
        #[command(subcommand)]
        command: MemoryCommand,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Add and search folders of documents that answers can cite
    Library {
        #[command(subcommand)]
        command: LibraryCommand,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Approve or deny calls that wait
    Approvals {
        #[command(subcommand)]
        command: ApprovalsCommand,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Plan reminders, messages and calls; list, change, pause or cancel them
    Schedules {
        #[command(flatten)]
        asked: Box<SchedulesArgs>,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// List what needs a person: reminders, answers to schedules, approvals; or follow it
    Alerts {
        #[command(flatten)]
        asked: AlertsArgs,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// List, save or remove artifacts: reports, tables and plots that turns made
    Artifacts {
        #[command(subcommand)]
        command: ArtifactsCommand,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Remove expired artifacts, memories and sessions now
    Sweep {
        /// Trust the clock although it is in doubt
        #[arg(long)]
        trust_clock: bool,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// List the tools and which of them the policy allows
    Tools {
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// List the models, their limits and prices, and where each figure comes from
    Models {
        /// Ask every provider again
        #[arg(long)]
        refresh: bool,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Show the usage of the server, a session or a turn
    Stats {
        /// The id of a session or turn, or a session's name (default: the server's totals)
        #[arg(value_name = "ID|NAME")]
        id: Option<String>,
        /// The node whose totals are printed, if there are several; see `dwell nodes`
        #[arg(long, value_name = "NODE", conflicts_with = "id")]
        node: Option<String>,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Check that the server is ready, by a small write; the exit code says so too
    Health {
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Manage other owners, each with their own sessions and memories
    Owners {
        #[command(subcommand)]
        command: OwnersCommand,
    },
    /// Make, list or revoke tokens that may only read, talk or act
    Tokens {
        #[command(subcommand)]
        command: TokensCommand,
        #[command(flatten)]
        reach: ServerArgs,
    },
    /// Back up the data folder, even while the server runs, or verify a backup
    Backup(BackupArgs),
    /// Restore a backup into the data folder, while no server uses it
    Restore(RestoreArgs),
    /// Copy everything from the data folder into PostgreSQL, or back into a new data folder, while
    /// no server uses either
    Migrate(MigrateArgs),
    /// Show the addresses and keys with which other clients connect
    Doors,
    /// Check the data folder for damage and loss, even while a server runs
    Verify,
    /// Show every setting and where it comes from
    Config,
    /// Print the completions of a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: ShellArg,
    },
    /// Write the manual pages of all commands into a folder
    Man {
        /// The folder, which is created
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },
    /// Print the OpenAPI description
    #[command(hide = true)]
    Openapi,
    /// Print the wire reference
    #[command(hide = true)]
    WireReference,
    /// Print every error code with its HTTP status and what to do about it, as JSON
    #[command(hide = true)]
    ErrorCodes,
    /// Read the PDF on standard input and print its text as JSON
    #[command(hide = true)]
    ReadPdf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum OwnersCommand {
    /// Add an owner and print their token, which is shown only once
    Add {
        /// The new owner's name
        name: String,
    },
    /// List the owners
    List,
    /// Revoke an owner's token; their sessions and memories stay
    Remove {
        /// The owner's name
        name: String,
    },
    /// Replace an owner's token; the old one stops working at once
    Renew {
        /// The owner's name
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, newest activity first
    List {
        /// The maximum number of sessions
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Only sessions with this status
        #[arg(long, value_parser = ["active", "ended", "expired"])]
        status: Option<String>,
    },
    /// Show a session and its messages
    Show {
        /// The session's id, or its name
        #[arg(value_name = "ID|NAME")]
        session: String,
    },
    /// Delete a session and its messages permanently
    Delete {
        /// The session's id, or its name
        #[arg(value_name = "ID|NAME")]
        session: String,
        /// Also forget what was remembered from it
        #[arg(long)]
        memories: bool,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// End a session
    End {
        /// The session's id, or its name
        #[arg(value_name = "ID|NAME")]
        session: String,
        /// The reason
        #[arg(long)]
        reason: Option<String>,
    },
}

/// A shell that completes commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShellArg {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List the calls that wait
    List,
    /// Approve or deny a call
    Answer {
        /// The approval's id
        id: String,
        /// The decision
        #[arg(value_enum)]
        decision: DecisionArg,
    },
}

/// A user's decision on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecisionArg {
    /// Allow it once
    Once,
    /// Allow it, and the same call again in this session
    Always,
    /// Deny it
    Deny,
    /// Deny it, and the tool for the rest of this session
    Never,
}

impl Cli {
    /// How the command prints.
    pub(crate) const fn output(&self) -> OutputOptions {
        OutputOptions { json: self.json, quiet: self.quiet }
    }
}

impl Command {
    /// The address to listen on, if the command listens.
    pub(crate) fn listen(&self) -> Option<&str> {
        match self {
            Self::Serve { listen, .. } => listen.as_deref(),
            _ => None,
        }
    }

    /// The server to talk to, if the command talks to one.
    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Self::Mcp { reach }
            | Self::Open { reach, .. }
            | Self::Chat { reach, .. }
            | Self::Ask { reach, .. }
            | Self::Doctor { reach, .. }
            | Self::Logs { reach, .. }
            | Self::Nodes { reach }
            | Self::Sessions { reach, .. }
            | Self::Turns { reach, .. }
            | Self::Export { reach, .. }
            | Self::Import { reach, .. }
            | Self::Memory { reach, .. }
            | Self::Library { reach, .. }
            | Self::Approvals { reach, .. }
            | Self::Schedules { reach, .. }
            | Self::Alerts { reach, .. }
            | Self::Artifacts { reach, .. }
            | Self::Sweep { reach, .. }
            | Self::Tools { reach, .. }
            | Self::Models { reach, .. }
            | Self::Stats { reach, .. }
            | Self::Health { reach, .. }
            | Self::Tokens { reach, .. } => reach.url.as_deref(),
            _ => None,
        }
    }
}
