//! Sentences about schedules, understood without a model: "remind me in 10 minutes to take the
//! pizza out", "turn off the bed light in 5 minutes", "what is planned?", "cancel the reminder".
//!
//! What is understood becomes calls of the tools of schedules, under policy like any other, and the
//! answer is made from their results. A command at a later time is read now by the reflexes of the
//! home, so that exactly the calls that were understood are planned.

mod phrases;
mod targets;
mod waiting;

use ports::{Reflex, ReflexCall, ReflexCallResult, ReflexInput};
use protocol::{CallStatus, ScheduleView, Timestamp, Trigger, When};
use schedule::{ScheduleKind, ScheduleOrder, SentenceContext, read_sentence};
use serde_json::{Map, Value, json};

use self::{phrases::Phrases, targets::TargetMatch};
use super::{reflex::preference, state::TurnState};
use crate::schedule_tools::{CREATE, ScheduleText, TIMERS, TimersOutput, Timing, UPDATE};

const CANCEL: &str = "schedule_cancel";

/// What a message says about schedules.
#[derive(Default)]
pub(super) struct ScheduleReading {
    /// What it asks for, if it was understood.
    pub(super) reflex: Option<Reflex>,
    /// Whether it orders something for another time. Without a reflex it was not understood as a
    /// whole, and nothing in it is done at once.
    pub(super) orders_later: bool,
}

/// Reads the message as one about schedules.
pub(super) async fn read(state: &TurnState) -> ScheduleReading {
    let request = &state.input.turn.request;
    let is_plain = request.allow_tools
        && request.window.is_none()
        && request.images.is_empty()
        && request.calls.is_empty()
        && request.offer.response_schema.is_none()
        && request.offer.shown().is_empty();
    if !is_plain || state.thread.steers() > 0 || state.thread.rounds() > 0 {
        return ScheduleReading::default();
    }
    let zone = crate::plans::zone_of(&state.input.settings, &state.services.options);
    let now = state.services.world.now();
    let Some((language, order)) = understood(state, &zone, now) else {
        return ScheduleReading { reflex: waiting::read(state, &zone, now), orders_later: false };
    };
    let orders_later = matches!(order, ScheduleOrder::Create { kind: ScheduleKind::Order, .. });
    let planner = OrderPlanner { state, phrases: Phrases::of(language), language, zone: &zone, now };
    ScheduleReading { reflex: planner.carry_out(order).await, orders_later }
}

/// Whether a reflex does something at once, rather than plan it.
pub(super) fn acts_at_once(reflex: &Reflex) -> bool {
    let plans = |call: &ReflexCall| matches!(call.tool.as_str(), CREATE | UPDATE | CANCEL | TIMERS);
    !reflex.calls.iter().all(plans)
}

/// The order, in the language of the session or any other that is known.
fn understood(state: &TurnState, zone: &str, now: Timestamp) -> Option<(&'static str, ScheduleOrder)> {
    let message = &state.input.turn.request.message;
    languages(state).into_iter().find_map(|language| {
        let context = SentenceContext { language, now, zone };
        read_sentence(message, &context).map(|order| (language, order))
    })
}

/// The languages that are read, the session's first.
fn languages(state: &TurnState) -> Vec<&'static str> {
    let preferred = preference(state, "language").unwrap_or("en");
    let mut languages: Vec<&'static str> = schedule::languages().collect();
    languages.sort_by_key(|language| !preferred.starts_with(*language));
    languages
}

struct OrderPlanner<'s> {
    state: &'s TurnState,
    phrases: &'static Phrases,
    language: &'static str,
    zone: &'s str,
    now: Timestamp,
}

