//! Statements that begin with "I" or "we": what the user is, has and does.

use super::{
    StatementKind,
    clause::ClauseMarks,
    draft::{StatementDraft, StatementValue, extent, key_of, value, without_preposition},
    endings::plain_verb,
    key::plain_key,
    lists::sort_of,
    possessions::{apposed, bought, lacked, owned, paid},
    things::measured_at,
};
use crate::language::{
    calendar::{MONTHS, WEEKDAYS},
    pattern::{after, after_any, first_is, is, is_number},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// What a clause of "I" or "we" states.
pub(super) fn find<'m>(text: &TokenizedText<'m>, words: &[Word<'m>], marks: ClauseMarks) -> Option<StatementDraft> {
    let said = after_any(words, &ENGLISH.grammar.speakers)?;
    let perfect = after_any(said, &ENGLISH.grammar.have).filter(|rest| rest.first().is_some_and(is_participle));
    let said = perfect.unwrap_or(said);
    let said = after_any(said, &ENGLISH.habits.started)
        .filter(|rest| rest.first().is_some_and(|word| word.lower.ends_with("ing")))
        .unwrap_or(said);
    let started = perfect.is_some() || said.len() + 1 < words.len();
    if let Some(state) = after_any(said, &ENGLISH.habits.became)
        && let Some(draft) = state_of(text, state)
    {
        return Some(draft);
    }
    let plural;
    let said = if first_is(said, &ENGLISH.grammar.are) {
        plural = said
            .iter()
            .cloned()
            .enumerate()
            .map(|(at, word)| if at == 0 { Word { lower: "am".to_owned(), ..word } } else { word })
            .collect::<Vec<_>>();
        &plural[..]
    } else {
        said
    };
    if let Some(noun) = after_any(said, &ENGLISH.habits.lacks) {
        return lacked(text, noun);
    }
    if let Some(rest) = after_any(said, &ENGLISH.grammar.do_not) {
        return denied(text, rest);
    }
    if let Some(draft) = used(text, said) {
        return Some(draft);
    }
    if let Some(draft) = bought(text, said).or_else(|| paid(text, said)) {
        return Some(draft);
    }
    if let Some(draft) = placed(text, said).filter(|_| !marks.moment) {
        return Some(draft);
    }
    if let Some(rest) = after_any(said, &ENGLISH.habits.has) {
        if let Some(draft) = after_any(rest, &ENGLISH.grammar.articles).and_then(|noun| apposed(text, noun)) {
            return Some(draft);
        }
        return owned(text, rest, marks);
    }
    if let Some(rest) = after_any(said, &ENGLISH.habits.drives).filter(|rest| measured_at(rest).is_none()) {
        let found = value(text, rest)?;
        let key = if first_is(said, &ENGLISH.habits.drive) { "car" } else { "rides" };
        return (!is(rest.first()?, &ENGLISH.habits.pointed))
            .then(|| StatementDraft::new(key, StatementKind::Possession, 0.85, found));
    }
    if let Some((rest, key)) =
        ENGLISH.habits.openings.iter().find_map(|(opening, key)| after(said, opening).map(|rest| (rest, *key)))
        && let Some(draft) = opening(text, rest, key, marks)
    {
        return Some(draft);
    }
    habit(text, said, marks, started)
}

/// "I don't drink alcohol", "I don't have a car".
fn denied<'m>(text: &TokenizedText<'m>, rest: &[Word<'m>]) -> Option<StatementDraft> {
    let (verb, rest) = rest.split_first()?;
    let object = after_any(rest, &ENGLISH.grammar.any_articles).unwrap_or(rest);
    let object = &object[..extent(object)];
    let said = |value: &str| StatementValue { text: value.to_owned(), replaces: None };
    if is(verb, &ENGLISH.habits.liking) {
        let found = value(text, object).filter(|_| !first_is(object, &ENGLISH.habits.pointed) && !object.is_empty())?;
        return Some(StatementDraft::new("dislikes", StatementKind::Activity, 0.7, found));
    }
    if is(verb, &ENGLISH.habits.owning) && first_is(rest, &ENGLISH.grammar.any_articles) {
        return lacked(text, object);
    }
    if !is(verb, &ENGLISH.habits.consuming) || object.len() > 3 {
        return None;
    }
    let pointed = first_is(object, &ENGLISH.habits.pointed) || first_is(object, &ENGLISH.habits.measures);
    let found = if object.is_empty() { "no".to_owned() } else { format!("no {}", text.slice(object)) };
    (!pointed).then(|| StatementDraft::new(verb.lower.clone(), StatementKind::Activity, 0.75, said(&found)))
}

fn is_participle(word: &Word<'_>) -> bool {
    word.lower.ends_with("ed") || is(word, &ENGLISH.habits.participles)
}

/// What follows "I am".
fn state_of<'m>(text: &TokenizedText<'m>, state: &[Word<'m>]) -> Option<StatementDraft> {
    let bare = after_any(state, &ENGLISH.grammar.articles).unwrap_or(state);
    if let Some((_, key)) = ENGLISH.habits.states.iter().find(|(words, _)| after(bare, words).is_some()) {
        let value = value(text, &bare[..1])?;
        let goes_on = bare.get(1).is_none_or(|_| bare[0].ends_clause())
            || after_any(&bare[1..], &ENGLISH.habits.after_state).is_some();
        if after_any(bare, &ENGLISH.habits.married_to).is_some() {
            return None;
        }
        return goes_on.then(|| StatementDraft::new(*key, StatementKind::Attribute, 0.85, value));
    }
    let first = state.first()?;
    if is_number(first) {
        let rest = &state[1..];
        if rest.is_empty()
            || after_any(rest, &ENGLISH.habits.years_old).is_some()
            || after_any(rest, &ENGLISH.habits.years).is_some_and(<[_]>::is_empty)
        {
            let whole = first.lower.len() < 4;
            return value(text, &state[..1])
                .filter(|_| whole)
                .map(|value| StatementDraft::new("age", StatementKind::Attribute, 0.8, value));
        }
        if rest.iter().take(3).any(|word| is(word, &ENGLISH.habits.tall)) {
            return value(text, state)
                .map(|value| StatementDraft::new("height", StatementKind::Attribute, 0.85, value));
        }
    }
    None
}

/// A value after one of the openings.
fn opening<'m>(
    text: &TokenizedText<'m>,
    rest: &[Word<'m>],
    key: &'static str,
    marks: ClauseMarks,
) -> Option<StatementDraft> {
    let rest = after_any(rest, &ENGLISH.habits.about).unwrap_or(rest);
    let first = rest.first()?;
    let capital = rest.iter().take(2).any(|word| word.is_capital() && !is(word, &ENGLISH.grammar.i));
    let noun = is(first, &ENGLISH.grammar.all_articles) && rest.len() > 1;
    if key == "work from"
        && let Some(at) = measured_at(rest)
    {
        let found = value(text, without_preposition(&rest[at..]))?;
        return Some(StatementDraft::new(
            plain_key(&format!("work from {}", text.slice(&rest[..at]))),
            StatementKind::Activity,
            0.8,
            found,
        ));
    }
    let fits = match key {
        "work hours" => (is_number(first) && rest.len() > 1) || is(first, &ENGLISH.habits.work_hours),
        "work from" | "live with" => !is(first, &ENGLISH.habits.no_place),
        "home" => {
            (capital || first.is_figure() || (is(first, &ENGLISH.grammar.articles) && !is_here(rest)))
                && !marks.moment
                && !is_am_at(text, rest)
        }
        "employer" => capital || noun || marks.told,
        "job" => {
            !first.lower.ends_with("ing") && !is(first, &ENGLISH.nouns.moods) && !is(first, &ENGLISH.habits.no_job)
        }
        "weight" => is_number(first) && rest.iter().take(3).any(is_mass),
        "salary" => {
            is_number(first) && rest.len() > 1 && !rest.iter().take(3).any(|word| is(word, &ENGLISH.habits.no_salary))
        }
        "get up" | "go to bed" | "alarm" => is_number(first) || is(first, &ENGLISH.grammar.hours_of_day),
        "age" => is_number(first) && rest.len() == 1,
        "saving" => is_number(first),
        "partner" | "name" | "flatmate" => first.is_capital() && rest.len() <= 4,
        "origin" => first.is_capital() || (is(first, &ENGLISH.grammar.the) && capital),
        "owns" => false,
        "speaks" => first.is_capital(),
        "likes" | "dislikes" => {
            !is(first, &ENGLISH.habits.pointed) && rest.len() <= 8 && !is(first, &ENGLISH.habits.own_articles)
        }
        "study" | "learning" | "reading" | "writing" | "watching" => {
            !is(first, &ENGLISH.habits.pointed) && !is(first, &ENGLISH.habits.own_article) || capital
        }
        _ => !is(first, &ENGLISH.habits.pointed) || noun,
    };
    let found = value(text, without_article(rest, key)).filter(|_| fits && (!marks.moment || key == "weight"))?;
    let confidence = if matches!(key, "likes" | "dislikes" | "reading" | "writing" | "watching") { 0.65 } else { 0.85 };
    Some(StatementDraft::new(key, StatementKind::Activity, confidence, found))
}

/// A job or an employer without "a".
fn without_article<'w, 'm>(rest: &'w [Word<'m>], key: &str) -> &'w [Word<'m>] {
    if matches!(key, "job" | "training for" | "saving for") {
        after_any(rest, &ENGLISH.grammar.articles).unwrap_or(rest)
    } else {
        rest
    }
}

