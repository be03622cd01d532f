//! OpenAI's API, which most servers implement: Azure, vLLM, llama.cpp, LM Studio, OpenRouter,
//! DeepSeek and others.
//!
//! It does not go through the library: a prompt is long and its answer has hundreds of frames, and
//! copying or parsing anything twice is most of the cost of a turn. [`request`] writes the body
//! straight from the prompt, [`frame`] reads a frame's text without copying it, [`answer`]
//! assembles calls that come in pieces.

mod answer;
mod frame;
mod request;
mod settings;

use std::sync::Arc;

use futures::{Stream, StreamExt};

use self::answer::AnswerBuilder;
use super::{
    ProviderClient,
    address::{headers, url},
    error_body::{by_status, is_filtered},
    failure, linger,
    sse::SseEvents,
};
use crate::{Chunk, Error, Prompt, Stop, Traits};

/// The last frame.
const DONE: &str = "[DONE]";

/// Starts an answer; nothing is sent before it is polled.
pub(super) fn stream(
    at: Arc<ProviderClient>,
    model: &str,
    traits: Traits,
    prompt: Prompt,
) -> Result<impl Stream<Item = Result<Chunk, Error>> + Send + 'static, Error> {
    let body = request::body(&at.provider, model, prompt)
        .map_err(|error| failure::malformed(&format!("the request cannot be serialized: {error}"), &at))?;
    let url = url(&at.provider.kind, &at.provider.base_url, model);
    Ok(async_stream::try_stream! {
        let request = at.http.post(url).header("content-type", "application/json").body(body);
        let request = headers(&at).into_iter().fold(request, |request, (name, value)| request.header(name, value));
        let answer = request.send().await.map_err(|error| failure::by_network(&error, &at))?;
        let status = answer.status().as_u16();
        if !answer.status().is_success() {
            let headers = answer.headers().clone();
            let said = answer.text().await.unwrap_or_default();
            if is_filtered(status, &said) {
                yield Chunk::End { usage: None, stop: Stop::Filtered };
                return;
            }
            Err(by_status(status, &said, &headers, &at))?;
            return;
        }
        let mut bytes = answer.bytes_stream();
        let mut events = SseEvents::default();
        let mut answer = AnswerBuilder::new(at.clone(), traits.price);
        while let Some(more) = bytes.next().await {
            events.take(&more.map_err(|error| failure::by_network(&error, &at))?, &at)?;
            while let Some(event) = events.next() {
                if event == DONE.as_bytes() {
                    linger(bytes);
                    for chunk in answer.end() {
                        yield chunk;
                    }
                    return;
                }
                for chunk in answer.read(&event)?.into_iter().flatten() {
                    yield chunk;
                }
            }
        }
        Err(Error::Cut { provider: at.name() })?;
    })
}
