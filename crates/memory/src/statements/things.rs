//! Statements about what is the user's: "my 5k time is 27:12", "our meeting is on Tuesdays", "my
//! sister lives in Graz".

use super::{
    StatementKind,
    changes::passive,
    clause::ClauseMarks,
    draft::{StatementDraft, StatementValue, extent, from_to, key_of, value, without_preposition},
    habits::is_time,
    key::{normal_key, plain_key},
    possessions::{lacked, owned},
};
use crate::language::{
    calendar::{MONTHS, WEEKDAYS},
    pattern::{after_any, first_is, is, is_number},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// A thing of the user's and what follows it.
struct Subject<'w, 'm> {
    key: String,
    head: String,
    named: Option<String>,
    is_new: bool,
    was: bool,
    verb: &'w Word<'m>,
    rest: &'w [Word<'m>],
    own: bool,
}

/// What a clause states about something of the user's.
pub(super) fn find<'m>(text: &TokenizedText<'m>, words: &[Word<'m>], marks: ClauseMarks) -> Vec<StatementDraft> {
    if let Some(draft) = inverted(text, words) {
        return vec![draft];
    }
    let Some(subject) = subject(text, words) else { return Vec::new() };
    if subject.was {
        return Vec::new();
    }
    let mut drafts = Vec::new();
    if let Some(name) = &subject.named {
        let value = StatementValue { text: name.clone(), replaces: None };
        drafts.push(StatementDraft::new(format!("{}'s name", subject.head), StatementKind::Attribute, 0.85, value));
    }
    let fresh = subject.is_new;
    drafts
        .extend(said_of(text, &subject, marks).map(|draft| StatementDraft { update: draft.update || fresh, ..draft }));
    if drafts.len() == 1 && subject.named.is_some() && subject.rest.is_empty() {
        drafts.clear();
    }
    drafts
}

/// What a clause says of something that the message has named already: "(my 5k time is 27:12.) It's
/// 26:50 now".
pub(super) fn of<'m>(
    text: &TokenizedText<'m>,
    key: &str,
    words: &[Word<'m>],
    marks: ClauseMarks,
) -> Option<StatementDraft> {
    let (verb, rest) = words.split_first().filter(|(verb, _)| is(verb, &ENGLISH.things.verbs))?;
    let head = key.to_owned();
    let subject = Subject { key: head.clone(), head, named: None, is_new: true, was: false, verb, rest, own: true };
    said_of(text, &subject, marks).map(|draft| StatementDraft { update: true, ..draft })
}

