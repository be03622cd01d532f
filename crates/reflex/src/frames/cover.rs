//! All ways to account for every word of a text.

use super::lexicon::{Lexicon, Role};
use super::names::{FrameName, FrameNames};
use super::slips::{self, Spelling};
use super::tokens::FrameToken;

/// The number of ways that are looked at.
const MOST_COVERS: usize = 600;
/// The number of steps in search of them.
const MOST_STEPS: usize = 20_000;
/// The number of words of a name.
const LONGEST_NAME: usize = 8;
/// The cost of a name that is given in part.
const PARTIAL: u32 = 4;
/// The cost of every part: one long name is more likely than two short ones.
const EACH: u32 = 1;
/// One unit of cost, in the smaller unit of the number of parts.
pub(super) const SCALE: u32 = 64;
/// The number of names that a part of a name may stand for.
const MOST_PARTIAL: usize = 12;

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    /// A word with a role.
    Word(Role),
    /// Things with this name.
    Name(Vec<String>),
    /// Things with this word in their names.
    Partial(Vec<String>),
    /// An area.
    Area(String),
    Number(f64),
    /// What is added to a list.
    Item(String),
    /// A comma.
    Pause,
}

/// One way to account for all words.
#[derive(Debug, Clone)]
pub(super) struct Cover {
    pub cost: u32,
    pub pieces: Vec<Piece>,
    pub slips: Vec<(String, String)>,
    /// The text with its corrections.
    pub text: String,
}

/// A step from one position in the text to another.
#[derive(Debug, Clone)]
struct CoverStep {
    end: usize,
    cost: u32,
    pieces: Vec<Piece>,
    slip: Option<(String, String)>,
}

impl CoverStep {
    /// Whether it is a list.
    fn is_list(&self) -> bool {
        self.pieces.iter().any(|piece| match piece {
            Piece::Word(role) => role.group == "kind" && role.name == "list",
            Piece::Name(ids) => ids.iter().all(|id| id.starts_with("todo.")),
            _ => false,
        })
    }

    /// Whether it is a verb that puts something on a list.
    fn adds(&self) -> bool {
        self.pieces.iter().any(|piece| {
            matches!(piece, Piece::Word(role) if role.group == "verb" && role.name == "put"
                || role.group == "act" && role.name == "add")
        })
    }
}

/// All ways to account for every word, for a question or for commands.
pub(super) fn covers(lexicon: &Lexicon, names: &FrameNames, tokens: &[FrameToken], asks: bool) -> Vec<Cover> {
    let coverer = Coverer { lexicon, names, tokens, asks };
    let mut steps: Vec<Vec<CoverStep>> = (0..tokens.len()).map(|at| coverer.exact(at)).collect();
    // A text has one slip at most: it is looked for only where what is before it is understood. Of
    // an item on a list nothing is known beforehand.
    let may_add = !asks && steps.iter().flatten().any(|step| step.is_list() || step.adds());
    let begins = begins(&steps);
    for (at, begins) in begins.into_iter().enumerate().take(tokens.len()) {
        if begins || may_add {
            coverer.slipped(at, &mut steps[at]);
        }
    }
    if !asks {
        coverer.items(&mut steps);
    }
    for step in &mut steps {
        step.sort_by_key(|step| (step.cost, std::cmp::Reverse(step.end)));
    }
    // A position from which the end cannot be reached is not tried: first without a slip, then
    // with one.
    let reach = reachable(&steps);
    let mut found = Vec::new();
    let mut path = Vec::new();
    let mut left = MOST_STEPS;
    walk(&steps, &reach, tokens, 0, false, &mut path, &mut found, &mut left);
    found
}

/// For every position: whether it can be reached from the beginning without a slip.
fn begins(steps: &[Vec<CoverStep>]) -> Vec<bool> {
    let mut begins = vec![false; steps.len() + 1];
    begins[0] = true;
    for (at, here) in steps.iter().enumerate() {
        if begins[at] {
            here.iter().filter(|step| step.slip.is_none()).for_each(|step| begins[step.end] = true);
        }
    }
    begins
}

