//! What the parts of a text mean as a question. Nothing here acts.

use super::command::{FrameQuestion, FrameTarget, QuestionKind};
use super::cover::Piece;
use super::lexicon::Lexicon;

/// The question of a text; `None` if it is none.
pub(super) fn question(_lexicon: &Lexicon, pieces: &[Piece], is_asked: bool) -> Option<FrameQuestion> {
    let mut target = FrameTarget::default();
    let (mut asks, mut states, mut measures) = (Vec::new(), Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Word(role) => match (role.group, role.name) {
                ("question", name) => asks.push(name),
                ("state", name) => states.push(name),
                ("measure", name) => measures.push(name),
                ("kind" | "property", name) => target.kinds.push(name.to_owned()),
                ("all", _) => target.is_all = true,
                ("pronoun", _) => target.is_pronoun = true,
                _ => {}
            },
            Piece::Name(ids) => target.named.push(ids.clone()),
            Piece::Partial(ids) => {
                target.named.push(ids.clone());
                target.is_partial = true;
            }
            Piece::Area(id) => target.areas.push(id.clone()),
            Piece::Pause => {}
            Piece::Number(_) | Piece::Item(_) => return None,
        }
    }
    target.kinds.dedup();
    states.dedup();
    measures.dedup();
    asks.dedup();
    let kind = kind(&asks, &states, &measures, &target, is_asked)?;
    Some(FrameQuestion { kind, target })
}

fn kind(
    asks: &[&str],
    states: &[&str],
    measures: &[&str],
    target: &FrameTarget,
    is_asked: bool,
) -> Option<QuestionKind> {
    let asks_for = |name: &str| asks.contains(&name);
    let is_kind = |name: &str| target.kinds.iter().any(|kind| kind == name);
    let state = states.first().map(|state| (*state).to_owned());
    if asks_for("why") {
        let state = state.filter(|state| matches!(state.as_str(), "cold" | "warm"))?;
        return Some(QuestionKind::Why(state));
    }
    if measures.contains(&"weather") || is_kind("weather") && (is_asked || !asks.is_empty()) {
        return Some(QuestionKind::Weather);
    }
    if let [measure] = measures {
        return Some(QuestionKind::Property((*measure).to_owned()));
    }
    if asks_for("who") {
        return Some(QuestionKind::Who(state.unwrap_or_else(|| "home".to_owned())));
    }
    if asks_for("where") {
        return (!target.named.is_empty()).then_some(QuestionKind::Where);
    }
    let properties = ["temperature", "humidity", "battery", "power", "brightness", "volume", "position"];
    if let Some(property) = properties.iter().find(|name| is_kind(name)).filter(|_| state.is_none()) {
        return (is_asked || !asks.is_empty()).then(|| QuestionKind::Property((*property).to_owned()));
    }
    let is_question = is_asked || !asks.is_empty();
    // One thing, by its name or by its kind and place.
    let is_one =
        target.named.len() == 1 || target.named.is_empty() && !target.kinds.is_empty() && !target.areas.is_empty();
    // "On or off" asks for the state.
    if states.len() > 1 {
        return (is_question && is_one).then_some(QuestionKind::State);
    }
    let Some(state) = state else {
        return (asks_for("what") && is_one).then_some(QuestionKind::State);
    };
    if !is_question || target.is_empty() {
        return None;
    }
    Some(if asks_for("which") || asks_for("what") && target.named.is_empty() {
        QuestionKind::Which(state)
    } else if asks_for("how_many") {
        QuestionKind::HowMany(state)
    } else if (target.is_all || is_kind("everything")) && target.named.is_empty() {
        QuestionKind::All(state)
    } else if target.named.is_empty() {
        QuestionKind::Any(state)
    } else {
        QuestionKind::Is(state)
    })
}