/// "My new car", "the name of my dog", "Anna's birthday", and the verb after it.
fn subject<'w, 'm>(text: &TokenizedText<'m>, words: &'w [Word<'m>]) -> Option<Subject<'w, 'm>> {
    let own = first_is(words, &ENGLISH.grammar.own);
    let genitive = words.first().is_some_and(|word| word.lower.ends_with("'s") && word.is_capital());
    let bare = first_is(words, &ENGLISH.things.labels);
    if !own && !genitive && !bare && !first_is(words, &ENGLISH.grammar.the) {
        return None;
    }
    let labelled = words.iter().take(7).position(|word| word.after.contains(':'));
    let verb = words.iter().take(9).skip(1).position(|word| is(word, &ENGLISH.things.verbs)).map(|at| at + 1);
    let verb = verb.or_else(|| unknown_verb(words));
    // "My new number: 0664".
    let labelled = labelled.filter(|&colon| verb.is_none_or(|verb| colon < verb));
    let (end, rest) = match (labelled, verb) {
        (Some(colon), _) => (colon + 1, words.get(colon + 1..)?),
        (None, Some(verb)) => (verb, words.get(verb + 1..)?),
        _ => return None,
    };
    if bare && labelled.is_none() {
        return None;
    }
    let noun = &words[..end];
    if noun.len() < 2 && !genitive || noun.iter().any(|word| is(word, &ENGLISH.things.broken)) {
        return None;
    }
    let is_new = noun.iter().any(|word| is(word, &ENGLISH.things.fresh));
    let was = noun.iter().any(|word| is(word, &ENGLISH.things.former))
        && noun.len() > 2
        && !is_new
        && !noun.iter().any(|word| is(word, &ENGLISH.grammar.name));
    let relation = noun.iter().position(|word| is(word, &ENGLISH.nouns.relations));
    let named = relation.and_then(|at| noun.get(at + 1..)).filter(|name| {
        !name.is_empty() && name.len() <= 2 && name.iter().all(|word| word.is_capital() && !word.lower.ends_with("'s"))
    });
    let kept = named.map_or(noun, |name| &noun[..noun.len() - name.len()]);
    let head = normal_key(text.slice(kept));
    let verb = words.get(end).filter(|_| labelled.is_none()).unwrap_or(&words[end - 1]);
    let key = key_of(text, kept);
    (!key.is_empty()).then(|| Subject {
        key,
        head,
        named: named.map(|name| text.slice(name).to_owned()),
        is_new,
        was,
        verb,
        rest,
        own: own || genitive || bare,
    })
}

/// A word in "-s" behind a noun and in front of what only a verb can have: "the choir rehearses on
/// Mondays".
fn unknown_verb(words: &[Word<'_>]) -> Option<usize> {
    (2..words.len().min(6)).find(|&at| {
        let word = &words[at];
        let formed = word.lower.ends_with('s')
            && !word.lower.ends_with("ss")
            && !word.lower.ends_with("'s")
            && !word.is_capital();
        let next = words.get(at + 1);
        let object = next.is_some_and(|next| {
            is_measure(next) || is(next, &ENGLISH.habits.prepositions) || is(next, &ENGLISH.things.verb_objects)
        });
        formed && object && !words[at - 1].ends_clause() && !is(&words[at - 1], &ENGLISH.habits.prepositions)
    })
}

/// What the verb and the rest say.
fn said_of<'m>(text: &TokenizedText<'m>, subject: &Subject<'_, 'm>, marks: ClauseMarks) -> Option<StatementDraft> {
    let (verb, rest, key) = (subject.verb, subject.rest, subject.key.as_str());
    if verb.after.contains(':') && !is(verb, &ENGLISH.things.verbs) {
        return value(text, rest).map(|value| StatementDraft::changed(key, StatementKind::Attribute, 0.85, value));
    }
    if let Some(wish) = after_any(rest, &ENGLISH.things.to_be).filter(|_| is(verb, &ENGLISH.things.wants)) {
        return value(text, wish)
            .map(|value| StatementDraft::new(format!("{key} wants to be"), StatementKind::Activity, 0.7, value));
    }
    if let Some(noun) = after_any(rest, &ENGLISH.things.not_have).filter(|_| is(verb, &ENGLISH.things.does)) {
        return lacked(text, noun).map(|lacked| StatementDraft { key: format!("{key}'s {}", lacked.key), ..lacked });
    }
    if is(verb, &ENGLISH.things.fleeting) {
        return None;
    }
    let person = ENGLISH.nouns.relations.iter().any(|relation| subject.head.ends_with(relation));
    let gone = after_any(rest, &ENGLISH.grammar.moved).filter(|_| is(verb, &ENGLISH.grammar.has));
    if let Some(rest) = gone.or(is(verb, &ENGLISH.grammar.moved).then_some(rest)).filter(|_| person) {
        let moved = from_to(text, after_any(rest, &ENGLISH.things.moved_particles).unwrap_or(rest))?;
        let named = moved.text.starts_with(char::is_uppercase);
        return named.then(|| StatementDraft::changed(format!("{key} lives in"), StatementKind::Activity, 0.85, moved));
    }
    if let Some(change) = passive(text, key, &[std::slice::from_ref(verb), rest].concat()) {
        return Some(change);
    }
    let copula = is(verb, &ENGLISH.grammar.copulas);
    let will = is(verb, &ENGLISH.grammar.will).then(|| after_any(rest, &ENGLISH.grammar.be)).flatten();
    let been = is(verb, &ENGLISH.grammar.has).then(|| after_any(rest, &ENGLISH.things.been)).flatten();
    let turned = is(verb, &ENGLISH.things.turned).then_some(rest);
    if is(verb, &ENGLISH.things.died)
        || (is(verb, &ENGLISH.things.passed) && first_is(rest, &ENGLISH.things.away))
        || (been.is_none() && after_any(rest, &ENGLISH.things.died_or_passed).is_some())
    {
        return Some(StatementDraft::ended(key, ""));
    }
    // "My dentist used to be Dr. Brandt", "my seat isn't 14A any more".
    let before = if is(verb, &ENGLISH.things.used) {
        after_any(rest, &ENGLISH.things.used_to_be)
    } else {
        after_any(rest, &ENGLISH.grammar.not).filter(|_| copula && marks.update)
    };
    if let Some(stated) = before {
        let over = value(text, without_preposition(stated)).map(|value| value.text)?;
        return Some(StatementDraft::ended(key, over));
    }
    if marks.ended {
        let stated = value(text, without_preposition(rest)).map(|value| value.text).unwrap_or_default();
        let verb = if copula { String::new() } else { format!(" {}", verb.lower) };
        return Some(StatementDraft::ended(format!("{key}{verb}"), stated));
    }
    if let Some(rest) = copula.then_some(rest).or(will).or(been).or(turned) {
        return attribute(text, subject, rest, marks);
    }
    if is(verb, &ENGLISH.things.past_verbs) {
        return None;
    }
    if let Some(stated) = after_any(rest, &ENGLISH.things.a_new).filter(|_| is(verb, &ENGLISH.grammar.has_or_got)) {
        let end = stated.iter().take(4).position(Word::ends_clause)? + 1;
        let (what, stated) = stated.split_at(end);
        let found = value(text, without_preposition(stated))?;
        let plain = first_is(what, &ENGLISH.things.plain_attributes);
        let key = if plain { key.to_owned() } else { format!("{key}'s {}", key_of(text, what)) };
        return Some(StatementDraft::changed(key, StatementKind::Attribute, 0.8, found));
    }
    if is(verb, &ENGLISH.grammar.has_or_got) {
        let owned = owned(text, rest, marks)?;
        return Some(StatementDraft { key: format!("{key}'s {}", owned.key), ..owned });
    }
    if is(verb, &ENGLISH.things.joined) {
        return value(text, rest)
            .map(|value| StatementDraft::changed(format!("{key} works at"), StatementKind::Activity, 0.8, value));
    }
    if is(verb, &ENGLISH.changes.changed) || is(verb, &ENGLISH.things.unfinished) {
        return None;
    }
    activity(text, subject, rest, marks)
}

/// "My X is Y".
fn attribute<'m>(
    text: &TokenizedText<'m>,
    subject: &Subject<'_, 'm>,
    rest: &[Word<'m>],
    marks: ClauseMarks,
) -> Option<StatementDraft> {
    let key = subject.key.as_str();
    if let Some(name) = after_any(rest, &ENGLISH.things.named) {
        return value(text, name)
            .map(|value| StatementDraft::new(format!("{key}'s name"), StatementKind::Attribute, 0.9, value));
    }
    let moved = after_any(rest, &ENGLISH.things.moved_to);
    let due = after_any(rest, &ENGLISH.things.due).filter(|when| is_time(when));
    let moved = moved.or(due);
    let stated = without_preposition(moved.unwrap_or(rest));
    let stated = after_any(stated, &ENGLISH.grammar.to)
        .filter(|place| place.first().is_some_and(Word::is_capital))
        .unwrap_or(stated);
    let first = stated.first()?;
    let relation = ENGLISH.nouns.relations.contains(&subject.head.as_str());
    if relation
        && let Some(at) = stated.iter().take(4).position(|word| {
            is(word, &ENGLISH.values.jobs) || (is_trade(word) && first_is(stated, &ENGLISH.grammar.articles))
        })
    {
        let stated = after_any(stated, &ENGLISH.grammar.articles).unwrap_or(stated);
        let _ = at;
        return value(text, stated)
            .map(|value| StatementDraft::new(format!("{key}'s job"), StatementKind::Attribute, 0.85, value));
    }
    if relation && is(first, &ENGLISH.values.diets) {
        return value(text, stated)
            .map(|value| StatementDraft::new(format!("{key}'s diet"), StatementKind::Attribute, 0.85, value));
    }
    if relation
        && (stated.len() > 1 && after_any(stated, &ENGLISH.things.age).is_some()
            || stated.len() == 1 && is_number(first))
    {
        return value(text, stated)
            .map(|value| StatementDraft::new(format!("{key}'s age"), StatementKind::Attribute, 0.85, value));
    }
    if relation && first_is(rest, &ENGLISH.grammar.place_prepositions) && first.is_capital() && moved.is_none() {
        return value(text, stated)
            .map(|value| StatementDraft::new(format!("{key} lives in"), StatementKind::Activity, 0.6, value));
    }
    let known = moved.is_some() || subject.is_new || marks.told || marks.update;
    if !is_lasting(subject, stated, known) {
        return None;
    }
    let value = value(text, stated)?;
    let job =
        ["job", "position", "role"].contains(&key) && first_is(rest, &ENGLISH.things.job_at) && first.is_capital();
    let confidence = if subject.own { 0.85 } else { 0.75 };
    Some(StatementDraft::new(if job { "employer" } else { key }, StatementKind::Attribute, confidence, value))
}

/// Whether a value can hold for longer than today.
fn is_lasting(subject: &Subject<'_, '_>, stated: &[Word<'_>], known: bool) -> bool {
    let Some(first) = stated.first() else { return false };
    let head = subject.key.rsplit(' ').next().unwrap_or_default();
    let attribute = subject.key.split(' ').any(|word| {
        ENGLISH.nouns.attributes.contains(&word.trim_end_matches("'s"))
            || ENGLISH.nouns.attributes.contains(&super::value::stem(word).as_str())
    });
    let measured = stated.iter().take(6).any(is_measure);
    if is(first, &ENGLISH.things.not_lasting) {
        return false;
    }
    if ENGLISH.things.looks.contains(&head) && stated.len() == 1 {
        return true;
    }
    if is(first, &ENGLISH.grammar.to) && ENGLISH.things.aims.contains(&head) {
        return true;
    }
    let span = is(first, &ENGLISH.things.spans) && measured;
    if (is(first, &ENGLISH.nouns.moods) && !is_named_mood(first, stated)) || (is(first, &ENGLISH.things.vague) && !span)
    {
        // "Down", "up", "open from 9 to 5": a figure makes a value of it.
        return measured && attribute && is(first, &ENGLISH.things.measured_moods);
    }
    if first.lower.ends_with("ing") && !first.is_capital() && !attribute {
        return false;
    }
    let favourite = subject.key.starts_with("favo");
    if favourite {
        return !first.lower.ends_with("ing") || stated.len() == 1 && !is(first, &ENGLISH.things.happening);
    }
    if first.lower.ends_with("ing") && !first.is_capital() && !ENGLISH.things.pastimes.contains(&head) {
        return false;
    }
    if subject.own {
        let noun = is(first, &ENGLISH.things.noun_openings);
        let named = stated.iter().take(4).any(|word| word.is_capital() && !is(word, &ENGLISH.grammar.i));
        return attribute || measured || named || noun || known || is_noun(subject, stated);
    }
    // "The" need not be the user's: a figure, a date or a thing one has must show that it is.
    let world = subject.key.split(' ').any(|word| ENGLISH.things.world.contains(&word.trim_end_matches("'s")));
    // "The conference is in Lyon", but not "the author of Emma is Austen".
    let named = first.is_capital() && !is(first, &ENGLISH.grammar.i) && !subject.key.contains(" of ");
    !world && (known || named || measured || (attribute && (first.is_capital() || stated.len() <= 6)))
}

/// Whether a plain word is rather a thing than how something is just now: "my research topic is
/// glaciers".
fn is_noun(subject: &Subject<'_, '_>, stated: &[Word<'_>]) -> bool {
    let [word, ..] = stated else { return false };
    let formed =
        ENGLISH.things.endings.iter().any(|ending| word.lower.ends_with(ending)) || is(word, &ENGLISH.things.for_now);
    let known = subject.key.contains(' ') || ENGLISH.nouns.relations.contains(&subject.key.as_str());
    let place = known && ENGLISH.nouns.relations.contains(&subject.key.as_str());
    known && !formed && extent(stated) <= 2 && stated.len() == extent(stated) && (!place || is_place(word))
}

/// Whether a word is formed like the name of a trade.
fn is_trade(word: &Word<'_>) -> bool {
    word.lower.len() > 5 && ENGLISH.things.trade_endings.iter().any(|ending| word.lower.ends_with(ending))
}

/// Places where people spend years.
fn is_place(word: &Word<'_>) -> bool {
    is(word, &ENGLISH.things.schools)
}

/// A number, a day, a month or a place in an order.
fn is_measure(word: &Word<'_>) -> bool {
    is_number(word) || is(word, MONTHS) || is(word, WEEKDAYS) || is(word, &ENGLISH.things.ordinals)
}

/// A mood word that is part of a name or a longer noun: "Free Willy".
fn is_named_mood(first: &Word<'_>, stated: &[Word<'_>]) -> bool {
    first.is_capital()
        || stated.get(1).is_some_and(|word| word.is_capital() && !is(word, &ENGLISH.grammar.i))
            && !is(first, &ENGLISH.things.no_name)
}

/// "My sister lives in Graz", "my flight leaves at 9:40".
fn activity<'m>(
    text: &TokenizedText<'m>,
    subject: &Subject<'_, 'm>,
    rest: &[Word<'m>],
    marks: ClauseMarks,
) -> Option<StatementDraft> {
    let (key, verb) = (subject.key.as_str(), subject.verb);
    if rest.is_empty() {
        return None;
    }
    let stated = rest
        .first()
        .filter(|word| is(word, &ENGLISH.habits.prepositions) && rest.len() > 1)
        .map_or(rest, |_| &rest[1..]);
    let measured = stated.iter().take(6).any(|word| is_number(word) || is(word, WEEKDAYS) || is(word, MONTHS));
    let is_vague = is(stated.first()?, &ENGLISH.nouns.moods) || first_is(stated, &ENGLISH.grammar.pointers);
    if is_vague && !measured {
        return None;
    }
    if !subject.own && !measured && !marks.told && !marks.update {
        return None;
    }
    if is(verb, &ENGLISH.things.scheduled) && measured {
        return value(text, after_any(stated, &ENGLISH.grammar.me_or_us).unwrap_or(stated))
            .map(|value| StatementDraft::new(key, StatementKind::Attribute, 0.85, value));
    }
    let preposition = if is_time(stated) { &rest[..0] } else { &rest[..rest.len() - stated.len()] };
    let mut framed = format!("{key} {}", verb.lower);
    let (object, stated) =
        match measured_at(stated).filter(|_| preposition.is_empty() || is(verb, &ENGLISH.things.goes)) {
            // "My son has football on Mondays": the day is the value.
            Some(at) if at > 0 => stated.split_at(at),
            _ => (&stated[..0], stated),
        };
    for word in preposition.iter().chain(object) {
        framed.push(' ');
        framed.push_str(&word.lower);
    }
    value(text, without_preposition(stated))
        .map(|value| StatementDraft::new(plain_key(&framed), StatementKind::Activity, 0.75, value))
}

/// Where the part of a phrase begins that says when or how much, if another part stands before it.
pub(super) fn measured_at(words: &[Word<'_>]) -> Option<usize> {
    let end = extent(words);
    let words = &words[..end];
    (1..words.len()).find(|&at| {
        let here = &words[at..];
        let measure = |word: &Word<'_>| is_measure(word) || is(word, &ENGLISH.grammar.hours);
        after_any(here, &ENGLISH.grammar.how_often).is_some()
            || after_any(here, &ENGLISH.things.time_prepositions)
                .and_then(|rest| rest.first())
                .is_some_and(|word| measure(word) && !is_year(word))
            || after_any(here, &ENGLISH.things.amounts).is_some()
            || after_any(here, &ENGLISH.grammar.parts_of_day).is_some()
    })
}

/// A year says how old a thing is, not when it happens.
fn is_year(word: &Word<'_>) -> bool {
    word.lower.len() == 4 && (word.lower.starts_with("19") || word.lower.starts_with("20"))
}

/// "Helix is my new editor", "blue is my favourite colour".
fn inverted<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> Option<StatementDraft> {
    let verb = words.iter().take(6).position(|word| is(word, &ENGLISH.things.inverted_verbs))?;
    let thing = after_any(words.get(verb + 1..)?, &ENGLISH.grammar.own)?;
    let named = &words[..verb];
    if named.is_empty()
        || thing.is_empty()
        || words[verb].lower == "was"
        || named.iter().any(|word| is(word, &ENGLISH.things.not_named))
    {
        return None;
    }
    let thing = &thing[..extent(thing)];
    let lasting = first_is(thing, &ENGLISH.things.inverted_adjectives) || named[0].is_capital();
    let key = key_of(text, thing);
    let found = StatementValue { text: text.slice(named).to_owned(), replaces: None };
    let fresh = first_is(thing, &ENGLISH.grammar.current);
    (lasting && thing.len() <= 4 && !key.is_empty())
        .then(|| StatementDraft { update: fresh, ..StatementDraft::new(key, StatementKind::Attribute, 0.8, found) })
}
