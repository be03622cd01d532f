//! The task that owns the connection: opens it, lets it live, and opens it again.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};

use super::{
    link::{CLOSED, Request},
    session::{End, Session},
    settings::Patience,
    shared::Shared,
    socket::{NotOpen, Socket},
};
use crate::house::HouseError;

/// Keeps the connection until it is closed here.
pub(super) async fn keep(shared: Arc<Shared>, mut requests: mpsc::Receiver<Request>) {
    let mut waiting: Vec<Request> = Vec::new();
    let mut attempts = 0;
    while let Some(opened) = open(&shared, &mut requests, &mut waiting).await {
        let (error, pause) = match opened {
            Ok((socket, version)) => {
                shared.met(version);
                let session = Session::new(&shared, socket, std::mem::take(&mut waiting));
                let remains = session.run(&mut requests).await;
                waiting = remains.requests;
                let End::Broken(why) = remains.end else { break };
                if remains.was_read {
                    attempts = 0;
                }
                shared.lost(&why);
                (HouseError::Unreachable(why), pause(&shared.settings.patience, attempts))
            }
            Err(NotOpen::Refused) => (shared.refused(), shared.settings.patience.refused_pause),
            Err(NotOpen::Broken(why)) => {
                shared.lost(&why);
                (HouseError::Unreachable(why), pause(&shared.settings.patience, attempts))
            }
        };
        attempts = attempts.saturating_add(1);
        waiting = refuse_fresh(waiting, &error);
        if rest(&shared, Instant::now() + pause, &mut requests, &mut waiting, &error).await.is_none() {
            break;
        }
    }
    requests.close();
    shared.lost(CLOSED);
    let closed = HouseError::Unreachable(CLOSED.to_owned());
    while let Ok(request) = requests.try_recv() {
        waiting.push(request);
    }
    for request in waiting {
        request.answer(Err(closed.clone()));
    }
}

/// Opens the connection, while requests gather. None if it is to be closed.
async fn open(
    shared: &Shared,
    requests: &mut mpsc::Receiver<Request>,
    waiting: &mut Vec<Request>,
) -> Option<Result<(Socket, Option<String>), NotOpen>> {
    let settings = &shared.settings;
    let opening =
        timeout(settings.patience.connect, Socket::open(&shared.address, &settings.token, settings.message_limit));
    tokio::pin!(opening);
    loop {
        tokio::select! {
            () = shared.closing.cancelled() => return None,
            opened = &mut opening => {
                return Some(opened.unwrap_or_else(|_| Err(NotOpen::Broken("it does not answer".to_owned()))));
            }
            request = requests.recv() => waiting.push(request?),
        }
    }
}

/// Waits for the next attempt. Nobody who asks meanwhile has to wait with it. None if it is to be closed.
async fn rest(
    shared: &Shared,
    until: Instant,
    requests: &mut mpsc::Receiver<Request>,
    waiting: &mut Vec<Request>,
    error: &HouseError,
) -> Option<()> {
    loop {
        let moment = waiting.iter().map(|request| request.deadline).fold(until, Instant::min);
        tokio::select! {
            () = shared.closing.cancelled() => return None,
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

/// Refuses what never went out; questions whose connection broke wait for the next one.
fn refuse_fresh(waiting: Vec<Request>, error: &HouseError) -> Vec<Request> {
    let (sent, fresh): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|request| request.sent > 0);
    for request in fresh {
        request.answer(Err(error.clone()));
    }
    sent
}

/// How long to wait: twice as long each time, with chance in it, so that not all clients come back at once.
fn pause(patience: &Patience, attempts: u32) -> Duration {
    let longest = patience.first_pause.saturating_mul(1 << attempts.min(16)).min(patience.longest_pause);
    longest.mul_f64(rand::random_range(0.5..=1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_are_bounded() {
        let patience = Patience::default();
        for attempts in [0, 1, 5, 30, u32::MAX] {
            let pause = pause(&patience, attempts);
            assert!(pause >= patience.first_pause / 2 && pause <= patience.longest_pause, "{attempts}: {pause:?}");
        }
        assert!(pause(&patience, 0) <= patience.first_pause);
        assert!(pause(&patience, 20) >= patience.longest_pause / 2);
    }
}
