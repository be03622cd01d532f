//! Cues: text before a secret that reveals it, such as `password=`, `"token": `, `Bearer `,
//! `https://user:`.

use super::{
    key::{SecretFamily, family},
    prose::{self, ProseSecret},
};

/// What the text before a position says about the text that follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cue {
    /// The value of a name. If it is sure, the value is a secret whatever it looks like, as in
    /// `password=…`. Prose also contains `password: …`.
    Value {
        /// The family of the name.
        family: SecretFamily,
        /// Whether only programs write it like this.
        is_sure: bool,
    },
    /// The credentials after a scheme such as `Bearer`.
    Scheme {
        /// Whether an `Authorization` header name precedes it.
        is_sure: bool,
    },
    /// A value in a sentence, as in `my password is …`.
    Prose {
        /// The kind of secret.
        told: ProseSecret,
        /// Whether it may be a plain word.
        is_plain: bool,
    },
    /// A name that a quoted value may follow, as in `the password "…"`.
    Mentioned {
        /// The kind of secret.
        told: ProseSecret,
    },
    /// The password in `https://user:password@host`, or a port.
    Url,
}

/// The cue at the end of the text.
pub fn of(before: &str) -> Option<Cue> {
    let text = trim(before);
    let is_spaced = text.len() < before.len();
    match text.as_bytes().last()? {
        b'=' => {
            let left = text.strip_suffix('=')?;
            let left = left.strip_suffix(':').unwrap_or(left);
            if left.ends_with(['=', '!', '<', '>', '~', '+', '-', '*', '/', '|', '&', '?']) {
                return None;
            }
            let (family, _) = name(trim(left))?;
            let is_sure = !is_spaced && trim(left).len() == left.len();
            Some(Cue::Value { family, is_sure })
        }
        b':' => {
            let left = text.strip_suffix(':')?;
            if !is_spaced && is_userinfo(left) {
                return Some(Cue::Url);
            }
            let named = name(trim(left)).map(|(family, _)| Cue::Value { family, is_sure: false });
            named.or_else(|| prose::of(trim(left)).filter(|cue| matches!(cue, Cue::Prose { .. })))
        }
        b'>' => {
            let (family, is_quoted) = name(trim(text.strip_suffix("=>")?))?;
            is_quoted.then_some(Cue::Value { family, is_sure: false })
        }
        _ if is_spaced => word(text),
        _ => None,
    }
}

/// A cue before a space: a scheme, an option, or a name that often precedes a bare value.
fn word(text: &str) -> Option<Cue> {
    let start = identifier(text);
    let (before, word) = text.split_at(start);
    let plain = word.to_ascii_lowercase();
    if matches!(plain.as_str(), "bearer" | "basic" | "token" | "apikey") {
        let header = trim(before).strip_suffix([':', '=']).and_then(|left| name(trim(left)));
        let is_sure = matches!(header, Some((SecretFamily::Authorization, _)));
        return (is_sure || plain == "bearer").then_some(Cue::Scheme { is_sure });
    }
    if word.starts_with("--") || plain.ends_with("secret_access_key") {
        return family(word).map(|family| Cue::Value { family, is_sure: false });
    }
    prose::of(text)
}

/// The name at the end of the text, and whether it is quoted.
fn name(text: &str) -> Option<(SecretFamily, bool)> {
    let bare = text.strip_suffix(']').unwrap_or(text);
    let unquoted = bare.strip_suffix(['"', '\'', '`']).map(|bare| bare.strip_suffix('\\').unwrap_or(bare));
    let text = unquoted.unwrap_or(bare);
    let start = identifier(text);
    let named = family(&text[start..]).or_else(|| {
        // `Secret access key`: names of several words.
        let before = trim(&text[..start]).rsplit([' ', '\t', '\n']).next();
        match prose::named(&text[start..], before)? {
            ProseSecret::Other(family) => Some(family),
            ProseSecret::Password | ProseSecret::Passphrase | ProseSecret::Pin => None,
        }
    });
    named.map(|family| (family, unquoted.is_some()))
}

/// The start of the identifier at the end of the text.
fn identifier(text: &str) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    text.len() - text.bytes().rev().take_while(is_part).count()
}

/// Whether the text ends in `scheme://` and a user name.
fn is_userinfo(text: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "._~!$&'()*+,;=%-".contains(char);
    let scheme = text.trim_end_matches(is_part).strip_suffix("://");
    scheme.is_some_and(|scheme| scheme.ends_with(|char: char| char.is_ascii_alphanumeric()))
}

fn trim(text: &str) -> &str {
    text.trim_end_matches([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_before_gives_a_secret_away() {
        let value = |family, is_sure| Some(Cue::Value { family, is_sure });
        for (before, expected) in [
            ("password=", value(SecretFamily::Password, true)),
            ("?a=1&api_key=", value(SecretFamily::Secret, true)),
            ("password = ", value(SecretFamily::Password, false)),
            ("\"password\": ", value(SecretFamily::Password, false)),
            ("{\\\"token\\\":", value(SecretFamily::Token, false)),
            ("'secret' => ", value(SecretFamily::Secret, false)),
            ("env[\"API_KEY\"] = ", value(SecretFamily::Secret, false)),
            ("run --password ", value(SecretFamily::Password, false)),
            ("Authorization: ", value(SecretFamily::Authorization, false)),
            ("Authorization: Basic ", Some(Cue::Scheme { is_sure: true })),
            ("use Bearer ", Some(Cue::Scheme { is_sure: false })),
            ("https://user:", Some(Cue::Url)),
            ("redis://:", Some(Cue::Url)),
            ("https:", None),
            ("if token == ", None),
            ("token::", None),
            ("the password ", Some(Cue::Mentioned { told: ProseSecret::Password })),
            ("my password is ", Some(Cue::Prose { told: ProseSecret::Password, is_plain: true })),
            (
                "das Passwort für das WLAN lautet jetzt ",
                Some(Cue::Prose { told: ProseSecret::Password, is_plain: true }),
            ),
            ("change the password to ", Some(Cue::Prose { told: ProseSecret::Password, is_plain: false })),
            ("Secret access key: ", value(SecretFamily::Secret, false)),
            ("the key is ", None),
            ("the password. It is ", None),
            ("a basic ", None),
            ("https://host/a b:", None),
        ] {
            assert_eq!(of(before), expected, "{before}");
        }
    }
}
