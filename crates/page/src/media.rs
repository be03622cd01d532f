//! Media types by file extension.

/// The media type of the file at this path.
pub(crate) fn of(path: &str) -> &'static str {
    let end = path.rsplit_once('.').map(|(_, end)| end).unwrap_or_default();
    match end {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        // Browsers neither run nor show files of this type.
        _ => "application/octet-stream",
    }
}
