//! Benchmarks of Dwell.
//!
//! Each command is a file of its own and measures one promise: that the cost of a turn does not
//! depend on the length of the conversation, that one disk flush serves many appends, that a cancel
//! is quick, that a streamed answer is hardly slower than the model's. If a limit can be measured
//! (bare SQLite, the model called directly), it is measured in the same run, because absolute times
//! differ between machines.

#![allow(clippy::print_stdout, reason = "the results are this program's output")]

mod cli;

mod answers;
mod conversation;
mod disk;
mod percentile;
mod process;
mod program;
mod table;

mod acting;
mod appends;
mod bare;
mod cancel;
mod commands;
mod growth;
mod instructions;
mod library;
mod natural;
mod nodes;
mod peers;
mod recall;
mod reflexes;
mod schedules;
mod stream;

use std::fmt::Display;

use anyhow::Result;
use clap::Parser;
use cli::{Cli, Command};
use serde::Serialize;

#[tokio::main]
async fn main() -> Result<()> {
    let Cli { command, setting, json } = Cli::parse();
    match command {
        Command::Growth => show(&growth::run(setting).await?, json),
        Command::Appends { traced: true } => show(&appends::run_traced(setting).await?, true),
        Command::Appends { traced: false } => show(&appends::run(setting).await?, json),
        Command::Cancel => show(&cancel::run(setting).await?, json),
        Command::Stream => show(&stream::run(setting).await?, json),
        Command::Acting => show(&acting::run(setting).await?, json),
        Command::Natural { embedding, entries } => {
            let folder = natural::embedding_folder(embedding)?;
            show(&natural::run(setting, folder.as_deref(), entries).await?, json)
        }
        Command::Commands { embedding } => {
            let folder = natural::embedding_folder(embedding)?;
            show(&commands::run(setting, folder.as_deref()).await?, json)
        }
        Command::Schedules => show(&schedules::run(setting).await?, json),
        Command::Peers { python, postgres, embedding } => {
            let embedding = natural::embedding_folder(embedding)?;
            show(&peers::run(setting, &peers::PeerArgs { python, postgres, embedding }).await?, json)
        }
        Command::Nodes { python } => show(&nodes::run(setting, python.as_deref()).await?, json),
        Command::Instructions { dwell, record } => {
            show(&instructions::run(&instructions::InstructionArgs { dwell, record }).await?, json)
        }
        Command::BareTurns { model, data } => bare::serve(model, &data).await,
        Command::Recall { latency: Some(memories), .. } => show(&recall::run_latency(memories)?, json),
        Command::Recall { latency: None, recipe } => show(&recall::run(recipe.as_deref())?, json),
        Command::RelatedWords => show(&recall::write_related_words()?, json),
        Command::Library { passages } => show(&library::run(passages).await?, json),
        Command::Reflexes { language, python } => show(&reflexes::run(setting, &language, python.as_deref())?, json),
    }
}

fn show<T: Serialize + Display>(measured: &T, json: bool) -> Result<()> {
    if json {
        println!("{}", serde_json::to_string(measured)?);
    } else {
        println!("{measured}");
    }
    Ok(())
}
