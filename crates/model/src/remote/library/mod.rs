//! The APIs that go through the `genai` library: Anthropic's and Gemini's.

use std::sync::Arc;

use futures::Stream;
use genai::{
    Headers, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    resolver::{AuthData, Endpoint},
};

use self::watch::FrameObserver;
use super::{
    ProviderClient,
    address::{headers, url},
    failure,
};
use crate::{Chunk, Error, Prompt, ProviderKind, Traits};

mod answer;
mod request;
mod watch;
mod wire;

/// Starts an answer; nothing is sent before it is polled.
pub(super) fn stream(
    at: Arc<ProviderClient>,
    model: &str,
    traits: Traits,
    prompt: Prompt,
) -> Result<impl Stream<Item = Result<Chunk, Error>> + Send + 'static, Error> {
    let provider = &at.provider;
    let watch = Arc::new(FrameObserver::default());
    let options = wire::options(provider, model, traits, &prompt).with_raw_frame_sink_arc(watch.clone());
    let request = request::request(provider, model, prompt);
    let target = ServiceTarget {
        // Not used: the URL below is complete.
        endpoint: Endpoint::from_owned(format!("{}/", provider.base_url)),
        // The library would build most of it itself, but it would send an empty key where there is
        // none.
        auth: AuthData::RequestOverride {
            url: url(&provider.kind, &provider.base_url, model),
            headers: Headers::from(headers(&at)),
        },
        model: ModelIden::new(adapter(&provider.kind), model),
    };
    let reader = answer::AnswerReader { at: at.clone(), watch, price: traits.price };
    Ok(async_stream::try_stream! {
        let answer = at.library.exec_chat_stream(target, request, Some(&options)).await;
        let answer = answer.map_err(|error| failure::explain(error, &at))?;
        for await chunk in reader.read(answer.stream) {
            yield chunk?;
        }
    })
}

const fn adapter(kind: &ProviderKind) -> AdapterKind {
    match kind {
        ProviderKind::Gemini => AdapterKind::Gemini,
        // The other APIs do not go through the library.
        _ => AdapterKind::Anthropic,
    }
}
