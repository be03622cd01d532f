//! Anthropic's and Gemini's lists of models.

use protocol::{ModelOverrides, ModelServerKind};

use super::{
    DiscoveredModel, Discovery,
    http::{DiscoveryClient, DiscoveryFailure},
    read,
};

/// Anthropic's list has names and dates.
pub(super) async fn ask_anthropic(question: &DiscoveryClient<'_>) -> Result<Discovery, DiscoveryFailure> {
    let list = question.get(format!("{}/models?limit=1000", question.base())).await?;
    let entries = list["data"].as_array().ok_or(DiscoveryFailure::Unreadable)?;
    let models = entries.iter().map(|entry| DiscoveredModel {
        id: read::text(entry, "/id").to_owned(),
        changed: read::moment(&entry["created_at"]),
        figures: ModelOverrides {
            context_tokens: read::tokens(entry, &["/max_input_tokens", "/context_window"]),
            output_tokens: read::tokens(entry, &["/max_tokens", "/max_output_tokens"]),
            ..ModelOverrides::default()
        },
        ..DiscoveredModel::default()
    });
    let is_whole = list["has_more"] != true;
    Ok(Discovery { server: ModelServerKind::Anthropic, models: models.collect(), is_whole })
}

/// Gemini's list has names, limits, and the purpose of each model.
pub(super) async fn ask_gemini(question: &DiscoveryClient<'_>) -> Result<Discovery, DiscoveryFailure> {
    let list = question.get(format!("{}/models?pageSize=1000", question.base())).await?;
    let entries = list["models"].as_array().ok_or(DiscoveryFailure::Unreadable)?;
    let models = entries.iter().map(|entry| {
        let name = read::text(entry, "/name");
        let id = name.strip_prefix("models/").unwrap_or(name);
        let generates = read::has(entry, "/supportedGenerationMethods", "generateContent");
        DiscoveredModel {
            id: id.to_owned(),
            figures: ModelOverrides {
                context_tokens: read::tokens(entry, &["/inputTokenLimit"]),
                output_tokens: read::tokens(entry, &["/outputTokenLimit"]),
                thinking: entry["thinking"].as_bool(),
                ..ModelOverrides::default()
            },
            changed: read::text(entry, "/version").to_owned(),
            is_other: generates == Some(false) || read::is_other(id),
            ..DiscoveredModel::default()
        }
    });
    let is_whole = list["nextPageToken"].as_str().unwrap_or_default().is_empty();
    Ok(Discovery { server: ModelServerKind::Gemini, models: models.collect(), is_whole })
}
