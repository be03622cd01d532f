//! `dwell sweep`: removes everything that has expired now.

use protocol::SweepResult;
use reqwest::Method;

use super::size::size;
use crate::{command_error::CommandError, config::Config};

pub(crate) async fn run(config: &Config, trust_clock: bool) -> Result<(), CommandError> {
    let path = if trust_clock { "/sweep?trust_clock=true" } else { "/sweep" };
    let swept: SweepResult = crate::client(config).await?.call(Method::POST, path).await?;
    config.output.done(&swept, &in_words(&swept))
}

fn in_words(SweepResult { artifacts, bytes, memories, clock, expired, archived, deleted }: &SweepResult) -> String {
    if let Some(doubt) = clock {
        return format!("nothing was deleted: {}", doubt.reason);
    }
    let many = |count: u64, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    let kept = format!(
        "removed {} ({}) and {}",
        many(*artifacts, "artifact", "artifacts"),
        size(*bytes),
        many(*memories, "memory", "memories")
    );
    match (expired, archived, deleted) {
        (0, 0, 0) => kept,
        _ => format!("{kept}; sessions: {expired} expired, {archived} archived, {deleted} deleted"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_swept_is_said_in_one_line() {
        let swept = |artifacts, bytes, memories| {
            in_words(&SweepResult { artifacts, bytes, memories, ..SweepResult::default() })
        };
        assert_eq!(swept(12, 3_400_000, 2), "removed 12 artifacts (3.4 MB) and 2 memories");
        assert_eq!(swept(1, 10, 1), "removed 1 artifact (10 bytes) and 1 memory");
        assert_eq!(swept(0, 0, 0), "removed 0 artifacts (0 bytes) and 0 memories");
        let sessions = SweepResult { expired: 3, archived: 2, deleted: 0, ..SweepResult::default() };
        let expected = "removed 0 artifacts (0 bytes) and 0 memories; sessions: 3 expired, 2 archived, 0 deleted";
        assert_eq!(in_words(&sessions), expected);
    }
}
