//! A model that the test controls step by step.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use async_trait::async_trait;
use futures::{StreamExt, stream};
use model::{Chunk, Chunks, Error, Message, Model, Prompt, Stop, Traits};
use protocol::Usage;
use tokio::sync::{Mutex, mpsc};

use crate::harness::within_patience;

/// The usage of a call.
pub(crate) const USAGE: Usage = Usage::of(7, 3);

/// A model that the test controls. Every call waits to be taken with [`DrivenModel::call`].
pub(crate) struct DrivenModel {
    calls: mpsc::UnboundedSender<ModelCall>,
    untaken: Mutex<mpsc::UnboundedReceiver<ModelCall>>,
    counts: Arc<CallCounts>,
    context_tokens_max: AtomicU64,
}

#[derive(Default)]
struct CallCounts {
    calls: AtomicUsize,
    open: AtomicUsize,
    open_at_once_max: AtomicUsize,
}

/// The next step of a call.
enum ModelAction {
    /// The call fails before there is a stream.
    Refuse(Error),
    Chunk(Result<Chunk, Error>),
    Panic,
}

impl DrivenModel {
    pub(crate) fn new() -> Self {
        let (calls, untaken) = mpsc::unbounded_channel();
        Self { calls, untaken: Mutex::new(untaken), counts: Arc::default(), context_tokens_max: AtomicU64::new(32_000) }
    }

    /// Sets the size of its context window.
    pub(crate) fn take_tokens(&self, context_tokens_max: u64) {
        self.context_tokens_max.store(context_tokens_max, Ordering::SeqCst);
    }

    /// The next call, in the order in which they arrived.
    pub(crate) async fn call(&self) -> ModelCall {
        within_patience("the model is called", async { self.untaken.lock().await.recv().await.unwrap() }).await
    }

    /// How often the model was called.
    pub(crate) fn calls(&self) -> usize {
        self.counts.calls.load(Ordering::SeqCst)
    }

    /// The maximum number of calls that were open at the same time.
    pub(crate) fn open_at_once_max(&self) -> usize {
        self.counts.open_at_once_max.load(Ordering::SeqCst)
    }

    /// From now on every call is answered at once with [`reply_to`] of its message.
    pub(crate) fn answer_everything(self: &Arc<Self>) {
        let model = self.clone();
        tokio::spawn(async move {
            let mut untaken = model.untaken.lock().await;
            while let Some(call) = untaken.recv().await {
                call.answer(&reply_to(call.asked()));
            }
        });
    }
}

/// The answer of [`DrivenModel::answer_everything`].
pub(crate) fn reply_to(message: &str) -> String {
    format!("You said: {message}")
}

#[async_trait]
impl Model for DrivenModel {
    fn name(&self) -> &str {
        "driven"
    }

    fn traits(&self) -> Traits {
        let context_tokens_max = self.context_tokens_max.load(Ordering::SeqCst);
        Traits { sees: true, ..Traits::of_context(context_tokens_max) }
    }

    fn takes_choice(&self) -> bool {
        true
    }

    async fn stream(&self, prompt: Prompt) -> Result<Chunks, Error> {
        let (acts, mut script) = mpsc::unbounded_channel();
        let open = OpenCallGuard::count(&self.counts);
        self.calls.send(ModelCall { prompt, acts }).unwrap();
        let first = script.recv().await;
        if let Some(ModelAction::Refuse(error)) = first {
            return Err(error);
        }
        let rest = stream::unfold((script, open), |(mut script, open)| async {
            script.recv().await.map(|act| (act, (script, open)))
        });
        Ok(stream::iter(first).chain(rest).map(perform).boxed())
    }
}

fn perform(act: ModelAction) -> Result<Chunk, Error> {
    match act {
        ModelAction::Chunk(chunk) => chunk,
        ModelAction::Refuse(error) => Err(error),
        ModelAction::Panic => panic!("the model panics, as the test wants it to"),
    }
}

/// The text of a message of any role.
fn words(message: &Message) -> &str {
    match message {
        Message::User { text, .. } | Message::Assistant { text, .. } | Message::Result { text, .. } => text,
    }
}

