//! Answers a transcript: it becomes a turn, and the turn's text is the reply.

use std::net::IpAddr;

use engine::Error;
use protocol::{
    ApprovalAnswer, ApprovalDecision, ApprovalRequest, CallStatus, ChatSend, OnBusy, Problem, SessionId, Step, TurnId,
    TurnView,
};
use serde_json::{Value, json};
use tokio::{
    io::{self, AsyncWrite},
    time::{Instant, timeout_at},
};

use super::{
    WyomingService,
    frame::{self, WyomingEvent},
    overtake,
    pending_questions::SpeakerKey,
    sessions::{self, UtteranceSource},
    yes_or_no::{YesOrNo, yes_or_no},
};
use crate::{
    outcome::{ApprovalChannel, STILL, TurnOutcome, open_approvals, outcome},
    question::question,
    turn_stream::{TurnStream, TurnUpdate},
};

/// The author of an answer without a model.
const REFLEX: &str = "reflex";

/// Gets the words of an answer as they come.
pub(super) trait WordListener: Send {
    /// More of the answer.
    fn words(&mut self, words: &str) -> impl Future<Output = io::Result<()>> + Send;
}

/// For callers that need the whole answer only.
pub(super) struct NoWords;

impl WordListener for NoWords {
    async fn words(&mut self, _words: &str) -> io::Result<()> {
        Ok(())
    }
}

/// Answers a transcript. The turn continues even if the connection breaks.
pub(super) async fn answer(
    service: &WyomingService,
    peer: IpAddr,
    transcript: &WyomingEvent,
    to: &mut (impl AsyncWrite + Unpin + Send),
) -> io::Result<()> {
    let context = transcript.data.get("context").cloned();
    let mut writer = ReplyWriter { service, to, context, streams: transcript.knows_pieces(), has_begun: false };
    let outcome = run_turn(service, peer, transcript, &mut writer).await?;
    writer.end(outcome).await
}

/// Runs the turn of a transcript. It fails only if the listener does.
pub(super) async fn run_turn(
    service: &WyomingService,
    peer: IpAddr,
    transcript: &WyomingEvent,
    listener: &mut impl WordListener,
) -> io::Result<TurnOutcome> {
    let until = Instant::now() + service.patience;
    let (speaker_key, begun) = match begin(service, peer, transcript).await {
        Ok(begun) => begun,
        Err(problem) => return Ok(TurnOutcome::Failed(words(problem))),
    };
    let is_repeated = matches!(begun, SentenceOutcome::Repeats(_));
    let outcome = match begun {
        SentenceOutcome::Turn(mut turn_stream) => match tell(service, &mut turn_stream, until, listener).await? {
            Ok(outcome) => outcome,
            Err(error) => TurnOutcome::Failed(words(error.into())),
        },
        SentenceOutcome::Asks(open) | SentenceOutcome::Repeats(open) => question(&open, service.by),
    };
    match &outcome {
        TurnOutcome::Asks(approval_id, _) => service.pending.note(speaker_key, *approval_id, Instant::now()),
        // A yes would answer this question, not the one before.
        TurnOutcome::Answered(text) if text.trim_end().ends_with(['?', '？']) => service.pending.remove(&speaker_key),
        _ => {}
    }
    Ok(if is_repeated { repeated(outcome, service.by) } else { outcome })
}

/// The event of an outcome, and its text.
pub(super) fn reply_of(outcome: TurnOutcome) -> (&'static str, String) {
    match outcome {
        TurnOutcome::Answered(text) | TurnOutcome::Waits(text) | TurnOutcome::Asks(_, text) => ("handled", text),
        TurnOutcome::Failed(text) => ("not-handled", text),
    }
}

/// The reply to a yes that cannot settle the open question.
fn repeated(asked: TurnOutcome, by: ApprovalChannel) -> TurnOutcome {
    let why = match by {
        ApprovalChannel::Word => "I did not ask you that just now",
        ApprovalChannel::Elsewhere | ApprovalChannel::Command => "A spoken yes does not allow it",
    };
    match asked {
        TurnOutcome::Waits(words) | TurnOutcome::Asks(_, words) => {
            TurnOutcome::Failed(format!("{why}, and a call waits for an approval. {words}"))
        }
        other => other,
    }
}

/// The result of a sentence.
enum SentenceOutcome {
    /// A turn that can be followed.
    Turn(Box<TurnStream>),
    /// Its turn asks for another approval.
    Asks(Box<ApprovalRequest>),
    /// A yes that does not count here: the open question is repeated.
    Repeats(Box<ApprovalRequest>),
}

async fn begin(
    service: &WyomingService,
    peer: IpAddr,
    transcript: &WyomingEvent,
) -> Result<(SpeakerKey, SentenceOutcome), Problem> {
    service.rate.check(&service.owner)?;
    let text = transcript.text("text").unwrap_or_default();
    let source = UtteranceSource::of(transcript, peer, &service.areas);
    let session = sessions::find(service, &source).await?;
    let speaker_key = source.speaker_key(session.session_id);
    let open = open_approvals(&service.hub, &service.owner, session.session_id).await?;
    let pending = service.pending.find(&speaker_key, Instant::now());
    let asked = open.iter().find(|open| pending.is_some_and(|it| it.approval_id == open.approval_id));
    let is_clear = service.by == ApprovalChannel::Word && pending.is_some_and(|it| !it.is_ambiguous);
    let begun = match (yes_or_no(text, source.language_in(&session)), asked, open.last()) {
        (Some(said), Some(asked), _) if said == YesOrNo::No || is_clear => {
            service.pending.remove(&speaker_key);
            settle(service, session.session_id, asked, said).await?
        }
        (Some(YesOrNo::Yes), _, Some(last)) => SentenceOutcome::Repeats(Box::new(asked.unwrap_or(last).clone())),
        _ => {
            sessions::update_preferences(service, &session, &source).await?;
            // Queued behind a turn that waits for an approval, the sentence would be answered when
            // the user no longer expects it.
            let accepted = if open.is_empty() {
                overtake::send(service, session.session_id, text).await?
            } else {
                let send = ChatSend { on_busy: OnBusy::Fork, ..ChatSend::text(text) };
                service.hub.send(&service.owner, &session.session_id.into(), send).await?
            };
            SentenceOutcome::Turn(follow(service, session.session_id, accepted.turn_id, accepted.seq).await?)
        }
    };
    Ok((speaker_key, begun))
}

