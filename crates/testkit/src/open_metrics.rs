//! A strict reader of the text format OpenMetrics: what Prometheus would only ignore is an error.

use std::collections::{BTreeMap, BTreeSet};

/// A metric with all of its samples.
#[derive(Debug, Clone, Default)]
pub struct MetricFamily {
    /// `counter`, `gauge`, `histogram` or `info`.
    pub kind: String,
    /// What it means.
    pub help: String,
    /// Its samples: the whole name, the labels and the value.
    pub samples: Vec<MetricSample>,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricSample {
    /// The name, with a suffix such as `_total`.
    pub name: String,
    /// The labels.
    pub labels: BTreeMap<String, String>,
    /// The value.
    pub value: f64,
}

/// All metrics of a page, by name.
#[derive(Debug, Clone, Default)]
pub struct MetricsText(pub BTreeMap<String, MetricFamily>);

impl MetricsText {
    /// Reads a page.
    ///
    /// # Panics
    /// When it breaks a rule of the format; the message names the line.
    pub fn parse(text: &str) -> Self {
        assert!(text.ends_with("# EOF\n"), "it ends with its end marker");
        let mut families = BTreeMap::<String, MetricFamily>::new();
        let mut open = String::new();
        for line in text.lines() {
            if line == "# EOF" {
                break;
            }
            if let Some(comment) = line.strip_prefix("# ") {
                let (keyword, rest) = comment.split_once(' ').expect(line);
                let (name, value) = rest.split_once(' ').expect(line);
                assert!(is_name(name), "{line}");
                if open != name {
                    assert!(!families.contains_key(name), "the lines of a metric stand together: {line}");
                    name.clone_into(&mut open);
                }
                let family = families.entry(name.to_owned()).or_default();
                assert!(family.samples.is_empty(), "the description comes first: {line}");
                match keyword {
                    "TYPE" => value.clone_into(&mut family.kind),
                    "HELP" => value.clone_into(&mut family.help),
                    "UNIT" => assert!(name.ends_with(&format!("_{value}")), "a name ends with its unit: {line}"),
                    _ => panic!("an unknown keyword: {line}"),
                }
                continue;
            }
            let sample = MetricSample::parse(line);
            let family = families.get_mut(&open).unwrap_or_else(|| panic!("a sample without a description: {line}"));
            let suffix = sample.name.strip_prefix(&open).unwrap_or_else(|| panic!("not a sample of {open}: {line}"));
            assert!(suffixes(&family.kind).contains(&suffix), "not a sample of a {}: {line}", family.kind);
            let is_twin = |other: &MetricSample| other.name == sample.name && other.labels == sample.labels;
            assert!(!family.samples.iter().any(is_twin), "a sample twice: {line}");
            family.samples.push(sample);
        }
        families.values().for_each(check_histogram);
        Self(families)
    }

    /// The value of a sample, with exactly these labels.
    pub fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let labels: BTreeMap<String, String> =
            labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut samples = self.0.values().flat_map(|family| &family.samples);
        samples.find(|sample| sample.name == name && sample.labels == labels).map(|sample| sample.value)
    }

    /// The names of all samples.
    pub fn sample_names(&self) -> BTreeSet<String> {
        self.0.values().flat_map(|family| &family.samples).map(|sample| sample.name.clone()).collect()
    }
}

impl MetricSample {
    fn parse(line: &str) -> Self {
        let (name, rest) = line.split_at(line.find(['{', ' ']).expect(line));
        assert!(is_name(name), "{line}");
        let (labels, value) = match rest.strip_prefix('{') {
            Some(rest) => read_labels(rest, line),
            None => (BTreeMap::new(), rest),
        };
        let value = value.strip_prefix(' ').expect(line);
        let value = if value == "+Inf" { f64::INFINITY } else { value.parse().expect(line) };
        Self { name: name.to_owned(), labels, value }
    }
}

/// The labels after the opening brace, and what follows the closing one.
fn read_labels<'a>(mut rest: &'a str, line: &str) -> (BTreeMap<String, String>, &'a str) {
    let mut labels = BTreeMap::new();
    loop {
        let (name, after) = rest.split_once("=\"").expect(line);
        assert!(is_name(name) && !name.contains(':'), "{line}");
        let mut value = String::new();
        let mut chars = after.char_indices();
        let end = loop {
            match chars.next().expect(line) {
                (place, '"') => break place,
                (_, '\\') => value.push(match chars.next().expect(line).1 {
                    'n' => '\n',
                    plain @ ('"' | '\\') => plain,
                    other => panic!("an unknown escape {other}: {line}"),
                }),
                (_, plain) => value.push(plain),
            }
        };
        assert!(labels.insert(name.to_owned(), value).is_none(), "a label twice: {line}");
        rest = &after[end + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return (labels, rest.strip_prefix('}').expect(line)),
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':');
    name.bytes().next().is_some_and(is_letter) && name.bytes().all(|byte| is_letter(byte) || byte.is_ascii_digit())
}

fn suffixes(kind: &str) -> &'static [&'static str] {
    match kind {
        "counter" => &["_total", "_created"],
        "gauge" => &[""],
        "histogram" => &["_bucket", "_count", "_sum", "_created"],
        "info" => &["_info"],
        _ => panic!("an unknown type: {kind}"),
    }
}

/// Buckets rise, and the last of them counts all.
fn check_histogram(family: &MetricFamily) {
    if family.kind != "histogram" {
        return;
    }
    let of = |suffix: &str| -> Vec<&MetricSample> {
        family.samples.iter().filter(|sample| sample.name.ends_with(suffix)).collect()
    };
    for count in of("_count") {
        let mut buckets = of("_bucket");
        buckets.retain(|bucket| {
            let mut labels = bucket.labels.clone();
            labels.remove("le");
            labels == count.labels
        });
        let values: Vec<f64> = buckets.iter().map(|bucket| bucket.value).collect();
        assert!(values.is_sorted(), "buckets are cumulative: {buckets:?}");
        let last = buckets.last().expect("a histogram has buckets");
        assert_eq!((last.labels["le"].as_str(), last.value), ("+Inf", count.value), "{last:?}");
    }
}
