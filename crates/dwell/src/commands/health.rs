//! `dwell health`: asks the running server whether it is ready. Containers and service managers run
//! it, so it needs no other program and waits only for a short time.

use std::time::Duration;

use crate::{command_error::CommandError, config::Config, print_json};

/// The server itself waits up to three seconds for its disk.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) async fn run(config: &Config) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    let Ok(answer) = tokio::time::timeout(PATIENCE, client.readiness()).await else {
        let text = format!("the server at {} does not answer within {} s", client.url(), PATIENCE.as_secs());
        return Err(CommandError::Unreachable(text));
    };
    let answer = answer?;
    if config.output.json {
        return print_json(&answer);
    }
    println!("ready: Dwell {} at {}", answer["version"].as_str().unwrap_or("of unknown version"), client.url());
    Ok(())
}
