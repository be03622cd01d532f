//! `dwell tokens`: makes, lists and revokes scoped tokens.

use protocol::{IssuedToken, TokenPage, TokenView};
use reqwest::Method;
use serde_json::json;

use crate::{cli::TokensCommand, client::Client, command_error::CommandError, config::Config, print_json};

pub(crate) async fn run(config: &Config, command: TokensCommand) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    match command {
        TokensCommand::Create { name, scope, days, owner } => {
            let asked = json!({ "name": name, "scope": scope, "expires_in_days": days, "owner": owner });
            let made: IssuedToken = client.call_with(Method::POST, "/tokens", &asked).await?;
            if config.output.json {
                return print_json(&made);
            }
            // Only the token goes to standard output, so that scripts can use it.
            println!("{}", made.token);
            let view = &made.view;
            let words = format!("a token of {} that may {}{}, shown only once", view.owner, view.scope, end(view));
            client.output.remark(&words);
            Ok(())
        }
        TokensCommand::List => {
            let page: TokenPage = client.get("/tokens").await?;
            if config.output.json {
                return print_json(&page);
            }
            page.data.iter().for_each(print);
            Ok(())
        }
        TokensCommand::Revoke { token } => {
            let id = find(&client, &token).await?.token_id;
            let revoked: TokenView = client.call(Method::DELETE, &format!("/tokens/{id}")).await?;
            client.output.done(&revoked, &format!("revoked {}", revoked.name))
        }
    }
}

fn print(view: &TokenView) {
    let TokenView { token_id, name, owner, scope, last_used_at, .. } = view;
    let used = last_used_at.map_or_else(|| "never used".to_owned(), |at| format!("last used {at}"));
    println!("{token_id}  {:5}  {owner}  {name}{}, {used}", scope.name(), end(view));
}

fn end(view: &TokenView) -> String {
    view.expires_at.map(|end| format!(", until {end}")).unwrap_or_default()
}

/// The token with this id, or the only one with this name.
async fn find(client: &Client, asked: &str) -> Result<TokenView, CommandError> {
    let page: TokenPage = client.get("/tokens").await?;
    if let Some(view) = page.data.iter().find(|view| view.token_id.to_string() == asked) {
        return Ok(view.clone());
    }
    let named: Vec<&TokenView> = page.data.iter().filter(|view| view.name == asked).collect();
    match named[..] {
        [view] => Ok(view.clone()),
        [] => Err(CommandError::Usage(format!("there is no token `{asked}`; `dwell tokens list` shows them"))),
        _ => Err(CommandError::Usage(format!("{} tokens are called `{asked}`; use the id of one", named.len()))),
    }
}
