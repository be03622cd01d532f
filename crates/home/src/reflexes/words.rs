//! What is said afterwards: what really happened, in the speaker's language as far as we speak it.

mod english;
mod german;

use protocol::CallStatus;
use serde_json::Value;
use tools::Settled;

use crate::{
    acting::{Called, Outcome, Touched},
    index::Standing,
};

/// Names that are listed; more are counted.
const LISTED_MAX: usize = 5;

/// A language that answers are given in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    /// English, also where we have no words of our own.
    English,
    /// German.
    German,
}

macro_rules! said {
    ($(#[$doc:meta] fn $name:ident(self $(, $arg:ident: $type:ty)*);)*) => {
        $(#[$doc] pub(super) fn $name(self $(, $arg: $type)*) -> String {
            match self {
                Self::English => english::$name($($arg),*),
                Self::German => german::$name($($arg),*),
            }
        })*
    };
}

impl Tongue {
    pub(super) fn of(language: &str) -> Self {
        if language.starts_with("de") { Self::German } else { Self::English }
    }

    /// Whether a question is a polite command: "could you close the blinds?".
    pub(super) fn is_polite(self, message: &str) -> bool {
        let text = crate::plain(message);
        let openings: &[&str] = match self {
            Self::English => &["can you", "could you", "would you", "will you", "please", "can we", "could we"],
            Self::German => &["kannst du", "könntest du", "würdest du", "bitte", "können wir", "magst du"],
        };
        openings.iter().any(|opening| text.starts_with(opening)) || text.ends_with("please") || text.ends_with("bitte")
    }

    said! {
        /// That the home is not a real one.
        fn simulated(self, words: &str);
        /// That the home cannot be reached and this is from before.
        fn out_of_touch(self, words: &str);
        /// That there is no such thing.
        fn nothing_there(self, kind: &str, place: Option<&str>);
        /// Which of several that are called the same.
        fn which_one(self, name: &str, places: &[String]);
        /// Where.
        fn where_to(self, places: &[String]);
        /// How something stands.
        fn stands(self, standing: &Standing);
        /// Where somebody is.
        fn whereabouts(self, name: &str, word: &str);
        /// Whether something is so.
        fn yes_or_no(self, is_so: bool, standing: &Standing);
        /// Whether any is so.
        fn any(self, so: &[&Standing]);
        /// Whether all are so.
        fn all(self, not_so: &[&Standing]);
        /// Which are so.
        fn these(self, so: &[&Standing]);
        /// How many are so.
        fn how_many(self, so: &[&Standing]);
        /// What something measures.
        fn reads(self, name: &str, value: &str);
        /// The weather.
        fn weather(self, degrees: Option<&str>, condition: &str);
        /// What came of a service for entities with the same outcome.
        fn outcome(self, service: &str, outcome: Outcome, touched: &[&Touched], to: Option<&str>);
        /// That a service was called that touches nothing one can look at.
        fn taken(self, service: &str);
        /// That a call did not run.
        fn refused(self, why: &str);
        /// That a call failed.
        fn failed(self, why: &str);
    }
}

/// What came of the calls.
pub(super) fn of_calls(settled: &[Settled], tongue: Tongue) -> String {
    let mut sentences: Vec<String> = Vec::new();
    for call in settled {
        match (call.status, serde_json::from_str::<Called>(&call.content)) {
            (CallStatus::Ok, Ok(called)) => {
                sentences.extend(of_called(&called, set_to(&call.call.arguments).as_deref(), tongue));
            }
            (CallStatus::Ok | CallStatus::Assumed, _) => sentences.push(tongue.taken(&call.call.tool)),
            (CallStatus::Denied, _) => sentences.push(tongue.refused(&call.content)),
            (CallStatus::Error | CallStatus::Cancelled, _) => sentences.push(tongue.failed(&call.content)),
        }
    }
    // The same trouble with several calls is told once.
    let mut told: Vec<String> = Vec::new();
    for sentence in sentences {
        if !told.contains(&sentence) {
            told.push(sentence);
        }
    }
    told.join(" ")
}

fn of_called(called: &Called, to: Option<&str>, tongue: Tongue) -> Vec<String> {
    if called.entities.is_empty() {
        return vec![tongue.taken(&called.service)];
    }
    let order = [
        Outcome::Done,
        Outcome::OnTheWay,
        Outcome::Unverified,
        Outcome::Already,
        Outcome::Unchanged,
        Outcome::Unavailable,
    ];
    let sentences = order.into_iter().filter_map(|outcome| {
        let touched: Vec<&Touched> = called.entities.iter().filter(|touched| touched.outcome == outcome).collect();
        (!touched.is_empty()).then(|| tongue.outcome(&called.service, outcome, &touched, to))
    });
    sentences.collect()
}

/// What something was set to, as it is said.
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

/// Names in a row: `A, B and C`, `A, B and 4 more`.
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
