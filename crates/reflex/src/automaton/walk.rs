//! Reads a text with the automaton: which sentences it may be.

use super::states::{Reached, Standing, States};
use super::{Automaton, SentenceId};
use crate::lattice::Lattice;

/// The sentences that a text may be, in their order.
pub(crate) fn sentences(automaton: &Automaton, states: &mut States, lattice: &mut Lattice<'_>) -> Vec<SentenceId> {
    let text = lattice.text();
    // Where values end, and where that leads.
    let mut arrivals: Vec<Vec<Reached>> = vec![Vec::new(); text.len() + 1];
    let mut standing = Standing::default();
    let mut after = Standing::default();
    standing.add(states.start(automaton));
    for (at, &next) in text.iter().enumerate() {
        arrive(&mut standing, &mut arrivals, at);
        after.clear();
        for &now in standing.sets() {
            for place in 0..states.exits(now).len() {
                let Some(&exit) = states.exits(now).get(place) else { break };
                let mut to = None;
                lattice.each(at, exit.list, exit.is_fresh, |_, end, _| {
                    let to = *to.get_or_insert_with(|| states.leave(automaton, now, place));
                    if let Some(arrivals) = arrivals.get_mut(end)
                        && !arrivals.contains(&to)
                    {
                        arrivals.push(to);
                    }
                });
            }
            after.add(states.step(automaton, now, next));
        }
        std::mem::swap(&mut standing, &mut after);
    }
    arrive(&mut standing, &mut arrivals, text.len());

    let mut ended: Vec<SentenceId> = Vec::new();
    for &now in standing.sets() {
        ended.extend_from_slice(&states.ended(automaton, now));
    }
    ended.sort_unstable();
    ended.dedup();
    ended
}

fn arrive(standing: &mut Standing, arrivals: &mut [Vec<Reached>], at: usize) {
    if let Some(arrived) = arrivals.get_mut(at) {
        arrived.drain(..).for_each(|reached| standing.add(reached));
    }
}
