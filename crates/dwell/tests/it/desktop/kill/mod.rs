//! The kill loop over agents and the desktop: the server is killed at random moments while main
//! agents, forked agents and window agents work, ask questions and change the desktop.
//!
//! `DWELL_DESKTOP_KILLS` sets the number of kills (5 by default) and `DWELL_SEED` the moments.
//! Clients send each message again under its key until it is acknowledged. `check.rs` lists what is
//! checked at the end.

mod check;
mod clients;
mod marks;
mod model;
mod replayed_desktop;

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use testkit::{ModelServer, RestClient};
use tokio::task::JoinHandle;

use self::clients::{ClientRecord, Clients, SessionMonitor};
use crate::{
    kill::{SeededRandom, setting},
    program,
};

/// The number of times that a turn is started. If the server stops once more, the user must decide
/// about the turn.
const ATTEMPTS_MAX: u64 = 3;

/// The turns that have not ended.
async fn open_turns(rest: &RestClient, session: &str) -> Vec<String> {
    let view = rest.get(&format!("/api/v1/sessions/{session}")).await.ok();
    view["open_turns"].as_array().unwrap().iter().map(|turn| turn.as_str().unwrap().to_owned()).collect()
}

/// Whether the user would have to decide about a turn if the server were killed now.
async fn is_fragile(rest: &RestClient, places: &[SessionMonitor]) -> bool {
    for place in places {
        for turn in open_turns(rest, &place.session).await {
            let turn = rest.get(&format!("/api/v1/turns/{turn}")).await.ok();
            let has_ended = ["completed", "cancelled", "failed", "expired"].contains(&turn["status"].as_str().unwrap());
            assert_ne!(turn["status"], "interrupted", "not resumed: {turn}");
            if turn["attempts"].as_u64().unwrap() >= ATTEMPTS_MAX && !has_ended {
                return true;
            }
        }
    }
    false
}

/// Waits until every turn has ended and answers all questions.
async fn settle(rest: &RestClient, place: &SessionMonitor, clients: &Clients) {
    while !open_turns(rest, &place.session).await.is_empty() {
        assert!(clients.answer_all(rest, place, 0).await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits for a client whose server is gone. A client that does not notice is aborted; its message
/// is sent again later.
async fn gone(mut client: JoinHandle<()>) {
    match tokio::time::timeout(Duration::from_secs(5), &mut client).await {
        Ok(end) => end.unwrap(),
        Err(_) => client.abort(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_desktop_loses_and_doubles_nothing() {
    let (kills, seed) = (setting("DWELL_DESKTOP_KILLS", 5), setting("DWELL_SEED", 20_261_115));
    let mut random = SeededRandom::new(seed);
    let model = ModelServer::start().await;
    model.respond_with(model::answer);
    let program =
        program().with_model(&model).with("DWELL_LOG_FILTER", "error").with("DWELL_MEMORY_FOLLOW_SESSIONS", "false");
    let mut server = program.start().await;
    let rest = server.rest();
    let mut places = Vec::new();
    // One session uses the default monitor, the other one an additional monitor.
    for monitor in ["main", "work"] {
        places.push(SessionMonitor { session: rest.session().await, monitor });
    }
    let clients = Clients { places: places.into(), told: Arc::new(ClientRecord::default()) };
    let mut killed = 0;
    while killed < kills {
        let work = clients.work(&server, &mut random);
        let rest = server.rest();
        while is_fragile(&rest, &clients.places).await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(1 + random.below(150))).await;
        server.kill().await;
        killed += 1;
        for client in work {
            gone(client).await;
        }
        server = program.start().await;
        // Sometimes it is killed again while it recovers.
        if random.below(4) == 0 && !is_fragile(&server.rest(), &clients.places).await {
            tokio::time::sleep(Duration::from_millis(random.below(40))).await;
            server.kill().await;
            killed += 1;
            server = program.start().await;
        }
    }
    // Messages that were not acknowledged are sent again until they are.
    let before = clients.acknowledged();
    let work = clients.work(&server, &mut random);
    while clients.acknowledged().iter().zip(&before).any(|(now, before)| now == before) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    clients.told.is_over.store(true, Ordering::Relaxed);
    for client in work {
        client.await.unwrap();
    }
    let (rest, mut sums) = (server.rest(), check::KillTotals::default());
    for place in clients.places.iter() {
        settle(&rest, place, &clients).await;
    }
    for (number, place) in clients.places.iter().enumerate() {
        sums += check::session(&rest, number, place, &clients, &model).await;
    }
    assert_eq!(model.violations(), Vec::<String>::new());
    #[allow(clippy::print_stderr, reason = "a long proof says what it did")]
    {
        eprintln!("kill_desktop: {killed} kills, seed {seed}; {sums:?}");
    }
    assert!(sums.turns as u64 >= kills, "hardly any traffic: {sums:?}");
}
