//! Calculations and conversions.

use memory::language::{
    pattern::{after, after_any, body, first_is, has, is, is_number, starts},
    words::{TokenizedText, Word},
};

/// Phrases before a calculation.
const OPENINGS: &[&str] = &[
    "can|could you please? calculate|compute|work|add|solve",
    "tell me",
    "what is|are|does",
    "how much is|are|does",
    "calculate|compute|solve|evaluate",
    "what do you get for",
];

/// Phrases that are a calculation anywhere in a sentence.
const SUMS: &[&str] = &[
    "# plus|minus|times #",
    "# multiplied|divided by #",
    "# percent of|off #",
    "# to the power of? #",
    "# squared|cubed",
    "square|cube root of #",
    "factorial of #",
    "sum|product|average|mean|median|difference of|between #",
    "# modulo|mod #",
];

/// Units of measure, so that "5 miles in km" is a conversion and "5 people in Rome" is not.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "mile", "miles", "km", "kilometre", "kilometres", "kilometer", "kilometers", "metre", "metres", "meter", "meters",
    "m", "cm", "mm", "foot", "feet", "ft", "inch", "inches", "yard", "yards", "kg", "kilo", "kilos", "kilograms", "g",
    "gram", "grams", "lb", "lbs", "pound", "pounds", "ounce", "ounces", "oz", "litre", "litres", "liter", "liters",
    "l", "ml", "gallon", "gallons", "pint", "pints", "cup", "cups", "tablespoon", "tablespoons", "teaspoon",
    "teaspoons", "celsius", "fahrenheit", "kelvin", "c", "f", "degrees", "hours", "hour", "minutes", "seconds",
    "days", "weeks", "kb", "mb", "gb", "tb", "bytes", "usd", "eur", "gbp", "euros", "euro", "dollars", "yen", "acres",
    "hectares", "mph", "kph", "knots", "stone", "watts", "kwh", "joules", "calories", "month", "year", "day", "week",
    "minute",
];

/// The confidence that a sentence is a calculation, if it is one.
pub(super) fn read(text: &TokenizedText<'_>, sentence: &[Word<'_>]) -> Option<f32> {
    let words = body(sentence);
    let inner = after_any(words, OPENINGS);
    if is_expression(text, inner.unwrap_or(words), inner.is_some()) {
        return Some(0.95);
    }
    if has(words, SUMS) || has_percent(words) || is_conversion(inner.unwrap_or(words)) {
        return Some(0.9);
    }
    let told = starts(words, &["calculate|compute"]) && words.len() > 1;
    told.then_some(0.8)
}

/// Whether only numbers and operators are left: "2 + 2", "(3*4)/5 =".
fn is_expression(text: &TokenizedText<'_>, words: &[Word<'_>], asked: bool) -> bool {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return false };
    let Some(span) = text.source.get(first.at..last.at + last.text.len()) else { return false };
    let plain = span.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || "+-*/×÷^%().,=−:x".contains(c));
    let signs = span.chars().filter(|c| "+*×÷^−%".contains(*c)).count();
    // Between figures a bare hyphen or slash is as often a date, a range or a phone number.
    let spaced = [" - ", " / ", " x ", " : "].iter().any(|sign| span.contains(sign));
    let joined = span.contains(['-', '/']) && (asked || last.after.trim_start().starts_with('='));
    let digits = words.iter().all(|word| word.is_figure() || word.lower == "x");
    plain && digits && (signs > 0 || spaced || joined) && (words.len() > 1 || joined)
}

/// "15% of 80", but not "15% of people".
fn has_percent(words: &[Word<'_>]) -> bool {
    words.windows(3).any(|three| {
        let [part, of, whole] = three else { return false };
        is_number(part) && part.after.trim_start().starts_with('%') && of.lower == "of" && is_number(whole)
    })
}

/// "Convert 5 miles to km", "70 f in celsius", "how many feet are in a mile".
fn is_conversion(words: &[Word<'_>]) -> bool {
    let words = after(words, "convert").unwrap_or(words);
    if let Some(unit) = after(words, "how many").filter(|rest| first_is(rest, UNITS)) {
        let rest = after_any(&unit[1..], &["are|is there? in a|an|one|#?", "in a|an|one|#?"]);
        return rest.is_some_and(|rest| rest.len() == 1 && is(&rest[0], UNITS));
    }
    let Some(amount) = after(words, "#|a|an") else { return false };
    let Some(unit) = after(amount, "degrees?").filter(|unit| first_is(unit, UNITS)) else { return false };
    after(&unit[1..], "to|in|into degrees?").is_some_and(|to| to.len() == 1 && is(&to[0], UNITS))
}
