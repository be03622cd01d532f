//! `plot_draw`: draws numbers as an SVG picture that reads well on light and dark backgrounds and
//! contains nothing active.

mod frame;
mod marks;
mod number;
mod pie;
mod scale;
mod svg;
mod text;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{ArtifactId, ChartKind, Effect, Origin, Safety, Series, beginning};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    artifact::{ArtifactSummary, name_with_ending},
    artifact_store::{ArtifactStore, NewArtifact},
};
use crate::tool::{CallContext, Declaration, Tool};

/// Series in one plot.
const SERIES_MAX: usize = 10;
/// Values in one plot.
const POINTS_MAX: usize = 5_000;
/// Slices of a pie that can still be distinguished.
const SLICES_MAX: usize = 20;
/// The longest title, label or name.
const TEXT_CHARS_MAX: usize = 300;

/// Draws plots.
pub(super) struct PlotDraw(pub(super) ArtifactStore);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What the file is called; made from the title if absent.
    #[serde(default)]
    name: Option<String>,
    /// Its title.
    title: String,
    /// How the numbers are drawn.
    kind: ChartKind,
    /// The labels of the x axis, or of the slices.
    labels: Vec<String>,
    /// The series, at most 10, each with one number for each label; a pie has one.
    series: Vec<Series>,
    /// Title of the x axis, as in `year`.
    #[serde(default)]
    x_title: Option<String>,
    /// Title of the y axis, as in `kWh`.
    #[serde(default)]
    y_title: Option<String>,
}

#[async_trait]
impl Tool for PlotDraw {
    type Input = Input;
    type Output = ArtifactSummary;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new(
            "plot_draw",
            "Draws numbers as a line, bar, area, scatter or pie chart and keeps the picture (SVG) beside the conversation, where the \
             user can open and download it. Use it when a picture of numbers is wanted as a file.",
        )
        .about(&["chart", "graph", "diagram", "svg", "bar", "pie", "scatter", "histogram"]);
        Declaration { effect: Effect::Idempotent, safety: Safety::Keeps, ..declaration }
    }

    async fn call(&self, input: Input, context: &CallContext) -> Result<ArtifactSummary, ToolFailure> {
        check(&input).map_err(ToolFailure::Invalid)?;
        let name = name_with_ending(input.name.as_deref(), &input.title, "plot", &[".svg"])?;
        let bytes = draw(&input).into_bytes();
        self.0.keep(NewArtifact { name, media_type: "image/svg+xml".to_owned(), bytes }, context).await
    }

    fn origin(&self, output: &ArtifactSummary) -> Option<Origin> {
        Some(output.origin)
    }

    fn artifacts(&self, output: &ArtifactSummary) -> Vec<ArtifactId> {
        vec![output.artifact_id]
    }
}

/// The picture. The same input makes the same bytes.
fn draw(input: &Input) -> String {
    let mut svg = svg::Svg::new(&input.title, &text::description(input));
    match input.kind {
        ChartKind::Pie => pie::draw(&mut svg, input),
        kind => {
            let frame = frame::draw(&mut svg, input);
            match kind {
                ChartKind::Bar => marks::bars(&mut svg, &frame, &input.series),
                ChartKind::Scatter => marks::dots(&mut svg, &frame, &input.series),
                ChartKind::Area => marks::areas(&mut svg, &frame, &input.series),
                _ => marks::lines(&mut svg, &frame, &input.series),
            }
        }
    }
    svg.finish()
}

fn check(input: &Input) -> Result<(), String> {
    let Input { title, kind, labels, series, x_title, y_title, .. } = input;
    if title.trim().is_empty() {
        return Err("`title` is empty: say what the picture shows".to_owned());
    }
    if labels.is_empty() || series.is_empty() {
        return Err("`labels` and `series` have at least one entry each".to_owned());
    }
    if series.len() > SERIES_MAX {
        return Err(format!("`series` has {}, and a picture has at most {SERIES_MAX}: leave some out", series.len()));
    }
    let points = labels.len().saturating_mul(series.len());
    if points > POINTS_MAX {
        return Err(format!("there are {points} numbers, and a picture has at most {POINTS_MAX}: take every few"));
    }
    for row in series {
        if row.values.len() != labels.len() {
            return Err(format!(
                "series `{}` has {} values, and there are {} labels",
                row.name,
                row.values.len(),
                labels.len()
            ));
        }
        if let Some(n) = row.values.iter().position(|value| !value.is_finite()) {
            return Err(format!("value {} of series `{}` is not a finite number", n + 1, row.name));
        }
    }
    let names = series.iter().map(|row| &row.name);
    let texts = labels.iter().chain(names).chain([title]).chain(x_title).chain(y_title);
    if let Some(long) = texts.into_iter().find(|text| text.chars().count() > TEXT_CHARS_MAX) {
        let beginning = beginning(long, 40);
        return Err(format!(
            "`{beginning}` is too long: titles, labels and names have at most {TEXT_CHARS_MAX} characters"
        ));
    }
    if *kind == ChartKind::Pie { check_pie(labels, series) } else { Ok(()) }
}

fn check_pie(labels: &[String], series: &[Series]) -> Result<(), String> {
    let [shares] = series else {
        return Err(format!("a pie has one series, not {}: draw bars instead", series.len()));
    };
    if labels.len() > SLICES_MAX {
        return Err(format!(
            "a pie has at most {SLICES_MAX} slices, not {}: put the small ones together",
            labels.len()
        ));
    }
    if shares.values.iter().any(|value| *value < 0.0) || shares.values.iter().all(|value| *value == 0.0) {
        return Err("a pie shows shares of a whole: none below 0, and not all of them 0".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
