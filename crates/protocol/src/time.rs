//! A time in UTC with millisecond precision. On the wire it is RFC 3339.

use std::{fmt, str::FromStr, time::Duration};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A time in UTC with millisecond precision, as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("format" = "date-time"))]
pub struct Timestamp(i64);

/// The latest time that RFC 3339 can express: the end of the year 9999, less a day for time zones.
const MILLIS_MAX: i64 = 253_402_200_000_000;

impl Timestamp {
    /// The time that many milliseconds after 1970, clamped to the years that RFC 3339 can express.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(-MILLIS_MAX / 4, MILLIS_MAX))
    }

    /// Milliseconds since 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Duration since `earlier`. Zero if this is not later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The time this much later.
    pub fn plus(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self::from_millis(self.0.saturating_add(millis))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = jiff::Timestamp::from_millisecond(self.0).map_err(|_| fmt::Error)?;
        write!(f, "{moment:.3}")
    }
}

impl FromStr for Timestamp {
    type Err = jiff::Error;

    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        text.parse::<jiff::Timestamp>().map(|moment| Self::from_millis(moment.as_millisecond()))
    }
}

impl TryFrom<String> for Timestamp {
    type Error = jiff::Error;

    fn try_from(text: String) -> Result<Self, jiff::Error> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> String {
        moment.to_string()
    }
}
