//! `recall`: the quality of memory search.
//!
//! Public sets of conversations with questions, one line per search mode: lexical, semantic,
//! hybrid. One recipe is used for all sets. No language model is involved: a result counts if the
//! turns or sessions that contain the answer are among the first found.

mod latency;
mod locomo;
mod longmemeval;
mod paraphrases;
mod quality;
mod related_words;
mod restart;
mod runs;
mod sets;
mod vectors;
mod writing;

use std::fmt;

use anyhow::{Context, Result};
use memory::search::Recipe;
use protocol::SearchMode;
use serde::Serialize;

use self::{
    quality::{Fraction, Interval, Quality},
    runs::ModeRun,
    sets::QuestionSet,
};
use crate::{
    percentile::LatencySummary,
    table::{Table, rounded},
};

pub(crate) use latency::run as run_latency;
pub(crate) use paraphrases::PAIRS;
pub(crate) use related_words::run as write_related_words;
pub(crate) use sets::folder;
pub(crate) use vectors::CachedEmbedder;

/// The results of each set.
#[derive(Debug, Serialize)]
pub(crate) struct RecallResult {
    sets: Vec<SetResult>,
    /// What could not be measured, and why.
    notices: Vec<String>,
}

#[derive(Debug, Serialize)]
struct SetResult {
    name: &'static str,
    documents: usize,
    questions: usize,
    unanswerable: usize,
    ways: Vec<ModeResult>,
}

/// The results of one search mode.
#[derive(Debug, Serialize)]
struct ModeResult {
    mode: SearchMode,
    quality: Quality,
    interval: Interval,
    with_unanswerable: Option<Quality>,
    categories: Vec<(String, usize, Quality)>,
    search_ms: LatencySummary,
}

/// Measures every available set. `recipe` is another ranking recipe to try, as JSON.
pub(crate) fn run(recipe: Option<&str>) -> Result<RecallResult> {
    let recipe: Recipe =
        recipe.map_or(Ok(Recipe::default()), serde_json::from_str).context("`--recipe` is not a recipe")?;
    let mut vectors = CachedEmbedder::open()?;
    let mut recall = RecallResult { sets: Vec::new(), notices: Vec::new() };
    if vectors.is_none() {
        let folder = CachedEmbedder::folder();
        recall
            .notices
            .push(format!("There is no embedding model in {}: only lexical search was measured.", folder.display()));
    }
    for set in [locomo::load(), longmemeval::load(), Ok(paraphrases::load())] {
        match set {
            Ok(set) => recall.sets.push(measure(&set, &mut vectors, recipe)?),
            Err(error) => recall.notices.push(format!("Not measured: {error:#}.")),
        }
    }
    Ok(recall)
}

fn measure(set: &QuestionSet, vectors: &mut Option<CachedEmbedder>, recipe: Recipe) -> Result<SetResult> {
    let ready = runs::prepare(set, vectors, recipe)?;
    let modes: &[SearchMode] = match vectors {
        Some(_) => &[SearchMode::Lexical, SearchMode::Semantic, SearchMode::Hybrid],
        None => &[SearchMode::Lexical],
    };
    let questions = || set.stores.iter().flat_map(|store| &store.questions);
    Ok(SetResult {
        name: set.name,
        documents: set.stores.iter().map(|store| store.documents.len()).sum(),
        questions: questions().filter(|question| !question.is_unanswerable).count(),
        unanswerable: questions().filter(|question| question.is_unanswerable).count(),
        ways: modes.iter().map(|mode| ModeResult::of(&runs::ask(&ready, set.group, *mode))).collect(),
    })
}

impl ModeResult {
    fn of(run: &ModeRun) -> Self {
        let conversations = run.by_conversation();
        let category = |(name, all): (&str, Vec<Quality>)| (name.to_owned(), all.len(), Quality::mean(&all));
        let has_unanswerable = run.answers.iter().any(|answer| answer.is_unanswerable);
        Self {
            mode: run.mode,
            quality: Quality::mean(conversations.iter().flatten()),
            interval: Interval::over(&conversations),
            with_unanswerable: has_unanswerable
                .then(|| Quality::mean(run.answers.iter().map(|answer| &answer.quality))),
            categories: run.by_category().into_iter().map(category).collect(),
            search_ms: LatencySummary::of(&run.times),
        }
    }

    const fn name(&self) -> &'static str {
        match self.mode {
            SearchMode::Lexical => "lexical only",
            SearchMode::Semantic => "semantic only",
            SearchMode::Hybrid => "hybrid",
        }
    }
}

impl fmt::Display for RecallResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for set in &self.sets {
            writeln!(f, "{set}")?;
        }
        self.notices.iter().try_for_each(|notice| writeln!(f, "{notice}"))
    }
}

impl fmt::Display for SetResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, documents, questions, unanswerable, ways } = self;
        write!(f, "{name}: {documents} documents, {questions} questions")?;
        match unanswerable {
            0 => writeln!(f, ".\n")?,
            _ => writeln!(f, " ({unanswerable} unanswerable ones are only in the last line of each mode).\n")?,
        }
        let [a, b, c, d, e, g, h, i, j] = Quality::NAMES;
        let mut table = Table::new(["", a, b, c, d, e, g, h, i, j]);
        for way in ways {
            table = table.row(row(way.name().to_owned(), numbers(way.quality)));
            table = table.row(row("  95 % interval".to_owned(), way.interval.cells()));
            for (category, count, quality) in &way.categories {
                table = table.row(row(format!("  {category} ({count})"), numbers(*quality)));
            }
            if let Some(quality) = way.with_unanswerable {
                table = table.row(row("  with the unanswerable".to_owned(), numbers(quality)));
            }
        }
        writeln!(f, "{table}")?;
        for way in ways {
            let LatencySummary { p50, p99, .. } = way.search_ms;
            writeln!(f, "Search, {}: p50 {} ms, p99 {} ms.", way.name(), rounded(p50), rounded(p99))?;
        }
        Ok(())
    }
}

fn numbers(quality: Quality) -> [String; 9] {
    quality.numbers().map(|number| Fraction(number).to_string())
}

fn row(name: String, cells: [String; 9]) -> [String; 10] {
    let [a, b, c, d, e, f, g, h, i] = cells;
    [name, a, b, c, d, e, f, g, h, i]
}
