//! `date_math`: a date some days away, or the days between two dates.

use async_trait::async_trait;
use jiff::{
    Span, Unit,
    civil::{Date, DateDifference},
};
use ports::ToolFailure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::zone::Zones;
use crate::tool::{CallContext, Declaration, Tool};

/// The longest text of an amount to add.
const ADD_CHARS_MAX: usize = 100;

/// Calculates with dates.
pub(super) struct DateMath(pub(super) Zones);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Where to start: `today`, `tomorrow`, `yesterday` or a date as in `2026-02-28`; `today` if
    /// absent.
    #[serde(default)]
    from: Option<String>,
    /// What to add, as in `3 weeks`, `-2 months 1 day` or `10 days ago`.
    #[serde(default)]
    add: Option<String>,
    /// Count the days until this date instead, written like `from`.
    #[serde(default)]
    until: Option<String>,
    /// The time zone that decides which day is today; the user's own if absent.
    #[serde(default)]
    time_zone: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DateMathOutput {
    /// Where it started.
    from: String,
    /// The date that was asked for.
    date: String,
    /// Its day of the week.
    weekday: String,
    /// How many days after `from` it is; negative if before.
    days: i32,
}

#[async_trait]
impl Tool for DateMath {
    type Input = Input;
    type Output = DateMathOutput;

    fn declaration(&self) -> Declaration {
        Declaration::new(
            "date_math",
            "Adds days, weeks, months or years to a date, or counts the days until one, and tells the weekday. Use it \
             instead of calculating dates yourself.",
        )
        .computes()
        .about(&[
            "day",
            "days",
            "week",
            "weeks",
            "month",
            "months",
            "year",
            "years",
            "date",
            "weekday",
            "calendar",
            "tomorrow",
            "yesterday",
            "ago",
            "until",
            "deadline",
            "birthday",
        ])
    }

    async fn call(&self, input: Input, context: &CallContext) -> Result<DateMathOutput, ToolFailure> {
        let today = self.0.at(context.now, input.time_zone.as_deref()).map_err(ToolFailure::Invalid)?.date();
        let from = match &input.from {
            Some(text) => date("from", text, today)?,
            None => today,
        };
        let date = match (&input.add, &input.until) {
            (Some(_), Some(_)) => {
                return Err(ToolFailure::Invalid("give either `add` or `until`, not both".to_owned()));
            }
            (Some(add), None) => amount(add)?.after(from)?,
            (None, Some(until)) => date("until", until, today)?,
            (None, None) => from,
        };
        let between = from.until(DateDifference::new(date).largest(Unit::Day)).map_err(|_| out_of_range())?;
        Ok(DateMathOutput {
            from: from.to_string(),
            date: date.to_string(),
            weekday: date.strftime("%A").to_string(),
            days: between.get_days(),
        })
    }
}

fn out_of_range() -> ToolFailure {
    ToolFailure::Invalid("the result is beyond the years -9999 to 9999".to_owned())
}

fn date(field: &str, text: &str, today: Date) -> Result<Date, ToolFailure> {
    let moved = |days| Amount { months: 0, days }.after(today);
    match text.trim().to_lowercase().as_str() {
        "today" | "now" => Ok(today),
        "tomorrow" => moved(1),
        "yesterday" => moved(-1),
        written => written.parse().map_err(|_| {
            let shown: String = text.chars().take(40).collect();
            ToolFailure::Invalid(format!(
                "`{field}`: `{shown}` is not a date; write `today` or a date as in `2026-02-28`"
            ))
        }),
    }
}

/// An amount to add. Months are added first, as is usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Amount {
    months: i64,
    days: i64,
}

impl Amount {
    fn after(self, date: Date) -> Result<Date, ToolFailure> {
        let months = Span::new().try_months(self.months).and_then(|months| date.checked_add(months));
        let days = months.and_then(|date| date.checked_add(Span::new().try_days(self.days)?));
        days.map_err(|_| out_of_range())
    }
}

