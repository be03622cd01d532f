//! Times, written and read.

use protocol::Timestamp;

#[test]
fn written_in_utc_with_milliseconds() {
    let moment = Timestamp::from_millis(1_700_000_000_120);
    assert_eq!(moment.to_string(), "2023-11-14T22:13:20.120Z");
    assert_eq!(moment.to_string().parse::<Timestamp>().unwrap(), moment);
}

#[test]
fn no_moment_is_unwritable() {
    for millis in [i64::MIN, i64::MAX, 0, -1] {
        let moment = Timestamp::from_millis(millis);
        assert_eq!(moment.to_string().parse::<Timestamp>().unwrap(), moment);
    }
}
