//! A schedule through crashes, downtime and a clock that steps: every planned run starts once or
//! is missed, and none is missed within its window.

use std::collections::BTreeSet;

use proptest::prelude::*;
use protocol::{
    CatchUp, Origin, RunKey, RunOutcome, ScheduleEvent, ScheduleId, ScheduleSpec, ScheduledAction, Timestamp, When,
};
use schedule::{ON_TIME_MS, ScheduleCommand, ScheduleEffect, Schedules, Timetable, decide};
use ulid::Ulid;

const ZONE: &str = "Europe/Berlin";

/// What happens next in the life of a server.
#[derive(Debug, Clone, Copy)]
enum ServerStep {
    /// This many milliseconds pass, in which the server runs or is down.
    Pass(u64),
    /// The clock steps back.
    StepBack(u64),
    /// It wakes up, and all goes well.
    Wake,
    /// It wakes up and dies before anything is written.
    DieBeforeWrite,
    /// It wakes up and dies after writing, before the runs are started.
    DieAfterWrite,
    /// It restarts: it reads its journal and starts the open runs.
    Restart,
}

fn server_step() -> impl Strategy<Value = ServerStep> {
    prop_oneof![
        4 => (1..20_000_000u64).prop_map(ServerStep::Pass),
        1 => (1..900_000u64).prop_map(ServerStep::StepBack),
        5 => Just(ServerStep::Wake),
        1 => Just(ServerStep::DieBeforeWrite),
        1 => Just(ServerStep::DieAfterWrite),
        1 => Just(ServerStep::Restart),
    ]
}

/// A server with one schedule.
struct Server {
    id: ScheduleId,
    now: Timestamp,
    state: Schedules,
    journal: Vec<(ScheduleEvent, Timestamp)>,
    /// Runs that were started outside, where a key is accepted once.
    world: BTreeSet<RunKey>,
    window_ms: u64,
}

impl Server {
    fn command(&mut self, command: ScheduleCommand) -> Vec<ScheduleEffect> {
        let decision = decide(&self.state, command, self.now).unwrap();
        for event in decision.events {
            if let ScheduleEvent::Missed { first_at, .. } = event {
                assert!(self.now.since(first_at).as_millis() > u128::from(self.window_ms), "missed within its window");
            }
            self.state.apply(&event, self.now);
            self.journal.push((event, self.now));
        }
        decision.effects
    }

    fn start(&mut self, key: RunKey) {
        self.world.insert(key);
        self.command(ScheduleCommand::Settle { key, outcome: RunOutcome::Done });
    }

    fn restart(&mut self) {
        self.state = Schedules::default();
        for (event, at) in &self.journal {
            self.state.apply(event, *at);
        }
        let open: Vec<RunKey> = self.state.open_runs().map(|(key, _)| key).collect();
        open.into_iter().for_each(|key| self.start(key));
    }

    fn wake(&mut self) {
        while self.state.due_at(self.id).is_some_and(|due| due <= self.now) {
            for ScheduleEffect::Start { key, .. } in self.command(ScheduleCommand::Wake { id: self.id }) {
                self.start(key);
            }
        }
    }

    fn live(&mut self, step: ServerStep) {
        match step {
            ServerStep::Pass(ms) => self.now = self.now.plus(std::time::Duration::from_millis(ms)),
            ServerStep::StepBack(ms) => {
                self.now = Timestamp::from_millis(self.now.as_millis() - i64::try_from(ms).unwrap());
            }
            ServerStep::Wake => self.wake(),
            ServerStep::DieBeforeWrite => {
                decide(&self.state, ScheduleCommand::Wake { id: self.id }, self.now).unwrap();
                self.restart();
            }
            ServerStep::DieAfterWrite => {
                self.command(ScheduleCommand::Wake { id: self.id });
                self.restart();
            }
            ServerStep::Restart => self.restart(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn every_run_starts_once_or_is_missed_by_policy(
        steps in prop::collection::vec(server_step(), 1..40),
        minutes in prop::sample::select(&[20u64, 30, 60][..]),
        catch_up in prop::sample::select(&[CatchUp::Skip, CatchUp::RunLate { window_ms: 5_400_000 }, CatchUp::Once][..]),
        // Around the end of summer time in Berlin, or any other time.
        start in prop::sample::select(&["2026-10-24T20:00:00Z", "2026-11-18T12:00:00Z", "2027-03-27T22:00:00Z"][..]),
    ) {
        let now: Timestamp = start.parse().unwrap();
        let rule = format!("FREQ=MINUTELY;INTERVAL={minutes}");
        let when = When::Rrule { rule, start: "2026-01-01T00:00:00".parse().unwrap() };
        let action = ScheduledAction::Turn { message: "news".to_owned() };
        let spec = ScheduleSpec { name: None, when: when.clone(), zone: None, action, catch_up, runs_max: None, limits: None, satellite: None, origin: Origin::Trusted };
        let id = ScheduleId::new(Ulid::from(1u128));
        let window_ms = match catch_up {
            CatchUp::RunLate { window_ms } => window_ms,
            CatchUp::Skip => ON_TIME_MS,
            CatchUp::Once => u64::MAX,
        };
        let (state, journal, world) = Default::default();
        let mut server = Server { id, now, state, journal, world, window_ms };
        let owner_zone = ZONE.to_owned();
        server.command(ScheduleCommand::Create { id, spec, owner_zone, made_by: None, needs_approval: false });
        steps.into_iter().for_each(|step| server.live(step));
        server.live(ServerStep::Restart);
        server.live(ServerStep::Wake);

        let fired: Vec<RunKey> = server
            .journal
            .iter()
            .filter_map(|(event, _)| if let ScheduleEvent::Fired { key, .. } = event { Some(*key) } else { None })
            .collect();
        prop_assert!(fired.is_sorted_by(|left, right| left < right), "each once, in order");
        prop_assert_eq!(&fired.iter().copied().collect::<BTreeSet<_>>(), &server.world, "each was started");
        prop_assert_eq!(server.state.open_runs().count(), 0);
        // All that was planned up to now is accounted for.
        let next_at = server.state.due_at(id).unwrap();
        let planned = Timetable::new(&when, ZONE, now).unwrap().between(
            now,
            Timestamp::from_millis(next_at.as_millis() - 1),
            100_000,
        );
        let schedule = server.state.get(id).unwrap();
        prop_assert_eq!(planned.len(), fired.len() + schedule.missed as usize);
    }
}
