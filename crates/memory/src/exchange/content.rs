//! The text of a message, whatever parts it has.

use serde_json::Value;

/// The text of a message's content: text parts as they are, other parts by name.
pub(super) fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let words: Vec<String> = parts.iter().map(part).filter(|text| !text.trim().is_empty()).collect();
            words.join("\n")
        }
        Value::Object(_) => part(content),
        Value::Number(number) => number.to_string(),
        Value::Bool(_) | Value::Null => String::new(),
    }
}

fn part(part: &Value) -> String {
    let text = |key: &str| part.get(key).and_then(Value::as_str);
    if let Value::String(text) = part {
        return text.clone();
    }
    let kind = text("type").unwrap_or(if text("text").is_some() { "text" } else { "part" });
    match kind {
        "text" | "input_text" | "output_text" | "text_delta" | "plaintext" | "text-plain" => {
            text("text").unwrap_or_default().to_owned()
        }
        "refusal" => text("refusal").unwrap_or_default().to_owned(),
        "tool_use" | "server_tool_use" | "tool_call" | "function_call" => {
            let arguments = ["input", "args", "arguments"].iter().find_map(|key| part.get(key));
            call(text("name").unwrap_or("tool"), arguments)
        }
        "tool_result" => part.get("content").map(words).unwrap_or_default(),
        "image_url" | "image" | "input_image" => "[image]".to_owned(),
        "input_audio" | "audio" => "[audio]".to_owned(),
        "file" | "input_file" | "document" => "[file]".to_owned(),
        other => format!("[{}]", other.chars().take(40).collect::<String>()),
    }
}

/// The notation of a call within the text: `[calls name({"city":"Bonn"})]`.
pub(super) fn call(name: &str, arguments: Option<&Value>) -> String {
    let arguments = match arguments {
        // OpenAI writes arguments as JSON in a string.
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone())),
        Some(other) => other.clone(),
        None => Value::Object(serde_json::Map::new()),
    };
    format!("[calls {name}({arguments})]")
}

/// Splits a text into the part before the calls noted at its end, and those calls.
pub(super) fn split_calls(words: &str) -> (&str, Vec<(&str, Value)>) {
    let mut calls = Vec::new();
    let mut rest = words;
    loop {
        let (before, line) = rest.rsplit_once('\n').unwrap_or(("", rest));
        let Some(call) = noted(line) else { break };
        calls.insert(0, call);
        rest = before;
    }
    (rest, calls)
}

fn noted(line: &str) -> Option<(&str, Value)> {
    let (name, arguments) = line.strip_prefix("[calls ")?.strip_suffix(")]")?.split_once('(')?;
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    serde_json::from_str(arguments).ok().filter(|_| is_name).map(|arguments| (name, arguments))
}
