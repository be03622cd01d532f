//! The lines of the file of heads, each with its own check.

use protocol::SessionId;

use super::Head;
use crate::Sum;

/// Characters of the check at the end of a line.
const CHECK_CHARS: usize = 8;

/// What a line tells: how sessions stand after a commit. A session without a head was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Whether it belongs to the list of all sessions with which the file begins.
    pub(super) is_base: bool,
    pub(super) commits: u64,
    pub(super) sessions: Vec<(SessionId, Option<Head>)>,
}

impl Line {
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

    /// Reads a line without its end; none if it is torn or damaged.
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
            Some(Head { seq: seq.parse().ok()?, sum: Sum::from_hex(sum)? })
        }
    };
    Some((id.parse().ok()?, head))
}

fn check(text: &str) -> String {
    let mut check = Sum::of(&[text.as_bytes()]).to_string();
    check.truncate(CHECK_CHARS);
    check
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Line {
        let id = |n| SessionId::from_bytes([n; 16]);
        let head = Head { seq: 45, sum: Sum::of(&[b"x"]) };
        Line { is_base: false, commits: 812, sessions: vec![(id(1), Some(head)), (id(2), None)] }
    }

    #[test]
    fn a_line_reads_back() {
        for line in [line(), Line { is_base: true, ..line() }, Line { sessions: Vec::new(), ..line() }] {
            let text = line.write();
            assert_eq!(Line::read(text.trim_end_matches('\n').as_bytes()), Some(line), "{text}");
        }
    }

    #[test]
    fn a_torn_or_changed_line_is_none() {
        let text = line().write();
        let whole = text.trim_end_matches('\n').as_bytes();
        for length in 0..whole.len() {
            assert_eq!(Line::read(&whole[..length]), None, "the first {length} bytes");
        }
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut changed = whole.to_vec();
                changed[at] ^= 1 << bit;
                assert_eq!(Line::read(&changed), None, "bit {bit} of byte {at}");
            }
        }
    }
}
