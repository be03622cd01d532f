//! The JSON form of OTLP's `ExportTraceServiceRequest`: ids as hexadecimal text, 64-bit numbers as
//! decimal text.

use observe::{AttributeValue, SpanKind, SpanRecord};
use serde_json::{Value, json};

/// Codes of a span's status.
const STATUS_UNSET: u8 = 0;
const STATUS_ERROR: u8 = 2;

/// The program that the spans are of.
#[derive(Debug, Clone)]
pub(super) struct SpanResource {
    pub(super) service_name: String,
    pub(super) version: String,
}

/// A request with these spans.
pub(super) fn request(resource: &SpanResource, spans: &[SpanRecord]) -> Value {
    json!({
        "resourceSpans": [{
            "resource": { "attributes": [
                text("service.name", &resource.service_name),
                text("service.version", &resource.version),
                text("telemetry.sdk.language", "rust"),
            ] },
            "scopeSpans": [{
                "scope": { "name": "dwell", "version": resource.version },
                "spans": spans.iter().map(span).collect::<Vec<_>>(),
            }],
        }],
    })
}

fn span(span: &SpanRecord) -> Value {
    let kind = match span.kind {
        SpanKind::Internal => 1,
        SpanKind::Server => 2,
        SpanKind::Client => 3,
    };
    let status = match &span.error {
        Some(error) => json!({ "code": STATUS_ERROR, "message": error }),
        None => json!({ "code": STATUS_UNSET }),
    };
    let mut encoded = json!({
        "traceId": format!("{:032x}", span.context.trace_id),
        "spanId": format!("{:016x}", span.context.span_id),
        "name": span.name,
        "kind": kind,
        "startTimeUnixNano": span.start_nanos.to_string(),
        "endTimeUnixNano": span.end_nanos.max(span.start_nanos).to_string(),
        "attributes": span.attributes.iter().map(|(name, value)| attribute(name, value)).collect::<Vec<_>>(),
        "status": status,
    });
    if let Some(parent) = span.parent {
        encoded["parentSpanId"] = format!("{parent:016x}").into();
    }
    encoded
}

fn text(name: &str, value: &str) -> Value {
    json!({ "key": name, "value": { "stringValue": value } })
}

fn attribute(name: &str, value: &AttributeValue) -> Value {
    let value = match value {
        AttributeValue::Text(text) => json!({ "stringValue": text }),
        AttributeValue::Integer(number) => json!({ "intValue": number.to_string() }),
        AttributeValue::Number(number) => json!({ "doubleValue": number }),
        AttributeValue::Texts(texts) => {
            let values: Vec<Value> = texts.iter().map(|text| json!({ "stringValue": text })).collect();
            json!({ "arrayValue": { "values": values } })
        }
    };
    json!({ "key": name, "value": value })
}

#[cfg(test)]
mod tests {
    use observe::TraceContext;

    use super::*;

    #[test]
    fn numbers_of_64_bits_are_text_and_ids_are_hexadecimal() {
        let record = SpanRecord {
            context: TraceContext { trace_id: 0xab, span_id: 0xc, is_sampled: true },
            parent: Some(0xd),
            name: "chat m".to_owned(),
            kind: SpanKind::Client,
            start_nanos: 1_700_000_000_000_000_001,
            end_nanos: 5,
            attributes: vec![("gen_ai.usage.input_tokens", 7u64.into()), ("share", 0.5.into())],
            error: Some("model_failed".to_owned()),
        };
        let resource = SpanResource { service_name: "dwell".to_owned(), version: "1".to_owned() };
        let request = request(&resource, &[record]);
        let span = &request["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!(span["traceId"], "000000000000000000000000000000ab");
        assert_eq!((&span["spanId"], &span["parentSpanId"]), (&json!("000000000000000c"), &json!("000000000000000d")));
        assert_eq!(span["startTimeUnixNano"], "1700000000000000001");
        assert_eq!(span["endTimeUnixNano"], "1700000000000000001", "a clock that was set back makes no negative time");
        assert_eq!(span["attributes"][0]["value"], json!({ "intValue": "7" }));
        assert_eq!(span["status"], json!({ "code": 2, "message": "model_failed" }));
    }
}
