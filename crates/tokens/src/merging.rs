//! Byte pair encoding of one piece of text: of all neighbours that form a token, those with the lowest rank are joined, until
//! none are left. In time that grows hardly faster than the piece, since a piece can be a megabyte of base64.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::vocabulary;

/// How many tokens a piece has.
pub(crate) fn count(piece: &[u8]) -> usize {
    if piece.is_empty() {
        return 0;
    }
    // Most words are one token.
    if vocabulary::rank(piece).is_some() {
        return 1;
    }
    let mut parts = Parts::of(piece);
    while parts.join_lowest() {}
    parts.count
}

/// The parts of a piece. A part is known by its first byte's index; the others' entries are not looked at.
struct Parts<'a> {
    piece: &'a [u8],
    /// Where each part ends, which is where the next one begins; 0 for a byte that no part begins with any more.
    ends: Vec<usize>,
    /// Where the part before each begins.
    before: Vec<usize>,
    /// Neighbours that form a token, lowest rank first, leftmost first: (rank, first part, end of the second). An entry may
    /// have been overtaken by another joining.
    candidates: BinaryHeap<Reverse<(u32, usize, usize)>>,
    count: usize,
}

impl<'a> Parts<'a> {
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

    /// Makes a part and the one after it candidates, if they form a token.
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

    /// Joins the candidates of the lowest rank. False when there are none.
    fn join_lowest(&mut self) -> bool {
        while let Some(Reverse((_, first, end))) = self.candidates.pop() {
            let second = self.ends[first];
            // The first may be within another part by now, and either may have grown.
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
