//! Structured answers: the text is held back until it matches the schema of the request. One that
//! does not match is sent back to the model once, with what is wrong; then the turn fails, and the
//! error contains the text.

use model::{AnswerSchema, Message, Stop};
use protocol::{ResponseSchema, Step, StepError, TurnError, Usage};

use super::{Halt, model_call::RoundResult, state::TurnState};

const INSTRUCTION: &str = include_str!("../../prompts/response_schema.md");
const REPAIR: &str = include_str!("../../prompts/schema_repair.md");

/// The code of the error.
const UNMET: &str = "model_schema_unmet";
/// Characters of the answer in the error.
const TEXT_CHARS_MAX: usize = 64 * 1024;

/// An answer that does not match.
pub(super) struct RejectedAnswer {
    text: String,
    why: String,
}

/// What becomes of a round without calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundOutcome {
    /// Its text is published, as far as there is any.
    Answered,
    /// The model gets it back.
    Rejected,
}

/// The instructions for the model.
pub(super) fn instruction(schema: &ResponseSchema) -> String {
    INSTRUCTION.trim().replace("{schema}", &schema.to_value().to_string())
}

/// The rejected answer and what is wrong with it, as messages.
pub(super) fn repair_messages(state: &TurnState) -> Vec<Message> {
    let Some(RejectedAnswer { text, why }) = &state.rejected else { return Vec::new() };
    let repair = Message::user(REPAIR.trim().replace("{why}", why));
    let said = Message::Assistant { text: text.clone(), calls: Vec::new() };
    // Some providers refuse an empty message.
    if text.trim().is_empty() { vec![repair] } else { vec![said, repair] }
}

/// Publishes the text of a round if it matches. Plain answers are published already.
pub(super) async fn settle(state: &mut TurnState, round: &RoundResult) -> Result<RoundOutcome, Halt> {
    let Some(schema) = state.input.turn.request.offer.response_schema.clone() else {
        return Ok(RoundOutcome::Answered);
    };
    let text = std::mem::take(&mut state.unsaid);
    if !round.calls.is_empty() {
        // What a model says beside its calls is no part of the answer.
        return Ok(RoundOutcome::Answered);
    }
    // A client that set the maximum length, or whose provider filtered the rest, gets the part that
    // there is; the stop reason says why it ends there.
    if round.stop != Stop::Complete {
        state.say(text).await;
        return Ok(RoundOutcome::Answered);
    }
    let why = match AnswerSchema::new(&schema).and_then(|schema| schema.read(&text)) {
        Ok(json) => {
            state.say(json).await;
            return Ok(RoundOutcome::Answered);
        }
        Err(why) => why,
    };
    state.usage = state.usage.plus(round.usage);
    let error = unmet(&round.model, &text, &why);
    if state.rejected.is_some() {
        return Err(error.into());
    }
    let step = StepError {
        code: error.code,
        message: error.message,
        model: Some(round.model.clone()),
        retry_in_ms: Some(0),
        fallback: None,
    };
    state.step(Step::Error(step)).await;
    state.rejected = Some(RejectedAnswer { text, why });
    Ok(RoundOutcome::Rejected)
}

/// The error of a turn whose budget ended before its answer matched.
pub(super) fn out_of_budget(state: &mut TurnState, usage: Usage, budget: &str) -> Option<Halt> {
    state.input.turn.request.offer.response_schema.as_ref()?;
    state.usage = state.usage.plus(usage);
    let text = std::mem::take(&mut state.unsaid);
    Some(unmet(&state.model, &text, &format!("{budget} ran out before the answer was complete")).into())
}

fn unmet(model: &str, text: &str, why: &str) -> TurnError {
    let text: String = text.chars().take(TEXT_CHARS_MAX).collect();
    TurnError {
        code: UNMET.to_owned(),
        message: format!("{model}: the answer does not match `response_schema`: {why}"),
        recoverable: true,
        details: Some(serde_json::json!({ "model": model, "text": text, "reason": why })),
    }
}
