//! The content of a message: a single text, or a list of parts.

use protocol::Image;
use serde_json::{Value, json};

/// Reads the text and the images of a message.
pub(super) fn read(content: &Value) -> Result<(String, Vec<Image>), String> {
    match content {
        Value::Null => Ok((String::new(), Vec::new())),
        Value::String(text) => Ok((text.clone(), Vec::new())),
        Value::Array(parts) => {
            let (mut words, mut images) = (Vec::new(), Vec::new());
            for part in parts {
                read_part(part, &mut words, &mut images)?;
            }
            Ok((words.join("\n"), images))
        }
        _ => Err("`content` is a text or a list of parts".to_owned()),
    }
}

fn read_part(part: &Value, words: &mut Vec<String>, images: &mut Vec<Image>) -> Result<(), String> {
    if let Value::String(text) = part {
        words.push(text.clone());
        return Ok(());
    }
    let kind = part["type"].as_str().ok_or("a part of `content` has a `type`")?;
    match kind {
        "text" | "input_text" | "output_text" | "refusal" => {
            let text = part["text"].as_str().or_else(|| part["refusal"].as_str());
            words.push(text.ok_or_else(|| format!("a part of type `{kind}` has no text"))?.to_owned());
        }
        "image_url" | "image" | "input_image" => match picture(part) {
            Some(Ok(image)) => images.push(image),
            // An imported conversation triggers no downloads.
            Some(Err(url)) => words.push(format!("[picture: {url}]")),
            None => return Err(format!("a part of type `{kind}` has no readable image")),
        },
        // Reasoning is not imported, and calls are listed elsewhere.
        "thinking" | "redacted_thinking" | "reasoning" | "reasoning_content" | "tool_use" | "tool_call" => {}
        other => words.push(format!("[{}]", other.chars().take(40).collect::<String>())),
    }
    Ok(())
}

/// An image, or its URL.
fn picture(part: &Value) -> Option<Result<Image, String>> {
    let inline = |media_type: &Value, data: &Value| {
        Some(Image::Inline { media_type: media_type.as_str()?.to_owned(), data: data.as_str()?.to_owned() })
    };
    let source = &part["source"];
    let found = inline(&part["mime_type"], &part["base64"])
        .or_else(|| inline(&part["mime_type"], &part["data"]))
        .or_else(|| inline(&source["media_type"], &source["data"]));
    if let Some(image) = found {
        return Some(Ok(image));
    }
    let urls = [&part["image_url"]["url"], &part["image_url"], &part["url"], &source["url"]];
    let url = urls.into_iter().find_map(Value::as_str)?;
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    Some(match data {
        Some((media_type, data)) => Ok(Image::Inline { media_type: media_type.to_owned(), data: data.to_owned() }),
        None => Err(url.chars().take(2_000).collect()),
    })
}

/// Writes the content, as parts if there are images.
pub(super) fn write(text: &str, images: &[Image]) -> Value {
    if images.is_empty() {
        return json!(text);
    }
    let words = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
    let pictures = images.iter().map(|image| {
        let url = match image {
            Image::Inline { media_type, data } => format!("data:{media_type};base64,{data}"),
            Image::Url { url } => url.clone(),
        };
        json!({ "type": "image_url", "image_url": { "url": url } })
    });
    words.into_iter().chain(pictures).collect()
}
