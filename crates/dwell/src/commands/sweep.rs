//! `dwell sweep`: what is to be gone by now goes at once.

use protocol::Swept;
use reqwest::Method;

use super::size::size;
use crate::{config::Config, failure::Failure, print_json};

pub(crate) async fn run(config: &Config, trust_clock: bool, is_json: bool) -> Result<(), Failure> {
    let path = if trust_clock { "/sweep?trust_clock=true" } else { "/sweep" };
    let swept: Swept = crate::client(config)?.call(Method::POST, path).await?;
    if is_json {
        return print_json(&swept);
    }
    println!("{}", in_words(&swept));
    Ok(())
}

fn in_words(Swept { artifacts, bytes, memories, clock, expired, archived, deleted }: &Swept) -> String {
    if let Some(doubt) = clock {
        return format!("nothing was deleted: {}", doubt.reason);
    }
    let many = |count: u64, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    let kept = format!(
        "collected {} ({}) and forgot {}",
        many(*artifacts, "artifact", "artifacts"),
        size(*bytes),
        many(*memories, "memory", "memories")
    );
    match (expired, archived, deleted) {
        (0, 0, 0) => kept,
        _ => format!("{kept}; of sessions, {expired} expired, {archived} were archived and {deleted} deleted"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_swept_is_said_in_one_line() {
        let swept = |artifacts, bytes, memories| in_words(&Swept { artifacts, bytes, memories, ..Swept::default() });
        assert_eq!(swept(12, 3_400_000, 2), "collected 12 artifacts (3.4 MB) and forgot 2 memories");
        assert_eq!(swept(1, 10, 1), "collected 1 artifact (10 bytes) and forgot 1 memory");
        assert_eq!(swept(0, 0, 0), "collected 0 artifacts (0 bytes) and forgot 0 memories");
        let sessions = Swept { expired: 3, archived: 2, deleted: 0, ..Swept::default() };
        let expected = "collected 0 artifacts (0 bytes) and forgot 0 memories; of sessions, 3 expired, 2 were archived and 0 deleted";
        assert_eq!(in_words(&sessions), expected);
    }
}
