//! Ollama: `/api/tags` lists the models, `/api/show` describes each.

use futures::{StreamExt, stream};
use protocol::{ModelOverrides, ModelServerKind};
use serde_json::{Value, json};

use super::{
    DiscoveredModel, Discovery,
    http::{DiscoveryClient, DiscoveryFailure},
    read,
};

/// Concurrent requests for details.
const AT_ONCE: usize = 4;
/// Models whose details are requested; the figures of further ones are assumed or configured.
const SHOWN_MAX: usize = 200;

pub(super) async fn ask(question: &DiscoveryClient<'_>) -> Result<Discovery, DiscoveryFailure> {
    let list = question.get(format!("{}/api/tags", question.root())).await?;
    let entries = list["models"].as_array().ok_or(DiscoveryFailure::Unreadable)?;
    let mut models: Vec<DiscoveredModel> = entries.iter().map(listed).collect();
    // The newest first: they are the most likely to be used, and the first may become the default.
    models.sort_by(|one, other| other.changed.cmp(&one.changed).then_with(|| one.id.cmp(&other.id)));
    let questions: Vec<_> = models.iter().take(SHOWN_MAX).map(|model| show(question, model.id.clone())).collect();
    let shown: Vec<Option<Value>> = stream::iter(questions).buffered(AT_ONCE).collect().await;
    for (model, shown) in models.iter_mut().zip(shown) {
        if let Some(shown) = shown {
            detail(model, &shown);
        }
    }
    Ok(Discovery { server: ModelServerKind::Ollama, models, is_whole: true })
}

/// The details of one model, also for a server whose list came over OpenAI's API.
pub(super) async fn show(question: &DiscoveryClient<'_>, id: String) -> Option<Value> {
    question.post(format!("{}/api/show", question.root()), &json!({ "model": id })).await.ok()
}

fn listed(entry: &Value) -> DiscoveredModel {
    let id = read::text(entry, "/model");
    let id = if id.is_empty() { read::text(entry, "/name") } else { id };
    DiscoveredModel {
        // The default tag may be omitted.
        id: id.strip_suffix(":latest").unwrap_or(id).to_owned(),
        changed: read::moment(&entry["modified_at"]),
        ..DiscoveredModel::default()
    }
}

/// Reads `/api/show`. Older servers list no capabilities, but their templates show them.
pub(super) fn detail(model: &mut DiscoveredModel, shown: &Value) {
    let info = shown["model_info"].as_object();
    let length = info.and_then(|info| info.iter().find(|(key, _)| key.ends_with(".context_length")));
    model.takes = length.and_then(|(_, length)| length.as_u64()).filter(|length| *length > 0);
    let capable = |word: &str| read::has(shown, "/capabilities", word);
    let template = read::text(shown, "/template");
    let by_template = (!template.is_empty()).then(|| template.contains(".Tools"));
    model.figures = ModelOverrides {
        context_tokens: parameter(read::text(shown, "/parameters"), "num_ctx"),
        tools: capable("tools").or(by_template),
        images: capable("vision"),
        thinking: capable("thinking"),
        ..ModelOverrides::default()
    };
    model.is_other = capable("completion") == Some(false) && capable("embedding") == Some(true);
}

/// A number from the lines of a model's parameters.
fn parameter(parameters: &str, name: &str) -> Option<u64> {
    parameters.lines().find_map(|line| {
        let (key, value) = line.trim().split_once(char::is_whitespace)?;
        (key == name).then(|| value.trim().parse().ok())?
    })
}
