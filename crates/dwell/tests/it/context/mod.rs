//! The prompt: tools by need, always the last exchange, and pictures as long as they fit.

mod lookup;
mod pictures;
mod small;
mod ten_turns;
