//! Sentences that order, list, change or cancel schedules, read by rules.
//!
//! A sentence is compared with the templates of its language (`languages/*.toml`), and must match
//! one from its first word to its last: what is understood in part is not understood.
//!
//! Times without am or pm: with a day ("tomorrow at 3", "every day at 7"), 7 to 11 are in the
//! morning, 12 is noon, and 1 to 6 are in the afternoon. Without a day ("at 7") it is whichever
//! comes first. A part of the day ("in the evening"), an hour above 12 or a leading zero ("07:00")
//! decides. A day without a time means 9 o'clock. "Next Friday" and "on Friday" are the next one to
//! come. "The 31st of each month" skips months without it.

mod conditional;
mod lexicon;
mod phrase;
mod resolve;
mod template;
mod tokens;

use jiff::civil::DateTime;
use protocol::{Timestamp, When};

use crate::times::time_zone;
use lexicon::Lexicon;
use template::{Slots, TemplateMatcher};
use tokens::Sentence;

pub use conditional::{ConditionalOrder, read_conditional};
pub use lexicon::languages;

/// Longer sentences are left to a model.
const WORDS_MAX: usize = 60;
const SNOOZE_MS: u64 = 600_000;

/// What is to be known to read a sentence.
#[derive(Debug, Clone, Copy)]
pub struct SentenceContext<'c> {
    /// The language, as `en`.
    pub language: &'c str,
    /// The time now.
    pub now: Timestamp,
    /// The owner's time zone.
    pub zone: &'c str,
}

/// Sorts of schedules, as people name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleKind {
    /// The owner is reminded of something.
    Reminder,
    /// A time is counted down.
    Timer,
    /// Something is done: a command to the home, or a message that begins a turn.
    Order,
}

/// Which schedules a sentence means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScheduleTarget {
    /// Of this kind; `None` for any.
    pub kind: Option<ScheduleKind>,
    /// All of them, rather than the one that is meant.
    pub all: bool,
    /// Words that its name or text has.
    pub about: Option<String>,
}

/// What a sentence asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduleOrder {
    /// A new schedule.
    Create {
        /// Of what kind.
        kind: ScheduleKind,
        /// The reminder, the name of the timer (may be empty), or the command.
        text: String,
        /// When.
        when: When,
    },
    /// The list of schedules.
    List {
        /// Of this kind only.
        kind: Option<ScheduleKind>,
    },
    /// An end of schedules.
    Cancel(ScheduleTarget),
    /// A pause.
    Pause(ScheduleTarget),
    /// An end of a pause.
    Resume(ScheduleTarget),
    /// The last reminder once more.
    Snooze {
        /// Which one.
        which: ScheduleTarget,
        /// After how many milliseconds.
        after_ms: u64,
    },
    /// Another time.
    Change {
        /// Of which one.
        which: ScheduleTarget,
        /// When.
        when: When,
    },
    /// Earlier or later.
    Shift {
        /// Which one.
        which: ScheduleTarget,
        /// By how many milliseconds; negative for earlier.
        by_ms: i64,
    },
}

/// Whether a text only asks for something to be told, by its first words.
pub fn asks(text: &str, language: &str) -> bool {
    lexicon::of(language).is_some_and(|lexicon| lexicon.begins_with("verbs.ask", text))
}

/// What a sentence orders, if all of it is understood.
pub fn read_sentence(text: &str, context: &SentenceContext<'_>) -> Option<ScheduleOrder> {
    let lexicon = lexicon::of(context.language)?;
    let zone = time_zone(context.zone).ok()?;
    let moment = jiff::Timestamp::from_millisecond(context.now.as_millis()).ok()?;
    let now = zone.to_datetime(moment);
    let sentence = Sentence::new(text, lexicon);
    if sentence.is_empty() || sentence.len() > WORDS_MAX {
        return None;
    }
    let matcher = TemplateMatcher::new(&sentence, lexicon);
    lexicon.templates().iter().find_map(|(name, templates)| {
        let accept = |slots: &Slots| order(name, slots, lexicon, &sentence, now);
        templates.iter().find_map(|template| matcher.find(template, &accept))
    })
}

