//! Plans the reply to a message, piece by piece. A message may ask for several things at once:
//! "what time is it and what is 3*4" is two calls. A piece is recognised in full or not at all; the
//! reply says what was not recognised.

use std::ops::Range;

use super::{
    PromptContext, ReplyStep, apps, arithmetic, artifacts, clock, courtesy, direct, fallback, notes,
    recall::{self, COMMANDS},
    sentences, summary, tools, units,
    words::Clause,
};

/// Longer messages are texts rather than requests; they are parsed as one piece.
const PIECES_BYTES_MAX: usize = 2_000;
const SENTENCES_MAX: usize = 8;
/// The most requests joined with "and".
const JOINED_MAX: usize = 8;

/// The reply to a message, before its calls are made.
#[derive(Debug, Default, PartialEq)]
pub struct ReplyPlan {
    /// Calls and answers, in order.
    pub steps: Vec<ReplyStep>,
    /// Whether some of it was not understood.
    pub has_rest: bool,
}

/// Plans the reply to a message.
pub fn read(text: &str, scene: &PromptContext<'_>) -> ReplyPlan {
    if let Some(step) = with_text(text, scene) {
        return ReplyPlan { steps: vec![step], has_rest: false };
    }
    let mut reading = ReplyPlan::default();
    // The start of the note that the previous sentence belongs to.
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
    // A greeting alone is answered with what to try; beside a request it takes one word.
    if !reading.has_rest && reading.steps == [ReplyStep::Say(courtesy::HELLO.to_owned())] {
        let text = format!("{} {}", courtesy::HELLO, fallback::suggestions(scene.prompt));
        reading.steps = vec![ReplyStep::Say(text)];
    }
    reading
}

/// The sentences of a message, or all of it if it is a text rather than a request.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let places = if text.len() <= PIECES_BYTES_MAX { sentences::places(text) } else { Vec::new() };
    let is_request = (1..=SENTENCES_MAX).contains(&places.len());
    if is_request { places } else { std::iter::once(0..text.len()).collect() }
}

impl ReplyPlan {
    /// Adds steps, each of them once.
    fn add(&mut self, steps: Vec<ReplyStep>) {
        for step in steps {
            if !self.steps.contains(&step) {
                self.steps.push(step);
            }
        }
    }
}

/// Requests that contain a text, which may be anything.
fn with_text(text: &str, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    let clause = Clause::new(text);
    if notes::announced(&clause).is_some() {
        return notes::recognise(&clause, scene);
    }
    let called = || text.contains('{').then(|| direct::recognise(&clause, scene)).flatten();
    artifacts::save(&clause, scene).or_else(|| summary::of_given(&clause)).or_else(called)
}

/// A note continues in the next sentence, unless that is a request.
fn longer_note(text: &str, start: usize, place: Range<usize>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    if Clause::new(&text[place.clone()]).begins(COMMANDS).is_some() {
        return None;
    }
    notes::recognise(&Clause::new(&text[start..place.end]), scene)
}

/// What a sentence asks for.
fn sentence(text: &str, scene: &PromptContext<'_>) -> Option<Vec<ReplyStep>> {
    let clause = Clause::new(text);
    if let Some(step) = deed(&clause, scene) {
        return Some(vec![step]);
    }
    joined(&clause, scene).or_else(|| talk(text, &clause, scene).map(|step| vec![step]))
}

/// Requests that need a tool.
fn deed(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    arithmetic::recognise(clause, scene)
        .or_else(|| units::recognise(clause, scene))
        .or_else(|| clock::recognise(clause, scene))
        .or_else(|| notes::recognise(clause, scene))
        .or_else(|| artifacts::recognise(clause, scene))
        .or_else(|| apps::recognise(clause, scene))
        .or_else(|| direct::recognise(clause, scene))
}

/// Requests that are answered without a tool.
fn talk(text: &str, clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    let noted = || notes::noted(scene.prompt).filter(|_| !clause.is_marked_as_question()).map(ReplyStep::Say);
    courtesy::recognise(&Clause::plain(text), scene)
        .or_else(|| courtesy::recognise(clause, scene))
        .or_else(|| summary::recognise(clause, scene))
        .or_else(|| recall::recognise(clause, scene))
        .or_else(noted)
}

/// Requests joined by "and", if each part is a request and at least one needs a tool.
fn joined(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<Vec<ReplyStep>> {
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
        let is_after_time = matches!(steps.last(), Some(ReplyStep::Call { tool, .. }) if tool == tools::CURRENT_TIME);
        let place = || is_after_time.then(|| clock::another_place(&inner, scene)).flatten();
        let deed = deed(&inner, scene).or_else(place);
        has_deed |= deed.is_some();
        // An incomplete request may become one with the next piece: "the sum of 3 and 4".
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
