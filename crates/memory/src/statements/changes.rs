//! Statements that say that something changed: "we moved the meeting to Thursday", "the rent went
//! up to 950", "I switched from Vim to Helix".

use super::{
    StatementKind,
    draft::{StatementDraft, StatementValue, extent, from_to, is_own, key_of, value, without_preposition},
    key::normal_key,
    lists::sort_of,
};
use crate::language::{
    pattern::{after_any, first_is, is, is_number},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// What a clause of "I" or "we" says has changed.
pub(super) fn find<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> Option<StatementDraft> {
    let said = after_any(words, &ENGLISH.changes.parties)?;
    let said = after_any(said, &ENGLISH.changes.before_verb).unwrap_or(said);
    let own = first_is(words, &ENGLISH.grammar.speakers);
    let moved = after_any(said, &ENGLISH.changes.passives).filter(|rest| first_is(rest, &ENGLISH.changes.transferred));
    if let Some(rest) = moved.and_then(|rest| rest.get(1..)) {
        let new = from_to(text, rest)?;
        let last = new.text.rsplit(' ').next().unwrap_or_default().to_lowercase();
        let key = if ENGLISH.nouns.attributes.contains(&last.as_str()) || last == "department" {
            last
        } else {
            "office".to_owned()
        };
        return Some(StatementDraft::changed(key, StatementKind::Attribute, 0.75, new));
    }
    if own && let Some(draft) = work(text, said).or_else(|| race(text, said)).or_else(|| exchanged(text, said)) {
        return Some(draft);
    }
    let change =
        said.first().filter(|word| is(word, &ENGLISH.changes.changed) || is(word, &ENGLISH.changes.changes))?;
    let rest = &said[1..];
    if is_own(rest) {
        return object(text, rest, is(change, &ENGLISH.grammar.renamed));
    }
    if !own {
        return None;
    }
    let rest = ways(rest);
    // "I switched to Helix", "I moved from Graz to Linz", "I went back to Vim".
    let moves = is(change, &ENGLISH.changes.moves);
    let new = from_to(text, rest).filter(|_| moves)?;
    if is(change, &ENGLISH.changes.cut) {
        return Some(StatementDraft::changed("uses", StatementKind::Activity, 0.6, new));
    }
    if is(change, &ENGLISH.changes.went) && !said.iter().take(3).any(|word| is(word, &ENGLISH.changes.back)) {
        return None;
    }
    Some(StatementDraft::changed(switched_key(&new, change, rest), StatementKind::Activity, 0.8, purpose(new)))
}

/// "The bank raised my credit limit to 3000 euros": another party changes something of the user's.
pub(super) fn by_others<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> Option<StatementDraft> {
    let at = (1..words.len().min(6))
        .find(|&at| is(&words[at], &ENGLISH.changes.changed) && first_is(&words[at + 1..], &ENGLISH.grammar.own))?;
    let open = !words[..at].iter().any(|word| is(word, &ENGLISH.changes.not_by_others));
    open.then(|| object(text, &words[at + 1..], is(&words[at], &ENGLISH.grammar.renamed))).flatten()
}

/// "Change my address to 3 Harbour Lane": a command to memory itself.
pub(super) fn ordered<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> Option<StatementDraft> {
    let thing = after_any(words, &ENGLISH.changes.orders).filter(|thing| first_is(thing, &ENGLISH.grammar.own))?;
    object(text, thing, false)
}

/// The key of what the user switched to.
fn switched_key(new: &StatementValue, change: &Word<'_>, rest: &[Word<'_>]) -> String {
    if let Some((_, purpose)) = new.text.split_once(" as my ").or_else(|| new.text.split_once(" as our ")) {
        return normal_key(purpose);
    }
    if let Some((_, purpose)) = new.text.split_once(" for ") {
        return format!("uses for {}", normal_key(purpose));
    }
    if new.text.to_lowercase().split(' ').any(|word| ENGLISH.values.diets.contains(&word)) {
        return "diet".to_owned();
    }
    if is(change, &ENGLISH.grammar.moved) {
        let work = rest.iter().any(|word| is(word, &ENGLISH.changes.teams));
        return if work { "team".to_owned() } else { "home".to_owned() };
    }
    let school = new.text.to_lowercase();
    if is(change, &ENGLISH.changes.switched) && school.split(' ').any(|word| ENGLISH.changes.schools.contains(&word)) {
        return "study at".to_owned();
    }
    sort_of(&new.text).map_or_else(|| "uses".to_owned(), str::to_owned)
}

