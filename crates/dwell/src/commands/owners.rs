//! `dwell owners`: manages the owners besides the first. A running server picks up changes at once,
//! nodes that share a database within two seconds.

use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use crate::{
    cli,
    command_error::CommandError,
    config::Config,
    output::OutputOptions,
    print_json,
    serve::{OwnersFile, shared_files, shared_files_for_change},
};

pub(crate) async fn run(config: &Config, command: cli::OwnersCommand) -> Result<(), CommandError> {
    let files = match command {
        cli::OwnersCommand::List => shared_files(config).await?,
        _ => shared_files_for_change(config).await?,
    };
    let owners = OwnersFile::new(files);
    let output = config.output;
    match command {
        cli::OwnersCommand::Add { name } => show(output, &name, &owners.add(&name).await?),
        cli::OwnersCommand::Renew { name } => show(output, &name, &owners.renew(&name).await?),
        cli::OwnersCommand::List => list(output, &owners).await,
        cli::OwnersCommand::Remove { name } => {
            owners.remove(&name).await?;
            if config.output.json {
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
fn show(output: OutputOptions, name: &str, token: &SecretString) -> Result<(), CommandError> {
    if output.json {
        return print_json(&json!({ "name": name, "token": token.expose_secret() }));
    }
    println!("{}", token.expose_secret());
    let how = "use it as DWELL_TOKEN or `Authorization: Bearer …`";
    output.remark(&format!("the token of {name}, shown only once; {how}"));
    Ok(())
}

async fn list(output: OutputOptions, owners: &OwnersFile) -> Result<(), CommandError> {
    let listed = owners.list().await?;
    if output.json {
        let others = listed.iter().map(
            |one| json!({ "name": one.name, "first": false, "added_at": one.added_at, "token_since": one.token_since }),
        );
        let all: Vec<_> =
            std::iter::once(json!({ "name": OwnersFile::first(), "first": true })).chain(others).collect();
        return print_json(&json!({ "data": all }));
    }
    println!("{}  (the first; the token is in the file `token`, in the database, or DWELL_TOKEN)", OwnersFile::first());
    for one in listed {
        println!("{}  since {}, token of {}", one.name, one.added_at, one.token_since);
    }
    Ok(())
}
