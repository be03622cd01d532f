//! The wires that the `genai` library speaks: OpenAI's and Azure's, Anthropic's and Gemini's.

use std::sync::Arc;

use futures::Stream;
use genai::{ModelIden, ServiceTarget, adapter::AdapterKind, resolver::Endpoint};

pub(super) use self::address::headers;
use self::watch::Watch;
use super::{Connection, failure};
use crate::{Chunk, Error, Kind, Prompt, Stop, Traits};

mod address;
mod answer;
mod request;
mod watch;
mod wire;

/// Starts an answer; nothing is sent before it is polled.
pub(super) fn stream(
    at: Arc<Connection>,
    model: &str,
    traits: Traits,
    prompt: Prompt,
) -> Result<impl Stream<Item = Result<Chunk, Error>> + Send + 'static, Error> {
    let provider = &at.provider;
    let watch = Arc::new(Watch::default());
    let options = wire::options(provider, model, traits, &prompt).with_raw_frame_sink_arc(watch.clone());
    let request = request::request(provider, model, prompt);
    let target = ServiceTarget {
        // Not used: the address below is whole.
        endpoint: Endpoint::from_owned(format!("{}/", provider.base_url)),
        auth: address::auth(&at, model),
        model: ModelIden::new(adapter(&provider.kind), model),
    };
    let reader = answer::Reader { at: at.clone(), watch, price: traits.price };
    Ok(async_stream::try_stream! {
        let answer = at.library.exec_chat_stream(target, request, Some(&options)).await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) if failure::is_filtered(&error) => {
                yield Chunk::End { usage: None, stop: Stop::Filtered };
                return;
            }
            Err(error) => Err(failure::explain(error, &at))?,
        };
        for await chunk in reader.read(answer.stream) {
            yield chunk?;
        }
    })
}

const fn adapter(kind: &Kind) -> AdapterKind {
    match kind {
        Kind::OpenAi | Kind::Azure { .. } => AdapterKind::OpenAI,
        Kind::Anthropic => AdapterKind::Anthropic,
        Kind::Gemini => AdapterKind::Gemini,
        Kind::Ollama => AdapterKind::Ollama,
    }
}
