//! Watching the server: measurements for Prometheus, and traces over OTLP.

mod metrics;
mod traces;

use testkit::{ModelServer, Program, RunningServer, SpanCollector};

use crate::program;

/// A model, a collector of traces that also serves a tool, and the program that knows both.
struct WatchedServer {
    model: ModelServer,
    collector: SpanCollector,
    program: Program,
    server: RunningServer,
}

impl WatchedServer {
    /// Starts them; the settings of the program may use the collector's address.
    async fn start(set: impl FnOnce(Program, &str) -> Program) -> Self {
        let (model, collector) = (ModelServer::start().await, SpanCollector::start().await);
        let program = program().with_model(&model);
        let file = program.folder().join("tools.toml");
        std::fs::write(&file, collector.tools_toml()).unwrap();
        let program = set(program.with("DWELL_TOOLS_FILE", file.to_str().unwrap()), collector.url());
        let server = program.start().await;
        Self { model, collector, program, server }
    }
}
