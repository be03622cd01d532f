//! What the artifact tools have in common: limits, names, ids.

use protocol::{ArtifactId, ArtifactView, Origin, SessionId};
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::slug::slug;
use ports::ToolFailure;

/// The largest artifact.
pub const ARTIFACT_BYTES_MAX: usize = 10 * 1024 * 1024;
/// The total size of a session's artifacts.
pub const SESSION_ARTIFACT_BYTES_MAX: u64 = 100 * 1024 * 1024;
/// The longest name.
const NAME_CHARS_MAX: usize = 200;
/// The longest media type.
const MEDIA_TYPE_CHARS_MAX: usize = 100;
/// The number of characters of a title that go into a file name.
const SLUG_CHARS_MAX: usize = 60;

/// An artifact as a model sees it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct ArtifactSummary {
    /// Its id.
    pub(super) artifact_id: ArtifactId,
    /// Its name.
    pub(super) name: String,
    /// Its kind, as in `text/plain`.
    pub(super) media_type: String,
    /// How large it is.
    pub(super) bytes: u64,
    /// Whether it is trusted.
    pub(super) origin: Origin,
}

impl From<ArtifactView> for ArtifactSummary {
    fn from(view: ArtifactView) -> Self {
        let ArtifactView { artifact_id, name, media_type, bytes, origin, .. } = view;
        Self { artifact_id, name, media_type, bytes, origin }
    }
}

/// The id of the artifact that a call makes: the same each time the call is run.
pub fn artifact_id(session_id: SessionId, key: &str) -> ArtifactId {
    let mut hash = Sha256::new_with_prefix("artifact\0");
    hash.update(session_id.to_bytes());
    hash.update(key.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    ArtifactId::from_bytes(bytes)
}

/// Checks that a name is a plain file name and not a path.
pub(super) fn checked_name(name: &str) -> Result<&str, ToolFailure> {
    let name = name.trim();
    // Bidirectional control characters can disguise a file extension.
    let is_bad = |char: char| {
        matches!(char, '/' | '\\' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') || char.is_control()
    };
    if matches!(name, "" | "." | "..") || name.chars().count() > NAME_CHARS_MAX || name.chars().any(is_bad) {
        return Err(ToolFailure::Invalid(format!(
            "`name` has 1 to {NAME_CHARS_MAX} characters and neither `/`, `\\` nor control characters, as in `notes.md`"
        )));
    }
    Ok(name)
}

/// Checks a media type such as `text/plain`, optionally with parameters.
pub(super) fn checked_media_type(media_type: &str) -> Result<&str, ToolFailure> {
    let media_type = media_type.trim();
    let is_part =
        |part: &str| !part.is_empty() && part.chars().all(|char| char.is_ascii_alphanumeric() || "+-._".contains(char));
    let kind = media_type.split(';').next().unwrap_or_default();
    let fits = kind.trim().split_once('/').is_some_and(|(one, other)| is_part(one) && is_part(other));
    if !fits || media_type.len() > MEDIA_TYPE_CHARS_MAX || !media_type.chars().all(|char| (' '..='~').contains(&char)) {
        return Err(ToolFailure::Invalid(
            "`media_type` must be a media type such as `text/plain` or `text/csv`".to_owned(),
        ));
    }
    Ok(media_type)
}

/// The given name, or one made from a title or a default word. A name without one of the allowed
/// extensions gets the first of them.
pub(super) fn name_with_ending(
    name: Option<&str>,
    title: &str,
    kind: &str,
    endings: &[&str],
) -> Result<String, ToolFailure> {
    let stem = match name.map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => name.to_owned(),
        None => Some(slug(title, SLUG_CHARS_MAX)).filter(|slug| !slug.is_empty()).unwrap_or_else(|| kind.to_owned()),
    };
    let lower = stem.to_lowercase();
    let has_ending = |ending: &&str| lower.strip_suffix(ending).is_some_and(|rest| !rest.is_empty());
    let name = match endings.first() {
        Some(first) if !endings.iter().any(has_ending) => stem + first,
        _ => stem,
    };
    Ok(checked_name(&name)?.to_owned())
}

/// A store error as a tool failure for the model.
pub(super) fn failed(error: &journal::Error) -> ToolFailure {
    match error {
        journal::Error::NotFound => ToolFailure::Failed("the session is gone".to_owned()),
        // The other errors are about files and processes, which do not concern a model.
        _ => ToolFailure::Failed("the artifacts cannot be reached at the moment; try again later".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_paths() {
        for name in ["notes.md", " Grüße aus Köln.txt ", "a..b", "...", "日本"] {
            assert_eq!(checked_name(name), Ok(name.trim()));
        }
        for name in ["", " ", ".", "..", "a/b", "..\\b", "a\nb", "a\0b", "gpj\u{202e}exe", &"x".repeat(201)] {
            assert!(checked_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn names_get_the_ending_that_fits() {
        let endings = [".md", ".markdown"];
        for (name, title, expected) in [
            (None, "Sales, 2024", "sales-2024.md"),
            (None, "🦉", "report.md"),
            (Some("notes"), "Sales", "notes.md"),
            (Some("notes.MD"), "Sales", "notes.MD"),
            (Some("notes.markdown"), "Sales", "notes.markdown"),
            (Some(" notes.txt "), "Sales", "notes.txt.md"),
            (Some(".md"), "Sales", ".md.md"),
        ] {
            assert_eq!(name_with_ending(name, title, "report", &endings), Ok(expected.to_owned()));
        }
        assert!(name_with_ending(Some("../notes"), "Sales", "report", &endings).is_err());
    }

    #[test]
    fn kinds_have_two_parts() {
        for kind in ["text/plain", "text/html; charset=utf-8", "application/vnd.x+json"] {
            assert_eq!(checked_media_type(kind), Ok(kind));
        }
        for kind in
            ["", "text", "text/", "/plain", "text/plain\r\nX-Evil: 1", "te xt/plain", "text/ä", &"x/y".repeat(50)]
        {
            assert!(checked_media_type(kind).is_err(), "{kind:?}");
        }
    }

    #[test]
    fn ids_depend_on_session_and_key_alone() {
        let session = |n| SessionId::from_bytes([n; 16]);
        assert_eq!(artifact_id(session(1), "k"), artifact_id(session(1), "k"));
        assert_ne!(artifact_id(session(1), "k"), artifact_id(session(2), "k"));
        assert_ne!(artifact_id(session(1), "k"), artifact_id(session(1), "l"));
    }
}
