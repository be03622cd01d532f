//! Research with real sources: a web site on loopback, a library on disk, and answers that cite
//! their sources.

mod failing;
mod forbidden_addresses;
mod injections;
mod planted_facts;
mod rounds;
mod sources;
mod taint;

use std::{collections::BTreeSet, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{Program, RestClient, RunningServer, Site};

use crate::{harness::told, program};

/// A site, a folder of documents, and the program that may read both.
struct ResearchHarness {
    site: Site,
    folder: TempDir,
    program: Program,
    server: RunningServer,
}

/// The program with a site that it may fetch from and search. Memory is off, because it does not
/// matter here.
async fn sources(set: impl FnOnce(Program, &Site) -> Program) -> ResearchHarness {
    let site = Site::start().await;
    let program = program()
        .with("DWELL_TOOLS_FETCH_ALLOW", &site.host())
        .with("SEARXNG_URL", &site.url("/searxng"))
        .with("DWELL_HOME_ENABLED", "false")
        .with("DWELL_MEMORY_FOLLOW_SESSIONS", "false");
    let program = set(program, &site);
    let server = program.start().await;
    ResearchHarness { site, folder: TempDir::new().unwrap(), program, server }
}

impl ResearchHarness {
    /// Writes a document into the folder.
    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Adds the folder to the library.
    async fn add_folder(&self) -> Value {
        add_folder(&self.server.rest(), self.folder.path()).await
    }

    /// The addresses of the requested pages, without searches and `robots.txt`.
    fn visited(&self) -> BTreeSet<String> {
        let visits = self.site.visits();
        let pages = visits.iter().filter(|path| !path.starts_with("/searxng") && !path.starts_with("/brave"));
        pages.filter(|path| *path != "/robots.txt").map(|path| self.site.url(path)).collect()
    }
}

async fn add_folder(rest: &RestClient, path: &Path) -> Value {
    rest.post("/api/v1/library/folders", json!({ "path": path.to_str().unwrap() })).await.ok()
}

/// The result of a question in a new session.
struct ResearchResult {
    turn: Value,
    started: Value,
    chunks: Vec<Value>,
    done: Value,
    passages: Vec<Value>,
}

impl ResearchResult {
    /// The answer.
    fn message(&self) -> &str {
        self.turn["response"]["message"].as_str().unwrap_or_default()
    }

    /// The sources with this status.
    fn with_status(&self, status: &str) -> Vec<&Value> {
        self.chunks.iter().filter(|chunk| chunk["status"] == status).collect()
    }

    /// The addresses of the web sources that were read or tried.
    fn tried_on_the_web(&self) -> BTreeSet<String> {
        let tried = self.chunks.iter().filter(|chunk| chunk["status"] != "found");
        let sources = tried.map(|chunk| chunk["source"].as_str().unwrap().to_owned());
        sources.filter(|source| source.starts_with("http")).collect()
    }

    /// Checks that every citation of the answer and of the notes refers to a stored passage.
    #[track_caller]
    fn assert_resolves(&self) {
        let of_answer = self.turn["response"]["citations"].as_array().cloned().unwrap_or_default();
        let of_notes = self.done["citations"].as_array().cloned().unwrap_or_default();
        for citation in of_answer.iter().chain(&of_notes) {
            let passage = self.passages.iter().find(|passage| passage["passage_id"] == citation["passage_id"]);
            let passage = passage.unwrap_or_else(|| panic!("{citation} stands for nothing in {:?}", self.passages));
            assert_eq!((&passage["mark"], &passage["source"]), (&citation["mark"], &citation["source"]));
        }
    }

    /// Checks that the answer contains the claim, followed by the mark of a passage that contains
    /// it too.
    #[track_caller]
    fn assert_claims(&self, claim: &str) {
        let message = self.message();
        let place = message.find(claim).unwrap_or_else(|| panic!("`{claim}` is not in the answer: {message}"));
        let behind = &message[place + claim.len()..];
        let (_, mark) = behind.split_once('[').unwrap_or_else(|| panic!("no mark behind `{claim}`: {message}"));
        let mark = mark.split(']').next().unwrap();
        let citations = self.turn["response"]["citations"].as_array().unwrap();
        let citation = citations.iter().find(|citation| citation["mark"] == mark).unwrap();
        let passage = self.passages.iter().find(|passage| passage["passage_id"] == citation["passage_id"]).unwrap();
        let words = passage["text"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(claim), "`{claim}` is not in {words}");
    }
}

/// Asks a question and collects the research events.
async fn research(rest: &RestClient, body: Value) -> ResearchResult {
    let session = rest.session().await;
    research_in(rest, &session, body).await
}

async fn research_in(rest: &RestClient, session: &str, body: Value) -> ResearchResult {
    let turn = told(rest, session, body).await;
    let turn_id = turn["turn_id"].as_str().unwrap().to_owned();
    let log = rest.log(session).await;
    let of_type = |kind: &str| -> Vec<Value> {
        let of_turn = log.iter().filter(|event| event["turn_id"] == turn_id.as_str() && event["type"] == kind);
        of_turn.map(|event| event["data"].clone()).collect()
    };
    let one = |kind: &str| of_type(kind).into_iter().next_back().unwrap_or(Value::Null);
    let passages = rest.get(&format!("/api/v1/turns/{turn_id}/passages")).await.ok();
    ResearchResult {
        started: one("research.started"),
        chunks: of_type("research.chunk"),
        done: one("research.done"),
        passages: passages["data"].as_array().unwrap().clone(),
        turn,
    }
}
