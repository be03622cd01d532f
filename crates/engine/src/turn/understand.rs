//! Understand: recognizes the intent and its confidence, by rules. Effectively empty messages lead
//! to a clarifying question. So do messages that the rules do not recognize, unless a model
//! understands language; then all else is left to the model.

use std::sync::Arc;

use memory::agent::conversation_event::BY_REFLEX;
use model::Model;
use ports::Reflex;
use protocol::{BY_RULES, Clarification, Plan, Response, Stage, Step};
use session::{CommandOutcome, TurnReport};

use super::{Halt, state::TurnState};
use crate::intent::{self, Intent, IntentKind, MessageContext};

/// Below this confidence the turn asks a question.
const CLEAR_MIN: f32 = 0.5;
/// The confidence of a message that needs a clarifying question.
const UNCLEAR: f32 = 0.4;

/// The intent of the message.
pub(super) async fn enter(
    state: &mut TurnState,
    chain: &[Arc<dyn Model>],
    reflex: Option<&Reflex>,
) -> Result<Intent, Halt> {
    if let Some(reflex) = reflex {
        return Ok(by_reflex(state, reflex).await);
    }
    let setting = MessageContext {
        has_history: !state.input.recent.is_empty(),
        answers_question: state.input.turn.answers.is_some(),
        has_images: !state.input.turn.request.images.is_empty(),
    };
    let mut intent = intent::read(&state.input.turn.request.message, &setting);
    if let Some(window) = &state.input.turn.request.window {
        // An act is clear, and a message in a window goes to an agent that sees the window.
        intent.confidence = if window.act.is_some() { 1.0 } else { intent.confidence.max(CLEAR_MIN) };
        intent.kind = if window.act.is_some() { IntentKind::Command } else { intent.kind };
    }
    let is_begun = state.input.turn.thread.rounds() > 0;
    // A model with language understanding asks for itself if needed; the rules would only guess
    // what it understands.
    let is_understood = chain.first().is_some_and(|model| model.traits().understands);
    let is_left_to_model = is_understood && !intent::says_nothing(&state.input.turn.request.message);
    if is_left_to_model && intent.confidence < CLEAR_MIN {
        (intent.kind, intent.confidence, intent.question) = (IntentKind::Chat, CLEAR_MIN, None);
    } else if is_begun {
        // A turn that has acted was understood before it was interrupted.
        intent.confidence = intent.confidence.max(CLEAR_MIN);
    }
    let entities: Vec<_> = intent
        .entities
        .iter()
        .map(|entity| serde_json::json!({ "kind": entity.kind, "text": entity.text, "start": entity.start }))
        .collect();
    let detail = serde_json::json!({
        "intent": intent.kind.as_str(),
        "confidence": rounded(intent.confidence),
        "entities": entities,
        "by": "rules",
    });
    state.reporter.tell(TurnReport::Stage(Stage::Understand, Some(detail))).await;
    Ok(intent)
}

/// What was understood without a model, as clients see it. The rules for the intents of other
/// messages are not needed.
async fn by_reflex(state: &mut TurnState, reflex: &Reflex) -> Intent {
    let kind = if reflex.is_question { IntentKind::Question } else { IntentKind::Command };
    let detail = serde_json::json!({
        "intent": reflex.intent,
        "confidence": rounded(reflex.confidence),
        "slots": reflex.slots,
        "by": "reflex",
    });
    state.reporter.tell(TurnReport::Stage(Stage::Understand, Some(detail))).await;
    let question = reflex.answer.clone().filter(|_| reflex.asks_back && state.thread.rounds() == 0);
    let confidence = if question.is_some() { UNCLEAR } else { reflex.confidence.max(CLEAR_MIN) };
    Intent { kind, confidence, question, entities: Vec::new(), key: None, value: None }
}

/// JSON numbers have a higher precision, which would show meaningless digits.
fn rounded(confidence: f32) -> f64 {
    (f64::from(confidence) * 100.0).round() / 100.0
}

/// Ends the turn with a question if the message is unclear.
pub(super) async fn asks_back(state: &mut TurnState, intent: &Intent, reflex: Option<&Reflex>) -> Result<bool, Halt> {
    state.read_inbox();
    if intent.confidence >= CLEAR_MIN || state.thread.steers() > 0 {
        return Ok(false);
    }
    let question =
        intent.question.clone().unwrap_or_else(|| "Could you say in a few more words what you need?".to_owned());
    let asked = Clarification {
        question: question.clone(),
        confidence: intent.confidence,
        intent: intent.kind.as_str().to_owned(),
    };
    state.say(question.clone()).await;
    let by = reflex.map_or(BY_RULES, |_| BY_REFLEX);
    let response = Response {
        intent: Some(intent.kind.as_str().to_owned()),
        confidence: Some(intent.confidence),
        ..Response::text(question, by)
    };
    if state.reporter.commit(TurnReport::Clarify(asked, response)).await? != CommandOutcome::GoOn {
        return Ok(true);
    }
    // A message arrived before the question was recorded: it counts as the answer.
    let model = Some(by.to_owned());
    state.note(&Step::Plan(Plan { round: state.thread.rounds() + 1, model, ..Plan::default() }));
    state.wait_for_inbox(|inbox| !inbox.steers.is_empty()).await;
    Ok(false)
}
