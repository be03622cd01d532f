//! Recurrence rules of RFC 5545, on a clock that never changes.
//!
//! The library counts from the start of a rule, which takes long for a rule that began years ago.
//! A rule without `COUNT` therefore is given a later start: everything that the original start
//! implies is written into the rule first, and the start moves by whole intervals.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Span, Timestamp, ToSpan, civil::DateTime, tz::TimeZone};
use recurrence::RRuleSet;

use super::{COUNT_MAX, RULE_CHARS_MAX, TimeError, wall::WallTimes};

const PARTS: &[&str] = &[
    "FREQ",
    "INTERVAL",
    "COUNT",
    "UNTIL",
    "WKST",
    "BYMONTH",
    "BYWEEKNO",
    "BYYEARDAY",
    "BYMONTHDAY",
    "BYDAY",
    "BYHOUR",
    "BYMINUTE",
    "BYSECOND",
    "BYSETPOS",
];
const INTERVAL_MAX: u16 = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Frequency {
    Yearly,
    Monthly,
    Weekly,
    Daily,
    Hourly,
    Minutely,
}

/// The last time of a rule.
#[derive(Debug, Clone, Copy)]
pub(super) enum RuleEnd {
    Moment(Timestamp),
    Local(DateTime),
}

/// The times of a recurrence rule.
#[derive(Debug, Clone)]
pub(super) struct RruleTimes {
    frequency: Frequency,
    interval: u16,
    start: DateTime,
    /// The rule with all that the start implies, without `COUNT` and `UNTIL`.
    rule: String,
    end: Option<RuleEnd>,
    /// All times, if the rule counts them.
    counted: Option<Vec<DateTime>>,
}

impl RruleTimes {
    pub(super) fn parse(rule: &str, start: DateTime) -> Result<Self, TimeError> {
        let mut parts = read_parts(rule)?;
        let frequency = read_frequency(&parts)?;
        let interval = match parts.get("INTERVAL") {
            Some(text) => text.parse().ok().filter(|interval| (1..=INTERVAL_MAX).contains(interval)),
            None => Some(1),
        };
        let interval = interval.ok_or_else(|| refused(format!("INTERVAL is a number from 1 to {INTERVAL_MAX}")))?;
        let end = parts.remove("UNTIL").map(|text| read_until(&text)).transpose()?;
        let count = parts.remove("COUNT").map(|text| read_count(&text)).transpose()?;
        if count.is_some() && end.is_some() {
            return Err(refused("it has both COUNT and UNTIL".to_owned()));
        }
        if parts.get("BYSECOND").is_some_and(|seconds| seconds.contains(',')) {
            return Err(refused("it runs more than once a minute".to_owned()));
        }
        // Fractions of a second are not part of iCalendar.
        let start = start.with().subsec_nanosecond(0).build().map_err(|_| TimeError::TooFar)?;
        add_implied(&mut parts, frequency, start);
        let rule = parts.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(";");
        let mut times = Self { frequency, interval, start, rule, end, counted: None };
        times.set(start).map_err(|error| refused(error.to_string()))?;
        if let Some(count) = count {
            times.counted = Some(times.times_from(start).take(count).collect());
        }
        if times.at_or_after(start).is_none() {
            return Err(refused("no date matches it".to_owned()));
        }
        Ok(times)
    }

    pub(super) fn end(&self) -> Option<RuleEnd> {
        self.end
    }

    fn set(&self, start: DateTime) -> Result<RRuleSet, recurrence::RRuleError> {
        let text = format!("DTSTART:{}\nRRULE:{}", start.strftime("%Y%m%dT%H%M%SZ"), self.rule);
        text.parse::<RRuleSet>().map(RRuleSet::limit)
    }

    fn times_from(&self, start: DateTime) -> impl Iterator<Item = DateTime> {
        let sets = self.set(start).ok().into_iter();
        sets.flat_map(|set| (&set).into_iter())
            .filter_map(|time| Timestamp::from_second(time.timestamp()).ok())
            .map(|moment| TimeZone::UTC.to_datetime(moment))
    }

    /// A start of which the rule makes the same times from `from` on.
    fn start_near(&self, from: DateTime) -> DateTime {
        self.later_start(from).unwrap_or(self.start)
    }

    fn later_start(&self, from: DateTime) -> Option<DateTime> {
        let interval = i64::from(self.interval);
        let passed = from.duration_since(self.start);
        let (units, whole_period): (i64, fn(i64) -> Span) = match self.frequency {
            Frequency::Yearly => (i64::from(from.year()) - i64::from(self.start.year()), |years| years.years()),
            Frequency::Monthly => (months(from) - months(self.start), |months| months.months()),
            Frequency::Weekly => (passed.as_hours() / 24 / 7, |weeks| weeks.weeks()),
            Frequency::Daily => (passed.as_hours() / 24, |days| days.days()),
            Frequency::Hourly => (passed.as_hours(), |hours| hours.hours()),
            Frequency::Minutely => (passed.as_mins(), |minutes| minutes.minutes()),
        };
        // One interval of reserve, since a period may begin before `from` and reach beyond it.
        let skipped = (units / interval).checked_sub(2).filter(|skipped| *skipped > 0)?;
        let base = match self.frequency {
            Frequency::Yearly => self.start.with().month(1).day(1).build().ok()?,
            Frequency::Monthly => self.start.with().day(1).build().ok()?,
            _ => self.start,
        };
        base.checked_add(whole_period(skipped.checked_mul(interval)?)).ok()
    }
}

