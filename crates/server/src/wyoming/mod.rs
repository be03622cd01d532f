//! Wyoming: the protocol with which Home Assistant talks to assistants, over TCP.
//!
//! A sentence (`transcript`) becomes a turn of one of the owner's sessions; its answer is
//! `handled`, or `not-handled` with the reason. The protocol has no authentication, so it is off by
//! default and can be limited to some peers. A peer acts as the owner, with one exception: it can
//! give an approval only if that is enabled, and only with a plain yes to the question that was
//! just asked there (`pending_questions`, `yes_or_no`). Other sentences are handled meanwhile.
//!
//! With services for speech (`voice`), peers may send audio instead of text, and satellites need no
//! other server.

mod allowed_peers;
mod announce;
mod answer;
mod areas;
mod connection;
mod frame;
mod info;
mod overtake;
mod pending_questions;
mod recognise;
mod sessions;
mod voice;
mod yes_or_no;

use std::{io, sync::Arc, time::Duration};

use engine::Hub;
use protocol::OwnerId;
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use self::{
    allowed_peers::{AllowedPeers, BadPeer},
    areas::{Areas, BadArea},
    voice::{BadServiceAddress, Satellite, SatelliteSpeakers, ServiceAddress, SpeakError, VoiceSettings},
};
use crate::{
    Limits,
    listener::{ConnectionPermit, Connections, prepare},
    outcome::ApprovalChannel,
    rate::OwnerRateLimit,
};
use announce::Announcement;
use pending_questions::PendingQuestions;

/// How long to wait before accepting again when the system cannot open another connection.
const BREATH: Duration = Duration::from_millis(200);

/// The settings of the Wyoming server.
pub struct WyomingServer {
    /// The owner of the sessions.
    pub owner: OwnerId,
    /// The peers that may connect.
    pub peers: AllowedPeers,
    /// The areas of peers that do not send one.
    pub areas: Areas,
    /// Whether the address is announced on the network.
    pub announce: bool,
    /// Whether a spoken yes can approve a call.
    pub approve: bool,
    /// The services for speech, and the satellites.
    pub voice: VoiceSettings,
    /// The loudspeakers of the satellites.
    pub speakers: SatelliteSpeakers,
    /// How long a peer waits for an answer.
    pub patience: Duration,
    /// After how long without a sentence an unnamed conversation starts over.
    pub pause: Duration,
    /// Open connections; for one more, one that has sent nothing is closed, or else the new one.
    pub connections_max: usize,
    /// How long a peer may be idle.
    pub idle: Duration,
    /// The limits of all APIs.
    pub limits: Limits,
    /// Ends every connection when it is cancelled.
    pub stopping: CancellationToken,
}

/// The state that all connections share.
struct WyomingService {
    hub: Hub,
    owner: OwnerId,
    by: ApprovalChannel,
    pending: PendingQuestions,
    areas: Areas,
    voice: VoiceSettings,
    speakers: SatelliteSpeakers,
    patience: Duration,
    pause: Duration,
    idle: Duration,
    limits: Limits,
    rate: OwnerRateLimit,
    info: frame::WyomingEvent,
    stopping: CancellationToken,
}

impl WyomingServer {
    /// Serves connections and satellites until the server stops and every connection has ended.
    /// Without a listener there are satellites only.
    pub async fn serve(self, listener: Option<TcpListener>, hub: Hub) -> io::Result<()> {
        let (announces, peers) = (self.announce, self.peers.clone());
        let places = Arc::new(Connections::unnamed(self.connections_max));
        let service = Arc::new(self.service(hub));
        let connections = TaskTracker::new();
        for satellite in service.voice.satellites.clone() {
            connections.spawn(voice::keep_connected(service.clone(), satellite));
        }
        if !service.voice.satellites.is_empty() {
            let (hub, speakers) = (service.hub.clone(), service.speakers.clone());
            connections.spawn(voice::tell_timers(hub, speakers, service.stopping.clone()));
        }
        if let Some(listener) = listener {
            let at = listener.local_addr()?;
            tracing::info!("Wyoming listens on tcp://{at} for {peers}, without authentication");
            let announcement = announces.then(|| Announcement::make(at)).flatten();
            accept(&service, &listener, &peers, &places, &connections).await;
            drop(announcement);
        }
        connections.close();
        connections.wait().await;
        Ok(())
    }

    fn service(self, hub: Hub) -> WyomingService {
        WyomingService {
            info: info::info(hub.understands()),
            hub,
            owner: self.owner,
            by: if self.approve { ApprovalChannel::Word } else { ApprovalChannel::Elsewhere },
            pending: PendingQuestions::default(),
            areas: self.areas,
            voice: self.voice,
            speakers: self.speakers,
            patience: self.patience,
            pause: self.pause,
            idle: self.idle,
            rate: OwnerRateLimit::new(&self.limits),
            limits: self.limits,
            stopping: self.stopping,
        }
    }
}

/// Accepts connections until the server stops.
async fn accept(
    service: &Arc<WyomingService>,
    listener: &TcpListener,
    peers: &AllowedPeers,
    places: &Arc<Connections>,
    connections: &TaskTracker,
) {
    loop {
        let accepted = tokio::select! {
            () = service.stopping.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "Wyoming could not accept a connection");
                places.displace();
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        let peer = address.ip();
        if let Some(permit) = admit(peers, places, peer) {
            prepare(&stream, &service.limits);
            let service = service.clone();
            connections.spawn(async move {
                let (displaced, place) = (permit.displaced(), permit.handle());
                let serving = connection::serve_peer(&service, stream, peer, &place);
                displaced.run_until_cancelled(serving).await;
                drop(permit);
            });
        }
    }
}

/// A permit for a peer, if it is allowed and a limit is not reached.
fn admit(peers: &AllowedPeers, places: &Arc<Connections>, peer: std::net::IpAddr) -> Option<ConnectionPermit> {
    if !peers.allow(peer) {
        tracing::warn!(%peer, "a peer that is not in `wyoming.peers` was refused");
        return None;
    }
    let permit = places.admit(peer);
    if permit.is_err() {
        tracing::warn!(%peer, "a peer was refused: there are `wyoming.connections_max` connections");
    }
    permit.ok()
}
