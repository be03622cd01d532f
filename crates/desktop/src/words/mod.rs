//! Windows and what is done to them, in words for a model.

mod contents;
mod html;

pub use contents::content_in_words;

/// A text with at most so many characters; an ellipsis says that there were more.
fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some(_) if chars_max == 0 => String::new(),
        Some(_) => text.chars().take(chars_max - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests;
