//! The task that owns the connection: connects, runs the session, and reconnects.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until, timeout},
};

use super::{
    command_sender::{CLOSED, CommandRequest},
    route::{HomeRoute, LEASE_ENDED},
    session::{CloseReason, HassSession},
    settings::{HomeAssistantSettings, Timeouts},
    shared::SharedConnection,
    socket::{ConnectError, HassSocket},
};
use crate::port::HomeError;

/// Runs until the connection is closed locally.
pub(super) async fn run(shared: Arc<SharedConnection>, mut requests: mpsc::Receiver<CommandRequest>) {
    let mut waiting: Vec<CommandRequest> = Vec::new();
    let mut attempts = 0;
    let mut routes = shared.routes();
    loop {
        let route = routes.borrow_and_update().clone();
        let Some(opened) = open(&shared, &route, &mut requests, &mut waiting).await else { break };
        let (error, pause) = match opened {
            Ok((socket, version)) => {
                shared.met(version);
                let permit = match route {
                    HomeRoute::Direct(permit) => Some(permit),
                    HomeRoute::Through(_) | HomeRoute::None { .. } => None,
                };
                let queries = std::mem::take(&mut waiting);
                let session = HassSession::new(&shared, socket, permit, routes.clone(), queries);
                let remains = session.run(&mut requests).await;
                waiting = remains.requests;
                let CloseReason::Broken(why) = remains.end else { break };
                if remains.was_read {
                    attempts = 0;
                }
                shared.lost(&why);
                (HomeError::Unreachable(why), pause(&shared.settings.patience, attempts))
            }
            Err(ConnectError::Refused) => (shared.refused(), shared.settings.patience.refused_pause),
            Err(ConnectError::Broken(why)) => {
                shared.lost(&why);
                (HomeError::Unreachable(why), pause(&shared.settings.patience, attempts))
            }
        };
        attempts = attempts.saturating_add(1);
        waiting = refuse_fresh(waiting, &error);
        if wait(&shared, Instant::now() + pause, &mut routes, &mut requests, &mut waiting, &error).await.is_none() {
            break;
        }
    }
    requests.close();
    shared.lost(CLOSED);
    let closed = HomeError::Unreachable(CLOSED.to_owned());
    while let Ok(request) = requests.try_recv() {
        waiting.push(request);
    }
    for request in waiting {
        request.answer(Err(closed.clone()));
    }
}

/// Connects while requests queue up. `None` if it is to be closed.
async fn open(
    shared: &SharedConnection,
    route: &HomeRoute,
    requests: &mut mpsc::Receiver<CommandRequest>,
    waiting: &mut Vec<CommandRequest>,
) -> Option<Result<(HassSocket, Option<String>), ConnectError>> {
    let HomeAssistantSettings { token, message_limit, patience, .. } = &shared.settings;
    let connecting = async {
        match route {
            HomeRoute::Direct(permit) if !permit.may_act() => Err(ConnectError::Broken(LEASE_ENDED.to_owned())),
            HomeRoute::Direct(_) => HassSocket::open(&shared.address, token, *message_limit).await,
            HomeRoute::Through(relay) => HassSocket::open_relay(relay, *message_limit).await,
            HomeRoute::None { why } => Err(ConnectError::Broken(why.clone())),
        }
    };
    let opening = timeout(patience.connect, connecting);
    tokio::pin!(opening);
    loop {
        tokio::select! {
            () = shared.closing.cancelled() => return None,
            opened = &mut opening => {
                return Some(opened.unwrap_or_else(|_| Err(ConnectError::Broken("it does not answer".to_owned()))));
            }
            request = requests.recv() => waiting.push(request?),
        }
    }
}

/// Waits for the next attempt, or for another route, and refuses requests meanwhile. `None` if it
/// is to be closed.
async fn wait(
    shared: &SharedConnection,
    until: Instant,
    routes: &mut watch::Receiver<HomeRoute>,
    requests: &mut mpsc::Receiver<CommandRequest>,
    waiting: &mut Vec<CommandRequest>,
    error: &HomeError,
) -> Option<()> {
    loop {
        let moment = waiting.iter().map(|request| request.deadline).fold(until, Instant::min);
        tokio::select! {
            () = shared.closing.cancelled() => return None,
            Ok(()) = routes.changed() => return Some(()),
            request = requests.recv() => request?.answer(Err(error.clone())),
            () = sleep_until(moment) => {
                let now = Instant::now();
                for request in waiting.extract_if(.., |request| request.deadline <= now) {
                    request.expire();
                }
                if until <= now {
                    return Some(());
                }
            }
        }
    }
}

/// Refuses requests that were never sent; queries whose connection broke wait for the next one.
fn refuse_fresh(waiting: Vec<CommandRequest>, error: &HomeError) -> Vec<CommandRequest> {
    let (sent, fresh): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|request| request.sent > 0);
    for request in fresh {
        request.answer(Err(error.clone()));
    }
    sent
}

/// Exponential backoff with jitter, so that not all clients reconnect at once.
fn pause(patience: &Timeouts, attempts: u32) -> Duration {
    let longest = patience.first_pause.saturating_mul(1 << attempts.min(16)).min(patience.longest_pause);
    longest.mul_f64(rand::random_range(0.5..=1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_are_bounded() {
        let patience = Timeouts::default();
        for attempts in [0, 1, 5, 30, u32::MAX] {
            let pause = pause(&patience, attempts);
            assert!(pause >= patience.first_pause / 2 && pause <= patience.longest_pause, "{attempts}: {pause:?}");
        }
        assert!(pause(&patience, 0) <= patience.first_pause);
        assert!(pause(&patience, 20) >= patience.longest_pause / 2);
    }
}
