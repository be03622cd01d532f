//! The state machine: what happens to a schedule from its making to its end.

use protocol::{
    CatchUp, EndReason, MissReason, Origin, RunKey, RunOutcome, ScheduleEvent, ScheduleId, ScheduleSpec,
    ScheduledAction, Timestamp, When,
};
use schedule::{
    GENERATION_MAX, RECENT_MAX, RUNS_PER_WAKE_MAX, SCHEDULES_MAX, ScheduleCommand, ScheduleEffect, ScheduleRefusal,
    ScheduleStatus, Schedules, decide,
};
use ulid::Ulid;

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Schedules with a journal, as the engine has them.
#[derive(Default)]
struct World {
    state: Schedules,
    journal: Vec<(ScheduleEvent, Timestamp)>,
    started: Vec<RunKey>,
}

impl World {
    fn run(&mut self, command: ScheduleCommand, now: Timestamp) -> Result<Vec<ScheduleEvent>, ScheduleRefusal> {
        let decision = decide(&self.state, command, now)?;
        for event in &decision.events {
            self.state.apply(event, now);
            self.journal.push((event.clone(), now));
        }
        for ScheduleEffect::Start { key, .. } in decision.effects {
            assert!(!self.started.contains(&key), "{key} started twice");
            self.started.push(key);
        }
        let mut replayed = Schedules::default();
        self.journal.iter().for_each(|(event, at)| replayed.apply(event, *at));
        assert_eq!(replayed, self.state, "replaying the journal gives another state");
        Ok(decision.events)
    }

    fn create(&mut self, number: u128, spec: ScheduleSpec, now: Timestamp) -> ScheduleId {
        let id = id(number);
        self.run(create(id, spec), now).unwrap();
        id
    }

    fn wake(&mut self, id: ScheduleId, now: Timestamp) -> Vec<ScheduleEvent> {
        self.run(ScheduleCommand::Wake { id }, now).unwrap()
    }
}

