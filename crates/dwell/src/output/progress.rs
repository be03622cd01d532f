//! Progress of work that takes longer than a second: a bar on standard error, only on a terminal.

use std::{io::IsTerminal, time::Duration};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::OutputOptions;

/// Time between two frames of a bar whose length is unknown.
const TICK: Duration = Duration::from_millis(120);
/// A bar of known length, in bytes or in pieces.
const BYTES: &str = "{bar:24} {percent:>3} %  {msg}  {bytes} of {total_bytes}, {eta} left";
const PIECES: &str = "{bar:24} {percent:>3} %  {msg}  {pos} of {len}, {eta} left";
const SPINNER: &str = "{spinner} {msg} ({elapsed})";

/// A bar, which is removed when it is dropped. Where nothing is drawn, it costs nothing.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Whether bars are shown at all.
    pub(crate) fn is_shown(output: OutputOptions) -> bool {
        !output.quiet && std::io::stderr().is_terminal()
    }

    /// For work of unknown length.
    pub(super) fn spinner(output: OutputOptions, doing: String) -> Self {
        let bar = Self::made(output, None, SPINNER, doing);
        if let Some(bar) = &bar.0 {
            bar.enable_steady_tick(TICK);
        }
        bar
    }

    /// For a number of bytes.
    pub(crate) fn bytes(output: OutputOptions, doing: impl Into<String>, total: u64) -> Self {
        Self::made(output, Some(total), BYTES, doing.into())
    }

    /// For a number of pieces.
    pub(crate) fn pieces(output: OutputOptions, doing: impl Into<String>, total: u64) -> Self {
        Self::made(output, Some(total), PIECES, doing.into())
    }

    fn made(output: OutputOptions, total: Option<u64>, template: &str, doing: String) -> Self {
        if !Self::is_shown(output) {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
        // A template that cannot be read leaves the usual look.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("█░"));
        }
        bar.set_message(doing);
        Self(Some(bar))
    }

    /// How much is done.
    pub(crate) fn set(&self, done: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(done);
        }
    }

    /// How much there is in all, where that is known only later.
    pub(crate) fn set_total(&self, total: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(total);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}
