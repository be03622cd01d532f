//! Forgetting, after confirmation.

use std::io::IsTerminal;

use protocol::{ForgetResult, MemoryForget};
use reqwest::Method;
use serde_json::json;

use super::{super::confirm::confirm, read_id};
use crate::{client::Client, command_error::CommandError};

/// What to forget.
pub(super) fn what(ids: &[String], key: Option<String>, text: Option<String>) -> Result<MemoryForget, CommandError> {
    let ids = ids.iter().map(|id| read_id(id)).collect::<Result<Vec<_>, _>>()?;
    Ok(MemoryForget { ids, key, text, memory_id: None, vault_id: None })
}

pub(super) async fn forget(client: &Client, asked: &MemoryForget, yes: bool) -> Result<(), CommandError> {
    if !yes && std::io::stdin().is_terminal() && !confirm(&question(asked))? {
        client.output.say("nothing was forgotten");
        return Ok(());
    }
    let gone: ForgetResult = client.call_with(Method::POST, "/memories/forget", &json!(asked)).await?;
    let words = format!(
        "forgotten: {} items, text in {} records of {} sessions, {} artifacts",
        gone.items.len(),
        gone.records,
        gone.sessions.len(),
        gone.artifacts
    );
    client.output.done(&gone, &words)
}

fn question(asked: &MemoryForget) -> String {
    let ids = match asked.ids.len() {
        0 => None,
        1 => asked.ids.first().map(|id| format!("item {id}")),
        count => Some(format!("{count} items")),
    };
    let key = asked.key.as_ref().map(|key| format!("everything under `{key}`"));
    let text = asked.text.as_ref().map(|text| format!("the text `{text}`, wherever it occurs"));
    let all: Vec<String> = ids.into_iter().chain(key).chain(text).collect();
    format!("forget {}? [y/N] ", all.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_names_all_that_goes() {
        let asked = what(&[], Some("diet".to_owned()), Some("the attic".to_owned())).unwrap();
        let expected = "forget everything under `diet` and the text `the attic`, wherever it occurs? [y/N] ";
        assert_eq!(question(&asked), expected);
        let two = ["01ARZ3NDEKTSV4RRFFQ69G5FAV".to_owned(), "01ARZ3NDEKTSV4RRFFQ69G5FAW".to_owned()];
        assert_eq!(question(&what(&two, None, None).unwrap()), "forget 2 items? [y/N] ");
        assert!(what(&["nonsense".to_owned()], None, None).is_err());
    }
}
