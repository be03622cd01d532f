//! Cron expressions of five fields, on a clock that never changes.

use cronexpr::{Crontab, FallbackTimezoneOption, MakeTimestamp, ParseOptions};
use jiff::{SignedDuration, ToSpan, civil::DateTime, tz::TimeZone};

use super::{RULE_CHARS_MAX, TimeError, wall::WallTimes};

/// The library searches four years at a time. A leap day on a given weekday comes every 28 years,
/// and around 2100 every 40.
const SEARCHES_MAX: usize = 11;

/// The times of a cron expression.
#[derive(Debug, Clone)]
pub(super) struct CronTimes {
    table: Crontab,
    is_frequent: bool,
}

impl CronTimes {
    pub(super) fn parse(expression: &str) -> Result<Self, TimeError> {
        if expression.chars().count() > RULE_CHARS_MAX {
            return Err(TimeError::RuleTooLong);
        }
        let refused = |why: String| TimeError::Cron { expression: expression.to_owned(), why };
        let fields: Vec<&str> = expression.split_whitespace().collect();
        // The library takes a time zone as a sixth field; ours is the schedule's.
        if fields.len() != 5 {
            return Err(refused(format!("it has {} fields", fields.len())));
        }
        let mut options = ParseOptions::default();
        options.fallback_timezone_option = FallbackTimezoneOption::UTC;
        let table = cronexpr::parse_crontab_with(&fields.join(" "), options)
            .map_err(|error| refused(error.to_string().lines().next_back().unwrap_or_default().trim().to_owned()))?;
        let is_frequent = fields.get(1).is_some_and(|hour| hour.starts_with('*'));
        let times = Self { table, is_frequent };
        if times.at_or_after(DateTime::constant(2024, 1, 1, 0, 0, 0, 0)).is_none() {
            return Err(refused("no date matches it".to_owned()));
        }
        Ok(times)
    }
}

impl WallTimes for CronTimes {
    fn at_or_after(&self, from: DateTime) -> Option<DateTime> {
        let utc = TimeZone::UTC;
        // The library looks for a later minute.
        let mut before = from.checked_sub(SignedDuration::from_nanos(1)).ok()?;
        for _ in 0..SEARCHES_MAX {
            let moment = utc.to_timestamp(before).ok()?;
            if let Ok(next) = self.table.find_next(MakeTimestamp(moment)) {
                return Some(next.datetime());
            }
            before = before.checked_add(4.years()).ok()?;
        }
        None
    }

    fn is_frequent(&self) -> bool {
        self.is_frequent
    }
}
