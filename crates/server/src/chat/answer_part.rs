//! The answer of a turn, part by part, as one request gets it.

use protocol::{OwnerId, TurnView};

use super::{
    conversation::StreamedTurn,
    error::ChatError,
    outcome::{ChatOutcome, chat_outcome, words_of},
};
use crate::{
    app::AppState,
    turn_stream::{TurnPart, TurnUpdate},
};

/// The next part of an answer.
pub(super) enum AnswerPart {
    /// More of the model's reasoning, if the request wants it.
    Thought(String),
    /// More of the text; may be empty.
    Words(String),
    /// The end, with the turn as it is now.
    End(ChatOutcome, Box<TurnView>),
    /// The answer cannot be followed any more.
    Broken(ChatError),
}

/// Returns the next part of an answer, and collects its text in `said`.
pub(super) async fn next(
    app: &AppState,
    owner: &OwnerId,
    streamed: &mut StreamedTurn,
    said: &mut String,
) -> AnswerPart {
    let next = tokio::select! {
        next = streamed.stream.next_part() => next,
        () = app.stopping.cancelled() => Err(engine::Error::Stopping),
    };
    match next {
        Ok(TurnPart::Thought(thought)) => AnswerPart::Thought(thought),
        Ok(TurnPart::Update(TurnUpdate::Words(words))) => {
            let words = words_of(streamed, said, words);
            said.push_str(&words);
            AnswerPart::Words(words)
        }
        Ok(TurnPart::Update(TurnUpdate::Settled(turn))) => {
            match chat_outcome(&app.hub, owner, streamed, &turn, said).await {
                Ok(settled) => AnswerPart::End(settled, turn),
                Err(error) => AnswerPart::Broken(ChatError::of_error(error)),
            }
        }
        Err(error) => AnswerPart::Broken(ChatError::of_error(error)),
    }
}
