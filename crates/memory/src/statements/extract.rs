//! Extracts statements from a message: which sentences are the user's own words, and what the rules
//! find in their clauses.

use super::{
    LOOKED_AT_MAX, STATEMENTS_MAX, Statement, StatementKind, WORDS_MAX, changes,
    clause::{Clause, clauses},
    draft::{StatementDraft, StatementValue},
    endings, habits,
    key::{level, normal_key},
    patterns, possessions, profile, rules, things,
    value::same_value,
};
use crate::language::{
    lexicon::{Lexicon, tokens},
    pattern::{after_any, asks, body, first_is, has, is, starts},
    rule_words::ENGLISH,
    words::{TokenizedText, Word},
};

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// The user speaks.
    Own,
    /// Pasted text, or code.
    Pasted,
    /// A part that is played, or a text that is to be worked on.
    Other,
}

/// What was extracted from a message.
pub(super) struct Extraction {
    /// Who speaks.
    pub voice: Voice,
    /// Whether something was to be remembered.
    pub told: bool,
    /// The statements.
    pub statements: Vec<Statement>,
}

/// Reads a message.
pub(super) fn read(message: &str) -> Extraction {
    let text = TokenizedText::read(message, LOOKED_AT_MAX);
    let voice = voice(&text);
    let mut reading = Extraction { voice, told: false, statements: Vec::new() };
    if voice != Voice::Own {
        return reading;
    }
    let lexicon = Lexicon::of(&tokens(&text));
    if lexicon.code != "en" {
        reading.statements = patterns::read(&text, lexicon);
        return reading;
    }
    let mut topic: Option<String> = None;
    for sentence in text.sentences() {
        if reading.statements.len() >= STATEMENTS_MAX {
            break;
        }
        let known = reading.statements.len();
        sentence_of(&text, sentence, &mut topic, &mut reading);
        // Text after an unmatched line with a colon is a text or quoted speech.
        let opens = sentence.iter().any(|word| word.after.contains(':') && word.after.contains('\n'));
        if opens && reading.statements.len() == known {
            break;
        }
    }
    reading
}

/// Who speaks.
pub(super) fn voice(text: &TokenizedText<'_>) -> Voice {
    let code = text.source.contains("```") || text.source.contains("</") || text.source.contains("{\n");
    let mail = ENGLISH.extract.mail_marks.iter().any(|mark| text.source.contains(mark));
    if text.cut || text.words.len() > WORDS_MAX || code || mail {
        return Voice::Pasted;
    }
    let works = |sentence: &[Word<'_>]| {
        let mut words = body(sentence);
        while let Some(inner) = after_any(words, &ENGLISH.extract.wraps).filter(|inner| inner.len() < words.len()) {
            words = body(inner);
        }
        starts(words, &ENGLISH.extract.work_on) && profile::frame(words).is_none_or(|told| told.is_empty())
    };
    // "You are Captain Ahab and I am …" gives out parts.
    let is_name = |word: &Word<'_>| word.text.starts_with(char::is_uppercase);
    let casts = after_any(&text.words, &ENGLISH.extract.casting).is_some_and(|rest| rest.first().is_some_and(is_name));
    if casts || has(&text.words, &ENGLISH.extract.make_believe) || text.sentences().any(works) {
        return Voice::Other;
    }
    Voice::Own
}

