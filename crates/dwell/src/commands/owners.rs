//! `dwell owners`: who may come in beside the first owner. A running server takes note at once.

use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use crate::{cli, config::Config, failure::Failure, print_json, serve::Owners};

pub(crate) fn run(config: &Config, command: cli::Owners, is_json: bool) -> Result<(), Failure> {
    let owners = Owners::of(config);
    match command {
        cli::Owners::Add { name } => show(&name, &owners.add(&name)?, is_json),
        cli::Owners::Renew { name } => show(&name, &owners.renew(&name)?, is_json),
        cli::Owners::List => list(&owners, is_json),
        cli::Owners::Remove { name } => {
            owners.remove(&name)?;
            if is_json {
                return print_json(&json!({ "removed": name }));
            }
            println!("removed {name}: the token is worth nothing any more");
            println!(
                "what {name} has said and what is remembered of it stays, and is theirs again if they are added under \
                 this name; to have it erased, use `dwell memory forget` with a token of theirs"
            );
            Ok(())
        }
    }
}

/// The token is all that goes to standard output, so that it can be handed on.
fn show(name: &str, token: &SecretString, is_json: bool) -> Result<(), Failure> {
    if is_json {
        return print_json(&json!({ "name": name, "token": token.expose_secret() }));
    }
    println!("{}", token.expose_secret());
    eprintln!("the token of {name}, shown this once; it goes into DWELL_TOKEN, or `Authorization: Bearer …`");
    Ok(())
}

fn list(owners: &Owners, is_json: bool) -> Result<(), Failure> {
    let listed = owners.list()?;
    if is_json {
        let others = listed.iter().map(
            |one| json!({ "name": one.name, "first": false, "added_at": one.added_at, "token_since": one.token_since }),
        );
        let all: Vec<_> = std::iter::once(json!({ "name": Owners::first(), "first": true })).chain(others).collect();
        return print_json(&json!({ "data": all }));
    }
    println!("{}  (the first; the token is in the file `token`, or DWELL_TOKEN)", Owners::first());
    for one in listed {
        println!("{}  since {}, token of {}", one.name, one.added_at, one.token_since);
    }
    Ok(())
}
