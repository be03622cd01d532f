//! Parses server-sent events from bytes.

use super::{ProviderClient, failure};
use crate::Error;

/// The longest event of an answer.
const EVENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The data of events, one by one.
#[derive(Debug, Default)]
pub(super) struct SseEvents {
    /// Received bytes; those before `read` were consumed. The next line begins at `read`.
    bytes: Vec<u8>,
    read: usize,
    /// How many of those were searched for the end of a line: a long line is not searched again
    /// from its beginning with every piece that comes.
    searched: usize,
    /// The data of an incomplete event.
    data: Option<Vec<u8>>,
}

impl SseEvents {
    /// Adds bytes.
    pub(super) fn take(&mut self, more: &[u8], at: &ProviderClient) -> Result<(), Error> {
        self.bytes.drain(..self.read);
        self.read = 0;
        self.bytes.extend_from_slice(more);
        if self.bytes.len() + self.data.as_ref().map_or(0, Vec::len) > EVENT_BYTES_MAX {
            return Err(failure::malformed("a piece of the answer is larger than 16 MiB", at));
        }
        Ok(())
    }

    /// The data of the next complete event. Other fields than `data` are ignored.
    pub(super) fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let rest = &self.bytes[self.read..];
            let Some(end) = rest[self.searched..].iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.searched = rest.len();
                return None;
            };
            let end = self.searched + end;
            // A line ends with CR, LF or both; a CR at the end of the buffer has to wait for a
            // possible LF.
            let after = match (rest[end], rest.get(end + 1)) {
                (b'\r', None) => {
                    self.searched = end;
                    return None;
                }
                (b'\r', Some(b'\n')) => end + 2,
                _ => end + 1,
            };
            let line = &rest[..end];
            (self.read, self.searched) = (self.read + after, 0);
            if line.is_empty() {
                if let Some(data) = self.data.take() {
                    return Some(data);
                }
            } else if let Some(value) = line.strip_prefix(b"data:") {
                let value = value.strip_prefix(b" ").unwrap_or(value);
                match &mut self.data {
                    Some(data) => {
                        data.push(b'\n');
                        data.extend_from_slice(value);
                    }
                    None => self.data = Some(value.to_vec()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote::tests::nowhere;

    const SAID: &str =
        ": hello\nevent: x\ndata: one\r\n\r\ndata:two\ndata: lines\n\nid: 7\n\ndata: [DONE]\n\ndata: cut";

    #[test]
    fn events_are_the_same_however_their_bytes_come() {
        let at = nowhere();
        for first in 0..SAID.len() {
            for second in first..SAID.len() {
                let (mut events, mut heard) = (SseEvents::default(), Vec::new());
                for part in [&SAID[..first], &SAID[first..second], &SAID[second..]] {
                    events.take(part.as_bytes(), &at).unwrap();
                    while let Some(event) = events.next() {
                        heard.push(String::from_utf8(event).unwrap());
                    }
                }
                assert_eq!(heard, ["one", "two\nlines", "[DONE]"], "cut at {first} and {second}");
            }
        }
    }
}
