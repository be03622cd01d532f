//! The research itself: questions, sources side by side, passages in the order of their worth, notes with marks.
//!
//! It goes in rounds. [`gather`] asks every source and reads what it names, telling each as it happens; [`rank`] puts the
//! passages in order and drops those that say the same; [`thought`] has a language model divide the question, find gaps and
//! contradictions, and write the notes. Without a model the [`notes`] are the sources' own sentences.

mod alike;
mod gather;
mod notes;
mod rank;
mod sentences;
mod subject;
mod thought;

use std::{sync::Arc, time::Duration};

use gather::{Gathering, Read};
use memory::embedding::Embedder;
use protocol::{Citation, OwnerId, Passage, PassageId, Research, ResearchDone, ResearchStarted, SourceKind, Timestamp};
use rank::Candidate;
use sha2::{Digest, Sha256};
use thought::Distilled;
use tokio::time::Instant;
use tools::Study;

use crate::source::Source;

/// How far research may go.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How many sources are read at most, in all rounds together.
    pub sources_max: usize,
    /// How long finding and reading may take, in all rounds together.
    pub time: Duration,
    /// How many passages are kept.
    pub passages_max: usize,
}

/// The most sources that anybody may ask for.
pub const SOURCES_MAX: usize = 15;

const NO_SOURCE: &str = "There is no source to look in: the library has no documents (`dwell library add FOLDER`), and no \
                         search of the web is configured (`research.searxng_url`, `research.brave_api_key`).";
const NOT_FOLLOWED: &str = "The addresses in the question were not followed: they may come from what was read before.";

impl Default for Options {
    fn default() -> Self {
        Self { sources_max: SOURCES_MAX, time: Duration::from_secs(60), passages_max: 12 }
    }
}

/// What is asked, by whom, and who hears of it.
pub struct Brief<'a> {
    /// Whose library is looked into.
    pub owner: &'a OwnerId,
    /// The question.
    pub query: &'a str,
    /// The call that asks.
    pub call_id: &'a str,
    /// Its place among the calls of the turn: marks of two calls are never the same.
    pub place: usize,
    /// Whether the question is surely the asker's own: then addresses in it are followed.
    pub is_own: bool,
    /// How many sources are read at most.
    pub sources_max: usize,
    /// The present moment.
    pub now: Timestamp,
    /// Who is told, and who thinks.
    pub study: &'a dyn Study,
    /// Who hears how far it is, in words.
    pub say: &'a (dyn Fn(String) + Send + Sync),
}

/// Somebody who does research.
pub struct Researcher {
    sources: Vec<Arc<dyn Source>>,
    embedder: Option<Arc<dyn Embedder>>,
    options: Options,
}

impl Researcher {
    /// With these sources, and somebody who says what texts mean.
    pub fn new(sources: Vec<Arc<dyn Source>>, embedder: Option<Arc<dyn Embedder>>, options: Options) -> Self {
        Self { sources, embedder, options }
    }

    /// Whether a search would send the question out of the house.
    pub fn sends_out(&self) -> bool {
        self.sources.iter().any(|source| source.kind() == SourceKind::Search && source.sends_out())
    }

    /// Looks for sources and says what they say. What came of it is told before it is given.
    pub async fn run(&self, brief: &Brief<'_>) -> ResearchDone {
        let sources = self.of_use(brief).await;
        let deadline = Instant::now() + self.options.time;
        let questions = match sources.is_empty() {
            true => vec![subject::of(brief.query)],
            false => thought::divide(brief).await,
        };
        let sources_max = brief.sources_max.min(self.options.sources_max).max(1);
        let started = ResearchStarted {
            call_id: brief.call_id.to_owned(),
            query: brief.query.to_owned(),
            // The question itself is no part of itself.
            questions: questions.iter().skip(1).cloned().collect(),
            sources: sources.iter().map(|source| source.name().to_owned()).collect(),
            sources_max: u32::try_from(sources_max).unwrap_or(u32::MAX),
        };
        brief.study.tell(Research::Started(started)).await;
        let mut done = match sources.is_empty() {
            true => ResearchDone { notices: vec![NO_SOURCE.to_owned()], ..empty(brief.call_id) },
            false => self.look(brief, &sources, questions, sources_max, deadline).await,
        };
        if !brief.is_own && subject::has_address(brief.query) {
            done.notices.push(NOT_FOLLOWED.to_owned());
        }
        brief.study.tell(Research::Done(done.clone())).await;
        done
    }

    /// The sources that have something for this owner and this question.
    async fn of_use(&self, brief: &Brief<'_>) -> Vec<Arc<dyn Source>> {
        let names_pages = brief.is_own && subject::has_address(brief.query);
        let mut sources = Vec::new();
        for source in &self.sources {
            let is_wanted = source.kind() != SourceKind::Page || names_pages;
            if is_wanted && source.is_there(brief.owner).await {
                sources.push(source.clone());
            }
        }
        sources
    }