/// For every position: whether the end can be reached from it, without a slip and with one.
fn reachable(steps: &[Vec<CoverStep>]) -> Vec<[bool; 2]> {
    let mut reach = vec![[false; 2]; steps.len() + 1];
    if let Some(last) = reach.last_mut() {
        *last = [true; 2];
    }
    for at in (0..steps.len()).rev() {
        let is_reached = |with_slip: bool| {
            steps[at].iter().any(|step| match (&step.slip, with_slip) {
                (None, with_slip) => reach[step.end][usize::from(with_slip)],
                (Some(_), true) => reach[step.end][0],
                (Some(_), false) => false,
            })
        };
        reach[at] = [is_reached(false), is_reached(true)];
    }
    reach
}

#[allow(clippy::too_many_arguments, reason = "a recursion over its own state")]
fn walk<'s>(
    steps: &'s [Vec<CoverStep>],
    reach: &[[bool; 2]],
    tokens: &[FrameToken],
    at: usize,
    has_slipped: bool,
    path: &mut Vec<&'s CoverStep>,
    found: &mut Vec<Cover>,
    left: &mut usize,
) {
    *left = left.saturating_sub(1);
    if *left == 0 || found.len() >= MOST_COVERS {
        return;
    }
    let Some(here) = steps.get(at) else {
        found.push(Cover::of(path, tokens));
        return;
    };
    for step in here {
        let slips = has_slipped || step.slip.is_some();
        if has_slipped && step.slip.is_some() || !reach[step.end][usize::from(!slips)] && !reach[step.end][0] {
            continue;
        }
        path.push(step);
        walk(steps, reach, tokens, step.end, slips, path, found, left);
        path.pop();
    }
}

impl Cover {
    fn of(path: &[&CoverStep], tokens: &[FrameToken]) -> Self {
        let (mut pieces, mut text, mut at) = (Vec::new(), Vec::new(), 0);
        for step in path {
            match &step.slip {
                Some((_, meant)) => text.push(meant.clone()),
                None => text.extend(tokens[at..step.end].iter().map(|token| token.word.clone())),
            }
            at = step.end;
            pieces.extend(step.pieces.iter().cloned());
            let is_last = step.end == tokens.len();
            if !is_last && tokens.get(step.end - 1).is_some_and(|token| token.pauses) {
                pieces.push(Piece::Pause);
            }
        }
        let slips = path.iter().filter_map(|step| step.slip.clone()).collect();
        // Of equal ways, the one with fewer and longer parts.
        let length = u32::try_from(path.len()).unwrap_or(u32::MAX);
        let cost = path.iter().map(|step| step.cost * SCALE).sum::<u32>() + length;
        Self { cost, pieces, slips, text: text.join(" ") }
    }
}

struct Coverer<'a> {
    lexicon: &'a Lexicon,
    names: &'a FrameNames,
    tokens: &'a [FrameToken],
    asks: bool,
}

