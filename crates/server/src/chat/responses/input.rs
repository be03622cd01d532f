//! The input of a response as a conversation. References to items are resolved from the journal.

use engine::{Error, Hub};
use protocol::{Code, OwnerId, Problem};
use serde_json::{Map, Value, json};

use super::{
    super::{
        message::{ChatHistory, Message},
        tools::refused,
    },
    ids::ItemId,
    object::{call_item, output_text},
    parts::TurnParts,
    request::{CreateResponse, ResponseInput},
};

type Item = Map<String, Value>;

/// Reads the instructions and the input of a request.
pub(super) async fn read(hub: &Hub, owner: &OwnerId, asked: &CreateResponse) -> Result<ChatHistory, Problem> {
    let mut messages: Vec<Message> = Vec::new();
    messages.extend(asked.instructions.clone().map(|text| Message::with_urls("system", text, Vec::new())));
    match &asked.input {
        None => return Err(refused("`input` is missing".to_owned())),
        Some(ResponseInput::Text(text)) => messages.push(Message::with_urls("user", text.clone(), Vec::new())),
        Some(ResponseInput::Items(items)) => {
            let mut resolved = Vec::with_capacity(items.len());
            for item in items {
                resolved.extend(resolve(hub, owner, item).await?);
            }
            messages.extend(read_items(&resolved)?);
        }
    }
    ChatHistory::read(messages)
}

/// An item itself, or the one that it refers to.
async fn resolve(hub: &Hub, owner: &OwnerId, item: &Item) -> Result<Option<Item>, Problem> {
    // Some clients leave out the type of a reference.
    let is_reference = kind(item) == "item_reference" || item.keys().eq(["id"]);
    if !is_reference {
        return Ok(Some(item.clone()));
    }
    let name = item.get("id").and_then(Value::as_str).unwrap_or_default();
    // Reasoning is not kept, and adds nothing to a conversation that the journal has.
    if name.starts_with("rs_") {
        return Ok(None);
    }
    let missing = || {
        let message = format!("`input` refers to the item `{name}`, which does not exist");
        Problem::new(Code::NotFound, message, "Send the item itself.")
    };
    let id = ItemId::read(name).ok_or_else(missing)?;
    let turn = match TurnParts::read(hub, owner, id.turn_id()).await {
        Err(Error::NoTurn) => return Err(missing()),
        turn => turn?,
    };
    let found = item_of(&turn, id).ok_or_else(missing)?;
    Ok(found.as_object().cloned())
}

/// The item with an id.
fn item_of(turn: &TurnParts, id: ItemId) -> Option<Value> {
    match id {
        ItemId::Message(response) => {
            let (part, _) = turn.find(response)?;
            Some(json!({ "type": "message", "role": "assistant", "content": [output_text(&part.text, &[])] }))
        }
        ItemId::Input(response, index) => {
            let message = turn.find(response)?.0.messages.get(index)?;
            Some(json!({ "type": "message", "role": "user", "content": message.message }))
        }
        ItemId::Call(turn_id, place) => {
            turn.call(&format!("call_{turn_id}_{place}")).map(|call| call_item(call, "completed"))
        }
        ItemId::CallOutput(turn_id, place) => {
            let call_id = format!("call_{turn_id}_{place}");
            let output = turn.result(&call_id)?;
            Some(json!({ "type": "function_call_output", "call_id": call_id, "output": output }))
        }
    }
}

fn kind(item: &Item) -> &str {
    // A message may be written without its type.
    item.get("type").and_then(Value::as_str).unwrap_or("message")
}

/// Calls and their outputs that follow each other: clients send them in any order.
#[derive(Default)]
struct CallRun {
    tools: Vec<String>,
    outputs: Vec<Message>,
}

impl CallRun {
    fn end(&mut self, messages: &mut Vec<Message>) {
        let Self { mut tools, outputs } = std::mem::take(self);
        if tools.is_empty() && outputs.is_empty() {
            return;
        }
        if tools.is_empty() {
            // The calls are in the previous response; the outputs name them by their ids.
            tools.push(String::new());
        }
        messages.push(Message::of_assistant(String::new(), tools));
        messages.extend(outputs);
    }
}

/// The messages of items.
pub(super) fn read_items(items: &[Item]) -> Result<Vec<Message>, Problem> {
    let (mut messages, mut run) = (Vec::new(), CallRun::default());
    for item in items {
        match kind(item) {
            "message" => {
                run.end(&mut messages);
                messages.push(message(item)?);
            }
            "function_call" => run.tools.push(text_of(item, "name")?),
            "function_call_output" => {
                let (text, images) = content(item.get("output"), "output")?;
                if !images.is_empty() {
                    return Err(refused("images in a `function_call_output` of `input` are not supported".to_owned()));
                }
                run.outputs.push(Message::of_result(text_of(item, "call_id")?, text, false));
            }
            "reasoning" => {}
            other => return Err(refused(format!("items of the type `{other}` in `input` are not supported"))),
        }
    }
    run.end(&mut messages);
    Ok(messages)
}

