//! A sentence becomes a turn, and the turn's words the answer.

use std::net::IpAddr;

use engine::Error;
use protocol::{ApprovalAnswer, ApprovalId, ApprovalRequest, ChatSend, Decision, Problem, SessionId, TurnId};
use serde_json::{Value, json};
use tokio::{
    io::{self, AsyncWrite},
    time::{Instant, timeout_at},
};

use super::{
    Door,
    asked::Partner,
    assent::{Assent, assent},
    frame::{self, Event},
    sessions::{self, Place},
};
use crate::{
    outcome::{By, Outcome, STILL, open_approval, outcome},
    question::question,
    telling::{Telling, Told},
};

/// Answers a transcript. The turn goes on by itself, whatever becomes of the connection.
pub(super) async fn answer(
    door: &Door,
    peer: IpAddr,
    transcript: &Event,
    to: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    let context = transcript.data.get("context").cloned();
    let mut speaker = Speaker { door, to, context, streams: transcript.knows_pieces(), has_begun: false };
    let until = Instant::now() + door.patience;
    let outcome = match begin(door, peer, transcript).await {
        Ok((partner, begun)) => {
            let is_refused = matches!(begun, Begun::Refused(_));
            let outcome = match begun {
                Begun::Turn(mut telling) => match speaker.tell(&mut telling, until).await? {
                    Ok(outcome) => outcome,
                    Err(error) => Outcome::Failed(words(error.into())),
                },
                Begun::Asks(open) | Begun::Refused(open) => question(&open, door.by),
            };
            if let Outcome::Asks(approval_id, _) = &outcome {
                door.asked.note(partner, *approval_id, Instant::now());
            }
            if is_refused { refused(outcome) } else { outcome }
        }
        Err(problem) => Outcome::Failed(words(problem)),
    };
    speaker.end(outcome).await
}

/// A question that came first, told to somebody who has said something else.
fn refused(asked: Outcome) -> Outcome {
    match asked {
        Outcome::Waits(words) | Outcome::Asks(_, words) => {
            Outcome::Failed(format!("I have not taken that up: something waits for an approval first. {words}"))
        }
        other => other,
    }
}

/// What a sentence has led to.
enum Begun {
    /// A turn that can be followed.
    Turn(Box<Telling>),
    /// The turn that it belongs to asks for more.
    Asks(Box<ApprovalRequest>),
    /// Nothing: an earlier question has to be answered first.
    Refused(Box<ApprovalRequest>),
}

async fn begin(door: &Door, peer: IpAddr, transcript: &Event) -> Result<(Partner, Begun), Problem> {
    door.rate.check(&door.owner)?;
    let text = transcript.text("text").unwrap_or_default();
    let place = Place::of(transcript, peer, &door.areas);
    let session = sessions::find(door, &place).await?;
    let partner = place.partner(session.session_id);
    let asked = door.asked.take(&partner, Instant::now());
    let begun = match open_approval(&door.hub, &door.owner, session.session_id).await? {
        Some(open) => match answers(door, &open, asked, assent(text, place.language_in(&session))) {
            Some(said) => settle(door, session.session_id, &open, said).await?,
            // In line behind a turn that waits, it would be answered when nobody expects it any more.
            None => Begun::Refused(Box::new(open)),
        },
        None => {
            sessions::go_on(door, &session, &place).await?;
            let accepted = door.hub.send(&door.owner, &session.session_id.into(), ChatSend::text(text)).await?;
            Begun::Turn(follow(door, session.session_id, accepted.turn_id, accepted.seq).await?)
        }
    };
    Ok((partner, begun))
}

/// What was said, if it may answer the open question: that must be the one that was just asked here.
fn answers(door: &Door, open: &ApprovalRequest, asked: Option<ApprovalId>, said: Option<Assent>) -> Option<Assent> {
    said.filter(|_| door.by == By::Word && asked == Some(open.approval_id))
}

/// What was said answers the question whether a call may run; its turn goes on with that, or with its next question.
async fn settle(door: &Door, session_id: SessionId, open: &ApprovalRequest, said: Assent) -> Result<Begun, Problem> {
    let before = door.hub.session(&door.owner, &session_id.into()).await?.last_seq;
    let decision = match said {
        Assent::Yes => Decision::Once,
        Assent::No => Decision::Deny,
    };
    let answer = ApprovalAnswer { approval_id: open.approval_id, decision, digest: Some(open.digest.clone()) };
    door.hub.answer_approval(&door.owner, answer).await?;
    // A round asks all its questions at once, and goes on when all are answered.
    let next = open_approval(&door.hub, &door.owner, session_id).await?;
    match next.filter(|next| next.turn_id == open.turn_id && next.approval_id != open.approval_id) {
        Some(next) => Ok(Begun::Asks(Box::new(next))),
        None => Ok(Begun::Turn(follow(door, session_id, open.turn_id, before).await?)),
    }
}

async fn follow(door: &Door, session_id: SessionId, turn_id: TurnId, after: u64) -> Result<Box<Telling>, Error> {
    Telling::of(&door.hub, &door.owner, session_id, turn_id, after).await.map(Box::new)
}

/// Speaks to a peer: in pieces where it knows them, and whole at the end in any case, as the protocol has it.
struct Speaker<'a, W> {
    door: &'a Door,
    to: &'a mut W,
    /// What the peer has said of itself; it gets it back.
    context: Option<Value>,
    streams: bool,
    has_begun: bool,
}

impl<W: AsyncWrite + Unpin> Speaker<'_, W> {
    /// Tells a turn's words until it settles or the patience is over.
    async fn tell(&mut self, telling: &mut Telling, until: Instant) -> io::Result<Result<Outcome, Error>> {
        loop {
            let told = tokio::select! {
                told = timeout_at(until, telling.next()) => told,
                () = self.door.stopping.cancelled() => return Ok(Err(Error::Stopping)),
            };
            match told {
                Ok(Ok(Told::Words(words))) => self.piece(&words).await?,
                Ok(Ok(Told::Settled(turn))) => {
                    return Ok(outcome(&self.door.hub, &self.door.owner, &turn, self.door.by).await);
                }
                Ok(Err(error)) => return Ok(Err(error)),
                Err(_) => return Ok(Ok(Outcome::Waits(STILL.to_owned()))),
            }
        }
    }

    async fn piece(&mut self, words: &str) -> io::Result<()> {
        if !self.streams {
            return Ok(());
        }
        if !self.has_begun {
            self.has_begun = true;
            self.say("handled-start", json!({})).await?;
        }
        self.write(Event::new("handled-chunk", json!({ "text": words }))).await
    }

    async fn end(mut self, outcome: Outcome) -> io::Result<()> {
        let (kind, text) = match outcome {
            Outcome::Answered(text) | Outcome::Waits(text) | Outcome::Asks(_, text) => ("handled", text),
            Outcome::Failed(text) => ("not-handled", text),
        };
        self.say(kind, json!({ "text": text })).await?;
        if self.has_begun {
            self.write(Event::new("handled-stop", json!({}))).await?;
        }
        Ok(())
    }

    async fn say(&mut self, kind: &str, mut data: Value) -> io::Result<()> {
        if let Some(context) = &self.context {
            data["context"] = context.clone();
        }
        self.write(Event::new(kind, data)).await
    }

    async fn write(&mut self, event: Event) -> io::Result<()> {
        frame::write(self.to, event, self.door.limits.slow_reader).await
    }
}

/// A problem in words for somebody who has no screen.
fn words(problem: Problem) -> String {
    format!("I could not do that: {}. {}", problem.message.trim_end_matches('.'), problem.hint)
}
