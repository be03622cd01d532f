//! `report_save`: stores a document with its sources.

mod html;
mod markdown;
mod render;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{ArtifactId, Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    artifact::{ArtifactSummary, name_with_ending},
    artifact_store::{ArtifactStore, NewArtifact},
};
use crate::tool::{CallContext, Declaration, Tool};

/// Sections of one report.
const SECTIONS_MAX: usize = 100;
/// Sources of one report.
const SOURCES_MAX: usize = 200;
/// The longest title, heading, mark or source name.
const LINE_CHARS_MAX: usize = 300;
/// The longest address of a source.
const SOURCE_CHARS_MAX: usize = 2_000;
/// The total size of the input.
const BYTES_MAX: usize = 2 * 1024 * 1024;

/// Stores reports.
pub(super) struct ReportSave(pub(super) ArtifactStore);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What the file is called; made from the title if absent.
    #[serde(default)]
    name: Option<String>,
    /// Its title.
    title: String,
    /// The sections, in order.
    sections: Vec<ReportSection>,
    /// `markdown`, or `html` for a page that opens in any browser; `markdown` if absent.
    #[serde(default)]
    format: ReportFormat,
    /// The sources; the text cites one by its mark in square brackets.
    #[serde(default)]
    sources: Vec<ReportSource>,
}

/// A part of a report.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReportSection {
    /// Its heading; may be empty.
    heading: String,
    /// The text, in Markdown.
    text: String,
}

/// A source.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReportSource {
    /// What the text calls it, as in `1`.
    mark: String,
    /// Its name.
    title: String,
    /// Where it is: an address, or a file of the library.
    source: String,
}

/// The file format.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ReportFormat {
    #[default]
    Markdown,
    Html,
}

#[async_trait]
impl Tool for ReportSave {
    type Input = Input;
    type Output = ArtifactSummary;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new(
            "report_save",
            "Puts a report together from a title, sections and sources, and keeps it beside the conversation as Markdown or as a \
             web page that the user can open and download. Use it for results that are worth keeping as a document.",
        )
        .about(&["document", "summary", "write", "markdown", "html"]);
        Declaration { effect: Effect::Idempotent, safety: Safety::Keeps, ..declaration }
    }

    async fn call(&self, input: Input, context: &CallContext) -> Result<ArtifactSummary, ToolFailure> {
        check(&input).map_err(ToolFailure::Invalid)?;
        let (endings, media_type, text): (&[&str], _, _) = match input.format {
            ReportFormat::Markdown => (&[".md", ".markdown"], "text/markdown", markdown::compose(&input)),
            ReportFormat::Html => (&[".html", ".htm"], "text/html", html::compose(&input)),
        };
        let name = name_with_ending(input.name.as_deref(), &input.title, "report", endings)?;
        self.0.keep(NewArtifact { name, media_type: media_type.to_owned(), bytes: text.into_bytes() }, context).await
    }

    fn origin(&self, output: &ArtifactSummary) -> Option<Origin> {
        Some(output.origin)
    }

    fn artifacts(&self, output: &ArtifactSummary) -> Vec<ArtifactId> {
        vec![output.artifact_id]
    }
}

fn check(input: &Input) -> Result<(), String> {
    let Input { title, sections, sources, .. } = input;
    if title.trim().is_empty() {
        return Err("`title` is empty: say what the report is about".to_owned());
    }
    short("title", title, LINE_CHARS_MAX)?;
    if sections.is_empty() || sections.len() > SECTIONS_MAX {
        return Err(format!("`sections` has {}, and a report has 1 to {SECTIONS_MAX}", sections.len()));
    }
    if sources.len() > SOURCES_MAX {
        return Err(format!("`sources` has {}, and a report has at most {SOURCES_MAX}", sources.len()));
    }
    for (section, n) in sections.iter().zip(1usize..) {
        short(&format!("heading of section {n}"), &section.heading, LINE_CHARS_MAX)?;
    }
    for (source, n) in sources.iter().zip(1usize..) {
        short(&format!("mark of source {n}"), &source.mark, LINE_CHARS_MAX)?;
        short(&format!("title of source {n}"), &source.title, LINE_CHARS_MAX)?;
        short(&format!("source of source {n}"), &source.source, SOURCE_CHARS_MAX)?;
    }
    let bytes: usize = sections.iter().map(|section| section.text.len()).sum();
    if bytes > BYTES_MAX {
        return Err(format!("the sections have {bytes} bytes, and a report has at most {BYTES_MAX}: make several"));
    }
    Ok(())
}

fn short(what: &str, text: &str, chars_max: usize) -> Result<(), String> {
    let chars = text.chars().count();
    if chars > chars_max {
        return Err(format!("the {what} has {chars} characters, and at most {chars_max} fit"));
    }
    Ok(())
}

/// Whether an address is a safe link: `http`, `https` or `mailto`.
fn is_link(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    let has_scheme = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    has_scheme && !address.chars().any(|char| char.is_whitespace() || char.is_control() || "<>\"`\\".contains(char))
}

#[cfg(test)]
mod tests;