impl OrderPlanner<'_> {
    async fn carry_out(&self, order: ScheduleOrder) -> Option<Reflex> {
        match order {
            ScheduleOrder::Create { kind, text, when } => self.create(kind, text, &when),
            ScheduleOrder::List { kind } => self.list(kind).await,
            ScheduleOrder::Cancel(which) => match self.find(&which).await? {
                TargetMatch::These(found) => {
                    let ids: Vec<_> = found.iter().map(|view| view.schedule_id.to_string()).collect();
                    Some(self.call("ScheduleCancel", CANCEL, json!({ "ids": ids })))
                }
                TargetMatch::Words(words, asks_back) => Some(self.tell("ScheduleCancel", words, asks_back)),
            },
            ScheduleOrder::Pause(which) => self.update("SchedulePause", &which, json!({ "do": "pause" })).await,
            ScheduleOrder::Resume(which) => self.update("ScheduleResume", &which, json!({ "do": "resume" })).await,
            ScheduleOrder::Snooze { which, after_ms } => {
                let change = json!({ "do": "snooze", "after_seconds": after_ms.div_ceil(1_000) });
                self.snooze(&which, change).await
            }
            ScheduleOrder::Change { which, when } => {
                self.update("ScheduleChange", &which, serde_json::to_value(Timing::of(&when)).ok()?).await
            }
            ScheduleOrder::Shift { which, by_ms } => self.shift(&which, by_ms).await,
        }
    }

    fn create(&self, kind: ScheduleKind, text: String, when: &When) -> Option<Reflex> {
        let timing = serde_json::to_value(Timing::of(when)).ok()?;
        let calls = match kind {
            ScheduleKind::Reminder => vec![json!({ "remind": text })],
            ScheduleKind::Timer => vec![json!({ "timer": text })],
            ScheduleKind::Order => self.orders(&text)?,
        };
        let name = matches!(kind, ScheduleKind::Order).then(|| json!({ "name": text }));
        let calls = calls.into_iter().map(|what| {
            let arguments = merged([&what, name.as_ref().unwrap_or(&Value::Null), &timing]);
            ReflexCall { tool: CREATE.to_owned(), arguments }
        });
        Some(Reflex { calls: calls.collect(), ..self.reflex("ScheduleCreate") })
    }

    /// What a command amounts to: the calls that the home's reflexes read in it, or a message to
    /// the agent where it only asks. A command that nothing here understands is left to a model.
    fn orders(&self, text: &str) -> Option<Vec<Value>> {
        let reflex = self.state.services.reflexes.as_ref().and_then(|reflexes| reflexes.read(&self.said(text)));
        match reflex {
            Some(reflex) if reflex.is_question => {
                // "Is the lamp on at 7" is no order.
                schedule::asks(text, self.language).then(|| vec![json!({ "message": text })])
            }
            Some(reflex) if !reflex.calls.is_empty() => {
                let call = |call: ReflexCall| json!({ "call": { "tool": call.tool, "arguments": call.arguments } });
                Some(reflex.calls.into_iter().map(call).collect())
            }
            // Which one is meant has to be asked before.
            Some(_) => None,
            None if schedule::asks(text, self.language) => Some(vec![json!({ "message": text })]),
            None => None,
        }
    }

    /// A part of the message, for the reflexes of the home.
    fn said<'t>(&'t self, text: &'t str) -> ReflexInput<'t> {
        ReflexInput {
            message: text,
            language: preference(self.state, "language").or(Some(self.language)),
            area: preference(self.state, "area"),
            before: &[],
            previous: None,
            unclear: None,
        }
    }

    async fn list(&self, kind: Option<ScheduleKind>) -> Option<Reflex> {
        let found = targets::all(self.state, kind).await?;
        let words = if found.is_empty() {
            let name = match kind {
                Some(ScheduleKind::Timer) => "list_none_timer",
                Some(ScheduleKind::Reminder) => "list_none_reminder",
                _ => "list_none",
            };
            self.phrases.say(name, &[])
        } else {
            format!("{}\n{}", self.phrases.say("list", &[]), self.lines(&found))
        };
        Some(Reflex { is_question: true, ..self.tell("ScheduleList", words, false) })
    }

    fn lines(&self, found: &[ScheduleView]) -> String {
        let line = |view: &ScheduleView| {
            let text = ScheduleText::from(view);
            let name = match text.kind.as_str() {
                "reminder" => "line_reminder",
                "timer" => "line_timer",
                _ => "line_order",
            };
            let line = self.phrases.say(name, &[("when", &self.when(view)), ("what", &text.what)]);
            line.trim_end().to_owned()
        };
        found.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn when(&self, view: &ScheduleView) -> String {
        match view.status {
            protocol::ScheduleStatus::Paused => self.phrases.say("paused", &[]),
            protocol::ScheduleStatus::Waiting => self.phrases.say("waiting", &[]),
            _ => {
                if let Some(Trigger::Home { entity_id, to: Some(to), .. }) = view.spec.when.trigger() {
                    return self.phrases.say("on_change", &[("entity", entity_id), ("to", to)]);
                }
                let next = view.next_at.map(|at| self.phrases.moment(at, self.now, self.zone)).unwrap_or_default();
                if view.spec.when.recurs() { self.phrases.say("every", &[("when", &next)]) } else { next }
            }
        }
    }

    /// The schedules that are meant, or what is said instead.
    async fn find(&self, which: &schedule::ScheduleTarget) -> Option<TargetMatch> {
        let found = targets::meant(self.state, which).await?;
        Some(match found.len() {
            0 => TargetMatch::Words(self.phrases.say("not_found", &[]), false),
            1 => TargetMatch::These(found),
            _ if which.all => TargetMatch::These(found),
            _ => TargetMatch::Words(format!("{}\n{}", self.phrases.say("which", &[]), self.lines(&found)), true),
        })
    }

    async fn update(&self, intent: &str, which: &schedule::ScheduleTarget, change: Value) -> Option<Reflex> {
        match self.find(which).await? {
            TargetMatch::These(found) => {
                let call = |view: &ScheduleView| {
                    let arguments = merged([&json!({ "id": view.schedule_id }), &change, &Value::Null]);
                    ReflexCall { tool: UPDATE.to_owned(), arguments }
                };
                Some(Reflex { calls: found.iter().map(call).collect(), ..self.reflex(intent) })
            }
            TargetMatch::Words(words, asks_back) => Some(self.tell(intent, words, asks_back)),
        }
    }

    /// Repeats the reminder that has run last.
    async fn snooze(&self, which: &schedule::ScheduleTarget, change: Value) -> Option<Reflex> {
        let Some(view) = targets::last_run(self.state, which).await? else {
            return Some(self.tell("ScheduleSnooze", self.phrases.say("not_found", &[]), false));
        };
        let arguments = merged([&json!({ "id": view.schedule_id }), &change, &Value::Null]);
        Some(self.call("ScheduleSnooze", UPDATE, arguments))
    }

    /// Moves the next run of what runs once.
    async fn shift(&self, which: &schedule::ScheduleTarget, by_ms: i64) -> Option<Reflex> {
        let found = match self.find(which).await? {
            TargetMatch::These(found) => found,
            TargetMatch::Words(words, asks_back) => return Some(self.tell("ScheduleShift", words, asks_back)),
        };
        let calls = found.iter().filter_map(|view| {
            let at = Timestamp::from_millis(view.next_at?.as_millis().saturating_add(by_ms));
            let arguments = json!({ "id": view.schedule_id, "at": at });
            (!view.spec.when.recurs()).then(|| ReflexCall { tool: UPDATE.to_owned(), arguments })
        });
        let calls: Vec<_> = calls.collect();
        (!calls.is_empty()).then(|| Reflex { calls, ..self.reflex("ScheduleShift") })
    }

    fn call(&self, intent: &str, tool: &str, arguments: Value) -> Reflex {
        Reflex { calls: vec![ReflexCall { tool: tool.to_owned(), arguments }], ..self.reflex(intent) }
    }

    fn tell(&self, intent: &str, words: String, asks_back: bool) -> Reflex {
        Reflex { answer: Some(words), asks_back, ..self.reflex(intent) }
    }

    fn reflex(&self, intent: &str) -> Reflex {
        Reflex {
            intent: intent.to_owned(),
            slots: Map::new(),
            language: self.language.to_owned(),
            confidence: 1.0,
            is_question: false,
            calls: Vec::new(),
            answer: None,
            asks_back: false,
        }
    }
}

