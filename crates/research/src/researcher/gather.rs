//! A round of research: queries all sources with all questions and reads the results concurrently,
//! with an event for each.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use futures::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use protocol::{ChunkStatus, ResearchChunk, ResearchDone, ResearchEvent, SourceKind};
use tokio::time::{Instant, sleep_until};

use super::{ResearchRequest, empty};
use crate::{
    source::{Lead, Source, SourceDocument, SourceError, SourceQuery},
    web::address,
};

/// A source that was read.
pub(super) struct ReadSource {
    pub(super) kind: SourceKind,
    pub(super) reading: SourceDocument,
    /// The date according to the search.
    pub(super) published: Option<String>,
    /// The title according to the search.
    lead_title: String,
}

impl ReadSource {
    /// The source's own title, or else that of the search.
    pub(super) fn title(&self) -> &str {
        let own = self.reading.title.as_deref().filter(|title| !title.trim().is_empty());
        own.unwrap_or(if self.lead_title.trim().is_empty() { &self.reading.address } else { &self.lead_title })
    }
}

/// A lead that is read.
struct SelectedLead {
    number: u32,
    source: usize,
    lead: Lead,
}

type SearchFuture<'a> = BoxFuture<'a, (usize, Result<Vec<Lead>, SourceError>)>;
type ReadFutures<'a> = FuturesUnordered<BoxFuture<'a, (SelectedLead, Result<SourceDocument, SourceError>)>>;

/// Everything that was found and read so far.
pub(super) struct GatherState<'a> {
    request: &'a ResearchRequest<'a>,
    sources: &'a [Arc<dyn Source>],
    deadline: Instant,
    known: HashSet<String>,
    pub(super) read: Vec<ReadSource>,
    found: u32,
    failed: u32,
    rounds: u32,
    notices: Vec<String>,
}

impl<'a> GatherState<'a> {
    pub(super) fn new(request: &'a ResearchRequest<'a>, sources: &'a [Arc<dyn Source>], deadline: Instant) -> Self {
        Self {
            request,
            sources,
            deadline,
            known: HashSet::new(),
            read: Vec::new(),
            found: 0,
            failed: 0,
            rounds: 0,
            notices: Vec::new(),
        }
    }

    pub(super) fn found(&self) -> usize {
        self.found as usize
    }

    /// The counts of the result.
    pub(super) fn done(&mut self) -> ResearchDone {
        ResearchDone {
            found: self.found,
            read: u32::try_from(self.read.len()).unwrap_or(u32::MAX),
            failed: self.failed,
            rounds: self.rounds,
            notices: std::mem::take(&mut self.notices),
            ..empty(self.request.call_id)
        }
    }

    /// Queries all sources with all questions, and reads at most `leads_max` of their leads.
    pub(super) async fn round(&mut self, questions: &[String], leads_max: usize) {
        self.rounds += 1;
        let (sources, request, deadline) = (self.sources, self.request, self.deadline);
        let asking = sources.iter().enumerate().flat_map(|(at, source)| {
            let is_page = source.kind() == SourceKind::Page;
            // Only the user's own question names pages.
            let own = is_page.then_some(request.query);
            let questions = if is_page { &[][..] } else { questions };
            own.into_iter().chain(questions.iter().map(String::as_str)).map(move |question| (at, source, question))
        });
        let mut finds: FuturesUnordered<SearchFuture<'_>> = asking
            .map(|(at, source, question)| {
                let asked = SourceQuery { owner: request.owner, question, limit: leads_max };
                async move { (at, source.find(asked).await) }.boxed()
            })
            .collect();
        // A fast source must not take the places of all others.
        let share = leads_max.div_ceil(finds.len().max(1));
        let mut reserve: VecDeque<(usize, VecDeque<Lead>)> = VecDeque::new();
        let mut going: ReadFutures<'_> = FuturesUnordered::new();
        let mut space = leads_max;
        let mut open: Vec<SelectedLead> = Vec::new();
        while !finds.is_empty() || !going.is_empty() {
            tokio::select! {
                Some((at, found)) = finds.next(), if !finds.is_empty() => {
                    let mut leads = self.heard(at, found);
                    let taken = self.take(at, &mut leads, share.min(space)).await;
                    space -= taken.len();
                    begin(sources, request, &going, &mut open, taken);
                    reserve.push_back((at, leads));
                    if finds.is_empty() {
                        let taken = self.take_in_turn(&mut reserve, space).await;
                        space -= taken.len();
                        begin(sources, request, &going, &mut open, taken);
                    }
                }
                Some((taken, reading)) = going.next(), if !going.is_empty() => {
                    open.retain(|other| other.number != taken.number);
                    self.end(taken, reading).await;
                }
                () = sleep_until(deadline) => {
                    self.notices.push("Not all sources could be read in time.".to_owned());
                    for taken in open.drain(..) {
                        self.end(taken, Err(SourceError("it did not answer in time".to_owned()))).await;
                    }
                    return;
                }
            }
        }
    }

