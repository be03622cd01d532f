//! Settings of what others can watch: metrics and traces.

use secret::{ConfigSecret, ServiceUrl};
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MetricsConfig {
    pub(crate) enabled: bool,
    pub(crate) token: ConfigSecret,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TelemetryConfig {
    pub(crate) otlp_endpoint: ServiceUrl,
    pub(crate) headers: ConfigSecret,
    pub(crate) sample_ratio: f64,
    pub(crate) service_name: String,
}
