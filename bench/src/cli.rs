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
    /// How long to measure
    #[arg(long, global = true, value_enum, default_value_t = BenchScale::Small)]
    pub(crate) setting: BenchScale,
    /// Print one JSON value
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The cost of a turn early and late in a long conversation
    Growth,
    /// Appends per disk flush, compared with bare SQLite
    Appends {
        /// Only append, for the traced run
        #[arg(long, hide = true)]
        traced: bool,
    },
    /// The latency of a cancel while an answer streams
    Cancel,
    /// A streamed answer, compared with the model called directly
    Stream,
    /// A turn with one tool call, compared with its two model calls
    Acting,
    /// The cost of a realistic turn: natural messages, a filled memory, all work until the process
    /// is idle
    Natural {
        /// The folder of the embedding model, as `dwell setup --to` fills it (default: lexical
        /// search only)
        #[arg(long, value_name = "FOLDER")]
        embedding: Option<std::path::PathBuf>,
        /// Only with this many entries in memory
        #[arg(long)]
        entries: Option<usize>,
    },
    /// The cost of a command to a device, which needs no language model
    Commands {
        /// The folder of the embedding model, as `dwell setup --to` fills it (default: lexical
        /// search only)
        #[arg(long, value_name = "FOLDER")]
        embedding: Option<std::path::PathBuf>,
    },
    /// What many schedules cost while nothing is due, and how soon they are woken
    Schedules,
    /// The cost of a realistic turn compared with LangGraph, in alternation in one run
    Peers {
        /// The Python with langgraph, langgraph-checkpoint-sqlite and langchain-openai
        #[arg(long, value_name = "PATH")]
        python: std::path::PathBuf,
        /// The URL of a PostgreSQL database, for LangGraph's other saver
        #[arg(long, value_name = "URL")]
        postgres: Option<String>,
        /// The folder of the embedding model, as `dwell setup --to` fills it
        #[arg(long, value_name = "FOLDER")]
        embedding: Option<std::path::PathBuf>,
    },
    /// Turns on PostgreSQL with one to three nodes, compared with the embedded store and LangGraph
    Nodes {
        /// The Python with langgraph, langgraph-checkpoint-postgres, psycopg and langchain-openai
        #[arg(long, value_name = "PATH")]
        python: Option<std::path::PathBuf>,
    },
    /// Instruction counts of five code paths, compared with the recorded ones; needs valgrind
    Instructions {
        /// A debug build of the program
        #[arg(long, value_name = "PATH", default_value = "target/debug/dwell")]
        dwell: std::path::PathBuf,
        /// Record the new counts
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
    /// The quality of memory search on public data sets
    Recall {
        /// Measure the latency of search and insertion with this many generated memories instead
        #[arg(long, value_name = "MEMORIES")]
        latency: Option<usize>,
        /// Another ranking recipe, as JSON
        #[arg(long, value_name = "JSON")]
        recipe: Option<String>,
    },
    /// Write the table of related words that search uses, from the embedding model
    RelatedWords,
    /// The cost of building, storing and searching a library of documents
    Library {
        /// The number of passages
        #[arg(long, value_name = "N", default_value_t = 10_000)]
        passages: usize,
    },
    /// Sentences that reflexes understand, compared with hassil
    Reflexes {
        /// Only these languages
        #[arg(long, value_name = "CODE")]
        language: Vec<String>,
        /// The Python with hassil (default: only Dwell is measured)
        #[arg(long, value_name = "PATH")]
        python: Option<std::path::PathBuf>,
    },
}

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BenchScale {
    /// Seconds, to check that it works
    Small,
    /// A minute or two, for the numbers in docs/measurements.md
    Large,
}

impl BenchScale {
    /// Picks the value for this scale.
    pub(crate) fn pick<T>(self, small: T, large: T) -> T {
        match self {
            Self::Small => small,
            Self::Large => large,
        }
    }

    /// Its name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Large => "large",
        }
    }
}
