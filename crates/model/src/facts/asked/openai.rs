//! OpenAI's wire: `/models` lists the models, and what else stands there tells which server it is.

use protocol::{ModelOverrides, ModelServerKind};
use serde_json::Value;

use super::{
    AskedModel, Told,
    http::{Failure, Question},
    llama_cpp, lm_studio, ollama, read,
};

/// Where servers of this wire tell how much a model reads.
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
/// Where they tell how much it writes.
const OUTPUT: [&str; 5] = [
    "/top_provider/max_completion_tokens",
    "/max_completion_tokens",
    "/max_output_tokens",
    "/max_output_length",
    "/limits/max_output_tokens",
];

pub(super) async fn ask(question: &Question<'_>) -> Result<Told, Failure> {
    let list = question.get(format!("{}/models", question.base())).await;
    let list = match list {
        // A server that is no server of this wire may still be one that is known.
        Err(Failure::Status(404 | 405)) if is_own(question.base()) => Value::Null,
        list => list?,
    };
    // Together lists without an object around.
    let entries = list["data"].as_array().or_else(|| list.as_array());
    let entries = entries.map(Vec::as_slice).unwrap_or_default();
    let mut models: Vec<AskedModel> = entries.iter().map(listed).collect();
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
    Ok(Told { server, models, is_whole: true })
}

/// Asks for what only one kind of server has.
async fn probed(question: &Question<'_>, mut models: Vec<AskedModel>) -> Told {
    if let Some(own) = lm_studio::ask(question).await {
        return Told { server: ModelServerKind::LmStudio, models: own, is_whole: true };
    }
    let server = if llama_cpp::ask_props(question, &mut models).await {
        ModelServerKind::LlamaCpp
    } else {
        ModelServerKind::Other
    };
    Told { server, models, is_whole: true }
}

/// Which server it is, by what it lists.
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

fn listed(entry: &Value) -> AskedModel {
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
    AskedModel { id, figures, changed: read::moment(&entry["created"]), is_other, ..AskedModel::default() }
}

/// Whether an address is on a machine or network of one's own: only there is it asked for pages it may not have.
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
