//! LM Studio: `/api/v0/models` lists each model with its type and how it is loaded.

use protocol::ModelOverrides;
use serde_json::Value;

use super::{DiscoveredModel, http::DiscoveryClient, read};

/// Its models; none if the server is another kind.
pub(super) async fn ask(question: &DiscoveryClient<'_>) -> Option<Vec<DiscoveredModel>> {
    let list = question.get(format!("{}/api/v0/models", question.root())).await.ok()?;
    Some(list["data"].as_array()?.iter().map(listed).collect())
}

fn listed(entry: &Value) -> DiscoveredModel {
    let kind = read::text(entry, "/type");
    let figures = ModelOverrides {
        context_tokens: read::tokens(entry, &["/loaded_context_length"]),
        tools: read::has(entry, "/capabilities", "tool_use"),
        images: (!kind.is_empty()).then_some(kind == "vlm"),
        ..ModelOverrides::default()
    };
    DiscoveredModel {
        id: read::text(entry, "/id").to_owned(),
        figures,
        takes: read::tokens(entry, &["/max_context_length"]),
        is_loaded: read::text(entry, "/state") == "loaded",
        is_other: kind == "embeddings",
        changed: String::new(),
    }
}
