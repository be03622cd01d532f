//! Names whose values are secrets.

/// The kind of secret that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretFamily {
    /// Chosen by a person, so it can have any form.
    Password,
    /// A key or another secret.
    Secret,
    /// A token. The word has other meanings too.
    Token,
    /// The `Authorization` header.
    Authorization,
}

impl SecretFamily {
    /// The kind in the marker.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Secret => "secret",
            Self::Token => "token",
            Self::Authorization => "authorization",
        }
    }
}

/// Endings of names of passwords.
const PASSWORDS: [&str; 8] =
    ["password", "passwd", "passphrase", "passcode", "pwd", "passwordhash", "passwort", "kennwort"];

/// Endings of names of secrets.
const SECRETS: [&str; 8] =
    ["secret", "apikey", "secretkey", "privatekey", "accesskey", "signingkey", "encryptionkey", "authkey"];

/// Endings of token names that are not secret.
const HARMLESS: [&str; 7] =
    ["pagetoken", "nexttoken", "continuationtoken", "synctoken", "cancellationtoken", "stoptoken", "resumetoken"];

/// The family of a name, in any of the usual spellings: `DB_PASSWORD`, `dbPassword`, `db-password`.
pub fn family(name: &str) -> Option<SecretFamily> {
    // The working directory, present in every environment.
    if matches!(name, "PWD" | "OLDPWD") {
        return None;
    }
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|char| char.to_ascii_lowercase()).collect();
    let ends = |list: &[&str]| list.iter().any(|end| plain.ends_with(end));
    if ends(&PASSWORDS) || matches!(plain.as_str(), "pass" | "pw") || name.to_ascii_lowercase().ends_with("_pass") {
        Some(SecretFamily::Password)
    } else if ends(&SECRETS) {
        Some(SecretFamily::Secret)
    } else if plain.ends_with("authorization") {
        Some(SecretFamily::Authorization)
    } else if plain.ends_with("token") && !ends(&HARMLESS) {
        Some(SecretFamily::Token)
    } else {
        None
    }
}

/// Whether the value is a placeholder for a secret.
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
            ("password", Some(SecretFamily::Password)),
            ("DB_PASSWORD", Some(SecretFamily::Password)),
            ("userPassword", Some(SecretFamily::Password)),
            ("SMTP_PASS", Some(SecretFamily::Password)),
            ("X-Api-Key", Some(SecretFamily::Secret)),
            ("client_secret", Some(SecretFamily::Secret)),
            ("aws_secret_access_key", Some(SecretFamily::Secret)),
            ("access_token", Some(SecretFamily::Token)),
            ("Authorization", Some(SecretFamily::Authorization)),
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
