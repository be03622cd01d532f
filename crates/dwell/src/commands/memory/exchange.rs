//! Conversations from elsewhere, archives, and looking memory through.

use std::{io::Read, path::Path};

use anyhow::Context;
use protocol::{Audit, Finding, Imported, MemoryArchive, MemoryImport};
use reqwest::Method;
use serde_json::json;

use crate::{client::Client, failure::Failure, print_json};

/// Takes in conversations that happened elsewhere; what they are is found out by the server, which also takes the
/// secrets out of them.
pub(super) async fn ingest(client: &Client, file: &Path, asked: MemoryImport, is_json: bool) -> Result<(), Failure> {
    let new: Imported = take_in(client, MemoryImport { text: Some(read(file)?), ..asked }, file).await?;
    if is_json {
        return print_json(&new);
    }
    new.notices.iter().for_each(|notice| eprintln!("{notice}"));
    let Imported { memories, entries, contexts, known, .. } = new;
    println!("{entries} messages taken in, {known} were there already");
    println!("{memories} memories made, {contexts} summaries written");
    Ok(())
}

/// Without a file the archive goes to standard output, whether or not JSON was asked for: it is nothing else.
pub(super) async fn export(client: &Client, file: Option<&Path>) -> Result<(), Failure> {
    let archive: MemoryArchive = client.get("/memories/export").await?;
    let Some(file) = file else { return print_json(&archive) };
    let text = serde_json::to_string_pretty(&archive).map_err(anyhow::Error::from)?;
    std::fs::write(file, text + "\n").with_context(|| format!("failed to write {}", file.display()))?;
    eprintln!(
        "{} entries, {} context documents and {} facts in {}",
        archive.entries.len(),
        archive.contexts.len(),
        archive.facts.len(),
        file.display()
    );
    Ok(())
}

pub(super) async fn import(client: &Client, file: &Path, asked: MemoryImport, is_json: bool) -> Result<(), Failure> {
    let new: Imported = take_in(client, MemoryImport { text: Some(read(file)?), ..asked }, file).await?;
    if is_json {
        return print_json(&new);
    }
    new.damage.iter().for_each(|what| eprintln!("damaged: {what}"));
    new.notices.iter().for_each(|notice| eprintln!("{notice}"));
    println!(
        "new: {} vaults, {} memories, {} entries, {} context documents, {} facts; {} things were there already",
        new.vaults, new.memories, new.entries, new.contexts, new.facts, new.known
    );
    Ok(())
}

async fn take_in(client: &Client, asked: MemoryImport, file: &Path) -> Result<Imported, Failure> {
    let taken = client.call_with(Method::POST, "/memories/import", &json!(asked)).await;
    taken.map_err(|failure| match failure {
        Failure::Usage(why) => Failure::Usage(format!("{}: {why}", file.display())),
        other => other,
    })
}

pub(super) async fn audit(client: &Client, is_json: bool) -> Result<(), Failure> {
    let audit: Audit = client.get("/memories/audit").await?;
    if is_json {
        return print_json(&audit);
    }
    for (level, count) in &audit.counts {
        println!("{count:6}  {level}");
    }
    let findings = [
        ("duplicates", &audit.duplicates),
        ("near-duplicates", &audit.near_duplicates),
        ("contradictions", &audit.contradictions),
        ("stale", &audit.stale),
        ("secrets", &audit.secrets),
        ("not found by meaning yet", &audit.unsearchable),
    ];
    for (name, Finding { count, examples }) in findings {
        println!("{name}: {count}");
        for example in examples {
            let ids: Vec<String> = example.ids.iter().map(ToString::to_string).collect();
            let key = example.key.as_ref().map(|key| format!("  {key}")).unwrap_or_default();
            println!("    {}{key}  {}", example.level.as_str(), ids.join(" "));
        }
    }
    Ok(())
}

/// A file's text, or what comes on standard input.
fn read(file: &Path) -> Result<String, Failure> {
    if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("failed to read standard input")?;
        return Ok(text);
    }
    std::fs::read_to_string(file).map_err(|error| Failure::Usage(format!("cannot read {}: {error}", file.display())))
}
