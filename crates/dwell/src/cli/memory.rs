//! Arguments of `dwell memory`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// List memories, newest first
    List {
        /// Only this level; may be repeated
        #[arg(long, value_enum)]
        level: Vec<LevelArg>,
        /// Include memories that are no longer valid
        #[arg(long)]
        history: bool,
        /// The maximum number of results
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Search memories
    Search {
        /// The text to search for
        #[arg(required = true)]
        words: Vec<String>,
        /// A session (id or name) whose messages rank first
        #[arg(long, value_name = "ID|NAME")]
        session: Option<String>,
        /// How to match
        #[arg(long, value_enum, default_value_t = SearchModeArg::Hybrid)]
        mode: SearchModeArg,
        /// The maximum number of results
        #[arg(long, default_value_t = 8)]
        limit: u32,
        /// Show the parts of each score
        #[arg(long)]
        scores: bool,
    },
    /// Show people, places and things with their facts
    Graph {
        /// Only this person, place or thing, by any of its names; `me` is you
        #[arg(long, value_name = "NAME")]
        subject: Option<String>,
        /// What was true at this day or time: `2026-05-03` or `2026-05-03T10:00:00Z`
        #[arg(long, value_name = "TIME")]
        as_of: Option<String>,
        /// As it was known at this day or time
        #[arg(long, value_name = "TIME")]
        known_at: Option<String>,
        /// Include facts that ended or were corrected
        #[arg(long)]
        ended: bool,
        /// The facts of this vault (default: what was said in conversations)
        #[arg(long, value_name = "ID|TITLE")]
        vault: Option<String>,
        /// The maximum number of facts
        #[arg(long, default_value_t = 200)]
        limit: u32,
    },
    /// Set an entry of the profile
    Set {
        /// The key, for example `diet`
        key: String,
        /// The value
        value: String,
        /// 0 to 100; the highest come first
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
        priority: Option<u8>,
        /// Seconds after which it expires
        #[arg(long, value_name = "SECONDS")]
        ttl: Option<u64>,
    },
    /// Show the profile, highest priority first
    Profile,
    /// Show every value that a key has had
    History {
        /// The key
        key: String,
    },
    /// Correct a memory; the old text stays in the history
    Correct {
        /// The item's id
        id: String,
        /// The corrected text
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Forget memories, everywhere and permanently
    Forget {
        /// The items' ids
        #[arg(required_unless_present_any = ["key", "text"])]
        ids: Vec<String>,
        /// Everything under this key, with its history
        #[arg(long)]
        key: Option<String>,
        /// This text, wherever it occurs
        #[arg(long)]
        text: Option<String>,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Import a conversation from elsewhere
    Ingest {
        /// The file; `-` reads standard input
        file: PathBuf,
        /// The memory to import into (default: the file's title, or its name)
        #[arg(long)]
        title: Option<String>,
        /// The vault to import into (default: `imported`)
        #[arg(long)]
        vault: Option<String>,
        /// The format: `ingest`, `openai`, `langchain` or `langgraph` (default: detected)
        #[arg(long)]
        format: Option<String>,
        /// Vouch for the file: what it says in your name is your own word
        #[arg(long)]
        trusted: bool,
    },
    /// Export all memories to a file
    Export {
        /// The file (default: standard output)
        file: Option<PathBuf>,
    },
    /// Import an archive that `export` or another program wrote
    Import {
        /// The file; `-` reads standard input
        file: PathBuf,
        /// The format: `dwell.memory`, `mem0`, `langchain`, `langgraph`, `openai` or `ingest`
        /// (default: detected)
        #[arg(long)]
        format: Option<String>,
        /// The vault for conversations and notes of other programs (default: `imported`)
        #[arg(long)]
        vault: Option<String>,
        /// Import what is readable of a damaged archive, and print what is damaged
        #[arg(long)]
        accept_damage: bool,
        /// Vouch for the file: an archive keeps its origins, other files are your own words
        #[arg(long)]
        trusted: bool,
    },
    /// Audit memory for duplicates, contradictions, stale entries and secrets
    Audit,
    /// List the vaults and the memories in them
    Vaults,
    /// Wait until everything written so far can be found
    Wait {
        /// The maximum wait in seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 10)]
        timeout: u64,
    },
    /// Show which part of the conversation a session's next turn gets
    Window {
        /// The session (id or name)
        #[arg(value_name = "ID|NAME")]
        session: String,
    },
}

/// The kind of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelArg {
    /// Entries of the profile
    Profile,
    /// Lasting facts
    Fact,
    /// Messages and notes, verbatim
    Entry,
    /// Context documents
    Context,
}

/// How memories are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchModeArg {
    /// By words and embeddings together
    Hybrid,
    /// By words only
    Lexical,
    /// By embeddings only
    Semantic,
}

impl From<SearchModeArg> for protocol::SearchMode {
    fn from(mode: SearchModeArg) -> Self {
        match mode {
            SearchModeArg::Hybrid => Self::Hybrid,
            SearchModeArg::Lexical => Self::Lexical,
            SearchModeArg::Semantic => Self::Semantic,
        }
    }
}

impl From<LevelArg> for protocol::Level {
    fn from(level: LevelArg) -> Self {
        match level {
            LevelArg::Profile => Self::Profile,
            LevelArg::Fact => Self::Fact,
            LevelArg::Entry => Self::Entry,
            LevelArg::Context => Self::Context,
        }
    }
}
