//! Secrets cannot be guessed: not from ids that another owner sees, and not by trying.

mod failures;

use std::collections::BTreeSet;

use reqwest::{Client, Method};
use serde_json::{Value, json};
use testkit::{RestClient, RunningServer};
use ulid::Ulid;

use crate::{desktop::DesktopHarness, owners::add, program};

/// How far around each of her ids the second owner tries, in both directions.
const NEIGHBOURS: u128 = 6;

/// The status of an event stream with this ticket and no other credential.
async fn by_ticket(http: &Client, server: &RunningServer, session: &str, ticket: &str) -> u16 {
    let url = format!("{}/events/{session}?ticket={ticket}", server.url());
    http.get(url).send().await.unwrap().status().as_u16()
}

/// The status of a sign-in with this invitation.
async fn by_invitation(http: &Client, server: &RunningServer, invitation: &str) -> u16 {
    let proof = json!({ "invitation": invitation }).to_string();
    let asked = http.post(format!("{}/api/v1/entry", server.url())).header("origin", server.url());
    asked.header("content-type", "application/json").body(proof).send().await.unwrap().status().as_u16()
}

async fn secret(rest: &RestClient, kind: &str) -> String {
    let given = rest.post(&format!("/api/v1/{kind}s"), json!({})).await.ok();
    given[kind].as_str().unwrap().to_owned()
}

/// Guesses near what the second owner has seen: ids in a row, from which tickets were once made,
/// and the successors of her own secrets.
fn guesses(ids: &[String], secrets: &[String]) -> BTreeSet<String> {
    let mut guesses = BTreeSet::new();
    for id in ids {
        let Ulid(id) = Ulid::from_string(id).unwrap();
        for near in id - NEIGHBOURS..=id + NEIGHBOURS {
            guesses.insert(format!("{}{}", Ulid(near), Ulid(near + 1)));
        }
    }
    for secret in secrets {
        let (begin, end) = secret.split_at(secret.len() - 16);
        let Ok(end) = u64::from_str_radix(end, 16) else { continue };
        for step in 1..=u64::try_from(NEIGHBOURS).unwrap() {
            guesses.insert(format!("{begin}{:016x}", end.wrapping_add(step)));
            guesses.insert(format!("{begin}{:016x}", end.wrapping_sub(step)));
        }
    }
    guesses
}

#[tokio::test]
async fn a_second_owner_finds_no_way_in_next_to_her_own_ids() {
    let program = program().with("DWELL_LIMITS_FAILED_ENTRIES_PEER_MAX", "100000");
    let program = program.with("DWELL_LIMITS_FAILED_ENTRIES_ALL_MAX", "100000");
    let server = program.start().await;
    let ada = server.rest_as(Some(&add(&program, "ada").await));
    let operator = server.rest();
    let session = operator.session().await;

    // She creates ids while the operator gets tickets and invitations, and gets secrets of her own
    // before and after.
    let (mut ids, mut given, mut own) = (Vec::new(), Vec::new(), vec![secret(&ada, "ticket").await]);
    for kind in ["ticket", "invitation", "ticket", "invitation", "ticket", "invitation"] {
        let ((one, two), theirs, (three, four)) =
            tokio::join!(async { tokio::join!(ada.session(), ada.session()) }, secret(&operator, kind), async {
                tokio::join!(ada.session(), ada.session())
            },);
        ids.extend([one, two, three, four]);
        given.push(theirs);
    }
    own.extend([secret(&ada, "invitation").await, secret(&ada, "ticket").await]);

    let guesses = guesses(&ids, &own);
    assert!(guesses.len() >= 200, "{}", guesses.len());
    let http = Client::new();
    for guess in &guesses {
        assert_eq!(by_ticket(&http, &server, &session, guess).await, 401, "{guess}");
        assert_eq!(by_invitation(&http, &server, guess).await, 401, "{guess}");
    }
    // The secrets are not made from ids and do not resemble each other.
    for given in &given {
        assert!(given.len() == 64 && given.bytes().all(|byte| byte.is_ascii_hexdigit()), "{given}");
        assert!(own.iter().all(|own| own[..8] != given[..8] && own[56..] != given[56..]), "{given} {own:?}");
    }
    // The guessed-at secrets still work for their owner.
    assert_eq!(by_invitation(&http, &server, &given[5]).await, 200);
    assert_eq!(by_ticket(&http, &server, &session, &given[4]).await, 200);
}

#[tokio::test]
async fn ids_of_one_moment_lie_far_apart_and_rise() {
    let (program, mut ids) = (program(), Vec::new());
    let server = program.start().await;
    let rest = server.rest();
    for _ in 0..8 {
        let made = futures::future::join_all((0..8).map(|_| rest.session())).await;
        ids.extend(made.iter().map(|id| Ulid::from_string(id).unwrap()));
    }
    let newest = ids.iter().max().copied().unwrap();
    ids.sort_unstable();
    let gaps: Vec<u128> = ids.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(gaps.iter().all(|gap| *gap >= 1 << 40), "{gaps:?}");
    assert_eq!(gaps.iter().collect::<BTreeSet<_>>().len(), gaps.len(), "{gaps:?}");
    assert!(Ulid::from_string(&rest.session().await).unwrap() > newest);
}

#[tokio::test]
async fn what_opens_the_apps_of_windows_is_a_secret_too() {
    let harness = DesktopHarness::start().await;
    let mut tokens = BTreeSet::new();
    for window in ["one", "two"] {
        harness.open(window, json!({ "type": "app", "app": "notes" })).await;
        let token = harness.window(window).await["app"]["token"].as_str().unwrap().to_owned();
        assert!(token.len() == 64 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
        tokens.insert(token);
    }
    assert_eq!(tokens.len(), 2);
}

/// Tickets and invitations are stored as digests only: a copy of the data folder gives no access.
#[tokio::test]
async fn no_ticket_and_no_invitation_is_written_down() {
    let program = program().with_log().with("DWELL_LOG_FILTER", "trace");
    let server = program.start().await;
    let rest = server.rest();
    let secrets = [secret(&rest, "ticket").await, secret(&rest, "invitation").await];
    rest.call(Method::POST, "/api/v1/sessions", Some(Value::Object(Default::default())), &[]).await.ok();
    server.stop().await;
    for entry in std::fs::read_dir(program.folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            assert!(secrets.iter().all(|secret| !text.contains(secret)), "{}", path.display());
        }
    }
}