fn id(number: u128) -> ScheduleId {
    ScheduleId::new(Ulid::from(number))
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn after(moment: Timestamp, ms: u64) -> Timestamp {
    moment.plus(std::time::Duration::from_millis(ms))
}

fn create(id: ScheduleId, spec: ScheduleSpec) -> ScheduleCommand {
    ScheduleCommand::Create { id, spec, owner_zone: "Europe/Berlin".to_owned(), made_by: None, needs_approval: false }
}

fn reminder(when: When, catch_up: CatchUp) -> ScheduleSpec {
    let action = ScheduledAction::Remind { text: "pizza".to_owned(), timer: false };
    ScheduleSpec {
        name: None,
        when,
        zone: None,
        action,
        catch_up,
        runs_max: None,
        limits: None,
        satellite: None,
        origin: Origin::Trusted,
    }
}

fn daily(catch_up: CatchUp) -> ScheduleSpec {
    reminder(When::Cron { expression: "0 7 * * *".to_owned() }, catch_up)
}

fn in_minutes(minutes: u64) -> ScheduleSpec {
    reminder(When::After { after_ms: minutes * MINUTE }, CatchUp::RunLate { window_ms: HOUR })
}

const NOON: &str = "2026-11-18T12:00:00Z";

#[test]
fn a_reminder_that_was_planned_by_a_clock_that_was_set_back_fires_once() {
    for catch_up in [CatchUp::RunLate { window_ms: HOUR }, CatchUp::Once] {
        let mut state = Schedules::default();
        let spec = reminder(When::After { after_ms: MINUTE }, catch_up);
        // Times in a journal never decrease: what happens is noted later than the clock shows.
        let noted_at = after(at(NOON), 10 * MINUTE);
        for event in decide(&state, create(id(1), spec), at(NOON)).unwrap().events {
            state.apply(&event, noted_at);
        }
        let mut fired = 0;
        for minute in 0..30 {
            let now = after(at(NOON), minute * MINUTE);
            let decision = decide(&state, ScheduleCommand::Wake { id: id(1) }, now).unwrap();
            fired += decision.effects.len();
            decision.events.iter().for_each(|event| state.apply(event, now.max(noted_at)));
        }
        assert_eq!(fired, 1, "{catch_up:?}");
    }
}

#[test]
fn a_reminder_fires_once_and_ends() {
    let mut world = World::default();
    let id = world.create(1, in_minutes(10), at(NOON));
    let due = after(at(NOON), 10 * MINUTE);
    assert_eq!(world.state.due_at(id), Some(due));
    assert_eq!(world.wake(id, after(due, 0).min(after(at(NOON), 9 * MINUTE))), [], "not due yet");
    let key = RunKey { schedule_id: id, planned_at: due };
    assert_eq!(
        world.wake(id, after(due, 40)),
        [
            ScheduleEvent::Fired { key, late_ms: 40, stands_for: 0, next_at: None, cause: None },
            ScheduleEvent::Ended { schedule_id: id, reason: EndReason::Done },
        ]
    );
    // A queue that is behind, a second node, a clock that steps back: nothing starts again.
    assert_eq!(world.wake(id, after(due, 50)), []);
    assert_eq!(world.wake(id, at(NOON)), []);
    assert_eq!(world.state.open_runs().map(|(key, _)| key).collect::<Vec<_>>(), [key], "started again after a crash");
    let outcome = RunOutcome::Done;
    world.run(ScheduleCommand::Settle { key, outcome: outcome.clone() }, after(due, 60)).unwrap();
    assert_eq!(world.state.open_runs().count(), 0);
    assert_eq!(world.run(ScheduleCommand::Settle { key, outcome }, after(due, 70)).unwrap(), [], "settled once");
}

#[test]
fn after_downtime_the_policy_decides() {
    // 7 in Berlin is 6 in UTC. The server is down for three and a half days.
    let made = at(NOON);
    let back = at("2026-11-22T06:30:00Z");
    let missed_days = |world: &World, id| world.state.get(id).unwrap().missed;

    let mut world = World::default();
    let skip = world.create(1, daily(CatchUp::Skip), made);
    let [ScheduleEvent::Missed { count, reason, next_at, .. }] = world.wake(skip, back)[..] else { panic!() };
    assert_eq!((count, reason, next_at), (4, MissReason::Late, Some(at("2026-11-23T06:00:00Z"))));
    assert_eq!(missed_days(&world, skip), 4);

    let late = world.create(2, daily(CatchUp::RunLate { window_ms: 25 * HOUR }), made);
    let events = world.wake(late, back);
    assert_eq!(missed_days(&world, late), 2, "those of more than 25 hours ago: {events:?}");
    assert_eq!(world.started.len(), 2);
    assert_eq!(world.started[0].planned_at, at("2026-11-21T06:00:00Z"));
    assert_eq!(world.state.due_at(late), Some(at("2026-11-23T06:00:00Z")));

    world.started.clear();
    let once = world.create(3, daily(CatchUp::Once), made);
    let events = world.wake(once, back);
    let [ScheduleEvent::Fired { key, stands_for, next_at, .. }] = events[..] else { panic!("{events:?}") };
    assert_eq!(key.planned_at, at("2026-11-19T06:00:00Z"));
    assert_eq!((stands_for, next_at), (3, Some(at("2026-11-23T06:00:00Z"))));
}

#[test]
fn many_late_runs_start_in_portions() {
    let mut world = World::default();
    let spec = reminder(When::Cron { expression: "*/5 * * * *".to_owned() }, CatchUp::RunLate { window_ms: 2 * HOUR });
    let id = world.create(1, spec, at(NOON));
    let back = after(at(NOON), DAY);
    world.wake(id, back);
    assert_eq!(world.started.len(), RUNS_PER_WAKE_MAX);
    assert!(world.state.due_at(id).unwrap() <= back, "still due");
    while world.state.due_at(id).unwrap() <= back {
        world.wake(id, back);
    }
    assert_eq!(world.started.len(), 25, "two hours, both ends");
    assert!(world.started.is_sorted());
}

#[test]
fn a_timer_keeps_what_is_left_while_it_is_paused() {
    let mut world = World::default();
    let id = world.create(1, in_minutes(10), at(NOON));
    world.run(ScheduleCommand::Pause { id }, after(at(NOON), 4 * MINUTE)).unwrap();
    assert_eq!(world.state.due_at(id), None);
    assert_eq!(world.wake(id, after(at(NOON), HOUR)), []);
    assert_eq!(world.run(ScheduleCommand::Pause { id }, at(NOON)), Err(ScheduleRefusal::NotActive));
    world.run(ScheduleCommand::Resume { id }, after(at(NOON), HOUR)).unwrap();
    assert_eq!(world.state.due_at(id), Some(after(at(NOON), HOUR + 6 * MINUTE)));
    assert_eq!(world.run(ScheduleCommand::Resume { id }, at(NOON)), Err(ScheduleRefusal::NotPaused));
    world.wake(id, after(at(NOON), HOUR + 6 * MINUTE));
    assert_eq!(world.started.len(), 1);
    assert_eq!(world.state.get(id).unwrap().status, ScheduleStatus::Ended);
}

#[test]
fn a_rule_does_not_make_up_for_its_pause() {
    let mut world = World::default();
    let id = world.create(1, daily(CatchUp::Once), at(NOON));
    world.run(ScheduleCommand::Pause { id }, at(NOON)).unwrap();
    world.run(ScheduleCommand::Resume { id }, after(at(NOON), 3 * DAY)).unwrap();
    assert_eq!(world.state.due_at(id), Some(at("2026-11-22T06:00:00Z")));
}

#[test]
fn the_owners_new_time_zone_moves_what_follows_it() {
    let mut world = World::default();
    let follows = world.create(1, daily(CatchUp::Skip), at(NOON));
    let fixed = ScheduleSpec { zone: Some("Europe/Berlin".to_owned()), ..daily(CatchUp::Skip) };
    let fixed = world.create(2, fixed, at(NOON));
    let timer = world.create(3, in_minutes(10), at(NOON));
    let local = When::Local { at: "2026-11-20T09:00:00".parse().unwrap() };
    let local = world.create(4, reminder(local, CatchUp::Skip), at(NOON));
    world.run(ScheduleCommand::Rezone { owner_zone: "America/New_York".to_owned() }, at(NOON)).unwrap();
    assert_eq!(world.state.due_at(follows), Some(at("2026-11-19T12:00:00Z")));
    assert_eq!(world.state.due_at(fixed), Some(at("2026-11-19T06:00:00Z")));
    assert_eq!(world.state.due_at(timer), Some(after(at(NOON), 10 * MINUTE)));
    assert_eq!(world.state.due_at(local), Some(at("2026-11-20T14:00:00Z")));
    let nowhere = ScheduleCommand::Rezone { owner_zone: "Mars/Base".to_owned() };
    assert!(matches!(world.run(nowhere, at(NOON)), Err(ScheduleRefusal::Time(_))));
}

#[test]
fn a_call_runs_only_as_it_was_approved() {
    let call = |digest: &str| ScheduleSpec {
        action: ScheduledAction::Call {
            tool: "home_call_service".to_owned(),
            arguments: serde_json::json!({"service": "light.turn_off"}),
            digest: digest.to_owned(),
        },
        ..daily(CatchUp::Skip)
    };
    let mut world = World::default();
    let id = id(1);
    let owner_zone = "UTC".to_owned();
    let command = ScheduleCommand::Create { id, spec: call("d1"), owner_zone, made_by: None, needs_approval: true };
    world.run(command, at(NOON)).unwrap();
    let [ScheduleEvent::Missed { reason, .. }] = world.wake(id, at("2026-11-19T07:00:00Z"))[..] else { panic!() };
    assert_eq!(reason, MissReason::NotApproved);
    let approve = |digest: &str| ScheduleCommand::Approve { id, digest: digest.to_owned() };
    assert_eq!(world.run(approve("d2"), at(NOON)), Err(ScheduleRefusal::OtherDigest));
    world.run(approve("d1"), at(NOON)).unwrap();
    assert_eq!(world.run(approve("d1"), at(NOON)), Err(ScheduleRefusal::NotWaiting));
    world.wake(id, at("2026-11-20T07:00:00Z"));
    assert_eq!(world.started.len(), 1);
    // Another call is another approval.
    let change = ScheduleCommand::Change { id, spec: call("d2"), needs_approval: true };
    world.run(change, at("2026-11-20T08:00:00Z")).unwrap();
    assert_eq!(world.state.get(id).unwrap().status, ScheduleStatus::Waiting);
    assert_eq!(world.run(ScheduleCommand::RunNow { id }, at(NOON)), Err(ScheduleRefusal::NotActive));
    let renamed = ScheduleSpec { name: Some("lights".to_owned()), ..call("d2") };
    let change = ScheduleCommand::Change { id, spec: renamed, needs_approval: false };
    world.run(change, at("2026-11-20T08:00:00Z")).unwrap();
    assert_eq!(world.state.get(id).unwrap().status, ScheduleStatus::Waiting, "a new name is no approval");
}

#[test]
fn changing_the_text_keeps_the_next_run() {
    let mut world = World::default();
    let id = world.create(1, in_minutes(10), at(NOON));
    let action = ScheduledAction::Remind { text: "lasagne".to_owned(), timer: false };
    let spec = ScheduleSpec { action, ..in_minutes(10) };
    let change = ScheduleCommand::Change { id, spec, needs_approval: false };
    world.run(change, after(at(NOON), 5 * MINUTE)).unwrap();
    assert_eq!(world.state.due_at(id), Some(after(at(NOON), 10 * MINUTE)));
    let change = ScheduleCommand::Change { id, spec: in_minutes(30), needs_approval: false };
    world.run(change, after(at(NOON), 5 * MINUTE)).unwrap();
    assert_eq!(world.state.due_at(id), Some(after(at(NOON), 35 * MINUTE)));
}

#[test]
fn a_reminder_that_has_run_can_be_snoozed_and_run_now() {
    let mut world = World::default();
    let first = world.create(1, in_minutes(1), at(NOON));
    let snooze = |new| ScheduleCommand::Snooze { id: first, new_id: id(new), after_ms: 10 * MINUTE };
    assert_eq!(world.run(snooze(2), at(NOON)), Err(ScheduleRefusal::NotSnoozable));
    world.wake(first, after(at(NOON), MINUTE));
    world.run(snooze(2), after(at(NOON), 2 * MINUTE)).unwrap();
    assert_eq!(world.state.due_at(id(2)), Some(after(at(NOON), 12 * MINUTE)));
    assert_eq!(world.run(snooze(2), at(NOON)), Err(ScheduleRefusal::Exists(id(2))));
    world.run(ScheduleCommand::RunNow { id: id(2) }, after(at(NOON), 3 * MINUTE)).unwrap();
    assert_eq!(world.state.due_at(id(2)), Some(after(at(NOON), 12 * MINUTE)), "its plan stays");
    assert_eq!(world.run(ScheduleCommand::RunNow { id: id(2) }, after(at(NOON), 3 * MINUTE)).unwrap(), []);
    world.run(ScheduleCommand::Cancel { id: id(2) }, after(at(NOON), 4 * MINUTE)).unwrap();
    assert_eq!(world.run(ScheduleCommand::Cancel { id: id(2) }, at(NOON)), Err(ScheduleRefusal::Ended));
    assert_eq!(world.wake(id(2), after(at(NOON), DAY)), []);
    assert_eq!(world.run(ScheduleCommand::Cancel { id: id(9) }, at(NOON)), Err(ScheduleRefusal::NotFound(id(9))));
}

#[test]
fn a_schedule_ends_after_its_runs() {
    let mut world = World::default();
    let id = world.create(1, ScheduleSpec { runs_max: Some(2), ..daily(CatchUp::Skip) }, at(NOON));
    world.wake(id, at("2026-11-19T06:00:00Z"));
    assert!(world.state.get(id).unwrap().is_open());
    let events = world.wake(id, at("2026-11-20T06:00:00Z"));
    assert_eq!(events.last(), Some(&ScheduleEvent::Ended { schedule_id: id, reason: EndReason::RunsMax }));
    assert_eq!(world.state.due_at(id), None);
}

#[test]
fn limits_are_kept_and_explained() {
    let mut world = World::default();
    let refused = |world: &mut World, spec| world.run(create(id(99), spec), at(NOON)).unwrap_err();
    let past = reminder(When::At { at: at("2026-11-18T11:59:00Z") }, CatchUp::Skip);
    assert_eq!(refused(&mut world, past), ScheduleRefusal::Past);
    let nameless = ScheduleSpec { name: Some(String::new()), ..in_minutes(1) };
    assert_eq!(refused(&mut world, nameless), ScheduleRefusal::Name);
    let huge = ScheduledAction::Turn { message: "x".repeat(20_000) };
    assert_eq!(refused(&mut world, ScheduleSpec { action: huge, ..in_minutes(1) }), ScheduleRefusal::Action);
    assert_eq!(refused(&mut world, ScheduleSpec { runs_max: Some(0), ..in_minutes(1) }), ScheduleRefusal::NoRuns);
    for (when, words) in [
        (When::Cron { expression: "0 7 * *".to_owned() }, "4 fields"),
        (When::Cron { expression: "0 7 30 2 *".to_owned() }, "no date matches"),
        (When::Cron { expression: "61 7 * * *".to_owned() }, "not a cron expression"),
        (
            When::Rrule { rule: "FREQ=SECONDLY".to_owned(), start: "2026-01-01T00:00:00".parse().unwrap() },
            "once a minute",
        ),
        (When::Rrule { rule: "BYDAY=MO".to_owned(), start: "2026-01-01T00:00:00".parse().unwrap() }, "FREQ"),
        (When::Rrule { rule: "FREQ=DAILY;BYEGG=1".to_owned(), start: "2026-01-01T00:00:00".parse().unwrap() }, "BYEGG"),
        (When::Rrule { rule: "FREQ=DAILY;BYHOUR=25".to_owned(), start: "2026-01-01T00:00:00".parse().unwrap() }, "25"),
    ] {
        let error = refused(&mut world, reminder(when.clone(), CatchUp::Skip)).to_string();
        assert!(error.contains(words), "{when:?}: {error}");
    }
    let mut parent = None;
    for generation in 0..=u128::from(GENERATION_MAX) {
        let (id, owner_zone) = (id(100 + generation), "UTC".to_owned());
        let made_by = parent.replace(id);
        let child = ScheduleCommand::Create { id, spec: in_minutes(1), owner_zone, made_by, needs_approval: false };
        world.run(child, at(NOON)).unwrap();
    }
    let owner_zone = "UTC".to_owned();
    let deep =
        ScheduleCommand::Create { id: id(98), spec: in_minutes(1), owner_zone, made_by: parent, needs_approval: false };
    assert_eq!(world.run(deep, at(NOON)), Err(ScheduleRefusal::TooDeep));
}

#[test]
fn there_is_a_limit_of_open_schedules_and_of_remembered_ones() {
    let mut state = Schedules::default();
    let apply = |state: &mut Schedules, command| {
        let decision = decide(state, command, at(NOON))?;
        decision.events.iter().for_each(|event| state.apply(event, at(NOON)));
        Ok::<_, ScheduleRefusal>(())
    };
    let count = SCHEDULES_MAX as u128;
    (1..=count).for_each(|number| apply(&mut state, create(id(number), in_minutes(1))).unwrap());
    assert_eq!(apply(&mut state, create(id(count + 1), in_minutes(1))), Err(ScheduleRefusal::TooMany));
    (1..=100).for_each(|number| apply(&mut state, ScheduleCommand::Cancel { id: id(number) }).unwrap());
    assert_eq!(state.all().count() - state.open().count(), RECENT_MAX);
    apply(&mut state, create(id(count + 1), in_minutes(1))).unwrap();
}
