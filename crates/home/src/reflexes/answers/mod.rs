//! Answers of reflexes: the actual results, in the speaker's language if it is supported.

mod english;
mod german;
mod table;

use ports::ReflexCallResult;
use protocol::CallStatus;
use serde_json::Value;
use table::AnswerTable;

use crate::{
    acting::{AffectedEntity, EntityOutcome, ServiceCallResult},
    index::EntitySnapshot,
};

/// The number of names listed; further ones are counted.
const LISTED_MAX: usize = 5;

/// A language of answers.
#[derive(Debug, Clone, Copy)]
pub(super) enum AnswerLanguage {
    /// English, which is also the fallback.
    English,
    /// German.
    German,
    /// A language whose answers are a file.
    Table(&'static AnswerTable),
}

macro_rules! localized {
    ($(#[$doc:meta] fn $name:ident(self $(, $arg:ident: $type:ty)*);)*) => {
        $(#[$doc] pub(super) fn $name(self $(, $arg: $type)*) -> String {
            match self {
                Self::English => english::$name($($arg),*),
                Self::German => german::$name($($arg),*),
                Self::Table(table) => table.$name($($arg),*),
            }
        })*
    };
}

impl AnswerLanguage {
    pub(super) fn of(language: &str) -> Self {
        match AnswerTable::of(language) {
            Some(table) => Self::Table(table),
            None if language.starts_with("de") => Self::German,
            None => Self::English,
        }
    }

    localized! {
        /// Marks a simulated home.
        fn simulated(self, words: &str);
        /// The home cannot be reached; the answer may be outdated.
        fn out_of_touch(self, words: &str);
        /// There is no such entity.
        fn nothing_there(self, kind: &str, place: Option<&str>);
        /// Which of several entities with the same name.
        fn which_one(self, name: &str, places: &[String]);
        /// In which area.
        fn where_to(self, places: &[String]);
        /// The state of an entity.
        fn stands(self, snapshot: &EntitySnapshot);
        /// The location of a person.
        fn whereabouts(self, name: &str, word: &str);
        /// Whether an entity has a state.
        fn yes_or_no(self, is_so: bool, snapshot: &EntitySnapshot);
        /// Whether any has it.
        fn any(self, so: &[&EntitySnapshot]);
        /// Whether all have it.
        fn all(self, not_so: &[&EntitySnapshot]);
        /// Which have it.
        fn these(self, so: &[&EntitySnapshot]);
        /// How many have it.
        fn how_many(self, so: &[&EntitySnapshot]);
        /// A measured value.
        fn reads(self, name: &str, value: &str);
        /// The weather.
        fn weather(self, degrees: Option<&str>, condition: &str);
        /// The outcome of a service for entities with the same outcome.
        fn outcome(self, service: &str, outcome: EntityOutcome, touched: &[&AffectedEntity], to: Option<&str>);
        /// A service without entities was called.
        fn taken(self, service: &str);
        /// A call was refused.
        fn refused(self, why: &str);
        /// A call failed.
        fn failed(self, why: &str);
    }
}

/// The answer for all calls.
pub(super) fn of_calls(settled: &[ReflexCallResult], answer_language: AnswerLanguage) -> String {
    let mut sentences: Vec<String> = Vec::new();
    for call in settled {
        match (call.status, serde_json::from_str::<ServiceCallResult>(&call.content)) {
            (CallStatus::Ok, Ok(called)) => {
                sentences.extend(of_called(&called, set_to(&call.call.arguments).as_deref(), answer_language));
            }
            (CallStatus::Ok | CallStatus::Assumed, _) => sentences.push(answer_language.taken(&call.call.tool)),
            (CallStatus::Denied, _) => sentences.push(answer_language.refused(&call.content)),
            (CallStatus::Error | CallStatus::Cancelled, _) => sentences.push(answer_language.failed(&call.content)),
        }
    }
    // The same error of several calls is reported once.
    let mut told: Vec<String> = Vec::new();
    for sentence in sentences {
        if !told.contains(&sentence) {
            told.push(sentence);
        }
    }
    told.join(" ")
}

fn of_called(called: &ServiceCallResult, to: Option<&str>, answer_language: AnswerLanguage) -> Vec<String> {
    if called.entities.is_empty() {
        return vec![answer_language.taken(&called.service)];
    }
    let order = [
        EntityOutcome::Done,
        EntityOutcome::OnTheWay,
        EntityOutcome::Unverified,
        EntityOutcome::Already,
        EntityOutcome::Unchanged,
        EntityOutcome::Unavailable,
    ];
    let sentences = order.into_iter().filter_map(|outcome| {
        let touched: Vec<&AffectedEntity> =
            called.entities.iter().filter(|touched| touched.outcome == outcome).collect();
        (!touched.is_empty()).then(|| answer_language.outcome(&called.service, outcome, &touched, to))
    });
    sentences.collect()
}

/// The value that something was set to.
fn set_to(arguments: &Value) -> Option<String> {
    let data = arguments.get("data")?;
    let number = |field: &str| data.get(field).and_then(Value::as_f64);
    let percent = ["brightness_pct", "position", "percentage"].iter().find_map(|field| number(field));
    let percent = percent.or_else(|| number("volume_level").map(|level| (level * 100.0).round()));
    let color = || data.get("color_name").and_then(Value::as_str).map(str::to_owned);
    percent
        .map(|percent| format!("{percent} %"))
        .or_else(|| number("temperature").map(|degrees| format!("{degrees}°")))
        .or_else(|| number("color_temp_kelvin").map(|kelvin| format!("{kelvin} K")))
        .or_else(color)
}

/// A list of names: `A, B and C`, `A, B and 4 more`.
fn listed(names: &[&str], and: &str, more: &str) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        names if names.len() > LISTED_MAX => {
            let shown = LISTED_MAX - 1;
            format!("{} {and} {} {more}", names[..shown].join(", "), names.len() - shown)
        }
        [first @ .., last] => format!("{} {and} {last}", first.join(", ")),
    }
}
