//! The words of answers, by language.

use std::{collections::BTreeMap, sync::LazyLock};

use jiff::{Timestamp as Moment, civil::DateTime};
use protocol::Timestamp;
use serde::Deserialize;

/// Below this time an answer names what is left rather than the clock.
const SPAN_SECONDS_MAX: i64 = 2 * 60 * 60;
/// Seconds that may have passed since a span was said.
const MOMENT_SECONDS: i64 = 2;

/// The words of one language.
#[derive(Debug, Deserialize)]
pub(super) struct Phrases {
    weekdays: Vec<String>,
    months: Vec<String>,
    #[serde(flatten)]
    texts: BTreeMap<String, String>,
}

/// The languages, English first: it stands for those that are missing.
static LANGUAGES: LazyLock<[(&str, Phrases); 6]> = LazyLock::new(|| {
    [
        ("en", read(include_str!("answers/en.toml"))),
        ("de", read(include_str!("answers/de.toml"))),
        ("es", read(include_str!("answers/es.toml"))),
        ("fr", read(include_str!("answers/fr.toml"))),
        ("it", read(include_str!("answers/it.toml"))),
        ("nl", read(include_str!("answers/nl.toml"))),
    ]
});

fn read(text: &str) -> Phrases {
    // A file of the program itself, which a test reads.
    toml::from_str(text).unwrap_or_else(|error| panic!("the answers cannot be read: {error}"))
}

impl Phrases {
    /// The words of a language; English for others.
    pub(super) fn of(language: &str) -> &'static Self {
        let code = language.split(['-', '_']).next().unwrap_or_default();
        let languages = &*LANGUAGES;
        languages.iter().find(|(known, _)| *known == code).map_or(&languages[0].1, |(_, phrases)| phrases)
    }

    /// A text with its gaps filled. One that is not there is its own name, which a test rules out.
    pub(super) fn say(&self, name: &str, gaps: &[(&str, &str)]) -> String {
        let text = self.texts.get(name).map_or(name, String::as_str);
        gaps.iter().fold(text.to_owned(), |text, (gap, value)| text.replace(&format!("{{{gap}}}"), value))
    }

    /// A moment as people say it.
    pub(super) fn moment(&self, at: Timestamp, now: Timestamp, zone: &str) -> String {
        let seconds = whole_minute((at.as_millis() - now.as_millis() + 500).div_euclid(1_000));
        if seconds <= 0 {
            return self.say("now", &[]);
        }
        if seconds <= SPAN_SECONDS_MAX {
            return self.say("in", &[("span", &self.span(seconds))]);
        }
        let clock = |at: Timestamp| -> Option<DateTime> {
            let zone = schedule::time_zone(zone).ok()?;
            Some(zone.to_datetime(Moment::from_millisecond(at.as_millis()).ok()?))
        };
        let (Some(at_clock), Some(now_clock)) = (clock(at), clock(now)) else { return at.to_string() };
        let time = at_clock.strftime("%H:%M").to_string();
        if at_clock.date() == now_clock.date() {
            return self.say("today", &[("time", &time)]);
        }
        if now_clock.date().tomorrow().is_ok_and(|tomorrow| tomorrow == at_clock.date()) {
            return self.say("tomorrow", &[("time", &time)]);
        }
        let weekday = usize::try_from(at_clock.weekday().to_monday_zero_offset()).unwrap_or(0);
        let month = usize::try_from(at_clock.month() - 1).unwrap_or(0);
        let name = if at_clock.year() == now_clock.year() { "date" } else { "date_year" };
        self.say(
            name,
            &[
                ("weekday", self.weekdays.get(weekday).map_or("", String::as_str)),
                ("day", &at_clock.day().to_string()),
                ("month", self.months.get(month).map_or("", String::as_str)),
                ("year", &at_clock.year().to_string()),
                ("time", &time),
            ],
        )
    }

    /// A span as people say it: its two largest parts.
    fn span(&self, seconds: i64) -> String {
        let parts = [("hour", seconds / 3_600), ("minute", seconds / 60 % 60), ("second", seconds % 60)];
        let said = parts.iter().filter(|(_, n)| *n > 0).take(2).map(|(name, n)| match n {
            1 => self.say(&format!("part_{name}"), &[]),
            n => self.say(&format!("part_{name}s"), &[("n", &n.to_string())]),
        });
        said.collect::<Vec<_>>().join(&self.say("and", &[]))
    }
}

/// Rounds up to a minute that is nearly whole: "in 5 minutes" was said a moment ago.
const fn whole_minute(seconds: i64) -> i64 {
    let missing = (60 - seconds % 60) % 60;
    if seconds > 60 && missing <= MOMENT_SECONDS { seconds + missing } else { seconds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_languages_have_the_same_texts_with_the_same_gaps() {
        let gaps = |text: &str| -> std::collections::BTreeSet<String> {
            text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(gap, _)| gap.to_owned()).collect()
        };
        let english = &LANGUAGES[0].1;
        let mut sentences: Vec<&str> = schedule::languages().collect();
        sentences.retain(|code| !LANGUAGES.iter().any(|(known, _)| known == code));
        assert!(sentences.is_empty(), "what is understood is answered in its language: {sentences:?}");
        for (code, phrases) in LANGUAGES.iter() {
            assert_eq!(phrases.texts.keys().collect::<Vec<_>>(), english.texts.keys().collect::<Vec<_>>(), "{code}");
            for (name, text) in &phrases.texts {
                assert_eq!(gaps(text), gaps(&english.texts[name]), "{code}: {name}");
            }
            assert!(phrases.weekdays.len() == 7 && phrases.months.len() == 12, "{code}");
        }
    }

    #[test]
    fn a_moment_is_said_as_people_say_it() {
        let at = |text: &str| text.parse::<Timestamp>().expect("a time");
        let now = at("2026-11-18T09:00:00Z");
        let said = |moment: &str| Phrases::of("en").moment(at(moment), now, "Europe/Berlin");
        assert_eq!(said("2026-11-18T09:10:00Z"), "in 10 minutes");
        assert_eq!(said("2026-11-18T09:04:58Z"), "in 5 minutes");
        assert_eq!(said("2026-11-18T09:00:58Z"), "in 58 seconds");
        assert_eq!(said("2026-11-18T10:30:00Z"), "in one hour and 30 minutes");
        assert_eq!(said("2026-11-18T18:00:00Z"), "today at 19:00");
        assert_eq!(said("2026-11-19T06:00:00Z"), "tomorrow at 07:00");
        assert_eq!(said("2026-11-20T08:00:00Z"), "on Friday, 20 November at 09:00");
        assert_eq!(said("2027-01-03T08:00:00Z"), "on Sunday, 3 January 2027 at 09:00");
        let german = Phrases::of("de").moment(at("2026-11-20T08:00:00Z"), now, "Europe/Berlin");
        assert_eq!(german, "am Freitag, dem 20. November, um 09:00");
        let french = Phrases::of("fr-CA").moment(at("2026-11-18T09:10:00Z"), now, "Europe/Berlin");
        assert_eq!(french, "dans 10 minutes");
    }
}
