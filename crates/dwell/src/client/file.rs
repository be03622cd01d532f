//! The file name that a server sends with a download.

/// The name in a `Content-Disposition` header, as Dwell's server writes it.
pub(super) fn name(disposition: &str) -> Option<String> {
    let (_, encoded) = disposition.split_once("filename*=UTF-8''")?;
    let mut bytes = Vec::new();
    let mut rest = encoded.split(';').next()?.trim().bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let (high, low) = (digit(rest.next())?, digit(rest.next())?);
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_script() {
        for (disposition, expected) in [
            ("attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20.txt", Some("Grüße .txt")),
            ("attachment; filename*=UTF-8''notes.md; x=y", Some("notes.md")),
            ("attachment", None),
            ("attachment; filename*=UTF-8''%C3", None),
            ("attachment; filename*=UTF-8''%4", None),
            ("attachment; filename*=UTF-8''", None),
        ] {
            assert_eq!(name(disposition).as_deref(), expected, "{disposition}");
        }
    }
}
