//! Tools for tests: one that reads, one that acts, one that can be looked up, one that breaks down. The test sees when they
//! run, and can hold them up.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{Citation, Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;
use tools::{Context, Declaration, Failure, Found, Registry, Tool};

use crate::house::within_patience;

/// The arguments that all of them take.
pub(crate) fn note(text: &str) -> Value {
    json!({ "note": text })
}

/// Where the tools run. It outlives a restart, as the world does.
#[derive(Default)]
pub(crate) struct Workshop {
    begun: watch::Sender<Vec<String>>,
    done: watch::Sender<Vec<String>>,
    is_held: watch::Sender<bool>,
}

impl Workshop {
    /// The runs that were begun, each as tool and note.
    pub(crate) fn begun(&self) -> Vec<String> {
        self.begun.borrow().clone()
    }

    /// Waits until so many runs were begun.
    pub(crate) async fn until_begun(&self, count: usize) {
        let mut begun = self.begun.subscribe();
        within_patience("the tools run", begun.wait_for(|runs| runs.len() >= count)).await.unwrap();
    }

    /// Waits until so many runs have done what they do.
    pub(crate) async fn until_done(&self, count: usize) {
        let mut done = self.done.subscribe();
        within_patience("the tools are done", done.wait_for(|runs| runs.len() >= count)).await.unwrap();
    }

    /// From now on runs begin, and do not go on.
    pub(crate) fn hold(&self) {
        self.is_held.send_replace(true);
    }

    /// Lets them go on.
    pub(crate) fn release(&self) {
        self.is_held.send_replace(false);
    }

    /// Does something.
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
pub(crate) struct Note {
    note: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Said {
    said: String,
}

/// Gives back what it is given, as somebody else's words.
struct Page(Arc<Workshop>);

#[async_trait]
impl Tool for Page {
    type Input = Note;
    type Output = Said;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new("page", "Reads a page.").computes().core();
        Declaration { origin: Origin::Untrusted, ..declaration }
    }

    async fn call(&self, input: Note, _context: &Context) -> Result<Said, Failure> {
        self.0.work("page", &input.note).await;
        Ok(Said { said: input.note })
    }
}

/// Changes the world, once. Of "lost" it cannot tell what came of it.
struct Lamp(Arc<Workshop>);

#[async_trait]
impl Tool for Lamp {
    type Input = Note;
    type Output = Said;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new("lamp", "Switches a lamp.").core();
        Declaration { effect: Effect::AtMostOnce, safety: Safety::Acts, origin: Origin::Trusted, ..declaration }
    }

    async fn call(&self, input: Note, context: &Context) -> Result<Said, Failure> {
        context.say("switching");
        self.0.work("lamp", &input.note).await;
        match input.note.as_str() {
            "lost" => Err(Failure::Unknown("the connection broke".to_owned())),
            note => Ok(Said { said: format!("switched {note}") }),
        }
    }
}

/// Changes the world, and knows afterwards whether it did.
struct Letter(Arc<Workshop>);

#[async_trait]
impl Tool for Letter {
    type Input = Note;
    type Output = Said;

    fn declaration(&self) -> Declaration {
        let declaration = Declaration::new("letter", "Posts a letter.").core();
        Declaration { effect: Effect::Verifiable, safety: Safety::Acts, origin: Origin::Trusted, ..declaration }
    }

    async fn call(&self, input: Note, _context: &Context) -> Result<Said, Failure> {
        self.0.work("letter", &input.note).await;
        Ok(Said { said: format!("posted {}", input.note) })
    }

    async fn look_up(&self, input: Note, _context: &Context) -> Result<Found<Said>, Failure> {
        let is_posted = self.0.has_done("letter", &input.note);
        let said = Said { said: format!("posted {} before", input.note) };
        Ok(if is_posted { Found::Happened(said) } else { Found::DidNotHappen })
    }
}

/// Looks something up in books.
struct Archive;

#[async_trait]
impl Tool for Archive {
    type Input = Note;
    type Output = Said;

    fn declaration(&self) -> Declaration {
        Declaration::new("archive", "Looks something up in books.").computes().core()
    }

    async fn call(&self, input: Note, _context: &Context) -> Result<Said, Failure> {
        Ok(Said { said: input.note })
    }

    fn sources(&self, _output: &Said) -> Vec<Citation> {
        let books = [("book:1", "First book"), ("book:2", "Second book"), ("book:3", "Third book")];
        books.map(|(source, title)| Citation::of(title, source)).to_vec()
    }
}

/// Breaks down.
struct Broken;

#[async_trait]
impl Tool for Broken {
    type Input = Note;
    type Output = Said;

    fn declaration(&self) -> Declaration {
        Declaration::new("broken", "Breaks down.").computes().core()
    }

    async fn call(&self, input: Note, _context: &Context) -> Result<Said, Failure> {
        match input.note.as_str() {
            "panic" => panic!("the tool panics, as the test wants it to"),
            note => Err(Failure::Failed(format!("broken: {note}"))),
        }
    }
}

pub(crate) fn add(registry: &mut Registry, workshop: &Arc<Workshop>) {
    registry.add(Page(workshop.clone())).unwrap();
    registry.add(Lamp(workshop.clone())).unwrap();
    registry.add(Letter(workshop.clone())).unwrap();
    registry.add(Archive).unwrap();
    registry.add(Broken).unwrap();
}
