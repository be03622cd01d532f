//! What is around the numbers: the title, who is who, the grid and the axes.

use protocol::{ChartKind, Series, beginning};

use super::{
    Input,
    scale::Scale,
    svg::{Anchor, HEIGHT, Svg, WIDTH, colour},
    words::width,
};

/// How much of a title is drawn; a screen reader says all of it.
const TITLE_CHARS_MAX: usize = 80;
/// How much of a label below a place.
const LABEL_CHARS_MAX: usize = 16;
/// How much of a name of a row.
const NAME_CHARS_MAX: usize = 28;
/// From the edge of the picture to what is in it.
const EDGE: f64 = 20.0;
/// From one line of words to the next.
const LINE: f64 = 20.0;

/// Where the numbers go.
pub(super) struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    across: Across,
    up: Scale,
}

/// How places lie side by side.
enum Across {
    /// Each label has as much room as any other.
    Even(usize),
    /// The labels are numbers, and lie where those are.
    Measured(Scale, Vec<f64>),
}

impl Frame {
    /// The middle of a label's place.
    pub(super) fn x(&self, n: usize) -> f64 {
        let place = match &self.across {
            Across::Even(count) => (n as f64 + 0.5) / *count as f64,
            Across::Measured(scale, numbers) => numbers.get(n).map_or(0.0, |number| scale.place(*number)),
        };
        self.left + place * (self.right - self.left)
    }

    /// The height at which a number is drawn.
    pub(super) fn y(&self, value: f64) -> f64 {
        self.bottom - self.up.place(value) * (self.bottom - self.top)
    }

    /// How much room each label has.
    pub(super) fn room(&self) -> f64 {
        match &self.across {
            Across::Even(count) => (self.right - self.left) / *count as f64,
            Across::Measured(..) => self.right - self.left,
        }
    }
}

/// Draws what is around the numbers.
pub(super) fn draw(svg: &mut Svg, input: &Input) -> Frame {
    title(svg, &input.title);
    let top = legend(svg, &input.series, 2.0 * LINE) + 8.0;
    let has_zero = matches!(input.kind, ChartKind::Bar | ChartKind::Area);
    let up = Scale::over(input.series.iter().flat_map(|row| row.values.iter().copied()), has_zero);
    let marks = up.marks();
    let widest = marks.iter().map(|(_, text)| width(text)).fold(0.0, f64::max);
    let room = |words: &Option<String>| if words.is_some() { LINE } else { 0.0 };
    let frame = Frame {
        left: EDGE + room(&input.y_title) + widest,
        right: WIDTH - EDGE,
        top,
        bottom: HEIGHT - EDGE - LINE - room(&input.x_title),
        across: across(input),
        up,
    };
    for (place, text) in marks {
        let y = frame.bottom - place * (frame.bottom - frame.top);
        svg.straight("grid", (frame.left, y), (frame.right, y));
        svg.text((frame.left - 6.0, y + 4.0), Anchor::End, &text);
    }
    labels(svg, &frame, input);
    let zero = frame.y(0.0);
    svg.straight("axis", (frame.left, zero), (frame.right, zero));
    if let Some(words) = &input.x_title {
        svg.text(((frame.left + frame.right) / 2.0, HEIGHT - 12.0), Anchor::Middle, &beginning(words, TITLE_CHARS_MAX));
    }
    if let Some(words) = &input.y_title {
        svg.text_upwards((EDGE - 2.0, (frame.top + frame.bottom) / 2.0), &beginning(words, TITLE_CHARS_MAX / 2));
    }
    frame
}

/// What stands above everything.
pub(super) fn title(svg: &mut Svg, title: &str) {
    svg.head((WIDTH / 2.0, 28.0), &beginning(title.trim(), TITLE_CHARS_MAX));
}

/// Labels that are all numbers say where dots are.
fn across(input: &Input) -> Across {
    let numbers = input.labels.iter().map(|label| label.trim().parse::<f64>().ok().filter(|number| number.is_finite()));
    match numbers.collect::<Option<Vec<f64>>>() {
        Some(numbers) if input.kind == ChartKind::Scatter => {
            Across::Measured(Scale::over(numbers.iter().copied(), false), numbers)
        }
        _ => Across::Even(input.labels.len().max(1)),
    }
}

/// Who is who, where there is more than one; gives where it ends.
fn legend(svg: &mut Svg, series: &[Series], top: f64) -> f64 {
    if series.len() < 2 {
        return top;
    }
    let (mut x, mut y) = (EDGE, top + 12.0);
    for (n, row) in series.iter().enumerate() {
        let name = beginning(&row.name, NAME_CHARS_MAX);
        let takes = 18.0 + width(&name) + 14.0;
        if x > EDGE && x + takes > WIDTH - EDGE {
            (x, y) = (EDGE, y + LINE);
        }
        svg.rect(&format!("mark {}", colour(n)), (x, y - 10.0), 11.0, 11.0);
        svg.text((x + 17.0, y), Anchor::Start, &name);
        x += takes;
    }
    y + 6.0
}

/// What stands below the places, as many as fit.
fn labels(svg: &mut Svg, frame: &Frame, input: &Input) {
    let y = frame.bottom + 16.0;
    if let Across::Measured(scale, _) = &frame.across {
        for (place, text) in scale.marks() {
            let x = frame.left + place * (frame.right - frame.left);
            svg.text((x, y), Anchor::Middle, &text);
        }
        return;
    }
    let short: Vec<String> = input.labels.iter().map(|label| beginning(label, LABEL_CHARS_MAX)).collect();
    let widest = short.iter().map(|label| width(label)).fold(0.0, f64::max) + 8.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of labels")]
    let every = ((widest / frame.room()).ceil() as usize).max(1);
    for (n, label) in short.iter().enumerate().step_by(every) {
        svg.text((frame.x(n), y), Anchor::Middle, label);
    }
}