/// Parses numbers with units, as in `-2 months 1 day`; `ago` at the end negates all of them.
fn amount(text: &str) -> Result<Amount, ToolFailure> {
    let wrong = |why: &str| {
        let shown: String = text.chars().take(40).collect();
        ToolFailure::Invalid(format!(
            "`add`: {why} in `{shown}`; write numbers with days, weeks, months or years, as in `3 weeks`"
        ))
    };
    if text.chars().count() > ADD_CHARS_MAX {
        return Err(wrong("there is too much"));
    }
    let spaced = text.to_lowercase().replace(" and ", " ").replace(',', " ");
    let (rest, is_ago) = match spaced.trim().strip_suffix("ago") {
        Some(rest) => (rest.trim(), true),
        None => (spaced.trim(), false),
    };
    if rest.is_empty() {
        return Err(wrong("there is nothing"));
    }
    let (mut months, mut days) = (0i64, 0i64);
    let mut rest = rest;
    while !rest.is_empty() {
        let (number, after) = number(rest).ok_or_else(|| wrong("a number is missing or too large"))?;
        let end = after.find(|char: char| !char.is_alphabetic()).unwrap_or(after.len());
        let unit = &after[..end];
        let (kept, each) = match unit {
            "day" | "days" | "d" => (&mut days, 1),
            "week" | "weeks" | "w" => (&mut days, 7),
            "fortnight" | "fortnights" => (&mut days, 14),
            "month" | "months" => (&mut months, 1),
            "quarter" | "quarters" => (&mut months, 3),
            "year" | "years" | "y" => (&mut months, 12),
            "" => return Err(wrong("a unit is missing")),
            _ => return Err(wrong(&format!("`{unit}` is not a unit of dates"))),
        };
        *kept = kept.saturating_add(number.saturating_mul(each));
        rest = after[end..].trim_start();
    }
    let sign = if is_ago { -1 } else { 1 };
    Ok(Amount { months: months.saturating_mul(sign), days: days.saturating_mul(sign) })
}

/// A signed whole number, and the rest of the text.
fn number(text: &str) -> Option<(i64, &str)> {
    let sign = usize::from(text.starts_with(['+', '-']));
    let after_sign = text[sign..].trim_start();
    let end = after_sign.find(|char: char| !char.is_ascii_digit()).unwrap_or(after_sign.len());
    let size: i64 = after_sign[..end].parse().ok()?;
    Some((if text.starts_with('-') { -size } else { size }, after_sign[end..].trim_start()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(add: &str, expected: (i64, i64)) {
        let (months, days) = expected;
        assert_eq!(amount(add), Ok(Amount { months, days }), "{add}");
    }

    #[test]
    fn amounts_are_read() {
        check("3 weeks", (0, 21));
        check("-2 months 1 day", (-2, 1));
        check("1 year, 2 months and 3 days", (14, 3));
        check("+5d", (0, 5));
        check("- 1 quarter", (-3, 0));
        check("10 days ago", (0, -10));
        check("1 fortnight", (0, 14));
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for (add, why) in [
            ("", "there is nothing"),
            ("ago", "there is nothing"),
            ("soon", "a number is missing"),
            ("3", "a unit is missing"),
            ("3 hours", "`hours` is not a unit of dates"),
            ("99999999999999999999 days", "too large"),
            ("9000000 days", "beyond the years"),
            (&"1 day ".repeat(40), "too much"),
        ] {
            let error =
                amount(add).and_then(|amount| amount.after(Date::constant(2026, 2, 28))).unwrap_err().to_string();
            assert!(error.contains(why), "{add}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,30}") {
            let _ = amount(&text);
            let _ = date("from", &text, Date::constant(2026, 2, 28));
        }

        #[test]
        fn no_amount_makes_it_panic(text in "([-+]?[0-9]{1,20} ?(days|weeks|months|years|ago) ?){1,3}") {
            let _ = amount(&text).and_then(|amount| amount.after(Date::constant(2026, 2, 28)));
        }
    }
}
