//! Import of conversations, archives, and the audit of memory.

use std::{io::Read, path::Path};

use anyhow::Context;
use protocol::{Audit, Finding, MemoryArchive, MemoryImport, MemoryImportResult};
use reqwest::Method;
use serde_json::json;

use crate::{client::Client, command_error::CommandError, print_json};

/// Imports conversations from elsewhere. The server detects their format and redacts secrets.
pub(super) async fn ingest(client: &Client, file: &Path, asked: MemoryImport) -> Result<(), CommandError> {
    let new: MemoryImportResult = take_in(client, MemoryImport { text: Some(read(file)?), ..asked }, file).await?;
    if client.output.json {
        return print_json(&new);
    }
    new.notices.iter().for_each(|notice| client.output.remark(notice));
    let MemoryImportResult { memories, entries, contexts, known, .. } = new;
    client.output.say(&format!("{entries} messages imported, {known} already known"));
    client.output.say(&format!("{memories} memories created, {contexts} summaries written"));
    Ok(())
}

/// Without a file the archive goes to standard output. It is always JSON, with or without `--json`.
pub(super) async fn export(client: &Client, file: Option<&Path>) -> Result<(), CommandError> {
    let archive: MemoryArchive = client.get("/memories/export").await?;
    let Some(file) = file else { return print_json(&archive) };
    let text = serde_json::to_string_pretty(&archive).map_err(anyhow::Error::from)?;
    std::fs::write(file, text + "\n").with_context(|| format!("failed to write {}", file.display()))?;
    let (entries, contexts, facts) = (archive.entries.len(), archive.contexts.len(), archive.facts.len());
    if client.output.json {
        return print_json(&json!({ "path": file, "entries": entries, "contexts": contexts, "facts": facts }));
    }
    let words = format!("{entries} entries, {contexts} context documents and {facts} facts in {}", file.display());
    client.output.remark(&words);
    Ok(())
}

pub(super) async fn import(client: &Client, file: &Path, asked: MemoryImport) -> Result<(), CommandError> {
    let new: MemoryImportResult = take_in(client, MemoryImport { text: Some(read(file)?), ..asked }, file).await?;
    if client.output.json {
        return print_json(&new);
    }
    new.damage.iter().for_each(|what| client.output.remark(&format!("damaged: {what}")));
    new.notices.iter().for_each(|notice| client.output.remark(notice));
    client.output.say(&format!(
        "new: {} vaults, {} memories, {} entries, {} context documents, {} facts; {} items already known",
        new.vaults, new.memories, new.entries, new.contexts, new.facts, new.known
    ));
    Ok(())
}

async fn take_in(client: &Client, asked: MemoryImport, file: &Path) -> Result<MemoryImportResult, CommandError> {
    let busy = client.output.busy(format!("importing {}", file.display()));
    let taken = client.call_with(Method::POST, "/memories/import", &json!(asked)).await;
    drop(busy);
    taken.map_err(|failure| match failure {
        CommandError::Usage(why) => CommandError::Usage(format!("{}: {why}", file.display())),
        other => other,
    })
}

pub(super) async fn audit(client: &Client) -> Result<(), CommandError> {
    let audit: Audit = client.get("/memories/audit").await?;
    if client.output.json {
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
        ("not embedded yet", &audit.unsearchable),
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
fn read(file: &Path) -> Result<String, CommandError> {
    if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("failed to read standard input")?;
        return Ok(text);
    }
    std::fs::read_to_string(file)
        .map_err(|error| CommandError::Usage(format!("cannot read {}: {error}", file.display())))
}
