//! Builds the hash table of the vocabulary at build time, so that the program need not read it at
//! the start.

use std::{env, error::Error, fs, path::Path};

#[path = "src/layout.rs"]
mod layout;

const MERGES: &str = "data/o200k_base.merges";
/// Number of tokens of one byte. They come first.
const SINGLE: usize = 256;
/// A token is made of two others. It is stored as their ranks, with so many bits each.
const MERGE_BYTES: usize = 5;
const RANK_BITS: u32 = 20;

#[allow(clippy::disallowed_methods, reason = "cargo tells a build script by the environment where to write")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={MERGES}");
    println!("cargo::rerun-if-changed=src/layout.rs");
    let tokens = tokens(&fs::read(MERGES)?)?;
    let mut bytes = Vec::new();
    let mut places = Vec::new();
    let mut slots = vec![0_u8; layout::SLOTS * layout::SLOT_BYTES];
    for (rank, token) in (0_u32..).zip(&tokens) {
        places.extend(u32::try_from(bytes.len())?.to_le_bytes());
        bytes.push(u8::try_from(token.len())?);
        bytes.extend(token);
        let mut slot = layout::first_slot(token);
        while layout::read(&slots, slot) != 0 {
            slot = layout::next_slot(slot);
        }
        // An empty slot is 0, so ranks are stored plus one.
        let at = slot * layout::SLOT_BYTES;
        slots[at..at + layout::SLOT_BYTES].copy_from_slice(&(rank + 1).to_le_bytes());
    }
    let out = env::var("OUT_DIR")?;
    for (name, content) in [("tokens", bytes), ("places", places), ("slots", slots)] {
        fs::write(Path::new(&out).join(name), content)?;
    }
    Ok(())
}

/// All tokens, ordered by rank.
fn tokens(merges: &[u8]) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let (single, merges) = merges.split_at_checked(SINGLE).ok_or("there are fewer tokens than bytes")?;
    let mut tokens: Vec<Vec<u8>> = single.iter().map(|byte| vec![*byte]).collect();
    for merge in merges.chunks(MERGE_BYTES) {
        let pair = merge.iter().rev().fold(0_u64, |pair, byte| pair << 8 | u64::from(*byte));
        let part = |rank: u64| tokens.get(usize::try_from(rank).ok()?).cloned();
        let parts = part(pair & ((1 << RANK_BITS) - 1)).zip(part(pair >> RANK_BITS));
        let (first, second) = parts.ok_or("a token is made of one that comes after it")?;
        tokens.push([first, second].concat());
    }
    Ok(tokens)
}