/// The value without its purpose.
fn purpose(new: StatementValue) -> StatementValue {
    let text = new
        .text
        .split(" as my ")
        .next()
        .unwrap_or_default()
        .split(" as our ")
        .next()
        .unwrap_or_default()
        .split(" for ")
        .next()
        .unwrap_or_default()
        .to_owned();
    StatementValue { text, ..new }
}

fn ways<'w, 'm>(words: &'w [Word<'m>]) -> &'w [Word<'m>] {
    let mut rest = words;
    for _ in 0..2 {
        rest = after_any(rest, &ENGLISH.changes.ways).unwrap_or(rest);
    }
    rest
}

/// "(moved) the meeting to Thursday", "(got) my 5k down to 25:50".
fn object<'m>(text: &TokenizedText<'m>, words: &[Word<'m>], renamed: bool) -> Option<StatementDraft> {
    let at = words.iter().take(10).skip(1).position(|word| is(word, &ENGLISH.changes.before_value))? + 1;
    let rest = ways(&words[at..]);
    let new = from_to(text, rest)?;
    let key = key_of(text, &words[..at]) + if renamed { "'s name" } else { "" };
    (!key.is_empty()).then(|| StatementDraft::changed(key, StatementKind::Attribute, 0.9, new))
}

/// "(the meeting) was moved to Thursday", "(the rent) went up to 950"; from the verb on.
pub(super) fn passive<'m>(text: &TokenizedText<'m>, key: &str, words: &[Word<'m>]) -> Option<StatementDraft> {
    let done = after_any(words, &ENGLISH.changes.passive_openings).unwrap_or(words);
    let change = done.first().filter(|word| is(word, &ENGLISH.changes.changed))?;
    // "My car is set", "my flight is delayed" alone change nothing.
    let rest = ways(done.get(1..)?);
    // "My sister went to Rome" is a journey, "the rent went up to 950" is not.
    let journey =
        is(change, &ENGLISH.changes.journeys) && rest.len() + 1 == done.len() && !first_is(rest, &ENGLISH.grammar.from);
    if journey {
        return None;
    }
    let rest = if is(change, &ENGLISH.changes.set) {
        after_any(rest, &ENGLISH.changes.up_or_down).unwrap_or(rest)
    } else {
        rest
    };
    let bare = first_is(rest, &ENGLISH.grammar.place_prepositions) && is(change, &ENGLISH.changes.rescheduled);
    let new = if bare { value(text, without_preposition(rest)) } else { from_to(text, rest) }?;
    Some(StatementDraft::changed(key, StatementKind::Attribute, 0.9, new))
}

/// "I got promoted to team lead", "I joined Bosch", "I started as a nurse".
fn work<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    if let Some(job) = after_any(said, &ENGLISH.changes.new_job) {
        let count = extent(job);
        let promoted = after_any(said, &ENGLISH.changes.became).is_none()
            || job.iter().take(4).any(|word| is(word, &ENGLISH.values.jobs));
        let (job, at) = split_at_employer(&job[..count]);
        let _ = at;
        return value(text, job)
            .filter(|_| promoted)
            .map(|value| StatementDraft::changed("job", StatementKind::Attribute, 0.85, value));
    }
    let place = after_any(said, &ENGLISH.changes.new_employer)?;
    let named = place.first().is_some_and(|word| word.is_capital() || is(word, &ENGLISH.grammar.all_articles));
    let joined = said.first().is_some_and(|word| is(word, &ENGLISH.changes.joined))
        && !place.first().is_some_and(Word::is_capital);
    let when = place.first().is_some_and(|word| is_number(word) || is(word, crate::language::calendar::WEEKDAYS));
    (named && !joined && !when)
        .then(|| value(text, place))
        .flatten()
        .map(|value| StatementDraft::changed("employer", StatementKind::Attribute, 0.85, value))
}

fn split_at_employer<'w, 'm>(words: &'w [Word<'m>]) -> (&'w [Word<'m>], Option<usize>) {
    let at = words.iter().position(|word| is(word, &ENGLISH.grammar.employer_prepositions)).filter(|&at| at > 0);
    (&words[..at.unwrap_or(words.len())], at)
}