impl Coverer<'_> {
    /// The groups that occur only in the other kind of sentence.
    fn fits(&self, role: Role) -> bool {
        match role.group {
            "act" | "verb" | "color" | "mode" | "and" | "too" => !self.asks,
            "question" | "state" | "asked" | "measure" => self.asks,
            _ => true,
        }
    }

    /// The steps from here without a slip, but for a space.
    fn exact(&self, at: usize) -> Vec<CoverStep> {
        let mut steps = Vec::new();
        let rest = &self.tokens[at..];
        for (length, role) in self.lexicon.phrases(rest) {
            if self.fits(role) {
                steps.push(plain(at + length, cost_of(role), vec![Piece::Word(role)]));
            }
        }
        if let Some(end) = self.lexicon.reasons.end(self.names, self.tokens, at) {
            steps.push(plain(end, 0, vec![Piece::Word(Role { group: "filler", name: "reason" })]));
        }
        if let Some((length, number)) = self.lexicon.number(rest) {
            steps.push(plain(at + length, EACH, vec![Piece::Number(number)]));
        }
        self.named(at, &mut steps);
        let word = &self.tokens[at].word;
        if !self.lexicon.knows(word) {
            self.enclitic(at, &mut steps);
            self.compound(at, &mut steps);
        }
        steps
    }

    /// The steps from here with a slip.
    fn slipped(&self, at: usize, steps: &mut Vec<CoverStep>) {
        let word = &self.tokens[at].word;
        for (end, content) in self.names_from(at) {
            if content.iter().any(|word| !self.lexicon.knows(word) && !self.names.knows(word)) {
                self.similar(end, &content, &content.concat(), steps);
            }
        }
        if !self.lexicon.knows(word) && !self.names.knows(word) {
            self.misspelled(at, steps);
        }
    }

    /// What may be names that begin here: where each ends, and its words.
    fn names_from(&self, at: usize) -> Vec<(usize, Vec<String>)> {
        let mut found = Vec::new();
        if self.lexicon.is_small(&self.tokens[at].word) && !self.names.knows(&self.tokens[at].word) {
            return found;
        }
        let mut content: Vec<String> = Vec::new();
        for end in at + 1..=self.tokens.len().min(at + LONGEST_NAME) {
            let token = &self.tokens[end - 1];
            let is_small = self.lexicon.is_small(&token.word);
            if !is_small || self.names.knows(&token.word) && content.is_empty() {
                content.push(token.word.clone());
            } else if end > at + 1 {
                // A small word inside of a name.
                continue;
            }
            found.push((end, content.clone()));
            if token.pauses {
                break;
            }
        }
        found
    }

    /// Names that begin here: exactly, with another space, or in part.
    fn named(&self, at: usize, steps: &mut Vec<CoverStep>) {
        for (end, content) in self.names_from(at) {
            for name in self.names.spelled(&content.concat()) {
                let is_spaced = name.words == content;
                let slip = (!is_spaced).then(|| (content.join(" "), name.words.join(" ")));
                let cost = EACH + if is_spaced { 0 } else { slips::SPACE };
                steps.extend(pieces_of(name).into_iter().map(|piece| CoverStep {
                    end,
                    cost,
                    pieces: vec![piece],
                    slip: slip.clone(),
                }));
            }
            self.partial(end, &content, steps);
        }
    }

    fn similar(&self, end: usize, content: &[String], letters: &str, steps: &mut Vec<CoverStep>) {
        let said = Spelling::of(letters);
        for name in &self.names.all {
            if name.letters.len().abs_diff(letters.len()) > 3 || name.letters == letters {
                continue;
            }
            // Words that are known are not corrected; only those that are not may be wrong.
            let is_kept = |word: &String| self.lexicon.knows(word) && name.letters.len() > word.len();
            let keeps = content.iter().filter(|word| is_kept(word)).all(|word| name.letters.contains(word.as_str()));
            let Some(cost) = said.cost(self.lexicon, &name.spelling, true).filter(|_| keeps) else {
                continue;
            };
            let slip = Some((content.join(" "), name.words.join(" ")));
            steps.extend(pieces_of(name).into_iter().map(|piece| CoverStep {
                end,
                cost: EACH + cost,
                pieces: vec![piece],
                slip: slip.clone(),
            }));
        }
    }

    /// "the sprinkler" for the lawn sprinkler.
    fn partial(&self, end: usize, content: &[String], steps: &mut Vec<CoverStep>) {
        let is_named = |word: &String| self.names.knows(word);
        let is_own = content.iter().any(|word| !self.lexicon.knows(word));
        if content.is_empty() || !content.iter().all(is_named) || !is_own {
            return;
        }
        let is_head = |name: &&&FrameName| {
            let head = if self.lexicon.head_last { name.words.last() } else { name.words.first() };
            self.asks || head.is_some_and(|head| content.contains(head))
        };
        let with = self.names.with_words(content);
        let meant: Vec<String> =
            with.iter().filter(|name| !name.is_area).filter(is_head).flat_map(|name| name.ids.clone()).collect();
        if !meant.is_empty() && meant.len() <= MOST_PARTIAL {
            steps.push(plain(end, EACH + PARTIAL, vec![Piece::Partial(meant)]));
        }
    }

    /// `apágalo`, `ponme`.
    fn enclitic(&self, at: usize, steps: &mut Vec<CoverStep>) {
        for (verb, is_pronoun) in self.lexicon.enclitic(&self.tokens[at].word) {
            let token = FrameToken { said: verb.to_owned(), word: verb.to_owned(), pauses: false };
            for (_, role) in self.lexicon.phrases(std::slice::from_ref(&token)) {
                if matches!(role.group, "act" | "verb") && self.fits(role) {
                    let mut pieces = vec![Piece::Word(role)];
                    if is_pronoun {
                        pieces.push(Piece::Word(Role { group: "pronoun", name: "it" }));
                    }
                    steps.push(plain(at + 1, EACH, pieces));
                }
            }
        }
    }

    /// `Küchenlicht`: an area and a kind in one word.
    fn compound(&self, at: usize, steps: &mut Vec<CoverStep>) {
        let word = &self.tokens[at].word;
        for area in self.names.all.iter().filter(|name| name.is_area && !self.lexicon.links.is_empty()) {
            let Some(rest) = word.strip_prefix(area.letters.as_str()) else { continue };
            for link in &self.lexicon.links {
                let Some(kind) = rest.strip_prefix(link.as_str()).filter(|kind| !kind.is_empty()) else { continue };
                let token = FrameToken { said: kind.to_owned(), word: kind.to_owned(), pauses: false };
                for (_, role) in self.lexicon.phrases(std::slice::from_ref(&token)) {
                    if matches!(role.group, "kind" | "property") {
                        for piece in pieces_of(area) {
                            steps.push(plain(at + 1, 2 * EACH, vec![piece, Piece::Word(role)]));
                        }
                    }
                }
            }
        }
    }

    fn misspelled(&self, at: usize, steps: &mut Vec<CoverStep>) {
        let word = &self.tokens[at].word;
        let push = |steps: &mut Vec<CoverStep>, role: Role, meant: &str, cost: u32, end: usize, said: &str| {
            if self.fits(role) {
                let slip = Some((said.to_owned(), meant.to_owned()));
                steps.push(CoverStep { end, cost: EACH + cost, pieces: vec![Piece::Word(role)], slip });
            }
        };
        for (role, meant, cost) in self.lexicon.near(word) {
            push(steps, role, meant, cost, at + 1, &self.tokens[at].said);
            // The same word as the first one of a phrase: with "pasa de canción", "paa" is not
            // "para".
            let mut corrected = self.tokens[at..].to_vec();
            meant.clone_into(&mut corrected[0].word);
            for (length, role) in self.lexicon.phrases(&corrected).into_iter().filter(|(length, _)| *length > 1) {
                let text: Vec<&str> = corrected[..length].iter().map(|token| token.word.as_str()).collect();
                push(steps, role, &text.join(" "), cost, at + length, &self.tokens[at].said);
            }
        }
        // Two words that are one.
        if let Some(next) = self.tokens.get(at + 1).filter(|_| !self.tokens[at].pauses) {
            let joined = FrameToken { said: String::new(), word: format!("{word}{}", next.word), pauses: false };
            for (_, role) in self.lexicon.phrases(std::slice::from_ref(&joined)) {
                push(steps, role, &joined.word, slips::SPACE, at + 2, word);
            }
        }
    }

    /// What is added to a list: the words between the verb and the list, or after the list.
    fn items(&self, steps: &mut [Vec<CoverStep>]) {
        let lists: Vec<usize> = (0..steps.len()).filter(|&at| steps[at].iter().any(CoverStep::is_list)).collect();
        let Some(&list) = lists.first() else { return };
        let verbs: Vec<usize> =
            (0..list).flat_map(|at| steps[at].iter().filter(|step| step.adds()).map(|step| step.end)).collect();
        let Some(&verb) = verbs.first() else { return };
        let of = |at: usize, groups: &[&str]| {
            let phrases = self.lexicon.phrases(&self.tokens[at..]);
            phrases.iter().any(|(length, role)| *length == 1 && groups.contains(&role.group))
        };
        // The small words before the list do not belong to the item, nor do those after the verb.
        let mut end = list;
        while end > verb && of(end - 1, &["article", "to", "in", "of"]) {
            end -= 1;
        }
        let mut start = verb;
        while start < end && of(start, &["article", "filler", "partitive", "please", "polite"]) {
            start += 1;
        }
        if start < end && !self.lexicon.has_veto(&self.tokens[..list]) {
            let said: Vec<&str> = self.tokens[start..end].iter().map(|token| token.said.as_str()).collect();
            steps[start].push(plain(end, EACH, vec![Piece::Item(said.join(" "))]));
        }
    }
}

const fn plain(end: usize, cost: u32, pieces: Vec<Piece>) -> CoverStep {
    CoverStep { end, cost, pieces, slip: None }
}

/// Words that say nothing cost nothing.
fn cost_of(role: Role) -> u32 {
    match role.group {
        "filler" | "article" | "of" | "in" | "to" | "please" | "polite" | "asked" => 0,
        // A name is more likely than the kind of thing that is called the same.
        "kind" | "property" => 2 * EACH,
        _ => EACH,
    }
}

fn pieces_of(name: &FrameName) -> Vec<Piece> {
    if name.is_area {
        name.ids.iter().map(|id| Piece::Area(id.clone())).collect()
    } else {
        vec![Piece::Name(name.ids.clone())]
    }
}
