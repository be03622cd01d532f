//! An answer as a stream: a few words at a time, then the calls, then the end with the usage.

use futures::{StreamExt, stream};
use model::{Chunk, Chunks, Prompt, Stop, count, count_prompt};
use protocol::Usage;

use super::OfflineAnswer;

/// Words in one chunk.
const WORDS_AT_ONCE: usize = 4;

/// Streams an answer.
pub fn stream(prompt: &Prompt, answer: OfflineAnswer) -> Chunks {
    let (text, stop) = within(&answer.text, prompt.output_tokens_max);
    let called: u64 = answer.calls.iter().map(|call| count(&call.tool) + count(&call.arguments.to_string())).sum();
    let output_tokens = count(text) + called;
    let usage = Usage { cost_micros: Some(0), ..Usage::of(count_prompt(prompt).total, output_tokens) };
    let mut chunks: Vec<_> = pieces(text).map(|piece| Ok(Chunk::Text(piece.to_owned()))).collect();
    chunks.extend(answer.calls.into_iter().map(|call| Ok(Chunk::Call(call))));
    chunks.push(Ok(Chunk::End { usage: Some(usage), stop }));
    stream::iter(chunks).boxed()
}

/// The text up to the longest answer allowed.
fn within(text: &str, tokens_max: Option<u64>) -> (&str, Stop) {
    let Some(tokens_max) = tokens_max.filter(|max| count(text) > *max) else {
        return (text, Stop::Complete);
    };
    let (mut end, mut tokens) = (0, 0);
    for piece in pieces(text) {
        tokens += count(piece);
        if tokens > tokens_max {
            break;
        }
        end += piece.len();
    }
    (&text[..end], Stop::Length)
}

/// The text a few words at a time, each with the space after it; together they are the text.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut words = 0;
        let mut was_space = false;
        let end = rest.char_indices().find_map(|(at, char)| {
            words += usize::from(was_space && !char.is_whitespace());
            was_space = char.is_whitespace();
            (words >= WORDS_AT_ONCE).then_some(at)
        });
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