    async fn look(
        &self,
        brief: &Brief<'_>,
        sources: &[Arc<dyn Source>],
        mut questions: Vec<String>,
        sources_max: usize,
        deadline: Instant,
    ) -> ResearchDone {
        let mut gathering = Gathering::new(brief, sources, deadline);
        let can_think = brief.study.can_think();
        // A second round needs something left to look at.
        let first_max = if can_think { (sources_max * 2).div_ceil(3) } else { sources_max };
        gathering.round(&questions, first_max).await;
        let mut passages = self.passages(brief, &gathering.read, &questions).await;
        let mut distilled = thought::distil(brief, &questions, &passages).await;
        let left = sources_max.saturating_sub(gathering.found());
        if let Some(Distilled { next, .. }) = &distilled
            && !next.is_empty()
            && left > 0
            && Instant::now() < deadline
        {
            let next = next.clone();
            (brief.say)(format!("looking again: {}", next.join("; ")));
            gathering.round(&next, left).await;
            questions.extend(next);
            passages = self.passages(brief, &gathering.read, &questions).await;
            distilled = thought::distil(brief, &questions, &passages).await.or(distilled);
        }
        let mut done = gathering.done();
        match distilled {
            Some(distilled) => {
                done.notes = distilled.notes;
                done.contradictions = distilled.contradictions;
                done.open_questions = distilled.open;
            }
            None => {
                done.notes = notes::extract(&questions, &passages, self.embedder.clone(), brief.now).await;
                if can_think && !passages.is_empty() {
                    done.notices
                        .push("The language model could not be asked; these are the sources' own words.".to_owned());
                }
            }
        }
        if passages.is_empty() && done.read > 0 {
            done.notices.push("Nothing in what was read fits the question.".to_owned());
        }
        done.citations = cited(&done.notes, &passages);
        done.passages = passages;
        done.usage = Some(brief.study.spent()).filter(|usage| usage.tokens() > 0);
        done
    }

    /// The best passages of what was read, with their marks.
    async fn passages(&self, brief: &Brief<'_>, read: &[Read], questions: &[String]) -> Vec<Passage> {
        let candidates = read.iter().enumerate().flat_map(|(source, read)| {
            read.reading.passages.iter().map(move |text| Candidate { source, text: text.clone() })
        });
        let candidates: Vec<Candidate> = candidates.collect();
        let named = read.iter().position(|read| read.kind == SourceKind::Page);
        let best = rank::best(candidates, questions.to_vec(), self.embedder.clone(), brief.now).await;
        let best = rank::pick(best, read.len(), self.options.passages_max);
        let best = match (best.is_empty(), named) {
            // Who names a page wants to hear of it, whatever it says.
            (true, Some(source)) => {
                let first = read[source].reading.passages.iter().take(3);
                first.map(|text| Candidate { source, text: text.clone() }).collect()
            }
            _ => best,
        };
        let marked = best.into_iter().zip(1_usize..);
        marked.map(|(candidate, number)| passage(brief, &read[candidate.source], candidate.text, number)).collect()
    }
}

fn passage(brief: &Brief<'_>, read: &Read, text: String, number: usize) -> Passage {
    let source = read.reading.address.clone();
    Passage {
        passage_id: passage_id(&source, &text),
        mark: mark(brief.place, number),
        title: read.title().to_owned(),
        source,
        kind: read.kind,
        text,
        published: read.reading.published.clone().or_else(|| read.published.clone()),
        read_at: brief.now,
    }
}

/// The same words in the same source have the same id.
fn passage_id(source: &str, text: &str) -> PassageId {
    let mut hash = Sha256::new_with_prefix("passage\0");
    hash.update(source.as_bytes());
    hash.update([0]);
    hash.update(text.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    PassageId::from_bytes(bytes)
}

/// `1` for the first call of a turn, `b1` for the second, and so on.
fn mark(place: usize, number: usize) -> String {
    let mut letters = String::new();
    let mut place = place;
    while place > 0 {
        let letter = u8::try_from(place % 26).map_or('z', |letter| char::from(b'a' + letter));
        letters.insert(0, letter);
        place /= 26;
    }
    format!("{letters}{number}")
}

/// The sources that notes cite, in their order.
fn cited(notes: &str, passages: &[Passage]) -> Vec<Citation> {
    let place = |passage: &&Passage| notes.find(&format!("[{}]", passage.mark));
    let mut cited: Vec<&Passage> = passages.iter().filter(|passage| place(passage).is_some()).collect();
    cited.sort_by_key(place);
    cited.into_iter().map(citation).collect()
}

/// A passage as it is cited.
pub fn citation(passage: &Passage) -> Citation {
    Citation {
        mark: Some(passage.mark.clone()),
        passage_id: Some(passage.passage_id),
        ..Citation::of(passage.title.clone(), passage.source.clone())
    }
}

fn empty(call_id: &str) -> ResearchDone {
    ResearchDone {
        call_id: call_id.to_owned(),
        notes: String::new(),
        citations: Vec::new(),
        passages: Vec::new(),
        contradictions: Vec::new(),
        open_questions: Vec::new(),
        found: 0,
        read: 0,
        failed: 0,
        rounds: 0,
        notices: Vec::new(),
        usage: None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn marks_of_two_calls_are_never_the_same() {
        assert_eq!([mark(0, 1), mark(0, 12), mark(1, 1), mark(25, 3)], ["1", "12", "b1", "z3"]);
        let all: BTreeSet<String> = (0..100).flat_map(|place| (1..20).map(move |number| mark(place, number))).collect();
        assert_eq!(all.len(), 100 * 19);
    }

    #[test]
    fn the_same_words_elsewhere_are_another_passage() {
        assert_eq!(passage_id("a", "x"), passage_id("a", "x"));
        assert_ne!(passage_id("a", "x"), passage_id("b", "x"));
        assert_ne!(passage_id("a", "x"), passage_id("a", "y"));
    }
}
