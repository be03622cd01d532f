//! The last exchange of a conversation, which the current message most likely refers to. It is
//! included even if it has to be shortened; if that is not possible, a notice says so.

use memory::tape::{ContextWindow, TapeMessage};
use model::count_message;
use session::RecentTurn;

use super::conversation::WindowItem;

/// Fewer tokens than this are not worth including.
const TOKENS_MIN: u64 = 48;
/// Minimum number of characters per token, to estimate which text fits.
const CHARS_PER_TOKEN: u64 = 3;

/// How the last exchange is included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum LastExchange {
    /// Completely, or there is none.
    #[default]
    Whole,
    /// With the beginning and the end of its texts.
    Shortened,
    /// Not at all.
    Missing,
}

impl LastExchange {
    /// How the window contains it.
    pub(super) fn in_window(last: Option<&RecentTurn>, window: &ContextWindow<WindowItem<'_>>) -> Self {
        let Some(last) = last else { return Self::Whole };
        let mut told =
            window.messages().filter(|message| message.content.turn().is_some_and(|it| it.turn_id == last.turn_id));
        let mut is_told = false;
        let is_shortened = told.any(|message| {
            is_told = true;
            matches!(message.content, WindowItem::ShortAsked(..) | WindowItem::ShortAnswered(..))
        });
        match (is_told, is_shortened) {
            (false, _) => Self::Missing,
            (true, true) => Self::Shortened,
            (true, false) => Self::Whole,
        }
    }

    /// The notice for the user, if any.
    pub(super) fn notice(self, model: &str, tokens_max: u64, taken: u64) -> Option<String> {
        let what = match self {
            Self::Whole => return None,
            Self::Shortened => "contains only parts of the last exchange",
            Self::Missing => "cannot contain the last exchange: the answer was given without it",
        };
        Some(format!(
            "The context of {tokens_max} tokens for {model} {what}; instructions, tools, memory and the message take {taken}. \
             Raise `budgets.context_tokens`, correct the model's figures under `model.overrides`, or choose a model \
             with a larger context window."
        ))
    }
}

/// The last exchange in a form that fits: without its calls, then with shortened texts. Unchanged
/// if nothing helps.
pub(super) fn fitting<'a>(
    turn: &'a RecentTurn,
    units: Vec<TapeMessage<WindowItem<'a>>>,
    space: u64,
) -> Vec<TapeMessage<WindowItem<'a>>> {
    let sum = |units: &[TapeMessage<WindowItem<'_>>]| units.iter().map(|unit| unit.tokens).sum::<u64>();
    if sum(&units) <= space || space < TOKENS_MIN {
        return units;
    }
    let is_word =
        |unit: &TapeMessage<WindowItem<'_>>| matches!(unit.content, WindowItem::Asked(_) | WindowItem::Answered(_));
    let words: Vec<TapeMessage<WindowItem<'a>>> = units.into_iter().filter(is_word).collect();
    if sum(&words) <= space {
        return words;
    }
    // The shorter text stays complete if possible; the other gets the rest.
    let answer =
        words.iter().find(|unit| matches!(unit.content, WindowItem::Answered(_))).map_or(0, |unit| unit.tokens);
    let question = sum(&words) - answer;
    let question_max = (space / 2).max(space.saturating_sub(answer)).min(question);
    let answer_max = space - question_max;
    let shortened = words.into_iter().map(|mut unit| {
        let (content, most): (fn(&'a RecentTurn, usize) -> WindowItem<'a>, u64) = match unit.content {
            WindowItem::Asked(_) => (WindowItem::ShortAsked, question_max),
            _ => (WindowItem::ShortAnswered, answer_max),
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
