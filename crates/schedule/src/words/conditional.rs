//! Sentences that wait for something to happen: "remind me to fetch the mail when the garage door
//! opens". What can happen is for others to say, so that all ways to divide a sentence are given.

use std::cell::RefCell;

use super::{
    ScheduleKind, WORDS_MAX,
    lexicon::{self, Lexicon},
    template::{Slots, TemplateMatcher},
    tokens::Sentence,
};

/// How many ways to divide one sentence are given.
const READINGS_MAX: usize = 32;

/// An order that waits for something to happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionalOrder {
    /// A reminder, or an order.
    pub kind: ScheduleKind,
    /// The reminder or the command.
    pub text: String,
    /// What it waits for, as "the garage door opens".
    pub condition: String,
    /// The same with its conjunction, as "when the garage door opens".
    pub clause: String,
    /// Whether it is meant each time.
    pub repeats: bool,
}

/// The ways in which a sentence may be an order that waits for something.
pub fn read_conditional(text: &str, language: &str) -> Vec<ConditionalOrder> {
    let Some(lexicon) = lexicon::of(language) else { return Vec::new() };
    let sentence = Sentence::new(text, lexicon);
    if sentence.is_empty() || sentence.len() > WORDS_MAX {
        return Vec::new();
    }
    let is_conjunction = |at| ["when", "whenever"].iter().any(|role| lexicon.role_at(role, &sentence, at).is_some());
    if !(0..sentence.len()).any(is_conjunction) {
        return Vec::new();
    }
    let found = RefCell::new(Vec::new());
    let matcher = TemplateMatcher::new(&sentence, lexicon);
    for (name, templates) in lexicon.conditional_templates() {
        for template in templates {
            matcher.find(template, &|slots| {
                let order = order(name, slots, lexicon, &sentence)?;
                let mut found = found.borrow_mut();
                found.push(order);
                // No reading is accepted before there are enough, so that the next one is tried.
                (found.len() >= READINGS_MAX).then_some(())
            });
        }
    }
    let mut found = found.into_inner();
    found.truncate(READINGS_MAX);
    found
}

fn order(name: &str, slots: &Slots, lexicon: &Lexicon, sentence: &Sentence) -> Option<ConditionalOrder> {
    let ((conjunction, repeats), (from, to)) = (slots.conjunction?, slots.condition?);
    let condition = sentence.written(from, to);
    let text = if name == "tell_when" { condition.clone() } else { slots.text(sentence) };
    let kind = match name {
        "remind_when" | "tell_when" => ScheduleKind::Reminder,
        "do_when" if lexicon.begins_with("verbs.act", &text) || lexicon.begins_with("verbs.ask", &text) => {
            ScheduleKind::Order
        }
        _ => return None,
    };
    let has = |roles: &[&str], text: &str| roles.iter().any(|role| lexicon.has_role(role, text));
    // Two conditions, one that is denied, or one with a time are not understood.
    let is_one = !has(&["when", "whenever", "denied"], &condition) && !lexicon.has_time(&condition);
    let roles: &[&str] =
        if kind == ScheduleKind::Order { &["when", "whenever", "blocked"] } else { &["when", "whenever"] };
    let is_plain = text == condition || !has(roles, &text);
    let clause = sentence.written(conjunction, to);
    (is_one && is_plain).then_some(ConditionalOrder { kind, text, condition, clause, repeats })
}
