//! Appends of many sessions as one statement: one round trip, one commit.
//!
//! The statement locks the rows of the heads, chooses the appends whose lease and head are right,
//! and writes those. It answers with the rows as they were, from which each append's own answer
//! follows; so one that is refused does not spoil the others.

use std::collections::HashMap;

use protocol::{CURRENT_FORMAT, SessionId};

use super::{
    node::Node,
    notices::{NOTICED, NOTIFIED},
    params::{Param, number, params},
};
use crate::encoding::{Head, PreparedEvent, PreparedSummary, digest};

/// An append whose place in its session is known.
pub(super) struct PlacedAppend<'a> {
    pub(super) sid: i64,
    pub(super) epoch: u64,
    pub(super) before: Head,
    pub(super) after: Head,
    pub(super) sums: &'a [Head],
    pub(super) events: &'a [PreparedEvent],
    pub(super) summary: Option<&'a PreparedSummary>,
}

/// Where the events lead from a head: the heads after each of them.
pub(super) fn chain(session_id: SessionId, mut head: Head, events: &[PreparedEvent]) -> Vec<Head> {
    let next = |event: &PreparedEvent| {
        head = head.then(session_id, event, digest(event.body.get()).as_deref());
        head
    };
    events.iter().map(next).collect()
}

/// The bytes that the events add to a session.
pub(super) fn bytes(events: &[PreparedEvent]) -> i64 {
    number(events.iter().map(|event| event.body.get().len() as u64).sum())
}

/// The table `new_events` of a statement, from the arrays 1 to 8 after `at`.
pub(super) fn events_table(at: usize) -> String {
    let parameter = |n: usize, kind: &str| format!("${}::{kind}[]", at + n);
    format!(
        "new_events AS (SELECT * FROM unnest({}, {}, {}, {}, {}, {}, {}, {})
             AS e(sid, seq, format, at, turn, agent, body, sum))",
        parameter(1, "bigint"),
        parameter(2, "bigint"),
        parameter(3, "bigint"),
        parameter(4, "bigint"),
        parameter(5, "bytea"),
        parameter(6, "text"),
        parameter(7, "text"),
        parameter(8, "bytea"),
    )
}

/// The parameters of [`events_table`].
pub(super) fn events_params<'a>(appends: &'a [PlacedAppend<'a>]) -> [Param<'a>; 8] {
    let events = || appends.iter().flat_map(|append| append.events.iter().map(|event| (append.sid, event)));
    params![
        events().map(|(sid, _)| sid).collect::<Vec<_>>(),
        events().map(|(_, event)| number(event.seq)).collect::<Vec<_>>(),
        events().map(|_| i64::from(CURRENT_FORMAT)).collect::<Vec<_>>(),
        events().map(|(_, event)| event.at.as_millis()).collect::<Vec<_>>(),
        events().map(|(_, event)| event.turn.map(|turn| turn.to_bytes().to_vec())).collect::<Vec<_>>(),
        events().map(|(_, event)| event.agent.as_deref()).collect::<Vec<_>>(),
        events().map(|(_, event)| event.body.get()).collect::<Vec<_>>(),
        appends.iter().flat_map(|append| append.sums).map(|head| head.sum.as_bytes().to_vec()).collect::<Vec<_>>(),
    ]
}

/// The tables that note schedules, alerts and turns in the background of the sessions in `chosen`,
/// from the arrays 1 to 8 after `at`.
pub(super) fn plans_tables(at: usize) -> String {
    let p = |n: usize| format!("${}", at + n);
    format!(
        "noted_schedules AS (
             INSERT INTO dwell.schedules AS t (id, sid, entity)
             SELECT n.id, n.sid, n.entity FROM unnest({}::bigint[], {}::bytea[], {}::text[]) AS n(sid, id, entity)
             JOIN chosen USING (sid)
             ON CONFLICT (id) DO UPDATE SET entity = excluded.entity WHERE t.entity IS DISTINCT FROM excluded.entity),
         noted_alerts AS (
             INSERT INTO dwell.alerts (id, sid)
             SELECT n.id, n.sid FROM unnest({}::bigint[], {}::bytea[]) AS n(sid, id) JOIN chosen USING (sid)
             ON CONFLICT (id) DO NOTHING),
         noted_background AS (
             INSERT INTO dwell.background_turns (id, sid, is_open)
             SELECT n.id, n.sid, n.is_open FROM unnest({}::bigint[], {}::bytea[], {}::boolean[]) AS n(sid, id, is_open)
             JOIN chosen USING (sid)
             ON CONFLICT (id) DO UPDATE SET is_open = excluded.is_open)",
        p(1),
        p(2),
        p(3),
        p(4),
        p(5),
        p(6),
        p(7),
        p(8),
    )
}

/// The parameters of [`plans_tables`]. A statement must not write a row twice, so the last entry of
/// an id counts.
pub(super) fn plans_params<'a>(summaries: impl Iterator<Item = (i64, &'a PreparedSummary)> + Clone) -> [Param<'a>; 8] {
    let mut schedules = HashMap::new();
    let mut alerts = HashMap::new();
    let mut background = HashMap::new();
    for (sid, summary) in summaries {
        schedules.extend(summary.schedules.iter().map(|entry| (entry.id.to_bytes(), (sid, entry.entity.as_deref()))));
        alerts.extend(summary.alerts.iter().map(|id| (id.to_bytes(), sid)));
        background.extend(summary.background.iter().map(|entry| (entry.turn_id.to_bytes(), (sid, entry.is_open))));
    }
    params![
        schedules.values().map(|(sid, _)| *sid).collect::<Vec<i64>>(),
        schedules.keys().copied().collect::<Vec<[u8; 16]>>(),
        schedules.values().map(|(_, entity)| *entity).collect::<Vec<_>>(),
        alerts.values().copied().collect::<Vec<i64>>(),
        alerts.keys().copied().collect::<Vec<[u8; 16]>>(),
        background.values().map(|(sid, _)| *sid).collect::<Vec<i64>>(),
        background.keys().copied().collect::<Vec<[u8; 16]>>(),
        background.values().map(|(_, is_open)| *is_open).collect::<Vec<bool>>(),
    ]
}

