//! The times of rules, compared with a second implementation: `cases.json` is written by
//! `generate.py` with python-dateutil and zoneinfo.

use protocol::{Timestamp, When};
use schedule::Timetable;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct TimeCase {
    rrule: Option<String>,
    start: Option<String>,
    cron: Option<String>,
    zone: String,
    /// Seconds since 1970, as are the moments.
    after: i64,
    moments: Vec<i64>,
}

impl TimeCase {
    fn when(&self) -> When {
        match (&self.rrule, &self.start, &self.cron) {
            (Some(rule), Some(start), None) => When::Rrule { rule: rule.clone(), start: start.parse().unwrap() },
            (None, None, Some(expression)) => When::Cron { expression: expression.clone() },
            _ => panic!("neither a recurrence rule nor a cron expression: {self:?}"),
        }
    }
}

fn seconds(second: i64) -> Timestamp {
    Timestamp::from_millis(second * 1_000)
}

#[test]
fn rules_run_when_dateutil_says() {
    let cases: Vec<TimeCase> = serde_json::from_str(include_str!("cases.json")).unwrap();
    assert!(cases.len() > 1_000, "only {} cases", cases.len());
    let mut different = Vec::new();
    for case in &cases {
        let timetable = Timetable::new(&case.when(), &case.zone, seconds(case.after)).unwrap();
        let expected: Vec<Timestamp> = case.moments.iter().copied().map(seconds).collect();
        // One more than expected, so that a rule that should have ended is noticed.
        let wanted = if expected.len() < 8 { expected.len() + 1 } else { expected.len() };
        let found = timetable.preview(seconds(case.after), wanted);
        if found != expected {
            let texts = |moments: &[Timestamp]| moments.iter().map(Timestamp::to_string).collect::<Vec<_>>().join(" ");
            different.push(format!("{case:?}\n  found    {}\n  expected {}", texts(&found), texts(&expected)));
        }
    }
    let shown = different.iter().take(5).cloned().collect::<Vec<_>>().join("\n");
    assert!(different.is_empty(), "{} of {} differ, as\n{shown}", different.len(), cases.len());
}
