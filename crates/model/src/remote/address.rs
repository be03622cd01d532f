//! URLs and headers of requests.

use super::ProviderClient;
use crate::ProviderKind;

const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The headers for the API key and the version of the API, and the trace that the request belongs
/// to.
pub(super) fn headers(at: &ProviderClient) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    let key = at.key();
    if !key.is_empty() {
        let (name, value) = match at.provider.kind {
            ProviderKind::OpenAi | ProviderKind::Ollama => ("authorization", format!("Bearer {key}")),
            ProviderKind::Azure { .. } => ("api-key", key.to_owned()),
            ProviderKind::Anthropic => ("x-api-key", key.to_owned()),
            ProviderKind::Gemini => ("x-goog-api-key", key.to_owned()),
        };
        headers.push((name.to_owned(), value));
    }
    if at.provider.kind == ProviderKind::Anthropic {
        headers.push(("anthropic-version".to_owned(), ANTHROPIC_VERSION.to_owned()));
    }
    headers.extend(observe::traceparent().map(|value| (observe::TRACEPARENT.to_owned(), value)));
    headers
}

/// The URL of a model.
pub(super) fn url(kind: &ProviderKind, base: &str, model: &str) -> String {
    match kind {
        ProviderKind::OpenAi | ProviderKind::Ollama => format!("{base}/chat/completions"),
        ProviderKind::Azure { api_version } => azure(base, model, api_version),
        ProviderKind::Anthropic => format!("{base}/messages"),
        ProviderKind::Gemini => format!("{base}/models/{model}:streamGenerateContent?alt=sse"),
    }
}

/// Azure's newer form is like OpenAI's own; the older one names the deployment in the path.
fn azure(base: &str, deployment: &str, api_version: &str) -> String {
    // The newer form refuses a date; the only version it knows by name is the preview.
    if base.ends_with("/openai/v1") {
        let version = if api_version == "preview" { "?api-version=preview" } else { "" };
        return format!("{base}/chat/completions{version}");
    }
    let version = if api_version.is_empty() { String::new() } else { format!("?api-version={api_version}") };
    let base = base.strip_suffix("/openai").unwrap_or(base);
    format!("{base}/openai/deployments/{deployment}/chat/completions{version}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn azure_takes_the_resource_in_three_forms() {
        let of = |base| url(&ProviderKind::Azure { api_version: "2024-10-21".to_owned() }, base, "my-gpt");
        let old = "https://r.openai.azure.com/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21";
        assert_eq!(of("https://r.openai.azure.com"), old);
        assert_eq!(of("https://r.openai.azure.com/openai"), old);
        let new = "https://r.openai.azure.com/openai/v1/chat/completions";
        assert_eq!(of("https://r.openai.azure.com/openai/v1"), new, "it refuses a date");
        let preview = url(&ProviderKind::Azure { api_version: "preview".to_owned() }, "https://r/openai/v1", "my-gpt");
        assert_eq!(preview, "https://r/openai/v1/chat/completions?api-version=preview");
    }
}
