//! The progress of a backup: a bar on a terminal, otherwise one line for each part, or nothing.

use crate::{
    commands::size::size,
    output::{OutputOptions, Progress},
};

/// Reports the progress of a backup on standard error.
pub(crate) struct BackupProgress {
    kind: Kind,
    /// The bar of the part that is worked on.
    bar: Option<Progress>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bar(OutputOptions),
    Lines,
    Silent,
}

impl BackupProgress {
    /// For a user: a bar if standard error is a terminal, else lines, and nothing with `--quiet`.
    pub(crate) fn shown(output: OutputOptions) -> Self {
        let kind = match () {
            () if output.quiet => Kind::Silent,
            () if Progress::is_shown(output) => Kind::Bar(output),
            () => Kind::Lines,
        };
        Self { kind, bar: None }
    }

    /// For the server, which logs the outcome.
    pub(crate) fn silent() -> Self {
        Self { kind: Kind::Silent, bar: None }
    }

    /// Starts a part with this many bytes.
    pub(super) fn begin(&mut self, doing: &str, bytes: u64) {
        match self.kind {
            Kind::Bar(output) => self.bar = Some(Progress::bytes(output, doing, bytes)),
            Kind::Lines => eprintln!("{doing} ({})", size(bytes)),
            Kind::Silent => {}
        }
    }

    /// Reports how much of the part is done.
    pub(super) fn step(&mut self, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_total(total);
            bar.set(done);
        }
    }

    /// Ends the output.
    pub(super) fn end(&mut self) {
        self.bar = None;
    }
}
