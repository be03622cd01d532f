//! The headers of requests to the collector, in the form of `OTEL_EXPORTER_OTLP_HEADERS`:
//! `name=value,name=value`, with values percent-encoded.

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// Why headers cannot be used. Their values are secret and not repeated.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadHeaders {
    /// A part has no `=`.
    #[error("part {0} is not of the form `name=value`; separate headers by commas and write a comma in a value as %2C")]
    NoValue(usize),
    /// A name is not valid.
    #[error("part {0} has a name that is not valid for an HTTP header")]
    BadName(usize),
    /// A value is not valid.
    #[error("part {0} has a value that is not valid for an HTTP header")]
    BadValue(usize),
}

pub(super) fn parse(text: &str) -> Result<HeaderMap, BadHeaders> {
    let mut headers = HeaderMap::new();
    let parts = text.split(',').map(str::trim).enumerate();
    for (index, part) in parts.filter(|(_, part)| !part.is_empty()) {
        let number = index + 1;
        let (name, value) = part.split_once('=').ok_or(BadHeaders::NoValue(number))?;
        let name: HeaderName = name.trim().parse().map_err(|_| BadHeaders::BadName(number))?;
        let value = decoded(value.trim()).ok_or(BadHeaders::BadValue(number))?;
        let mut value = HeaderValue::from_bytes(&value).map_err(|_| BadHeaders::BadValue(number))?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// The bytes of a percent-encoded text.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
                u8::try_from(high * 16 + low).ok()?
            }
            plain => plain,
        };
        decoded.push(byte);
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_separated_by_commas_and_percent_encoded() {
        let headers = parse("authorization=Basic%20YWJj=, x-scope = a%2Cb ,").unwrap();
        assert_eq!(headers["authorization"], "Basic YWJj=");
        assert_eq!(headers["x-scope"], "a,b");
        assert!(parse("").unwrap().is_empty());
    }

    #[test]
    fn mistakes_are_named_without_the_value() {
        assert_eq!(parse("a=b,secret"), Err(BadHeaders::NoValue(2)));
        assert_eq!(parse("a b=c"), Err(BadHeaders::BadName(1)));
        assert_eq!(parse("a=%0"), Err(BadHeaders::BadValue(1)));
        assert_eq!(parse("a=%0a"), Err(BadHeaders::BadValue(1)));
    }
}
