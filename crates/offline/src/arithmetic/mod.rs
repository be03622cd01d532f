//! Arithmetic in symbols or words: "(3+4)*5", "what is 17% of 240", "the square root of two". The
//! whole question must be arithmetic, down to the last word; then the calculator gets it in plain
//! symbols.

mod parse;
mod scan;

pub use parse::number_word;
use serde_json::json;

use super::{PromptContext, ReplyStep, tools, words::Clause};

/// The longest expression, in bytes.
const BYTES_MAX: usize = 300;

const LEADS: &[&str] = &[
    "what is|are the? result|value of",
    "what is|are",
    "what does",
    "how much is|are|does|do",
    "how many is|are",
    "calculate|compute|evaluate|solve",
    "work out",
    "use the? calculator to|for calculate|compute|evaluate?",
];

const TAILS: &[&str] = &["equals", "equal", "make", "is"];

/// A call of the calculator if the clause is a sum.
pub fn recognise(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    let expression = expression(clause)?;
    Some(tools::call(scene.prompt, tools::CALCULATOR, json!({ "expression": expression })))
}

/// The sum in symbols: numbers, `+ - * / ^ %` (remainder), brackets, `sqrt`, `pi` and the common
/// functions.
fn expression(clause: &Clause<'_>) -> Option<String> {
    if clause.text.len() > BYTES_MAX {
        return None;
    }
    let lead = clause.begins_any(LEADS);
    let asked = clause.after(lead.unwrap_or(0)).trim_start_matches([':', ' ']);
    let sum = without_tail(asked);
    let is_asked = lead.is_some() || sum.len() < asked.trim_end_matches('.').len();
    // "555-1234" and "24/7" are sums only in a question.
    let is_bare = sum.chars().all(|char| char.is_ascii_digit() || matches!(char, '-' | '/' | '.' | ','));
    if (is_bare && !is_asked) || sum.split_whitespace().any(is_date) {
        return None;
    }
    parse::expression(&scan::tokens(sum)?)
}

/// The text without what may follow a sum: "3 + 4 = ?", "… please", "what does 3 plus 4 make".
fn without_tail(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let shorter = text.trim_end_matches(['?', '.', '=', ',', ' ']);
        let shorter = ["please", "thanks"]
            .iter()
            .chain(TAILS)
            .fold(shorter, |text, word| text.strip_suffix(word).filter(|rest| rest.ends_with(' ')).unwrap_or(text));
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

/// "2026-11-15" and "24/12/2026" are dates.
fn is_date(word: &str) -> bool {
    ['-', '/', '.'].iter().any(|separator| {
        let parts: Vec<&str> = word.split(*separator).collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        parts.iter().all(|part| part.chars().all(|char| char.is_ascii_digit()))
            && matches!(lengths[..], [4, 1..=2, 1..=2] | [1..=2, 1..=2, 4])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, expected: Option<&str>) {
        assert_eq!(expression(&Clause::new(question)).as_deref(), expected, "{question}");
    }

    #[test]
    fn sums_in_symbols() {
        check("(3+4)*5", Some("(3 + 4) * 5"));
        check("what is 3*4?", Some("3 * 4"));
        check("What's 1,000.50 / 2", Some("1000.50 / 2"));
        check("3,5 × 2", Some("3.5 * 2"));
        check("12 ÷ 4 =", Some("12 / 4"));
        check("2**10 = ?", Some("2 ^ 10"));
        check("3x4", Some("3 * 4"));
        check("what is -3 + 4", Some("-3 + 4"));
        check("-3 + 4", Some("-3 + 4"));
        check("2(3+4)", None);
        check("Hello, could you please calculate 7 - 3?", Some("7 - 3"));
        check("sqrt(2) + sin(pi / 2)", Some("sqrt(2) + sin(pi / 2)"));
        check("what is 7-3", Some("7 - 3"));
        check("7-3=", Some("7 - 3"));
    }

    #[test]
    fn sums_in_words() {
        check("what is 17% of 240", Some("17 / 100 * 240"));
        check("17 percent of 240", Some("17 / 100 * 240"));
        check("100 - 5% of 40", Some("100 - (5 / 100 * 40)"));
        check("what is 20% off 50?", Some("50 * (1 - 20 / 100)"));
        check("square root of 2", Some("sqrt(2)"));
        check("What is the square root of 16 plus 1?", Some("sqrt(16) + 1"));
        check("three plus four", Some("3 + 4"));
        check("how much is twenty-five times two hundred", Some("25 * 200"));
        check("what does 3 plus 4 equal?", Some("3 + 4"));
        check("use the calculator to compute 3*4", Some("3 * 4"));
        check("12 divided by 4 please", Some("12 / 4"));
        check("2 to the power of 10", Some("2 ^ 10"));
        check("5 squared", Some("5 ^ 2"));
        check("17 mod 5", Some("17 % 5"));
        check("half of 90", Some("0.5 * 90"));
        check("what is the sum of 3, 4 and 5?", Some("3 + 4 + 5"));
        check("what is the product of 3 and 4", Some("3 * 4"));
    }

    #[test]
    fn what_is_no_sum() {
        let others = [
            "",
            "5",
            "what is 5",
            "-5",
            "what is love",
            "I am 5 minutes late",
            "Miami",
            "what is 2026-11-15",
            "24/12/2026",
            "555-1234",
            "24/7",
            "192.168.1.1",
            "1.2.3",
            "what is 3 +",
            "what is (3+4",
            "3+4)",
            "5!",
            "what is one",
            "what is 5 in binary",
            "3 apples plus 4 pears",
            "x",
            "3 3",
            "three four plus one",
            "12:30",
            "what is + 4 *",
            "what is 5 minus",
            "version 3-4",
            "20%",
            "200 + 10%",
            "the sum of all fears",
            "half of the team",
            "what is nothing times infinity",
            "square root of all evil",
            "what is the power of love",
            "1e5x",
        ];
        for other in others {
            check(other, None);
        }
    }

    #[test]
    fn deep_brackets_are_refused() {
        check(&format!("{}1+1{}", "(".repeat(140), ")".repeat(140)), None);
    }
}
