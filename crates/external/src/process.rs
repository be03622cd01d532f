//! A server that is a program: started in a group of its own with nothing of ours in its environment, and ended with all that
//! it started.

use std::{io, process::Stdio, sync::Arc, time::Duration};

use secrecy::ExposeSecret;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::Instant,
};

use crate::{link::Link, settings::Program};

/// How long it gets to end by itself once nothing more comes, and again once it is asked to.
const GRACE: Duration = Duration::from_millis(700);
/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(10);
/// Bytes of a line that it writes beside the protocol, and lines within ten seconds that are passed on.
const LINE_BYTES_MAX: usize = 1_000;
const LINES_MAX: u32 = 50;
const LINES_WINDOW: Duration = Duration::from_secs(10);

/// A running program. Dropping it ends it and all that it has started.
pub(crate) struct Process {
    child: Child,
}

/// Starts a program; gives it with both ends of the conversation.
pub(crate) fn start(program: &Program, link: Arc<Link>) -> io::Result<(Process, ChildStdout, ChildStdin)> {
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
        // It ends with the program.
        tokio::spawn(pass_on(stderr, link));
    }
    Ok((Process { child }, stdout, stdin))
}

impl Process {
    /// Ends it: by itself once its input is closed, else by asking, else by force. Whatever it started goes with it.
    pub(crate) async fn end(mut self) {
        if !self.has_ended_within(GRACE).await {
            self.signal(Signal::Ask);
            self.has_ended_within(GRACE).await;
        }
        self.signal(Signal::Force);
        // Only now is its number given back: until then it names nobody else's group.
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
        // None once it was waited for.
        rustix::process::Pid::from_raw(i32::try_from(self.child.id()?).ok()?)
    }

    /// Whether it has ended, without giving its number back.
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
        // A group in which nobody is left is what is wanted.
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

/// Passes on what a program writes beside the protocol, as lines of the log: not too long and not too many.
async fn pass_on(stderr: impl AsyncRead + Unpin, link: Arc<Link>) {
    let mut reader = BufReader::new(stderr);
    let (mut line, mut window, mut told, mut untold) = (Vec::new(), Instant::now(), 0, 0_u32);
    while read_line(&mut reader, &mut line).await {
        if window.elapsed() >= LINES_WINDOW {
            if untold > 0 {
                tracing::info!(server = link.server(), "an external server wrote {untold} lines more");
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

/// Reads a line, of which only the beginning is kept; whether there was one.
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
        let room = LINE_BYTES_MAX.saturating_sub(line.len());
        line.extend_from_slice(&bytes[..taken.min(room)]);
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
