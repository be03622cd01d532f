//! Conversions such as "12.5 km in miles", if a tool for them is offered: one that takes `from`,
//! `to` and `value` (or `amount`). The units are given as short names.

use serde_json::{Map, Value};

use super::{
    PromptContext, ReplyStep, tools,
    words::{Clause, Word},
};

const UNITS: &[(&str, &str)] = &[
    ("km|kilometer|kilometers|kilometre|kilometres", "km"),
    ("m|meter|meters|metre|metres", "m"),
    ("cm|centimeter|centimeters|centimetre|centimetres", "cm"),
    ("mm|millimeter|millimeters|millimetre|millimetres", "mm"),
    ("mi|mile|miles", "mi"),
    ("ft|foot|feet", "ft"),
    ("in|inch|inches", "in"),
    ("yd|yard|yards", "yd"),
    ("kg|kilo|kilos|kilogram|kilograms", "kg"),
    ("g|gram|grams", "g"),
    ("lb|lbs|pound|pounds", "lb"),
    ("oz|ounce|ounces", "oz"),
    ("l|liter|liters|litre|litres", "l"),
    ("ml|milliliter|milliliters|millilitre|millilitres", "ml"),
    ("gal|gallon|gallons", "gal"),
    ("c|celsius", "c"),
    ("f|fahrenheit", "f"),
    ("kmh|kph", "km/h"),
    ("mph", "mph"),
];

const LEADS: &[&str] = &["what is|are", "how much is|are", "how many|much", "convert", ""];

/// A call if the clause is a conversion and there is a tool for it.
pub fn recognise(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    let (value, from, to) = conversion(clause)?;
    let fits =
        |tool: &&model::ToolSpec| tools::takes(tool, "from") && tools::takes(tool, "to") && amount(tool).is_some();
    let tool = scene.prompt.tools.iter().find(fits)?;
    let fields = [(amount(tool)?, Value::from(value)), ("from", from.into()), ("to", to.into())];
    let arguments = fields.map(|(field, value)| (field.to_owned(), value));
    Some(ReplyStep::Call { tool: tool.name.clone(), arguments: Value::Object(Map::from_iter(arguments)) })
}

fn amount(tool: &model::ToolSpec) -> Option<&'static str> {
    ["value", "amount"].into_iter().find(|field| tools::takes(tool, field))
}

/// "12.5 km in miles" or "how many miles are 12.5 km".
fn conversion(clause: &Clause<'_>) -> Option<(f64, &'static str, &'static str)> {
    let count = clause.begins_any(LEADS)?;
    let words = clause.words_after(count);
    if let (Some(to), Some("is" | "are" | "in")) = (words.first().and_then(unit), words.get(1).map(text)) {
        let (value, from, rest) = quantity(clause, count + 2)?;
        return rest.is_empty().then_some((value, from, to));
    }
    let (value, from, rest) = quantity(clause, count)?;
    match rest {
        [by, to] if ["in", "to", "into", "as"].contains(&text(by)) => Some((value, from, unit(to)?)),
        _ => None,
    }
}

/// A number and its unit, and the words after them.
fn quantity<'a>(clause: &'a Clause<'_>, at: usize) -> Option<(f64, &'static str, &'a [Word])> {
    let written = clause.after(at).trim_start();
    let end = written.find(|char: char| !char.is_ascii_digit() && char != '.').unwrap_or(written.len());
    let value = written[..end].parse().ok()?;
    // "12.5" is two words.
    let used = at + 1 + usize::from(written[..end].contains('.'));
    let words = clause.words_after(used);
    Some((value, words.first().and_then(unit)?, &words[1..]))
}

fn unit(word: &Word) -> Option<&'static str> {
    UNITS.iter().find_map(|(names, unit)| names.split('|').any(|name| name == word.text).then_some(*unit))
}

fn text(word: &Word) -> &str {
    &word.text
}
