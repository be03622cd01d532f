//! The resource usage of a process, as counted by the kernel.

use std::{fs, time::Duration};

use anyhow::{Context, Result};

/// The kernel reports CPU time in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);
/// The positions of the two times in `stat`, counted from the field after the name.
const USER_TIME: usize = 11;
const SYSTEM_TIME: usize = 12;

/// The usage of a process so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessUsage {
    /// User and system time.
    pub(crate) cpu: Duration,
    /// Bytes passed to the kernel by writes (data sent with `send` does not count).
    pub(crate) written: u64,
    /// Bytes that made file pages dirty, and so reach the disk sooner or later.
    pub(crate) stored: u64,
}

impl ProcessUsage {
    pub(crate) fn of(pid: u32) -> Result<Self> {
        let read = |file: &str| {
            fs::read_to_string(format!("/proc/{pid}/{file}")).with_context(|| format!("failed to read {file} of {pid}"))
        };
        let io = read("io")?;
        Ok(Self {
            cpu: cpu(&read("stat")?).context("failed to find the CPU time")?,
            written: counter(&io, "wchar").context("failed to find wchar")?,
            stored: counter(&io, "write_bytes").context("failed to find write_bytes")?,
        })
    }
}

/// The running time of a process's threads, in nanoseconds. The time of a thread that has ended is
/// lost, so this is for short intervals.
pub(crate) fn running_time(pid: u32) -> Result<Duration> {
    let tasks =
        fs::read_dir(format!("/proc/{pid}/task")).with_context(|| format!("failed to list the threads of {pid}"))?;
    let mut sum = 0;
    for task in tasks {
        // A thread may end between being listed and being read.
        let Ok(text) = fs::read_to_string(task?.path().join("schedstat")) else { continue };
        sum += text.split_ascii_whitespace().next().and_then(|nanos| nanos.parse::<u64>().ok()).unwrap_or(0);
    }
    Ok(Duration::from_nanos(sum))
}

fn cpu(stat: &str) -> Option<Duration> {
    // The name may contain spaces and brackets itself; the last bracket ends it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u32>().ok();
    Some(TICK * (ticks(USER_TIME)? + ticks(SYSTEM_TIME)?))
}

fn counter(io: &str, name: &str) -> Option<u64> {
    io.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_files_are_read() {
        let stat = "42 (a) b) S 1 2 3 4 5 6 7 8 9 10 150 25 0 0 20 0 9 0 100 1 2";
        assert_eq!(cpu(stat), Some(Duration::from_millis(1750)));
        let io = "rchar: 1\nwchar: 22\nread_bytes: 3\nwrite_bytes: 44\ncancelled_write_bytes: 5\n";
        assert_eq!((counter(io, "wchar"), counter(io, "write_bytes")), (Some(22), Some(44)));
    }
}
