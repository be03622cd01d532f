//! llama.cpp's server: `/props` tells what it was started with.

use serde_json::Value;

use super::{AskedModel, http::Question, read};

/// Adds what the server was started with to the models it lists.
pub(super) async fn ask(question: &Question<'_>, models: &mut [AskedModel]) {
    if let Ok(props) = question.get(format!("{}/props", question.root())).await {
        detail(models, &props);
    }
}

/// The same for a server that is not recognised yet; whether it is one of these.
pub(super) async fn ask_props(question: &Question<'_>, models: &mut [AskedModel]) -> bool {
    let Ok(props) = question.get(format!("{}/props", question.root())).await else { return false };
    let is_this = props["default_generation_settings"].is_object();
    if is_this {
        detail(models, &props);
    }
    is_this
}

fn detail(models: &mut [AskedModel], props: &Value) {
    let window = read::tokens(props, &["/default_generation_settings/n_ctx", "/n_ctx"]);
    let flag = |field: &str| props.pointer(field).and_then(Value::as_bool);
    let tools = flag("/chat_template_caps/supports_tool_calls").or_else(|| flag("/chat_template_caps/supports_tools"));
    for model in models {
        // What it was started with is all that it takes, whatever the model was trained for.
        model.figures.context_tokens = window;
        model.figures.tools = tools;
        model.figures.images = flag("/modalities/vision");
        model.is_loaded = true;
    }
}
