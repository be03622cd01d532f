//! The newest time and the clock record.

use journal::{Append, ClockRecord};

use super::{StoreFixture, with_session};
use crate::sample::{at, note, owner, session, started, summary};

pub(crate) async fn the_newest_time_of_all_sessions_is_known(place: &dyn StoreFixture) {
    let store = place.open();
    assert_eq!(store.newest_at().await, Ok(None));
    for (n, who, updated) in [(1, "ada", 5), (2, "bob", 9), (3, "ada", 7)] {
        let (id, who) = (session(n), owner(who));
        store.create(vec![started(id, &who, None)], summary(id, &who, None, updated)).await.unwrap();
    }
    assert_eq!(store.newest_at().await, Ok(Some(at(9))));
    let lease = store.acquire(session(1)).await.unwrap();
    let newer = summary(session(1), &owner("ada"), None, 20);
    let append = Append::new(1, vec![note(session(1), 2)], Some(Box::new(newer)));
    store.append(lease, append).await.unwrap();
    assert_eq!(store.newest_at().await, Ok(Some(at(20))));
}

pub(crate) async fn the_record_of_the_clock_survives_reopening(place: &dyn StoreFixture) {
    let (store, _) = with_session(place).await;
    assert_eq!(store.clock_record().await, Ok(None));
    for n in 1..3 {
        let record = ClockRecord { agreed: at(n), seen: at(10 * n), steady_ms: 100 * n };
        store.keep_clock_record(record).await.unwrap();
        assert_eq!(store.clock_record().await, Ok(Some(record)));
    }
    drop(store);
    let kept = ClockRecord { agreed: at(2), seen: at(20), steady_ms: 200 };
    assert_eq!(place.open().clock_record().await, Ok(Some(kept)));
}
