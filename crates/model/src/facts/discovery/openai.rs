//! OpenAI's API: `/models` lists the models; its other fields show which server it is.

use protocol::{ModelOverrides, ModelServerKind};
use serde_json::Value;

use super::{
    DiscoveredModel, Discovery,
    http::{DiscoveryClient, DiscoveryFailure},
    llama_cpp, lm_studio, ollama, read,
};

/// Fields in which servers of this API give the context window.
const WINDOW: [&str; 8] = [
    // vLLM.
    "/max_model_len",
    // OpenRouter, Together.
    "/context_length",
    "/top_provider/context_length",
    // Groq, Mistral.
    "/context_window",
    "/max_context_length",
    "/max_context_window_tokens",
    "/limits/max_context_window_tokens",
    "/max_input_tokens",
];
/// Fields in which they give the output limit.
const OUTPUT: [&str; 5] = [
    "/top_provider/max_completion_tokens",
    "/max_completion_tokens",
    "/max_output_tokens",
    "/max_output_length",
    "/limits/max_output_tokens",
];

pub(super) async fn ask(question: &DiscoveryClient<'_>) -> Result<Discovery, DiscoveryFailure> {
    let list = question.get(format!("{}/models", question.base())).await;
    let list = match list {
        // A server without this route may still be a known one.
        Err(DiscoveryFailure::Status(404 | 405)) if is_own(question.base()) => Value::Null,
        list => list?,
    };
    // Together returns a bare list.
    let entries = list["data"].as_array().or_else(|| list.as_array());
    let entries = entries.map(Vec::as_slice).unwrap_or_default();
    let mut models: Vec<DiscoveredModel> = entries.iter().map(listed).collect();
    let server = recognised(question.base(), entries);
    match server {
        ModelServerKind::LlamaCpp => llama_cpp::ask(question, &mut models).await,
        ModelServerKind::Ollama => {
            for model in &mut models {
                if let Some(shown) = ollama::show(question, model.id.clone()).await {
                    ollama::detail(model, &shown);
                }
            }
        }
        ModelServerKind::Other | ModelServerKind::LmStudio if is_own(question.base()) => {
            return Ok(probed(question, models).await);
        }
        _ => {}
    }
    Ok(Discovery { server, models, is_whole: true })
}

/// Probes routes that only one kind of server has.
async fn probed(question: &DiscoveryClient<'_>, mut models: Vec<DiscoveredModel>) -> Discovery {
    if let Some(own) = lm_studio::ask(question).await {
        return Discovery { server: ModelServerKind::LmStudio, models: own, is_whole: true };
    }
    let server = if llama_cpp::ask_props(question, &mut models).await {
        ModelServerKind::LlamaCpp
    } else {
        ModelServerKind::Other
    };
    Discovery { server, models, is_whole: true }
}

/// The kind of server, recognised by its list.
fn recognised(base: &str, entries: &[Value]) -> ModelServerKind {
    let owned_by = |owner: &str| entries.iter().any(|entry| read::text(entry, "/owned_by").eq_ignore_ascii_case(owner));
    if base.contains("//api.openai.com") {
        ModelServerKind::OpenAi
    } else if base.contains("//openrouter.ai") || entries.iter().any(|entry| entry["top_provider"].is_object()) {
        ModelServerKind::OpenRouter
    } else if owned_by("llamacpp") || entries.iter().any(|entry| entry["meta"]["n_ctx_train"].is_u64()) {
        ModelServerKind::LlamaCpp
    } else if owned_by("vllm") || entries.iter().any(|entry| entry["max_model_len"].is_u64()) {
        ModelServerKind::Vllm
    } else if owned_by("library") {
        ModelServerKind::Ollama
    } else if owned_by("organization_owner") {
        ModelServerKind::LmStudio
    } else {
        ModelServerKind::Other
    }
}

fn listed(entry: &Value) -> DiscoveredModel {
    let id = read::text(entry, "/id").to_owned();
    let supports = |word: &str| read::has(entry, "/supported_parameters", word);
    let images = read::has(entry, "/architecture/input_modalities", "image")
        .or_else(|| entry.pointer("/capabilities/vision").and_then(Value::as_bool));
    let figures = ModelOverrides {
        context_tokens: read::tokens(entry, &WINDOW),
        output_tokens: read::tokens(entry, &OUTPUT),
        tools: supports("tools").or_else(|| entry.pointer("/capabilities/function_calling").and_then(Value::as_bool)),
        images,
        thinking: supports("reasoning"),
        price_in: read::dollars(entry, "/pricing/prompt"),
        price_out: read::dollars(entry, "/pricing/completion"),
        price_cached: read::dollars(entry, "/pricing/input_cache_read"),
    };
    let answers_in_words = read::has(entry, "/architecture/output_modalities", "text");
    let is_other = answers_in_words == Some(false) || (answers_in_words.is_none() && read::is_other(&id));
    DiscoveredModel { id, figures, changed: read::moment(&entry["created"]), is_other, ..DiscoveredModel::default() }
}

/// Whether an address is local or private: only there are routes probed that may not exist.
fn is_own(base: &str) -> bool {
    let Some(url) = reqwest::Url::parse(base).ok() else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    match host.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Ok(std::net::IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        Err(_) => !host.contains('.') || [".local", ".lan", ".internal", ".home"].iter().any(|end| host.ends_with(end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_servers_of_ones_own_are_probed() {
        for (base, expected) in [
            ("http://127.0.0.1:8080/v1", true),
            ("http://[::1]:8080/v1", true),
            ("http://gpu:8000/v1", true),
            ("http://gpu.lan/v1", true),
            ("http://192.168.1.9:1234/v1", true),
            ("https://api.openai.com/v1", false),
            ("https://8.8.8.8/v1", false),
        ] {
            assert_eq!(is_own(base), expected, "{base}");
        }
    }
}
