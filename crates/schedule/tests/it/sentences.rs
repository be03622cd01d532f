//! Lists of sentences with their readings, in `crates/testkit/lists/schedules`. They were written
//! before the code, and three in ten must not be understood.

use protocol::{Timestamp, When};
use schedule::{
    ScheduleKind, ScheduleOrder, ScheduleTarget, SentenceContext, Timetable, languages, read_sentence, time_zone,
};
use serde::Deserialize;

const ZONE: &str = "Europe/Berlin";
/// A Wednesday, 10 in the morning in Berlin.
const NOW: &str = "2026-11-18T09:00:00Z";

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ListedReading {
    said: String,
    nothing: bool,
    order: String,
    text: String,
    of: String,
    all: bool,
    about: String,
    after_s: u64,
    by_s: i64,
    /// The clock in Berlin, to the minute.
    local: String,
    rule: String,
    /// The first run of the rule.
    first: String,
}

fn now() -> Timestamp {
    NOW.parse().unwrap()
}

fn kind(kind: Option<ScheduleKind>) -> String {
    match kind {
        Some(ScheduleKind::Reminder) => "reminder",
        Some(ScheduleKind::Timer) => "timer",
        _ => "all",
    }
    .to_owned()
}

/// What was read, in the form of the lists.
fn reading(said: &str, language: &str) -> ListedReading {
    let context = SentenceContext { language, now: now(), zone: ZONE };
    let mut found = ListedReading { said: said.to_owned(), ..Default::default() };
    let Some(order) = read_sentence(said, &context) else { return ListedReading { nothing: true, ..found } };
    let which = |found: &mut ListedReading, which: ScheduleTarget| {
        found.of = kind(which.kind);
        found.all = which.all;
        found.about = which.about.unwrap_or_default();
    };
    match order {
        ScheduleOrder::Create { kind, text, when } => {
            let names =
                [(ScheduleKind::Reminder, "remind"), (ScheduleKind::Timer, "timer"), (ScheduleKind::Order, "do")];
            found.order = names.iter().find(|(name, _)| *name == kind).unwrap().1.to_owned();
            found.text = text;
            add_time(&mut found, &when);
        }
        ScheduleOrder::List { kind: of } => (found.order, found.of) = ("list".to_owned(), kind(of)),
        ScheduleOrder::Cancel(target) => {
            found.order = "cancel".to_owned();
            which(&mut found, target);
        }
        ScheduleOrder::Pause(target) => {
            found.order = "pause".to_owned();
            which(&mut found, target);
        }
        ScheduleOrder::Resume(target) => {
            found.order = "resume".to_owned();
            which(&mut found, target);
        }
        ScheduleOrder::Snooze { which: target, after_ms } => {
            found.order = "snooze".to_owned();
            if target.kind.is_some() {
                which(&mut found, target);
            }
            found.after_s = after_ms / 1_000;
        }
        ScheduleOrder::Change { which: target, when } => {
            found.order = "change".to_owned();
            which(&mut found, target);
            add_time(&mut found, &when);
        }
        ScheduleOrder::Shift { which: target, by_ms } => {
            found.order = "shift".to_owned();
            which(&mut found, target);
            found.by_s = by_ms / 1_000;
        }
    }
    found
}

fn add_time(found: &mut ListedReading, when: &When) {
    let first = Timetable::new(when, ZONE, now()).unwrap().next_after(now()).unwrap();
    let zone = time_zone(ZONE).unwrap();
    let local = zone.to_datetime(jiff::Timestamp::from_millisecond(first.as_millis()).unwrap());
    let local = local.strftime("%Y-%m-%dT%H:%M").to_string();
    match when {
        When::After { after_ms } => found.after_s = after_ms / 1_000,
        When::Rrule { rule, .. } => (found.rule, found.first) = (rule.clone(), local),
        _ => found.local = local,
    }
}

fn compare(language: &str, list: &str, at_least: usize) {
    let expected: Vec<ListedReading> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(expected.len() >= at_least, "only {} sentences", expected.len());
    let nothing = expected.iter().filter(|line| line.nothing).count();
    assert!(nothing * 10 >= expected.len() * 3, "only {nothing} sentences that must not be understood");
    let wrong: Vec<String> = expected
        .iter()
        .map(|line| (line, reading(&line.said, language)))
        .filter(|(line, found)| *line != found)
        .map(|(line, found)| format!("expected {line:?}\n   found {found:?}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), expected.len(), wrong.join("\n"));
}

#[test]
fn english_sentences_are_read_as_listed() {
    compare("en", include_str!("../../../testkit/lists/schedules/en.jsonl"), 120);
}

#[test]
fn german_sentences_are_read_as_listed() {
    compare("de", include_str!("../../../testkit/lists/schedules/de.jsonl"), 60);
}

#[test]
fn spanish_french_italian_and_dutch_sentences_are_read_as_listed() {
    for (language, list) in [
        ("es", include_str!("../../../testkit/lists/schedules/es.jsonl")),
        ("fr", include_str!("../../../testkit/lists/schedules/fr.jsonl")),
        ("it", include_str!("../../../testkit/lists/schedules/it.jsonl")),
        ("nl", include_str!("../../../testkit/lists/schedules/nl.jsonl")),
    ] {
        compare(language, list, 30);
    }
}

#[test]
fn every_language_file_is_loaded() {
    assert_eq!(languages().collect::<Vec<_>>(), ["de", "en", "es", "fr", "it", "nl"]);
    let context = SentenceContext { language: "xx", now: now(), zone: ZONE };
    assert_eq!(read_sentence("snooze", &context), None);
    let austrian = SentenceContext { language: "de-AT", now: now(), zone: ZONE };
    assert!(read_sentence("was ist geplant", &austrian).is_some());
}

#[test]
fn a_sentence_that_asks_to_be_woken_is_a_reminder() {
    let tomorrow = |hour: &str| format!("2026-11-19T{hour}");
    for (language, said, text, local) in [
        ("en", "wake me at 6:30", "wake up", tomorrow("06:30")),
        ("en", "please wake us up tomorrow at 7", "wake up", tomorrow("07:00")),
        ("en", "set an alarm for 6:30", "wake up", tomorrow("06:30")),
        ("en", "set my alarm to 7 am", "wake up", tomorrow("07:00")),
        ("de", "weck mich um 6:30", "aufstehen", tomorrow("06:30")),
        ("de", "stell mir einen Wecker auf 7 Uhr", "aufstehen", tomorrow("07:00")),
        ("es", "despiértame a las 6:30", "despertarse", tomorrow("06:30")),
        ("fr", "réveille-moi à 7h", "se lever", tomorrow("07:00")),
        ("it", "svegliami alle 6:30", "alzarsi", tomorrow("06:30")),
        ("nl", "maak me morgen om 7 uur wakker", "opstaan", tomorrow("07:00")),
        ("nl", "zet de wekker op 7 uur", "opstaan", tomorrow("07:00")),
    ] {
        let expected = ListedReading {
            said: said.to_owned(),
            order: "remind".to_owned(),
            text: text.to_owned(),
            local,
            ..ListedReading::default()
        };
        assert_eq!(reading(said, language), expected);
    }
    for said in ["wake me when it rains", "the alarm went off at 7", "set the alarm", "wake the computer at 7"] {
        assert!(reading(said, "en").nothing, "{said}");
    }
}
