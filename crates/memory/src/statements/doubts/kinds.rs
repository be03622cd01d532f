//! Kinds of values that can be told apart without knowing their meaning: hours, days, dates, sums,
//! numbers and codes. A later value of the same kind is what makes an earlier one doubtful.

use crate::language::{
    calendar::{english, number},
    lexicon::Token,
};

/// A kind of value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueKind {
    /// An hour: `9:15`, `6 pm`.
    Hour,
    /// A day of the week.
    Weekday,
    /// A day of the year, or a month.
    Date,
    /// A sum of money.
    Money,
    /// A number of something.
    Number,
    /// A code or a phone number.
    Code,
    /// How often something happens.
    Frequency,
    /// A mail address.
    Email,
}

/// A value of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindValue<'m> {
    /// Its kind.
    pub kind: ValueKind,
    /// As written, without its unit.
    pub text: &'m str,
    /// Where it starts, in bytes.
    pub at: usize,
    /// In a form that can be compared.
    pub normal: String,
}

/// The values of a text, in its order. Names are found by [`Token::is_capital`] elsewhere.
pub fn values<'m>(tokens: &[Token<'m>]) -> Vec<KindValue<'m>> {
    let mut found: Vec<KindValue<'m>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1).map(|next| next.lower.as_str()).unwrap_or_default();
        let before =
            at.checked_sub(1).and_then(|at| tokens.get(at)).map(|token| token.lower.as_str()).unwrap_or_default();
        let value = |kind, normal: String| KindValue { kind, text: token.text, at: token.at, normal };
        if let Some(name) = english(&token.lower) {
            // "may" and "mars" in lower case are words of their own.
            let is_word = ["may", "mars", "march"].contains(&token.lower.as_str()) && !token.is_capital();
            if !is_word {
                let kind = if name.ends_with("day") { ValueKind::Weekday } else { ValueKind::Date };
                found.push(value(kind, name.to_owned()));
            }
            continue;
        }
        if let Some(figures) = number(&token.lower) {
            found.push(value(ValueKind::Number, figures.to_owned()));
            continue;
        }
        let often = [
            "daily",
            "weekly",
            "fortnightly",
            "monthly",
            "yearly",
            "once",
            "twice",
            "every",
            "täglich",
            "wöchentlich",
            "monatlich",
        ];
        if often.contains(&token.lower.as_str()) {
            found.push(value(ValueKind::Frequency, format!("{} {next}", token.lower)));
            continue;
        }
        if token.lower.contains('@') {
            found.push(value(ValueKind::Email, token.lower.clone()));
            continue;
        }
        let has_digit = token.lower.contains(|c: char| c.is_ascii_digit());
        if !has_digit {
            continue;
        }
        let sign = token.lower.chars().next().unwrap_or(' ');
        let digits = token.lower.chars().filter(char::is_ascii_digit).count();
        let letters = token.lower.chars().filter(|c| c.is_alphabetic()).count();
        let ordinal = ["st", "nd", "rd", "th"].iter().any(|ending| token.lower.ends_with(ending)) && digits <= 2;
        let hour = ["am", "pm", "o'clock", "uhr", "h"].contains(&next)
            || token.lower.ends_with("am")
            || token.lower.ends_with("pm");
        let dated = english(next).is_some_and(|name| !name.ends_with("day"))
            || (digits <= 2 && english(before).is_some_and(|name| !name.ends_with("day")));
        let money = "€$£".contains(sign)
            || ["euros", "euro", "dollars", "pounds", "eur", "usd", "quid"].contains(&next)
            || token.after.starts_with(['€', '$', '£']);
        let kind = if token.lower.contains(':') || hour {
            ValueKind::Hour
        } else if ordinal || dated {
            ValueKind::Date
        } else if money {
            ValueKind::Money
        } else if letters > 0 && digits > 0 && !token.lower.ends_with("kg") && !token.lower.ends_with("km")
            || digits >= 5
        {
            ValueKind::Code
        } else {
            ValueKind::Number
        };
        found.push(value(kind, token.lower.trim_start_matches(['£', '$', '€']).replace('−', "-")));
    }
    found
}

/// Whether a later value of one kind can replace an earlier one of the other: people write "85"
/// for "85 kilos" and "34" for "£34".
pub fn is_like(a: ValueKind, b: ValueKind) -> bool {
    let counts = |kind| matches!(kind, ValueKind::Money | ValueKind::Number | ValueKind::Code | ValueKind::Hour);
    a == b || (counts(a) && counts(b) && (a == ValueKind::Number || b == ValueKind::Number))
}
