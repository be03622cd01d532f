//! Execute: ask the model and pass its words on as they come.

use std::time::Duration;

use futures::StreamExt;
use model::{Chunk, Prompt};
use protocol::{Response, Step, StepKind, TurnError, Usage};
use tokio::time::{Instant, sleep};

use crate::{
    hub::House,
    live::{Report, Reporter},
};

/// The longest answer; whoever says more is not answering.
const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The model's answer. A failure before the first word is tried again where that can help; after it, the words
/// that are out would come twice, so the turn fails and says so.
pub(super) async fn answer(
    house: &House,
    prompt: Prompt,
    time_budget: Duration,
    reporter: &Reporter,
) -> Result<Response, TurnError> {
    let deadline = Instant::now() + time_budget;
    let model = house.model.name(prompt.model.as_deref());
    let mut waits = house.options.model_backoff.iter();
    loop {
        let mut text = String::new();
        let error = match stream(house, prompt.clone(), &mut text, reporter).await {
            Ok(usage) => return Ok(Response { message: text, model, usage }),
            Err(error) => error,
        };
        let wait = waits.next().map(|wait| error.retry_after().unwrap_or(*wait));
        let Some(wait) = wait.filter(|wait| {
            // Waiting past the deadline would only delay the bad news.
            let ends_in_time = Instant::now().checked_add(*wait).is_some_and(|end| end < deadline);
            error.is_transient() && text.is_empty() && ends_in_time
        }) else {
            return Err(failed(&error, &model));
        };
        reporter.report(Report::Step(will_retry(&error, wait))).await;
        sleep(wait).await;
    }
}

async fn stream(
    house: &House,
    prompt: Prompt,
    text: &mut String,
    reporter: &Reporter,
) -> Result<Option<Usage>, model::Error> {
    let mut chunks = house.model.stream(prompt).await?;
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            Chunk::Text(delta) => {
                if text.len() + delta.len() > ANSWER_BYTES_MAX {
                    return Err(model::Error::TooLong { bytes_max: ANSWER_BYTES_MAX });
                }
                text.push_str(&delta);
                reporter.report(Report::Text(delta)).await;
            }
            Chunk::End { usage } => return Ok(usage),
        }
    }
    Err(model::Error::Cut)
}

fn failed(error: &model::Error, model: &str) -> TurnError {
    let retry_after_ms = error.retry_after().map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
    TurnError {
        code: error.code().to_owned(),
        message: error.to_string(),
        recoverable: error.is_transient(),
        details: Some(serde_json::json!({ "model": model, "retry_after_ms": retry_after_ms })),
    }
}

fn will_retry(error: &model::Error, wait: Duration) -> Step {
    let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    let detail = serde_json::json!({ "code": error.code(), "message": error.to_string(), "retry_in_ms": wait_ms });
    Step { kind: StepKind::Error, detail }
}
