//! The numbers, symbols and words of a sum.

/// A token of a sum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A number as the calculator writes it.
    Number(String),
    /// `+ - * / ^ ( ) %` and the comma.
    Symbol(char),
    /// A word in lower case.
    Word(String),
}

/// All tokens; none if one of them cannot be part of a sum.
pub fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if first.is_ascii_digit() {
            let length = length_while(rest, |char| char.is_ascii_digit() || matches!(char, '.' | ','));
            let written = rest[..length].trim_end_matches(['.', ',']);
            found.push(Token::Number(number(written)?));
            written.len()
        } else if first.is_alphabetic() {
            let length = length_while(rest, |char| char.is_alphabetic() || char == '-');
            let word = rest[..length].trim_end_matches('-');
            found.push(word_or_times(word, found.last(), &rest[word.len()..]));
            word.len()
        } else {
            let (symbol, length) = symbol(first, &rest[first.len_utf8()..])?;
            found.push(Token::Symbol(symbol));
            length
        };
        rest = rest[length..].trim_start();
    }
    Some(found)
}

fn length_while(text: &str, accepts: impl Fn(char) -> bool) -> usize {
    text.find(|char| !accepts(char)).unwrap_or(text.len())
}

/// An `x` between numbers is a multiplication sign.
fn word_or_times(word: &str, before: Option<&Token>, after: &str) -> Token {
    let ends_number = matches!(before, Some(Token::Number(_) | Token::Symbol(')')));
    let begins_number = after.trim_start().starts_with(|char: char| char.is_ascii_digit() || char == '(');
    if word.eq_ignore_ascii_case("x") && ends_number && begins_number {
        Token::Symbol('*')
    } else {
        Token::Word(word.to_lowercase())
    }
}

fn symbol(first: char, after: &str) -> Option<(char, usize)> {
    let plain = match first {
        '*' if after.starts_with('*') => return Some(('^', 2)),
        '+' | '*' | '/' | '^' | '(' | ')' | '%' | ',' | '-' => first,
        '−' | '–' => '-',
        '×' | '·' | '∙' => '*',
        '÷' => '/',
        '√' => return Some(('√', first.len_utf8())),
        _ => return None,
    };
    Some((plain, first.len_utf8()))
}

/// "1,000.5" is 1000.5, "3,5" is 3.5, and "1.2.3" is no number.
fn number(written: &str) -> Option<String> {
    let (whole, fraction) = match written.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => match written.split_once(',') {
            Some((whole, fraction)) if !is_grouped(written) => (whole, Some(fraction)),
            _ => (written, None),
        },
    };
    let is_digits = |text: &str| !text.is_empty() && text.chars().all(|char| char.is_ascii_digit());
    let digits = if is_grouped(whole) { whole.replace(',', "") } else { whole.to_owned() };
    match fraction {
        Some(fraction) => (is_digits(&digits) && is_digits(fraction)).then(|| format!("{digits}.{fraction}")),
        None => is_digits(&digits).then_some(digits),
    }
}

/// Whether commas separate thousands.
fn is_grouped(whole: &str) -> bool {
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && groups.clone().next().is_some() && groups.all(|group| group.len() == 3)
}
