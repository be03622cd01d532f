//! Entities in a message that rules can find reliably: numbers, dates, times, durations, quoted
//! text, addresses, and capitalised names inside a sentence.

use memory::language::{
    calendar::MONTHS,
    pattern::{after, after_any, first_is, is, is_number},
    words::{TokenizedText, Word},
};

use super::{EntityKind, MessageEntity};

/// More entities than this are pasted data.
const ENTITIES_MAX: usize = 32;

/// A name is cut to this many words.
const NAME_WORDS_MAX: usize = 6;

/// The days of the week.
const DAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Units of time.
const UNITS: &[&str] = &[
    "second", "seconds", "sec", "secs", "minute", "minutes", "min", "mins", "hour", "hours", "hr", "hrs", "h", "day",
    "days", "week", "weeks", "month", "months", "year", "years",
];

/// The entities of a message, in order.
pub(super) fn find(text: &TokenizedText<'_>) -> Vec<MessageEntity> {
    let mut entities: Vec<MessageEntity> =
        text.quotes.iter().filter_map(|quote| quoted(text, quote.start, quote.end)).collect();
    let titled = is_titled(&text.words);
    let mut rest = text.words.as_slice();
    let mut opens = true;
    while let Some(first) = rest.first() {
        let name = || if opens || titled { 0 } else { name(rest) };
        let (kind, length) =
            read(rest).unwrap_or_else(|| (if is(first, MONTHS) { EntityKind::Date } else { EntityKind::Name }, name()));
        let taken = length.max(1);
        if length > 0 && !first.quoted {
            let percent = if kind == EntityKind::Number && first.after.starts_with('%') { "%" } else { "" };
            let words = text.slice(&rest[..length]);
            let words = words.strip_suffix("'s").or_else(|| words.strip_suffix("’s")).unwrap_or(words);
            let words = format!("{words}{percent}");
            entities.push(MessageEntity { kind, text: words, start: first.start });
        }
        opens = rest[taken - 1].ends_sentence() || rest[taken - 1].after.contains(':');
        rest = &rest[taken..];
    }
    entities.sort_by_key(|entity| entity.start);
    entities.truncate(ENTITIES_MAX);
    entities
}

/// The text between two quotation marks.
fn quoted(text: &TokenizedText<'_>, from: usize, to: usize) -> Option<MessageEntity> {
    let inside: String = text.source.chars().skip(from).take(to - from).collect();
    (!inside.trim().is_empty()).then_some(MessageEntity { kind: EntityKind::Quoted, text: inside, start: from })
}

/// The entity that starts here, and its number of words.
fn read(words: &[Word<'_>]) -> Option<(EntityKind, usize)> {
    let first = words.first()?;
    if first.is_url() {
        return Some((EntityKind::Url, 1));
    }
    if first.is_email() {
        return Some((EntityKind::Email, 1));
    }
    let length = |rest: &[Word<'_>]| words.len() - rest.len();
    let date = date(words).map(|rest| (EntityKind::Date, length(rest)));
    let time = || time(words).map(|rest| (EntityKind::Time, length(rest)));
    let duration = || duration(words).map(|rest| (EntityKind::Duration, length(rest)));
    let number = || is_plain_number(first).then_some((EntityKind::Number, 1));
    date.or_else(time).or_else(duration).or_else(number)
}

/// The words after a date.
fn date<'w, 'm>(words: &'w [Word<'m>]) -> Option<&'w [Word<'m>]> {
    const NAMED: &[&str] = &[
        "today|tomorrow|yesterday|tonight",
        "the? day after tomorrow",
        "the? day before yesterday",
        "next|last|this week|month|year|weekend",
        "next|last|this monday|tuesday|wednesday|thursday|friday|saturday|sunday",
    ];
    let (first, rest) = words.split_first()?;
    if is(first, DAYS) || is_written_date(&first.lower) {
        return Some(rest);
    }
    if let Some(rest) = after_any(words, NAMED) {
        return Some(rest);
    }
    // "3 May", "3rd of May 2026", "May 3", "next March"; "may" alone is a verb.
    if is_day(first) {
        let month = after(rest, "of").unwrap_or(rest);
        return first_is(month, MONTHS).then(|| year(&month[1..]));
    }
    if is(first, MONTHS) && first.is_capital() {
        return rest.first().filter(|word| is_day(word)).map(|_| year(&rest[1..]));
    }
    let month = after(words, "next|last")?;
    first_is(month, MONTHS).then(|| &month[1..])
}

