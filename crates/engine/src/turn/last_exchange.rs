//! The last exchange of a conversation: the words that the next ones are about. It is told even where it has to be shortened
//! for it, and where not even that is possible, the turn says so.

use memory::tape::{Message, Window};
use model::count_message;
use session::RecentTurn;

use super::conversation::Unit;

/// Below so many tokens nothing is worth being told.
const TOKENS_MIN: u64 = 48;
/// Characters of a token, at least: a text of so many fewer characters fits.
const CHARS_PER_TOKEN: u64 = 3;

/// How the last exchange is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum LastExchange {
    /// With all its words, or there is none.
    #[default]
    Whole,
    /// With the beginning and the end of its words.
    Shortened,
    /// Not at all.
    Missing,
}

impl LastExchange {
    /// How the window has it.
    pub(super) fn in_window(last: Option<&RecentTurn>, window: &Window<Unit<'_>>) -> Self {
        let Some(last) = last else { return Self::Whole };
        let mut told =
            window.messages().filter(|message| message.content.turn().is_some_and(|it| it.turn_id == last.turn_id));
        let mut is_told = false;
        let is_shortened = told.any(|message| {
            is_told = true;
            matches!(message.content, Unit::ShortAsked(..) | Unit::ShortAnswered(..))
        });
        match (is_told, is_shortened) {
            (false, _) => Self::Missing,
            (true, true) => Self::Shortened,
            (true, false) => Self::Whole,
        }
    }

    /// What the asker should know, if anything.
    pub(super) fn notice(self, model: &str, tokens_max: u64, taken: u64) -> Option<String> {
        let what = match self {
            Self::Whole => return None,
            Self::Shortened => "only holds parts of the last exchange",
            Self::Missing => "cannot hold the last exchange: the answer was given without it",
        };
        Some(format!(
            "The context of {tokens_max} tokens for {model} {what}; instructions, tools, memory and the message take {taken}. \
             Raise `budgets.context_tokens`, correct what is known of the model under `model.overrides`, or choose a model \
             that takes more."
        ))
    }
}

/// The last exchange in a form that fits: without what was called on the way, then with shortened words. As it is where
/// nothing helps.
pub(super) fn fitting<'a>(turn: &'a RecentTurn, units: Vec<Message<Unit<'a>>>, room: u64) -> Vec<Message<Unit<'a>>> {
    let sum = |units: &[Message<Unit<'_>>]| units.iter().map(|unit| unit.tokens).sum::<u64>();
    if sum(&units) <= room || room < TOKENS_MIN {
        return units;
    }
    let is_word = |unit: &Message<Unit<'_>>| matches!(unit.content, Unit::Asked(_) | Unit::Answered(_));
    let words: Vec<Message<Unit<'a>>> = units.into_iter().filter(is_word).collect();
    if sum(&words) <= room {
        return words;
    }
    // The shorter of the two keeps its words if it can; the other has what is left.
    let answer = words.iter().find(|unit| matches!(unit.content, Unit::Answered(_))).map_or(0, |unit| unit.tokens);
    let question = sum(&words) - answer;
    let question_max = (room / 2).max(room.saturating_sub(answer)).min(question);
    let answer_max = room - question_max;
    let shortened = words.into_iter().map(|mut unit| {
        let (content, most): (fn(&'a RecentTurn, usize) -> Unit<'a>, u64) = match unit.content {
            Unit::Asked(_) => (Unit::ShortAsked, question_max),
            _ => (Unit::ShortAnswered, answer_max),
        };
        if unit.tokens > most {
            let mut chars = usize::try_from(most.saturating_mul(CHARS_PER_TOKEN)).unwrap_or(usize::MAX);
            loop {
                unit.content = content(turn, chars);
                unit.tokens = unit.content.messages(false, None).iter().map(count_message).sum();
                if unit.tokens <= most || chars < 8 {
                    break;
                }
                chars = chars * 3 / 4;
            }
        }
        unit
    });
    shortened.collect()
}

/// The beginning and the end of a text.
pub(super) fn shorten(text: &str, chars_max: usize) -> String {
    let chars = text.chars().count();
    if chars <= chars_max {
        return text.to_owned();
    }
    let head = chars_max * 2 / 3;
    let tail = chars_max.saturating_sub(head);
    let beginning: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(chars - tail).collect();
    format!("{} […] {}", beginning.trim_end(), end.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_text_stay() {
        assert_eq!(shorten("short", 10), "short");
        assert_eq!(shorten("one two three four five", 9), "one tw […] ive");
        assert_eq!(shorten("äöü", 0), " […] ");
    }
}