/// What one sentence states.
fn sentence_of<'m>(
    text: &TokenizedText<'m>,
    sentence: &[Word<'m>],
    topic: &mut Option<String>,
    reading: &mut Extraction,
) {
    if asks(sentence) || profile::is_cited(text, sentence) {
        return;
    }
    let words = body(sentence);
    let told = profile::frame(words);
    reading.told |= told.is_some();
    let framed = told.unwrap_or(words);
    if told.is_none() && starts(words, &ENGLISH.extract.unstated) {
        return;
    }
    let said = sentence_text(text, sentence);
    let wish = rules::find(text, framed);
    if let Some(wish) = wish
        .filter(|wish| !first_is(framed, &ENGLISH.extract.own_openings) && wish.key.is_some() && profile::stands(wish))
    {
        let friends = starts(framed, &ENGLISH.grammar.nicknamed);
        let key = if friends { "nickname" } else { wish.key.unwrap_or("preference") };
        let value = StatementValue { text: wish.value, replaces: None };
        push(reading, StatementDraft::new(key, StatementKind::Wish, 0.85, value), &said, told.is_some());
        return;
    }
    if let Some(draft) = changes::ordered(text, framed) {
        push(reading, draft, &said, true);
        return;
    }
    // "The kitchen lights at 7 please" is a request.
    if told.is_none() && words.last().is_some_and(|word| word.lower == "please") {
        return;
    }
    let known = reading.statements.len();
    let sentence = about(text, words, topic).unwrap_or(sentence);
    let mut adds = false;
    for clause in clauses(text, sentence) {
        // "I rent a studio too, that's 240 euros": it is said of what was added.
        let is_of_added = adds && first_is(&clause.words, &ENGLISH.grammar.that);
        adds |= clause.marks.adds;
        if is_of_added {
            continue;
        }
        if told.is_none()
            && starts(&clause.words, &ENGLISH.extract.unstated)
            && !starts(&clause.words, &ENGLISH.extract.going_vegan)
        {
            continue;
        }
        let touched = possessions::announced(text, &clause.words).or_else(|| handled(text, &clause.words));
        *topic = touched.or_else(|| topic.take());
        for draft in drafts(text, &clause, topic.as_deref()) {
            if is_denied(&clause.words, &draft) {
                continue;
            }
            *topic = Some(draft.key.clone());
            push(reading, draft, &said, clause.marks.told);
        }
    }
    if reading.statements.len() == known
        && let Some(told) = told.filter(|told| told.len() > 1)
    {
        let found = rules::framed(text, told);
        let value = StatementValue { text: found.value, replaces: None };
        push(reading, StatementDraft::new(found.key.unwrap_or("note"), StatementKind::Note, 0.8, value), &said, true);
    }
}

/// "Forget what I said about the meeting, it's on Friday": what it is about, and what is said of
/// it.
fn about<'w, 'm>(
    text: &TokenizedText<'m>,
    words: &'w [Word<'m>],
    topic: &mut Option<String>,
) -> Option<&'w [Word<'m>]> {
    let thing = after_any(words, &ENGLISH.extract.about)?;
    let end = thing.iter().take(6).position(Word::ends_clause)? + 1;
    let named = first_is(thing, &ENGLISH.grammar.own_or_the) && end > 1;
    if named {
        *topic = Some(normal_key(text.slice(&thing[..end])));
    }
    thing.get(end..).filter(|rest| named && !rest.is_empty())
}

/// "I cut my hair": what is done to a thing of the user's may be followed by how it is now.
fn handled<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> Option<String> {
    let thing = after_any(words, &ENGLISH.grammar.speakers).and_then(|said| said.get(1..))?;
    let fits = first_is(thing, &ENGLISH.grammar.own) && (2..=4).contains(&thing.len());
    fits.then(|| normal_key(text.slice(thing)))
}

/// "You can reach me at 0699 333444".
fn reached<'m>(text: &TokenizedText<'m>, words: &[Word<'m>]) -> Option<StatementDraft> {
    let at = after_any(words, &ENGLISH.extract.reached)?;
    let first = at.first()?;
    let key = if first.is_email() { "email" } else { "phone number" };
    let digits =
        first.lower.chars().filter(char::is_ascii_digit).count() + at.get(1).map_or(0, |word| word.lower.len());
    let found = text.slice(&at[..super::draft::extent(at)]).to_owned();
    let fits = first.is_email() || (first.is_figure() && digits > 5);
    fits.then(|| {
        StatementDraft::new(key, StatementKind::Attribute, 0.8, StatementValue { text: found, replaces: None })
    })
}

/// The sentence as written, with its full stop.
fn sentence_text(text: &TokenizedText<'_>, sentence: &[Word<'_>]) -> String {
    let mut said = text.slice(sentence).to_owned();
    let end = sentence.last().map_or("", |word| word.after);
    said.extend(end.chars().take_while(|c| ['.', '!', '…', ')'].contains(c)));
    said
}