    fn heard(&mut self, at: usize, found: Result<Vec<Lead>, SourceError>) -> VecDeque<Lead> {
        match found {
            Ok(leads) => leads.into(),
            Err(error) => {
                let notice = format!("{}: {error}", self.sources[at].name());
                if !self.notices.contains(&notice) {
                    self.notices.push(notice);
                }
                VecDeque::new()
            }
        }
    }

    /// Selects unknown leads, and reports them.
    async fn take(&mut self, at: usize, leads: &mut VecDeque<Lead>, count: usize) -> Vec<SelectedLead> {
        let mut taken = Vec::new();
        while taken.len() < count
            && let Some(lead) = leads.pop_front()
        {
            if !self.known.insert(same(&lead.address)) {
                continue;
            }
            self.found += 1;
            let lead = SelectedLead { number: self.found, source: at, lead };
            self.tell(&lead, ChunkStatus::Found, |_| {}).await;
            taken.push(lead);
        }
        taken
    }

    /// Fills the remaining places, one lead of each source in turn.
    async fn take_in_turn(
        &mut self,
        reserve: &mut VecDeque<(usize, VecDeque<Lead>)>,
        space: usize,
    ) -> Vec<SelectedLead> {
        let mut taken = Vec::new();
        while taken.len() < space
            && let Some((at, mut leads)) = reserve.pop_front()
        {
            taken.extend(self.take(at, &mut leads, 1).await);
            if !leads.is_empty() {
                reserve.push_back((at, leads));
            }
        }
        taken
    }

    /// Records that a source was read, or failed.
    async fn end(&mut self, taken: SelectedLead, reading: Result<SourceDocument, SourceError>) {
        match reading {
            Ok(reading) => {
                // A redirect may lead to a page that was read already.
                self.known.insert(same(&reading.address));
                self.tell(&taken, ChunkStatus::Read, |chunk| {
                    chunk.passages = Some(u32::try_from(reading.passages.len()).unwrap_or(u32::MAX));
                    chunk.cached = reading.is_cached;
                    if let Some(title) = reading.title.clone().filter(|title| !title.trim().is_empty()) {
                        chunk.title = title;
                    }
                    chunk.source.clone_from(&reading.address);
                })
                .await;
                let kind = self.sources[taken.source].kind();
                let Lead { title: lead_title, published, .. } = taken.lead;
                self.read.push(ReadSource { kind, reading, published, lead_title });
            }
            Err(error) => {
                self.failed += 1;
                self.tell(&taken, ChunkStatus::Failed, |chunk| chunk.reason = Some(error.to_string())).await;
            }
        }
        (self.request.say)(format!("read {} of {} sources", self.read.len(), self.found));
    }

    async fn tell(&self, taken: &SelectedLead, status: ChunkStatus, more: impl FnOnce(&mut ResearchChunk)) {
        let SelectedLead { number, source, lead } = taken;
        let mut chunk = ResearchChunk {
            call_id: self.request.call_id.to_owned(),
            status,
            number: *number,
            round: self.rounds,
            kind: self.sources[*source].kind(),
            title: if lead.title.trim().is_empty() { lead.address.clone() } else { lead.title.clone() },
            source: lead.address.clone(),
            passages: None,
            cached: false,
            reason: None,
        };
        more(&mut chunk);
        self.request.study.report(ResearchEvent::Chunk(chunk)).await;
    }
}

/// Starts to read.
fn begin<'a>(
    sources: &'a [Arc<dyn Source>],
    request: &'a ResearchRequest<'a>,
    going: &ReadFutures<'a>,
    open: &mut Vec<SelectedLead>,
    taken: Vec<SelectedLead>,
) {
    for taken in taken {
        let SelectedLead { number, source, lead } = &taken;
        open.push(SelectedLead { number: *number, source: *source, lead: lead.clone() });
        let source = &sources[*source];
        going.push(
            async move {
                let reading = source.read(request.owner, &taken.lead).await;
                (taken, reading)
            }
            .boxed(),
        );
    }
}

/// A key for the page that an address refers to. Documents of the library have their own.
fn same(address: &str) -> String {
    address::same(address).unwrap_or_else(|| address.to_owned())
}
