//! Turns the result of each tool call into a sentence. Results are JSON or an error message;
//! anything unexpected is quoted as it is.

use std::fmt::Write;

use serde_json::Value;

use super::{dates::Date, sentences::quote, tools};

/// The most artifacts that are listed; further ones are only counted.
const LISTED_MAX: usize = 20;

/// The answer if no source was found.
pub const NOTHING_FOUND: &str = "I found no source about it.";

/// The sentence for a result. In a temporary session it does not promise to remember a note.
pub fn sentence(tool: &str, arguments: &Value, text: &str, is_temporary: bool) -> String {
    let answer = read(text);
    if let Some(error) = answer.as_ref().and_then(error) {
        return format!("`{tool}` failed: {}", quote(error));
    }
    let sentence = answer.as_ref().and_then(|answer| match tool {
        tools::CALCULATOR => calculator(arguments, answer),
        tools::CURRENT_TIME => current_time(answer),
        tools::DATE_MATH => date_math(arguments, answer),
        tools::PIN => field(arguments, "text").map(|text| {
            let promise = if is_temporary { "Noted until this temporary session ends" } else { "I will remember" };
            format!("{promise}: \"{}\"", quote(text))
        }),
        tools::UNPIN => field(arguments, "key").map(|key| format!("I have forgotten the note `{key}`.")),
        tools::ARTIFACT_SAVE => saved(arguments, answer),
        tools::ARTIFACT_LIST => listed(answer),
        tools::ARTIFACT_READ => artifact(arguments, answer),
        tools::RESEARCH | tools::LIBRARY_SEARCH => researched(answer),
        tools::ARTIFACT_SHOW => field(arguments, "name")
            .or_else(|| field(arguments, "artifact_id"))
            .map(|which| format!("`{}` is open in a window.", quote(which))),
        tools::WINDOW_OPEN => field(arguments, "title").map(|title| format!("Opened \"{}\".", quote(title))),
        _ => None,
    });
    sentence.unwrap_or_else(|| plain(tool, text))
}

/// The JSON in a tool's result, also if there is text around it.
fn read(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim()).ok().or_else(|| {
        let (start, end) = (text.find('{')?, text.rfind('}')?);
        serde_json::from_str(text.get(start..=end)?).ok()
    })
}

fn error(answer: &Value) -> Option<&str> {
    let error = answer.get("error").filter(|error| !error.is_null())?;
    error.as_str().or_else(|| field(error, "message")).or(Some("it does not say why"))
}

fn plain(tool: &str, text: &str) -> String {
    match text.trim() {
        "" => format!("`{tool}` answered nothing."),
        text if text.contains('\n') => format!("`{tool}` answered:\n{text}"),
        text => format!("`{tool}` answered: {text}"),
    }
}

fn field<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// A text or a number as it is written.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The quotes of sources, with notices; if there are none, says so.
fn researched(answer: &Value) -> Option<String> {
    let notes = answer.get("notes")?.as_str()?;
    let notices = answer.get("notices").and_then(Value::as_array);
    let notices: Vec<&str> = notices.into_iter().flatten().filter_map(Value::as_str).collect();
    let said = if notes.is_empty() { NOTHING_FOUND } else { notes };
    Some(std::iter::once(said).chain(notices).collect::<Vec<_>>().join("\n\n"))
}

fn calculator(arguments: &Value, answer: &Value) -> Option<String> {
    let value = written(answer.get("value").unwrap_or(answer))?;
    Some(match field(arguments, "expression") {
        Some(expression) => format!("{expression} is {value}."),
        None => format!("The result is {value}."),
    })
}

fn current_time(answer: &Value) -> Option<String> {
    let time = field(answer, "time")?;
    let mut sentence = format!("It is {time}");
    if let Some(zone) = field(answer, "time_zone") {
        write!(sentence, " ({zone})").ok()?;
    }
    if let Some(day) = day(answer) {
        write!(sentence, " on {day}").ok()?;
    }
    Some(sentence + ".")
}

/// "Sunday, 15 November 2026".
fn day(answer: &Value) -> Option<String> {
    let date = spoken(field(answer, "date")?);
    Some(match field(answer, "weekday") {
        Some(weekday) => format!("{weekday}, {date}"),
        None => date,
    })
}

fn spoken(date: &str) -> String {
    Date::from_iso(date).map_or_else(|| date.to_owned(), Date::spoken)
}

fn date_math(arguments: &Value, answer: &Value) -> Option<String> {
    if let Some(until) = field(arguments, "until") {
        let days = answer.get("days")?.as_i64()?;
        let plural = if days.abs() == 1 { "" } else { "s" };
        let (until, count) = (spoken(until), days.unsigned_abs());
        let weeks = if count >= 14 { format!(" ({} weeks and {} days)", count / 7, count % 7) } else { String::new() };
        return Some(match field(arguments, "from").filter(|from| *from != "today") {
            Some(from) => format!("From {} to {until} it is {days} day{plural}{weeks}.", spoken(from)),
            None if days < 0 => format!("{until} was {count} day{plural} ago{weeks}."),
            None => format!("It is {count} day{plural} until {until}{weeks}."),
        });
    }
    let day = day(answer)?;
    let from = field(arguments, "from").unwrap_or("today");
    Some(match field(arguments, "add") {
        None | Some("0 days") => format!("That is {day}."),
        Some(add) => {
            let from = if from == "today" { from.to_owned() } else { spoken(from) };
            match add.strip_prefix('-') {
                Some(before) => format!("{before} before {from} is {day}."),
                None => format!("{add} from {from} is {day}."),
            }
        }
    })
}

fn saved(arguments: &Value, answer: &Value) -> Option<String> {
    let name = field(answer, "name").or_else(|| field(arguments, "name"))?;
    let bytes = answer.get("bytes").and_then(Value::as_u64);
    let size = bytes.map(|bytes| format!(" ({bytes} bytes)")).unwrap_or_default();
    Some(format!("Saved as `{name}`{size}."))
}

fn listed(answer: &Value) -> Option<String> {
    let all = answer.get("artifacts").or_else(|| answer.get("data"))?.as_array()?;
    if all.is_empty() {
        return Some("There are no artifacts yet.".to_owned());
    }
    let mut list = format!(
        "There {}:",
        if all.len() == 1 { "is 1 artifact".to_owned() } else { format!("are {} artifacts", all.len()) }
    );
    for artifact in all.iter().take(LISTED_MAX) {
        let name = field(artifact, "name").or_else(|| field(artifact, "artifact_id")).unwrap_or("without a name");
        write!(list, "\n- `{name}`").ok()?;
        let bytes = artifact.get("bytes").and_then(Value::as_u64).map(|bytes| format!("{bytes} bytes"));
        let since = field(artifact, "created_at").map(spoken);
        let notes: Vec<String> = bytes.into_iter().chain(since).collect();
        if !notes.is_empty() {
            write!(list, " ({})", notes.join(", ")).ok()?;
        }
    }
    if all.len() > LISTED_MAX {
        list.push_str("\n- …");
    }
    Some(list)
}

fn artifact(arguments: &Value, answer: &Value) -> Option<String> {
    let content = answer.get("content")?.as_str()?;
    let asked = || field(arguments, "name").or_else(|| field(arguments, "artifact_id"));
    let name = field(answer, "name").or_else(asked).unwrap_or("the artifact");
    Some(if content.is_empty() { format!("`{name}` is empty.") } else { format!("`{name}`:\n{content}") })
}
