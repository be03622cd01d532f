//! Detects secrets by value: all of them at once, in one pass over the text.
//!
//! Every byte of an occurrence is redacted, also where occurrences overlap. This is the
//! Aho-Corasick algorithm. It is implemented here because streaming needs to know how much of the
//! end of the text is a prefix of a secret, which libraries do not expose.

use std::{collections::VecDeque, ops::Range};

/// The replacement for a secret found by value.
const MARKER: &str = "[redacted]";

/// Longer secrets are matched in pieces of this size, which bounds what is held back.
const PIECE_BYTES: usize = 512;

/// The secrets as an Aho-Corasick automaton over bytes.
pub struct SecretMatcher {
    nodes: Vec<TrieNode>,
    /// The children of the root by byte, for speed: most bytes of a text begin no secret.
    first: [u32; 256],
}

#[derive(Default)]
struct TrieNode {
    next: Vec<(u8, u32)>,
    /// The node of the longest proper suffix that is a prefix of a secret.
    fallback: u32,
    depth: usize,
    /// The length of the longest secret that ends here; 0 if none does.
    found: usize,
}

impl SecretMatcher {
    /// An automaton that finds all of these.
    pub fn new(secrets: &[String]) -> Self {
        let mut values = Self { nodes: vec![TrieNode::default()], first: [0; 256] };
        for piece in secrets.iter().flat_map(|secret| pieces(secret)) {
            values.insert(piece);
        }
        values.link();
        values
    }

    fn insert(&mut self, secret: &str) {
        let mut at = 0_u32;
        for (index, byte) in secret.bytes().enumerate() {
            at = self.child(at, byte).unwrap_or_else(|| {
                let new = self.nodes.len() as u32;
                self.nodes.push(TrieNode { depth: index + 1, ..TrieNode::default() });
                self.nodes[at as usize].next.push((byte, new));
                if at == 0 {
                    self.first[usize::from(byte)] = new;
                }
                new
            });
        }
        self.nodes[at as usize].found = secret.len();
    }

    /// Computes the fallback of each node, breadth first.
    fn link(&mut self) {
        let mut queue: VecDeque<u32> = self.nodes[0].next.iter().map(|(_, node)| *node).collect();
        while let Some(node) = queue.pop_front() {
            let fallback = self.nodes[node as usize].fallback;
            let inherited = self.nodes[fallback as usize].found;
            self.nodes[node as usize].found = self.nodes[node as usize].found.max(inherited);
            for (byte, child) in self.nodes[node as usize].next.clone() {
                self.nodes[child as usize].fallback = self.step(fallback, byte);
                queue.push_back(child);
            }
        }
    }

    fn child(&self, node: u32, byte: u8) -> Option<u32> {
        if node == 0 {
            return Some(self.first[usize::from(byte)]).filter(|child| *child > 0);
        }
        self.nodes[node as usize].next.iter().find(|(label, _)| *label == byte).map(|(_, child)| *child)
    }

    fn step(&self, mut node: u32, byte: u8) -> u32 {
        loop {
            match self.child(node, byte) {
                Some(child) => return child,
                None if node == 0 => return 0,
                None => node = self.nodes[node as usize].fallback,
            }
        }
    }
}

/// The secret, or its pieces if it is long. The last piece overlaps the previous one, so that none
/// is short.
fn pieces(secret: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = secret;
    while rest.len() > PIECE_BYTES {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        pieces.push(piece);
        rest = after;
    }
    let last = secret.ceil_char_boundary(secret.len().saturating_sub(PIECE_BYTES));
    pieces.push(&secret[last..]);
    pieces
}

/// The state of a scan over one text.
#[derive(Default)]
pub struct ValueScan {
    node: u32,
    /// Text that was read but not emitted yet.
    held: String,
    /// The ranges of secrets in it: sorted and disjoint.
    found: Vec<Range<usize>>,
    /// Whether the last output was a marker.
    is_marked: bool,
}

impl ValueScan {
    /// Takes the next piece, and emits what is certain.
    pub fn push(&mut self, values: &SecretMatcher, delta: &str, out: &mut String) {
        for (at, byte) in (self.held.len() + 1..).zip(delta.bytes()) {
            self.node = values.step(self.node, byte);
            let found = values.nodes[self.node as usize].found;
            if found > 0 {
                self.mark(at - found..at);
            }
        }
        self.held.push_str(delta);
        // Later matches begin within the last `depth` bytes.
        self.give(self.held.len() - values.nodes[self.node as usize].depth, out);
    }

    /// Ends the text and emits the rest.
    pub fn finish(&mut self, out: &mut String) {
        self.give(self.held.len(), out);
        *self = Self::default();
    }

    /// The number of bytes held back.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    fn mark(&mut self, mut new: Range<usize>) {
        while let Some(last) = self.found.pop_if(|last| last.end >= new.start) {
            new.start = new.start.min(last.start);
        }
        self.found.push(new);
    }

    fn give(&mut self, end: usize, out: &mut String) {
        let mut at = 0;
        for found in self.found.iter().take_while(|found| found.start < end) {
            if found.start > at {
                out.push_str(&self.held[at..found.start]);
                self.is_marked = false;
            }
            if !self.is_marked {
                out.push_str(MARKER);
                self.is_marked = true;
            }
            at = found.end.min(end);
        }
        if end > at {
            out.push_str(&self.held[at..end]);
            self.is_marked = false;
        }
        self.held.drain(..end);
        self.found.retain_mut(|found| {
            *found = found.start.saturating_sub(end)..found.end.saturating_sub(end);
            found.start < found.end
        });
    }
}
