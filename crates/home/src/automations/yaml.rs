//! YAML as Home Assistant reads it. Its reader follows YAML 1.1, in which `off` is a boolean and
//! `23:30:00` is a number, so that texts like these need quotes which a writer of YAML 1.2 omits.

use serde::Serialize;

/// Words that YAML 1.1 reads as a boolean.
const BOOLEANS: &[&str] = &["on", "off", "yes", "no", "y", "n"];

/// A configuration as YAML that can be pasted into Home Assistant.
pub(super) fn yaml(config: &impl Serialize) -> Option<String> {
    let written = serde_yaml_ng::to_string(config).ok()?;
    let mut quoted = String::with_capacity(written.len());
    // The indentation of the key of a text of several lines, whose lines stay as they are.
    let mut block: Option<usize> = None;
    for line in written.lines() {
        let indent = line.len() - line.trim_start().len();
        let is_text = block.is_some_and(|key| line.trim().is_empty() || indent > key);
        if !is_text {
            let starts_text = [": |", ": >", "- |", "- >"].iter().any(|mark| line.contains(mark))
                && line.trim_end_matches(['-', '+', '1', '2', '3', '4']).ends_with(['|', '>']);
            block = starts_text.then_some(indent);
        }
        let value = line.rsplit_once(": ").map_or_else(|| line.trim_start_matches([' ', '-']), |(_, value)| value);
        if !is_text && is_misread(value) {
            let (front, _) = line.split_at(line.len() - value.len());
            quoted.push_str(&format!("{front}'{value}'"));
        } else {
            quoted.push_str(line);
        }
        quoted.push('\n');
    }
    Some(quoted)
}

/// Whether YAML 1.1 reads a text without quotes as something else. Booleans and numbers of the
/// configuration itself are never written like this.
fn is_misread(value: &str) -> bool {
    let is_boolean = BOOLEANS.contains(&value.to_ascii_lowercase().as_str());
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_boolean || value.contains(':') && value.split(':').all(is_digits)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_yaml_1_1_would_misread_is_quoted_and_nothing_else() {
        let config = json!({
            "alias": "Off: at 23:30",
            "at": "23:30:00",
            "state": "off",
            "to": ["on", "playing", "No"],
            "enabled": true,
            "count": 3,
            "message": "first line\nstate: off\n- on\n",
            "from": "Yes",
        });
        let written = yaml(&config).unwrap();
        for line in ["at: '23:30:00'", "state: 'off'", "- 'on'", "- playing", "- 'No'", "enabled: true", "count: 3"] {
            assert!(written.lines().any(|it| it == line), "{line}: {written}");
        }
        assert!(written.contains("  state: off\n  - on\n"), "a text stays as it is: {written}");
        assert!(written.contains("from: 'Yes'"), "{written}");
        let read: serde_json::Value = serde_yaml_ng::from_str(&written).unwrap();
        assert_eq!(read, config);
    }
}
