//! `dwell backup` and `dwell restore`: they work on the data folder itself, whether or not a server runs on it.

use std::path::Path;

use engine::{SystemWorld, World};
use serde_json::json;

use super::size::size;
use crate::{
    backup::{self, MadeBy, Manifest, Progress, Wanted},
    cli,
    config::Config,
    failure::Failure,
    print_json,
};

pub(crate) fn run(config: &Config, asked: cli::Backup) -> Result<(), Failure> {
    match (asked.verify, asked.into) {
        (Some(folder), _) => verify(&folder, asked.json),
        (None, Some(into)) => make(config, &into, !asked.without_secrets, asked.json),
        (None, None) => Err(Failure::Usage("say which folder the backup goes into".to_owned())),
    }
}

/// The folder of the backup is all that goes to standard output, so that it can be handed on.
fn make(config: &Config, into: &Path, with_secrets: bool, is_json: bool) -> Result<(), Failure> {
    let now = SystemWorld::default().now();
    let wanted = Wanted { data: config.data_dir(), into, with_secrets, made_by: MadeBy::Command, number: 0, now };
    let made = backup::make(&wanted, &mut Progress::shown())?;
    if is_json {
        return print_json(&json!({ "folder": made.folder, "backup": made.manifest }));
    }
    println!("{}", made.folder.display());
    eprintln!("backed up {}", in_words(&made.manifest));
    if with_secrets {
        eprintln!("it holds tokens and keys: whoever can read it can come in; --without-secrets leaves them out");
    }
    Ok(())
}

fn verify(folder: &Path, is_json: bool) -> Result<(), Failure> {
    let manifest = backup::verify(folder, &mut Progress::shown())?;
    if is_json {
        return print_json(&json!({ "folder": folder, "backup": manifest }));
    }
    println!(
        "{} is whole: {}, made {} by Dwell {}",
        folder.display(),
        in_words(&manifest),
        manifest.made_at,
        manifest.version
    );
    Ok(())
}

pub(crate) fn run_restore(config: &Config, asked: &cli::Restore) -> Result<(), Failure> {
    let (data, now) = (config.data_dir(), SystemWorld::default().now());
    let restored = backup::restore(&asked.from, data, asked.replace, now, &mut Progress::shown())?;
    if asked.json {
        return print_json(&json!({ "data": data, "aside": restored.aside, "backup": restored.manifest }));
    }
    println!("restored {} into {}", in_words(&restored.manifest), data.display());
    if let Some(aside) = restored.aside {
        println!("what was there is in {}", aside.display());
    }
    if !restored.manifest.has_secrets {
        println!("the backup has no tokens and keys; the server makes new ones at its next start, and shows the token");
    }
    Ok(())
}

fn in_words(manifest: &Manifest) -> String {
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
