//! What a schedule is, from the arguments of the command line.

use engine::{SystemWorld, World};
use jiff::{Span, SpanRelativeTo, Timestamp as Moment, Unit, civil::DateTime, tz::TimeZone};
use protocol::{CatchUp, LocalTime, ScheduledAction, SessionId, SessionRef, Timestamp, When};
use serde_json::Value;

use crate::{
    cli::{ScheduleSpecArgs, WhenArgs},
    command_error::CommandError,
};

/// The time or rule, if one is given. `owner_zone` is the zone in which a rule without a start
/// begins now.
pub(super) fn when(asked: &WhenArgs, owner_zone: &str) -> Result<Option<When>, CommandError> {
    let WhenArgs { after, at, cron, rrule, start, zone } = asked;
    Ok(match (after, at, cron, rrule) {
        (Some(after), ..) => Some(When::After { after_ms: millis("--in", after)? }),
        (_, Some(at), ..) => Some(time("--at", at)?),
        (_, _, Some(cron), _) => Some(When::Cron { expression: cron.clone() }),
        (_, _, _, Some(rule)) => {
            let zone = zone.as_deref().unwrap_or(owner_zone);
            let start = match start {
                Some(text) => clock("--start", text)?,
                None => on_clock(SystemWorld::default().now(), zone)?,
            };
            Some(When::Rrule { rule: rule.clone(), start })
        }
        _ => None,
    })
}

/// What it does, if that is given.
pub(super) fn action(asked: &ScheduleSpecArgs) -> Result<Option<ScheduledAction>, CommandError> {
    let ScheduleSpecArgs { remind, message, call, .. } = asked;
    Ok(match (remind, message, call.as_deref()) {
        (Some(text), ..) => Some(ScheduledAction::Remind { text: text.clone(), timer: false }),
        (_, Some(message), _) => Some(ScheduledAction::Turn { message: message.clone() }),
        (_, _, Some([tool, arguments])) => {
            let read = serde_json::from_str(arguments).ok().filter(Value::is_object);
            let arguments = read.ok_or_else(|| {
                usage(format!("--call: the arguments `{arguments}` are no JSON object; write {{}} for none"))
            })?;
            Some(ScheduledAction::Call { tool: tool.clone(), arguments, digest: String::new() })
        }
        _ => None,
    })
}

/// What happens to late runs: `run_late:1h`, `skip` or `once`.
pub(super) fn catch_up(text: &str) -> Result<CatchUp, CommandError> {
    match text.split_once(':') {
        None if text == "skip" => Ok(CatchUp::Skip),
        None if text == "once" => Ok(CatchUp::Once),
        Some(("run_late", window)) => Ok(CatchUp::RunLate { window_ms: millis("--late", window)? }),
        _ => Err(usage(format!("--late: `{text}` is no policy; use run_late:1h, skip or once"))),
    }
}

/// A session by its id or its name.
pub(super) fn session(text: &str) -> Result<SessionRef, CommandError> {
    if let Ok(id) = text.parse::<SessionId>() {
        return Ok(id.into());
    }
    let name = text.parse().map_err(|error| usage(format!("--session: {error}")))?;
    Ok(SessionRef { session_id: None, conversation_id: Some(name) })
}

/// A length of time, as `10m` or `1h30m`, in milliseconds.
pub(super) fn millis(option: &str, text: &str) -> Result<u64, CommandError> {
    let wrong = || usage(format!("{option}: `{text}` is no length of time; write it as 90s, 10m, 1h30m or 2d"));
    let span: Span = text.trim().parse().map_err(|_| wrong())?;
    // Months and years differ in length: they need a date.
    let days = SpanRelativeTo::days_are_24_hours();
    let millis = span.total((Unit::Millisecond, days)).map_err(|_| wrong())?;
    if millis < 1.0 {
        return Err(wrong());
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1; the cast saturates")]
    let whole = millis as u64;
    Ok(whole)
}

/// A time on a clock, or a moment with its offset from UTC.
fn time(option: &str, text: &str) -> Result<When, CommandError> {
    // First: a clock would ignore the offset.
    match text.trim().parse::<Timestamp>() {
        Ok(at) => Ok(When::At { at }),
        Err(_) => Ok(When::Local { at: clock(option, text)? }),
    }
}

fn clock(option: &str, text: &str) -> Result<LocalTime, CommandError> {
    let read: Result<DateTime, _> = text.trim().parse();
    // A date alone would silently mean midnight.
    let read = read.ok().filter(|_| text.contains(':'));
    read.map(LocalTime::from)
        .ok_or_else(|| usage(format!("{option}: `{text}` is no time; write it as \"2026-11-19 07:00\"")))
}

/// A moment on the clock of a zone, in whole seconds.
fn on_clock(at: Timestamp, zone: &str) -> Result<LocalTime, CommandError> {
    let zone = TimeZone::get(zone).map_err(|_| usage(format!("--zone: `{zone}` is not a time zone")))?;
    let moment = Moment::from_second(at.as_millis().div_euclid(1_000)).map_err(anyhow::Error::from)?;
    Ok(zone.to_datetime(moment).into())
}

fn usage(text: String) -> CommandError {
    CommandError::Usage(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_read_and_wrong_ones_are_refused() {
        for (text, expected) in
            [("90s", 90_000), ("10m", 600_000), ("1h30m", 5_400_000), ("2d", 172_800_000), ("1w", 604_800_000)]
        {
            assert_eq!(millis("--in", text).unwrap(), expected, "{text}");
        }
        for text in ["", "soon", "10", "-5m", "0s", "1mo"] {
            let refused = millis("--in", text).unwrap_err().to_string();
            assert!(refused.contains("10m"), "{text}: {refused}");
        }
    }

    #[test]
    fn a_time_with_an_offset_is_a_moment_and_one_without_is_a_clock() {
        let local = |text: &str| When::Local { at: text.parse().unwrap() };
        assert_eq!(time("--at", "2026-11-19 07:00").unwrap(), local("2026-11-19T07:00:00"));
        assert_eq!(time("--at", "2026-11-19T07:00:30").unwrap(), local("2026-11-19T07:00:30"));
        let at = "2026-11-19T06:00:00Z".parse().unwrap();
        assert_eq!(time("--at", "2026-11-19T07:00:00+01:00").unwrap(), When::At { at });
        for text in ["tomorrow", "2026-11-19", "07:00", "2026-13-01 07:00"] {
            assert!(time("--at", text).is_err(), "{text}");
        }
    }

    #[test]
    fn policies_for_late_runs_are_read() {
        assert_eq!(catch_up("run_late:1h").unwrap(), CatchUp::RunLate { window_ms: 3_600_000 });
        assert_eq!((catch_up("skip").unwrap(), catch_up("once").unwrap()), (CatchUp::Skip, CatchUp::Once));
        for text in ["run_late", "skip:1h", "always", "run_late:x"] {
            assert!(catch_up(text).is_err(), "{text}");
        }
    }
}