impl WallTimes for RruleTimes {
    fn at_or_after(&self, from: DateTime) -> Option<DateTime> {
        let next = match &self.counted {
            Some(times) => times.get(times.partition_point(|time| *time < from)).copied(),
            None => self.times_from(self.start_near(from)).find(|time| *time >= from),
        }?;
        match self.end {
            Some(RuleEnd::Local(end)) => (next <= end).then_some(next),
            _ => Some(next),
        }
    }

    fn is_frequent(&self) -> bool {
        self.frequency >= Frequency::Hourly
    }
}

fn months(time: DateTime) -> i64 {
    i64::from(time.year()) * 12 + i64::from(time.month())
}

fn refused(why: String) -> TimeError {
    TimeError::Rrule { why }
}

fn read_parts(rule: &str) -> Result<BTreeMap<String, String>, TimeError> {
    if rule.chars().count() > RULE_CHARS_MAX {
        return Err(TimeError::RuleTooLong);
    }
    let rule = rule.trim().to_ascii_uppercase();
    let rule = rule.strip_prefix("RRULE:").unwrap_or(&rule);
    let mut parts = BTreeMap::new();
    for part in rule.split(';').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').ok_or_else(|| refused(format!("`{part}` has no value")))?;
        if !PARTS.contains(&name) {
            return Err(refused(format!("`{name}` is not a part of a rule")));
        }
        if parts.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(refused(format!("it has {name} twice")));
        }
    }
    Ok(parts)
}

fn read_frequency(parts: &BTreeMap<String, String>) -> Result<Frequency, TimeError> {
    match parts.get("FREQ").map(String::as_str) {
        Some("YEARLY") => Ok(Frequency::Yearly),
        Some("MONTHLY") => Ok(Frequency::Monthly),
        Some("WEEKLY") => Ok(Frequency::Weekly),
        Some("DAILY") => Ok(Frequency::Daily),
        Some("HOURLY") => Ok(Frequency::Hourly),
        Some("MINUTELY") => Ok(Frequency::Minutely),
        Some("SECONDLY") => Err(refused("it runs more than once a minute".to_owned())),
        _ => Err(refused("it needs a FREQ from YEARLY to MINUTELY".to_owned())),
    }
}

fn read_count(text: &str) -> Result<usize, TimeError> {
    let count: Option<u32> = text.parse().ok();
    let count = count.filter(|count| (1..=COUNT_MAX).contains(count));
    count.map(|count| count as usize).ok_or_else(|| refused(format!("COUNT is a number from 1 to {COUNT_MAX}")))
}

/// `20271231T235959Z`, the same without `Z` for the clock's time, or a whole day.
fn read_until(text: &str) -> Result<RuleEnd, TimeError> {
    let wrong = |_| refused("UNTIL is a time as 20271231T235959Z".to_owned());
    if let Some(utc) = text.strip_suffix('Z') {
        let time = DateTime::strptime("%Y%m%dT%H%M%S", utc).map_err(wrong)?;
        return TimeZone::UTC.to_timestamp(time).map(RuleEnd::Moment).map_err(wrong);
    }
    if text.contains('T') {
        return DateTime::strptime("%Y%m%dT%H%M%S", text).map(RuleEnd::Local).map_err(wrong);
    }
    let day = jiff::civil::Date::strptime("%Y%m%d", text).map_err(wrong)?;
    let end = day.to_datetime(jiff::civil::Time::midnight()).checked_add(SignedDuration::from_secs(86_399));
    end.map(RuleEnd::Local).map_err(wrong)
}

/// Writes into the rule what its start implies.
fn add_implied(parts: &mut BTreeMap<String, String>, frequency: Frequency, start: DateTime) {
    let has = |parts: &BTreeMap<String, String>, name: &str| parts.contains_key(name);
    let names_days = ["BYWEEKNO", "BYYEARDAY", "BYMONTHDAY", "BYDAY"].iter().any(|name| has(parts, name));
    let mut imply = |name: &str, value: String| {
        parts.entry(name.to_owned()).or_insert(value);
    };
    if !names_days {
        match frequency {
            Frequency::Yearly => {
                imply("BYMONTH", start.month().to_string());
                imply("BYMONTHDAY", start.day().to_string());
            }
            Frequency::Monthly => imply("BYMONTHDAY", start.day().to_string()),
            Frequency::Weekly => imply("BYDAY", start.strftime("%a").to_string()[..2].to_ascii_uppercase()),
            Frequency::Daily | Frequency::Hourly | Frequency::Minutely => {}
        }
    }
    if frequency < Frequency::Hourly {
        imply("BYHOUR", start.hour().to_string());
    }
    if frequency < Frequency::Minutely {
        imply("BYMINUTE", start.minute().to_string());
    }
    imply("BYSECOND", start.second().to_string());
}