fn message(item: &Item) -> Result<Message, Problem> {
    let role = text_of(item, "role")?;
    if !["user", "assistant", "system", "developer"].contains(&role.as_str()) {
        return Err(refused(format!("messages with the role `{role}` in `input` are not supported")));
    }
    let (text, images) = content(item.get("content"), "content")?;
    Ok(Message::with_urls(&role, text, images))
}

fn text_of(item: &Item, field: &str) -> Result<String, Problem> {
    let text = item.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    let missing = || refused(format!("an item of the type `{}` in `input` has no `{field}`", kind(item)));
    text.map(str::to_owned).ok_or_else(missing)
}

/// The text of a content, and the URLs of its images.
fn content(content: Option<&Value>, field: &str) -> Result<(String, Vec<String>), Problem> {
    let parts = match content {
        None | Some(Value::Null) => return Ok((String::new(), Vec::new())),
        Some(Value::String(text)) => return Ok((text.clone(), Vec::new())),
        Some(Value::Array(parts)) => parts,
        Some(_) => return Err(refused(format!("`{field}` in `input` must be a text or a list of parts"))),
    };
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for part in parts {
        match part["type"].as_str() {
            Some("input_text" | "output_text" | "text") => texts.push(part["text"].as_str().unwrap_or_default()),
            Some("refusal") => texts.push(part["refusal"].as_str().unwrap_or_default()),
            Some("input_image") => match part["image_url"].as_str() {
                Some(url) => images.push(url.to_owned()),
                None => return Err(refused("an `input_image` in `input` needs an `image_url`".to_owned())),
            },
            other => {
                let kind = other.unwrap_or("unknown");
                return Err(refused(format!("parts of the type `{kind}` in `input` are not supported")));
            }
        }
    }
    Ok((texts.join("\n"), images))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(items: Value) -> Result<ChatHistory, Problem> {
        let items: Vec<Item> = serde_json::from_value(items).unwrap();
        ChatHistory::read(read_items(&items)?)
    }

    #[test]
    fn messages_are_read_with_and_without_their_type() {
        let history = history(json!([
            { "role": "developer", "content": "Be brief." },
            { "role": "user", "content": "one" },
            { "type": "reasoning", "id": "rs_1", "summary": [] },
            { "type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
              "content": [{ "type": "output_text", "text": "You said one", "annotations": [] }] },
            { "role": "user", "content": [{ "type": "input_text", "text": "two" },
              { "type": "input_image", "image_url": "https://a.example/b.png", "detail": "auto" }] },
        ]))
        .unwrap();
        assert_eq!(history.instructions.as_deref(), Some("Be brief."));
        assert_eq!((history.message.as_str(), history.images.len(), history.earlier.len()), ("two", 1, 2));
    }

    #[test]
    fn outputs_belong_to_calls_before_or_between_them_or_of_the_previous_response() {
        let call = |id: &str| json!({ "type": "function_call", "call_id": id, "name": "get", "arguments": "{}" });
        let output = |id: &str| json!({ "type": "function_call_output", "call_id": id, "output": id });
        let user = json!({ "role": "user", "content": "hi" });
        for items in [
            json!([user, call("a"), call("b"), output("a"), output("b")]),
            json!([user, call("a"), output("a"), call("b"), output("b")]),
            json!([output("a"), output("b")]),
        ] {
            let history = history(items).unwrap();
            let names: Vec<&str> = history.results.iter().filter_map(|result| result.name.as_deref()).collect();
            assert_eq!((names, history.message.as_str()), (vec!["a", "b"], ""));
        }
        let answered = json!({ "role": "assistant", "content": "done" });
        let over = history(json!([user, call("a"), output("a"), answered, { "role": "user", "content": "more" }]));
        assert_eq!(over.unwrap().results, []);
    }

    #[test]
    fn what_cannot_be_read_is_refused_by_name() {
        for (name, items) in [
            ("input_file", json!([{ "role": "user", "content": [{ "type": "input_file", "file_id": "f" }] }])),
            ("image_url", json!([{ "role": "user", "content": [{ "type": "input_image", "file_id": "f" }] }])),
            ("computer_call", json!([{ "type": "computer_call" }])),
            ("call_id", json!([{ "type": "function_call_output", "output": "x" }])),
            ("critic", json!([{ "role": "critic", "content": "x" }])),
        ] {
            let problem = history(items).unwrap_err();
            assert!(problem.message.contains(&format!("`{name}`")), "{problem}");
        }
    }
}
