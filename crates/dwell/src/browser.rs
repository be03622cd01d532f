//! The browser of whoever sits at this machine.

use std::io::IsTerminal;

use anyhow::Context;
use server::Page;

use crate::config::{Config, Open, variable};

/// The page as the server is given it.
pub(crate) fn page() -> Page {
    Page {
        file: |path, accepts| {
            let page::File { bytes, media_type, encoding, etag, is_hashed } = page::file(path, accepts)?;
            Some(server::PageFile { bytes, media_type, encoding, etag, is_hashed })
        },
        policy: page::CONTENT_SECURITY_POLICY,
    }
}

/// Whether there is a page in this program.
pub(crate) fn has_page() -> bool {
    page::file("index.html", "").is_some()
}

/// The address by which a browser comes in. The invitation is in the part of it that browsers keep to themselves.
pub(crate) fn link(url: &str, invitation: &str) -> String {
    format!("{url}/#invitation={invitation}")
}

/// Whether the page is to be opened when the server starts.
pub(crate) fn is_wanted(config: &Config) -> bool {
    match config.server.open {
        Open::Always => true,
        Open::Never => false,
        Open::Auto => has_page() && std::io::stdout().is_terminal() && has_display(),
    }
}

/// Whether a browser could show anything here.
fn has_display() -> bool {
    let is_set = |name| variable(name).ok().flatten().is_some();
    cfg!(any(target_os = "macos", windows)) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Opens an address in the browser, which goes on without us.
pub(crate) async fn open(link: String) -> anyhow::Result<()> {
    let opening = tokio::task::spawn_blocking(move || open::that_detached(link)).await;
    opening.context("opening a browser panicked")?.context("no browser could be started")
}
