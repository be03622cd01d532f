//! `dwell sweep`: what is to be gone by now goes at once.

use protocol::Swept;
use reqwest::Method;

use super::size::size;
use crate::{config::Config, failure::Failure, print_json};

pub(crate) async fn run(config: &Config, is_json: bool) -> Result<(), Failure> {
    let swept: Swept = crate::client(config)?.call(Method::POST, "/sweep").await?;
    if is_json {
        return print_json(&swept);
    }
    println!("{}", in_words(&swept));
    Ok(())
}

fn in_words(Swept { artifacts, bytes, memories }: &Swept) -> String {
    let many = |count: u64, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    format!(
        "collected {} ({}) and forgot {}",
        many(*artifacts, "artifact", "artifacts"),
        size(*bytes),
        many(*memories, "memory", "memories")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_swept_is_said_in_one_line() {
        let swept = |artifacts, bytes, memories| in_words(&Swept { artifacts, bytes, memories });
        assert_eq!(swept(12, 3_400_000, 2), "collected 12 artifacts (3.4 MB) and forgot 2 memories");
        assert_eq!(swept(1, 10, 1), "collected 1 artifact (10 bytes) and forgot 1 memory");
        assert_eq!(swept(0, 0, 0), "collected 0 artifacts (0 bytes) and forgot 0 memories");
    }
}
