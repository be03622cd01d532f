//! Dwell's matcher, sentence by sentence.

use std::time::Duration;

use anyhow::{Context, Result};
use reflex::{Grammar, IntentContext};
use rustix::time::{ClockId, clock_gettime};

use super::MatcherResult;
use super::cases::{ExtraEntities, Language};
use crate::percentile::LatencySummary;

pub(super) fn measure(language: &Language, more: &ExtraEntities) -> Result<MatcherResult> {
    let json = std::fs::read_to_string(&language.grammar)
        .with_context(|| format!("failed to read {}", language.grammar.display()))?;
    let before = cpu();
    let grammar = Grammar::load(&json)?;
    let load = cpu().saturating_sub(before);

    let mut home = None;
    let mut right = 0;
    let mut times = Vec::with_capacity(language.cases.len());
    for case in &language.cases {
        let is_same = home.as_ref().is_some_and(|(name, _)| *name == &case.fixture);
        if !is_same {
            let fixture = language.homes.get(&case.fixture).with_context(|| format!("no home {}", case.fixture))?;
            drop(home.take());
            let vocabulary = fixture.vocabulary(more);
            // A warm-up, so that the first sentence does not pay for memory that the previous home
            // freed.
            grammar.read(&vocabulary, "x", &IntentContext::default());
            home = Some((&case.fixture, vocabulary));
        }
        let Some((_, vocabulary)) = &home else { continue };
        let circumstances = IntentContext::in_area(case.context_area.as_str());
        let before = cpu();
        let understood = grammar.read(vocabulary, &case.sentence, &circumstances);
        times.push(cpu().saturating_sub(before));
        right += usize::from(case.is_right(understood.as_ref()));
    }
    Ok(MatcherResult {
        sentences: times.len(),
        right,
        cpu: LatencySummary::of(&times),
        load_ms: load.as_secs_f64() * 1000.0,
    })
}

/// The CPU time of this thread so far.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
