//! The time and the date: now, in other places, in three weeks, until Christmas. Tools do the
//! calculation; only a date without a year is completed here, from the prompt's own time.

use protocol::Timestamp;
use serde_json::{Value, json};

use super::{
    PromptContext, ReplyStep, cities,
    dates::{self, Date, DateDirection},
    tools,
    words::{Clause, Word, fits},
};

const TIME: &[&str] = &[
    "what time is it",
    "what time it is",
    "what is the? current|exact|local? time",
    "do you have the time",
    "give|show me? the current|local? time",
    "tell me the current|local? time",
];

/// Too short to be a question about the time unless only a known place follows.
const TIME_IN_SHORT: &[&str] = &["the? current|local time", "the time", "time now", "time"];

const DATE: &[&str] = &[
    "what|which day of? the? week? is it|today",
    "what|which day it is",
    "what|which date is it|today",
    "what|which year|month|week is it",
    "what is the? current? date",
    "what is the? current year|month|day",
    "what is today's date",
    "what is today",
    "today's date",
    "the? current date",
    "give|show|tell me the? current|today's? date",
];

/// What is the date …
const DATE_OF: &[&str] = &[
    "what|which day|date of? the? week? is|was|will it? be?",
    "what is|was|will the? date|day be?",
    "what will be the date|day",
    "the? date",
];

const FILLERS: &[&str] = &["right? now|currently|today|exactly|there", "at the moment"];

/// A call if the clause asks for the time or a date.
pub fn recognise(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    let now = scene.prompt.now;
    if let Some(arguments) = until(clause, now).or_else(|| date_of(clause, now)) {
        return Some(tools::call(scene.prompt, tools::DATE_MATH, arguments));
    }
    current(clause, scene)
}

fn current(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    let in_full = clause.begins_any(TIME).or_else(|| clause.begins_any(DATE));
    let count = in_full.or_else(|| clause.begins_any(TIME_IN_SHORT))?;
    let rest = without_fillers(clause.words_after(count));
    if rest.is_empty() {
        let is_now = in_full.is_some() || clause.words().len() > 1;
        return is_now.then(|| here(scene));
    }
    let skipped = fits(rest, "over? in|at|for")?;
    let place = rest.get(skipped..).filter(|place| !place.is_empty())?;
    let asked = written(clause.text, place);
    if let Some(zone) = zone(place, asked) {
        return Some(tools::call(scene.prompt, tools::CURRENT_TIME, json!({ "time_zone": zone })));
    }
    // "The time in the recipe" is not about a zone, and two places are matched one by one.
    let is_place = place.len() <= 3
        && place.iter().all(|word| word.text != "and")
        && fits(place, "the|my|our|your|this|that|a|an|which|what").is_none();
    (in_full.is_some() && is_place).then(|| {
        ReplyStep::Say(format!(
            "I do not know the time zone of {asked}. Name it as in \"what time is it in Europe/Paris\"."
        ))
    })
}

/// A call for one more place, named after "and": "what time is it in Paris and London".
pub fn another_place(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    let count = clause.begins("in?")?;
    let place = without_fillers(clause.words_after(count));
    let zone = zone(place, written(clause.text, place))?;
    Some(tools::call(scene.prompt, tools::CURRENT_TIME, json!({ "time_zone": zone })))
}

/// The prompt contains the time, so that an answer in UTC needs no tool.
fn here(scene: &PromptContext<'_>) -> ReplyStep {
    let now = scene.prompt.now;
    match tools::call(scene.prompt, tools::CURRENT_TIME, json!({})) {
        ReplyStep::Say(missing) => {
            let moment = now.to_string();
            let time = moment.get(11..16).unwrap_or(&moment);
            let (weekday, day) = (dates::weekday(now), dates::spoken(now));
            ReplyStep::Say(format!("{missing} By the clock of this server it is {time} UTC on {weekday}, {day}."))
        }
        call => call,
    }
}

fn zone(place: &[Word], asked: &str) -> Option<String> {
    let name = place.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    if let Some(zone) = cities::zone(&name) {
        return Some(zone.to_owned());
    }
    let is_iana =
        asked.contains('/') && asked.chars().all(|char| char.is_ascii_alphanumeric() || "/_-+".contains(char));
    is_iana.then(|| asked.to_owned())
}

