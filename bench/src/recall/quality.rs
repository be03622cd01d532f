//! Metrics of search results.

use std::{collections::BTreeSet, fmt};

use serde::Serialize;

use super::sets::ResultId;

/// Results that are evaluated.
pub(crate) const DEPTH: usize = 20;

/// The average metrics of some questions.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct Quality {
    pub(crate) hit_1: f64,
    pub(crate) hit_5: f64,
    pub(crate) hit_10: f64,
    pub(crate) recall_5: f64,
    pub(crate) recall_10: f64,
    pub(crate) recall_20: f64,
    pub(crate) recall_all_5: f64,
    pub(crate) mrr: f64,
    pub(crate) ndcg_10: f64,
}

impl Quality {
    /// The names of the metrics, in order.
    pub(crate) const NAMES: [&'static str; 9] =
        ["hit@1", "hit@5", "hit@10", "recall@5", "recall@10", "recall@20", "recall_all@5", "MRR", "NDCG@10"];

    /// The metrics of one question.
    pub(crate) fn of(found: &[ResultId], gold: &BTreeSet<ResultId>) -> Self {
        let places: Vec<usize> = found
            .iter()
            .take(DEPTH)
            .enumerate()
            .filter(|(_, unit)| gold.contains(*unit))
            .map(|(place, _)| place)
            .collect();
        let within = |k: usize| places.iter().filter(|place| **place < k).count();
        let hit = |k: usize| f64::from(u8::from(within(k) > 0));
        let recall = |k: usize| within(k) as f64 / gold.len().max(1) as f64;
        let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
        let ideal: f64 = (0..gold.len().min(10)).map(gain).sum();
        Self {
            hit_1: hit(1),
            hit_5: hit(5),
            hit_10: hit(10),
            recall_5: recall(5),
            recall_10: recall(10),
            recall_20: recall(20),
            recall_all_5: f64::from(u8::from(!gold.is_empty() && within(5) == gold.len())),
            mrr: places.first().map_or(0.0, |place| 1.0 / (*place as f64 + 1.0)),
            ndcg_10: places.iter().filter(|place| **place < 10).map(|place| gain(*place)).sum::<f64>()
                / ideal.max(f64::MIN_POSITIVE),
        }
    }

    /// The metrics, in order.
    pub(crate) const fn numbers(self) -> [f64; 9] {
        let Self { hit_1, hit_5, hit_10, recall_5, recall_10, recall_20, recall_all_5, mrr, ndcg_10 } = self;
        [hit_1, hit_5, hit_10, recall_5, recall_10, recall_20, recall_all_5, mrr, ndcg_10]
    }

    /// The mean over questions.
    pub(crate) fn mean<'a>(all: impl IntoIterator<Item = &'a Self>) -> Self {
        let (mut sums, mut count) = ([0.0; 9], 0.0_f64);
        for quality in all {
            count += 1.0;
            sums.iter_mut().zip(quality.numbers()).for_each(|(sum, number)| *sum += number);
        }
        let [hit_1, hit_5, hit_10, recall_5, recall_10, recall_20, recall_all_5, mrr, ndcg_10] =
            sums.map(|sum| sum / count.max(1.0));
        Self { hit_1, hit_5, hit_10, recall_5, recall_10, recall_20, recall_all_5, mrr, ndcg_10 }
    }
}

/// The 95 % bootstrap interval of the mean, over conversations.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Interval {
    low: [f64; 9],
    high: [f64; 9],
}

/// Bootstrap samples.
const DRAWS: usize = 1_000;

impl Interval {
    /// Resamples the conversations with a fixed seed.
    pub(crate) fn over(conversations: &[Vec<Quality>]) -> Self {
        let mut state = 0x5DEE_CE66_D1CE_4E5B_u64;
        let mut draw = || {
            // SplitMix64: the same on every machine.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            ((mixed ^ (mixed >> 31)) % conversations.len().max(1) as u64) as usize
        };
        let mut means: [Vec<f64>; 9] = Default::default();
        for _ in 0..DRAWS {
            let drawn = (0..conversations.len()).map(|_| &conversations[draw()]);
            let mean = Quality::mean(drawn.flatten());
            means.iter_mut().zip(mean.numbers()).for_each(|(means, number)| means.push(number));
        }
        let ranked = |share: f64| {
            means.each_ref().map(|means| {
                let mut sorted = means.clone();
                sorted.sort_unstable_by(f64::total_cmp);
                sorted[((DRAWS - 1) as f64 * share).round() as usize]
            })
        };
        Self { low: ranked(0.025), high: ranked(0.975) }
    }

    /// The bounds as text, in the order of the metrics.
    pub(crate) fn cells(&self) -> [String; 9] {
        std::array::from_fn(|index| format!("{}–{}", Fraction(self.low[index]), Fraction(self.high[index])))
    }
}

/// A share as it is printed.
pub(crate) struct Fraction(pub(crate) f64);

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(number: u8) -> ResultId {
        [number; 16]
    }

    #[test]
    fn numbers_are_as_defined() {
        let found: Vec<ResultId> = (0..30).map(unit).collect();
        let quality = Quality::of(&found, &BTreeSet::from([unit(1), unit(7), unit(25), unit(200)]));
        assert_eq!((quality.hit_1, quality.hit_5, quality.hit_10), (0.0, 1.0, 1.0));
        assert_eq!((quality.recall_5, quality.recall_10, quality.recall_20), (0.25, 0.5, 0.5));
        assert_eq!((quality.recall_all_5, quality.mrr), (0.0, 0.5));
        assert!((Quality::of(&found, &BTreeSet::from([unit(0), unit(1)])).ndcg_10 - 1.0).abs() < 1e-12);
        assert_eq!(Quality::of(&found, &BTreeSet::from([unit(0), unit(1)])).recall_all_5, 1.0);
    }

    #[test]
    fn the_interval_holds_the_mean_and_is_the_same_each_time() {
        let good = Quality { hit_1: 1.0, ..Quality::default() };
        let conversations: Vec<Vec<Quality>> =
            (0..20).map(|number| vec![if number % 2 == 0 { good } else { Quality::default() }; 3]).collect();
        let interval = Interval::over(&conversations);
        assert!(interval.low[0] < 0.5 && 0.5 < interval.high[0]);
        assert_eq!(interval.cells(), Interval::over(&conversations).cells());
    }
}