/// The fields of all of them in one object.
fn merged(parts: [&Value; 3]) -> Value {
    let fields = parts.into_iter().filter_map(Value::as_object).flatten();
    Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// Whether all calls are calls of this part.
pub(super) fn answers(settled: &[ReflexCallResult]) -> bool {
    !settled.is_empty()
        && settled.iter().all(|call| matches!(call.call.tool.as_str(), CREATE | UPDATE | CANCEL | TIMERS))
}

/// The answer to calls of this part.
pub(super) fn answer(state: &TurnState, reflex: &Reflex, settled: &[ReflexCallResult]) -> String {
    let phrases = Phrases::of(&reflex.language);
    let (zone, now) =
        (crate::plans::zone_of(&state.input.settings, &state.services.options), state.services.world.now());
    let words = |call| {
        let is_made = |call: &ReflexCallResult| call.status == CallStatus::Ok;
        let waits = waiting::answer(phrases, reflex).filter(|_| is_made(call));
        waits.unwrap_or_else(|| result_words(phrases, &zone, now, call))
    };
    let mut words: Vec<String> = settled.iter().map(words).collect();
    // One command may be several calls.
    words.dedup();
    words.join("\n")
}

fn result_words(phrases: &Phrases, zone: &str, now: Timestamp, call: &ReflexCallResult) -> String {
    if call.status != CallStatus::Ok {
        return phrases.say("not_done", &[("why", &call.content)]);
    }
    let content: Value = serde_json::from_str(&call.content).unwrap_or_default();
    if call.call.tool == TIMERS {
        return timer_words(phrases, zone, now, call, content);
    }
    if call.call.tool == CANCEL {
        let cancelled: Vec<ScheduleText> = serde_json::from_value(content["cancelled"].clone()).unwrap_or_default();
        let names: Vec<String> = cancelled.iter().map(|text| called(phrases, text)).collect();
        return phrases.say("cancelled", &[("what", &names.join(", "))]);
    }
    let Ok(text) = serde_json::from_value::<ScheduleText>(content) else {
        return phrases.say("not_done", &[("why", &call.content)]);
    };
    let next = text.next_at.as_deref().and_then(|at| moment(at, zone));
    let when = next.map(|at| phrases.moment(at, now, zone)).unwrap_or_default();
    let when = if text.rule.is_some() { phrases.say("every", &[("when", &when)]) } else { when };
    let what = called(phrases, &text);
    let gaps = [("when", when.as_str()), ("what", what.as_str())];
    let step = call.call.arguments.get("do").and_then(Value::as_str);
    match (call.call.tool.as_str(), step, text.kind.as_str()) {
        (UPDATE, Some("pause"), _) => phrases.say("is_paused", &gaps),
        (UPDATE, Some("resume"), _) => phrases.say("is_resumed", &gaps),
        (UPDATE, Some("snooze"), _) => phrases.say("snoozed", &gaps),
        (UPDATE, ..) => phrases.say("changed", &gaps),
        (_, _, "timer") if text.what.is_empty() => phrases.say("yes_timer", &gaps),
        (_, _, "timer") => phrases.say("yes_timer_named", &gaps),
        (_, _, "reminder") => phrases.say("yes_reminder", &gaps),
        _ => phrases.say("yes_order", &gaps),
    }
}

fn timer_words(phrases: &Phrases, zone: &str, now: Timestamp, call: &ReflexCallResult, content: Value) -> String {
    let found = serde_json::from_value::<TimersOutput>(content).map(|output| output.timers).unwrap_or_default();
    if found.is_empty() {
        return phrases.say("list_none_timer", &[]);
    }
    let step = call.call.arguments.get("do").and_then(Value::as_str).unwrap_or_default();
    let line = |text: &ScheduleText| {
        let next = text.next_at.as_deref().and_then(|at| moment(at, zone));
        let when = next.map_or_else(|| phrases.say("paused", &[]), |at| phrases.moment(at, now, zone));
        let what = called(phrases, text);
        let gaps = [("when", when.as_str()), ("what", what.as_str())];
        match step {
            "cancel" | "cancel_all" => phrases.say("cancelled", &gaps),
            "pause" => phrases.say("is_paused", &gaps),
            "resume" => phrases.say("is_resumed", &gaps),
            _ if text.next_at.is_none() => phrases.say("is_paused", &gaps),
            _ if text.what.is_empty() => phrases.say("yes_timer", &gaps),
            _ => phrases.say("yes_timer_named", &gaps),
        }
    };
    found.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn called(phrases: &Phrases, text: &ScheduleText) -> String {
    if text.what.is_empty() { phrases.say("unnamed", &[]) } else { text.what.clone() }
}

/// A time on the clock of a zone as a moment.
fn moment(text: &str, zone: &str) -> Option<Timestamp> {
    let clock: jiff::civil::DateTime = text.parse().ok()?;
    let at = schedule::time_zone(zone).ok()?.to_ambiguous_zoned(clock).compatible().ok()?;
    Some(Timestamp::from_millis(at.timestamp().as_millisecond()))
}