/// What one clause states.
fn drafts<'m>(text: &TokenizedText<'m>, clause: &Clause<'m>, topic: Option<&str>) -> Vec<StatementDraft> {
    let (clause, old) = turned(text, clause);
    let (words, marks) = (clause.words.as_slice(), clause.marks);
    let mark = |draft: StatementDraft| StatementDraft {
        update: draft.update || (marks.update && !marks.adds),
        replaces: draft.replaces.clone().or_else(|| old.clone()),
        ..draft
    };
    let change = (!marks.ended).then(|| changes::find(text, words)).flatten();
    if change.is_none()
        && let Some(draft) = endings::find(text, words, marks)
    {
        return vec![draft];
    }
    let own = first_is(words, &ENGLISH.grammar.speakers);
    if own && marks.ended {
        return Vec::new();
    }
    let there = after_any(words, &ENGLISH.extract.there_is).and_then(|noun| possessions::apposed(text, noun));
    if let Some(draft) = reached(text, words).or(there) {
        return vec![mark(draft)];
    }
    if let Some(draft) = change {
        return vec![mark(draft)];
    }
    if let (Some(topic), Some(rest)) = (topic, pointed(words)) {
        return things::of(text, topic, rest, marks).map(mark).into_iter().collect();
    }
    // "I no longer work at Bosch, I'm at Siemens now".
    let placed = after_any(words, &ENGLISH.extract.placed).filter(|place| place.first().is_some_and(Word::is_capital));
    if let (Some("employer" | "home" | "bank with" | "job"), Some(place), true) = (topic, placed, marks.update) {
        let value = super::draft::value(text, place);
        let key = topic.filter(|topic| *topic != "job").unwrap_or("employer");
        return value
            .map(|value| mark(StatementDraft::changed(key, StatementKind::Activity, 0.7, value)))
            .into_iter()
            .collect();
    }
    // Favourites are read as things, each under its own key.
    if !starts(words, &ENGLISH.extract.favourites)
        && let Some(found) = rules::find(text, words).filter(|found| found.key.is_some() && profile::stands(found))
    {
        let key = match found.key.unwrap_or("note") {
            "language" if starts(words, &ENGLISH.extract.speaks) => "speaks",
            "name" if starts(words, &ENGLISH.grammar.nicknamed) => "nickname",
            key => key,
        };
        let kind = if key == "preference" { StatementKind::Wish } else { StatementKind::Attribute };
        let value = split_contrast(found.value);
        return vec![mark(StatementDraft::new(key, kind, 0.9, value))];
    }
    if let Some(draft) = habits::find(text, words, marks) {
        return vec![mark(draft)];
    }
    if let Some(draft) = changes::by_others(text, words) {
        return vec![mark(draft)];
    }
    things::find(text, words, marks).into_iter().map(mark).collect()
}

