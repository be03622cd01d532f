//! What others can watch: metrics for Prometheus and traces over OTLP, as far as they are
//! configured.

use std::sync::Arc;

use engine::{SystemWorld, World};
use observe::{Gauges, Meter, Observers, Tracer};
use server::{MetricsPage, MetricsSettings};
use telemetry::{Metrics, OtlpExporter, OtlpSettings};

use crate::config::Config;

/// The version of the program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The observers of a server.
pub(super) struct ServerObservers {
    pub(super) observers: Observers,
    /// The exporter of traces, which has to be stopped at shutdown.
    pub(super) exporter: Option<OtlpExporter>,
    /// The settings of `/metrics`.
    pub(super) metrics: Option<MetricsSettings>,
}

impl ServerObservers {
    /// Opens what is configured. The error says which setting is wrong.
    pub(super) fn open(config: &Config) -> anyhow::Result<Self> {
        let world = SystemWorld::default();
        let (exporter, tracer) = match traces(config, &world)? {
            Some((exporter, tracer)) => (Some(exporter), Some(Arc::new(tracer))),
            None => (None, None),
        };
        let counters = exporter.as_ref().map(OtlpExporter::counters);
        let started_at = world.now().as_millis() as f64 / 1000.0;
        let metrics = config.metrics.enabled.then(|| Arc::new(Metrics::new(VERSION, started_at, counters)));
        let meter = metrics.clone().map(|metrics| metrics as Arc<dyn Meter>);
        let token = config.metrics.token.is_set().then(|| config.metrics.token.secret());
        let metrics = metrics.map(|metrics| MetricsSettings { page: Box::new(OpenMetrics(metrics)), token });
        Ok(Self { observers: Observers { meter, tracer }, exporter, metrics })
    }
}

/// The exporter and the tracer, if there is a collector.
fn traces(config: &Config, world: &SystemWorld) -> anyhow::Result<Option<(OtlpExporter, Tracer)>> {
    let telemetry = &config.telemetry;
    if telemetry.otlp_endpoint.is_empty() {
        return Ok(None);
    }
    let ratio = telemetry.sample_ratio;
    anyhow::ensure!((0.0..=1.0).contains(&ratio), "`telemetry.sample_ratio` is wrong: {ratio} is not from 0 to 1");
    let settings = OtlpSettings {
        endpoint: telemetry.otlp_endpoint.to_string(),
        headers: telemetry.headers.secret(),
        service_name: telemetry.service_name.clone(),
        version: VERSION.to_owned(),
    };
    let (exporter, queue) = OtlpExporter::start(&settings)?;
    // The lower half of an id is random.
    let seed = u128::from_be_bytes(world.ulid().to_bytes()) as u64;
    Ok(Some((exporter, Tracer::new(Box::new(queue), ratio, seed))))
}

struct OpenMetrics(Arc<Metrics>);

impl MetricsPage for OpenMetrics {
    fn content_type(&self) -> &'static str {
        telemetry::CONTENT_TYPE
    }

    fn render(&self, gauges: &Gauges) -> String {
        self.0.render(gauges)
    }
}
