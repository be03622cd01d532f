//! Secrets by form: what looks like somebody's key, token or password.
//!
//! Where a secret could begin, [`judge`] looks at what comes before (`password=`, `Bearer `) and at the first bytes of
//! what follows (`ghp_`, `eyJ`). Its verdict never depends on more than [`WINDOW`] bytes ahead and [`BACK`] bytes back,
//! so a text in pieces is judged like the text in one. Once a secret is certain its marker goes out, and the rest of it is
//! [swallowed](swallow) however long it is.

mod aws;
mod cue;
pub(super) mod key;
mod pem;
mod prefix;
mod swallow;
mod told;
mod value;
mod vocabulary;

use swallow::Swallow;

/// How far ahead a verdict may look.
const WINDOW: usize = 4096;

/// How far back a verdict may look.
const BACK: usize = 128;

/// How far from the beginning of one key of AWS another is looked for without a name.
const AWS_NEAR: usize = 192;

/// How much of the text that went out is left lying before it is cleared away.
const BEHIND_MAX: usize = 4096;

/// What is said of a place in the text.
enum Verdict {
    /// No secret begins here.
    No,
    /// It depends on what comes next.
    Wait,
    /// A secret begins here.
    Secret(Secret),
}

struct Secret {
    /// Bytes before it that stay, such as an opening quote.
    skip: usize,
    /// Bytes of it that are certain.
    length: usize,
    kind: &'static str,
    /// How it goes on.
    rest: Option<Swallow>,
}

impl Secret {
    /// A secret that is swallowed from its first byte on.
    fn swallowed(kind: &'static str, rest: Swallow) -> Verdict {
        Verdict::Secret(Self { skip: 0, length: 0, kind, rest: Some(rest) })
    }
}

/// A text on its way through.
#[derive(Default)]
pub struct Scan {
    /// The end of what went out, and all that has not.
    text: String,
    /// Where the undecided part begins.
    at: usize,
    /// Where the last secret ended: what is in it says nothing about what follows.
    barrier: usize,
    /// Up to where the last key of AWS counts as near.
    aws_until: usize,
    swallowing: Option<Swallow>,
}

impl Scan {
    /// Takes the next piece, and gives what is certain.
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

    /// The text has ended: gives the rest.
    pub fn finish(&mut self, out: &mut String) {
        self.advance(true, out);
        *self = Self::default();
    }

    /// How many bytes are held back.
    pub fn held(&self) -> usize {
        self.text.len() - self.at
    }

    fn advance(&mut self, whole: bool, out: &mut String) {
        let mut plain = self.at;
        while self.at < self.text.len() {
            if let Some(swallow) = self.swallowing {
                let (gone, is_over) = swallow.take(&self.text[self.at..], whole);
                self.at += gone;
                (plain, self.barrier) = (self.at, self.at);
                if !is_over {
                    break;
                }
                self.swallowing = None;
                if self.at == self.text.len() {
                    break;
                }
            }
            match self.judge(whole) {
                Verdict::No => self.at += 1,
                Verdict::Wait => break,
                Verdict::Secret(secret) => {
                    out.push_str(&self.text[plain..self.at + secret.skip]);
                    out.push_str("[redacted:");
                    out.push_str(secret.kind);
                    out.push(']');
                    self.at += secret.skip + secret.length;
                    (plain, self.barrier) = (self.at, self.at);
                    self.swallowing = secret.rest;
                    if secret.kind == aws::KIND {
                        self.aws_until = self.at + AWS_NEAR;
                    }
                }
            }
        }
        out.push_str(&self.text[plain..self.at]);
    }

    fn judge(&self, whole: bool) -> Verdict {
        if !is_start(self.text.as_bytes(), self.at) {
            return Verdict::No;
        }
        let (ahead, whole) = match self.text.get(self.at..).unwrap_or_default() {
            rest if rest.len() > WINDOW => (&rest[..rest.floor_char_boundary(WINDOW)], true),
            rest => (rest, whole),
        };
        let back = self.text.floor_char_boundary(self.at.saturating_sub(BACK)).max(self.barrier);
        if let Some(cue) = cue::of(&self.text[back..self.at]) {
            match value::judge(cue, ahead, whole) {
                Verdict::No => {}
                verdict => return verdict,
            }
        }
        let known = match ahead.as_bytes().first() {
            Some(b'-') => pem::judge(ahead, whole),
            _ => prefix::judge(ahead, whole),
        };
        match known {
            Verdict::No if aws::can_begin(&self.text.as_bytes()[..self.at]) => {
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
        // What ends in `\n` or `%20` is no word, though it looks like one.
        _ => {
            (at >= 2 && text[at - 2] == b'\\' && matches!(last, b'n' | b'r' | b't'))
                || (at >= 3 && text[at - 3] == b'%' && text[at - 2].is_ascii_hexdigit() && last.is_ascii_hexdigit())
        }
    }
}
