//! Pie charts.

use std::f64::consts::TAU;

use protocol::beginning;

use super::{
    Input, frame,
    svg::{Anchor, COLOURS, HEIGHT, Svg, colour, number},
};

/// The number of characters of a label in the legend.
const LABEL_CHARS_MAX: usize = 40;
/// The centre of the pie.
const CENTRE: (f64, f64) = (230.0, 245.0);
const RADIUS: f64 = 170.0;

pub(super) fn draw(svg: &mut Svg, input: &Input) {
    frame::title(svg, &input.title);
    let values = input.series.first().map(|row| row.values.as_slice()).unwrap_or_default();
    let largest = values.iter().copied().fold(0.0, f64::max);
    // Values are divided by the largest first: their sum may overflow.
    let total: f64 = values.iter().map(|value| value / largest).sum();
    let shares: Vec<f64> = values.iter().map(|value| value / largest / total).collect();
    let mut begun = 0.0;
    for (n, share) in shares.iter().enumerate() {
        slice(svg, &class(n), begun, *share);
        begun += share;
    }
    let top = (HEIGHT + 40.0 - 19.0 * shares.len() as f64) / 2.0;
    for (n, (share, label)) in shares.iter().zip(&input.labels).enumerate() {
        let y = top + 19.0 * n as f64;
        svg.rect(&class(n), (440.0, y), 11.0, 11.0);
        let words = format!("{} ({:.1} %)", beginning(label, LABEL_CHARS_MAX), share * 100.0);
        svg.text((458.0, y + 10.0), Anchor::Start, &words);
    }
}

/// After some slices the colours repeat, paler.
fn class(n: usize) -> String {
    format!("mark {}{}", colour(n), if n >= COLOURS { " faint" } else { "" })
}

fn slice(svg: &mut Svg, class: &str, begun: f64, share: f64) {
    if share <= 0.0 {
        return;
    }
    // An SVG arc that ends where it began draws nothing.
    if share > 0.9999 {
        svg.circle(class, CENTRE, RADIUS);
        return;
    }
    let [x1, y1, x2, y2] = {
        let ((x1, y1), (x2, y2)) = (on_rim(begun), on_rim(begun + share));
        [x1, y1, x2, y2].map(number)
    };
    let is_large = u8::from(share > 0.5);
    let [x, y] = [CENTRE.0, CENTRE.1].map(number);
    svg.path(class, &format!("M{x} {y}L{x1} {y1}A{RADIUS} {RADIUS} 0 {is_large} 1 {x2} {y2}Z"));
}

fn on_rim(part: f64) -> (f64, f64) {
    let (sine, cosine) = (part * TAU).sin_cos();
    (CENTRE.0 + RADIUS * sine, CENTRE.1 - RADIUS * cosine)
}
