//! `dwell open`: opens the page in the browser, with an invitation from the running server.

use protocol::Timestamp;
use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use crate::{browser, command_error::CommandError, config::Config, print_json};

/// The server's answer.
#[derive(Deserialize)]
struct Invitation {
    invitation: String,
    expires_at: Timestamp,
}

pub(crate) async fn run(config: &Config, is_print: bool) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    let Invitation { invitation, expires_at } = client.call(Method::POST, "/invitations").await?;
    let link = browser::link(client.url(), &invitation);
    if !is_print {
        let hint = "`dwell open --print` prints the link for any browser";
        browser::open(link.clone()).await.map_err(|error| error.context(hint))?;
    }
    if config.output.json {
        return print_json(&json!({ "url": link, "expires_at": expires_at, "opened": !is_print }));
    }
    if is_print {
        // Only the link goes to standard output, so that scripts can use it.
        println!("{link}");
        client.output.remark(&format!("works once, until {expires_at}"));
    } else {
        client.output.say(&format!("opened {}/ in the browser", client.url()));
    }
    Ok(())
}
