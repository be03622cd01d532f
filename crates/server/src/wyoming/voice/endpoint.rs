//! Finds the beginning and the end of a sentence by its loudness, since satellites send audio until
//! they are told that enough was heard.
//!
//! The noise around is followed from below: it falls at once and rises slowly. What is clearly
//! louder is speech.

use std::{collections::VecDeque, time::Duration};

use super::audio::RECOGNITION;

/// Samples that are judged together: 20 ms.
const FRAME: usize = 320;
const FRAME_MS: usize = 20;
/// The noise that is expected before anything was heard, and the least that is assumed.
const FIRST_NOISE: f32 = 60.0;
const LEAST_NOISE: f32 = 20.0;
/// How much the noise rises with a frame that is louder.
const RISE: f32 = 1.01;
/// How much louder than the noise speech is, and how loud at least.
const LOUDER: f32 = 2.5;
const LEAST_SPEECH: f32 = 120.0;
/// Speech has begun if so many of the latest frames are loud: a click is shorter.
const BEGIN_LOUD: usize = 7;
const BEGIN_OF: usize = 12;
/// A satellite that heard its wake word waits so long for the first word.
const BEGIN_MAX: Duration = Duration::from_secs(7);

/// What the latest audio has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpeechChange {
    /// Nothing has changed.
    Same,
    /// The first words.
    Began,
    /// The sentence is over.
    Ended,
    /// There were no words for too long.
    Nothing,
}

/// Finds the end of one sentence.
#[derive(Debug)]
pub(super) struct Endpoint {
    silent_max: usize,
    waited: usize,
    noise: f32,
    rest: Vec<i16>,
    latest: VecDeque<bool>,
    has_begun: bool,
    silent: usize,
}

impl Endpoint {
    /// A sentence ends after this much silence.
    pub(super) fn new(silence: Duration) -> Self {
        Self {
            silent_max: frames(silence).max(1),
            waited: 0,
            noise: FIRST_NOISE,
            rest: Vec::new(),
            latest: VecDeque::with_capacity(BEGIN_OF),
            has_begun: false,
            silent: 0,
        }
    }

    /// Whether words were heard.
    pub(super) const fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Judges more samples, in the format of recognition.
    pub(super) fn hear(&mut self, samples: &[i16]) -> SpeechChange {
        self.rest.extend_from_slice(samples);
        let whole = self.rest.len() / FRAME * FRAME;
        let judged: Vec<i16> = self.rest.drain(..whole).collect();
        let mut heard = SpeechChange::Same;
        for frame in judged.chunks_exact(FRAME) {
            match self.judge(frame) {
                SpeechChange::Same => {}
                SpeechChange::Began => heard = SpeechChange::Began,
                end => return end,
            }
        }
        heard
    }

    fn judge(&mut self, frame: &[i16]) -> SpeechChange {
        let loudness = loudness(frame);
        let is_loud = loudness > LEAST_SPEECH.max(self.noise * LOUDER);
        self.noise = if loudness < self.noise { loudness.max(LEAST_NOISE) } else { self.noise * RISE };
        if self.has_begun {
            self.silent = if is_loud { 0 } else { self.silent + 1 };
            return if self.silent >= self.silent_max { SpeechChange::Ended } else { SpeechChange::Same };
        }
        self.waited += 1;
        if self.latest.len() == BEGIN_OF {
            self.latest.pop_front();
        }
        self.latest.push_back(is_loud);
        if self.latest.iter().filter(|is_loud| **is_loud).count() >= BEGIN_LOUD {
            self.has_begun = true;
            return SpeechChange::Began;
        }
        if self.waited >= frames(BEGIN_MAX) { SpeechChange::Nothing } else { SpeechChange::Same }
    }
}

fn frames(time: Duration) -> usize {
    usize::try_from(time.as_millis()).unwrap_or(usize::MAX) / FRAME_MS
}

/// The root of the mean square.
fn loudness(frame: &[i16]) -> f32 {
    let sum: f32 = frame.iter().map(|sample| f32::from(*sample).powi(2)).sum();
    (sum / frame.len().max(1) as f32).sqrt()
}

/// The length of so many samples in the format of recognition.
pub(super) fn time_of(samples: usize) -> Duration {
    Duration::from_millis(samples as u64 * 1_000 / u64::from(RECOGNITION.rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of this loudness; alternating signs have it exactly.
    fn sound(ms: usize, loudness: i16) -> Vec<i16> {
        (0..ms * 16).map(|at| if at % 2 == 0 { loudness } else { -loudness }).collect()
    }

    /// What is heard of sounds, each with its length and loudness, and after how many ms.
    fn heard(sounds: &[(usize, i16)]) -> Vec<(SpeechChange, usize)> {
        let mut endpoint = Endpoint::new(Duration::from_millis(800));
        let all: Vec<i16> = sounds.iter().flat_map(|(ms, loudness)| sound(*ms, *loudness)).collect();
        let mut found = Vec::new();
        for (at, chunk) in all.chunks(500).enumerate() {
            match endpoint.hear(chunk) {
                SpeechChange::Same => {}
                SpeechChange::Began => found.push((SpeechChange::Began, (at + 1) * 500 / 16)),
                end => {
                    found.push((end, (at + 1) * 500 / 16));
                    break;
                }
            }
        }
        found
    }

    fn kinds(sounds: &[(usize, i16)]) -> Vec<SpeechChange> {
        heard(sounds).into_iter().map(|(heard, _)| heard).collect()
    }

    #[test]
    fn a_sentence_ends_after_the_silence_and_not_between_words() {
        let sentence = [(500, 10), (400, 2_000), (300, 15), (600, 1_500), (2_000, 10)];
        let found = heard(&sentence);
        assert_eq!(
            found.iter().map(|(heard, _)| *heard).collect::<Vec<_>>(),
            [SpeechChange::Began, SpeechChange::Ended]
        );
        let end = found[1].1;
        assert!((2_600..2_700).contains(&end), "{end}");
    }

    #[test]
    fn words_at_once_are_heard() {
        assert_eq!(kinds(&[(700, 3_000), (1_500, 30)]), [SpeechChange::Began, SpeechChange::Ended]);
    }

    #[test]
    fn silence_and_clicks_are_no_sentence() {
        for sounds in [&[(8_000, 0)][..], &[(8_000, 60)], &[(1_000, 10), (60, 9_000), (8_000, 10)]] {
            assert_eq!(kinds(sounds), [SpeechChange::Nothing], "{sounds:?}");
        }
    }

    #[test]
    fn a_sentence_in_noise_ends_too() {
        assert_eq!(kinds(&[(3_000, 300), (1_000, 3_000), (6_000, 300)]).last(), Some(&SpeechChange::Ended));
    }

    #[test]
    fn loudness_and_time_are_measured() {
        assert!((loudness(&sound(20, 1_000)) - 1_000.0).abs() < 1.0);
        assert_eq!(time_of(16_000), Duration::from_secs(1));
    }
}
