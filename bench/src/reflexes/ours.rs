//! Dwell's matcher, sentence by sentence.

use std::time::Duration;

use anyhow::{Context, Result};
use reflex::{Circumstances, Grammar};
use rustix::time::{ClockId, clock_gettime};

use super::Measured;
use super::cases::{Language, More};
use crate::percentile::Spread;

pub(super) fn measure(language: &Language, more: &More) -> Result<Measured> {
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
            // What the change of homes has left to the allocator is not the first sentence's to pay.
            grammar.read(&vocabulary, "x", &Circumstances::default());
            home = Some((&case.fixture, vocabulary));
        }
        let Some((_, vocabulary)) = &home else { continue };
        let circumstances = Circumstances::in_area(case.context_area.as_str());
        let before = cpu();
        let understood = grammar.read(vocabulary, &case.sentence, &circumstances);
        times.push(cpu().saturating_sub(before));
        right += usize::from(case.is_right(understood.as_ref()));
    }
    Ok(Measured { sentences: times.len(), right, cpu: Spread::of(&times), load_ms: load.as_secs_f64() * 1000.0 })
}

/// What this thread has worked so far.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
