//! Byte pair encoding of one piece of text. Among all neighbours that form a token, the pair with
//! the lowest rank is merged, until there are none. The time is nearly linear, since a piece can be
//! a megabyte of base64.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::vocabulary;

/// Number of tokens of a piece.
pub(crate) fn count(piece: &[u8]) -> usize {
    if piece.is_empty() {
        return 0;
    }
    // Most words are one token.
    if vocabulary::rank(piece).is_some() {
        return 1;
    }
    let mut parts = MergeParts::of(piece);
    while parts.join_lowest() {}
    parts.count
}

/// The parts of a piece. The index of its first byte identifies a part; other entries are unused.
struct MergeParts<'a> {
    piece: &'a [u8],
    /// The end of each part, where the next one starts; 0 for a byte at which no part starts any
    /// more.
    ends: Vec<usize>,
    /// The start of the previous part.
    before: Vec<usize>,
    /// Neighbours that form a token, lowest rank first, leftmost first: (rank, first part, end of
    /// the second). An entry may be outdated by another merge.
    candidates: BinaryHeap<Reverse<(u32, usize, usize)>>,
    count: usize,
}

impl<'a> MergeParts<'a> {
    fn of(piece: &'a [u8]) -> Self {
        let mut parts = Self {
            piece,
            ends: (1..=piece.len()).collect(),
            before: (0..piece.len()).map(|index| index.saturating_sub(1)).collect(),
            candidates: BinaryHeap::with_capacity(piece.len()),
            count: piece.len(),
        };
        for first in 0..piece.len() - 1 {
            parts.consider(first);
        }
        parts
    }

    /// Adds a part and its successor as a candidate, if they form a token.
    fn consider(&mut self, first: usize) {
        let second = self.ends[first];
        if second == self.piece.len() {
            return;
        }
        let end = self.ends[second];
        if let Some(rank) = vocabulary::rank(&self.piece[first..end]) {
            self.candidates.push(Reverse((rank, first, end)));
        }
    }

    /// Merges the candidate with the lowest rank. False if there is none.
    fn join_lowest(&mut self) -> bool {
        while let Some(Reverse((_, first, end))) = self.candidates.pop() {
            let second = self.ends[first];
            // The first may be inside another part by now, and either may have grown.
            if second == 0 || second >= end || self.ends[second] != end {
                continue;
            }
            self.ends[first] = end;
            self.ends[second] = 0;
            self.count -= 1;
            if end < self.piece.len() {
                self.before[end] = first;
                self.consider(first);
            }
            if first > 0 {
                self.consider(self.before[first]);
            }
            return true;
        }
        false
    }
}
