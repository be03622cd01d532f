//! `dwell backup` and `dwell restore`, which work directly on the data folder.

use std::path::Path;

use engine::{SystemWorld, World};
use serde_json::json;

use super::size::size;
use crate::{
    backup::{self, BackupManifest, BackupOrigin, BackupProgress, BackupRequest},
    cli,
    command_error::CommandError,
    config::Config,
    output::OutputOptions,
    print_json,
};

pub(crate) fn run(config: &Config, asked: cli::BackupArgs) -> Result<(), CommandError> {
    match (asked.verify, asked.into) {
        (Some(folder), _) => verify(config.output, &folder),
        (None, Some(into)) => make(config, &into, !asked.without_secrets),
        (None, None) => Err(CommandError::Usage("name the folder for the backup".to_owned())),
    }
}

/// Only the backup's folder goes to standard output, so that scripts can use it.
fn make(config: &Config, into: &Path, with_secrets: bool) -> Result<(), CommandError> {
    let instead =
        "back the database up with PostgreSQL's own means, such as pg_dump, and copy the data folder beside it";
    config.store.refuse_database("dwell backup", instead).map_err(CommandError::Usage)?;
    let now = SystemWorld::default().now();
    let wanted =
        BackupRequest { data: config.data_dir(), into, with_secrets, made_by: BackupOrigin::Command, number: 0, now };
    let made = backup::make(&wanted, &mut BackupProgress::shown(config.output))?;
    if config.output.json {
        return print_json(&json!({ "folder": made.folder, "backup": made.manifest }));
    }
    println!("{}", made.folder.display());
    config.output.remark(&format!("backed up {}", in_words(&made.manifest)));
    if with_secrets {
        config.output.remark("it contains tokens and keys, so keep it private; --without-secrets leaves them out");
    }
    Ok(())
}

fn verify(output: OutputOptions, folder: &Path) -> Result<(), CommandError> {
    let manifest = backup::verify(folder, &mut BackupProgress::shown(output))?;
    if output.json {
        return print_json(&json!({ "folder": folder, "backup": manifest }));
    }
    println!(
        "{} is intact: {}, made {} by Dwell {}",
        folder.display(),
        in_words(&manifest),
        manifest.made_at,
        manifest.version
    );
    Ok(())
}

pub(crate) fn run_restore(config: &Config, asked: &cli::RestoreArgs) -> Result<(), CommandError> {
    let instead = "restore the database with PostgreSQL's own means, such as pg_restore";
    config.store.refuse_database("dwell restore", instead).map_err(CommandError::Usage)?;
    let (data, now) = (config.data_dir(), SystemWorld::default().now());
    let restored = backup::restore(&asked.from, data, asked.replace, now, &mut BackupProgress::shown(config.output))?;
    if config.output.json {
        return print_json(&json!({ "data": data, "aside": restored.aside, "backup": restored.manifest }));
    }
    if config.output.quiet {
        return Ok(());
    }
    println!("restored {} into {}", in_words(&restored.manifest), data.display());
    if let Some(moved_to) = restored.aside {
        println!("the previous files are in {}", moved_to.display());
    }
    if !restored.manifest.has_secrets {
        println!(
            "the backup contains no tokens or keys; the server creates new ones at its next start and prints the token"
        );
    }
    Ok(())
}

fn in_words(manifest: &BackupManifest) -> String {
    let many = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let journal = &manifest.journal;
    format!(
        "{} with {} and {} ({})",
        many(journal.sessions, "session"),
        many(journal.events, "event"),
        many(journal.artifacts, "artifact"),
        size(manifest.bytes())
    )
}
