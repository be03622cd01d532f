//! Reports what the home's tools found, each finding with its source in square brackets.

use std::fmt::Write;

use serde_json::Value;

/// The most findings reported besides the cause.
const FINDINGS_MAX: usize = 4;
/// The most incidents reported.
const INCIDENTS_MAX: usize = 4;
/// The most lines of the logbook reported.
const LINES_MAX: usize = 12;

fn read(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim()).ok()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// The entities of a search that the question means: only those of the kind it names, if it names
/// one.
pub(super) fn entities(found: &str, subject: &str) -> Vec<String> {
    let Some(found) = read(found) else { return Vec::new() };
    let subject = subject.to_lowercase();
    let mut entities: Vec<&Value> = list(&found, "entities").iter().collect();
    let is_there = |entity: &&Value| {
        let area = text(entity, "area").to_lowercase();
        !area.is_empty() && subject.contains(&area)
    };
    if entities.iter().any(is_there) {
        entities.retain(is_there);
    }
    let all: Vec<&str> = entities.iter().map(|entity| text(entity, "entity_id")).collect();
    let says = |words: &[&str]| subject.split(|char: char| !char.is_alphanumeric()).any(|word| words.contains(&word));
    let kinds: &[(&str, &[&str])] = &[
        ("light", &["light", "lights", "lamp", "lamps"]),
        ("automation", &["automation", "automations"]),
        ("lock", &["lock", "locks"]),
        ("climate", &["thermostat", "heating", "heater"]),
        ("cover", &["blind", "blinds", "shutter", "shutters", "curtain", "curtains"]),
    ];
    let kind = kinds.iter().find(|(_, words)| says(words)).map(|(domain, _)| format!("{domain}."));
    let of_kind: Vec<&str> = match &kind {
        Some(kind) => all.iter().copied().filter(|id| id.starts_with(kind.as_str())).collect(),
        None => Vec::new(),
    };
    let meant = if of_kind.is_empty() { all } else { of_kind };
    // The question names one thing, unless its words are plural.
    let is_several =
        subject.split(' ').any(|word| word.ends_with('s') && !matches!(word, "is" | "was" | "does" | "has"));
    let count = if is_several { meant.len() } else { 1 };
    meant.into_iter().take(count).filter(|id| !id.is_empty()).map(str::to_owned).collect()
}

/// Says that a command was not understood, and suggests what it may have meant.
pub(super) fn near(found: &str, subject: &str) -> Option<String> {
    let Some(found) = read(found) else { return Some(unread(found)) };
    let names: Vec<&str> = list(&found, "entities").iter().map(|entity| text(entity, "name")).collect();
    let nothing = "so nothing was done";
    Some(match names.as_slice() {
        [] => format!("There is nothing called \"{subject}\" in the home, {nothing}."),
        names => format!(
            "I did not understand what to do with \"{subject}\", {nothing}. There is {}. Use one of these names.",
            names.join(", ")
        ),
    })
}

/// Whether a search failed rather than finding nothing.
pub(super) fn is_failed(found: &str) -> bool {
    read(found).is_none()
}

/// Says why the home was not asked, such as a token that it does not accept.
pub(super) fn unread(why: &str) -> String {
    format!("That did not work: {}.", why.trim().trim_end_matches('.'))
}

