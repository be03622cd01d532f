//! Which sessions have to be woken, and where schedules and alerts are.

use journal::{Append, BackgroundEntry, ScheduleEntry, SessionSummary};
use protocol::{AlertId, ScheduleId, TurnId};

use super::{StoreFixture, with_session};
use crate::sample::{at, note, owner, summary};

pub(crate) async fn what_is_planned_is_found_again(place: &dyn StoreFixture) {
    let (store, id) = with_session(place).await;
    let lease = store.acquire(id).await.unwrap();
    let ada = owner("ada");
    let schedule = ScheduleId::from_bytes([7; 16]);
    let alerts = [AlertId::from_bytes([1; 16]), AlertId::from_bytes([2; 16])];
    let entry = |entity: Option<&str>| ScheduleEntry { id: schedule, entity: entity.map(str::to_owned) };
    let turns = [TurnId::from_bytes([3; 16]), TurnId::from_bytes([4; 16])];
    let planned = SessionSummary {
        background: turns.map(|turn_id| BackgroundEntry { turn_id, is_open: true }).to_vec(),
        wake_at: Some(at(90)),
        schedules: vec![entry(Some("light.kitchen"))],
        alerts: alerts.to_vec(),
        ..summary(id, &ada, None, 1)
    };
    store.append(lease, Append::new(1, vec![note(id, 2)], Some(Box::new(planned)))).await.unwrap();
    assert_eq!(store.wakes().await.unwrap(), [(id, at(90))]);
    assert_eq!(store.schedule_session(schedule).await.unwrap(), Some(id));
    assert_eq!(store.sessions_with_schedules(&ada).await.unwrap(), [id]);
    assert!(store.sessions_with_schedules(&owner("bob")).await.unwrap().is_empty());
    assert_eq!(store.home_triggers().await.unwrap(), [(id, "light.kitchen".to_owned())]);
    assert_eq!(store.alert_session(alerts[1]).await.unwrap(), Some(id));
    assert_eq!(store.newest_alerts(&ada, 1).await.unwrap(), [(alerts[1], id)], "newest first");
    assert_eq!(store.newest_alerts(&owner("bob"), 9).await.unwrap(), []);
    assert_eq!(store.background_turns(&ada, false, 9).await.unwrap(), [turns[1], turns[0]], "newest first");
    assert_eq!(store.background_turns(&owner("bob"), true, 9).await.unwrap(), []);
    drop(store);

    // A restart finds all of it; then the plan changes.
    let store = place.open();
    assert_eq!(store.wakes().await.unwrap(), [(id, at(90))]);
    assert_eq!(store.home_triggers().await.unwrap().len(), 1);
    let lease = store.acquire(id).await.unwrap();
    let over = SessionSummary {
        schedules: vec![entry(None)],
        background: vec![BackgroundEntry { turn_id: turns[1], is_open: false }],
        ..summary(id, &ada, None, 2)
    };
    store.append(lease, Append::new(2, vec![note(id, 3)], Some(Box::new(over)))).await.unwrap();
    assert!(store.wakes().await.unwrap().is_empty() && store.home_triggers().await.unwrap().is_empty());
    assert_eq!(store.schedule_session(schedule).await.unwrap(), Some(id), "it can still be read");

    assert_eq!(store.background_turns(&ada, false, 9).await.unwrap(), [turns[0]]);
    assert_eq!(store.background_turns(&ada, true, 1).await.unwrap(), [turns[1]]);

    store.remove(lease).await.unwrap();
    assert_eq!(store.background_turns(&ada, true, 9).await.unwrap(), []);
    assert_eq!(store.schedule_session(schedule).await.unwrap(), None);
    assert_eq!(store.alert_session(alerts[0]).await.unwrap(), None);
}