fn lines_of(message: &Message) -> Vec<String> {
    match message {
        Message::User { text, .. } => vec![format!("> {text}")],
        Message::Result { call_id, text, .. } => vec![format!("= {call_id} {text}")],
        Message::Assistant { text, calls } => {
            let words = (!text.is_empty()).then(|| format!("< {text}"));
            let calls = calls.iter().map(|call| format!("! {} {} {}", call.id, call.tool, call.arguments));
            words.into_iter().chain(calls).collect()
        }
    }
}

/// A call from its start until its stream is dropped.
struct OpenCallGuard(Arc<CallCounts>);

impl OpenCallGuard {
    fn count(counts: &Arc<CallCounts>) -> Self {
        counts.calls.fetch_add(1, Ordering::SeqCst);
        let open = counts.open.fetch_add(1, Ordering::SeqCst) + 1;
        counts.open_at_once_max.fetch_max(open, Ordering::SeqCst);
        Self(counts.clone())
    }
}

impl Drop for OpenCallGuard {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// One call of the model. Dropping it interrupts the answer.
pub(crate) struct ModelCall {
    pub(crate) prompt: Prompt,
    acts: mpsc::UnboundedSender<ModelAction>,
}

impl ModelCall {
    /// The current message.
    pub(crate) fn asked(&self) -> &str {
        words(self.prompt.messages.last().unwrap())
    }

    /// The conversation as lines: `>` is the user, `<` the model, `!` a call, `=` its result.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.prompt.messages.iter().flat_map(lines_of).collect()
    }

    /// The conversation without the notes beside its messages, which are in one turn's prompt only.
    pub(crate) fn without_notes(&self) -> Vec<Message> {
        let bare = |message: &Message| match message.clone() {
            Message::User { text, images, .. } => Message::User { text, images, notes: String::new() },
            other => other,
        };
        self.prompt.messages.iter().map(bare).collect()
    }

    /// The notes beside the messages, each with its position.
    pub(crate) fn notes(&self) -> Vec<(usize, &str)> {
        let notes = self.prompt.messages.iter().enumerate().filter_map(|(at, message)| match message {
            Message::User { notes, .. } if !notes.is_empty() => Some((at, notes.as_str())),
            _ => None,
        });
        notes.collect()
    }

    /// The names of the tools in the request.
    pub(crate) fn tools(&self) -> Vec<&str> {
        self.prompt.tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    /// Calls tools, by id, name and arguments, and ends.
    pub(crate) fn use_tools(&self, calls: &[(&str, &str, serde_json::Value)]) {
        for (id, tool, arguments) in calls {
            let (id, tool, arguments) = ((*id).to_owned(), (*tool).to_owned(), arguments.clone());
            self.act(ModelAction::Chunk(Ok(Chunk::Call(model::Call { id, tool, arguments, signatures: Vec::new() }))));
        }
        self.end();
    }

    /// Streams a chunk of reasoning.
    pub(crate) fn think(&self, thought: &str) {
        self.act(ModelAction::Chunk(Ok(Chunk::Thinking(thought.to_owned()))));
    }

    /// Streams a chunk of text.
    pub(crate) fn say(&self, text: &str) {
        self.act(ModelAction::Chunk(Ok(Chunk::Text(text.to_owned()))));
    }

    /// Ends the answer.
    pub(crate) fn end(&self) {
        self.act(ModelAction::Chunk(Ok(Chunk::End { usage: Some(USAGE), stop: Stop::Complete })));
    }

    /// Streams the whole text and ends.
    pub(crate) fn answer(&self, text: &str) {
        self.say(text);
        self.end();
    }

    /// Fails before the answer has started; only as the first step.
    pub(crate) fn refuse(&self, error: Error) {
        self.act(ModelAction::Refuse(error));
    }

    /// Breaks off the stream.
    pub(crate) fn fail(&self, error: Error) {
        self.act(ModelAction::Chunk(Err(error)));
    }

    pub(crate) fn panic(&self) {
        self.act(ModelAction::Panic);
    }

    /// Whether the engine still reads the stream.
    pub(crate) fn is_open(&self) -> bool {
        !self.acts.is_closed()
    }

    /// Waits until the engine has dropped the stream.
    pub(crate) async fn dropped(&self) {
        within_patience("the stream is dropped", self.acts.closed()).await;
    }

    fn act(&self, act: ModelAction) {
        // An engine that has gone receives nothing more.
        let _ = self.acts.send(act);
    }
}
