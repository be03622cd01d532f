//! The research itself: questions, parallel sources, ranked passages, notes with citations.
//!
//! It runs in rounds. [`gather`] queries every source and reads the results, with an event for
//! each. [`rank`] orders the passages and drops duplicates. [`model_calls`] has a language model
//! divide the question, find gaps and contradictions, and write the notes. Without a model, the
//! [`notes`] are the sources' own sentences.

mod gather;
mod model_calls;
mod notes;
mod rank;
mod sentences;
mod similarity;
mod subject;

use std::{sync::Arc, time::Duration};

use gather::{GatherState, ReadSource};
use memory::embedding::Embedder;
use model_calls::PassageSummary;
use ports::ResearchPort;
use protocol::{
    Citation, OwnerId, Passage, PassageId, ResearchDone, ResearchEvent, ResearchStarted, SourceKind, Timestamp,
};
use rank::Candidate;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use crate::source::Source;

/// Limits of a research.
#[derive(Debug, Clone, Copy)]
pub struct ResearchOptions {
    /// Maximum number of sources that are read, in all rounds together.
    pub sources_max: usize,
    /// Maximum time for finding and reading sources, in all rounds together.
    pub time: Duration,
    /// Maximum number of passages that are kept.
    pub passages_max: usize,
}

/// The largest number of sources that a caller may request.
pub const SOURCES_MAX: usize = 15;

const NO_SOURCE: &str = "There is no source to search: the library has no documents (`dwell library add FOLDER`), and no \
                         web search is configured (`research.searxng_url`, `research.brave_api_key`).";
const NOT_FOLLOWED: &str = "The URLs in the question were not followed, because they may come from untrusted text.";

impl Default for ResearchOptions {
    fn default() -> Self {
        Self { sources_max: SOURCES_MAX, time: Duration::from_secs(60), passages_max: 12 }
    }
}

/// A request for research.
pub struct ResearchRequest<'a> {
    /// The owner whose library is searched.
    pub owner: &'a OwnerId,
    /// The question.
    pub query: &'a str,
    /// Id of the call.
    pub call_id: &'a str,
    /// Index of the call in the turn. It keeps the marks of two calls apart.
    pub place: usize,
    /// Whether the question is certainly the user's own. Only then URLs in it are followed.
    pub is_own: bool,
    /// Maximum number of sources to read.
    pub sources_max: usize,
    /// The current time.
    pub now: Timestamp,
    /// Receives the events, and calls the model.
    pub study: &'a dyn ResearchPort,
    /// Receives progress messages.
    pub say: &'a (dyn Fn(String) + Send + Sync),
}

/// Runs research.
pub struct Researcher {
    sources: Vec<Arc<dyn Source>>,
    embedder: Option<Arc<dyn Embedder>>,
    options: ResearchOptions,
}

impl Researcher {
    /// Uses these sources and this embedding model.
    pub fn new(sources: Vec<Arc<dyn Source>>, embedder: Option<Arc<dyn Embedder>>, options: ResearchOptions) -> Self {
        Self { sources, embedder, options }
    }

    /// Whether a search sends the question to another machine.
    pub fn sends_out(&self) -> bool {
        self.sources.iter().any(|source| source.kind() == SourceKind::Search && source.sends_out())
    }

    /// Finds and reads sources, and summarizes them. The result is also sent as an event before it
    /// is returned.
    pub async fn run(&self, request: &ResearchRequest<'_>) -> ResearchDone {
        let sources = self.of_use(request).await;
        let deadline = Instant::now() + self.options.time;
        let questions = match sources.is_empty() {
            true => vec![subject::of(request.query)],
            false => model_calls::divide(request).await,
        };
        let sources_max = request.sources_max.min(self.options.sources_max).max(1);
        let started = ResearchStarted {
            call_id: request.call_id.to_owned(),
            query: request.query.to_owned(),
            // The first question is the query itself.
            questions: questions.iter().skip(1).cloned().collect(),
            sources: sources.iter().map(|source| source.name().to_owned()).collect(),
            sources_max: u32::try_from(sources_max).unwrap_or(u32::MAX),
        };
        request.study.report(ResearchEvent::Started(started)).await;
        let mut done = match sources.is_empty() {
            true => ResearchDone { notices: vec![NO_SOURCE.to_owned()], ..empty(request.call_id) },
            false => self.look(request, &sources, questions, sources_max, deadline).await,
        };
        if !request.is_own && subject::has_address(request.query) {
            done.notices.push(NOT_FOLLOWED.to_owned());
        }
        request.study.report(ResearchEvent::Done(done.clone())).await;
        done
    }

