//! Continues an earlier session in a new one.

use desktop::content_as_text;
use protocol::{
    Body, Event, Origin, OwnerId, RestoreMode, SessionId, SessionRestore, SessionRestored, SessionView, TurnId, Window,
};
use session::State;

use super::Hub;
use crate::Error;

/// Characters of a window's content in the summary.
const CONTENT_CHARS_MAX: usize = 400;

impl Hub {
    /// A new session that continues an earlier one: with its windows, or with a summary of them.
    pub async fn restore(&self, owner: &OwnerId, asked: SessionRestore) -> Result<SessionView, Error> {
        self.check_name(asked.key.as_ref())?;
        let origin = self.session(owner, &asked.session).await?.session_id;
        let events = self.export(owner, &origin.into()).await?;
        let world = &self.services().world;
        let (new_id, now) = (SessionId::new(world.ulid()), world.now());
        let copy = session::restore(&events, new_id, asked.key, now, || TurnId::new(world.ulid()));
        let mut copy = copy.ok_or_else(|| {
            Error::Invalid("no turn has ended in this session: there is nothing to restore".to_owned())
        })?;
        let (summary, origin_of_words) = match asked.windows {
            RestoreMode::Whole => (String::new(), Origin::Trusted),
            RestoreMode::Summarized => summed_up(&copy),
        };
        copy.push(Event {
            seq: copy.len() as u64 + 1,
            session_id: new_id,
            turn_id: None,
            agent_id: None,
            at: copy.last().map_or(now, |last| last.at.max(now)),
            body: Body::SessionRestored(SessionRestored {
                session_id: origin,
                windows: asked.windows,
                summary,
                origin: origin_of_words,
            }),
        });
        match self.create(copy).await {
            Err(Error::Journal(journal::Error::NameTaken(existing))) => Err(Error::NameConflict(existing)),
            created => created,
        }
    }
}

/// A summary of the windows that were open, and its origin.
fn summed_up(events: &[Event]) -> (String, Origin) {
    let mut rest = events.iter();
    let Some(mut state) = rest.next().and_then(State::begin) else { return (String::new(), Origin::Trusted) };
    rest.for_each(|event| state.apply(event));
    let windows: Vec<&Window> = state.desktop.windows().collect();
    if windows.is_empty() {
        return (String::new(), Origin::Trusted);
    }
    let mut words =
        String::from("This session continues an earlier one. These windows were open in it and are closed now:");
    for window in &windows {
        let shown = content_as_text(&window.content, CONTENT_CHARS_MAX).replace('\n', " ");
        words.push_str(&format!("\n- {} \"{}\" ({}): {shown}", window.window_id, window.title, window.content.kind()));
    }
    let is_untrusted = windows.iter().any(|window| window.origin == Origin::Untrusted);
    (words, if is_untrusted { Origin::Untrusted } else { Origin::Trusted })
}
