//! Writes SVG: a few elements, every text escaped, every number short.

use super::super::markup::escape;

/// The width of a picture.
pub(super) const WIDTH: f64 = 800.0;
/// The height of a picture.
pub(super) const HEIGHT: f64 = 450.0;
/// The number of distinct colours.
pub(super) const COLOURS: usize = 10;

/// Colours for light and dark backgrounds. A class sets the colour, and the drawing uses it.
const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#24292f}.head{font-size:16px;font-weight:600}.ground{fill:#fff}\
.grid{stroke:#d0d7de;stroke-width:1}.axis{stroke:#57606a;stroke-width:1}\
.line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}.mark{fill:currentColor}\
.area{fill:currentColor;fill-opacity:.25}.faint{fill-opacity:.6}\
.c0{color:#2563c9}.c1{color:#c2410c}.c2{color:#15803d}.c3{color:#9333a8}.c4{color:#a16207}\
.c5{color:#0e7490}.c6{color:#be185d}.c7{color:#4d7c0f}.c8{color:#6d4c41}.c9{color:#475569}\
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117}.grid{stroke:#30363d}.axis{stroke:#8b949e}\
.c0{color:#6ea8ff}.c1{color:#ff9b63}.c2{color:#5fd38a}.c3{color:#d89bf0}.c4{color:#f2c14e}\
.c5{color:#5cc9dc}.c6{color:#ff8fb8}.c7{color:#b5d66b}.c8{color:#c7a798}.c9{color:#a8b5c7}}";

/// The position of a text relative to its anchor.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture under construction.
pub(super) struct Svg(String);

impl Svg {
    /// A picture with a title and a description for screen readers.
    pub(super) fn new(title: &str, description: &str) -> Self {
        Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n\
             <style>{STYLE}</style>\n<rect class=\"ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n",
            escape(title.trim()),
            escape(description)
        ))
    }

    pub(super) fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, words: &str) {
        self.write_text(at, anchor, "", words);
    }

    pub(super) fn head(&mut self, at: (f64, f64), words: &str) {
        self.write_text(at, Anchor::Middle, " class=\"head\"", words);
    }

    /// A text rotated to run upwards.
    pub(super) fn text_upwards(&mut self, at: (f64, f64), words: &str) {
        let turned = format!(" transform=\"rotate(-90 {} {})\"", number(at.0), number(at.1));
        self.write_text(at, Anchor::Middle, &turned, words);
    }

    fn write_text(&mut self, (x, y): (f64, f64), anchor: Anchor, more: &str, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y) = (number(x), number(y));
        self.0.push_str(&format!("<text x=\"{x}\" y=\"{y}\"{anchor}{more}>{}</text>\n", escape(words)));
    }

    pub(super) fn straight(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
        self.0.push_str(&format!("<path class=\"{class}\" d=\"M{x1} {y1}L{x2} {y2}\"/>\n"));
    }

    pub(super) fn path(&mut self, class: &str, d: &str) {
        self.0.push_str(&format!("<path class=\"{class}\" d=\"{d}\"/>\n"));
    }

    pub(super) fn rect(&mut self, class: &str, corner: (f64, f64), width: f64, height: f64) {
        let [x, y, width, height] = [corner.0, corner.1, width, height].map(number);
        self.0.push_str(&format!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>\n"
        ));
    }

    pub(super) fn circle(&mut self, class: &str, centre: (f64, f64), radius: f64) {
        let [x, y, radius] = [centre.0, centre.1, radius].map(number);
        self.0.push_str(&format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>\n"));
    }
}

/// The path through these points.
pub(super) fn through(places: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (n, (x, y)) in places.enumerate() {
        path.push(if n == 0 { 'M' } else { 'L' });
        path.push_str(&format!("{} {}", number(x), number(y)));
    }
    path
}

/// The CSS class of a series colour.
pub(super) fn colour(n: usize) -> String {
    format!("c{}", n % COLOURS)
}

/// A coordinate, rounded to hundredths.
pub(super) fn number(value: f64) -> String {
    // Adding zero turns minus zero into zero.
    format!("{}", (value * 100.0).round() / 100.0 + 0.0)
}
