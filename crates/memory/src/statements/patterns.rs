//! Statements in other languages than English, by the patterns of the language's file: a pattern
//! describes a whole clause, and a clause that no pattern uses up states nothing.

use super::{Statement, StatementKind, key::level};
use crate::language::{
    calendar,
    lexicon::{Lexicon, PatternSlot, PatternWord, StatementPattern, Token, tokens},
    pattern::asks,
    words::TokenizedText,
};

/// The most words of a thing's name, besides those within it.
const THING_WORDS_MAX: usize = 2;
/// How surely a statement is understood that a pattern describes as a whole.
const CONFIDENCE: f32 = 0.85;
/// Words inside a name.
const PARTICLES: &[&str] = &[
    "de", "del", "la", "las", "los", "el", "le", "les", "du", "des", "van", "von", "der", "den", "da", "di", "am",
    "an", "im",
];

/// The statements of a message in the language of `lexicon`.
pub(super) fn read(text: &TokenizedText<'_>, lexicon: &'static Lexicon) -> Vec<Statement> {
    let mut found = Vec::new();
    for sentence in text.sentences().filter(|sentence| !asks(sentence) && !sentence.iter().any(|word| word.quoted)) {
        let (Some(first), Some(last)) = (sentence.first(), sentence.last()) else { continue };
        let end = last.at + last.text.len();
        let all = tokens(text);
        let words: Vec<Token<'_>> = all.into_iter().filter(|token| (first.at..end).contains(&token.at)).collect();
        let said = text.source.get(first.at..end).unwrap_or_default();
        match clause(text.source, said, &words, lexicon) {
            Some(statement) => found.push(statement),
            None => found.extend(
                clauses(&words, lexicon).into_iter().filter_map(|part| clause(text.source, said, part, lexicon)),
            ),
        }
    }
    found
}

/// The clauses of a sentence: parted by commas and by words such as "and".
fn clauses<'w, 'm>(words: &'w [Token<'m>], lexicon: &Lexicon) -> Vec<&'w [Token<'m>]> {
    let mut parts = Vec::new();
    let mut from = 0;
    for at in 0..words.len() {
        let joint = lexicon.joints.contains(&words[at].lower);
        if joint && at > from {
            parts.push(&words[from..at]);
        }
        if joint {
            from = at + 1;
        } else if words[at].after.contains([',', ';', ':', '–', '—', '(', ')']) {
            parts.push(&words[from..=at]);
            from = at + 1;
        }
    }
    if from < words.len() {
        parts.push(&words[from..]);
    }
    parts
}

/// What one clause states, if a pattern describes all of it.
fn clause(source: &str, said: &str, words: &[Token<'_>], lexicon: &'static Lexicon) -> Option<Statement> {
    let mut words = words;
    while let Some(length) = Some(lexicon.leads.length_at(words)).filter(|length| *length > 0 && *length < words.len())
    {
        words = &words[length..];
    }
    let mut is_news = false;
    while let Some(at) = (1..words.len()).find(|at| lexicon.tails.length_at(&words[*at..]) == words.len() - at) {
        is_news |= lexicon.weak.occurs(&words[at..]) || lexicon.strong.occurs(&words[at..]);
        words = &words[..at];
    }
    let is_news = is_news || lexicon.weak.occurs(words) || lexicon.strong.occurs(words);
    lexicon.statements.iter().find_map(|pattern| {
        let mut captured = SlotContents::default();
        fits(&pattern.words, words, lexicon, &mut captured).then_some(())?;
        statement(source, said, pattern, &captured, is_news)
    })
}

fn statement(
    source: &str,
    said: &str,
    pattern: &StatementPattern,
    captured: &SlotContents<'_, '_>,
    is_news: bool,
) -> Option<Statement> {
    let key = pattern.key.replace("{who}", captured.who.unwrap_or_default()).replace("{thing}", &captured.thing);
    let slot = captured.value.and_then(|words| {
        let (first, last) = (words.first()?, words.last()?);
        source.get(first.at..last.at + last.text.len())
    });
    let value = pattern.value.as_deref().or(slot).unwrap_or_default().to_owned();
    if key.is_empty() || value.is_empty() && !pattern.ends {
        return None;
    }
    Some(Statement {
        level: level(&key),
        kind: if pattern.ends { StatementKind::Ending } else { StatementKind::Attribute },
        is_update: pattern.update || pattern.ends || is_news,
        key,
        value,
        text: said.to_owned(),
        confidence: CONFIDENCE,
        replaces: None,
    })
}

/// What the slots of a pattern hold.
#[derive(Debug, Default, Clone)]
struct SlotContents<'w, 'm> {
    value: Option<&'w [Token<'m>]>,
    who: Option<&'static str>,
    thing: String,
}

