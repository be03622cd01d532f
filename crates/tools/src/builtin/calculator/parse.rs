//! Parses and evaluates an expression in one pass, by recursive descent.
//!
//! `%` after a number is a hundredth (`5%`, `17% of 240`), between two it is the remainder (`17 %
//! 5`).

use super::number::{BY_ZERO, MathError, Number};

/// How deep parentheses, signs and powers may be nested.
const DEPTH_MAX: usize = 64;

/// What is wrong, and at which character, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ParseError {
    pub(super) at: usize,
    pub(super) what: String,
}

type ParseResult = Result<Number, ParseError>;

/// The value of an expression.
pub(super) fn value(text: &str) -> ParseResult {
    let mut parser = ExpressionParser { chars: text.chars().map(plain).collect(), at: 0, depth: 0 };
    let value = parser.sum()?;
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(parser.unexpected("an operator or the end")),
    }
}

/// Maps typographic operators, which people and models paste, to ASCII.
const fn plain(char: char) -> char {
    match char {
        '×' | '·' | '⋅' => '*',
        '÷' | '∕' => '/',
        '−' | '–' => '-',
        other => other,
    }
}

struct ExpressionParser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

impl ExpressionParser {
    fn sum(&mut self) -> ParseResult {
        let mut sum = self.product()?;
        loop {
            let at = self.place();
            if self.take('+') {
                sum = at_place(at, sum.add(self.product()?))?;
            } else if self.take('-') {
                sum = at_place(at, sum.subtract(self.product()?))?;
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> ParseResult {
        let mut product = self.signed()?;
        loop {
            let at = self.place();
            if self.take('*') {
                product = at_place(at, product.multiply(self.signed()?))?;
            } else if self.take('/') {
                product = at_place(at, product.divide(self.signed()?))?;
            } else if self.take('%') {
                product = at_place(at, product.remainder(self.signed()?))?;
            } else if self.take_word("of") {
                product = at_place(at, product.multiply(self.signed()?))?;
            } else {
                return Ok(product);
            }
        }
    }

    fn signed(&mut self) -> ParseResult {
        let at = self.place();
        if self.take('-') {
            let value = self.deeper(Self::signed)?;
            return at_place(at, value.negate());
        }
        if self.take('+') {
            return self.deeper(Self::signed);
        }
        self.power()
    }

    /// A power binds more tightly than the sign before it and less tightly than the one after it:
    /// -2^2 is -4, 2^-1 is 0.5.
    fn power(&mut self) -> ParseResult {
        let base = self.percent()?;
        let at = self.place();
        if self.take('^') || self.take_both('*', '*') {
            let exponent = self.deeper(Self::signed)?;
            return at_place(at, base.power(exponent));
        }
        Ok(base)
    }

    fn percent(&mut self) -> ParseResult {
        let mut value = self.atom()?;
        while self.peek() == Some('%') && !self.operand_follows() {
            let at = self.place();
            self.take('%');
            value = at_place(at, value.divide(Number::whole(100)))?;
        }
        Ok(value)
    }

    /// Whether an operand follows the next character, so that `%` is the remainder.
    fn operand_follows(&self) -> bool {
        let rest = &self.chars[(self.at + 1).min(self.chars.len())..];
        let mut rest = rest.iter().skip_while(|char| char.is_whitespace());
        match rest.next() {
            Some('o') if rest.next() == Some(&'f') => false,
            Some(char) => char.is_alphanumeric() || matches!(char, '(' | '.'),
            None => false,
        }
    }

    fn atom(&mut self) -> ParseResult {
        match self.peek() {
            Some('(') => {
                self.take('(');
                let value = self.deeper(Self::sum)?;
                self.expect(')')?;
                Ok(value)
            }
            Some(char) if char.is_ascii_digit() || char == '.' => self.number(),
            Some(char) if char.is_alphabetic() => self.named(),
            _ => Err(self.unexpected("a number")),
        }
    }

    fn number(&mut self) -> ParseResult {
        let start = self.place();
        let is_part = |char: char| char.is_ascii_digit() || matches!(char, '.' | '_');
        self.skip_while(is_part);
        // `2e3` is a number, the `e` of `2*e` is a constant: an exponent has digits.
        if matches!(self.chars.get(self.at), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.chars.get(self.at + 1), Some('+' | '-')));
            if self.chars.get(self.at + 1 + sign).is_some_and(char::is_ascii_digit) {
                self.at += 1 + sign;
                self.skip_while(|char| char.is_ascii_digit());
            }
        }
        let text: String = self.chars[start..self.at].iter().filter(|char| **char != '_').collect();
        at_place(start, Number::read(&text))
    }

    fn named(&mut self) -> ParseResult {
        let start = self.place();
        self.skip_while(char::is_alphanumeric);
        let name: String = self.chars[start..self.at].iter().collect::<String>().to_lowercase();
        match name.as_str() {
            "pi" | "π" => return at_place(start, Number::rough(std::f64::consts::PI)),
            "e" => return at_place(start, Number::rough(std::f64::consts::E)),
            _ => {}
        }
        if !FUNCTIONS.contains(&name.as_str()) {
            let what = format!("`{name}` is not known; there are pi, e, {}", FUNCTIONS.join(", "));
            return Err(ParseError { at: start, what });
        }
        if self.peek() != Some('(') {
            return Err(self.unexpected(&format!("`(` after `{name}`")));
        }
        let arguments = self.arguments()?;
        apply(&name, &arguments).map_err(|what| ParseError { at: start, what: what.to_owned() })
    }

    fn arguments(&mut self) -> Result<Vec<Number>, ParseError> {
        self.expect('(')?;
        let mut arguments = vec![self.deeper(Self::sum)?];
        while self.take(',') || self.take(';') {
            arguments.push(self.deeper(Self::sum)?);
        }
        self.expect(')')?;
        Ok(arguments)
    }

    fn deeper(&mut self, part: impl FnOnce(&mut Self) -> ParseResult) -> ParseResult {
        if self.depth == DEPTH_MAX {
            let what = format!("this is nested more than {DEPTH_MAX} deep");
            return Err(ParseError { at: self.place(), what });
        }
        self.depth += 1;
        let value = part(self);
        self.depth -= 1;
        value
    }

    fn expect(&mut self, wanted: char) -> Result<(), ParseError> {
        if self.take(wanted) { Ok(()) } else { Err(self.unexpected(&format!("`{wanted}`"))) }
    }

    fn unexpected(&mut self, wanted: &str) -> ParseError {
        let found = self.peek().map_or_else(|| "the end".to_owned(), |char| format!("`{char}`"));
        ParseError { at: self.at, what: format!("expected {wanted} but found {found}") }
    }

    /// The position of the next character that is not a space.
    fn place(&mut self) -> usize {
        self.skip_while(char::is_whitespace);
        self.at
    }

    fn peek(&mut self) -> Option<char> {
        let at = self.place();
        self.chars.get(at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        // `**` is one operator, the power.
        let is_it = self.peek() == Some(wanted) && !(wanted == '*' && self.chars.get(self.at + 1) == Some(&'*'));
        self.at += usize::from(is_it);
        is_it
    }

    fn take_both(&mut self, first: char, second: char) -> bool {
        let is_it = self.peek() == Some(first) && self.chars.get(self.at + 1) == Some(&second);
        self.at += 2 * usize::from(is_it);
        is_it
    }

    fn take_word(&mut self, word: &str) -> bool {
        let at = self.place();
        let end = at + word.chars().count();
        let is_it = self.chars.get(at..end).is_some_and(|chars| chars.iter().copied().eq(word.chars()))
            && !self.chars.get(end).is_some_and(|char| char.is_alphanumeric());
        self.at = if is_it { end } else { at };
        is_it
    }

    fn skip_while(&mut self, is_part: impl Fn(char) -> bool) {
        while self.chars.get(self.at).is_some_and(|char| is_part(*char)) {
            self.at += 1;
        }
    }
}

fn at_place(at: usize, result: Result<Number, MathError>) -> ParseResult {
    result.map_err(|what| ParseError { at, what: what.to_owned() })
}

const FUNCTIONS: [&str; 13] =
    ["sqrt", "abs", "round", "floor", "ceil", "min", "max", "ln", "log", "exp", "sin", "cos", "tan"];

fn apply(name: &str, arguments: &[Number]) -> Result<Number, MathError> {
    match (name, arguments) {
        ("min", [first, rest @ ..]) => Ok(rest.iter().fold(*first, |a, b| if b.compare(a).is_lt() { *b } else { a })),
        ("max", [first, rest @ ..]) => Ok(rest.iter().fold(*first, |a, b| if b.compare(a).is_gt() { *b } else { a })),
        ("sqrt", [number]) if number.as_f64() < 0.0 => Err("a negative number has no real square root"),
        ("sqrt", [number]) => number.sqrt(),
        ("abs", [number]) if number.as_f64() < 0.0 => number.negate(),
        ("abs", [number]) => Ok(*number),
        ("floor", [number]) => number.floor(),
        ("ceil", [number]) => number.negate()?.floor()?.negate(),
        ("round", [number]) => number.round(),
        ("round", [number, digits]) => {
            let scale = Number::whole(10).power(*digits)?;
            number.multiply(scale)?.round()?.divide(scale)
        }
        ("ln" | "log", [number, ..]) if number.as_f64() <= 0.0 => Err("only positive numbers have a logarithm"),
        ("ln", [number]) => number.through(f64::ln),
        ("log", [number]) => number.through(f64::log10),
        ("log", [_, base]) if base.as_f64() <= 0.0 => Err("the base of a logarithm is positive"),
        ("log", [number, base]) => number.through(f64::ln)?.divide(base.through(f64::ln)?),
        ("exp", [number]) => number.through(f64::exp),
        ("sin", [number]) => number.through(f64::sin),
        ("cos", [number]) => number.through(f64::cos),
        ("tan", [number]) if number.through(f64::cos)?.is_zero() => Err(BY_ZERO),
        ("tan", [number]) => number.through(f64::tan),
        _ => Err("this function takes a different number of arguments"),
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
