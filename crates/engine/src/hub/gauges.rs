//! What is counted when it is asked for.

use observe::Gauges;

use super::Hub;
use crate::{Error, follower};

impl Hub {
    /// Whether there is a tracer.
    pub fn is_traced(&self) -> bool {
        self.services().options.observers.tracer.is_some()
    }

    /// The gauges that the engine knows. Those of connections are the server's.
    pub async fn gauges(&self) -> Result<Gauges, Error> {
        let services = self.services();
        let unread = services.long_term.unread(follower::NAME).await?;
        Ok(Gauges {
            live_sessions: self.directory.live_count() as u64,
            running_turns: services.agents.working() as u64,
            waiting_turns: services.agents.waiting() as u64,
            turns_max: services.options.agents_max as u64,
            background_running: services.background_agents.working() as u64,
            background_waiting: services.background_agents.waiting() as u64,
            unread_sessions: unread.len() as u64,
            index_documents: services.long_term.indexed_documents() as u64,
            damaged_sessions: self.damaged_sessions(),
            ..Gauges::default()
        })
    }
}
