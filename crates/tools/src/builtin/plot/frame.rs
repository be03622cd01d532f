//! The frame of a plot: the title, the legend, the grid and the axes.

use protocol::{ChartKind, Series, beginning};

use super::{
    Input,
    scale::Scale,
    svg::{Anchor, HEIGHT, Svg, WIDTH, colour},
    text::width,
};

/// The number of characters drawn of a title; the description has all of it.
const TITLE_CHARS_MAX: usize = 80;
/// The number of characters drawn of a label on the x axis.
const LABEL_CHARS_MAX: usize = 16;
/// The number of characters drawn of a series name.
const NAME_CHARS_MAX: usize = 28;
/// The margin around the picture.
const EDGE: f64 = 20.0;
/// The line height of text.
const LINE: f64 = 20.0;

/// The area in which the numbers are drawn.
pub(super) struct PlotFrame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    across: XAxis,
    up: Scale,
}

/// The layout of the x axis.
enum XAxis {
    /// All labels have the same width.
    Even(usize),
    /// The labels are numbers, and are placed by value.
    Measured(Scale, Vec<f64>),
}

impl PlotFrame {
    /// The centre of a label on the x axis.
    pub(super) fn x(&self, n: usize) -> f64 {
        let place = match &self.across {
            XAxis::Even(count) => (n as f64 + 0.5) / *count as f64,
            XAxis::Measured(scale, numbers) => numbers.get(n).map_or(0.0, |number| scale.place(*number)),
        };
        self.left + place * (self.right - self.left)
    }

    /// The height of a value on the y axis.
    pub(super) fn y(&self, value: f64) -> f64 {
        self.bottom - self.up.place(value) * (self.bottom - self.top)
    }

    /// The width of each label.
    pub(super) fn space(&self) -> f64 {
        match &self.across {
            XAxis::Even(count) => (self.right - self.left) / *count as f64,
            XAxis::Measured(..) => self.right - self.left,
        }
    }
}

/// Draws the frame.
pub(super) fn draw(svg: &mut Svg, input: &Input) -> PlotFrame {
    title(svg, &input.title);
    let top = legend(svg, &input.series, 2.0 * LINE) + 8.0;
    let has_zero = matches!(input.kind, ChartKind::Bar | ChartKind::Area);
    let up = Scale::over(input.series.iter().flat_map(|row| row.values.iter().copied()), has_zero);
    let marks = up.marks();
    let widest = marks.iter().map(|(_, text)| width(text)).fold(0.0, f64::max);
    let space = |words: &Option<String>| if words.is_some() { LINE } else { 0.0 };
    let frame = PlotFrame {
        left: EDGE + space(&input.y_title) + widest,
        right: WIDTH - EDGE,
        top,
        bottom: HEIGHT - EDGE - LINE - space(&input.x_title),
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

/// Draws the title.
pub(super) fn title(svg: &mut Svg, title: &str) {
    svg.head((WIDTH / 2.0, 28.0), &beginning(title.trim(), TITLE_CHARS_MAX));
}

/// Uses a numeric x axis if all labels of a scatter plot are numbers.
fn across(input: &Input) -> XAxis {
    let numbers = input.labels.iter().map(|label| label.trim().parse::<f64>().ok().filter(|number| number.is_finite()));
    match numbers.collect::<Option<Vec<f64>>>() {
        Some(numbers) if input.kind == ChartKind::Scatter => {
            XAxis::Measured(Scale::over(numbers.iter().copied(), false), numbers)
        }
        _ => XAxis::Even(input.labels.len().max(1)),
    }
}

/// Draws the legend if there is more than one series; returns where it ends.
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

/// Draws the labels of the x axis, as many as fit.
fn labels(svg: &mut Svg, frame: &PlotFrame, input: &Input) {
    let y = frame.bottom + 16.0;
    if let XAxis::Measured(scale, _) = &frame.across {
        for (place, text) in scale.marks() {
            let x = frame.left + place * (frame.right - frame.left);
            svg.text((x, y), Anchor::Middle, &text);
        }
        return;
    }
    let short: Vec<String> = input.labels.iter().map(|label| beginning(label, LABEL_CHARS_MAX)).collect();
    let widest = short.iter().map(|label| width(label)).fold(0.0, f64::max) + 8.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of labels")]
    let every = ((widest / frame.space()).ceil() as usize).max(1);
    for (n, label) in short.iter().enumerate().step_by(every) {
        svg.text((frame.x(n), y), Anchor::Middle, label);
    }
}
