//! Times as a model writes and reads them.

use jiff::{Timestamp as Moment, civil::DateTime, tz::TimeZone};
use protocol::{Timestamp, Trigger, When};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Which turns `when_turn_ends` names besides those of a session.
const OWN: &str = "own";
const ANY: &str = "any";
const ONE_OF: &str = "give one of `after_seconds`, `at`, `cron`, `rrule` (with `at` as its start), `when_entity`, \
                      `when_event` and `when_turn_ends`";

/// When a schedule runs: `after_seconds`, `at`, `cron` or `rrule`, or each time something happens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Timing {
    /// Once, after this many seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) after_seconds: Option<u64>,
    /// Once, at this time: on the user's clock as `2026-11-18T07:00`, or a moment as
    /// `2026-11-18T06:00:00Z`. With `rrule` it is the start of the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<String>,
    /// Again and again, by a cron expression of five fields: minute, hour, day of month, month, day
    /// of week, as `0 7 * * 1-5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cron: Option<String>,
    /// Again and again, by a recurrence rule of iCalendar, as `FREQ=MONTHLY;BYMONTHDAY=-1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rrule: Option<String>,
    /// Each time this entity of the home changes, as `binary_sensor.washing_machine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) when_entity: Option<String>,
    /// With `when_entity`: only when it changes to this state, as `on`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) changes_to: Option<String>,
    /// Each time the home reports an event of this type, as `zha_event` or `tag_scanned`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) when_event: Option<String>,
    /// With `when_event`: only if its data has these fields with these values.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) event_data: Map<String, Value>,
    /// Each time a turn ends: `own` of this conversation, `any` of any conversation of the user, or
    /// the id of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) when_turn_ends: Option<String>,
    /// The time zone, as `Europe/Berlin`. Default: the user's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) zone: Option<String>,
}

impl Timing {
    /// Whether no time is given.
    pub(crate) const fn is_empty(&self) -> bool {
        self.has_no_time() && self.when_entity.is_none() && self.when_event.is_none() && self.when_turn_ends.is_none()
    }

    const fn has_no_time(&self) -> bool {
        self.after_seconds.is_none() && self.at.is_none() && self.cron.is_none() && self.rrule.is_none()
    }

    /// What it waits for, if no time is given.
    fn trigger(&self) -> Result<Option<Trigger>, String> {
        let triggers = (&self.when_entity, &self.when_event, &self.when_turn_ends);
        let trigger = match triggers {
            (None, None, None) => return Ok(None),
            (Some(entity_id), None, None) => {
                Trigger::Home { entity_id: entity_id.clone(), to: self.changes_to.clone(), from: None }
            }
            (None, Some(event_type), None) => {
                Trigger::HomeEvent { event_type: event_type.clone(), data: self.event_data.clone() }
            }
            (None, None, Some(turns)) => match turns.as_str() {
                OWN => Trigger::OWN_TURN,
                ANY => Trigger::TurnEnded { session_id: None, any_session: true },
                id => {
                    let wrong = |_| format!("`when_turn_ends` is `own`, `any` or the id of a session, not `{id}`");
                    Trigger::TurnEnded { session_id: Some(id.parse().map_err(wrong)?), any_session: false }
                }
            },
            _ => return Err("give only one of `when_entity`, `when_event` and `when_turn_ends`".to_owned()),
        };
        if self.has_no_time() { Ok(Some(trigger)) } else { Err(ONE_OF.to_owned()) }
    }

    /// When that is; the owner's zone counts where none is given.
    pub(crate) fn when(&self, owner_zone: &str, now: Timestamp) -> Result<When, String> {
        if let Some(trigger) = self.trigger()? {
            return Ok(When::Event { trigger });
        }
        match (self.after_seconds, &self.at, &self.cron, &self.rrule) {
            (Some(seconds), None, None, None) => Ok(When::After { after_ms: seconds.saturating_mul(1_000) }),
            (None, Some(at), None, None) => moment(at),
            (None, None, Some(cron), None) => Ok(When::Cron { expression: cron.clone() }),
            (None, at, None, Some(rule)) => {
                let zone = schedule::time_zone(self.zone.as_deref().unwrap_or(owner_zone));
                let zone = zone.map_err(|error| error.to_string())?;
                let start = match at.as_deref().map(moment).transpose()? {
                    Some(When::Local { at }) => at.civil(),
                    Some(When::At { at }) => on_clock(at, &zone).ok_or("`at` is too far away")?,
                    _ => on_clock(now, &zone).ok_or("the time is too far away")?,
                };
                Ok(When::Rrule { rule: rule.clone(), start: start.into() })
            }
            _ => Err(ONE_OF.to_owned()),
        }
    }

