//! Content negotiation: which compressed form of a file a client accepts.

/// A compressed form in which files are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// The smaller form.
    Brotli,
    /// The form that all clients know.
    Gzip,
}

impl Encoding {
    /// All forms, the smallest first.
    pub(crate) const ALL: [Self; 2] = [Self::Brotli, Self::Gzip];

    /// Name on the wire.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// Suffix of the file's name.
    pub(crate) const fn suffix(self) -> &'static str {
        match self {
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
        }
    }
}

/// The forms that an `Accept-Encoding` header allows, the smallest first. Preferences between the
/// forms are ignored: a client that accepts both can read both.
pub(crate) fn accepted(accepts: &str) -> impl Iterator<Item = Encoding> {
    Encoding::ALL.into_iter().filter(move |encoding| {
        let said = |name: &str| {
            let mut parts = accepts.split(',').map(|part| part.split_once(';').unwrap_or((part, "")));
            parts.find(|(coding, _)| coding.trim().eq_ignore_ascii_case(name)).map(|(_, weight)| is_wanted(weight))
        };
        said(encoding.name()).or_else(|| said("*")).unwrap_or(false)
    })
}

/// A weight of zero excludes a form.
fn is_wanted(weight: &str) -> bool {
    let weight = weight.trim().strip_prefix(['q', 'Q']).map(|rest| rest.trim_start().trim_start_matches('=').trim());
    weight.and_then(|weight| weight.parse::<f32>().ok()).is_none_or(|weight| weight > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_form_that_is_allowed_comes_first() {
        for (accepts, wanted) in [
            ("", &[][..]),
            ("identity", &[]),
            ("gzip", &["gzip"]),
            ("gzip, deflate, br, zstd", &["br", "gzip"]),
            ("GZIP;q=1.0,BR", &["br", "gzip"]),
            ("br;q=0, gzip", &["gzip"]),
            ("br; q = 0.000", &[]),
            ("br;q=0.001", &["br"]),
            ("*", &["br", "gzip"]),
            ("*;q=0, gzip", &["gzip"]),
            ("brx, xgzip", &[]),
            (",,;;q", &[]),
        ] {
            assert_eq!(accepted(accepts).map(Encoding::name).collect::<Vec<_>>(), wanted, "{accepts}");
        }
    }
}
