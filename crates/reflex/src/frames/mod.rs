//! Frames: commands and questions read word by word, in any order.
//!
//! The templates of a grammar need the words of a sentence in their order. A frame needs only that
//! every word is accounted for: as a word of the language's lexicon ([`lexicon`]), as a name of
//! the home ([`names`]) or as a number. [`cover`] finds all ways to do so, `interpret` and
//! `question` say what they mean. A word that is not accounted for is never dropped, so that
//! "diagnose the bed light" or "turn it on tomorrow" mean nothing here. A reason beside a command
//! ([`reasons`]) has words of its own. One slip of the tongue or the finger is corrected
//! ([`slips`]), unless two meanings are then about as likely.

mod choice;
mod command;
mod cover;
mod interpret;
mod lexicon;
mod names;
mod question;
mod reasons;
mod slips;
mod tokens;

#[cfg(test)]
mod tests;

pub use command::{Action, Amount, FrameCommand, FrameQuestion, FrameReading, FrameTarget, QuestionKind};
pub use lexicon::{LANGUAGES, Lexicon};
pub(crate) use names::NamesByLanguage;

use crate::vocabulary::Vocabulary;

/// Longer texts are left to a language model.
const MOST_WORDS: usize = 40;

impl Lexicon {
    /// The meaning of a text in a home.
    pub fn read(&'static self, vocabulary: &Vocabulary, text: &str) -> FrameReading {
        let tokens = self.tokens(text);
        if tokens.is_empty() || tokens.len() > MOST_WORDS {
            return FrameReading::Nothing;
        }
        let names = vocabulary.names(self);
        let is_asked = text.trim_end().ends_with(['?', '？', '؟']);
        // A word that negates or asks has no role in a command, so that no command has one.
        if !self.has_veto_phrase(&tokens) && (!is_asked || self.is_polite(&tokens)) {
            let covers = cover::covers(self, names, &tokens, false);
            let read = choice::choose(
                covers,
                |pieces| interpret::commands(self, pieces),
                |one, other| are_opposed(one, other),
            );
            match read {
                choice::Choice::Clear(commands, slips) => return FrameReading::Commands(commands, slips),
                choice::Choice::Ambiguous(all, slips) => return FrameReading::Ambiguous(all, slips),
                choice::Choice::Nothing => {}
            }
        }
        let covers = cover::covers(self, names, &tokens, true);
        match choice::choose(covers, |pieces| question::question(self, pieces, is_asked), |_, _| false) {
            choice::Choice::Clear(question, _) => FrameReading::Question(question),
            choice::Choice::Ambiguous(..) | choice::Choice::Nothing => FrameReading::Nothing,
        }
    }
}

/// Whether two readings do different things.
fn are_opposed(one: &[FrameCommand], other: &[FrameCommand]) -> bool {
    one.iter().map(|command| command.action).ne(other.iter().map(|command| command.action))
}