    /// The same as a model would write it.
    pub(crate) fn of(when: &When) -> Self {
        match when {
            // Rounded up: a timer must not end too early.
            When::After { after_ms } => Self { after_seconds: Some(after_ms.div_ceil(1_000)), ..Self::default() },
            When::At { at } => Self { at: Some(at.to_string()), ..Self::default() },
            When::Local { at } => Self { at: Some(at.to_string()), ..Self::default() },
            When::Event { trigger: Trigger::Home { entity_id, to, .. } } => {
                Self { when_entity: Some(entity_id.clone()), changes_to: to.clone(), ..Self::default() }
            }
            When::Event { trigger: Trigger::HomeEvent { event_type, data } } => {
                Self { when_event: Some(event_type.clone()), event_data: data.clone(), ..Self::default() }
            }
            When::Event { trigger: Trigger::TurnEnded { session_id, any_session } } => {
                let turns = session_id.map_or_else(|| OWN.to_owned(), |id| id.to_string());
                let turns = if *any_session { ANY.to_owned() } else { turns };
                Self { when_turn_ends: Some(turns), ..Self::default() }
            }
            When::Event { trigger: Trigger::Hook } => Self::default(),
            When::Cron { expression } => Self { cron: Some(expression.clone()), ..Self::default() },
            When::Rrule { rule, start } => {
                Self { rrule: Some(rule.clone()), at: Some(start.to_string()), ..Self::default() }
            }
        }
    }
}

fn moment(text: &str) -> Result<When, String> {
    let text = text.trim();
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(When::At { at });
    }
    let local = text.parse::<DateTime>().map_err(|_| {
        format!("`{text}` is no time: write 2026-11-18T07:00 for the user's clock, or 2026-11-18T06:00:00Z")
    })?;
    Ok(When::Local { at: local.into() })
}

fn on_clock(at: Timestamp, zone: &TimeZone) -> Option<DateTime> {
    Moment::from_millisecond(at.as_millis()).ok().map(|moment| zone.to_datetime(moment))
}

/// A moment on the clock of a zone, as `2026-11-18T07:00:00`.
pub(crate) fn local(at: Timestamp, zone: &str) -> String {
    let clock = schedule::time_zone(zone).ok().and_then(|zone| on_clock(at, &zone));
    clock.map_or_else(|| at.to_string(), |clock| clock.strftime("%Y-%m-%dT%H:%M:%S").to_string())
}

/// The rule of what recurs.
pub(crate) fn rule(when: &When) -> Option<String> {
    match when {
        When::Cron { expression } => Some(expression.clone()),
        When::Rrule { rule, .. } => Some(rule.clone()),
        When::Event { trigger: Trigger::Home { entity_id, to, .. } } => {
            Some(format!("when {entity_id} changes{}", to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default()))
        }
        When::Event { trigger: Trigger::Hook } => Some("when a webhook arrives".to_owned()),
        When::Event { trigger: Trigger::HomeEvent { event_type, data } } if data.is_empty() => {
            Some(format!("when the home reports {event_type}"))
        }
        When::Event { trigger: Trigger::HomeEvent { event_type, data } } => {
            Some(format!("when the home reports {event_type} with {}", Value::Object(data.clone())))
        }
        When::Event { trigger: Trigger::TurnEnded { any_session: true, .. } } => {
            Some("when a turn of any session ends".to_owned())
        }
        When::Event { trigger: Trigger::TurnEnded { session_id: Some(id), .. } } => {
            Some(format!("when a turn of the session {id} ends"))
        }
        When::Event { trigger: Trigger::TurnEnded { .. } } => Some("when a turn ends".to_owned()),
        When::At { .. } | When::After { .. } | When::Local { .. } => None,
    }
}

/// When something would begin, for a question.
pub(super) fn words(timing: &Timing) -> String {
    match (timing.after_seconds, &timing.at, &timing.cron, &timing.rrule) {
        (Some(seconds), ..) => format!("in {seconds} seconds"),
        (_, _, Some(cron), _) => format!("again and again (`{cron}`)"),
        (_, _, _, Some(rrule)) => format!("again and again (`{rrule}`)"),
        (_, Some(at), ..) => format!("at {at}"),
        _ if timing.when_entity.is_some() => "each time the home changes so".to_owned(),
        _ if timing.when_event.is_some() => "each time the home reports that".to_owned(),
        _ if timing.when_turn_ends.is_some() => "each time such a turn ends".to_owned(),
        _ => "later".to_owned(),
    }
}