/// "I ran the 5k in 25:50", "I set a new personal best of 25:50 over 5k".
fn race<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    if let Some(race) = after_any(said, &ENGLISH.changes.raced) {
        let at = race.iter().take(6).position(|word| is(word, &ENGLISH.grammar.within)).filter(|&at| at > 0)?;
        let time = race.get(at + 1..).filter(|time| time.first().is_some_and(Word::is_figure))?;
        let clock = time[0].lower.contains(':') || time.iter().any(|word| is(word, &ENGLISH.changes.time_units));
        return value(text, time).filter(|_| clock).map(|value| {
            StatementDraft::changed(format!("{} time", key_of(text, &race[..at])), StatementKind::Attribute, 0.8, value)
        });
    }
    if let Some(new) = after_any(said, &ENGLISH.changes.new_value)
        && let Some(of) = new.iter().take(5).position(|word| is(word, &ENGLISH.grammar.of)).filter(|&at| at > 0)
        && (!first_is(new, &ENGLISH.changes.records) || (of == 2 && first_is(new, &ENGLISH.changes.best)))
        && new.get(of + 1).is_some_and(Word::is_figure)
    {
        let found = value(text, &new[of + 1..])?;
        return Some(StatementDraft::changed(key_of(text, &new[..of]), StatementKind::Attribute, 0.8, found));
    }
    let best = after_any(said, &ENGLISH.changes.new_record)?;
    let figure = best.iter().position(|word| word.is_figure() && word.lower.contains([':', '.']))?;
    let over = best.iter().position(|word| is(word, &ENGLISH.changes.record_over)).and_then(|at| best.get(at + 1..));
    let over = over
        .map(|over| after_any(over, &ENGLISH.changes.record_article).unwrap_or(over))
        .filter(|over| over.first().is_some_and(|word| !word.lower.contains(':')));
    let thing = match over {
        Some(over) => key_of(
            text,
            &over[..over.iter().position(|word| is(word, &ENGLISH.changes.record_end)).unwrap_or(extent(over))],
        ),
        None => {
            key_of(text, &best[..best.iter().position(|word| is(word, &ENGLISH.changes.record_thing_end)).unwrap_or(0)])
        }
    };
    let found = value(text, &best[figure..=figure])?;
    let thing = thing.replace("personal best", "").replace(" time", "");
    (!thing.trim().is_empty())
        .then(|| StatementDraft::changed(format!("{} time", thing.trim()), StatementKind::Attribute, 0.8, found))
}

/// "I replaced my Vespa with an e-bike", "I traded the Skoda in for a Tesla", "I bought a new car,
/// a Polestar".
fn exchanged<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let given = after_any(said, &ENGLISH.changes.exchanged)?;
    let at = given.iter().take(8).position(|word| is(word, &ENGLISH.changes.exchanged_for)).filter(|&at| at > 0)?;
    let mut old = &given[..at];
    old = old
        .split_last()
        .filter(|(last, rest)| is(last, &ENGLISH.changes.exchange_particles) && !rest.is_empty())
        .map_or(old, |(_, rest)| rest);
    let new = &given[at + 1..];
    if new.first().is_some_and(|word| is_number(word) || is(word, &ENGLISH.changes.not_exchanged)) {
        return None;
    }
    let key = key_of(text, old);
    let found = value(text, new)?;
    let left = said.first().is_some_and(|word| is(word, &ENGLISH.changes.abandoned));
    let named = new.first().is_some_and(|word| word.is_capital() || is(word, &ENGLISH.grammar.articles));
    if left && !named {
        return None;
    }
    let key = if first_is(said, &ENGLISH.changes.left) && old.first().is_some_and(Word::is_capital) {
        "employer".to_owned()
    } else {
        key
    };
    let old = text.slice(after_any(old, &ENGLISH.grammar.own_or_the).unwrap_or(old)).to_owned();
    let key = sort_of(&found.text).filter(|_| old.starts_with(char::is_uppercase)).map_or(key, str::to_owned);
    (!key.is_empty()).then(|| {
        StatementDraft::changed(key, StatementKind::Possession, 0.8, StatementValue { replaces: Some(old), ..found })
    })
}
