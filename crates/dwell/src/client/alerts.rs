//! Alerts as they are raised, each once, over any number of connections.

use std::{
    collections::{HashSet, VecDeque},
    time::Duration,
};

use protocol::{Alert, AlertId, AlertPage, ClientBody, NoData, NoticeBody, ServerMessage};

use super::{
    Client,
    conversation::request,
    socket::{ConnectionClosed, Socket},
};
use crate::command_error::CommandError;

/// How many alerts are remembered to recognise a repetition; the server lists at most 200.
const KNOWN_MAX: usize = 400;
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);

/// The message with which a connection follows alerts.
pub(super) const FOLLOW: ClientBody = ClientBody::AlertFollow(NoData {});

/// Which alerts were shown. The server lists alerts when a connection begins to follow them, so
/// that those raised between two connections are not lost.
#[derive(Debug, Default)]
pub(super) struct AlertFeed {
    known: HashSet<AlertId>,
    order: VecDeque<AlertId>,
    has_begun: bool,
}

impl AlertFeed {
    /// The alerts that were raised since the last connection, oldest first: from the list with
    /// which a connection begins, and from the messages that came before it.
    pub(super) fn begun(&mut self, page: AlertPage, unread: &VecDeque<ServerMessage>) -> Vec<Alert> {
        // First: they are in the list, too, and of the first list only they are shown.
        let early: Vec<Alert> = unread.iter().filter_map(|message| self.raised(message)).collect();
        let is_later = std::mem::replace(&mut self.has_begun, true);
        let listed = page.data.into_iter().rev().map(|view| view.alert);
        let mut alerts: Vec<Alert> = listed.filter(|alert| self.is_new(alert.alert_id) && is_later).collect();
        alerts.extend(early);
        alerts
    }

    /// The alert of a message, if it has one that is new.
    pub(super) fn raised(&mut self, message: &ServerMessage) -> Option<Alert> {
        match message {
            ServerMessage::Notice(notice) => match &notice.body {
                NoticeBody::AlertRaised(alert) => self.is_new(alert.alert_id).then(|| alert.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_new(&mut self, id: AlertId) -> bool {
        let is_new = self.known.insert(id);
        if is_new {
            self.order.push_back(id);
            while self.order.len() > KNOWN_MAX {
                self.order.pop_front().map(|oldest| self.known.remove(&oldest));
            }
        }
        is_new
    }
}

/// Follows the owner's alerts on a connection of its own, which is replaced when it breaks.
pub(crate) struct AlertFollower {
    client: Client,
    socket: Socket,
    feed: AlertFeed,
    /// Alerts that are not handed out yet.
    waiting: VecDeque<Alert>,
}

impl AlertFollower {
    /// Follows what is raised from now on.
    pub(crate) async fn open(client: Client) -> Result<Self, CommandError> {
        let mut feed = AlertFeed::default();
        let (socket, waiting) = follow(&client, &mut feed).await?;
        Ok(Self { client, socket, feed, waiting })
    }

    /// The next alert. It waits for as long as it takes, also until a server that is down is back.
    pub(crate) async fn next(&mut self) -> Result<Alert, CommandError> {
        loop {
            if let Some(alert) = self.waiting.pop_front() {
                return Ok(alert);
            }
            match self.socket.next().await {
                Ok(message) => self.waiting.extend(self.feed.raised(&message)),
                Err(ConnectionClosed) => self.reconnect().await?,
            }
        }
    }

    async fn reconnect(&mut self) -> Result<(), CommandError> {
        loop {
            self.client.find_again();
            match follow(&self.client, &mut self.feed).await {
                Ok((socket, waiting)) => {
                    self.socket = socket;
                    self.waiting.extend(waiting);
                    return Ok(());
                }
                Err(CommandError::Unreachable(_)) => tokio::time::sleep(RECONNECT_PAUSE).await,
                Err(error) => return Err(error),
            }
        }
    }
}

/// A connection that follows alerts, and those that were raised since the last one.
async fn follow(client: &Client, feed: &mut AlertFeed) -> Result<(Socket, VecDeque<Alert>), CommandError> {
    let mut socket = Socket::connect(client).await?;
    let mut unread = VecDeque::new();
    let listed = request(&mut socket, &mut unread, &FOLLOW).await;
    let page: AlertPage = listed.map_err(|ConnectionClosed| client.unreachable())??;
    let alerts = feed.begun(page, &unread);
    Ok((socket, alerts.into()))
}