/// The words as they were written.
fn written<'a>(text: &'a str, words: &[Word]) -> &'a str {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => &text[first.start..last.end],
        _ => "",
    }
}

fn without_fillers(mut words: &[Word]) -> &[Word] {
    loop {
        let shorter = (1..=3).rev().find(|count| {
            let last = words.len().checked_sub(*count).map(|at| &words[at..]);
            last.is_some_and(|last| FILLERS.iter().any(|rule| fits(last, rule) == Some(*count)))
        });
        match shorter {
            Some(count) => words = &words[..words.len() - count],
            None => return words,
        }
    }
}

/// "How many days until 24 December", "how long since …", "how many days between … and …".
fn until(clause: &Clause<'_>, now: Timestamp) -> Option<Value> {
    let count = clause.begins_any(&[
        "how many more? days|weeks|months|nights are|is? there|left|it?",
        "how long is? it? there?",
        "how far away? is",
        "the? number of days",
        "days|weeks",
    ])?;
    let rest = clause.words_after(count);
    if let Some(skipped) = fits(rest, "between|from") {
        let (from, used) = dates::date(&rest[skipped..], now, DateDirection::Ahead)?;
        let rest = &rest[skipped + used..];
        let skipped = fits(rest, "and|to|until|till")?;
        let (until, used) = dates::date(&rest[skipped..], now, DateDirection::Ahead)?;
        return is_over(&rest[skipped + used..]).then(|| json!({ "from": from.iso(), "until": until.iso() }));
    }
    if let Some(skipped) = fits(rest, "since").or_else(|| fits(rest, "ago is|was")) {
        let (from, used) = dates::date(&rest[skipped..], now, DateDirection::Behind)?;
        let today = Date::of(now)?.iso();
        return is_over(&rest[skipped + used..]).then(|| json!({ "from": from.iso(), "until": today }));
    }
    let skipped = fits(rest, "until|till|to|before")?;
    let (until, used) = dates::date(&rest[skipped..], now, DateDirection::Ahead)?;
    is_over(&rest[skipped + used..]).then(|| json!({ "from": "today", "until": until.iso() }))
}

/// "What's the date in 3 weeks", "what day was 10 days ago", "what day is 24 December".
fn date_of(clause: &Clause<'_>, now: Timestamp) -> Option<Value> {
    // "The day" may belong to the date that is asked for.
    let is_relative = clause.begins("what is|was the? day after|before tomorrow|yesterday").is_some();
    let count = if is_relative { 2 } else { clause.begins_any(DATE_OF)? };
    let rest = clause.words_after(count);
    let skipped = fits(rest, "in|be?")?;
    let timed = &rest[skipped..];
    if let Some((span, used)) = dates::span(timed) {
        let after = &timed[used..];
        if (skipped > 0 && is_over(after))
            || is_over_after(after, "from now|today")
            || is_over_after(after, "after today")
        {
            return Some(json!({ "from": "today", "add": span }));
        }
        if is_over_after(after, "ago") || is_over_after(after, "before today") {
            return Some(json!({ "from": "today", "add": format!("-{span}") }));
        }
        let (sign, used) = match (fits(after, "after|from"), fits(after, "before")) {
            (Some(used), _) => ("", used),
            (_, Some(used)) => ("-", used),
            _ => return None,
        };
        let (from, more) = dates::date(&after[used..], now, DateDirection::Ahead)?;
        let add = format!("{sign}{span}");
        return is_over(&after[used + more..]).then(|| json!({ "from": from.iso(), "add": add }));
    }
    let (date, used) = dates::date(rest, now, DateDirection::Ahead)?;
    // Today's date needs no calculation; the clock has it.
    let is_another = Date::of(now) != Some(date);
    (is_another && is_over(&rest[used..])).then(|| json!({ "from": date.iso(), "add": "0 days" }))
}

fn is_over(words: &[Word]) -> bool {
    without_fillers(words).is_empty()
}

fn is_over_after(words: &[Word], rule: &str) -> bool {
    fits(words, rule).is_some_and(|used| is_over(&words[used..]))
}
