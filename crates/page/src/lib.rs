//! The web page of Dwell: the files that the build of `web/desktop` makes, embedded in the program.
//!
//! A debug build reads them from the folder at run time, so that tests need not be rebuilt with
//! every change of the page. If the page was not built, there are no files.

mod encoding;
mod media;

use std::{borrow::Cow, fmt::Write as _};

use encoding::Encoding;
use rust_embed::RustEmbed;

/// The Content-Security-Policy of the page. It allows only the page's own files and its own server.
/// All markup goes through one Trusted Types policy.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types dompurify";

/// The folder of files with content hashes in their names.
const ASSETS: &str = "assets/";
/// Length of the hash in a file's name.
const HASH_CHARS: usize = 8;

#[derive(RustEmbed)]
#[folder = "../../web/desktop/dist"]
#[allow_missing = true]
struct BuiltPage;

/// A file of the page, in the form that suits the client best.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedFile {
    /// The content, compressed as `encoding` says.
    pub bytes: Cow<'static, [u8]>,
    /// Media type.
    pub media_type: &'static str,
    /// Compression: `br` or `gzip`.
    pub encoding: Option<&'static str>,
    /// Entity tag of this version in this form, with quotes.
    pub etag: String,
    /// Whether its name changes with its content, so that it can be cached forever.
    pub is_hashed: bool,
}

/// The file at this path below the page's folder, for a client with this `Accept-Encoding`.
pub fn file(path: &str, accepts: &str) -> Option<EmbeddedFile> {
    find::<BuiltPage>(path, accepts)
}

fn find<Files: RustEmbed>(path: &str, accepts: &str) -> Option<EmbeddedFile> {
    // The compressed forms cannot be requested by name.
    if !is_plain(path) || Encoding::ALL.iter().any(|encoding| path.ends_with(encoding.suffix())) {
        return None;
    }
    let compressed = encoding::accepted(accepts)
        .find_map(|encoding| Some((Files::get(&format!("{path}{}", encoding.suffix()))?, Some(encoding.name()))));
    let (file, encoding) = compressed.or_else(|| Some((Files::get(path)?, None)))?;
    Some(EmbeddedFile {
        etag: etag(&file.metadata.sha256_hash()),
        bytes: file.data,
        media_type: media::of(path),
        encoding,
        is_hashed: is_hashed(path),
    })
}

/// Whether a path can only refer to a file below the folder: plain characters, and no name that
/// starts with a dot.
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
    // A hash may contain hyphens.
    let parts = stem.and_then(|stem| stem.split_at_checked(stem.len().checked_sub(HASH_CHARS)?));
    parts.is_some_and(|(name, _)| name.len() > 1 && name.ends_with('-'))
}

/// Half of the digest is enough to tell versions apart.
fn etag(digest: &[u8; 32]) -> String {
    let mut etag = String::from("\"");
    for byte in &digest[..16] {
        // Writing to a string cannot fail.
        let _ = write!(etag, "{byte:02x}");
    }
    etag.push('"');
    etag
}

#[cfg(test)]
mod tests;
