//! Times in words: "in 10 minutes", "tomorrow at noon", "every weekday at 7".
//!
//! A phrase consists of up to five elements in any order: a waiting time, a repetition, a day, a
//! time of day and a part of the day, each at most once.

use jiff::civil::Weekday;

use super::{lexicon::Lexicon, tokens::Sentence};

/// A waiting time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct WordSpan {
    pub(super) seconds: u64,
    pub(super) days: u32,
    pub(super) months: u32,
}

impl WordSpan {
    /// Milliseconds, unless it has months, which are of different lengths.
    pub(super) fn as_millis(self) -> Option<u64> {
        let seconds = self.seconds.checked_add(u64::from(self.days).checked_mul(86_400)?)?;
        if self.months > 0 || seconds == 0 { None } else { seconds.checked_mul(1_000) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeUnit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Repetition {
    Unit(u32, TimeUnit),
    Weekdays(u32, Vec<Weekday>),
    MonthDay(i8),
    NthWeekday(i8, Weekday),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayName {
    In(i32),
    Weekday(Weekday),
    MonthDay(i8),
    Date { month: i8, day: i8 },
}

/// A time of day; `is_exact` if it is on a clock of 24 hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockTime {
    pub(super) hour: i8,
    pub(super) minute: i8,
    pub(super) is_exact: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayPart {
    Morning,
    Afternoon,
    Evening,
    Night,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TimePhrase {
    pub(super) span: Option<WordSpan>,
    pub(super) every: Option<Repetition>,
    pub(super) day: Option<DayName>,
    pub(super) clock: Option<ClockTime>,
    pub(super) part: Option<DayPart>,
}

impl TimePhrase {
    pub(super) fn is_span_only(&self) -> bool {
        self.every.is_none() && self.day.is_none() && self.clock.is_none() && self.part.is_none()
    }

    /// The same in the morning, if it leaves open whether a clock's time is before noon or after.
    pub(super) fn in_the_morning(&self) -> Option<Self> {
        let is_open = self.part.is_none() && self.clock.is_some_and(|clock| !clock.is_exact);
        is_open.then(|| Self { part: Some(DayPart::Morning), ..self.clone() })
    }

    /// Both together; `None` if they say the same thing twice.
    fn merge(&self, other: &Self) -> Option<Self> {
        fn one<T: Clone>(left: &Option<T>, right: &Option<T>) -> Option<Option<T>> {
            match (left, right) {
                (Some(_), Some(_)) => None,
                (left, right) => Some(left.clone().or_else(|| right.clone())),
            }
        }
        Some(Self {
            span: one(&self.span, &other.span)?,
            every: one(&self.every, &other.every)?,
            day: one(&self.day, &other.day)?,
            clock: one(&self.clock, &other.clock)?,
            part: one(&self.part, &other.part)?,
        })
    }
}

/// Every time that begins here, shortest first, with where it ends.
pub(super) fn times_at(lexicon: &Lexicon, sentence: &Sentence, at: usize) -> Vec<(TimePhrase, usize)> {
    let mut found: Vec<(TimePhrase, usize)> = Vec::new();
    let mut phrase = TimePhrase::default();
    let mut here = at;
    loop {
        let reader = PhraseReader { lexicon, sentence };
        let elements = reader.elements(here, found.is_empty());
        let longest = elements
            .into_iter()
            .filter_map(|(element, next)| Some((phrase.merge(&element)?, next)))
            .max_by_key(|(_, next)| *next);
        let Some((merged, next)) = longest else { return found };
        found.push((merged.clone(), next));
        phrase = merged;
        here = next;
    }
}

/// A waiting time without "in".
pub(super) fn span_at(lexicon: &Lexicon, sentence: &Sentence, at: usize) -> Option<(WordSpan, usize)> {
    PhraseReader { lexicon, sentence }.span(at)
}

/// Reads elements of times at a place in a sentence.
struct PhraseReader<'r> {
    lexicon: &'r Lexicon,
    sentence: &'r Sentence,
}

impl PhraseReader<'_> {
    fn elements(&self, at: usize, is_first: bool) -> Vec<(TimePhrase, usize)> {
        let part =
            self.part(at, is_first).map(|(part, next)| (TimePhrase { part: Some(part), ..Default::default() }, next));
        let clock = self.clock(at).map(|(clock, next)| {
            (TimePhrase { clock: Some(clock), ..Default::default() }, self.skip("clock_tail", next))
        });
        [self.waiting(at), self.every(at), self.every_of_month(at), self.day(at), clock, part]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The place after a phrase of a role, if it is here.
    fn role(&self, role: &str, at: usize) -> Option<usize> {
        self.lexicon.role_at(role, self.sentence, at).map(|length| at + length)
    }

    fn skip(&self, role: &str, at: usize) -> usize {
        self.role(role, at).unwrap_or(at)
    }

    fn number(&self, at: usize) -> Option<u32> {
        self.lexicon.number_at(self.sentence, at)
    }

    fn unit(&self, at: usize) -> Option<(TimeUnit, usize)> {
        let (unit, length) = self.lexicon.family_at("unit", self.sentence, at)?;
        let unit = match unit {
            "second" => TimeUnit::Second,
            "minute" => TimeUnit::Minute,
            "hour" => TimeUnit::Hour,
            "day" => TimeUnit::Day,
            "week" => TimeUnit::Week,
            "month" => TimeUnit::Month,
            _ => TimeUnit::Year,
        };
        Some((unit, at + length))
    }

    fn weekday(&self, family: &str, at: usize) -> Option<(Weekday, usize)> {
        let (name, length) = self.lexicon.family_at(family, self.sentence, at)?;
        let index = ["mo", "tu", "we", "th", "fr", "sa", "su"].iter().position(|day| *day == name)?;
        Some((Weekday::from_monday_zero_offset(i8::try_from(index).ok()?).ok()?, at + length))
    }

    fn month(&self, at: usize) -> Option<(i8, usize)> {
        let (name, length) = self.lexicon.family_at("month", self.sentence, at)?;
        Some((name.parse().ok()?, at + length))
    }

    fn ordinal(&self, at: usize, max: u32) -> Option<i8> {
        let number = self.lexicon.ordinal_at(self.sentence, at).filter(|number| (1..=max).contains(number))?;
        i8::try_from(number).ok()
    }

    /// "in 10 minutes", "10 minutes from now".
    fn waiting(&self, at: usize) -> Option<(TimePhrase, usize)> {
        let (span, next) = match self.role("in", at) {
            Some(after) => self.span(after)?,
            None => {
                let (span, next) = self.span(at)?;
                (span, self.role("from_now", next)?)
            }
        };
        Some((TimePhrase { span: Some(span), ..Default::default() }, next))
    }

    /// "10 minutes", "an hour and a half", "1 hour and 20 minutes".
    fn span(&self, at: usize) -> Option<(WordSpan, usize)> {
        let mut span = WordSpan::default();
        let mut end = None;
        let mut here = at;
        while let Some((halves, unit, next)) = self.amount(here) {
            add(&mut span, halves, unit)?;
            end = Some(next);
            here = self.skip("and", next);
        }
        end.map(|end| (span, end))
    }

    /// How many halves of which unit.
    fn amount(&self, at: usize) -> Option<(u32, TimeUnit, usize)> {
        if let Some(after) = self.role("half", at) {
            let (unit, next) = self.unit(after)?;
            return Some((1, unit, next));
        }
        if let Some(after) = self.role("one_and_half", at) {
            let (unit, next) = self.unit(after)?;
            return Some((3, unit, next));
        }
        let (unit, next) = self.unit(at + 1)?;
        let halves = self.number(at)?.checked_mul(2)?;
        match self.role("and_half", next) {
            Some(next) => Some((halves.checked_add(1)?, unit, next)),
            None => Some((halves, unit, next)),
        }
    }

    /// "every day", "every other week", "every Tuesday and Thursday", "daily", "on Mondays".
    fn every(&self, at: usize) -> Option<(TimePhrase, usize)> {
        if let Some((_, length)) = self.lexicon.family_at("adverb", self.sentence, at) {
            let (name, _) = self.lexicon.family_at("adverb", self.sentence, at)?;
            let unit = match name {
                "hour" => TimeUnit::Hour,
                "day" => TimeUnit::Day,
                "week" => TimeUnit::Week,
                "month" => TimeUnit::Month,
                _ => TimeUnit::Year,
            };
            return Some((repeats(Repetition::Unit(1, unit)), at + length));
        }
        if let Some((day, next)) = self.weekday("weekly", self.skip("on", at)) {
            return Some((repeats(Repetition::Weekdays(1, vec![day])), next));
        }
        if let Some(next) = self.role("workdays", at) {
            return Some((repeats(Repetition::Weekdays(1, workdays())), next));
        }
        let after = self.role("every", at)?;
        let (interval, after) = match (self.role("other", after), self.number(after)) {
            (Some(next), _) => (2, next),
            (None, Some(number)) if number > 0 => (number, after + 1),
            _ => (1, after),
        };
        if let Some((unit, next)) = self.unit(after) {
            return Some((repeats(Repetition::Unit(interval, unit)), next));
        }
        if let Some((days, next)) = self.weekdays(after) {
            return Some((repeats(Repetition::Weekdays(interval, days)), next));
        }
        if interval != 1 {
            return None;
        }
        if let Some(day) = self.ordinal(after, 31) {
            return Some((repeats(Repetition::MonthDay(day)), after + 1));
        }
        let (part, next) = self.part_name("part", after)?;
        let every = Some(Repetition::Unit(1, TimeUnit::Day));
        Some((TimePhrase { every, part: Some(part), ..Default::default() }, next))
    }

    /// Days after "every": one, several, or a group of them.
    fn weekdays(&self, at: usize) -> Option<(Vec<Weekday>, usize)> {
        if let Some((group, length)) = self.lexicon.family_at("group", self.sentence, at) {
            let weekend = vec![Weekday::Saturday, Weekday::Sunday];
            return Some((if group == "weekend" { weekend } else { workdays() }, at + length));
        }
        let (first, mut end) = self.weekday("weekday", at)?;
        let mut days = vec![first];
        while let Some((day, next)) = self.weekday("weekday", self.skip("and", end)) {
            days.push(day);
            end = next;
        }
        days.sort_by_key(|day| day.to_monday_zero_offset());
        days.dedup();
        Some((days, end))
    }

    /// "on the 31st of each month", "on the last day of every month", "on the first Monday of …".
    fn every_of_month(&self, at: usize) -> Option<(TimePhrase, usize)> {
        let after = self.skip("on", at);
        let (repetition, next) = if let Some(next) = self.role("last_day", after) {
            (Repetition::MonthDay(-1), next)
        } else {
            let nth = self.ordinal(after, 31).map(|nth| (nth, after + 1));
            let (nth, next) = nth.or_else(|| self.role("last", after).map(|next| (-1, next)))?;
            match self.weekday("weekday", next) {
                Some((day, next)) if nth <= 5 => (Repetition::NthWeekday(nth, day), next),
                Some(_) => return None,
                None if nth > 0 => (Repetition::MonthDay(nth), next),
                None => return None,
            }
        };
        let next = self.role("every", self.skip("of", next))?;
        let (unit, next) = self.unit(next)?;
        (unit == TimeUnit::Month).then(|| (repeats(repetition), next))
    }

    /// "tomorrow", "on Friday", "on the 31st", "on December 24th".
    fn day(&self, at: usize) -> Option<(TimePhrase, usize)> {
        if let Some(next) = self.role("tonight", at) {
            let (day, part) = (Some(DayName::In(0)), Some(DayPart::Night));
            return Some((TimePhrase { day, part, ..Default::default() }, next));
        }
        let found = [("today", 0), ("tomorrow", 1), ("after_tomorrow", 2)]
            .into_iter()
            .filter_map(|(role, days)| Some((DayName::In(days), self.role(role, at)?)))
            .max_by_key(|(_, next)| *next);
        let (day, next) = found.or_else(|| self.calendar_day(at))?;
        Some((TimePhrase { day: Some(day), ..Default::default() }, next))
    }

    fn calendar_day(&self, at: usize) -> Option<(DayName, usize)> {
        let lead = self.role("day_lead", at);
        let after = lead.unwrap_or(at);
        if let Some((day, next)) = self.weekday("weekday", after) {
            return Some((DayName::Weekday(day), self.skip("day_tail", next)));
        }
        let date = |month: i8, day: i8| is_date(month, day).then_some(DayName::Date { month, day });
        if let Some((month, next)) = self.month(after) {
            let day = self.ordinal(next, 31).or_else(|| i8::try_from(self.number(next)?).ok())?;
            return Some((date(month, day)?, next + 1));
        }
        let ordinal = self.ordinal(after, 31);
        let day = ordinal.or_else(|| i8::try_from(self.number(after)?).ok())?;
        if let Some((month, next)) = self.month(self.skip("of", after + 1)) {
            return Some((date(month, day)?, next));
        }
        lead.and(ordinal).map(|day| (DayName::MonthDay(day), after + 1))
    }

    /// "at 7", "7:30 pm", "at half past four", "noon".
    fn clock(&self, at: usize) -> Option<(ClockTime, usize)> {
        let lead = self.role("at", at);
        // "À 21" may be a temperature as well: with such a word, it has to look like a time.
        let after = lead.or_else(|| self.role("weak_at", at)).unwrap_or(at);
        let exactly = |hour| ClockTime { hour, minute: 0, is_exact: true };
        if let Some(next) = self.role("noon", after) {
            return Some((exactly(12), next));
        }
        if let Some(next) = self.role("midnight", after) {
            return Some((exactly(0), next));
        }
        for (role, minutes) in [("half_past", 30), ("half_to", -30), ("quarter_past", 15), ("quarter_to", -15)] {
            if let Some(next) = self.role(role, after) {
                let hour = self.number(next).filter(|hour| (1..=12).contains(hour))?;
                return self.with_meridiem(minutes_to_clock(hour, minutes)?, next + 1);
            }
        }
        self.hour(after, lead.is_some())
    }

    /// An hour with or without minutes; without "at" it has to look like a time.
    fn hour(&self, at: usize, has_lead: bool) -> Option<(ClockTime, usize)> {
        let word = self.sentence.word(at)?;
        let marked = self.hour_mark(word);
        let word = marked.as_deref().unwrap_or(word);
        let (digits, glued) = match word.find(|letter: char| letter.is_ascii_alphabetic()) {
            Some(letters) if letters > 0 => word.split_at(letters),
            _ => (word, ""),
        };
        let (hour, minute, has_minutes) = match digits.split_once([':', '.']) {
            Some((hour, minute)) if minute.len() == 2 => (hour.parse().ok()?, minute.parse().ok()?, true),
            Some(_) => return None,
            None => (digits.parse().ok().or_else(|| i8::try_from(self.number(at)?).ok())?, 0, false),
        };
        let mut time = ClockTime { hour, minute, is_exact: hour > 12 || hour == 0 || digits.starts_with('0') };
        let mut next = at + 1;
        if !glued.is_empty() {
            time = if self.lexicon.is_word_of("am", glued) {
                time.before_noon()?
            } else if self.lexicon.is_word_of("pm", glued) {
                time.after_noon()?
            } else {
                return None;
            };
        }
        let says_hour = self.role("oclock", next);
        if let Some(after) = says_hour {
            next = after;
            // In digits only: "um 16 Uhr eine Zusammenfassung" has no minute.
            let digits = self.sentence.word(next).and_then(|word| word.parse::<i8>().ok());
            if let Some(minute) = digits.filter(|minute| !has_minutes && *minute < 60) {
                time.minute = minute;
                next += 1;
            }
        } else if self.unit(next).is_some() || self.role("measure", next).is_some() {
            return None;
        } else if let Some(minute) = self.spoken_minute(at).filter(|_| has_lead) {
            time.minute = minute;
            next += 1;
        }
        let (time, next) = self.with_fraction(time, next);
        let (time, end) = if glued.is_empty() { self.with_meridiem(time, next)? } else { (time, next) };
        let looks_like_time = has_lead || has_minutes || says_hour.is_some() || !glued.is_empty() || end > next;
        (looks_like_time && (0..24).contains(&time.hour) && (0..60).contains(&time.minute)).then_some((time, end))
    }

    /// The minutes after an hour in words, as in "at seven thirty".
    fn spoken_minute(&self, at: usize) -> Option<i8> {
        let is_word = |at: usize| self.sentence.word(at).is_some_and(|word| word.chars().all(char::is_alphabetic));
        let is_measured = self.unit(at + 2).is_some() || self.role("measure", at + 2).is_some();
        let minute = self.number(at + 1).filter(|_| is_word(at) && is_word(at + 1) && !is_measured)?;
        i8::try_from(minute).ok().filter(|minute| (10..60).contains(minute))
    }

    /// `18h30` as `18:30`.
    fn hour_mark(&self, word: &str) -> Option<String> {
        let (hour, rest) = word.split_at_checked(word.find(|letter: char| letter.is_alphabetic())?)?;
        let mark = rest.find(|letter: char| letter.is_ascii_digit()).map_or(rest, |digits| &rest[..digits]);
        let minute = rest.get(mark.len()..)?;
        let is_marked = self.lexicon.is_word_of("hour_mark", mark) && !hour.is_empty();
        is_marked.then(|| format!("{hour}:{}", if minute.is_empty() { "00" } else { minute }))
    }

    /// "seven and a half", as some languages say half past seven.
    fn with_fraction(&self, time: ClockTime, at: usize) -> (ClockTime, usize) {
        let plain = Some(time).filter(|time| time.minute == 0);
        let found =
            [("then_half", 30), ("then_quarter", 15), ("less_quarter", -15)].into_iter().find_map(|(role, by)| {
                let next = self.role(role, at)?;
                let minute = if by < 0 { 60 + by } else { by };
                let hour = if by < 0 { (plain?.hour + 23) % 24 } else { plain?.hour };
                Some((ClockTime { hour: if hour == 0 && !time.is_exact { 12 } else { hour }, minute, ..time }, next))
            });
        found.unwrap_or((time, at))
    }

    fn with_meridiem(&self, time: ClockTime, at: usize) -> Option<(ClockTime, usize)> {
        if let Some(next) = self.role("am", at) {
            return Some((time.before_noon()?, next));
        }
        if let Some(next) = self.role("pm", at) {
            return Some((time.after_noon()?, next));
        }
        Some((time, at))
    }

    /// "in the evening"; "evening" alone only after another element.
    fn part(&self, at: usize, is_first: bool) -> Option<(DayPart, usize)> {
        if let Some(after) = self.role("part_lead", at) {
            return self.part_name("part", after);
        }
        let alone = self.part_name("part_alone", at);
        if is_first { alone } else { alone.or_else(|| self.part_name("part", at)) }
    }

    fn part_name(&self, family: &str, at: usize) -> Option<(DayPart, usize)> {
        let (name, length) = self.lexicon.family_at(family, self.sentence, at)?;
        let part = match name {
            "morning" => DayPart::Morning,
            "afternoon" => DayPart::Afternoon,
            "evening" => DayPart::Evening,
            _ => DayPart::Night,
        };
        Some((part, at + length))
    }
}

impl ClockTime {
    fn before_noon(self) -> Option<Self> {
        let hour = if self.hour == 12 { 0 } else { self.hour };
        (1..=12).contains(&self.hour).then_some(Self { hour, is_exact: true, ..self })
    }

    fn after_noon(self) -> Option<Self> {
        let hour = if self.hour == 12 { 12 } else { self.hour + 12 };
        (1..=12).contains(&self.hour).then_some(Self { hour, is_exact: true, ..self })
    }
}

fn repeats(repetition: Repetition) -> TimePhrase {
    TimePhrase { every: Some(repetition), ..Default::default() }
}

fn workdays() -> Vec<Weekday> {
    vec![Weekday::Monday, Weekday::Tuesday, Weekday::Wednesday, Weekday::Thursday, Weekday::Friday]
}

/// Whether a month has such a day in some year.
fn is_date(month: i8, day: i8) -> bool {
    jiff::civil::Date::new(2024, month, day).is_ok()
}

fn minutes_to_clock(hour: u32, minutes: i8) -> Option<ClockTime> {
    let hour = i8::try_from(hour).ok()?;
    let (hour, minute) = if minutes >= 0 { (hour, minutes) } else { (hour - 1, 60 + minutes) };
    // "Quarter to one" is quarter to thirteen, or to one at night.
    Some(ClockTime { hour: if hour == 0 { 12 } else { hour }, minute, is_exact: false })
}

fn add(span: &mut WordSpan, halves: u32, unit: TimeUnit) -> Option<()> {
    let whole = halves.is_multiple_of(2).then_some(halves / 2);
    let mut seconds = |each: u64| {
        span.seconds = span.seconds.checked_add(u64::from(halves).checked_mul(each)? / 2)?;
        Some(())
    };
    match unit {
        TimeUnit::Second => return seconds(1),
        TimeUnit::Minute => return seconds(60),
        TimeUnit::Hour => return seconds(3_600),
        TimeUnit::Day => span.days = span.days.checked_add(whole?)?,
        TimeUnit::Week => span.days = span.days.checked_add(whole?.checked_mul(7)?)?,
        TimeUnit::Month => span.months = span.months.checked_add(whole?)?,
        TimeUnit::Year => span.months = span.months.checked_add(whole?.checked_mul(12)?)?,
    }
    Some(())
}
