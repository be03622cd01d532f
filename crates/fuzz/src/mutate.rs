//! Nearly valid inputs: well-formed ones with a few changes, determined by a seed number.

use rand::{RngExt, SeedableRng, rngs::SmallRng};

/// The longest input; longer ones are refused by their size, which has its own tests.
const BYTES_MAX: usize = 64 * 1024;
/// Most changes to one input.
const CHANGES_MAX: usize = 6;

/// Fragments that are hard for parsers.
const PIECES: &[&[u8]] = &[
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"0.1e-400",
    b"\"\"",
    b"{}",
    b"[]",
    b"[[[[[[[[[[[[[[[[",
    b"{\"a\":{\"a\":{\"a\":",
    b"\\ud800",
    b"\\u0000",
    b"\xff\xfe",
    b"\xf0\x9f\x92\xa9",
    b"\xe2\x80\xae",
    b"\0",
    b"\r\n\r\n",
    b"<script>",
    b"<svg onload=x>",
    b"javascript:x",
    b"<!--",
    b"]]>",
    b"<math><mtext><table>",
    b"![x](data:text/html,x)",
    b"../../../../etc/passwd",
    b"%00",
    b"' OR 1=1 --",
    b"01ARZ3NDEKTSV4RRFFQ69G5FAV",
    b"99999999999999",
    b"-99999999999999",
];

/// Generates inputs.
pub(crate) struct Mutator<'a> {
    random: SmallRng,
    seeds: &'a [Vec<u8>],
}

impl<'a> Mutator<'a> {
    pub(crate) fn new(number: u64, seeds: &'a [Vec<u8>]) -> Self {
        Self { random: SmallRng::seed_from_u64(number), seeds }
    }

    /// The next input.
    pub(crate) fn draw(&mut self) -> Vec<u8> {
        let mut input = self.seed();
        for _ in 0..self.random.random_range(1..=CHANGES_MAX) {
            self.change(&mut input);
        }
        input.truncate(BYTES_MAX);
        input
    }

    fn seed(&mut self) -> Vec<u8> {
        if self.seeds.is_empty() {
            return Vec::new();
        }
        self.seeds[self.random.random_range(0..self.seeds.len())].clone()
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let at = self.random.random_range(0..=input.len());
        let end = (at + self.random.random_range(1..=32)).min(input.len());
        match self.random.random_range(0..8) {
            0 if at < input.len() => input[at] ^= 1 << self.random.random_range(0..8),
            1 if at < input.len() => input[at] = self.random.random(),
            2 => drop(input.drain(at..end)),
            3 => {
                let copy = input[at..end].to_vec();
                self.insert(input, &copy);
            }
            4 => {
                let other = self.seed();
                let from = self.random.random_range(0..=other.len());
                self.insert(input, &other[from..]);
            }
            5 => input.truncate(at),
            _ => {
                let piece = PIECES[self.random.random_range(0..PIECES.len())];
                // Overwrites instead of inserting, so that the rest still parses sometimes.
                input.splice(at..end.min(at + piece.len()), piece.iter().copied());
            }
        }
    }

    fn insert(&mut self, input: &mut Vec<u8>, bytes: &[u8]) {
        let at = self.random.random_range(0..=input.len());
        input.splice(at..at, bytes.iter().copied());
    }
}
