//! Timers: Home Assistant's intents for them, in every language that has sentences, as calls of the
//! tools of schedules. A command after a while is planned as the calls that it means now.

use ports::ReflexCall;
use reflex::RecognizedIntent;
use serde_json::{Map, Value, json};

/// The tools of schedules that these intents call.
const CREATE: &str = "schedule_create";
const TIMERS: &str = "schedule_timers";

/// What a sentence about timers asks for.
pub(super) enum TimerPlan {
    /// This call.
    Call(ReflexCall),
    /// This command, after so many seconds.
    Later {
        /// The command.
        command: String,
        /// The seconds.
        seconds: u64,
    },
}

/// Whether an intent is about timers.
pub(super) fn is_about(intent: &str) -> bool {
    intent.starts_with("Hass") && intent.contains("Timer")
}

/// The plan for an intent about timers; `None` if it lacks something.
pub(super) fn plan(understood: &RecognizedIntent) -> Option<TimerPlan> {
    let text = |slot: &str| understood.slots.get(slot).and_then(|slot| slot.value.as_str()).map(str::to_owned);
    let seconds = seconds(understood, "");
    let control = |step: &str| {
        let mut fields = Map::from_iter([("do".to_owned(), json!(step))]);
        fields.extend(text("name").map(|name| ("name".to_owned(), json!(name))));
        let begun = self::seconds(understood, "start_").filter(|begun| *begun > 0);
        fields.extend(begun.map(|begun| ("set_for_seconds".to_owned(), json!(begun))));
        fields
    };
    let fields = match understood.intent.as_str() {
        "HassStartTimer" => {
            let seconds = seconds.filter(|seconds| *seconds > 0)?;
            if let Some(command) = text("conversation_command") {
                return Some(TimerPlan::Later { command, seconds });
            }
            let arguments = json!({ "timer": text("name").unwrap_or_default(), "after_seconds": seconds });
            return Some(TimerPlan::Call(ReflexCall { tool: CREATE.to_owned(), arguments }));
        }
        "HassCancelTimer" => control("cancel"),
        "HassCancelAllTimers" => control("cancel_all"),
        "HassPauseTimer" => control("pause"),
        "HassUnpauseTimer" => control("resume"),
        "HassTimerStatus" => control("status"),
        "HassIncreaseTimer" | "HassDecreaseTimer" => {
            let seconds = i64::try_from(seconds.filter(|seconds| *seconds > 0)?).ok()?;
            let by = if understood.intent == "HassIncreaseTimer" { seconds } else { -seconds };
            let mut fields = control("shift");
            fields.insert("by_seconds".to_owned(), json!(by));
            fields
        }
        _ => return None,
    };
    Some(TimerPlan::Call(ReflexCall { tool: TIMERS.to_owned(), arguments: Value::Object(fields) }))
}

/// A call that is made later.
pub(super) fn later(call: ReflexCall, name: &str, seconds: u64) -> ReflexCall {
    let call = json!({ "tool": call.tool, "arguments": call.arguments });
    let arguments = json!({ "call": call, "name": name, "after_seconds": seconds });
    ReflexCall { tool: CREATE.to_owned(), arguments }
}

/// The seconds in the slots for hours, minutes and seconds; half of a unit counts as well.
fn seconds(understood: &RecognizedIntent, prefix: &str) -> Option<u64> {
    let mut found = false;
    let mut sum = 0.0;
    for (unit, length) in [("hours", 3_600.0), ("minutes", 60.0), ("seconds", 1.0)] {
        let slot = understood.slots.get(&format!("{prefix}{unit}"));
        let number = slot.and_then(|slot| slot.value.as_f64().or_else(|| slot.value.as_str()?.parse().ok()));
        if let Some(number) = number {
            (found, sum) = (true, number.mul_add(length, sum));
        }
    }
    let is_sound = found && (0.0..=31_536_000.0).contains(&sum);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range was checked")]
    is_sound.then(|| sum.round() as u64)
}
