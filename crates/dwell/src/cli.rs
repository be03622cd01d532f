//! The command line.

mod artifacts;
mod backup;
mod library;
mod memory;

use std::path::PathBuf;

pub(crate) use artifacts::Artifacts;
pub(crate) use backup::{Backup, Restore};
use clap::{Args, Parser, Subcommand, ValueEnum};
pub(crate) use library::Library;
pub(crate) use memory::Memory;

/// Keeps AI agents' conversations alive.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
    /// The data folder (default: the platform's place for application data)
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The configuration file (default: config.toml in the platform's place for configuration)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// What to do
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where the server is that a command talks to.
#[derive(Debug, Default, Args)]
pub(crate) struct Reach {
    /// The server to talk to (default: the one that runs on the data folder)
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
        /// Start although the journal has less than was acknowledged; a copy of the files is kept first
        #[arg(long)]
        accept_loss: bool,
    },
    /// Speak the Model Context Protocol on standard input and output, for clients that start their servers themselves
    Mcp {
        #[command(flatten)]
        reach: Reach,
    },
    /// Fetch the model that search by meaning needs (84 MB), once
    Setup {
        /// The folder to put it into (default: its own in the data folder)
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
        /// Fetch Home Assistant's sentences in all their languages instead (1 MB)
        #[arg(long)]
        sentences: bool,
    },
    /// Open the page in the browser
    Open {
        /// Print the link that would be opened; it is good once, for ten minutes
        #[arg(long)]
        print: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// Talk in the terminal; Ctrl-C cancels the answer, Ctrl-D leaves
    Chat {
        /// The conversation, by a name of your choice
        #[arg(long, value_name = "NAME", default_value = "terminal")]
        session: String,
        /// Begin a new conversation without a name
        #[arg(long, conflicts_with = "session")]
        new: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// Ask one question and print the answer
    Ask {
        /// The question; `-` reads it from standard input
        message: String,
        /// The conversation to ask in; without it the question stands alone
        #[arg(long, value_name = "NAME")]
        session: Option<String>,
        /// The model to ask, if not the default
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// How the model is asked, as `temperature=0.2` or `reasoning_effort=low`; may be given several times
        #[arg(long = "set", value_name = "SETTING=VALUE")]
        set: Vec<String>,
        /// Print the finished turn as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// Look at sessions, or end one
    Sessions {
        #[command(subcommand)]
        command: Sessions,
        #[command(flatten)]
        reach: Reach,
    },
    /// Look at a turn, stop it, let it go on, or ask it again
    Turns {
        #[command(subcommand)]
        command: Turns,
        #[command(flatten)]
        reach: Reach,
    },
    /// Take a session elsewhere: the whole journal, or what was said in another program's form
    Export {
        /// The session's id, or its name
        session: String,
        /// ndjson (the journal), openai, langchain or langgraph
        #[arg(long, value_name = "FORMAT")]
        format: Option<String>,
        /// The file to write, or a folder (ending in `/`) for people to look into; without it, standard output
        #[arg(long, value_name = "PATH")]
        to: Option<PathBuf>,
        /// Of a damaged session: the events before the damage
        #[arg(long, conflicts_with = "format")]
        sound: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// Make a session of what `dwell export` or another program wrote
    Import {
        /// The file, or the folder; `-` reads standard input
        path: PathBuf,
        /// ndjson (the journal), openai, langchain or langgraph; found out unless told
        #[arg(long, value_name = "FORMAT")]
        format: Option<String>,
        /// A name for the new session
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Take what there is of a damaged journal; what is wrong with it is printed
        #[arg(long)]
        accept_damage: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// Look at what is remembered, put it right, or have it forgotten
    Memory {
        #[command(subcommand)]
        command: Memory,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// Keep folders of documents that answers may rest on, and look into them
    Library {
        #[command(subcommand)]
        command: Library,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// See which calls wait for a yes or a no, and answer them
    Approvals {
        #[command(subcommand)]
        command: Approvals,
        #[command(flatten)]
        reach: Reach,
    },
    /// Look at what turns have kept beside conversations: reports, tables, plots
    Artifacts {
        #[command(subcommand)]
        command: Artifacts,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// Collect artifacts that were kept long enough and forget what has expired, now rather than in a few minutes
    Sweep {
        /// Say that the clock is right, where it is in doubt
        #[arg(long)]
        trust_clock: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// List the tools there are, and which of them policy lets run
    Tools {
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// Show the models there are, what each takes, and where that is known from
    Models {
        /// Ask every provider again
        #[arg(long)]
        refresh: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// Show what the server, a session or a turn has used
    Stats {
        /// A session's or a turn's id; without it, the server's totals
        id: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reach: Reach,
    },
    /// Let other people in, each with sessions and memories of their own
    Owners {
        #[command(subcommand)]
        command: Owners,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// Copy all that is kept into a folder elsewhere, also while the server runs, or check such a copy
    Backup(Backup),
    /// Put a backup into the data folder, which no server may use
    Restore(Restore),
    /// Show the addresses by which other assistants' clients reach the server, keys included
    Doors,
    /// Check the data folder for damage and loss, while a server runs on it or not
    Verify {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show every setting and where it comes from
    Config {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the OpenAPI description
    #[command(hide = true)]
    Openapi,
    /// Print the wire reference of the manual
    #[command(hide = true)]
    WireReference,
    /// Read the PDF on standard input and print what it says, as JSON
    #[command(hide = true)]
    ReadPdf,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Owners {
    /// Add an owner and print their token, which is shown this once
    Add {
        /// A name of your choice
        name: String,
    },
    /// List the owners there are
    List,
    /// Take an owner's token away; what they have said and what is remembered of it stays
    Remove {
        /// The owner's name
        name: String,
    },
    /// Give an owner a new token; the old one is worth nothing from then on
    Renew {
        /// The owner's name
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List sessions, newest activity first
    List {
        /// How many at most
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Only those that stand like this
        #[arg(long, value_parser = ["active", "ended", "expired"])]
        status: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a session and what was said
    Show {
        /// The session's id
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Delete a session with all that was said in it, for good
    Delete {
        /// The session's id, or its name
        #[arg(value_name = "ID|NAME")]
        session: String,
        /// Have what was remembered of it forgotten as well
        #[arg(long)]
        memories: bool,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// End a session
    End {
        /// The session's id
        id: String,
        /// Why
        #[arg(long)]
        reason: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Turns {
    /// Show a turn as JSON
    Show {
        /// The turn's id
        id: String,
    },
    /// Show the passages that a turn's research has kept
    Passages {
        /// The turn's id
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Stop a turn
    Cancel {
        /// The turn's id
        id: String,
    },
    /// Let an interrupted or waiting turn go on
    Resume {
        /// The turn's id
        id: String,
        /// For a turn that waits to be told what became of a call: what became of it
        #[arg(long, value_enum)]
        outcome: Option<Happened>,
        /// Which call, if not all that are in doubt
        #[arg(long, value_name = "ID")]
        call: Option<String>,
    },
    /// Ask the same again in a new turn
    Retry {
        /// The turn's id
        id: String,
    },
}

/// What became of a call that a crash cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Happened {
    /// It happened; it is not run again
    Happened,
    /// It did not happen; it is run now
    DidNotHappen,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Approvals {
    /// List what is open
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Answer a question
    Answer {
        /// The question's id
        id: String,
        /// The answer
        #[arg(value_enum)]
        decision: Said,
    },
}

/// What a person says to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Said {
    /// It may run, once
    Once,
    /// It may run, and the same call again in this session
    Always,
    /// It may not run
    Deny,
    /// It may not run, nor the tool any more in this session
    Never,
}

impl Command {
    /// The address to listen on, where the command listens.
    pub(crate) fn listen(&self) -> Option<&str> {
        match self {
            Self::Serve { listen, .. } => listen.as_deref(),
            _ => None,
        }
    }

    /// The server to talk to, where the command talks to one.
    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Self::Mcp { reach }
            | Self::Open { reach, .. }
            | Self::Chat { reach, .. }
            | Self::Ask { reach, .. }
            | Self::Sessions { reach, .. }
            | Self::Turns { reach, .. }
            | Self::Export { reach, .. }
            | Self::Import { reach, .. }
            | Self::Memory { reach, .. }
            | Self::Library { reach, .. }
            | Self::Approvals { reach, .. }
            | Self::Artifacts { reach, .. }
            | Self::Sweep { reach, .. }
            | Self::Tools { reach, .. }
            | Self::Models { reach, .. }
            | Self::Stats { reach, .. } => reach.url.as_deref(),
            _ => None,
        }
    }
}
