//! `dwell library`: folders of documents, and search in them.

use std::path::{Path, PathBuf};

use anyhow::Context;
use protocol::{FolderId, FolderView, LibraryHits, LibraryView};
use reqwest::Method;
use serde_json::json;

use super::sessions::{encode, one_line};
use crate::{cli::LibraryCommand, client::Client, command_error::CommandError, config::Config, print_json};

/// Characters of a passage that a list shows.
const TEXT_CHARS_MAX: usize = 300;
/// Unreadable documents that the line of a folder names.
const NAMED_MAX: usize = 3;

pub(crate) async fn run(config: &Config, command: LibraryCommand) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    match command {
        LibraryCommand::Add { folder, shared } => add(&client, &folder, shared).await,
        LibraryCommand::List => list(&client).await,
        LibraryCommand::Remove { folder } => remove(&client, &folder).await,
        LibraryCommand::Search { query, limit } => search(&client, &query.join(" "), limit).await,
        LibraryCommand::Rescan => rescan(&client).await,
    }
}

async fn add(client: &Client, folder: &Path, shared: bool) -> Result<(), CommandError> {
    let asked = json!({ "path": from_root(folder)?, "shared": shared });
    let busy = client.output.busy(format!("indexing {}", folder.display()));
    let added: FolderView = client.call_with(Method::POST, "/library/folders", &asked).await?;
    drop(busy);
    let follows = if added.waiting > 0 { "\nsearch by words works now; semantic search follows soon" } else { "" };
    client.output.done(&added, &format!("added {}: {}{}{follows}", added.path, extent(&added), troubles(&added)))
}

async fn list(client: &Client) -> Result<(), CommandError> {
    let view: LibraryView = client.get("/library").await?;
    show(client, &view)
}

async fn rescan(client: &Client) -> Result<(), CommandError> {
    let busy = client.output.busy("scanning the folders");
    let view: LibraryView = client.call(Method::POST, "/library/rescan").await?;
    drop(busy);
    show(client, &view)
}

fn show(client: &Client, view: &LibraryView) -> Result<(), CommandError> {
    if client.output.json {
        return print_json(view);
    }
    if view.folders.is_empty() {
        client.output.say("no folders yet; `dwell library add FOLDER` adds one");
    }
    for folder in &view.folders {
        let shared = if folder.shared { "  (shared)" } else { "" };
        println!("{}  {}{shared}  {}{}", folder.folder_id, folder.path, extent(folder), troubles(folder));
    }
    if let Some(why) = view.without_meaning.as_ref().filter(|_| !view.folders.is_empty()) {
        let advice = "run `dwell setup` to download the embedding model";
        client.output.remark(&format!("search is by words only: {why}; {advice}"));
    }
    Ok(())
}

async fn remove(client: &Client, folder: &str) -> Result<(), CommandError> {
    let id = match folder.parse::<FolderId>() {
        Ok(id) => id,
        Err(_) => find(client, folder).await?,
    };
    let removed: FolderView = client.call(Method::DELETE, &format!("/library/folders/{id}")).await?;
    let words = format!("removed {}: {}; the files are untouched", removed.path, extent(&removed));
    client.output.done(&removed, &words)
}

/// A folder's id by its path, which may no longer exist.
async fn find(client: &Client, folder: &str) -> Result<FolderId, CommandError> {
    let path = from_root(Path::new(folder))?;
    let real = path.canonicalize().unwrap_or_else(|_| path.clone());
    let view: LibraryView = client.get("/library").await?;
    let is_meant = |it: &&FolderView| Path::new(&it.path) == real || Path::new(&it.path) == path;
    let found = view.folders.iter().find(is_meant).map(|found| found.folder_id);
    found.ok_or_else(|| {
        let hint = format!("{} is not in the library; `dwell library list` shows its folders", path.display());
        CommandError::Failed(anyhow::anyhow!(hint))
    })
}

async fn search(client: &Client, query: &str, limit: u32) -> Result<(), CommandError> {
    let found: LibraryHits = client.get(&format!("/library/search?query={}&limit={limit}", encode(query))).await?;
    if client.output.json {
        return print_json(&found);
    }
    if found.data.is_empty() {
        client.output.say("no results");
    }
    for hit in &found.data {
        println!("{:.3}  {}  {}", hit.score, hit.source, one_line(&hit.title));
        println!("       {}", short(&one_line(&hit.text)));
    }
    Ok(())
}

/// The server may run in another folder, so it gets an absolute path.
fn from_root(folder: &Path) -> Result<PathBuf, CommandError> {
    let path = std::path::absolute(folder).with_context(|| format!("failed to find {}", folder.display()))?;
    match path.to_str() {
        Some(_) => Ok(path),
        None => Err(CommandError::Usage(format!("{} is not valid UTF-8", path.display()))),
    }
}

/// "214 documents, 1,932 passages".
fn extent(folder: &FolderView) -> String {
    let documents = counted(folder.documents, "document");
    format!("{documents}, {}", counted(folder.passages, "passage"))
}

/// "; 3 could not be read: a.pdf (it is encrypted), …", or nothing.
fn troubles(folder: &FolderView) -> String {
    if folder.troubled == 0 {
        return String::new();
    }
    let mut named: Vec<String> =
        folder.troubles.iter().take(NAMED_MAX).map(|it| format!("{} ({})", it.path, it.reason)).collect();
    if folder.troubled > named.len() as u64 {
        named.push("…".to_owned());
    }
    format!("; {} could not be read: {}", grouped(folder.troubled), named.join(", "))
}

fn counted(number: u64, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {what}{ending}", grouped(number))
}

/// A number with thousands separators.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn short(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!([0, 999, 1_932, 1_234_567].map(grouped), ["0", "999", "1,932", "1,234,567"]);
        assert_eq!([counted(1, "document"), counted(2, "document")], ["1 document", "2 documents"]);
    }
}
