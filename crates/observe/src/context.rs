//! The trace context of W3C: which trace a piece of work belongs to, and below which span.

use std::fmt;

/// The name of the header, and of the field in the metadata of MCP.
pub const TRACEPARENT: &str = "traceparent";

/// Characters of a header of version 00.
const LENGTH: usize = 55;

/// A span and the trace that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace; never 0.
    pub trace_id: u128,
    /// The span; never 0.
    pub span_id: u64,
    /// Whether its spans are recorded.
    pub is_sampled: bool,
}

impl TraceContext {
    /// Reads a `traceparent` header. A malformed one counts as none, as the specification asks.
    pub fn parse(header: &str) -> Option<Self> {
        let header = header.trim();
        let mut parts = header.splitn(5, '-');
        let [version, trace, span, flags] = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
        // A later version may append fields; this one has none.
        let is_whole = version != "00" || header.len() == LENGTH;
        let has_lengths = [version.len(), trace.len(), span.len(), flags.len()] == [2, 32, 16, 2];
        if version == "ff" || !is_whole || !has_lengths || !is_hex(version) {
            return None;
        }
        let (trace_id, span_id) = (number(trace)?, u64::try_from(number(span)?).ok()?);
        let flags = number(flags)?;
        (trace_id != 0 && span_id != 0).then_some(Self { trace_id, span_id, is_sampled: flags & 1 == 1 })
    }
}

/// As the header.
impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, u8::from(self.is_sampled))
    }
}

/// The specification allows lowercase digits only.
fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn number(text: &str) -> Option<u128> {
    is_hex(text).then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_header_is_read_and_written_alike() {
        let context = TraceContext::parse(GOOD).unwrap();
        assert!(context.is_sampled);
        assert_eq!(context.to_string(), GOOD);
        let unsampled = TraceContext::parse(&GOOD.replace("-01", "-00")).unwrap();
        assert!(!unsampled.is_sampled);
        let later = TraceContext::parse(&format!("{}-more", GOOD.replacen("00", "01", 1)));
        assert_eq!(later.map(|context| context.trace_id), Some(context.trace_id), "a later version may say more");
    }

    #[test]
    fn a_malformed_header_counts_as_none() {
        let zero_trace = format!("00-{:032}-00f067aa0ba902b7-01", 0);
        let zero_span = format!("00-4bf92f3577b34da6a3ce929d0e0e4736-{:016}-01", 0);
        let upper = GOOD.to_uppercase();
        let long = format!("{GOOD}-more");
        let latest = GOOD.replacen("00", "ff", 1);
        for header in ["", "00", "é", &zero_trace, &zero_span, &upper, &long, &latest, &GOOD[1..], &GOOD[..54]] {
            assert_eq!(TraceContext::parse(header), None, "{header}");
        }
    }
}