/// The part of the statement that updates the catalog.
const LISTED: &str = "listed AS (
    UPDATE dwell.sessions s SET updated_at = n.updated_at, is_moving = n.is_moving, wake_at = n.wake_at, view = n.view
    FROM unnest($16::bigint[], $17::bigint[], $18::boolean[], $19::bigint[], $20::text[])
        AS n(sid, updated_at, is_moving, wake_at, view)
    JOIN chosen USING (sid) WHERE s.sid = n.sid),";

/// The statement for these appends. Its rows are the heads as they were: sid, epoch, head, sum; and
/// whether this node's lease is alive. If it is not, nothing is written.
/// What none of them has is left out, which makes planning it shorter. Other nodes are told only if
/// there are any.
pub(super) fn statement(appends: &[PlacedAppend<'_>], has_others: bool) -> String {
    let summaries = || appends.iter().filter_map(|append| append.summary);
    let has_plans = |summary: &PreparedSummary| {
        !(summary.schedules.is_empty() && summary.alerts.is_empty() && summary.background.is_empty())
    };
    let listed = if summaries().next().is_some() { LISTED } else { "" };
    let plans = if summaries().any(has_plans) { plans_tables(20) + "," } else { String::new() };
    let (noticed, notified) = if has_others { (NOTICED, NOTIFIED) } else { ("", "") };
    format!(
        "WITH wanted AS (
             SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[], $6::bytea[],
                 $7::bigint[]) AS w(sid, epoch, head, sum, new_head, new_sum, new_bytes)),
         alive AS MATERIALIZED (
             SELECT 1 FROM dwell.nodes WHERE number = $29 AND boot = $30 AND lease_until > clock_timestamp()),
         found AS MATERIALIZED (
             SELECT h.sid, h.epoch, h.head, h.sum FROM dwell.heads h JOIN wanted w ON w.sid = h.sid
             ORDER BY h.sid FOR NO KEY UPDATE OF h),
         chosen AS MATERIALIZED (
             SELECT w.* FROM wanted w JOIN found f
             ON f.sid = w.sid AND f.epoch = w.epoch AND f.head = w.head AND f.sum = w.sum
             WHERE EXISTS (SELECT 1 FROM alive)),
         moved AS (
             UPDATE dwell.heads h SET head = c.new_head, sum = c.new_sum, bytes = h.bytes + c.new_bytes
             FROM chosen c WHERE h.sid = c.sid),
         {events},
         added AS (
             INSERT INTO dwell.events (sid, seq, format, at, turn, agent, body, sum)
             SELECT e.* FROM new_events e JOIN chosen USING (sid)),
         {listed}
         {plans}
         {noticed}
         counted AS (
             INSERT INTO dwell.owner_totals AS t (owner, slot, journal_bytes)
             SELECT s.owner, $29, sum(c.new_bytes) FROM chosen c JOIN dwell.sessions s ON s.sid = c.sid
             GROUP BY s.owner ORDER BY s.owner
             ON CONFLICT (owner, slot) DO UPDATE SET journal_bytes = t.journal_bytes + excluded.journal_bytes)
         SELECT sid, epoch, head, sum, EXISTS (SELECT 1 FROM alive) FROM found{notified}",
        events = events_table(7),
    )
}

/// The parameters of the statement.
pub(super) fn parameters<'a>(appends: &'a [PlacedAppend<'a>], node: &Node) -> Vec<Param<'a>> {
    let summaries = || appends.iter().filter_map(|append| append.summary.map(|summary| (append.sid, summary)));
    let mut all = Vec::from(params![
        appends.iter().map(|append| append.sid).collect::<Vec<_>>(),
        appends.iter().map(|append| number(append.epoch)).collect::<Vec<_>>(),
        appends.iter().map(|append| number(append.before.seq)).collect::<Vec<_>>(),
        appends.iter().map(|append| append.before.sum.as_bytes().to_vec()).collect::<Vec<_>>(),
        appends.iter().map(|append| number(append.after.seq)).collect::<Vec<_>>(),
        appends.iter().map(|append| append.after.sum.as_bytes().to_vec()).collect::<Vec<_>>(),
        appends.iter().map(|append| bytes(append.events)).collect::<Vec<_>>(),
    ]);
    all.extend(events_params(appends));
    all.extend(params![
        summaries().map(|(sid, _)| sid).collect::<Vec<_>>(),
        summaries().map(|(_, summary)| summary.updated_at.as_millis()).collect::<Vec<_>>(),
        summaries().map(|(_, summary)| summary.is_moving).collect::<Vec<_>>(),
        summaries()
            .map(|(_, summary)| summary.wake_at.map(protocol::Timestamp::as_millis))
            .collect::<Vec<Option<i64>>>(),
        summaries().map(|(_, summary)| summary.view.get()).collect::<Vec<_>>(),
    ]);
    all.extend(plans_params(summaries()));
    all.extend(params![node.number, node.boot]);
    all
}
