//! Compares a sentence with a template, trying every way to fill its slots.

use std::cell::OnceCell;

use super::{
    ScheduleKind, ScheduleTarget,
    lexicon::{CONJUNCTION, Lexicon, Template, TemplatePart},
    phrase::{self, TimePhrase, WordSpan},
    tokens::Sentence,
};

/// What the slots of a template are filled with.
#[derive(Debug, Clone, Default)]
pub(super) struct Slots {
    /// Where the time is, and what it says.
    pub(super) time: Option<(usize, TimePhrase)>,
    pub(super) span: Option<WordSpan>,
    pub(super) which: Option<ScheduleTarget>,
    /// Where the word "when" is, and whether it is one like "whenever".
    pub(super) conjunction: Option<(usize, bool)>,
    /// The words of the condition.
    pub(super) condition: Option<(usize, usize)>,
    /// The words of the text: a German verb may be in two pieces.
    text: Vec<(usize, usize)>,
}

impl Slots {
    pub(super) fn text(&self, sentence: &Sentence) -> String {
        let pieces: Vec<String> = self.text.iter().map(|(from, to)| sentence.written(*from, *to)).collect();
        pieces.join(" ")
    }

    pub(super) fn text_at(&self) -> Option<usize> {
        self.text.first().map(|(from, _)| *from)
    }

    /// Where the last piece of the text begins.
    pub(super) fn text_ends_at(&self) -> Option<usize> {
        self.text.last().map(|(from, _)| *from)
    }
}

/// Compares a sentence with templates.
pub(super) struct TemplateMatcher<'m> {
    lexicon: &'m Lexicon,
    sentence: &'m Sentence,
    /// The times that begin at each place: every message is compared with every template that has
    /// one.
    times: OnceCell<Vec<Vec<(TimePhrase, usize)>>>,
}

impl<'m> TemplateMatcher<'m> {
    pub(super) fn new(sentence: &'m Sentence, lexicon: &'m Lexicon) -> Self {
        Self { lexicon, sentence, times: OnceCell::new() }
    }

    /// The first way to match the whole sentence that is accepted.
    pub(super) fn find<T>(&self, template: &Template, accept: &dyn Fn(&Slots) -> Option<T>) -> Option<T> {
        // Most messages order nothing: few templates are tried at every place.
        let is_possible = template.roles.iter().all(|role| self.sentence.has_role(self.lexicon, role))
            && (!template.has_time || self.times().iter().any(|here| !here.is_empty()));
        if is_possible { self.step(&template.parts, 0, &Slots::default(), accept) } else { None }
    }

    fn times(&self) -> &[Vec<(TimePhrase, usize)>] {
        let all = || (0..self.sentence.len()).map(|at| phrase::times_at(self.lexicon, self.sentence, at)).collect();
        self.times.get_or_init(all)
    }

    fn step<T>(
        &self,
        parts: &[TemplatePart],
        at: usize,
        slots: &Slots,
        accept: &dyn Fn(&Slots) -> Option<T>,
    ) -> Option<T> {
        let (lexicon, sentence) = (self.lexicon, self.sentence);
        let Some((part, rest)) = parts.split_first() else {
            return (at == sentence.len()).then(|| accept(slots)).flatten();
        };
        let go_on = |next: usize, slots: &Slots| self.step(rest, next, slots, accept);
        match part {
            TemplatePart::Word(word) => (sentence.word(at) == Some(word)).then(|| go_on(at + 1, slots)).flatten(),
            TemplatePart::Slot(slot) => match slot.as_str() {
                "time" => self.times().get(at)?.iter().rev().find_map(|(phrase, next)| {
                    go_on(*next, &Slots { time: Some((at, phrase.clone())), ..slots.clone() })
                }),
                "span" => {
                    let (span, next) = phrase::span_at(lexicon, sentence, at)?;
                    go_on(next, &Slots { span: Some(span), ..slots.clone() })
                }
                "kind" => {
                    let (kind, length) = self.kind_at(at)?;
                    let before = slots.which.clone().unwrap_or_default();
                    go_on(at + length, &Slots { which: Some(ScheduleTarget { kind, ..before }), ..slots.clone() })
                }
                "all" => {
                    let length = lexicon.role_at("all", sentence, at)?;
                    let which = ScheduleTarget { all: true, ..slots.which.clone().unwrap_or_default() };
                    go_on(at + length, &Slots { which: Some(which), ..slots.clone() })
                }
                "about" => (at + 1..=sentence.len()).find_map(|next| {
                    let before = slots.which.clone().unwrap_or_default();
                    let about = without_article(lexicon, &sentence.written(at, next))?;
                    let which = ScheduleTarget { about: Some(about), ..before };
                    go_on(next, &Slots { which: Some(which), ..slots.clone() })
                }),
                CONJUNCTION => [("when", false), ("whenever", true)].into_iter().find_map(|(role, each)| {
                    let length = lexicon.role_at(role, sentence, at)?;
                    go_on(at + length, &Slots { conjunction: Some((at, each)), ..slots.clone() })
                }),
                "condition" => (at + 1..=sentence.len())
                    .find_map(|next| go_on(next, &Slots { condition: Some((at, next)), ..slots.clone() })),
                // As short as possible, so that a time after it is read whole.
                "text" => (at + 1..=sentence.len()).find_map(|next| {
                    let mut filled = slots.clone();
                    filled.text.push((at, next));
                    go_on(next, &filled)
                }),
                // Any phrase of a role of this name.
                role => go_on(at + lexicon.role_at(role, sentence, at)?, slots),
            },
        }
    }

    fn kind_at(&self, at: usize) -> Option<(Option<ScheduleKind>, usize)> {
        let (kind, length) = self.lexicon.family_at("kind", self.sentence, at)?;
        let kind = match kind {
            "reminder" => Some(ScheduleKind::Reminder),
            "timer" => Some(ScheduleKind::Timer),
            _ => None,
        };
        Some((kind, length))
    }
}

/// The words that say which one is meant; `None` if only an article or a kind is left.
fn without_article(lexicon: &Lexicon, about: &str) -> Option<String> {
    let words = Sentence::plain(about, lexicon);
    let from = lexicon.role_at("article", &words, 0).unwrap_or(0);
    let about = words.written(from, words.len());
    (!about.is_empty() && !lexicon.has_role("kind", &about) && !lexicon.has_role("all", &about)).then_some(about)
}
