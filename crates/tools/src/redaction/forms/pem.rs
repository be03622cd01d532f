//! PEM private keys: `-----BEGIN … PRIVATE KEY-----` to `-----END … PRIVATE KEY-----`.

use super::{DetectedSecret, Detection, tail::SecretTail};

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// The longest name of a key type.
const NAME_BYTES_MAX: usize = 48;

/// The minimum size of the body. Documentation often has the armour alone.
const BODY_BYTES_MIN: usize = 16;

/// Judges whether a private key begins here.
pub fn judge(ahead: &str, whole: bool) -> Detection {
    let Some(rest) = ahead.strip_prefix(BEGIN) else {
        return if !whole && BEGIN.starts_with(ahead) { Detection::Wait } else { Detection::No };
    };
    let name = rest.bytes().take_while(|byte| byte.is_ascii_uppercase() || *byte == b' ').count();
    let after = &rest[name..];
    if name > NAME_BYTES_MAX || !(DASHES.starts_with(after) || after.starts_with(DASHES)) {
        return Detection::No;
    }
    let Some(body) = after.strip_prefix(DASHES) else {
        return if whole { Detection::No } else { Detection::Wait };
    };
    if !rest[..name].contains("PRIVATE KEY") {
        return Detection::No;
    }
    let space = gap(body);
    let armoured = body[space..].bytes().take_while(|byte| is_base64(*byte) || *byte == b'-').count();
    let is_cut_off = whole && armoured > 0 && space + armoured == body.len();
    if armoured >= BODY_BYTES_MIN || is_cut_off || body[space..].starts_with("Proc-Type:") {
        let length = ahead.len() - body.len();
        return Detection::Secret(DetectedSecret { skip: 0, length, kind: "private-key", rest: Some(SecretTail::Pem) });
    }
    if space + armoured == body.len() && !whole { Detection::Wait } else { Detection::No }
}

/// White space, also escaped as in a string, up to a limit.
fn gap(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < BODY_BYTES_MIN {
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_whitespace() => at += 1,
            Some(b'\\') if bytes.get(at + 1).is_none_or(|next| matches!(next, b'n' | b'r' | b'\\')) => {
                at = (at + 2).min(bytes.len());
            }
            _ => break,
        }
    }
    at
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// The number of bytes that belong to the key, and whether the key is complete.
pub fn take(text: &str, whole: bool) -> (usize, bool) {
    let is_part = |byte: u8| is_base64(byte) || byte.is_ascii_whitespace() || b"\\-:,".contains(&byte);
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        if !is_part(byte) {
            return (at, true);
        }
        if byte == b'-' {
            let rest = &text[at..];
            if let Some(name) = rest.strip_prefix(END) {
                let window = &name[..name.floor_char_boundary(NAME_BYTES_MAX + DASHES.len())];
                match window.find(DASHES) {
                    Some(end) => return (at + END.len() + end + DASHES.len(), true),
                    None if !whole && window.len() == name.len() => return (at, false),
                    None => {}
                }
            } else if !whole && END.starts_with(rest) {
                return (at, false);
            }
        }
        at += 1;
    }
    (at, false)
}
