//! `dwell memory`, as it is asked for.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum Memory {
    /// List what is remembered, newest first
    List {
        /// Only this level; may be given several times
        #[arg(long, value_enum)]
        level: Vec<Level>,
        /// Also what no longer holds
        #[arg(long)]
        history: bool,
        /// How many at most
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Look for something, in plain words
    Search {
        /// What to look for
        #[arg(required = true)]
        words: Vec<String>,
        /// The conversation it is about, by id or by name: what was said in it comes first
        #[arg(long, value_name = "ID|NAME")]
        session: Option<String>,
        /// Which kind of likeness counts
        #[arg(long, value_enum, default_value_t = Mode::Hybrid)]
        mode: Mode,
        /// How many at most
        #[arg(long, default_value_t = 8)]
        limit: u32,
        /// Show what each score is made of
        #[arg(long)]
        scores: bool,
    },
    /// Set a line of the profile
    Set {
        /// What it is about, as in `diet`
        key: String,
        /// What is stated of that
        value: String,
        /// 0 to 100; what is more important is told first
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
        priority: Option<u8>,
        /// Seconds after which it is forgotten by itself
        #[arg(long, value_name = "SECONDS")]
        ttl: Option<u64>,
    },
    /// Show the profile, the most important first
    Profile,
    /// Show all that was ever stated under a key
    History {
        /// What it is about
        key: String,
    },
    /// Put right what is wrong; the old one stays readable as history
    Correct {
        /// The item's id
        id: String,
        /// What is right
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Forget, everywhere and for good
    Forget {
        /// The items' ids
        #[arg(required_unless_present_any = ["key", "text"])]
        ids: Vec<String>,
        /// All that is kept under this key, with its history
        #[arg(long)]
        key: Option<String>,
        /// These words, wherever they stand
        #[arg(long)]
        text: Option<String>,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Take in a conversation that happened elsewhere
    Ingest {
        /// The file; `-` reads standard input
        file: PathBuf,
        /// The memory it goes to (default: what the file says, or its name)
        #[arg(long)]
        title: Option<String>,
        /// The vault it goes to (default: `imported`)
        #[arg(long)]
        vault: Option<String>,
        /// What wrote it: `ingest`, `openai`, `langchain` or `langgraph` (default: found out)
        #[arg(long)]
        format: Option<String>,
    },
    /// Write all that is remembered into a file
    Export {
        /// The file (default: standard output)
        file: Option<PathBuf>,
    },
    /// Take in an archive that `export` has written, or what another program has
    Import {
        /// The file; `-` reads standard input
        file: PathBuf,
        /// What wrote it: `dwell.memory`, `mem0`, `langchain`, `langgraph`, `openai` or `ingest` (default: found out)
        #[arg(long)]
        format: Option<String>,
        /// The vault that other programs' conversations and notes go to (default: `imported`)
        #[arg(long)]
        vault: Option<String>,
        /// Take what there is of a damaged archive; what is wrong with it is printed
        #[arg(long)]
        accept_damage: bool,
    },
    /// Look memory through: duplicates, contradictions, what is stale, what looks like a secret
    Audit,
    /// List the vaults and the memories in them
    Vaults,
    /// Wait until what was said and written before can be found
    Wait {
        /// Seconds to wait at most
        #[arg(long, value_name = "SECONDS", default_value_t = 10)]
        timeout: u64,
    },
    /// Show what the next turn of a session is told of its conversation
    Window {
        /// The session, by id or by name
        #[arg(value_name = "ID|NAME")]
        session: String,
    },
}

/// What kind of memory something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// Lines of the profile
    Profile,
    /// Lasting statements
    Fact,
    /// Messages and notes, word for word
    Entry,
    /// Context documents
    Context,
}

/// Which kind of likeness counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Words and meaning together
    Hybrid,
    /// Words alone
    Lexical,
    /// Meaning alone
    Semantic,
}

impl From<Mode> for protocol::SearchMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Hybrid => Self::Hybrid,
            Mode::Lexical => Self::Lexical,
            Mode::Semantic => Self::Semantic,
        }
    }
}

impl From<Level> for protocol::Level {
    fn from(level: Level) -> Self {
        match level {
            Level::Profile => Self::Profile,
            Level::Fact => Self::Fact,
            Level::Entry => Self::Entry,
            Level::Context => Self::Context,
        }
    }
}
