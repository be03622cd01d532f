//! `dwell owners`: manages the owners besides the first. A running server picks up changes at once.

use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use crate::{cli, command_error::CommandError, config::Config, output::OutputOptions, print_json, serve::OwnersFile};

pub(crate) fn run(config: &Config, command: cli::OwnersCommand, is_json: bool) -> Result<(), CommandError> {
    let owners = OwnersFile::of(config);
    let output = config.output;
    match command {
        cli::OwnersCommand::Add { name } => show(output, &name, &owners.add(&name)?, is_json),
        cli::OwnersCommand::Renew { name } => show(output, &name, &owners.renew(&name)?, is_json),
        cli::OwnersCommand::List => list(&owners, is_json),
        cli::OwnersCommand::Remove { name } => {
            owners.remove(&name)?;
            if is_json {
                return print_json(&json!({ "removed": name }));
            }
            if output.quiet {
                return Ok(());
            }
            println!("removed {name}: the token no longer works");
            println!(
                "the sessions and memories of {name} stay, and are available again if they are added again under \
                 this name; to erase them, use `dwell sessions delete` and `dwell memory forget` with their token"
            );
            Ok(())
        }
    }
}

/// Only the token goes to standard output, so that scripts can use it.
fn show(output: OutputOptions, name: &str, token: &SecretString, is_json: bool) -> Result<(), CommandError> {
    if is_json {
        return print_json(&json!({ "name": name, "token": token.expose_secret() }));
    }
    println!("{}", token.expose_secret());
    let how = "use it as DWELL_TOKEN or `Authorization: Bearer …`";
    output.remark(&format!("the token of {name}, shown only once; {how}"));
    Ok(())
}

fn list(owners: &OwnersFile, is_json: bool) -> Result<(), CommandError> {
    let listed = owners.list()?;
    if is_json {
        let others = listed.iter().map(
            |one| json!({ "name": one.name, "first": false, "added_at": one.added_at, "token_since": one.token_since }),
        );
        let all: Vec<_> =
            std::iter::once(json!({ "name": OwnersFile::first(), "first": true })).chain(others).collect();
        return print_json(&json!({ "data": all }));
    }
    println!("{}  (the first; the token is in the file `token`, or DWELL_TOKEN)", OwnersFile::first());
    for one in listed {
        println!("{}  since {}, token of {}", one.name, one.added_at, one.token_since);
    }
    Ok(())
}
