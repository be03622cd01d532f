//! The coarse view: four kinds of events, with new text at most twice a second.

use std::time::Duration;

use axum::response::sse::Event as Frame;
use engine::Delivery;
use protocol::{Body, Event, LiveText, LiveUpdate, SessionId, TurnId};
use serde_json::{Value, json};
use tokio::time::Instant;

/// Text is collected for this long before the next `partial`.
const COALESCE: Duration = Duration::from_millis(500);
/// A time that stands for "never".
const NEVER: Duration = Duration::from_secs(24 * 60 * 60);

/// The text of the running turn since the last `partial`.
#[derive(Default)]
pub(super) struct PartialBuffer {
    turn: Option<(SessionId, TurnId)>,
    gathered: String,
    /// Code points of the turn's text so far.
    chars: u64,
    due: Option<Instant>,
}

impl PartialBuffer {
    /// When the next `partial` is due.
    pub(super) fn due(&self) -> Instant {
        self.due.unwrap_or_else(|| Instant::now() + NEVER)
    }

    /// The collected text, if any.
    pub(super) fn partial(&mut self) -> Option<Frame> {
        self.due = None;
        let (session_id, turn_id) = self.turn.filter(|_| !self.gathered.is_empty())?;
        let delta = std::mem::take(&mut self.gathered);
        let offset = self.chars - delta.chars().count() as u64;
        let payload = json!({ "partial_response": delta, "offset": offset });
        Some(frame("partial", None, session_id, turn_id, payload))
    }

    /// The frames for a delivery in this view.
    pub(super) fn take(&mut self, delivery: &Delivery) -> Vec<Frame> {
        match delivery {
            Delivery::Live(LiveUpdate::Text(live)) => {
                let LiveText { session_id, turn_id, data, .. } = live.as_ref();
                let earlier = self.of_another(*session_id, *turn_id);
                self.add(*session_id, *turn_id, data.offset, &data.delta);
                earlier
            }
            Delivery::Live(LiveUpdate::Thinking(_)) => Vec::new(),
            Delivery::Live(LiveUpdate::Progress(live)) => {
                let payload = json!({ "message": live.data.message, "tool": live.data.tool });
                let mut frames: Vec<Frame> = self.partial().into_iter().collect();
                frames.push(frame("progress", None, live.session_id, live.turn_id, payload));
                frames
            }
            Delivery::Event(event) => match event.turn_id {
                Some(turn_id) => self.take_event(event, turn_id),
                None => Vec::new(),
            },
        }
    }

    fn take_event(&mut self, event: &Event, turn_id: TurnId) -> Vec<Frame> {
        let (kind, payload) = match &event.body {
            Body::Text(range) => {
                let earlier = self.of_another(event.session_id, turn_id);
                self.add(event.session_id, turn_id, range.offset, &range.delta);
                return earlier;
            }
            Body::MessageAccepted(_) => ("progress", json!({ "message": "accepted" })),
            Body::MessageQueued(queued) => ("progress", json!({ "message": "queued", "position": queued.position })),
            Body::TurnStage(entered) => ("progress", json!({ "message": entered.stage })),
            Body::Step(step) => ("step", json!({ "step": step })),
            Body::Final(response) => ("final", json!({ "final_response": response })),
            Body::TurnStatus(change) => {
                if let Some(offset) = change.text_offset.filter(|offset| *offset < self.chars) {
                    *self = Self { turn: self.turn, chars: offset, ..Self::default() };
                }
                ("progress", json!({ "message": change.status, "reason": change.reason, "error": change.error }))
            }
            _ => return Vec::new(),
        };
        let mut frames: Vec<Frame> = self.partial().into_iter().collect();
        frames.push(frame(kind, Some(event.seq), event.session_id, turn_id, payload));
        frames
    }

    /// The collected text of another turn, before a new turn replaces it.
    fn of_another(&mut self, session_id: SessionId, turn_id: TurnId) -> Vec<Frame> {
        if self.turn == Some((session_id, turn_id)) { Vec::new() } else { self.partial().into_iter().collect() }
    }

    /// Adds a range of text; known text is skipped.
    fn add(&mut self, session_id: SessionId, turn_id: TurnId, offset: u64, delta: &str) {
        if self.turn != Some((session_id, turn_id)) {
            *self = Self { turn: Some((session_id, turn_id)), ..Self::default() };
        }
        let known = usize::try_from(self.chars.saturating_sub(offset)).unwrap_or(usize::MAX);
        let fresh: String = delta.chars().skip(known).collect();
        if !fresh.is_empty() {
            self.chars += fresh.chars().count() as u64;
            self.gathered.push_str(&fresh);
            self.due.get_or_insert_with(|| Instant::now() + COALESCE);
        }
    }
}

fn frame(kind: &str, seq: Option<u64>, session_id: SessionId, turn_id: TurnId, payload: Value) -> Frame {
    let data = json!({ "type": kind, "session_id": session_id, "continuation_id": turn_id, "payload": payload });
    let frame = Frame::default().event(kind).data(data.to_string());
    match seq {
        Some(seq) => frame.id(seq.to_string()),
        None => frame,
    }
}