/// The words after a year, if there is one here.
fn year<'w, 'm>(words: &'w [Word<'m>]) -> &'w [Word<'m>] {
    let is_year = |word: &Word<'_>| word.lower.len() == 4 && word.lower.bytes().all(|digit| digit.is_ascii_digit());
    words.split_first().filter(|(word, _)| is_year(word)).map_or(words, |(_, rest)| rest)
}

/// `3`, `3rd`, `31`.
fn is_day(word: &Word<'_>) -> bool {
    let digits = word.lower.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let suffix = &word.lower[digits.len()..];
    ["", "st", "nd", "rd", "th"].contains(&suffix) && digits.parse().is_ok_and(|day: u8| (1..=31).contains(&day))
}

/// `2026-05-03`, `3/5/2026`, `03.05.2026`.
fn is_written_date(word: &str) -> bool {
    ['-', '/', '.'].iter().any(|sign| {
        let parts: Vec<Option<u16>> = word.split(*sign).map(|part| part.parse().ok()).collect();
        let is_small = |part: u16| (1..=31).contains(&part);
        match parts.as_slice() {
            [Some(first), Some(second), Some(third)] => {
                is_small(*second) && (*first > 999 && is_small(*third) || is_small(*first) && *third > 999)
            }
            _ => false,
        }
    })
}

/// The words after a time of day.
fn time<'w, 'm>(words: &'w [Word<'m>]) -> Option<&'w [Word<'m>]> {
    let (first, rest) = words.split_first()?;
    let word = first.lower.as_str();
    if matches!(word, "noon" | "midnight" | "midday") {
        return Some(rest);
    }
    let half = word.strip_suffix("am").or_else(|| word.strip_suffix("pm"));
    if half.is_some_and(is_clock) {
        return Some(rest);
    }
    let marked = after_any(rest, &["am|pm", "o'clock"]).filter(|_| is_clock(word));
    marked.or_else(|| (word.contains(':') && is_clock(word)).then_some(rest))
}

/// `5`, `17:30`, `17:30:05`.
fn is_clock(word: &str) -> bool {
    let mut parts = word.split(':').map(|part| part.parse::<u8>().ok().filter(|_| part.len() <= 2));
    parts.next().flatten().is_some_and(|hour| hour < 25) && parts.all(|part| part.is_some_and(|part| part < 60))
}

/// The words after a duration.
fn duration<'w, 'm>(words: &'w [Word<'m>]) -> Option<&'w [Word<'m>]> {
    let (first, rest) = words.split_first()?;
    let digits = first.lower.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &first.lower[digits.len()..];
    if first.is_figure() && (UNITS.contains(&unit) || unit == "s") && !digits.is_empty() {
        return Some(rest);
    }
    let counted = is_plain_number(first).then_some(rest).filter(|_| !first.ends_clause());
    let amount = after_any(words, &["half an", "a few", "an", "one"]).or(counted)?;
    let unit = after(amount, "and a half").unwrap_or(amount);
    // "A day" is mostly no length of time; "an hour" is.
    first_is(unit, UNITS).then(|| &unit[1..])
}

/// A plain number.
fn is_plain_number(word: &Word<'_>) -> bool {
    let figures = word.lower.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b',');
    is_number(word) && (figures || !word.is_figure())
}

/// Whether so many words are capitalised that capitals carry no information.
fn is_titled(words: &[Word<'_>]) -> bool {
    let statement = || words.iter().filter(|word| !word.is_half() && !is(word, &["i"]));
    let (all, capitals) = (statement().count(), statement().filter(|word| word.is_capital()).count());
    all > 3 && capitals * 4 > all * 3
}

/// How many words of a name start here, inside a sentence.
fn name(words: &[Word<'_>]) -> usize {
    let is_name = |word: &Word<'_>| word.is_capital() && !word.is_half() && !is(word, &["i", "ok"]);
    let capitals = words.iter().take(NAME_WORDS_MAX).take_while(|word| is_name(word)).count();
    let end = words[..capitals].iter().position(Word::ends_clause);
    end.map_or(capitals, |at| at + 1)
}
