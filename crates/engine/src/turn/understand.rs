//! Understand: what is meant, and how surely, by rules. Words that say nothing are asked back about; so is what the rules
//! cannot make out where no model understands language. Where one does, all else is left to it.

use std::sync::Arc;

use model::Model;
use protocol::{BY_RULES, Clarification, Plan, Response, Stage, Step};
use session::{Outcome, Report};
use tools::Reflex;

use super::{Halt, reflex::BY_REFLEX, work::Work};
use crate::intent::{self, Intent, Kind, Setting};

/// Below this a message is asked back about.
const CLEAR_MIN: f32 = 0.5;
/// How surely a message is understood that is asked back about.
const UNCLEAR: f32 = 0.4;

/// What the message means.
pub(super) async fn enter(work: &mut Work, chain: &[Arc<dyn Model>], reflex: Option<&Reflex>) -> Result<Intent, Halt> {
    let setting = Setting {
        has_history: !work.job.recent.is_empty(),
        answers_question: work.job.turn.answers.is_some(),
        has_images: !work.job.turn.request.images.is_empty(),
    };
    let mut intent = intent::read(&work.job.turn.request.message, &setting);
    if let Some(reflex) = reflex {
        return Ok(by_reflex(work, reflex, intent).await);
    }
    if let Some(window) = &work.job.turn.request.window {
        // What is pressed is clear; what is said in a window is said to somebody who sees it.
        intent.confidence = if window.act.is_some() { 1.0 } else { intent.confidence.max(CLEAR_MIN) };
        intent.kind = if window.act.is_some() { Kind::Command } else { intent.kind };
    }
    let is_begun = work.job.turn.thread.rounds() > 0;
    // A model that understands asks back by itself where it must; the rules would only guess at what it makes of the words.
    let is_understood = chain.first().is_some_and(|model| model.traits().understands);
    let is_left_to_model = is_understood && !intent::says_nothing(&work.job.turn.request.message);
    if is_left_to_model && intent.confidence < CLEAR_MIN {
        (intent.kind, intent.confidence, intent.question) = (Kind::Chat, CLEAR_MIN, None);
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
    work.reporter.tell(Report::Stage(Stage::Understand, Some(detail))).await;
    Ok(intent)
}

/// What was understood without asking anybody, as clients are told of it.
async fn by_reflex(work: &mut Work, reflex: &Reflex, intent: Intent) -> Intent {
    let kind = if reflex.is_question { Kind::Question } else { Kind::Command };
    let detail = serde_json::json!({
        "intent": reflex.intent,
        "confidence": rounded(reflex.confidence),
        "slots": reflex.slots,
        "by": "reflex",
    });
    work.reporter.tell(Report::Stage(Stage::Understand, Some(detail))).await;
    let question = reflex.answer.clone().filter(|_| reflex.asks_back && work.thread.rounds() == 0);
    let confidence = if question.is_some() { UNCLEAR } else { reflex.confidence.max(CLEAR_MIN) };
    Intent { kind, confidence, question, ..intent }
}

/// A JSON value knows wider numbers only, which would show digits that mean nothing.
fn rounded(confidence: f32) -> f64 {
    (f64::from(confidence) * 100.0).round() / 100.0
}

/// Ends the turn with a question if the message is not clear.
pub(super) async fn asks_back(work: &mut Work, intent: &Intent, reflex: Option<&Reflex>) -> Result<bool, Halt> {
    work.listen();
    if intent.confidence >= CLEAR_MIN || work.thread.steers() > 0 {
        return Ok(false);
    }
    let question =
        intent.question.clone().unwrap_or_else(|| "Could you say in a few more words what you need?".to_owned());
    let asked = Clarification {
        question: question.clone(),
        confidence: intent.confidence,
        intent: intent.kind.as_str().to_owned(),
    };
    work.say(question.clone()).await;
    let by = reflex.map_or(BY_RULES, |_| BY_REFLEX);
    let response = Response {
        intent: Some(intent.kind.as_str().to_owned()),
        confidence: Some(intent.confidence),
        ..Response::text(question, by)
    };
    if work.reporter.commit(Report::Clarify(asked, response)).await? != Outcome::GoOn {
        return Ok(true);
    }
    // Something was said while the question was on its way: that is the answer.
    let model = Some(by.to_owned());
    work.note(&Step::Plan(Plan { round: work.thread.rounds() + 1, model, ..Plan::default() }));
    work.hear(|heard| !heard.steers.is_empty()).await;
    Ok(false)
}