/// What is said of something named before; "that is the neighbour's" mostly is about something
/// else.
fn pointed<'w, 'm>(words: &'w [Word<'m>]) -> Option<&'w [Word<'m>]> {
    let named = |rest: &&[Word<'_>]| rest.get(1).is_some_and(|word| word.is_figure() || word.is_capital());
    after_any(words, &ENGLISH.extract.it).or_else(|| after_any(words, &ENGLISH.grammar.that_alone).filter(named))
}

/// "tea instead of coffee" as a value and the one it replaces.
fn split_contrast(value: String) -> StatementValue {
    for contrast in ENGLISH.extract.contrasts.iter() {
        if let Some((new, old)) = value.split_once(&format!(" {contrast} ")) {
            return StatementValue { text: new.to_owned(), replaces: Some(old.to_owned()) };
        }
    }
    StatementValue { text: value, replaces: None }
}

/// "no longer a nurse but a teacher" as "a teacher", and the nurse aside.
fn turned<'m>(text: &TokenizedText<'m>, clause: &Clause<'m>) -> (Clause<'m>, Option<String>) {
    let words = &clause.words;
    let denied = words.iter().take(8).position(|word| is(word, &ENGLISH.grammar.not));
    if !clause.marks.ended && denied.is_none() {
        return (clause.clone(), None);
    }
    let verb = if first_is(words, &ENGLISH.grammar.speakers) {
        Some(1)
    } else {
        words.iter().position(|word| is(word, &ENGLISH.things.verbs))
    };
    let from = denied.or(verb.map(|verb| verb + 1));
    let but = words.iter().position(|word| is(word, &ENGLISH.grammar.but));
    let (Some(from), Some(but)) = (from, but.filter(|&but| from.is_some_and(|from| from < but))) else {
        return (clause.clone(), None);
    };
    let old = &words[from + usize::from(denied.is_some())..but];
    let end = old.iter().position(|word| is(word, &ENGLISH.grammar.any_more)).unwrap_or(old.len());
    let old = after_any(&old[..end], &ENGLISH.extract.before_old_value).unwrap_or(&old[..end]);
    let mut kept = words[..from].to_vec();
    kept.extend_from_slice(&words[but + 1..]);
    let marks = super::clause::ClauseMarks { ended: false, update: true, ..clause.marks };
    (Clause { words: kept, marks }, Some(text.slice(old).to_owned()))
}

/// Whether a clause denies something and the statement does not say so.
fn is_denied(words: &[Word<'_>], draft: &StatementDraft) -> bool {
    let denies = words.iter().any(|word| is(word, &ENGLISH.extract.denials));
    let says_no = draft.value == "none" || draft.value == "no" || draft.value.starts_with("no ");
    denies
        && !says_no
        && draft.replaces.is_none()
        && draft.kind != StatementKind::Ending
        && draft.kind != StatementKind::Wish
}

/// A denial that was read as its opposite, or more than one thing read as one: the sentence stays
/// as it is, and nothing is known.
fn is_garbled(draft: &StatementDraft, value: &str) -> bool {
    if draft.kind == StatementKind::Ending || draft.kind == StatementKind::Note || draft.kind == StatementKind::Wish {
        return false;
    }
    let lower = value.to_lowercase();
    // "I'd" is "I", too.
    let first = |word: &str| word.split(['\'', '’']).next().unwrap_or_default().to_owned();
    let has = |text: &str, list: &[&str]| {
        text.split_whitespace().any(|word| list.contains(&word) || list.contains(&first(word).as_str()))
    };
    // "none" and "no pork" say themselves what they deny.
    let says_no = lower.starts_with("no ") || lower == "none" || lower == "no" || lower.starts_with("not ");
    let denied =
        has(&draft.key, &ENGLISH.extract.denial_forms) || (has(&lower, &ENGLISH.extract.denial_forms) && !says_no);
    let is_pointed = ENGLISH.extract.pointing_values.contains(&lower.split(' ').next().unwrap_or_default());
    let is_pointed = is_pointed || ENGLISH.extract.pointing_keys.contains(&draft.key.as_str());
    denied || is_pointed || has(&lower, &ENGLISH.extract.clauses) || draft.key.split(' ').count() > 6
        // "We pay the rent to Mrs Lindqvist" is no sum.
        || draft.key == "pay" && !lower.contains(|c: char| c.is_ascii_digit())
}

fn push(reading: &mut Extraction, draft: StatementDraft, said: &str, told: bool) {
    let value = draft.value.trim().trim_end_matches(['.', ',']).to_owned();
    if draft.key.is_empty() || (value.is_empty() && draft.kind != StatementKind::Ending) {
        return;
    }
    if is_garbled(&draft, &value) {
        return;
    }
    let twin = reading.statements.iter().any(|known| known.key == draft.key && same_value(&known.value, &value));
    if twin {
        return;
    }
    reading.statements.push(Statement {
        level: level(&draft.key),
        key: draft.key,
        value,
        text: said.to_owned(),
        confidence: if told { (draft.confidence + 0.05).min(0.95) } else { draft.confidence },
        kind: draft.kind,
        is_update: draft.update,
        replaces: draft.replaces.filter(|old| !old.is_empty()),
    });
}
