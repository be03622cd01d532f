//! Detects secrets by form: anything that looks like a key, a token or a password.
//!
//! Where a secret could begin, [`judge`] checks the text before (`password=`, `Bearer `) and the
//! first bytes after (`ghp_`, `eyJ`). Its verdict depends on at most [`WINDOW`] bytes ahead and
//! [`BACK`] bytes back, so a text in pieces gives the same result as the whole text. Once a secret
//! is certain its marker is emitted, and the [tail](tail) of the secret is dropped however long it
//! is.

mod aws;
mod cue;
pub(super) mod key;
mod pem;
mod prefix;
mod prose;
mod tail;
mod value;
mod vocabulary;

use tail::SecretTail;

/// The number of bytes that a verdict may look ahead.
const WINDOW: usize = 4096;

/// The number of bytes that a verdict may look back.
const BACK: usize = 128;

/// The distance from one AWS key within which another one is detected without a cue.
const AWS_NEAR: usize = 192;

/// The number of emitted bytes that are kept before they are removed.
const BEHIND_MAX: usize = 4096;

/// The verdict on a position in the text.
enum Detection {
    /// No secret begins here.
    No,
    /// Undecided until more text comes.
    Wait,
    /// A secret begins here.
    Secret(DetectedSecret),
}

struct DetectedSecret {
    /// The number of bytes before it that stay, such as an opening quote.
    skip: usize,
    /// The number of bytes of it that are certain.
    length: usize,
    kind: &'static str,
    /// How the rest of it ends.
    rest: Option<SecretTail>,
}

impl DetectedSecret {
    /// A secret that is dropped from its first byte on.
    fn with_tail(kind: &'static str, rest: SecretTail) -> Detection {
        Detection::Secret(Self { skip: 0, length: 0, kind, rest: Some(rest) })
    }
}

/// The state of a scan over one text.
#[derive(Default)]
pub struct FormScan {
    /// The end of the emitted text, and all text that was not emitted yet.
    text: String,
    /// The start of the undecided part.
    at: usize,
    /// The end of the last secret: its content is not a cue for what follows.
    barrier: usize,
    /// The position up to which the last AWS key counts as near.
    aws_until: usize,
    tail: Option<SecretTail>,
}

impl FormScan {
    /// Takes the next piece, and emits what is certain.
    pub fn push(&mut self, delta: &str, out: &mut String) {
        self.text.push_str(delta);
        self.advance(false, out);
        if self.at > BEHIND_MAX {
            let gone = self.text.floor_char_boundary(self.at - BACK - 8);
            self.text.drain(..gone);
            self.at -= gone;
            self.barrier = self.barrier.saturating_sub(gone);
            self.aws_until = self.aws_until.saturating_sub(gone);
        }
    }

    /// Ends the text and emits the rest.
    pub fn finish(&mut self, out: &mut String) {
        self.advance(true, out);
        *self = Self::default();
    }

    /// The number of bytes held back.
    pub fn held(&self) -> usize {
        self.text.len() - self.at
    }

    fn advance(&mut self, whole: bool, out: &mut String) {
        let mut plain = self.at;
        while self.at < self.text.len() {
            if let Some(tail) = self.tail {
                let (gone, is_over) = tail.take(&self.text[self.at..], whole);
                self.at += gone;
                (plain, self.barrier) = (self.at, self.at);
                if !is_over {
                    break;
                }
                self.tail = None;
                if self.at == self.text.len() {
                    break;
                }
            }
            match self.judge(whole) {
                Detection::No => self.at += 1,
                Detection::Wait => break,
                Detection::Secret(secret) => {
                    out.push_str(&self.text[plain..self.at + secret.skip]);
                    out.push_str("[redacted:");
                    out.push_str(secret.kind);
                    out.push(']');
                    self.at += secret.skip + secret.length;
                    (plain, self.barrier) = (self.at, self.at);
                    self.tail = secret.rest;
                    if secret.kind == aws::KIND {
                        self.aws_until = self.at + AWS_NEAR;
                    }
                }
            }
        }
        out.push_str(&self.text[plain..self.at]);
    }

    fn judge(&self, whole: bool) -> Detection {
        if !is_start(self.text.as_bytes(), self.at) {
            return Detection::No;
        }
        let (ahead, whole) = match self.text.get(self.at..).unwrap_or_default() {
            rest if rest.len() > WINDOW => (&rest[..rest.floor_char_boundary(WINDOW)], true),
            rest => (rest, whole),
        };
        let back = self.text.floor_char_boundary(self.at.saturating_sub(BACK)).max(self.barrier);
        if let Some(cue) = cue::of(&self.text[back..self.at]) {
            match value::judge(cue, ahead, whole) {
                Detection::No => {}
                verdict => return verdict,
            }
        }
        let known = match ahead.as_bytes().first() {
            Some(b'-') => pem::judge(ahead, whole),
            _ => prefix::judge(ahead, whole),
        };
        match known {
            Detection::No if aws::can_begin(&self.text.as_bytes()[..self.at]) => {
                aws::judge(ahead, whole, || self.at < self.aws_until || aws::is_spoken_of(&self.text[back..self.at]))
            }
            verdict => verdict,
        }
    }
}

/// Whether a secret can begin here: not within a word, and not at a space.
fn is_start(text: &[u8], at: usize) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let Some(last) = at.checked_sub(1).map(|last| text[last]) else { return !text[at].is_ascii_whitespace() };
    match text[at] {
        byte if byte.is_ascii_whitespace() => false,
        b'-' => last != b'-',
        _ if !is_word(last) => true,
        // An escape such as `\n` or `%20` ends a word although it ends in letters or digits.
        _ => {
            (at >= 2 && text[at - 2] == b'\\' && matches!(last, b'n' | b'r' | b't'))
                || (at >= 3 && text[at - 3] == b'%' && text[at - 2].is_ascii_hexdigit() && last.is_ascii_hexdigit())
        }
    }
}
