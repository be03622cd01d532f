//! Colours by name, to verify the colour of a light.

use serde_json::{Value, json};

/// The tolerance of each colour channel: lights show what they can.
pub(super) const OFF: f64 = 45.0;

/// A named colour at full saturation, as lights report it.
pub(super) fn rgb(name: &str) -> Option<Value> {
    Some(match name {
        "white" => json!([255, 255, 255]),
        "red" => json!([255, 0, 0]),
        "green" => json!([0, 255, 0]),
        "blue" => json!([0, 0, 255]),
        "yellow" => json!([255, 255, 0]),
        "orange" => json!([255, 165, 0]),
        "purple" | "magenta" => json!([255, 0, 255]),
        "pink" => json!([255, 192, 203]),
        "turquoise" => json!([72, 255, 237]),
        "cyan" => json!([0, 255, 255]),
        _ => return None,
    })
}
