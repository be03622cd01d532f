//! The page that people talk to Dwell through: the files that its own build makes of `web/desktop`, embedded in the program.
//!
//! A debug build reads them from the folder when they are asked for, so that tests need not be built anew with every change
//! of the page. Where the page was not built, there are none.

mod encoding;
mod media;

use std::{borrow::Cow, fmt::Write as _};

use encoding::Encoding;
use rust_embed::RustEmbed;

/// The policy that the page is served with. It loads what comes with it and talks to its own server, nothing else; what becomes
/// markup goes through the one policy for that.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types dompurify";

/// The folder whose files have what they hold in their names.
const ASSETS: &str = "assets/";
/// How many characters of a name tell what the file holds.
const HASH_CHARS: usize = 8;

#[derive(RustEmbed)]
#[folder = "../../web/desktop/dist"]
#[allow_missing = true]
struct Built;

/// A file of the page, in the form that suits whoever asks best.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// What it holds, compressed if `encoding` says so.
    pub bytes: Cow<'static, [u8]>,
    /// What it is.
    pub media_type: &'static str,
    /// How it is compressed: `br` or `gzip`.
    pub encoding: Option<&'static str>,
    /// What tells this version, in this form, from every other, quotes included.
    pub etag: String,
    /// Whether its name changes with what it holds, so that it can be kept for good.
    pub is_hashed: bool,
}

/// The file at this path below the page's folder, for somebody whose `Accept-Encoding` this is.
pub fn file(path: &str, accepts: &str) -> Option<File> {
    find::<Built>(path, accepts)
}

fn find<Files: RustEmbed>(path: &str, accepts: &str) -> Option<File> {
    // The compressed forms are no files of their own.
    if !is_plain(path) || Encoding::ALL.iter().any(|encoding| path.ends_with(encoding.suffix())) {
        return None;
    }
    let compressed = encoding::accepted(accepts)
        .find_map(|encoding| Some((Files::get(&format!("{path}{}", encoding.suffix()))?, Some(encoding.name()))));
    let (file, encoding) = compressed.or_else(|| Some((Files::get(path)?, None)))?;
    Some(File {
        etag: etag(&file.metadata.sha256_hash()),
        bytes: file.data,
        media_type: media::of(path),
        encoding,
        is_hashed: is_hashed(path),
    })
}

/// Whether a path can only name something below the folder: names of plain characters, none of which begins with a dot.
fn is_plain(path: &str) -> bool {
    let is_name = |name: &str| {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        !name.is_empty() && !name.starts_with('.') && name.bytes().all(is_known)
    };
    path.split('/').all(is_name)
}

/// Whether this is `assets/NAME-HASH.EXT`.
fn is_hashed(path: &str) -> bool {
    let stem = path.strip_prefix(ASSETS).and_then(|name| name.rsplit_once('.')).map(|(stem, _)| stem);
    // A hash may have hyphens of its own.
    let parts = stem.and_then(|stem| stem.split_at_checked(stem.len().checked_sub(HASH_CHARS)?));
    parts.is_some_and(|(name, _)| name.len() > 1 && name.ends_with('-'))
}

/// Half of the digest tells versions apart as well as all of it.
fn etag(digest: &[u8; 32]) -> String {
    let mut etag = String::from("\"");
    for byte in &digest[..16] {
        // A text takes whatever is written to it.
        let _ = write!(etag, "{byte:02x}");
    }
    etag.push('"');
    etag
}

#[cfg(test)]
mod tests;
