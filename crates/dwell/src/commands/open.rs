//! `dwell open`: the page in the browser, by an invitation of the running server.

use protocol::Timestamp;
use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use crate::{browser, config::Config, failure::Failure, print_json};

/// What the server gives.
#[derive(Deserialize)]
struct Invitation {
    invitation: String,
    expires_at: Timestamp,
}

pub(crate) async fn run(config: &Config, is_print: bool, is_json: bool) -> Result<(), Failure> {
    let client = crate::client(config)?;
    let Invitation { invitation, expires_at } = client.call(Method::POST, "/invitations").await?;
    let link = browser::link(client.url(), &invitation);
    if !is_print {
        let hint = "`dwell open --print` shows the link, for a browser that you start yourself";
        browser::open(link.clone()).await.map_err(|error| error.context(hint))?;
    }
    if is_json {
        return print_json(&json!({ "url": link, "expires_at": expires_at, "opened": !is_print }));
    }
    if is_print {
        // The link is all that goes to standard output, so that it can be handed on.
        println!("{link}");
        eprintln!("good once, and until {expires_at}");
    } else {
        println!("opened {}/ in the browser", client.url());
    }
    Ok(())
}
