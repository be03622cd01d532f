//! Deterministic pseudo-random numbers, computed from a seed, names and numbers.

/// The state of a number; each input is mixed in.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeededRandom(u64);

impl SeededRandom {
    /// Starts with the home's seed.
    pub(super) const fn of(seed: u64) -> Self {
        Self(seed ^ 0x9E37_79B9_7F4A_7C15)
    }

    /// Mixes in a name.
    pub(super) fn name(self, name: &str) -> Self {
        name.bytes().fold(self, |chance, byte| Self((chance.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)))
    }

    /// Mixes in a number.
    pub(super) const fn number(self, number: i64) -> Self {
        let mut mixed = self.0.wrapping_add(number.cast_unsigned()).wrapping_add(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self(mixed ^ (mixed >> 31))
    }

    /// From 0 up to 1.
    #[allow(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub(super) fn unit(self) -> f64 {
        (self.number(0).0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From -1 up to 1.
    pub(super) fn around(self) -> f64 {
        self.unit() * 2.0 - 1.0
    }

    /// A continuous curve through numbers from -1 to 1, one at every whole `place`.
    #[allow(clippy::cast_possible_truncation, reason = "hours of this age")]
    pub(super) fn curve(self, place: f64) -> f64 {
        let (before, part) = (place.floor() as i64, place - place.floor());
        let eased = part * part * (3.0 - 2.0 * part);
        self.number(before).around() * (1.0 - eased) + self.number(before + 1).around() * eased
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn always_the_same_and_within_bounds() {
        let chance = SeededRandom::of(7).name("light.kitchen");
        assert_eq!(chance.number(3).unit().to_bits(), chance.number(3).unit().to_bits());
        let mean: f64 = (0..1_000).map(|number| chance.number(number).unit()).sum::<f64>() / 1_000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
        assert!((0..1_000).all(|place| chance.curve(f64::from(place) * 0.37).abs() <= 1.0));
    }
}
