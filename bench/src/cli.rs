//! The command line.

use clap::{Parser, Subcommand, ValueEnum};
use serde::Serialize;

/// Measures what Dwell costs.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to measure
    #[command(subcommand)]
    pub(crate) command: Command,
    /// How much of it
    #[arg(long, global = true, value_enum, default_value_t = Setting::Small)]
    pub(crate) setting: Setting,
    /// Print one JSON value
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What a turn costs early and late in a long conversation
    Growth,
    /// How many appends one flush to the disk serves, beside a bare SQLite
    Appends {
        /// Only append, for the run that is traced
        #[arg(long, hide = true)]
        traced: bool,
    },
    /// How long a cancel takes while an answer streams
    Cancel,
    /// A streamed answer beside the model called directly
    Stream,
    /// A turn with one tool call beside the two calls of the model that it is made of
    Acting,
    /// What a turn costs as people have it: natural messages, a filled memory, all work until the process is idle
    Natural {
        /// The folder of the embedding model, as `dwell setup --to` fills it; without it only words are compared
        #[arg(long, value_name = "FOLDER")]
        embedding: Option<std::path::PathBuf>,
        /// Only with so many entries in memory
        #[arg(long)]
        entries: Option<usize>,
    },
    /// The same beside LangGraph, in alternation in one run
    Peers {
        /// The Python that has langgraph, langgraph-checkpoint-sqlite and langchain-openai
        #[arg(long, value_name = "PATH")]
        python: std::path::PathBuf,
        /// The address of a PostgreSQL database, for LangGraph's other saver
        #[arg(long, value_name = "URL")]
        postgres: Option<String>,
        /// The folder of the embedding model, as `dwell setup --to` fills it
        #[arg(long, value_name = "FOLDER")]
        embedding: Option<std::path::PathBuf>,
    },
    /// How many instructions five ways through the program take, compared with those that were recorded; needs valgrind
    Instructions {
        /// The program, as a debug build
        #[arg(long, value_name = "PATH", default_value = "target/debug/dwell")]
        dwell: std::path::PathBuf,
        /// Record what was counted
        #[arg(long)]
        record: bool,
    },
    /// The bare server that `peers` compares with
    #[command(hide = true)]
    BareTurns {
        /// The address of a model server
        #[arg(long)]
        model: String,
        /// A folder for its database
        #[arg(long)]
        data: std::path::PathBuf,
    },
    /// Whether what was said is found again, on public sets of conversations
    Recall {
        /// Measure the time search and insertion take over that many generated memories instead
        #[arg(long, value_name = "MEMORIES")]
        latency: Option<usize>,
        /// What counts how much, as JSON, to try another recipe
        #[arg(long, value_name = "JSON")]
        recipe: Option<String>,
    },
    /// What a library of documents takes to make, to keep and to look into
    Library {
        /// How many passages it has
        #[arg(long, value_name = "N", default_value_t = 10_000)]
        passages: usize,
    },
    /// Sentences understood without thinking, beside hassil on the same sentences
    Reflexes {
        /// Only these languages
        #[arg(long, value_name = "CODE")]
        language: Vec<String>,
        /// The Python that has hassil; without it only Dwell is measured
        #[arg(long, value_name = "PATH")]
        python: Option<std::path::PathBuf>,
    },
}

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Setting {
    /// Seconds: to see that it works
    Small,
    /// A minute or two: the numbers in the manual
    Large,
}

impl Setting {
    /// The one or the other.
    pub(crate) fn pick<T>(self, small: T, large: T) -> T {
        match self {
            Self::Small => small,
            Self::Large => large,
        }
    }

    /// As it is given on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Large => "large",
        }
    }
}
