//! Lines of the file of heads, each with its own checksum.

use protocol::SessionId;

use crate::{Checksum, encoding::Head};

/// Length of the checksum at the end of a line.
const CHECK_CHARS: usize = 8;

/// A line: heads of sessions after a commit. A session without a head was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeadsLine {
    /// Whether it belongs to the list of all sessions at the beginning of the file.
    pub(super) is_base: bool,
    pub(super) commits: u64,
    pub(super) sessions: Vec<(SessionId, Option<Head>)>,
}

impl HeadsLine {
    pub(super) fn write(&self) -> String {
        let mut text = format!("{} {}", if self.is_base { "base" } else { "then" }, self.commits);
        for (id, head) in &self.sessions {
            text.push_str(&match head {
                Some(Head { seq, sum }) => format!(" {id}={seq}.{sum}"),
                None => format!(" {id}=gone"),
            });
        }
        let check = check(&text);
        text + " " + &check + "\n"
    }

    /// Parses a line without its line feed; `None` if it is torn or damaged.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (text, given) = text.rsplit_once(' ')?;
        if given != check(text) {
            return None;
        }
        let mut words = text.split(' ');
        let is_base = match words.next()? {
            "base" => true,
            "then" => false,
            _ => return None,
        };
        let commits = words.next()?.parse().ok()?;
        let sessions = words.map(read_session).collect::<Option<_>>()?;
        Some(Self { is_base, commits, sessions })
    }
}

fn read_session(word: &str) -> Option<(SessionId, Option<Head>)> {
    let (id, head) = word.split_once('=')?;
    let head = match head {
        "gone" => None,
        head => {
            let (seq, sum) = head.split_once('.')?;
            Some(Head { seq: seq.parse().ok()?, sum: Checksum::from_hex(sum)? })
        }
    };
    Some((id.parse().ok()?, head))
}

fn check(text: &str) -> String {
    let mut check = Checksum::of(&[text.as_bytes()]).to_string();
    check.truncate(CHECK_CHARS);
    check
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> HeadsLine {
        let id = |n| SessionId::from_bytes([n; 16]);
        let head = Head { seq: 45, sum: Checksum::of(&[b"x"]) };
        HeadsLine { is_base: false, commits: 812, sessions: vec![(id(1), Some(head)), (id(2), None)] }
    }

    #[test]
    fn a_line_reads_back() {
        for line in [line(), HeadsLine { is_base: true, ..line() }, HeadsLine { sessions: Vec::new(), ..line() }] {
            let text = line.write();
            assert_eq!(HeadsLine::read(text.trim_end_matches('\n').as_bytes()), Some(line), "{text}");
        }
    }

    #[test]
    fn a_torn_or_changed_line_is_none() {
        let text = line().write();
        let whole = text.trim_end_matches('\n').as_bytes();
        for length in 0..whole.len() {
            assert_eq!(HeadsLine::read(&whole[..length]), None, "the first {length} bytes");
        }
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut changed = whole.to_vec();
                changed[at] ^= 1 << bit;
                assert_eq!(HeadsLine::read(&changed), None, "bit {bit} of byte {at}");
            }
        }
    }
}