/// The diagnoses of one or several entities: causes first, and common causes once.
pub(super) fn diagnoses(results: &[&str]) -> Option<String> {
    let read: Vec<Value> =
        results.iter().filter_map(|text| read(text)).filter(|it| it.get("summary").is_some()).collect();
    let Some(_) = read.first() else {
        let why = results.first().copied().unwrap_or_default().trim();
        return Some(format!("I could not examine it: {why}"));
    };
    let (explained, open): (Vec<&Value>, Vec<&Value>) = read.iter().partition(|it| it.get("root_cause").is_some());
    let mut words = String::new();
    let mut causes: Vec<&Value> = Vec::new();
    for diagnosis in &explained {
        let cause = &diagnosis["root_cause"];
        // A common cause is reported once.
        let of = |cause: &Value| (text(cause, "entity_id").to_owned(), cause.get("evidence").cloned());
        if causes.iter().any(|known| of(known) == of(cause)) {
            let _ = writeln!(words, "{}: the same.", text(diagnosis, "name"));
            continue;
        }
        causes.push(cause);
        let confidence = cause.get("confidence").and_then(Value::as_f64).unwrap_or_default() * 100.0;
        let what = cited(cause);
        let _ = writeln!(words, "{}, most likely: {what} ({confidence:.0} % sure)", text(diagnosis, "name"));
        for finding in list(diagnosis, "findings").iter().take(FINDINGS_MAX) {
            let _ = writeln!(words, "- {}", cited(finding));
        }
        let impact: Vec<&str> = list(diagnosis, "impact").iter().map(|user| text(user, "name")).collect();
        if !impact.is_empty() {
            let _ = writeln!(words, "- It matters for {}.", impact.join(", "));
        }
    }
    for diagnosis in &open {
        let findings = list(diagnosis, "findings");
        match findings.first() {
            Some(first) => {
                let _ = writeln!(words, "{}: no cause found. Observed: {}", text(diagnosis, "name"), cited(first));
            }
            None if explained.is_empty() => {
                let _ = writeln!(words, "{}", text(diagnosis, "summary"));
            }
            None => {}
        }
    }
    let mut advice: Vec<&str> = Vec::new();
    for one in read.iter().flat_map(|it| list(it, "suggestions")).filter_map(Value::as_str) {
        if !advice.contains(&one) {
            advice.push(one);
        }
    }
    if !advice.is_empty() {
        let _ = writeln!(words, "What to do: {}", advice.join(" "));
    }
    Some(words.trim_end().to_owned())
}

/// A finding with its sources.
fn cited(finding: &Value) -> String {
    let mut words = text(finding, "what").trim_end_matches('.').to_owned();
    for source in list(finding, "evidence").iter().filter_map(Value::as_str) {
        let _ = write!(words, " [{source}]");
    }
    words
}

/// What went wrong, incident by incident.
pub(super) fn incidents(result: &str) -> Option<String> {
    let analysis = read(result)?;
    let mut words = text(&analysis, "summary").to_owned();
    for incident in list(&analysis, "incidents").iter().take(INCIDENTS_MAX) {
        let first = &incident["first"];
        let line = format!("{} [{}]", text(first, "what").trim_end_matches('.'), text(first, "source"));
        let _ = write!(words, "\n- {}, {}: {line}", text(incident, "began"), text(incident, "lasted"));
        let followed: Vec<String> = list(incident, "followed")
            .iter()
            .take(3)
            .map(|line| format!("{} [{}]", text(line, "what").trim_end_matches('.'), text(line, "source")))
            .collect();
        if !followed.is_empty() {
            let _ = write!(words, "; then {}", followed.join("; "));
        }
    }
    Some(words)
}

/// What happened, the newest lines.
pub(super) fn logbook(result: &str) -> Option<String> {
    let logbook = read(result)?;
    let lines: Vec<&str> = list(&logbook, "lines").iter().filter_map(Value::as_str).collect();
    if lines.is_empty() {
        return Some("Nothing happened in that time.".to_owned());
    }
    let shown = &lines[lines.len().saturating_sub(LINES_MAX)..];
    let sources: Vec<String> =
        list(&logbook, "sources").iter().take(1).map(|source| format!(" [{}]", text(source, "source"))).collect();
    let from = text(&logbook, "from");
    Some(format!("Since {from}, the last {} things{}:\n- {}", shown.len(), sources.concat(), shown.join("\n- ")))
}

/// The states of entities over time.
pub(super) fn history(results: &[&str]) -> Option<String> {
    let history = results.iter().find_map(|text| read(text))?;
    let mut words = format!("From {} to {}:", text(&history, "from"), text(&history, "until"));
    for entity in list(&history, "entities") {
        let changes = entity.get("changes").and_then(Value::as_u64).unwrap_or_default();
        let _ = write!(words, "\n- {}: {changes} changes [{}]", text(entity, "name"), text(entity, "source"));
        for part in ["time_in", "odd", "last_changes"] {
            let told: Vec<&str> = list(entity, part).iter().filter_map(Value::as_str).take(5).collect();
            if !told.is_empty() {
                let _ = write!(words, "; {}", told.join(", "));
            }
        }
    }
    Some(words)
}