/// Whether the rest of a pattern uses up the rest of a clause.
fn fits<'w, 'm>(
    pattern: &[PatternWord],
    words: &'w [Token<'m>],
    lexicon: &'static Lexicon,
    captured: &mut SlotContents<'w, 'm>,
) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return words.is_empty() };
    match first {
        PatternWord::Word { any_of, optional } => {
            let here = words.first().is_some_and(|word| any_of.contains(&word.lower));
            (here && fits(rest, &words[1..], lexicon, captured)) || (*optional && fits(rest, words, lexicon, captured))
        }
        PatternWord::Slot(slot) => {
            let longest = words.len().min(slot.words_max());
            (1..=longest).rev().any(|count| {
                let (taken, left) = words.split_at(count);
                let before = captured.clone();
                let is_taken = take(*slot, taken, lexicon, captured) && fits(rest, left, lexicon, captured);
                if !is_taken {
                    *captured = before;
                }
                is_taken
            })
        }
    }
}

fn take<'w, 'm>(
    slot: PatternSlot,
    taken: &'w [Token<'m>],
    lexicon: &'static Lexicon,
    captured: &mut SlotContents<'w, 'm>,
) -> bool {
    let is_plain = |token: &Token<'_>| {
        lexicon.negation.length_at(std::slice::from_ref(token)) == 0 && !lexicon.first.contains(&token.lower)
    };
    match slot {
        PatternSlot::Who => {
            let [own, relation, name @ ..] = taken else { return false };
            let who = lexicon.relations.get(&relation.lower).filter(|_| lexicon.own.contains(&own.lower));
            captured.who = who.map(String::as_str);
            who.is_some() && name.iter().all(Token::is_capital)
        }
        PatternSlot::Thing => {
            captured.thing = taken.iter().map(|token| token.lower.as_str()).collect::<Vec<_>>().join(" ");
            // "código de taquilla" is one thing.
            let joins = |at: usize, word: &str| at > 0 && at + 1 < taken.len() && lexicon.links.contains(word);
            let named = taken.iter().enumerate().filter(|(at, token)| !joins(*at, &token.lower)).count();
            named <= THING_WORDS_MAX
                && taken.iter().enumerate().all(|(at, token)| {
                    let is_free = !lexicon.stop.contains(&token.lower) || joins(at, &token.lower);
                    is_free && !lexicon.relations.contains_key(&token.lower)
                })
        }
        _ => {
            captured.value = Some(taken);
            let is_name = |token: &Token<'_>| {
                token.is_capital() || token.is_figure() || PARTICLES.contains(&token.lower.as_str())
            };
            let is_dated = |token: &Token<'_>| token.is_figure() || calendar::english(&token.lower).is_some();
            taken.iter().all(is_plain)
                && match slot {
                    PatternSlot::Name => taken[0].is_capital() && taken.iter().all(is_name),
                    PatternSlot::Number => taken[0].is_figure() || calendar::number(&taken[0].lower).is_some(),
                    PatternSlot::Time => taken.iter().any(is_dated),
                    PatternSlot::Value | PatternSlot::Who | PatternSlot::Thing => true,
                }
        }
    }
}
