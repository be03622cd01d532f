//! Open files: every connection is one, so the system's limit bounds the connections.

use server::Limits;

/// Files that are reserved for everything else: the journal, the library, models, tools.
const OTHER_FILES: usize = 256;

/// Raises the limit of open files as far as the system allows, and lowers the limit of connections
/// to match it.
pub(super) fn fit(limits: Limits) -> Limits {
    let Some(files) = raise() else { return limits };
    let possible = connections(files);
    if limits.connections_max <= possible {
        return limits;
    }
    tracing::warn!(
        "the system allows {files} open files, so there can be {possible} connections instead of {} \
         (`limits.connections_max`); raise the hard limit with `ulimit -Hn` or systemd's `LimitNOFILE`",
        limits.connections_max
    );
    Limits { connections_max: possible, ..limits }
}

/// How many connections this many files allow: at least half of them.
const fn connections(files: usize) -> usize {
    let (half, rest) = (files / 2, files.saturating_sub(OTHER_FILES));
    if half > rest { half } else { rest }
}

/// Raises the soft limit to the hard limit; returns it, if there is one.
#[cfg(target_os = "linux")]
fn raise() -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let is_raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok();
    let files = if is_raised { maximum } else { current };
    files.map(|files| usize::try_from(files).unwrap_or(usize::MAX))
}

/// On other systems the limit stays as it is.
#[cfg(not(target_os = "linux"))]
const fn raise() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_files_are_left_for_everything_else() {
        assert_eq!([connections(1_048_576), connections(1_024), connections(100)], [1_048_320, 768, 50]);
    }
}
