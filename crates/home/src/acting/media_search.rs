//! What is to be played, found by its words: players that can search turn "Kind of Blue" into an id
//! that they can play. Other players are given the words.

use serde_json::{Map, Value, json};

use super::call::CallInput;
use crate::{
    index::{EntitySnapshot, plain},
    port::{HomeError, HomePort, ServiceCall, ServiceDescription},
};

/// The feature of players that can search, since Home Assistant 2025.4.
const SEARCH_MEDIA: u64 = 1 << 22;
/// The type that says nothing about what is searched for.
const ANY_TYPE: &str = "music";

/// The data of a call with the id of what was found; `None` if there is nothing to search for, or
/// the player cannot search. The inner error says that nothing was found.
pub(super) async fn found(
    home: &dyn HomePort,
    services: &[ServiceDescription],
    input: &CallInput,
    meant: &[EntitySnapshot],
) -> Result<Option<Result<Map<String, Value>, String>>, HomeError> {
    let Some((player, words)) = searched(services, input, meant) else { return Ok(None) };
    let mut data = Map::from_iter([("search_query".to_owned(), json!(words))]);
    let kind = input.data.get("media_content_type").and_then(Value::as_str).filter(|kind| *kind != ANY_TYPE);
    if let Some(kind) = kind {
        data.insert("media_filter_classes".to_owned(), json!([kind]));
    }
    let call = ServiceCall {
        domain: "media_player".to_owned(),
        service: "search_media".to_owned(),
        entities: vec![player.entity.id.clone()],
        data,
        wants_response: true,
    };
    let response = home.call(&call).await?.unwrap_or_default();
    let hits = response[player.entity.id.as_str()]["result"].as_array().cloned().unwrap_or_default();
    let Some(hit) = best(&hits, words) else {
        return Ok(Some(Err(format!("{} finds nothing to play for “{words}”", player.entity.name))));
    };
    let mut data = input.data.clone();
    for field in ["media_content_id", "media_content_type"] {
        if let Some(value) = hit.get(field).filter(|value| value.is_string()) {
            data.insert(field.to_owned(), value.clone());
        }
    }
    Ok(Some(Ok(data)))
}

/// The one player, and the words to search for. An id or an address is not searched for.
fn searched<'a>(
    services: &[ServiceDescription],
    input: &'a CallInput,
    meant: &'a [EntitySnapshot],
) -> Option<(&'a EntitySnapshot, &'a str)> {
    let has_search = services.iter().any(|it| it.domain == "media_player" && it.name == "search_media");
    let is_play = input.domain == "media_player" && input.service == "play_media";
    let [player] = meant else { return None };
    let features = player.state.as_ref()?.attributes.get("supported_features")?.as_u64()?;
    let words = input.data.get("media_content_id")?.as_str()?.trim();
    let is_words = !words.is_empty() && !words.contains([':', '/']);
    (is_play && has_search && is_words && features & SEARCH_MEDIA != 0).then_some((player, words))
}

/// The best hit: one that is called like the words, else one whose title has them, else the first.
fn best<'a>(hits: &'a [Value], words: &str) -> Option<&'a Value> {
    let wanted = plain(words);
    let title = |hit: &Value| plain(hit["title"].as_str().unwrap_or_default());
    let is_playable = |hit: &&Value| hit["can_play"] != json!(false) && hit["media_content_id"].is_string();
    let playable: Vec<&Value> = hits.iter().filter(is_playable).collect();
    let exact = playable.iter().find(|hit| title(hit) == wanted);
    let part = || playable.iter().find(|hit| title(hit).contains(&wanted));
    exact.or_else(part).or_else(|| playable.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hit_with_the_title_wins() {
        let hit = |title: &str, id: &str| json!({"title": title, "media_content_id": id, "can_play": true});
        let hits = [
            json!({"title": "Thriller", "media_content_id": "folder", "can_play": false}),
            hit("Thriller Karaoke", "k"),
            hit("Thriller", "t"),
        ];
        assert_eq!(best(&hits, "thriller").unwrap()["media_content_id"], "t");
        assert_eq!(best(&hits, "karaoke").unwrap()["media_content_id"], "k");
        assert_eq!(best(&hits, "something").unwrap()["media_content_id"], "k");
        assert!(best(&hits[..1], "thriller").is_none() && best(&[], "thriller").is_none());
    }
}