    /// The sources that can have results for this owner and question.
    async fn of_use(&self, request: &ResearchRequest<'_>) -> Vec<Arc<dyn Source>> {
        let names_pages = request.is_own && subject::has_address(request.query);
        let mut sources = Vec::new();
        for source in &self.sources {
            let is_wanted = source.kind() != SourceKind::Page || names_pages;
            if is_wanted && source.is_there(request.owner).await {
                sources.push(source.clone());
            }
        }
        sources
    }

    async fn look(
        &self,
        request: &ResearchRequest<'_>,
        sources: &[Arc<dyn Source>],
        mut questions: Vec<String>,
        sources_max: usize,
        deadline: Instant,
    ) -> ResearchDone {
        let mut gathering = GatherState::new(request, sources, deadline);
        let can_think = request.study.has_model();
        // Keep a part of the leads for a second round.
        let first_max = if can_think { (sources_max * 2).div_ceil(3) } else { sources_max };
        gathering.round(&questions, first_max).await;
        let mut passages = self.passages(request, &gathering.read, &questions).await;
        let mut distilled = model_calls::summarize(request, &questions, &passages).await;
        let left = sources_max.saturating_sub(gathering.found());
        if let Some(PassageSummary { next, .. }) = &distilled
            && !next.is_empty()
            && left > 0
            && Instant::now() < deadline
        {
            let next = next.clone();
            (request.say)(format!("searching again: {}", next.join("; ")));
            gathering.round(&next, left).await;
            questions.extend(next);
            passages = self.passages(request, &gathering.read, &questions).await;
            distilled = model_calls::summarize(request, &questions, &passages).await.or(distilled);
        }
        let mut done = gathering.done();
        match distilled {
            Some(distilled) => {
                done.notes = distilled.notes;
                done.contradictions = distilled.contradictions;
                done.open_questions = distilled.open;
            }
            None => {
                done.notes = notes::extract(&questions, &passages, self.embedder.clone(), request.now).await;
                if can_think && !passages.is_empty() {
                    done.notices.push(
                        "The language model was not available; the notes are the sources' own sentences.".to_owned(),
                    );
                }
            }
        }
        if passages.is_empty() && done.read > 0 {
            done.notices.push("Nothing in the sources matches the question.".to_owned());
        }
        done.citations = cited(&done.notes, &passages);
        done.passages = passages;
        done.usage = Some(request.study.usage()).filter(|usage| usage.tokens() > 0);
        done
    }

    /// The best passages of the sources that were read, with their marks.
    async fn passages(&self, request: &ResearchRequest<'_>, read: &[ReadSource], questions: &[String]) -> Vec<Passage> {
        let candidates = read.iter().enumerate().flat_map(|(source, read)| {
            read.reading.passages.iter().map(move |text| Candidate { source, text: text.clone() })
        });
        let candidates: Vec<Candidate> = candidates.collect();
        let named = read.iter().position(|read| read.kind == SourceKind::Page);
        let best = rank::best(candidates, questions.to_vec(), self.embedder.clone(), request.now).await;
        let best = rank::pick(best, read.len(), self.options.passages_max);
        let best = match (best.is_empty(), named) {
            // A user who names a page wants its content, whatever it is.
            (true, Some(source)) => {
                let first = read[source].reading.passages.iter().take(3);
                first.map(|text| Candidate { source, text: text.clone() }).collect()
            }
            _ => best,
        };
        let marked = best.into_iter().zip(1_usize..);
        marked.map(|(candidate, number)| passage(request, &read[candidate.source], candidate.text, number)).collect()
    }
}

fn passage(request: &ResearchRequest<'_>, read: &ReadSource, text: String, number: usize) -> Passage {
    let source = read.reading.address.clone();
    Passage {
        passage_id: passage_id(&source, &text),
        mark: mark(request.place, number),
        title: read.title().to_owned(),
        source,
        kind: read.kind,
        text,
        published: read.reading.published.clone().or_else(|| read.published.clone()),
        read_at: request.now,
    }
}

/// The same text in the same source has the same id.
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

/// The sources that the notes cite, in their order.
fn cited(notes: &str, passages: &[Passage]) -> Vec<Citation> {
    let place = |passage: &&Passage| notes.find(&format!("[{}]", passage.mark));
    let mut cited: Vec<&Passage> = passages.iter().filter(|passage| place(passage).is_some()).collect();
    cited.sort_by_key(place);
    cited.into_iter().map(citation).collect()
}

/// A passage as a citation.
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
