//! Sizes in readable units.

/// A number of bytes in a fitting unit.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.iter().find(|(unit, _)| bytes >= *unit) {
        // Integer arithmetic, so that no size is rounded up to the next unit.
        Some((unit, name)) => format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, expected) in
            [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (3_456_789, "3.4 MB"), (2_999_999_999, "2.9 GB")]
        {
            assert_eq!(size(bytes), expected);
        }
    }
}
