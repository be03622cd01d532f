//! The browser of the user on this machine.

use std::io::IsTerminal;

use anyhow::Context;
use server::Page;

use crate::config::{Config, OpenBrowser, variable};

/// The page that the server serves.
pub(crate) fn page() -> Page {
    Page {
        file: |path, accepts| {
            let page::EmbeddedFile { bytes, media_type, encoding, etag, is_hashed } = page::file(path, accepts)?;
            Some(server::PageFile { bytes, media_type, encoding, etag, is_hashed })
        },
        policy: page::CONTENT_SECURITY_POLICY,
    }
}

/// Whether the page is built into this program.
pub(crate) fn has_page() -> bool {
    page::file("index.html", "").is_some()
}

/// The address that lets a browser sign in. The invitation is in the fragment, which browsers do
/// not send to servers.
pub(crate) fn link(url: &str, invitation: &str) -> String {
    format!("{url}/#invitation={invitation}")
}

/// Whether to open the page when the server starts.
pub(crate) fn is_wanted(config: &Config) -> bool {
    match config.server.open {
        OpenBrowser::Always => true,
        OpenBrowser::Never => false,
        OpenBrowser::Auto => has_page() && std::io::stdout().is_terminal() && has_display(),
    }
}

/// Whether there is a display for a browser.
fn has_display() -> bool {
    let is_set = |name| variable(name).ok().flatten().is_some();
    cfg!(any(target_os = "macos", windows)) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Opens an address in the browser, which keeps running independently.
pub(crate) async fn open(link: String) -> anyhow::Result<()> {
    let opening = tokio::task::spawn_blocking(move || open::that_detached(link)).await;
    opening.context("opening a browser panicked")?.context("no browser could be started")
}
