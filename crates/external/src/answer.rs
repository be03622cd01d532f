//! The result of a call as a JSON value.

use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use crate::{link::ServerLink, schema::Schema};

/// The largest answer accepted.
const BYTES_MAX: usize = 4 * 1024 * 1024;
/// The number of characters kept of a server's error message.
const FAILURE_CHARS_MAX: usize = 4_000;

/// The value of a result: its structured content, else its text. The error says what is wrong with
/// the result, or which error the server reported.
pub(crate) fn value(link: &ServerLink, result: CallToolResult, schema: Option<&Schema>) -> Result<Value, String> {
    if result.is_error == Some(true) {
        let told = link.words(&in_words(&result.content), FAILURE_CHARS_MAX);
        return Err(if told.is_empty() { "it failed and does not say why".to_owned() } else { told });
    }
    if let Some(schema) = schema {
        let unfit = |problem: &str| {
            format!("it has run, but its answer does not match its own schema, so it is not shown: {problem}")
        };
        let structured = result.structured_content.as_ref();
        let structured = structured.ok_or_else(|| unfit("it has no structured content"))?;
        schema.validate(structured).map_err(|problem| unfit(&link.remark(&problem)))?;
    }
    let value = match result.structured_content {
        Some(value) => value,
        None => Value::String(in_words(&result.content)),
    };
    if size(&value) > BYTES_MAX {
        return Err("it has run, but its answer is larger than 4 MiB, so it is not shown".to_owned());
    }
    Ok(value)
}

fn size(value: &Value) -> usize {
    value.as_str().map_or_else(|| value.to_string().len(), str::len)
}

/// The text of a result; content that is not text is named by its kind.
fn in_words(content: &[ContentBlock]) -> String {
    let parts: Vec<String> = content.iter().map(part).collect();
    parts.join("\n")
}

fn part(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => not_shown("an image", Some(&image.mime_type), &image.data),
        ContentBlock::Audio(audio) => not_shown("a sound", Some(&audio.mime_type), &audio.data),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("[{uri}]\n{text}"),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                not_shown(&format!("the file {uri}"), mime_type.as_deref(), blob)
            }
            _ => "[unknown content]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[a link to {}: {}]", link.name, link.uri),
        _ => "[unknown content]".to_owned(),
    }
}

fn not_shown(what: &str, media_type: Option<&str>, base64: &str) -> String {
    let bytes = base64.len() / 4 * 3;
    format!("[{what} ({}, about {bytes} bytes) that cannot be shown here]", media_type.unwrap_or("of unknown kind"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tools::redaction::Redactor;

    use super::*;

    fn read(result: Value, schema: Option<Value>) -> Result<Value, String> {
        let link = ServerLink::new("files", Redactor::new(["the-secret-itself".to_owned().into()]));
        let schema = schema.map(|schema| Schema::new(&schema).unwrap());
        value(&link, serde_json::from_value(result).unwrap(), schema.as_ref())
    }

    #[test]
    fn what_is_structured_comes_first_and_words_are_joined() {
        let text = json!({ "type": "text", "text": "four" });
        assert_eq!(
            read(json!({ "content": [text], "structuredContent": { "n": 4 } }), None).unwrap(),
            json!({ "n": 4 })
        );
        let words = read(json!({ "content": [text, { "type": "text", "text": "or five" }] }), None).unwrap();
        assert_eq!(words, json!("four\nor five"));
        assert_eq!(read(json!({ "content": [] }), None).unwrap(), json!(""));
    }

    #[test]
    fn what_is_no_words_is_said_in_words() {
        let content = json!([
            { "type": "image", "data": "AAAABBBB", "mimeType": "image/png" },
            { "type": "resource", "resource": { "uri": "file:///a.txt", "text": "hello" } },
            { "type": "resource", "resource": { "uri": "file:///b.bin", "blob": "AAAA" } },
            { "type": "resource_link", "uri": "file:///c.txt", "name": "c" },
        ]);
        let expected = "[an image (image/png, about 6 bytes) that cannot be shown here]\n[file:///a.txt]\nhello\n\
                        [the file file:///b.bin (of unknown kind, about 3 bytes) that cannot be shown here]\n\
                        [a link to c: file:///c.txt]";
        assert_eq!(read(json!({ "content": content }), None).unwrap(), json!(expected));
    }

    #[test]
    fn a_failure_is_told_in_the_servers_words_without_secrets() {
        let content = json!([{ "type": "text", "text": "no such file; my key is the-secret-itself" }]);
        let told = read(json!({ "content": content, "isError": true }), None).unwrap_err();
        assert_eq!(told, "no such file; my key is [redacted]");
        assert!(read(json!({ "content": [], "isError": true }), None).unwrap_err().contains("does not say why"));
    }

    #[test]
    fn an_answer_that_breaks_its_own_promise_is_not_shown() {
        let schema = json!({ "type": "object", "required": ["n"] });
        let fits = json!({ "content": [], "structuredContent": { "n": 1 } });
        assert!(read(fits, Some(schema.clone())).is_ok());
        for broken in [json!({ "content": [] }), json!({ "content": [], "structuredContent": { "m": 1 } })] {
            let told = read(broken, Some(schema.clone())).unwrap_err();
            assert!(told.contains("it has run") && told.contains("its own schema"), "{told}");
        }
        let huge = json!({ "content": [{ "type": "text", "text": "x".repeat(BYTES_MAX + 1) }] });
        assert!(read(huge, None).unwrap_err().contains("larger than 4 MiB"));
    }
}
