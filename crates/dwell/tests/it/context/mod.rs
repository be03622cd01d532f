//! What a model is told: tools by need, the last exchange always, pictures as long as they fit.

mod lookup;
mod pictures;
mod small;
mod ten_turns;
