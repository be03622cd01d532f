//! What a message asks for, piece by piece. A message may ask for several things at once: "what time is it and what is
//! 3*4" is two calls. A piece is recognised in full or not at all; what is not recognised is said to be so.

use std::ops::Range;

use super::{
    Scene, Step, apps, arithmetic, artifacts, clock, courtesy, direct, notes,
    recall::{self, COMMANDS},
    sentences, summary, tools, units,
    words::Clause,
};

/// Longer messages are texts rather than requests; they are read as one piece.
const PIECES_BYTES_MAX: usize = 2_000;
const SENTENCES_MAX: usize = 8;
/// More than this nobody joins with "and".
const JOINED_MAX: usize = 8;

/// What a message asks for.
#[derive(Debug, Default, PartialEq)]
pub struct Reading {
    /// What to do and say, in order.
    pub steps: Vec<Step>,
    /// Whether some of it was not understood.
    pub has_rest: bool,
}

/// Reads a message.
pub fn read(text: &str, scene: &Scene<'_>) -> Reading {
    if let Some(step) = with_text(text, scene) {
        return Reading { steps: vec![step], has_rest: false };
    }
    let mut reading = Reading::default();
    // Where the note begins that the sentence before belongs to.
    let mut note = None;
    for place in pieces(text) {
        match sentence(&text[place.clone()], scene) {
            Some(steps) => {
                note = notes::kept(&Clause::new(&text[place.clone()])).map(|_| place.start);
                reading.add(steps);
            }
            None => match note.and_then(|start| longer_note(text, start, place.clone(), scene)) {
                Some(step) => {
                    reading.steps.pop();
                    reading.steps.push(step);
                }
                None => {
                    note = None;
                    reading.has_rest = true;
                }
            },
        }
    }
    reading
}

/// The sentences of a message, or all of it where it is a text rather than a request.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let places = if text.len() <= PIECES_BYTES_MAX { sentences::places(text) } else { Vec::new() };
    let is_request = (1..=SENTENCES_MAX).contains(&places.len());
    if is_request { places } else { std::iter::once(0..text.len()).collect() }
}

impl Reading {
    /// Nothing is done or said twice.
    fn add(&mut self, steps: Vec<Step>) {
        for step in steps {
            if !self.steps.contains(&step) {
                self.steps.push(step);
            }
        }
    }
}

/// Requests that bring a text along, which may hold anything.
fn with_text(text: &str, scene: &Scene<'_>) -> Option<Step> {
    let clause = Clause::new(text);
    if notes::announced(&clause).is_some() {
        return notes::recognise(&clause, scene);
    }
    let called = || text.contains('{').then(|| direct::recognise(&clause, scene)).flatten();
    artifacts::save(&clause, scene).or_else(|| summary::of_given(&clause)).or_else(called)
}

/// A note goes on in the next sentence, unless that asks for something.
fn longer_note(text: &str, start: usize, place: Range<usize>, scene: &Scene<'_>) -> Option<Step> {
    if Clause::new(&text[place.clone()]).begins(COMMANDS).is_some() {
        return None;
    }
    notes::recognise(&Clause::new(&text[start..place.end]), scene)
}

/// What a sentence asks for.
fn sentence(text: &str, scene: &Scene<'_>) -> Option<Vec<Step>> {
    let clause = Clause::new(text);
    if let Some(step) = deed(&clause, scene) {
        return Some(vec![step]);
    }
    joined(&clause, scene).or_else(|| talk(text, &clause, scene).map(|step| vec![step]))
}

/// Things that are done with tools, or would be.
fn deed(clause: &Clause<'_>, scene: &Scene<'_>) -> Option<Step> {
    arithmetic::recognise(clause, scene)
        .or_else(|| units::recognise(clause, scene))
        .or_else(|| clock::recognise(clause, scene))
        .or_else(|| notes::recognise(clause, scene))
        .or_else(|| artifacts::recognise(clause, scene))
        .or_else(|| apps::recognise(clause, scene))
        .or_else(|| direct::recognise(clause, scene))
}

/// Things that are answered from what is at hand.
fn talk(text: &str, clause: &Clause<'_>, scene: &Scene<'_>) -> Option<Step> {
    let noted = || notes::noted(scene.prompt).filter(|_| !clause.is_marked_as_question()).map(Step::Say);
    courtesy::recognise(&Clause::plain(text), scene)
        .or_else(|| courtesy::recognise(clause, scene))
        .or_else(|| summary::recognise(clause, scene))
        .or_else(|| recall::recognise(clause, scene))
        .or_else(noted)
}

/// Requests joined by "and", if each of them is one and at least one takes a tool.
fn joined(clause: &Clause<'_>, scene: &Scene<'_>) -> Option<Vec<Step>> {
    let joints: Vec<_> = clause.words().iter().filter(|word| word.text == "and").collect();
    if joints.is_empty() || joints.len() > JOINED_MAX {
        return None;
    }
    let ends = joints.iter().map(|word| (word.start, word.end)).chain([(clause.text.len(), clause.text.len())]);
    let (mut steps, mut start, mut has_deed) = (Vec::new(), 0, false);
    let mut is_open = false;
    for (end, next) in ends {
        let piece = clause.text[start..end].trim_matches([' ', ',', ';']);
        let inner = Clause::new(piece);
        let is_after_time = matches!(steps.last(), Some(Step::Call { tool, .. }) if tool == tools::CURRENT_TIME);
        let place = || is_after_time.then(|| clock::another_place(&inner, scene)).flatten();
        let deed = deed(&inner, scene).or_else(place);
        has_deed |= deed.is_some();
        // What is no request yet may become one with the next piece: "the sum of 3 and 4".
        match deed.or_else(|| talk(piece, &inner, scene)) {
            Some(step) => {
                steps.push(step);
                (start, is_open) = (next, false);
            }
            None => is_open = true,
        }
    }
    (has_deed && !is_open).then_some(steps)
}
