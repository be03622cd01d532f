//! Wyoming: the wire by which Home Assistant talks to assistants, over TCP.
//!
//! A sentence (`transcript`) becomes a turn of a session of the owner; its answer is `handled`, or `not-handled` with the
//! words why. The protocol has no way to say who one is, so the door is closed unless it is opened, and may be kept to some
//! peers. What a peer says counts as the owner's words, with one exception: an approval is given here only where that is
//! allowed, and only by a plain yes to the question that was just asked (`asked`, `assent`).

mod announce;
mod answer;
mod areas;
mod asked;
mod assent;
mod connection;
mod frame;
mod info;
mod peers;
mod recognise;
mod sessions;

use std::{io, sync::Arc, time::Duration};

use engine::Hub;
use protocol::OwnerId;
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::{
    areas::{Areas, BadArea},
    peers::{BadPeer, Peers},
};
use crate::{
    Limits,
    listener::{ConnectionPermit, Connections, prepare},
    outcome::By,
    rate::Rate,
};
use announce::Announcement;
use asked::Asked;

/// How long to wait before listening again when the system has no room for one more connection.
const BREATH: Duration = Duration::from_millis(200);

/// How the door is set.
pub struct Wyoming {
    /// Whose sessions are spoken in.
    pub owner: OwnerId,
    /// Who may connect.
    pub peers: Peers,
    /// Where in the home they are, if they do not say it.
    pub areas: Areas,
    /// Whether the network is told where the door is.
    pub announce: bool,
    /// Whether a call that needs an approval is allowed by saying yes.
    pub approve: bool,
    /// How long a peer is kept waiting for an answer.
    pub patience: Duration,
    /// After how long without a word a conversation that has no name begins anew.
    pub pause: Duration,
    /// Connections at once; for one more, one that has said nothing is closed, or else the new one.
    pub connections_max: usize,
    /// How long a peer may say nothing.
    pub idle: Duration,
    /// How much anybody may ask for.
    pub limits: Limits,
    /// Ends every connection when it is cancelled.
    pub stopping: CancellationToken,
}

/// What the connections share.
struct Door {
    hub: Hub,
    owner: OwnerId,
    by: By,
    asked: Asked,
    areas: Areas,
    patience: Duration,
    pause: Duration,
    idle: Duration,
    limits: Limits,
    rate: Rate,
    info: frame::Event,
    stopping: CancellationToken,
}

impl Wyoming {
    /// Serves the door until it is told to stop and every connection has ended.
    pub async fn serve(self, listener: TcpListener, hub: Hub) -> io::Result<()> {
        let at = listener.local_addr()?;
        tracing::info!("wyoming is open at tcp://{at} to {}; it asks nobody who they are", self.peers);
        let announcement = self.announce.then(|| Announcement::make(at)).flatten();
        let (peers, places) = (self.peers.clone(), Arc::new(Connections::unnamed(self.connections_max)));
        let door = Arc::new(self.door(hub));
        let connections = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                () = door.stopping.cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            let (stream, address) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "wyoming could not take a connection");
                    places.displace();
                    tokio::time::sleep(BREATH).await;
                    continue;
                }
            };
            let peer = address.ip();
            if let Some(permit) = admit(&peers, &places, peer) {
                prepare(&stream, &door.limits);
                let door = door.clone();
                connections.spawn(async move {
                    let (displaced, place) = (permit.displaced(), permit.handle());
                    displaced.run_until_cancelled(connection::serve(&door, stream, peer, &place)).await;
                    drop(permit);
                });
            }
        }
        drop(announcement);
        connections.close();
        connections.wait().await;
        Ok(())
    }

    fn door(self, hub: Hub) -> Door {
        Door {
            info: info::info(hub.understands()),
            hub,
            owner: self.owner,
            by: if self.approve { By::Word } else { By::Elsewhere },
            asked: Asked::default(),
            areas: self.areas,
            patience: self.patience,
            pause: self.pause,
            idle: self.idle,
            rate: Rate::new(&self.limits),
            limits: self.limits,
            stopping: self.stopping,
        }
    }
}

/// A place for a peer that may come in, if there is one.
fn admit(peers: &Peers, places: &Arc<Connections>, peer: std::net::IpAddr) -> Option<ConnectionPermit> {
    if !peers.allow(peer) {
        tracing::warn!(%peer, "a peer that is not among `wyoming.peers` was turned away");
        return None;
    }
    let permit = places.admit(peer);
    if permit.is_err() {
        tracing::warn!(%peer, "a peer was turned away: there are `wyoming.connections_max` connections");
    }
    permit.ok()
}