/// The order that filled slots amount to; `None` if they do not make sense together.
fn order(name: &str, slots: &Slots, lexicon: &Lexicon, sentence: &Sentence, now: DateTime) -> Option<ScheduleOrder> {
    let when = || slots.time.as_ref().and_then(|(_, phrase)| resolve::when(phrase, now));
    let which = || slots.which.clone().unwrap_or_default();
    Some(match name {
        "snooze" => {
            let after_ms = match (&slots.span, &slots.time) {
                (Some(span), _) => span.as_millis()?,
                (None, Some((_, phrase))) => phrase.span?.as_millis().filter(|_| phrase.is_span_only())?,
                (None, None) => SNOOZE_MS,
            };
            ScheduleOrder::Snooze { which: which(), after_ms }
        }
        "list" => ScheduleOrder::List { kind: slots.which.as_ref().and_then(|which| which.kind) },
        "later" => ScheduleOrder::Shift { which: which(), by_ms: i64::try_from(slots.span?.as_millis()?).ok()? },
        "earlier" => ScheduleOrder::Shift { which: which(), by_ms: -i64::try_from(slots.span?.as_millis()?).ok()? },
        "change" => ScheduleOrder::Change { which: which(), when: when()? },
        "cancel" => ScheduleOrder::Cancel(which()),
        "pause" => ScheduleOrder::Pause(which()),
        "resume" => ScheduleOrder::Resume(which()),
        "timer" => {
            let when = When::After { after_ms: slots.span?.as_millis()? };
            let text = slots.text(sentence);
            (!lexicon.has_time(&text)).then_some(ScheduleOrder::Create { kind: ScheduleKind::Timer, text, when })?
        }
        "remind" => {
            let text = slots.text(sentence);
            let time_is_last = slots.time.as_ref()?.0 > slots.text_at()?;
            if time_is_last && (lexicon.has_time(&text) || lexicon.has_role("blocked", &text)) {
                return None;
            }
            ScheduleOrder::Create { kind: ScheduleKind::Reminder, text, when: when()? }
        }
        "wake" => {
            // People are woken in the morning, unless they say otherwise.
            let early = slots.time.as_ref().and_then(|(_, phrase)| resolve::when(&phrase.in_the_morning()?, now));
            let text = lexicon.wake_text.clone();
            ScheduleOrder::Create { kind: ScheduleKind::Reminder, text, when: early.or_else(when)? }
        }
        "do" => do_order(slots, lexicon, sentence, when()?)?,
        _ => return None,
    })
}

/// A command at a time. Whether it can be done is for others to say; here it has to look like one.
fn do_order(slots: &Slots, lexicon: &Lexicon, sentence: &Sentence, when: When) -> Option<ScheduleOrder> {
    let text = slots.text(sentence);
    let (time_at, phrase) = slots.time.as_ref()?;
    if lexicon.has_time(&text) || lexicon.has_role("blocked", &text) || lexicon.has_role("kind", &text) {
        return None;
    }
    // "Up by 2" says how far, where the language has one word for "by" and "at".
    let is_after_time = |at: usize| at > *time_at && lexicon.role_at("relative", sentence, at).is_some();
    let is_bare = phrase.clock.is_some_and(|clock| clock.minute == 0) && phrase.day.is_none() && phrase.part.is_none();
    if is_bare && (lexicon.begins_with("relative", &text) || slots.text_ends_at().is_some_and(is_after_time)) {
        return None;
    }
    let acts = lexicon.begins_with("verbs.act", &text);
    let asks = lexicon.begins_with("verbs.ask", &text);
    let time_is_first = *time_at < slots.text_at()?;
    // "Tell me the weather tomorrow" asks now, about tomorrow.
    let is_order = (acts && (time_is_first || !lexicon.has_role("at", &text)))
        || (asks && (time_is_first || phrase.every.is_some()));
    is_order.then_some(ScheduleOrder::Create { kind: ScheduleKind::Order, text, when })
}
