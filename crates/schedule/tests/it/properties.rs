//! What holds for every rule, zone and moment; and for a queue of 100,000 schedules.

use proptest::prelude::*;
use protocol::{ScheduleId, Timestamp, When};
use schedule::{DueQueue, SentenceContext, Timetable, read_sentence, time_zone};
use ulid::Ulid;

const ZONES: &[&str] =
    &["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kolkata"];

fn cron() -> impl Strategy<Value = When> {
    let minute = prop_oneof![(0..60u8).prop_map(|m| m.to_string()), (1..30u8).prop_map(|m| format!("*/{m}"))];
    let hour = prop_oneof![(0..24u8).prop_map(|h| h.to_string()), Just("*".to_owned()), Just("1-3".to_owned())];
    let day = prop_oneof![Just("*".to_owned()), (1..29u8).prop_map(|d| d.to_string())];
    let weekday = prop_oneof![Just("*".to_owned()), (0..7u8).prop_map(|d| d.to_string())];
    (minute, hour, day, weekday).prop_map(|(minute, hour, day, weekday)| When::Cron {
        expression: format!("{minute} {hour} {day} * {weekday}"),
    })
}

fn rrule() -> impl Strategy<Value = When> {
    let rule = prop_oneof![
        (1..9u8).prop_map(|n| format!("FREQ=DAILY;INTERVAL={n}")),
        (1..5u8).prop_map(|n| format!("FREQ=WEEKLY;INTERVAL={n};BYDAY=MO,SU")),
        (1..5u8, 1..=31u8).prop_map(|(n, day)| format!("FREQ=MONTHLY;INTERVAL={n};BYMONTHDAY={day},-1")),
        (1..4u8).prop_map(|n| format!("FREQ=YEARLY;INTERVAL={n};BYDAY=2SU;BYMONTH=3,11")),
        (1..30u8).prop_map(|n| format!("FREQ=HOURLY;INTERVAL={n}")),
        (1..20u8).prop_map(|n| format!("FREQ=DAILY;COUNT={n}")),
    ];
    let start = (0..24i8, 0..60i8, 1..=28i8, 1..=12i8, 2015..2025i16);
    (rule, start).prop_map(|(rule, (hour, minute, day, month, year))| {
        let start = jiff::civil::date(year, month, day).at(hour, minute, 0, 0);
        When::Rrule { rule, start: start.into() }
    })
}

fn moment() -> impl Strategy<Value = Timestamp> {
    // From 2011 to 2030.
    (1_300_000_000_000i64..1_900_000_000_000i64).prop_map(Timestamp::from_millis)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_next_run_is_later_and_none_is_left_out(
        when in prop_oneof![cron(), rrule()],
        zone in prop::sample::select(ZONES),
        after in moment(),
        wait in 0..10_000_000i64,
    ) {
        let timetable = Timetable::new(&when, zone, after).unwrap();
        let runs = timetable.preview(after, 5);
        prop_assert!(runs.iter().all(|run| *run > after));
        prop_assert!(runs.is_sorted_by(|left, right| left < right));
        // Asked from anywhere before a run, the next one is at most that run.
        if let Some(first) = runs.first() {
            let earlier = Timestamp::from_millis((after.as_millis() + wait).min(first.as_millis() - 1));
            prop_assert_eq!(timetable.next_after(earlier), Some(*first));
            let later = Timestamp::from_millis(after.as_millis() + wait);
            prop_assert!(timetable.next_after(later).is_none_or(|next| next >= *first));
        }
        if let [first, .., last] = runs[..] {
            prop_assert_eq!(&timetable.between(after, last, 100), &runs);
            prop_assert_eq!(&timetable.between(first, last, 100)[..], &runs[1..]);
        }
    }

    #[test]
    fn a_run_of_a_cron_expression_is_at_its_minute(
        minute in 0..60i8,
        hour in 0..24i8,
        zone in prop::sample::select(ZONES),
        after in moment(),
    ) {
        let when = When::Cron { expression: format!("{minute} {hour} * * *") };
        let next = Timetable::new(&when, zone, after).unwrap().next_after(after).unwrap();
        let zone = time_zone(zone).unwrap();
        let shown = zone.to_datetime(jiff::Timestamp::from_millisecond(next.as_millis()).unwrap());
        let planned = shown.date().at(hour, minute, 0, 0);
        // Only a time that the clock skips is shown differently.
        let is_skipped = !matches!(
            zone.to_ambiguous_timestamp(planned).offset(),
            jiff::tz::AmbiguousOffset::Unambiguous { .. } | jiff::tz::AmbiguousOffset::Fold { .. }
        );
        prop_assert!(shown == planned || is_skipped, "{shown} instead of {planned}");
        prop_assert!(next.since(after).as_secs() <= 49 * 3_600);
    }

    #[test]
    fn no_sentence_panics(words in prop::collection::vec(prop::sample::select(&[
        "remind", "me", "in", "10", "minutes", "to", "at", "7", "pm", "every", "day", "the", "31st", "of", "each",
        "month", "tomorrow", "half", "an", "hour", "and", "a", "timer", "set", "for", "99999", "25:99", "monday",
        "turn", "off", "night", "noon", "quarter", "12", "0", "week", "year", "5th", "december", "snooze", "cancel",
    ][..]), 0..14), after in moment()) {
        let context = SentenceContext { language: "en", now: after, zone: "Australia/Lord_Howe" };
        let _ = read_sentence(&words.join(" "), &context);
    }
}

#[test]
fn a_hundred_thousand_schedules_are_due_in_order() {
    let id = |number: u64| ScheduleId::new(Ulid::from(u128::from(number)));
    let moment = |number: u64| Timestamp::from_millis(i64::try_from(number * 7_919 % 100_003).unwrap());
    let mut queue = DueQueue::default();
    assert_eq!(queue.wake_at(), None);
    (1..=100_000).for_each(|number| queue.plan(id(number), Some(moment(number))));
    assert_eq!(queue.len(), 100_000);
    let mut last = Timestamp::from_millis(0);
    let mut taken = 0;
    while let Some(wake_at) = queue.wake_at() {
        assert!(wake_at >= last);
        assert!(queue.due(Timestamp::from_millis(wake_at.as_millis() - 1), 10).is_empty(), "nothing is due before");
        for (id, at) in queue.due(wake_at, 10) {
            assert_eq!(at, wake_at);
            assert_eq!(queue.planned(id), Some(at));
            queue.plan(id, None);
            taken += 1;
        }
        last = wake_at;
    }
    assert_eq!(taken, 100_000);
    assert!(queue.is_empty());
    // Planned anew, a schedule is in the queue once.
    queue.plan(id(1), Some(moment(1)));
    queue.plan(id(1), Some(moment(2)));
    assert_eq!(queue.len(), 1);
    assert_eq!(queue.wake_at(), Some(moment(2)));
}
