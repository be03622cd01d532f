//! Chooses among the ways to account for a text.

use super::cover::{Cover, Piece, SCALE};

/// Costs that differ by no more than this count as equal, if something was corrected.
const ABOUT: u32 = 3 * SCALE;

/// The result of the choice.
pub(super) enum Choice<M> {
    Clear(M, Vec<(String, String)>),
    /// Several are about as likely.
    Ambiguous(Vec<M>, Vec<(String, String)>),
    Nothing,
}

/// The cheapest meaning, if no other is about as likely.
///
/// Two different actions are never told apart by a letter: with `is_opposed`, a correction is
/// ambiguous whatever the other one costs.
pub(super) fn choose<M: PartialEq>(
    mut covers: Vec<Cover>,
    meaning: impl Fn(&[Piece]) -> Option<M>,
    is_opposed: impl Fn(&M, &M) -> bool,
) -> Choice<M> {
    covers.sort_by_key(|cover| (!cover.slips.is_empty(), cover.cost));
    let mut best: Option<(Cover, M)> = None;
    let mut rivals: Vec<M> = Vec::new();
    for cover in covers {
        if let Some((first, known)) = &best {
            let is_exact = first.slips.is_empty();
            // What was said exactly is not corrected.
            if is_exact && (!cover.slips.is_empty() || cover.cost > first.cost) {
                break;
            }
            let is_near = is_exact || cover.cost <= first.cost + ABOUT;
            // The same correction, read otherwise, is not another one.
            let is_other = is_exact || cover.text != first.text;
            let is_rival = |other: &M| is_other && other != known && (is_near || is_opposed(known, other));
            if let Some(rival) = meaning(&cover.pieces).filter(is_rival).filter(|it| !rivals.contains(it)) {
                rivals.push(rival);
            }
        } else if let Some(found) = meaning(&cover.pieces) {
            best = Some((cover, found));
        }
    }
    match best {
        None => Choice::Nothing,
        Some((cover, meaning)) if rivals.is_empty() => Choice::Clear(meaning, cover.slips),
        Some((cover, meaning)) => {
            rivals.insert(0, meaning);
            Choice::Ambiguous(rivals, cover.slips)
        }
    }
}
