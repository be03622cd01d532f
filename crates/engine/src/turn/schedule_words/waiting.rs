//! Orders that wait for a change of the home: "tell me when the garage door opens". The home says
//! which change a clause names, and an order whose clause it does not know is left to a model.

use ports::{Reflex, ReflexCall};
use protocol::Timestamp;
use schedule::{ConditionalOrder, ScheduleKind};
use serde_json::{Map, Value, json};

use super::{OrderPlanner, Phrases, languages, merged};
use crate::{schedule_tools::CREATE, turn::state::TurnState};

/// The slots of a reflex that keep what was said.
const CLAUSE: &str = "clause";
const WHAT: &str = "what";
const REPEATS: &str = "repeats";

/// The order of the message, if it waits for something that the home knows.
pub(super) fn read(state: &TurnState, zone: &str, now: Timestamp) -> Option<Reflex> {
    let message = &state.input.turn.request.message;
    languages(state).into_iter().find_map(|language| {
        let planner = OrderPlanner { state, phrases: Phrases::of(language), language, zone, now };
        schedule::read_conditional(message, language).iter().find_map(|order| planner.wait_for(order))
    })
}

impl OrderPlanner<'_> {
    fn wait_for(&self, order: &ConditionalOrder) -> Option<Reflex> {
        let change = self.state.services.reflexes.as_ref()?.change(&self.said(&order.condition))?;
        let (what, name) = match order.kind {
            ScheduleKind::Order => (self.orders(&order.text)?, json!({ "name": order.text })),
            ScheduleKind::Reminder | ScheduleKind::Timer => (vec![json!({ "remind": order.text })], Value::Null),
        };
        let mut waits = json!({ "when_entity": change.entity_id, "changes_to": change.to });
        if !order.repeats {
            waits["runs_max"] = json!(1);
        }
        let call = |what| ReflexCall { tool: CREATE.to_owned(), arguments: merged([&what, &name, &waits]) };
        let mut slots =
            Map::from_iter([(CLAUSE.to_owned(), json!(order.clause)), (REPEATS.to_owned(), json!(order.repeats))]);
        if order.text != order.condition {
            slots.insert(WHAT.to_owned(), json!(order.text));
        }
        Some(Reflex { slots, calls: what.into_iter().map(call).collect(), ..self.reflex("ScheduleCreate") })
    }
}

/// What is said of a schedule that was made so; `None` for any other reflex.
pub(super) fn answer(phrases: &Phrases, reflex: &Reflex) -> Option<String> {
    let clause = reflex.slots.get(CLAUSE)?.as_str()?;
    let Some(what) = reflex.slots.get(WHAT).and_then(Value::as_str) else {
        return Some(phrases.say("yes_tell", &[("when", clause)]));
    };
    let is_reminder = reflex.calls.iter().all(|call| call.arguments.get("remind").is_some());
    if is_reminder {
        return Some(phrases.say("yes_reminder", &[("when", clause), ("what", what)]));
    }
    let repeats = reflex.slots.get(REPEATS) == Some(&Value::Bool(true));
    let when = if repeats { clause.to_owned() } else { phrases.say("once", &[("when", clause)]) };
    Some(phrases.say("yes_order", &[("when", &when), ("what", what)]))
}
