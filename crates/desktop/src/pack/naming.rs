//! Names derived from a call's key: running the call again makes the same names.

use protocol::{SessionId, ToastId, WindowId};
use sha2::{Digest, Sha256};

/// The number of bytes of a title that go into the name of its window.
const SLUG_BYTES_MAX: usize = 32;
/// The number of letters that distinguish windows of the same title.
const MARK_LETTERS: usize = 5;

/// A name for a window, made from its title. Its suffix depends on the key and not on the open
/// windows: when the call is run again, its own window may be open already.
pub(super) fn window(title: &str, session_id: SessionId, key: &str) -> Option<WindowId> {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let digest = digest("window", session_id, key);
    let mark: String =
        digest.iter().take(MARK_LETTERS).map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    let slug = slug(title);
    let name = if slug.is_empty() { format!("window-{mark}") } else { format!("{slug}-{mark}") };
    name.parse().ok()
}

/// The id of a toast.
pub(super) fn toast(session_id: SessionId, key: &str) -> ToastId {
    ToastId::from_bytes(digest("toast", session_id, key))
}

fn digest(what: &str, session_id: SessionId, key: &str) -> [u8; 16] {
    let mut hash = Sha256::new_with_prefix(what);
    hash.update([0]);
    hash.update(session_id.to_bytes());
    hash.update(key.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    bytes
}

/// The lower-case letters and digits of a title, joined by hyphens.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for word in title.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let space = SLUG_BYTES_MAX.saturating_sub(slug.len() + usize::from(!slug.is_empty()));
        if word.len() > space && !slug.is_empty() {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.extend(word.chars().take(space).map(|char| char.to_ascii_lowercase()));
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_makes_a_name() {
        for (title, expected) in [
            ("Sales, 2024", "sales-2024"),
            ("Müsli", "m-sli"),
            ("🦉", ""),
            ("A rather long title that would not fit in", "a-rather-long-title-that-would"),
            (&"x".repeat(100), &"x".repeat(32)),
        ] {
            assert_eq!(slug(title), expected);
        }
    }

    #[test]
    fn the_same_call_makes_the_same_name_and_another_call_another() {
        let session = SessionId::from_bytes([1; 16]);
        for title in ["Chart", "🦉", &"x".repeat(100)] {
            let name = window(title, session, "call-1").unwrap();
            assert_eq!(window(title, session, "call-1"), Some(name.clone()));
            assert_ne!(window(title, session, "call-2"), Some(name));
        }
        assert_ne!(toast(session, "call-1"), toast(session, "call-2"));
    }
}
