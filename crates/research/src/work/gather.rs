//! A round: every source is asked every question, and what they name is read side by side, each told as it happens.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use futures::{FutureExt, StreamExt, future::BoxFuture, stream::FuturesUnordered};
use protocol::{ChunkStatus, Research, ResearchChunk, ResearchDone, SourceKind};
use tokio::time::{Instant, sleep_until};

use super::{Brief, empty};
use crate::{
    source::{Asked, Lead, Reading, Source, SourceError},
    web::address,
};

/// A source that was read.
pub(super) struct Read {
    pub(super) kind: SourceKind,
    pub(super) reading: Reading,
    /// When it was written, as the search says.
    pub(super) published: Option<String>,
    /// What the search calls it.
    lead_title: String,
}

impl Read {
    /// What it calls itself, or what it was found as.
    pub(super) fn title(&self) -> &str {
        let own = self.reading.title.as_deref().filter(|title| !title.trim().is_empty());
        own.unwrap_or(if self.lead_title.trim().is_empty() { &self.reading.address } else { &self.lead_title })
    }
}

/// A lead that was taken up.
struct Taken {
    number: u32,
    source: usize,
    lead: Lead,
}

type Finding<'a> = BoxFuture<'a, (usize, Result<Vec<Lead>, SourceError>)>;
type Going<'a> = FuturesUnordered<BoxFuture<'a, (Taken, Result<Reading, SourceError>)>>;

/// Everything that was found and read so far.
pub(super) struct Gathering<'a> {
    brief: &'a Brief<'a>,
    sources: &'a [Arc<dyn Source>],
    deadline: Instant,
    known: HashSet<String>,
    pub(super) read: Vec<Read>,
    found: u32,
    failed: u32,
    rounds: u32,
    notices: Vec<String>,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(brief: &'a Brief<'a>, sources: &'a [Arc<dyn Source>], deadline: Instant) -> Self {
        Self {
            brief,
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

    /// What came of it, as far as counting goes.
    pub(super) fn done(&mut self) -> ResearchDone {
        ResearchDone {
            found: self.found,
            read: u32::try_from(self.read.len()).unwrap_or(u32::MAX),
            failed: self.failed,
            rounds: self.rounds,
            notices: std::mem::take(&mut self.notices),
            ..empty(self.brief.call_id)
        }
    }

    /// Asks all sources all questions and reads at most so many of what they name.
    pub(super) async fn round(&mut self, questions: &[String], leads_max: usize) {
        self.rounds += 1;
        let (sources, brief, deadline) = (self.sources, self.brief, self.deadline);
        let asking = sources.iter().enumerate().flat_map(|(at, source)| {
            let is_page = source.kind() == SourceKind::Page;
            // Pages are named by the asker's own words alone.
            let own = is_page.then_some(brief.query);
            let questions = if is_page { &[][..] } else { questions };
            own.into_iter().chain(questions.iter().map(String::as_str)).map(move |question| (at, source, question))
        });
        let mut finds: FuturesUnordered<Finding<'_>> = asking
            .map(|(at, source, question)| {
                let asked = Asked { owner: brief.owner, question, limit: leads_max };
                async move { (at, source.find(asked).await) }.boxed()
            })
            .collect();
        // Who is quick may not take the place of all others.
        let share = leads_max.div_ceil(finds.len().max(1));
        let mut reserve: VecDeque<(usize, VecDeque<Lead>)> = VecDeque::new();
        let mut going: Going<'_> = FuturesUnordered::new();
        let mut room = leads_max;
        let mut open: Vec<Taken> = Vec::new();
        while !finds.is_empty() || !going.is_empty() {
            tokio::select! {
                Some((at, found)) = finds.next(), if !finds.is_empty() => {
                    let mut leads = self.heard(at, found);
                    let taken = self.take(at, &mut leads, share.min(room)).await;
                    room -= taken.len();
                    begin(sources, brief, &going, &mut open, taken);
                    reserve.push_back((at, leads));
                    if finds.is_empty() {
                        let taken = self.take_in_turn(&mut reserve, room).await;
                        room -= taken.len();
                        begin(sources, brief, &going, &mut open, taken);
                    }
                }
                Some((taken, reading)) = going.next(), if !going.is_empty() => {
                    open.retain(|other| other.number != taken.number);
                    self.end(taken, reading).await;
                }
                () = sleep_until(deadline) => {
                    self.notices.push("Not everything could be read in the time there was.".to_owned());
                    for taken in open.drain(..) {
                        self.end(taken, Err(SourceError("it did not answer in the time there was".to_owned()))).await;
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

    /// Takes leads up that are not known yet, and tells of them.
    async fn take(&mut self, at: usize, leads: &mut VecDeque<Lead>, count: usize) -> Vec<Taken> {
        let mut taken = Vec::new();
        while taken.len() < count
            && let Some(lead) = leads.pop_front()
        {
            if !self.known.insert(same(&lead.address)) {
                continue;
            }
            self.found += 1;
            let lead = Taken { number: self.found, source: at, lead };
            self.tell(&lead, ChunkStatus::Found, |_| {}).await;
            taken.push(lead);
        }
        taken
    }

    /// Fills what room is left, one of each source after the other.
    async fn take_in_turn(&mut self, reserve: &mut VecDeque<(usize, VecDeque<Lead>)>, room: usize) -> Vec<Taken> {
        let mut taken = Vec::new();
        while taken.len() < room
            && let Some((at, mut leads)) = reserve.pop_front()
        {
            taken.extend(self.take(at, &mut leads, 1).await);
            if !leads.is_empty() {
                reserve.push_back((at, leads));
            }
        }
        taken
    }

    /// A source was read, or was not.
    async fn end(&mut self, taken: Taken, reading: Result<Reading, SourceError>) {
        match reading {
            Ok(reading) => {
                // A redirect may lead to what was read already.
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
                self.read.push(Read { kind, reading, published, lead_title });
            }
            Err(error) => {
                self.failed += 1;
                self.tell(&taken, ChunkStatus::Failed, |chunk| chunk.reason = Some(error.to_string())).await;
            }
        }
        (self.brief.say)(format!("read {} of {} sources", self.read.len(), self.found));
    }

    async fn tell(&self, taken: &Taken, status: ChunkStatus, more: impl FnOnce(&mut ResearchChunk)) {
        let Taken { number, source, lead } = taken;
        let mut chunk = ResearchChunk {
            call_id: self.brief.call_id.to_owned(),
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
        self.brief.study.tell(Research::Chunk(chunk)).await;
    }
}

/// Begins to read.
fn begin<'a>(
    sources: &'a [Arc<dyn Source>],
    brief: &'a Brief<'a>,
    going: &Going<'a>,
    open: &mut Vec<Taken>,
    taken: Vec<Taken>,
) {
    for taken in taken {
        let Taken { number, source, lead } = &taken;
        open.push(Taken { number: *number, source: *source, lead: lead.clone() });
        let source = &sources[*source];
        going.push(
            async move {
                let reading = source.read(brief.owner, &taken.lead).await;
                (taken, reading)
            }
            .boxed(),
        );
    }
}

/// A name for what an address means; a document of the library has its own.
fn same(address: &str) -> String {
    address::same(address).unwrap_or_else(|| address.to_owned())
}
