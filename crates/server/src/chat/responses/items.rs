//! Items of responses and conversations as lists.

use protocol::{Image, Problem, Request};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    super::{calls, tools::refused},
    ids::{ItemId, ResponseId},
    object::{call_item, message_item, output_text},
    parts::{TurnPart, TurnParts},
};

/// Default and maximum number of items on a page.
const ITEMS_DEFAULT: usize = 20;
const ITEMS_MAX: usize = 100;

/// Which items. Newest first is the default of this API.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct ItemQuery {
    #[serde(default)]
    after: Option<String>,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    order: Option<String>,
}

impl ItemQuery {
    /// Whether the oldest items come first.
    pub(super) fn is_oldest_first(&self) -> Result<bool, Problem> {
        match self.order.as_deref() {
            None | Some("desc") => Ok(false),
            Some("asc") => Ok(true),
            Some(_) => Err(refused("`order` must be `asc` or `desc`".to_owned())),
        }
    }
}

/// The items that a response began with: outputs of the client's functions, and messages.
pub(super) fn input_of(id: ResponseId, part: &TurnPart) -> Vec<Value> {
    let outputs = part.results.iter().map(|(call_id, output)| {
        let item_id = calls::read(call_id).map(|(turn_id, place)| ItemId::CallOutput(turn_id, place).to_string());
        json!({
            "type": "function_call_output", "id": item_id, "call_id": call_id, "output": output, "status": "completed",
        })
    });
    let messages = part.messages.iter().enumerate().map(|(index, request)| message(id, index, request));
    outputs.chain(messages).collect()
}

fn message(id: ResponseId, index: usize, request: &Request) -> Value {
    let text = json!({ "type": "input_text", "text": request.message });
    let images = request.images.iter().map(|image| {
        let url = match image {
            Image::Url { url } => url.clone(),
            Image::Inline { media_type, data } => format!("data:{media_type};base64,{data}"),
        };
        json!({ "type": "input_image", "image_url": url, "detail": "auto", "file_id": null })
    });
    let content: Vec<Value> = [text].into_iter().chain(images).collect();
    json!({
        "type": "message", "id": ItemId::Input(id, index).to_string(), "role": "user", "status": "completed",
        "content": content,
    })
}

/// All items of a turn, oldest first.
pub(super) fn all_of(turn: &TurnParts) -> Vec<Value> {
    let items = turn.parts.iter().flat_map(|part| {
        let id = ResponseId { turn_id: turn.turn.turn_id, part: part.part };
        let status = if turn.turn.status.is_final() || !part.calls.is_empty() { "completed" } else { "in_progress" };
        let text = (!part.text.is_empty()).then(|| message_item(id, status, vec![output_text(&part.text, &[])]));
        let calls = part.calls.iter().map(|call| call_item(call, "completed"));
        input_of(id, part).into_iter().chain(text).chain(calls).collect::<Vec<Value>>()
    });
    items.collect()
}

/// A page of items, which are given oldest first, and whether there are more.
pub(super) fn page(mut items: Vec<Value>, query: &ItemQuery) -> Result<(Vec<Value>, bool), Problem> {
    if !query.is_oldest_first()? {
        items.reverse();
    }
    if let Some(after) = &query.after {
        let Some(place) = items.iter().position(|item| item["id"] == after.as_str()) else {
            return Err(refused(format!("`after` names the item `{after}`, which is not in the list")));
        };
        items.drain(..=place);
    }
    let limit = query.limit.unwrap_or(ITEMS_DEFAULT).clamp(1, ITEMS_MAX);
    let has_more = items.len() > limit;
    items.truncate(limit);
    Ok((items, has_more))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_follows_an_item_in_either_order() {
        let items = || (0..5).map(|index| json!({ "id": format!("i{index}") })).collect::<Vec<Value>>();
        let read = |after: Option<&str>, limit: Option<usize>, order: Option<&str>| {
            let query = ItemQuery { after: after.map(str::to_owned), limit, order: order.map(str::to_owned) };
            page(items(), &query).map(|(items, has_more)| {
                let ids: Vec<String> = items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
                (ids.join(" "), has_more)
            })
        };
        assert_eq!(read(None, None, None).unwrap(), ("i4 i3 i2 i1 i0".to_owned(), false));
        assert_eq!(read(Some("i1"), Some(2), Some("asc")).unwrap(), ("i2 i3".to_owned(), true));
        assert_eq!(read(Some("i0"), None, None).unwrap(), (String::new(), false));
        assert!(read(Some("other"), None, None).unwrap_err().message.contains("`after`"));
        assert!(read(None, None, Some("newest")).unwrap_err().message.contains("`order`"));
    }
}
