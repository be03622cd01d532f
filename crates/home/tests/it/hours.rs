//! Lists of commands with an hour or a part of a day, and of such with a percentage or a
//! temperature in the same place, in `crates/testkit/lists/hours`. A turn reads a sentence for a
//! schedule first, and what is left then for the home: these lists go the same way. A command with
//! a time is planned for that time or refused, never carried out at once, and a value is no time.
#![allow(clippy::print_stderr, reason = "the lists are a measurement, too")]

use std::{fs, path::Path};

use home::{HomeReflexes, grammars};
use ports::Reflex;
use protocol::Timestamp;
use schedule::{ScheduleKind, ScheduleOrder, SentenceContext, Timetable, read_sentence, time_zone};
use serde::Deserialize;

use crate::home_lists::{ListConversation, ListedCall, ListedHome, ListedSentence, Verdict};

const ZONE: &str = "Europe/Berlin";
/// A Wednesday, 10 in the morning in Berlin.
const NOW: &str = "2026-11-18T09:00:00Z";
/// The languages, with the share of right results that is required, in percent.
const LANGUAGES: &[(&str, usize)] = &[("en", 85), ("de", 70), ("es", 65), ("fr", 65), ("it", 65), ("nl", 65)];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TimedSentence {
    said: String,
    /// The clock in Berlin at the first run; none for what is carried out at once.
    #[serde(default)]
    at: Option<String>,
    calls: Vec<ListedCall>,
}

/// What becomes of a sentence, and when.
struct TimedReading {
    at: Option<String>,
    reflex: Option<Reflex>,
}

fn read(said: &str, language: &str, talk: &ListConversation<'_>) -> TimedReading {
    let now: Timestamp = NOW.parse().unwrap();
    let mut languages: Vec<&str> = schedule::languages().collect();
    languages.sort_by_key(|it| *it != language);
    let order =
        languages.into_iter().find_map(|language| read_sentence(said, &SentenceContext { language, now, zone: ZONE }));
    if let Some(ScheduleOrder::Create { kind: ScheduleKind::Order, text, when }) = order {
        if let Some(reflex) = talk.read(&text).filter(|it| !it.calls.is_empty()) {
            let first = Timetable::new(&when, ZONE, now).unwrap().next_after(now).unwrap();
            let moment = jiff::Timestamp::from_millisecond(first.as_millis()).unwrap();
            let local = time_zone(ZONE).unwrap().to_datetime(moment);
            return TimedReading { at: Some(local.strftime("%Y-%m-%dT%H:%M").to_string()), reflex: Some(reflex) };
        }
        // A time that nothing is planned for keeps it from being done at once.
        return TimedReading { at: None, reflex: talk.read(said).filter(|it| it.calls.is_empty()) };
    }
    TimedReading { at: None, reflex: talk.read(said) }
}

fn verdict(sentence: &TimedSentence, found: &TimedReading, talk: &ListConversation<'_>) -> Verdict {
    let acts = found.reflex.as_ref().is_some_and(|it| !it.calls.is_empty());
    if acts && found.at != sentence.at {
        return Verdict::Wrong;
    }
    talk.judge(&ListedSentence::with_calls(sentence.calls.clone()), found.reflex.as_ref())
}

#[tokio::test(start_paused = true)]
async fn a_command_with_an_hour_is_planned_for_it_or_refused() {
    let lists = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/lists");
    let mut failures = Vec::new();
    for (language, required) in LANGUAGES {
        let home = fs::read_to_string(lists.join("home-4").join(language).join("home.json")).unwrap();
        let home = serde_json::from_str::<ListedHome>(&home).unwrap().furnish();
        let all: Vec<String> = LANGUAGES.iter().map(|(language, _)| (*language).to_owned()).collect();
        let (grammars, _) = grammars(Path::new("nowhere"), Path::new("nowhere"), &all);
        let reflexes = HomeReflexes::new(home.clone(), grammars);
        let talk = ListConversation::new(home, &reflexes, Some(language));
        let list = fs::read_to_string(lists.join("hours").join(format!("{language}.jsonl"))).unwrap();
        let (mut right, mut number) = (0, 0);
        for sentence in list.lines().map(|line| serde_json::from_str::<TimedSentence>(line).unwrap()) {
            let found = read(&sentence.said, language, &talk);
            let verdict = verdict(&sentence, &found, &talk);
            number += 1;
            right += usize::from(verdict == Verdict::Right);
            if verdict != Verdict::Right {
                let calls: Vec<String> =
                    found.reflex.iter().flat_map(|it| &it.calls).map(|it| it.arguments.to_string()).collect();
                eprintln!("{language} {verdict:?}: {:?} -> {:?} {}", sentence.said, found.at, calls.join(" "));
            }
            if verdict == Verdict::Wrong {
                failures.push(sentence.said);
            }
        }
        eprintln!("{language} right {right} of {number}");
        if right * 100 < number * required {
            failures.push(format!("{language}: only {right} of {number} are right"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
