//! Words of quotes and values, normalized for comparison. It knows no language's grammar: a word
//! counts as the same in the plural and in figures.

/// Words that carry no content of a value.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "a", "an", "the", "my", "our", "his", "her", "their", "your", "of", "on", "at", "in", "is", "are", "am", "was", "be",
    "to", "for", "from", "with", "and", "or", "by", "about", "it", "its", "i", "we", "he", "she", "they", "as", "that",
    "this", "user", "has", "have", "had", "now", "since",
];

/// Words that negate what follows, in the languages of the rules.
#[rustfmt::skip]
const NEGATIONS: &[&str] = &[
    "no", "not", "none", "never", "without", "neither", "nor", "cannot", "nicht", "kein", "keine", "keinen", "keiner",
    "keinem", "nie", "ohne", "pas", "jamais", "aucun", "aucune", "sans", "nunca", "sin", "ningún", "ninguna", "jamás",
];

/// Number words in figures; cardinals and ordinals are the same.
#[rustfmt::skip]
const NUMBERS: &[(&str, u32)] = &[
    ("zero", 0), ("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("six", 6), ("seven", 7), ("eight", 8),
    ("nine", 9), ("ten", 10), ("eleven", 11), ("twelve", 12), ("thirteen", 13), ("fourteen", 14), ("fifteen", 15),
    ("sixteen", 16), ("seventeen", 17), ("eighteen", 18), ("nineteen", 19), ("twenty", 20), ("thirty", 30),
    ("forty", 40), ("fifty", 50), ("sixty", 60), ("seventy", 70), ("eighty", 80), ("ninety", 90), ("first", 1),
    ("second", 2), ("third", 3), ("fourth", 4), ("fifth", 5), ("sixth", 6), ("seventh", 7), ("eighth", 8),
    ("ninth", 9), ("tenth", 10), ("once", 1), ("twice", 2), ("noon", 12),
];

/// Words that tell a time, so that a date in figures may be their normal form.
#[rustfmt::skip]
const TIME_WORDS: &[&str] = &[
    "today", "tomorrow", "yesterday", "tonight", "morning", "evening", "noon", "week", "month", "year", "day", "monday",
    "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april", "may",
    "june", "july", "august", "september", "october", "november", "december", "spring", "summer", "autumn", "winter",
    "heute", "gestern", "morgen", "woche", "monat", "jahr", "hier", "demain", "semaine", "mois", "ayer", "semana", "mes",
];

/// The text with plain apostrophes and quotation marks, and single spaces.
pub(super) fn plain(text: &str) -> String {
    let text = text.replace(['’', '‘'], "'").replace(['“', '”', '„', '«', '»'], "\"");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A word with what ended before it.
pub(super) struct Token {
    pub(super) word: String,
    /// Whether a clause begins with it.
    pub(super) opens_clause: bool,
}

/// The words of a text in order, normalized.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut opens_clause = true;
    for raw in plain(text).to_lowercase().split(' ') {
        let word = trimmed(raw);
        if !word.is_empty() {
            let is_break = matches!(word, "but" | "and" | "because" | "aber" | "sondern" | "mais" | "pero" | "sino");
            tokens.push(Token { word: normal(word), opens_clause: opens_clause || is_break });
            opens_clause = false;
        }
        opens_clause |= raw.ends_with([',', ';', '.', ':', '!', '?', '–', '—']);
    }
    tokens
}

/// The content words of a text, normalized.
pub(super) fn content(text: &str) -> Vec<String> {
    let words = tokens(text).into_iter().map(|token| token.word);
    words.filter(|word| !EMPTY.contains(&word.as_str())).collect()
}

/// Whether a word negates.
pub(super) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word) || word.ends_with("n't")
}

/// Whether a text contains a negation.
pub(super) fn has_negation(text: &str) -> bool {
    tokens(text).iter().any(|token| is_negation(&token.word))
}

/// Whether a text tells a time.
pub(super) fn tells_time(text: &str) -> bool {
    tokens(text)
        .iter()
        .any(|token| TIME_WORDS.contains(&token.word.as_str()) || token.word.contains(|c: char| c.is_ascii_digit()))
}

/// Whether two texts have the same content words in the same order: "I owe Ben" is not "Ben owes".
pub(crate) fn same_words(a: &str, b: &str) -> bool {
    let (a, b) = (content(a), content(b));
    a == b && !a.is_empty()
}

/// Whether all content words of one text occur in the other. A lost sign of a number does not
/// matter.
pub(crate) fn overlaps(a: &str, b: &str) -> bool {
    let unsigned = |text: &str| -> Vec<String> {
        content(text).iter().map(|word| word.trim_start_matches('-').to_owned()).collect()
    };
    let (a, b) = (unsigned(a), unsigned(b));
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    !small.is_empty() && small.iter().all(|word| large.contains(word))
}

fn trimmed(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"-+€$£%#'".contains(c)).trim_matches('\'');
    // A sign belongs to a number, a dash does not.
    let is_signed = word.starts_with('-') && word[1..].starts_with(|c: char| c.is_ascii_digit());
    if is_signed { word.trim_end_matches('-') } else { word.trim_matches('-') }
}

/// A word in its normal form: singular, numbers in figures.
fn normal(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if word.contains(|c: char| c.is_ascii_digit()) {
        return figure(word);
    }
    if let Some(number) = number(word) {
        return number.to_string();
    }
    singular(word).to_owned()
}

/// Figures without currency, without separators of thousands and without the ending of an ordinal.
fn figure(word: &str) -> String {
    let plain: String = word.chars().filter(|c| !",€$£".contains(*c)).collect();
    for ending in ["st", "nd", "rd", "th"] {
        if let Some(number) = plain.strip_suffix(ending).filter(|rest| rest.chars().all(|c| c.is_ascii_digit())) {
            return number.to_owned();
        }
    }
    plain
}

fn number(word: &str) -> Option<u32> {
    let of = |word: &str| NUMBERS.iter().find(|(name, _)| *name == word).map(|(_, number)| *number);
    match word.split_once('-') {
        Some((tens, ones)) => Some(of(tens).filter(|tens| *tens >= 20)? + of(ones).filter(|ones| *ones < 10)?),
        None => of(word),
    }
}

fn singular(word: &str) -> &str {
    // "Always" and "this" are no plurals.
    if word == "always" || [EMPTY, NEGATIONS, TIME_WORDS].iter().any(|words| words.contains(&word)) {
        return word;
    }
    let is_plural = word.chars().count() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us");
    if is_plural { &word[..word.len() - 1] } else { word }
}
