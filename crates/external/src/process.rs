//! A server process: started in its own process group with a minimal environment, and ended with
//! all its children.

use std::{io, process::Stdio, sync::Arc, time::Duration};

use secrecy::ExposeSecret;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::Instant,
};

use crate::{link::ServerLink, settings::ProcessCommand};

/// How long it gets to exit after its input is closed, and again after it is asked to terminate.
const GRACE: Duration = Duration::from_millis(700);
/// The interval at which its exit is checked.
const LOOK: Duration = Duration::from_millis(10);
/// The number of bytes kept of a line on standard error, and the number of lines logged within ten
/// seconds.
const LINE_BYTES_MAX: usize = 1_000;
const LINES_MAX: u32 = 50;
const LINES_WINDOW: Duration = Duration::from_secs(10);

/// A running process. Dropping it kills it and all its children.
pub(crate) struct Process {
    child: Child,
}

/// Starts a process, and returns it with its standard output and input.
pub(crate) fn start(program: &ProcessCommand, link: Arc<ServerLink>) -> io::Result<(Process, ChildStdout, ChildStdin)> {
    let mut command = Command::new(&program.command);
    command.args(&program.args).env_clear().kill_on_drop(true);
    command.envs(program.env.iter().map(|(name, value)| (name, value.expose_secret())));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(folder) = &program.cwd {
        command.current_dir(folder);
    }
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn()?;
    let missing = || io::Error::other("a pipe is missing");
    let (stdin, stdout) = (child.stdin.take().ok_or_else(missing)?, child.stdout.take().ok_or_else(missing)?);
    if let Some(stderr) = child.stderr.take() {
        // The task ends with the process.
        tokio::spawn(pass_on(stderr, link));
    }
    Ok((Process { child }, stdout, stdin))
}

impl Process {
    /// Ends the process: by closing its input, then by a termination signal, then by force. Its
    /// children end with it.
    pub(crate) async fn end(mut self) {
        if !self.has_ended_within(GRACE).await {
            self.signal(Signal::Ask);
            self.has_ended_within(GRACE).await;
        }
        self.signal(Signal::Force);
        // The process id is released only now: until then the group id cannot be reused.
        if let Err(error) = self.child.wait().await {
            tracing::warn!(%error, "failed to wait for the end of an external server");
        }
    }

    async fn has_ended_within(&mut self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        while Instant::now() < until {
            if self.has_ended() {
                return true;
            }
            tokio::time::sleep(LOOK).await;
        }
        false
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::Force);
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Ask,
    Force,
}

#[cfg(unix)]
impl Process {
    fn group(&self) -> Option<rustix::process::Pid> {
        // `None` once the process was waited for.
        rustix::process::Pid::from_raw(i32::try_from(self.child.id()?).ok()?)
    }

    /// Whether it has exited, without releasing its process id.
    fn has_ended(&mut self) -> bool {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let Some(group) = self.group() else { return true };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::Pid(group), options), Ok(None))
    }

    fn signal(&mut self, signal: Signal) {
        let Some(group) = self.group() else { return };
        let signal = match signal {
            Signal::Ask => rustix::process::Signal::TERM,
            Signal::Force => rustix::process::Signal::KILL,
        };
        // An empty group is the desired result.
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
impl Process {
    fn has_ended(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    fn signal(&mut self, signal: Signal) {
        if matches!(signal, Signal::Force) {
            let _ = self.child.start_kill();
        }
    }
}

/// Logs the standard error of a process, with limits on the length and the number of lines.
async fn pass_on(stderr: impl AsyncRead + Unpin, link: Arc<ServerLink>) {
    let mut reader = BufReader::new(stderr);
    let (mut line, mut window, mut told, mut untold) = (Vec::new(), Instant::now(), 0, 0_u32);
    while read_line(&mut reader, &mut line).await {
        if window.elapsed() >= LINES_WINDOW {
            if untold > 0 {
                tracing::info!(server = link.server(), "an external server wrote {untold} more lines");
            }
            (window, told, untold) = (Instant::now(), 0, 0);
        }
        if told < LINES_MAX {
            told += 1;
            let text = link.remark(&String::from_utf8_lossy(&line));
            tracing::info!(server = link.server(), "an external server writes: {text}");
        } else {
            untold += 1;
        }
    }
}

/// Reads a line and keeps its beginning; returns whether there was one.
async fn read_line(reader: &mut (impl AsyncBufReadExt + Unpin), line: &mut Vec<u8>) -> bool {
    line.clear();
    let mut has_begun = false;
    loop {
        let Ok(bytes) = reader.fill_buf().await else { return has_begun };
        if bytes.is_empty() {
            return has_begun;
        }
        has_begun = true;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(bytes.len());
        let space = LINE_BYTES_MAX.saturating_sub(line.len());
        line.extend_from_slice(&bytes[..taken.min(space)]);
        reader.consume(end.map_or(taken, |end| end + 1));
        if end.is_some() {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_lines_are_cut_and_the_next_begins_where_it_should() {
        let text = format!("{}\nshort\n\nlast", "x".repeat(50_000));
        let mut reader = BufReader::new(text.as_bytes());
        let (mut line, mut lines) = (Vec::new(), Vec::new());
        while read_line(&mut reader, &mut line).await {
            lines.push(String::from_utf8(line.clone()).unwrap());
        }
        assert_eq!(lines[0].len(), LINE_BYTES_MAX);
        assert_eq!(lines[1..], ["short", "", "last"]);
    }
}
