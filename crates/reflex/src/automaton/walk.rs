//! Runs the automaton over a text: which sentences may match.

use super::states::{ActiveStates, NextStates, StateCache};
use super::{Automaton, SentenceId};
use crate::lattice::Lattice;

/// The sentences that may match a text, in order.
pub(crate) fn sentences(automaton: &Automaton, states: &mut StateCache, lattice: &mut Lattice<'_>) -> Vec<SentenceId> {
    let text = lattice.text();
    // The transitions at the end of each value, by position.
    let mut arrivals: Vec<Vec<NextStates>> = vec![Vec::new(); text.len() + 1];
    let mut active = ActiveStates::default();
    let mut after = ActiveStates::default();
    active.add(states.start(automaton));
    for (at, &next) in text.iter().enumerate() {
        arrive(&mut active, &mut arrivals, at);
        after.clear();
        for &now in active.sets() {
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
        std::mem::swap(&mut active, &mut after);
    }
    arrive(&mut active, &mut arrivals, text.len());

    let mut ended: Vec<SentenceId> = Vec::new();
    for &now in active.sets() {
        ended.extend_from_slice(&states.ended(automaton, now));
    }
    ended.sort_unstable();
    ended.dedup();
    ended
}

fn arrive(active: &mut ActiveStates, arrivals: &mut [Vec<NextStates>], at: usize) {
    if let Some(arrived) = arrivals.get_mut(at) {
        arrived.drain(..).for_each(|reached| active.add(reached));
    }
}
