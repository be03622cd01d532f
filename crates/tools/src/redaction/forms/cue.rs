//! What comes before a secret and gives it away: `password=`, `"token": `, `Bearer `, `https://user:`.

use super::{
    key::{Family, family},
    told::{self, Told},
};

/// What the text before a place says about what begins there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cue {
    /// The value of a name. A sure one is a secret whatever it looks like, as in `password=…`; prose writes
    /// `password: …` too.
    Value {
        /// What the name says.
        family: Family,
        /// Whether only machines write it like this.
        is_sure: bool,
    },
    /// What a scheme such as `Bearer` is followed by, and whether that was in an `Authorization` header.
    Scheme {
        /// Whether the header's name stands before it.
        is_sure: bool,
    },
    /// What a sentence tells, as in `my password is …`.
    Told {
        /// What it is.
        told: Told,
        /// Whether it may be a plain word.
        is_plain: bool,
    },
    /// A name that a value in quotes may follow, as in `the password "…"`.
    Mentioned {
        /// What it is.
        told: Told,
    },
    /// The password in `https://user:password@host`, or a port.
    Url,
}

/// What the text says about what follows it.
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
            named.or_else(|| told::of(trim(left)).filter(|cue| matches!(cue, Cue::Told { .. })))
        }
        b'>' => {
            let (family, is_quoted) = name(trim(text.strip_suffix("=>")?))?;
            is_quoted.then_some(Cue::Value { family, is_sure: false })
        }
        _ if is_spaced => word(text),
        _ => None,
    }
}

/// The word before a space: a scheme, an option, or the one name that is often followed by a bare value.
fn word(text: &str) -> Option<Cue> {
    let start = identifier(text);
    let (before, word) = text.split_at(start);
    let plain = word.to_ascii_lowercase();
    if matches!(plain.as_str(), "bearer" | "basic" | "token" | "apikey") {
        let header = trim(before).strip_suffix([':', '=']).and_then(|left| name(trim(left)));
        let is_sure = matches!(header, Some((Family::Authorization, _)));
        return (is_sure || plain == "bearer").then_some(Cue::Scheme { is_sure });
    }
    if word.starts_with("--") || plain.ends_with("secret_access_key") {
        return family(word).map(|family| Cue::Value { family, is_sure: false });
    }
    told::of(text)
}

/// The name at the end of the text, and whether it is in quotes.
fn name(text: &str) -> Option<(Family, bool)> {
    let bare = text.strip_suffix(']').unwrap_or(text);
    let unquoted = bare.strip_suffix(['"', '\'', '`']).map(|bare| bare.strip_suffix('\\').unwrap_or(bare));
    let text = unquoted.unwrap_or(bare);
    let start = identifier(text);
    let named = family(&text[start..]).or_else(|| {
        // `Secret access key`: names of several words.
        let before = trim(&text[..start]).rsplit([' ', '\t', '\n']).next();
        match told::named(&text[start..], before)? {
            Told::Other(family) => Some(family),
            Told::Password | Told::Passphrase | Told::Pin => None,
        }
    });
    named.map(|family| (family, unquoted.is_some()))
}

/// Where the identifier at the end of the text begins.
fn identifier(text: &str) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    text.len() - text.bytes().rev().take_while(is_part).count()
}

/// Whether the text ends in `scheme://` and the name of a user.
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
            ("password=", value(Family::Password, true)),
            ("?a=1&api_key=", value(Family::Secret, true)),
            ("password = ", value(Family::Password, false)),
            ("\"password\": ", value(Family::Password, false)),
            ("{\\\"token\\\":", value(Family::Token, false)),
            ("'secret' => ", value(Family::Secret, false)),
            ("env[\"API_KEY\"] = ", value(Family::Secret, false)),
            ("run --password ", value(Family::Password, false)),
            ("Authorization: ", value(Family::Authorization, false)),
            ("Authorization: Basic ", Some(Cue::Scheme { is_sure: true })),
            ("use Bearer ", Some(Cue::Scheme { is_sure: false })),
            ("https://user:", Some(Cue::Url)),
            ("redis://:", Some(Cue::Url)),
            ("https:", None),
            ("if token == ", None),
            ("token::", None),
            ("the password ", Some(Cue::Mentioned { told: Told::Password })),
            ("my password is ", Some(Cue::Told { told: Told::Password, is_plain: true })),
            ("das Passwort für das WLAN lautet jetzt ", Some(Cue::Told { told: Told::Password, is_plain: true })),
            ("change the password to ", Some(Cue::Told { told: Told::Password, is_plain: false })),
            ("Secret access key: ", value(Family::Secret, false)),
            ("the key is ", None),
            ("the password. It is ", None),
            ("a basic ", None),
            ("https://host/a b:", None),
        ] {
            assert_eq!(of(before), expected, "{before}");
        }
    }
}
