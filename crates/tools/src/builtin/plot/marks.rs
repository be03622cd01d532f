//! The data of a plot: lines, areas, bars and dots.

use protocol::Series;

use super::{
    frame::PlotFrame,
    svg::{Svg, colour, number, through},
};

/// Up to this many values, a line has a dot at each. A single value would be no line.
const DOTTED_MAX: usize = 40;
/// The part of a label's width that its bars take.
const BARS: f64 = 0.8;
/// The size of a dot.
const DOT: f64 = 3.0;

pub(super) fn lines(svg: &mut Svg, frame: &PlotFrame, series: &[Series]) {
    for (n, row) in series.iter().enumerate() {
        svg.path(&format!("line {}", colour(n)), &through(places(frame, row)));
        if row.values.len() <= DOTTED_MAX {
            of_row(svg, frame, n, row);
        }
    }
}

pub(super) fn areas(svg: &mut Svg, frame: &PlotFrame, series: &[Series]) {
    let ground = number(frame.y(0.0));
    for (n, row) in series.iter().enumerate() {
        let (first, last) = (number(frame.x(0)), number(frame.x(row.values.len().saturating_sub(1))));
        let outline = format!("{}L{last} {ground}L{first} {ground}Z", through(places(frame, row)));
        svg.path(&format!("area {}", colour(n)), &outline);
    }
    lines(svg, frame, series);
}

pub(super) fn dots(svg: &mut Svg, frame: &PlotFrame, series: &[Series]) {
    for (n, row) in series.iter().enumerate() {
        of_row(svg, frame, n, row);
    }
}

pub(super) fn bars(svg: &mut Svg, frame: &PlotFrame, series: &[Series]) {
    let space = frame.space() * BARS;
    let width = space / series.len().max(1) as f64;
    let zero = frame.y(0.0);
    for (n, row) in series.iter().enumerate() {
        for (at, value) in row.values.iter().enumerate() {
            let x = frame.x(at) - space / 2.0 + width * n as f64;
            let y = frame.y(*value);
            svg.rect(&format!("mark {}", colour(n)), (x, y.min(zero)), width, (y - zero).abs());
        }
    }
}

fn of_row(svg: &mut Svg, frame: &PlotFrame, n: usize, row: &Series) {
    for place in places(frame, row) {
        svg.circle(&format!("mark {}", colour(n)), place, DOT);
    }
}

fn places<'a>(frame: &'a PlotFrame, row: &'a Series) -> impl Iterator<Item = (f64, f64)> + 'a {
    row.values.iter().enumerate().map(|(at, value)| (frame.x(at), frame.y(*value)))
}
