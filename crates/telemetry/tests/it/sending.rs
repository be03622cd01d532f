//! Spans on their way to a collector that fails, and one that is not there.

use std::{sync::Arc, time::Duration};

use observe::{Gauges, SpanKind, Tracer};
use secrecy::SecretString;
use telemetry::{BadSettings, Metrics, OtlpExporter, OtlpSettings};
use testkit::{MetricsText, SpanCollector};

fn settings(endpoint: &str) -> OtlpSettings {
    OtlpSettings {
        endpoint: endpoint.to_owned(),
        headers: SecretString::from("x-key=a%20b"),
        service_name: "test".to_owned(),
        version: "1".to_owned(),
    }
}

fn counted(exporter: &OtlpExporter) -> MetricsText {
    MetricsText::parse(&Metrics::new("1", 0.0, Some(exporter.counters())).render(&Gauges::default()))
}

#[tokio::test]
async fn a_batch_that_a_busy_collector_refuses_is_sent_again() {
    let collector = SpanCollector::start_busy(1).await;
    let (exporter, queue) = OtlpExporter::start(&settings(&format!("{}/", collector.url()))).unwrap();
    let tracer = Arc::new(Tracer::new(Box::new(queue), 1.0, 1));
    let turn = tracer.turn(0xabc).context;
    tracer.begin(turn, "one", SpanKind::Internal, true).finish();
    tracer.begin(turn, "two", SpanKind::Internal, true).finish();
    for _ in 0..200 {
        if counted(&exporter).value("dwell_spans_exported_total", &[]) == Some(2.0) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(counted(&exporter).value("dwell_spans_exported_total", &[]), Some(2.0));
    assert_eq!(counted(&exporter).value("dwell_spans_dropped_total", &[]), Some(0.0));
    let received = collector.requests();
    assert_eq!((received.len(), &received[0].body), (2, &received[1].body), "the same batch again");
    assert_eq!(received[0].spans.len(), 2, "both in one batch: {received:?}");
    assert!(received.iter().all(|request| request.headers["x-key"] == "a b"), "{received:?}");
}

#[tokio::test]
async fn spans_that_nothing_takes_are_dropped_and_counted() {
    // Nothing listens on this port: it was free a moment ago.
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let (exporter, queue) = OtlpExporter::start(&settings(&format!("http://{gone}"))).unwrap();
    let counters = exporter.counters().clone();
    let tracer = Arc::new(Tracer::new(Box::new(queue), 1.0, 1));
    tracer.begin(tracer.turn(5).context, "lost", SpanKind::Internal, true).finish();
    exporter.stop().await;
    let page = MetricsText::parse(&Metrics::new("1", 0.0, Some(&counters)).render(&Gauges::default()));
    assert_eq!(page.value("dwell_spans_dropped_total", &[]), Some(1.0));
}

#[tokio::test]
async fn wrong_settings_are_named() {
    for endpoint in ["localhost:4318", "ftp://collector", "http://"] {
        assert!(matches!(OtlpExporter::start(&settings(endpoint)), Err(BadSettings::Endpoint)), "{endpoint}");
    }
    let wrong = OtlpSettings { headers: SecretString::from("hush"), ..settings("http://localhost:4318") };
    let error = OtlpExporter::start(&wrong).err().unwrap().to_string();
    assert!(error.contains("`telemetry.headers`") && !error.contains("hush"), "{error}");
}
