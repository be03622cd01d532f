//! Converts audio between rates and numbers of channels, chunk by chunk.

use super::audio::AudioFormat;

/// A conversion of one stream of audio. Samples between two others are interpolated, which is good
/// enough for speech.
#[derive(Debug)]
pub(super) struct Converter {
    from: AudioFormat,
    to: AudioFormat,
    /// The last byte of a chunk that ended within a sample, or the samples of a part of a frame.
    rest: Vec<u8>,
    /// The mono sample before the next one.
    last: Option<f32>,
    /// Where the next sample lies between `last` and the one after it, in samples of the source.
    position: f64,
}

impl Converter {
    pub(super) const fn new(from: AudioFormat, to: AudioFormat) -> Self {
        Self { from, to, rest: Vec::new(), last: None, position: 0.0 }
    }

    /// Whether it converts audio of this format.
    pub(super) fn takes(&self, from: AudioFormat) -> bool {
        self.from == from
    }

    /// The samples of a chunk in the other format.
    pub(super) fn convert(&mut self, bytes: &[u8]) -> Vec<i16> {
        self.rest.extend_from_slice(bytes);
        let frame = usize::from(self.from.channels) * 2;
        let whole = self.rest.len() / frame * frame;
        let bytes: Vec<u8> = self.rest.drain(..whole).collect();
        let samples = bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
        if self.from == self.to {
            return samples.collect();
        }
        let samples: Vec<i16> = samples.collect();
        let mono = samples.chunks_exact(usize::from(self.from.channels)).map(|frame| {
            let sum: f32 = frame.iter().map(|sample| f32::from(*sample)).sum();
            sum / f32::from(self.from.channels)
        });
        let mono: Vec<f32> = mono.collect();
        let resampled = if self.from.rate == self.to.rate { mono } else { self.resample(&mono) };
        let channels = usize::from(self.to.channels);
        // The conversion saturates.
        resampled.iter().flat_map(|sample| std::iter::repeat_n(sample.round() as i16, channels)).collect()
    }

    fn resample(&mut self, mono: &[f32]) -> Vec<f32> {
        let step = f64::from(self.from.rate) / f64::from(self.to.rate);
        let mut made = Vec::with_capacity((mono.len() as f64 / step) as usize + 2);
        for &sample in mono {
            let Some(last) = self.last.replace(sample) else { continue };
            while self.position < 1.0 {
                made.push(last + (sample - last) * self.position as f32);
                self.position += step;
            }
            self.position -= 1.0;
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(rate: u32, channels: u16) -> AudioFormat {
        AudioFormat { rate, channels }
    }

    /// A tone of 440 Hz for a second, in this format.
    fn tone(format: AudioFormat) -> Vec<u8> {
        let sample = |at: u32| (at as f32 / format.rate as f32 * 440.0 * std::f32::consts::TAU).sin() * 8_000.0;
        let samples = (0..format.rate).flat_map(|at| vec![sample(at) as i16; usize::from(format.channels)]);
        samples.flat_map(i16::to_le_bytes).collect()
    }

    /// How often the samples of one channel change their sign from below to above.
    fn waves(samples: &[i16], channels: usize) -> usize {
        let one: Vec<i16> = samples.iter().step_by(channels).copied().collect();
        one.windows(2).filter(|pair| pair[0] < 0 && pair[1] >= 0).count()
    }

    #[test]
    fn length_and_pitch_stay_whatever_the_chunks_are() {
        for (from, to) in [
            (format(22_050, 1), format(16_000, 1)),
            (format(16_000, 1), format(22_050, 2)),
            (format(48_000, 2), format(16_000, 1)),
            (format(16_000, 2), format(16_000, 1)),
        ] {
            for size in [1, 7, 1_000, 100_000] {
                let mut converter = Converter::new(from, to);
                let tone = tone(from);
                let made: Vec<i16> = tone.chunks(size).flat_map(|chunk| converter.convert(chunk)).collect();
                let frames = made.len() / usize::from(to.channels);
                assert!(frames.abs_diff(to.rate as usize) < 5, "{from} to {to} in chunks of {size}: {frames}");
                assert!(waves(&made, usize::from(to.channels)).abs_diff(440) < 3, "{from} to {to}");
                let loudest = made.iter().map(|sample| sample.unsigned_abs()).max().unwrap();
                assert!((7_500..8_100).contains(&loudest), "{loudest}");
            }
        }
    }

    #[test]
    fn the_same_format_is_passed_on_as_it_is() {
        let mut converter = Converter::new(format(16_000, 1), format(16_000, 1));
        assert_eq!(converter.convert(&[1, 0, 255]), [1]);
        assert_eq!(converter.convert(&[127]), [i16::MAX]);
    }
}
