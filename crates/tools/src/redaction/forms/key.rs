//! Names that say their value is a secret.

/// What a name says its value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Chosen by a person; it may be anything.
    Password,
    /// A key or another secret.
    Secret,
    /// A token. The word has other meanings too.
    Token,
    /// The header.
    Authorization,
}

impl Family {
    /// What is put in the place of the value.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Secret => "secret",
            Self::Token => "token",
            Self::Authorization => "authorization",
        }
    }
}

/// How names of passwords end.
const PASSWORDS: [&str; 8] =
    ["password", "passwd", "passphrase", "passcode", "pwd", "passwordhash", "passwort", "kennwort"];

/// How names of secrets end.
const SECRETS: [&str; 8] =
    ["secret", "apikey", "secretkey", "privatekey", "accesskey", "signingkey", "encryptionkey", "authkey"];

/// How names of tokens end that open nothing.
const HARMLESS: [&str; 7] =
    ["pagetoken", "nexttoken", "continuationtoken", "synctoken", "cancellationtoken", "stoptoken", "resumetoken"];

/// What the name says of its value, in any of the usual spellings: `DB_PASSWORD`, `dbPassword`, `db-password`.
pub fn family(name: &str) -> Option<Family> {
    // The working directory, in every environment.
    if matches!(name, "PWD" | "OLDPWD") {
        return None;
    }
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|char| char.to_ascii_lowercase()).collect();
    let ends = |list: &[&str]| list.iter().any(|end| plain.ends_with(end));
    if ends(&PASSWORDS) || matches!(plain.as_str(), "pass" | "pw") || name.to_ascii_lowercase().ends_with("_pass") {
        Some(Family::Password)
    } else if ends(&SECRETS) {
        Some(Family::Secret)
    } else if plain.ends_with("authorization") {
        Some(Family::Authorization)
    } else if plain.ends_with("token") && !ends(&HARMLESS) {
        Some(Family::Token)
    } else {
        None
    }
}

/// Whether this stands in for a secret rather than being one.
pub fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 33] = [
        "null",
        "none",
        "nil",
        "true",
        "false",
        "undefined",
        "string",
        "str",
        "text",
        "number",
        "integer",
        "boolean",
        "bool",
        "object",
        "required",
        "optional",
        "yes",
        "no",
        "empty",
        "unset",
        "missing",
        "invalid",
        "wrong",
        "expired",
        "password",
        "token",
        "secret",
        "api_key",
        "apikey",
        "bearer",
        "basic",
        "digest",
        "example",
    ];
    let value = value.trim();
    let wrapped = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close);
    let plain = value.to_ascii_lowercase();
    value.chars().count() < 4
        || value.starts_with("[redacted")
        || value.starts_with("env:")
        || wrapped("<", ">")
        || wrapped("{", "}")
        || wrapped("${", "}")
        || wrapped("%", "%")
        || value.strip_prefix('$').is_some_and(|name| name.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
        || value.chars().all(|char| matches!(char, '*' | 'x' | 'X' | '.' | '•' | '…'))
        || (plain.starts_with("your") && plain.contains(['_', '-', ' ']))
        || WORDS.contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_their_values_are() {
        for (name, expected) in [
            ("password", Some(Family::Password)),
            ("DB_PASSWORD", Some(Family::Password)),
            ("userPassword", Some(Family::Password)),
            ("SMTP_PASS", Some(Family::Password)),
            ("X-Api-Key", Some(Family::Secret)),
            ("client_secret", Some(Family::Secret)),
            ("aws_secret_access_key", Some(Family::Secret)),
            ("access_token", Some(Family::Token)),
            ("Authorization", Some(Family::Authorization)),
            ("PWD", None),
            ("max_tokens", None),
            ("next_page_token", None),
            ("tokenizer", None),
            ("key", None),
            ("compass", None),
            ("idempotency_key", None),
        ] {
            assert_eq!(family(name), expected, "{name}");
        }
    }
}