/// "I am in Miami" says where the user is, not where they live.
fn is_am_at(text: &TokenizedText<'_>, rest: &[Word<'_>]) -> bool {
    let Some(first) = rest.first() else { return false };
    let before = text.source[..first.at].to_lowercase();
    let mut words = before.split_whitespace().rev();
    let (preposition, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let _ = preposition;
    ENGLISH.habits.being_there.contains(&verb)
}

/// "a society", "a world": not a home.
fn is_here(rest: &[Word<'_>]) -> bool {
    rest.iter().take(3).any(|word| is(word, &ENGLISH.habits.no_home))
}

fn is_mass(word: &Word<'_>) -> bool {
    is(word, &ENGLISH.habits.masses) || word.lower.ends_with("kg") || word.lower.ends_with("lbs")
}

/// "I use Helix", "I use Obsidian for notes", "I use she/her pronouns".
fn used<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let thing = after_any(said, &ENGLISH.habits.uses)?;
    let thing = &thing[..extent(thing)];
    let first = thing.first()?;
    if is(first, &ENGLISH.habits.pointed) && !is(first, &ENGLISH.grammar.the) || thing.len() > 9 {
        return None;
    }
    if let Some(at) = thing.iter().position(|word| is(word, &ENGLISH.habits.pronouns)) {
        return value(text, &thing[..at])
            .map(|value| StatementDraft::new("pronouns", StatementKind::Attribute, 0.9, value));
    }
    let purpose = thing.iter().position(|word| is(word, &ENGLISH.habits.purposes)).filter(|&at| at > 0);
    let Some(at) = purpose else {
        let found = value(text, after_any(thing, &ENGLISH.grammar.all_articles).unwrap_or(thing))?;
        let key = sort_of(&found.text).unwrap_or("uses");
        return Some(StatementDraft::new(key, StatementKind::Activity, 0.75, found));
    };
    let found = value(text, after_any(&thing[..at], &ENGLISH.grammar.all_articles).unwrap_or(&thing[..at]))?;
    let what = key_of(text, &thing[at + 1..]);
    let key = if is(&thing[at], &ENGLISH.grammar.as_word) { what } else { format!("uses for {what}") };
    Some(StatementDraft::new(key, StatementKind::Activity, 0.8, found))
}

/// "I'm on the blue team", "I'm in group B": what sort of thing is named last or first.
fn placed<'m>(text: &TokenizedText<'m>, said: &[Word<'m>]) -> Option<StatementDraft> {
    let place = after_any(said, &ENGLISH.habits.placed)?;
    let place = &place[..extent(place)];
    let sort = |word: &Word<'_>| is(word, &ENGLISH.habits.places);
    let key = match (place.first().filter(|word| sort(word)), place.last().filter(|word| sort(word))) {
        (_, Some(last)) if place.len() > 1 => last.lower.clone(),
        (Some(first), _) if place.len() > 1 => first.lower.clone(),
        _ => return None,
    };
    (place.len() <= 4)
        .then(|| value(text, place))
        .flatten()
        .map(|value| StatementDraft::new(key, StatementKind::Attribute, 0.75, value))
}

/// The key of a habit: the verb with what belongs to it.
pub(super) fn verb_key(verb: &str, rest: &[Word<'_>]) -> String {
    let preposition = rest
        .first()
        .filter(|word| is(word, &ENGLISH.habits.prepositions) && !is(word, &ENGLISH.habits.no_verb_prepositions));
    match preposition {
        Some(word) if !is_time(&rest[1..]) => format!("{verb} {}", word.lower),
        _ if verb == "use" => "uses".to_owned(),
        _ => verb.to_owned(),
    }
}

pub(super) fn is_time(words: &[Word<'_>]) -> bool {
    words.first().is_some_and(|word| is_number(word) || is(word, WEEKDAYS) || is(word, MONTHS))
}

/// Whether an unknown verb is something done again and again: "I rehearse on Mondays".
fn is_routine(verb: &Word<'_>, rest: &[Word<'_>]) -> bool {
    let often =
        |word: &Word<'_>| is(word, &ENGLISH.habits.routines) || (is(word, WEEKDAYS) && word.lower.ends_with('s'));
    !is(verb, &ENGLISH.habits.other)
        && !verb.lower.ends_with("ed")
        && !verb.lower.ends_with("ing")
        && rest.iter().take(8).any(often)
}

/// "I go to the gym three times a week", "I drink two coffees a day", "I shop at Lidl".
fn habit<'m>(text: &TokenizedText<'m>, said: &[Word<'m>], marks: ClauseMarks, started: bool) -> Option<StatementDraft> {
    let (verb, rest) = said.split_first()?;
    let plain = if started { plain_verb(&verb.lower) } else { verb.lower.clone() };
    if marks.moment || rest.is_empty() || !(ENGLISH.habits.verbs.contains(&plain.as_str()) || is_routine(verb, rest)) {
        return None;
    }
    let rest = &rest[..extent(rest)];
    if rest.is_empty() || rest.len() > 14 {
        return None;
    }
    let measured = measured_at(rest);
    if let Some(at) = measured.filter(|_| !rest.first().is_some_and(is_number)) {
        let (object, when) = rest.split_at(at);
        let pointed = object
            .first()
            .is_some_and(|word| is(word, &ENGLISH.habits.pointed) && !is(word, &ENGLISH.habits.allowed_objects));
        let key = plain_key(&format!("{plain} {}", text.slice(object)));
        let found = value(text, without_preposition(when))?;
        return (!pointed).then(|| StatementDraft::new(key, StatementKind::Activity, 0.75, found));
    }
    let key = verb_key(&plain, rest);
    let stated = if key == plain { without_preposition(rest) } else { &rest[1..] };
    let first = stated.first()?;
    let capital = stated.iter().take(3).any(|word| word.is_capital() && !is(word, &ENGLISH.grammar.i));
    let figures = stated.iter().any(is_number);
    let clear = !is(first, &ENGLISH.habits.pointed)
        || (is(first, &ENGLISH.grammar.the)
            && (plain == "play" || key != plain || figures || capital || marks.update || marks.told));
    // Weak verbs say something lasting only with a name, a figure, or word that it is new.
    let timed = is_time(stated)
        || is(first, &ENGLISH.grammar.how_often_words)
        || after_any(rest, &ENGLISH.grammar.parts_of_day).is_some();
    let strong = timed
        || !ENGLISH.habits.weak.contains(&plain.as_str())
        || figures
        || marks.update
        || marks.told
        || (capital && !ENGLISH.habits.weakest.contains(&plain.as_str()));
    let fleeting = is(first, &ENGLISH.nouns.moods) || stated.iter().any(|word| is(word, &ENGLISH.grammar.today));
    let found = value(
        text,
        after_any(stated, &ENGLISH.grammar.all_articles).filter(|rest| !rest.is_empty()).unwrap_or(stated),
    )?;
    (clear && strong && !fleeting).then(|| StatementDraft::new(key, StatementKind::Activity, 0.7, found))
}
