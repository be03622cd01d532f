//! llama.cpp's server: `/props` returns its settings.

use serde_json::Value;

use super::{DiscoveredModel, http::DiscoveryClient, read};

/// Adds the server's settings to the models it lists.
pub(super) async fn ask(question: &DiscoveryClient<'_>, models: &mut [DiscoveredModel]) {
    if let Ok(props) = question.get(format!("{}/props", question.root())).await {
        detail(models, &props);
    }
}

/// The same for a server that is not recognised yet; returns whether it is llama.cpp.
pub(super) async fn ask_props(question: &DiscoveryClient<'_>, models: &mut [DiscoveredModel]) -> bool {
    let Ok(props) = question.get(format!("{}/props", question.root())).await else { return false };
    let is_this = props["default_generation_settings"].is_object();
    if is_this {
        detail(models, &props);
    }
    is_this
}

fn detail(models: &mut [DiscoveredModel], props: &Value) {
    let window = read::tokens(props, &["/default_generation_settings/n_ctx", "/n_ctx"]);
    let flag = |field: &str| props.pointer(field).and_then(Value::as_bool);
    let tools = flag("/chat_template_caps/supports_tool_calls").or_else(|| flag("/chat_template_caps/supports_tools"));
    for model in models {
        // The window the server was started with is the limit, whatever the model was trained for.
        model.figures.context_tokens = window;
        model.figures.tools = tools;
        model.figures.images = flag("/modalities/vision");
        model.is_loaded = true;
    }
}
