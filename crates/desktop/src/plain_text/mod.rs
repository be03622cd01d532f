//! Window content as plain text for models.

mod contents;
mod html;

pub use contents::content_as_text;

/// A text truncated to this many characters; an ellipsis marks the cut.
fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some(_) if chars_max == 0 => String::new(),
        Some(_) => text.chars().take(chars_max - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests;
