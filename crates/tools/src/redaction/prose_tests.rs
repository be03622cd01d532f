//! Sentences that reveal a secret, and sentences that only mention one.

use super::tests::check;

#[test]
fn a_password_that_is_told_is_taken_out() {
    for (text, expected) in [
        ("my password is hunter2", "my password is [redacted:password]"),
        ("My password is swordfish.", "My password is [redacted:password]"),
        ("my password is swordfish, remember it", "my password is [redacted:password], remember it"),
        ("my password is Swordfish and my name is Ada", "my password is [redacted:password] and my name is Ada"),
        ("the wifi password is Sommer2024!", "the wifi password is [redacted:password]"),
        ("our new password will be Winter-2025", "our new password will be [redacted:password]"),
        ("My password was 12345678 once", "My password was [redacted:password] once"),
        ("my password is: hunter2", "my password is: [redacted:password]"),
        ("my password's hunter2", "my password's [redacted:password]"),
        ("my password is still hunter2", "my password is still [redacted:password]"),
        ("password for the guest network is Gast4567", "password for the guest network is [redacted:password]"),
        ("I changed my password to hunter2", "I changed my password to [redacted:password]"),
        ("set the password to 'open sesame' now", "set the password to '[redacted:password]' now"),
        ("the password \"open sesame\" is stale", "the password \"[redacted:password]\" is stale"),
        ("my password is `hunter2`", "my password is `[redacted:password]`"),
        ("my password is correct-horse-battery-staple", "my password is [redacted:password]"),
        ("My passphrase is correct horse battery staple.", "My passphrase is [redacted:password]."),
        ("my passcode is 4711", "my passcode is [redacted:password]"),
        ("My PIN is 4711, by the way", "My PIN is [redacted:code], by the way"),
        ("pw is hunter2", "pw is [redacted:password]"),
        ("my api key is 0a1b2c3d4e5f", "my api key is [redacted:secret]"),
        ("the access token is 0a1b2c3d4e5f", "the access token is [redacted:token]"),
        ("API key: 0a1b2c3d4e5f", "API key: [redacted:secret]"),
    ] {
        check(text, expected);
    }
}

#[test]
fn in_german_too() {
    for (text, expected) in [
        ("mein Passwort ist hunter2", "mein Passwort ist [redacted:password]"),
        ("Mein Passwort ist Schwertfisch.", "Mein Passwort ist [redacted:password]"),
        (
            "Mein Passwort lautet Geheim123 und sonst nichts",
            "Mein Passwort lautet [redacted:password] und sonst nichts",
        ),
        ("das WLAN-Passwort ist Sommer2024", "das WLAN-Passwort ist [redacted:password]"),
        ("Das Passwort für das WLAN ist jetzt gast4567", "Das Passwort für das WLAN ist jetzt [redacted:password]"),
        ("mein Kennwort lautet: Geheim123", "mein Kennwort lautet: [redacted:password]"),
        ("Kennwort: Geheim123", "Kennwort: [redacted:password]"),
        ("passwort=geheim", "passwort=[redacted:password]"),
        ("ich habe mein Passwort auf Winter2025 geändert", "ich habe mein Passwort auf [redacted:password] geändert"),
        ("Meine PIN ist 4711", "Meine PIN ist [redacted:code]"),
        ("mein Passwort ist „Geheim123“", "mein Passwort ist [redacted:password]"),
    ] {
        check(text, expected);
    }
}

#[test]
fn what_is_said_of_a_password_is_left_alone() {
    for text in [
        "my password is too long",
        "My password is wrong.",
        "my password is not working",
        "my password is expired, what now?",
        "my password is the same as yours",
        "my password is stored in a safe",
        "my password is 12 characters long",
        "my password is 16-characters long, with 100% of them random",
        "the password is case-sensitive.",
        "the password is required. The password is optional.",
        "Is the password correct? The password is correct.",
        "reset your password to continue",
        "I forgot what my password is",
        "what is my password?",
        "the password was changed yesterday",
        "a password manager is worth it, and password rules are not",
        "the token is missing and the secret is patience",
        "the key is under the mat; the key to success is work",
        "my pin is wrong, and the pin is 5 mm long",
        "mein Passwort ist zu kurz",
        "Mein Passwort ist falsch.",
        "mein Passwort ist abgelaufen, was nun?",
        "das Passwort ist sicher. Das Passwort ist nicht sicher.",
        "mein Passwort ist weg",
        "das Passwort wurde geändert; das Passwort ist gesperrt.",
        "ich habe mein Passwort vergessen",
        "the password of the account is weak",
        "if the password is empty, ask again",
    ] {
        check(text, text);
    }
}

#[test]
fn secret_access_keys_of_aws_are_known_with_and_without_a_name() {
    const KEY: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    for (text, expected) in [
        ("my AWS secret key is §", "my AWS secret key is [redacted:secret]"),
        ("AWS secret access key: §", "AWS secret access key: [redacted:secret]"),
        ("Secret access key §.", "Secret access key [redacted:aws]."),
        ("AWS_SECRET_ACCESS_KEY=§", "AWS_SECRET_ACCESS_KEY=[redacted:secret]"),
        ("AKIAIOSFODNN7EXAMPLE §", "[redacted:aws] [redacted:aws]"),
        ("AKIAIOSFODNN7EXAMPLE,§\n", "[redacted:aws],[redacted:aws]\n"),
        ("for aws use §", "for aws use [redacted:aws]"),
        ("{\"SecretAccessKey\": \"§\"}", "{\"SecretAccessKey\": \"[redacted:secret]\"}"),
    ] {
        check(&text.replace('§', KEY), expected);
    }
    for text in [
        "aws s3 sync build/output/of/the/project/folder s3://bucket",
        "the AWS digest is 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
        "aws: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "aws docs: https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html",
        "AWS calls it com/Amazonaws/Services/Dynamodbv2/Document",
        "without the name wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY is any text",
    ] {
        check(text, text);
    }
}