/// Settles an approval with a yes or no. The turn continues, or asks its next question.
async fn settle(
    service: &WyomingService,
    session_id: SessionId,
    open: &ApprovalRequest,
    said: YesOrNo,
) -> Result<SentenceOutcome, Problem> {
    let before = service.hub.session(&service.owner, &session_id.into()).await?.last_seq;
    let decision = match said {
        YesOrNo::Yes => ApprovalDecision::Once,
        YesOrNo::No => ApprovalDecision::Deny,
    };
    let answer = ApprovalAnswer { approval_id: open.approval_id, decision, digest: Some(open.digest.clone()) };
    service.hub.answer_approval(&service.owner, answer).await?;
    // A round requests all its approvals at once, and continues when all are answered.
    let next = open_approvals(&service.hub, &service.owner, session_id).await?;
    match next.into_iter().find(|next| next.turn_id == open.turn_id && next.approval_id != open.approval_id) {
        Some(next) => Ok(SentenceOutcome::Asks(Box::new(next))),
        None => Ok(SentenceOutcome::Turn(follow(service, session_id, open.turn_id, before).await?)),
    }
}

async fn follow(
    service: &WyomingService,
    session_id: SessionId,
    turn_id: TurnId,
    after: u64,
) -> Result<Box<TurnStream>, Error> {
    TurnStream::of(&service.hub, &service.owner, session_id, turn_id, after).await.map(Box::new)
}

/// Writes a reply to a peer: streamed if the peer supports it, and always whole at the end, as the
/// protocol requires.
struct ReplyWriter<'a, W> {
    service: &'a WyomingService,
    to: &'a mut W,
    /// The peer's context, which is returned to it.
    context: Option<Value>,
    streams: bool,
    has_begun: bool,
}

/// Passes a turn's text on until it settles or the deadline passes.
async fn tell(
    service: &WyomingService,
    turn_stream: &mut TurnStream,
    until: Instant,
    listener: &mut impl WordListener,
) -> io::Result<Result<TurnOutcome, Error>> {
    loop {
        let told = tokio::select! {
            told = timeout_at(until, turn_stream.next()) => told,
            () = service.stopping.cancelled() => return Ok(Err(Error::Stopping)),
        };
        match told {
            Ok(Ok(TurnUpdate::Words(words))) => listener.words(&words).await?,
            Ok(Ok(TurnUpdate::Settled(turn))) => {
                let outcome = outcome(&service.hub, &service.owner, &turn, service.by).await;
                return Ok(outcome.map(|outcome| if has_only_failed(&turn) { failed(outcome) } else { outcome }));
            }
            Ok(Err(error)) => return Ok(Err(error)),
            Err(_) => return Ok(Ok(TurnOutcome::Waits(STILL.to_owned()))),
        }
    }
}

impl<W: AsyncWrite + Unpin + Send> WordListener for ReplyWriter<'_, W> {
    async fn words(&mut self, words: &str) -> io::Result<()> {
        if !self.streams {
            return Ok(());
        }
        if !self.has_begun {
            self.has_begun = true;
            self.say("handled-start", json!({})).await?;
        }
        self.write(WyomingEvent::new("handled-chunk", json!({ "text": words }))).await
    }
}

impl<W: AsyncWrite + Unpin + Send> ReplyWriter<'_, W> {
    async fn end(mut self, outcome: TurnOutcome) -> io::Result<()> {
        let (kind, text) = reply_of(outcome);
        self.say(kind, json!({ "text": text })).await?;
        if self.has_begun {
            self.write(WyomingEvent::new("handled-stop", json!({}))).await?;
        }
        Ok(())
    }

    async fn say(&mut self, kind: &str, mut data: Value) -> io::Result<()> {
        if let Some(context) = &self.context {
            data["context"] = context.clone();
        }
        self.write(WyomingEvent::new(kind, data)).await
    }

    async fn write(&mut self, event: WyomingEvent) -> io::Result<()> {
        frame::write(self.to, event, self.service.limits.slow_reader).await
    }
}

/// Whether a turn without a model did nothing because each of its calls failed, as with too many of
/// them in a minute.
fn has_only_failed(turn: &TurnView) -> bool {
    let results: Vec<CallStatus> = turn
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::ToolResult(result) => Some(result.status),
            _ => None,
        })
        .collect();
    let is_reflex = turn.response.as_ref().is_some_and(|response| response.model == REFLEX);
    is_reflex && !results.is_empty() && results.iter().all(|status| *status == CallStatus::Error)
}

/// An answer that says why nothing was done.
fn failed(outcome: TurnOutcome) -> TurnOutcome {
    match outcome {
        TurnOutcome::Answered(why) => TurnOutcome::Failed(why),
        other => other,
    }
}

/// A problem as a spoken sentence.
fn words(problem: Problem) -> String {
    format!("I could not do that: {}. {}", problem.message.trim_end_matches('.'), problem.hint)
}
