//! Tools for tests: one that reads, one that acts, one that can be looked up, one that fails. The
//! test sees when they run, and can pause them.

use std::sync::Arc;

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Citation, Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;
use tools::{CallContext, CallLookup, Declaration, Registry, Tool};

use crate::harness::within_patience;

/// The arguments that all of them take.
pub(crate) fn note(text: &str) -> Value {
    json!({ "note": text })
}

/// The record of all tool runs. It outlives a restart, as the world does.
#[derive(Default)]
pub(crate) struct ToolRuns {
    begun: watch::Sender<Vec<String>>,
    done: watch::Sender<Vec<String>>,
    is_held: watch::Sender<bool>,
}

impl ToolRuns {
    /// The runs that were started, each as tool and note.
    pub(crate) fn begun(&self) -> Vec<String> {
        self.begun.borrow().clone()
    }

    /// Waits until this many runs were started.
    pub(crate) async fn until_begun(&self, count: usize) {
        let mut begun = self.begun.subscribe();
        within_patience("the tools run", begun.wait_for(|runs| runs.len() >= count)).await.unwrap();
    }

    /// Waits until this many runs have taken effect.
    pub(crate) async fn until_done(&self, count: usize) {
        let mut done = self.done.subscribe();
        within_patience("the tools are done", done.wait_for(|runs| runs.len() >= count)).await.unwrap();
    }

    /// From now on runs start, but do not continue.
    pub(crate) fn hold(&self) {
        self.is_held.send_replace(true);
    }

    /// Lets them continue.
    pub(crate) fn release(&self) {
        self.is_held.send_replace(false);
    }

    /// Runs a tool.
    async fn work(&self, tool: &str, note: &str) {
        let run = format!("{tool} {note}");
        self.begun.send_modify(|runs| runs.push(run.clone()));
        self.is_held.subscribe().wait_for(|is_held| !is_held).await.unwrap();
        self.done.send_modify(|runs| runs.push(run));
    }

    fn has_done(&self, tool: &str, note: &str) -> bool {
        self.done.borrow().contains(&format!("{tool} {note}"))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoteInput {
    note: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct NoteOutput {
    said: String,
}

/// Returns its input as untrusted text.
struct PageTool(Arc<ToolRuns>);

#[async_trait]
impl Tool for PageTool {
    type Input = NoteInput;
    type Output = NoteOutput;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new("page", "Reads a page.").computes().core();
        Declaration { origin: Origin::Untrusted, ..declaration }
    }

    async fn call(&self, input: NoteInput, _context: &CallContext) -> Result<NoteOutput, ToolFailure> {
        self.0.work("page", &input.note).await;
        Ok(NoteOutput { said: input.note })
    }
}

/// Changes the world, once. For "lost" it does not know the outcome.
struct Lamp(Arc<ToolRuns>);

#[async_trait]
impl Tool for Lamp {
    type Input = NoteInput;
    type Output = NoteOutput;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new("lamp", "Switches a lamp.").core();
        Declaration { effect: Effect::AtMostOnce, safety: Safety::Acts, origin: Origin::Trusted, ..declaration }
    }

    async fn call(&self, input: NoteInput, context: &CallContext) -> Result<NoteOutput, ToolFailure> {
        context.say("switching");
        self.0.work("lamp", &input.note).await;
        match input.note.as_str() {
            "lost" => Err(ToolFailure::Unknown("the connection broke".to_owned())),
            note => Ok(NoteOutput { said: format!("switched {note}") }),
        }
    }
}

/// Changes the world, and can look up afterwards whether it did.
struct Letter(Arc<ToolRuns>);

#[async_trait]
impl Tool for Letter {
    type Input = NoteInput;
    type Output = NoteOutput;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new("letter", "Posts a letter.").core();
        Declaration { effect: Effect::Verifiable, safety: Safety::Acts, origin: Origin::Trusted, ..declaration }
    }

    async fn call(&self, input: NoteInput, _context: &CallContext) -> Result<NoteOutput, ToolFailure> {
        self.0.work("letter", &input.note).await;
        Ok(NoteOutput { said: format!("posted {}", input.note) })
    }

    async fn look_up(&self, input: NoteInput, _context: &CallContext) -> Result<CallLookup<NoteOutput>, ToolFailure> {
        let is_posted = self.0.has_done("letter", &input.note);
        let said = NoteOutput { said: format!("posted {} before", input.note) };
        Ok(if is_posted { CallLookup::Happened(said) } else { CallLookup::DidNotHappen })
    }
}

/// Looks something up in an archive.
struct Archive;

#[async_trait]
impl Tool for Archive {
    type Input = NoteInput;
    type Output = NoteOutput;

    fn declaration(&self) -> Declaration {
        Declaration::new("archive", "Looks something up in books.").computes().core()
    }

    async fn call(&self, input: NoteInput, _context: &CallContext) -> Result<NoteOutput, ToolFailure> {
        Ok(NoteOutput { said: input.note })
    }

    fn sources(&self, _output: &NoteOutput) -> Vec<Citation> {
        let books = [("book:1", "First book"), ("book:2", "Second book"), ("book:3", "Third book")];
        books.map(|(source, title)| Citation::of(title, source)).to_vec()
    }
}

/// Fails or panics.
struct BrokenTool;

#[async_trait]
impl Tool for BrokenTool {
    type Input = NoteInput;
    type Output = NoteOutput;

    fn declaration(&self) -> Declaration {
        Declaration::new("broken", "Breaks down.").computes().core()
    }

    async fn call(&self, input: NoteInput, _context: &CallContext) -> Result<NoteOutput, ToolFailure> {
        match input.note.as_str() {
            "panic" => panic!("the tool panics, as the test wants it to"),
            note => Err(ToolFailure::Failed(format!("broken: {note}"))),
        }
    }
}

pub(crate) fn add(registry: &mut Registry, tool_runs: &Arc<ToolRuns>) {
    registry.add(PageTool(tool_runs.clone())).unwrap();
    registry.add(Lamp(tool_runs.clone())).unwrap();
    registry.add(Letter(tool_runs.clone())).unwrap();
    registry.add(Archive).unwrap();
    registry.add(BrokenTool).unwrap();
}
