//! Reads an expression and works it out on the way: sums of products of powers.
//!
//! `%` after a number is a hundredth (`5%`, `17% of 240`), between two it is the remainder (`17 % 5`).

use super::number::{BY_ZERO, Nonsense, Number};

/// How deep parentheses, signs and powers may be nested.
const DEPTH_MAX: usize = 64;

/// What is wrong, and at which character, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) at: usize,
    pub(super) what: String,
}

type Outcome = Result<Number, Mistake>;

/// The value of an expression.
pub(super) fn value(text: &str) -> Outcome {
    let mut parser = Parser { chars: text.chars().map(plain).collect(), at: 0, depth: 0 };
    let value = parser.sum()?;
    match parser.peek() {
        None => Ok(value),
        Some(_) => Err(parser.unexpected("an operator or the end")),
    }
}

/// The signs that people and models paste.
const fn plain(char: char) -> char {
    match char {
        '×' | '·' | '⋅' => '*',
        '÷' | '∕' => '/',
        '−' | '–' => '-',
        other => other,
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn sum(&mut self) -> Outcome {
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

    fn product(&mut self) -> Outcome {
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

    fn signed(&mut self) -> Outcome {
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

    /// A power binds more tightly than the sign before it and more loosely than the one after: -2^2 is -4, 2^-1 is 0.5.
    fn power(&mut self) -> Outcome {
        let base = self.percent()?;
        let at = self.place();
        if self.take('^') || self.take_both('*', '*') {
            let exponent = self.deeper(Self::signed)?;
            return at_place(at, base.power(exponent));
        }
        Ok(base)
    }

    fn percent(&mut self) -> Outcome {
        let mut value = self.atom()?;
        while self.peek() == Some('%') && !self.operand_follows() {
            let at = self.place();
            self.take('%');
            value = at_place(at, value.divide(Number::whole(100)))?;
        }
        Ok(value)
    }

    /// Whether what comes after the next character is something to divide by, so that a `%` is the remainder.
    fn operand_follows(&self) -> bool {
        let rest = &self.chars[(self.at + 1).min(self.chars.len())..];
        let mut rest = rest.iter().skip_while(|char| char.is_whitespace());
        match rest.next() {
            Some('o') if rest.next() == Some(&'f') => false,
            Some(char) => char.is_alphanumeric() || matches!(char, '(' | '.'),
            None => false,
        }
    }

    fn atom(&mut self) -> Outcome {
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

    fn number(&mut self) -> Outcome {
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

    fn named(&mut self) -> Outcome {
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
            return Err(Mistake { at: start, what });
        }
        if self.peek() != Some('(') {
            return Err(self.unexpected(&format!("`(` after `{name}`")));
        }
        let arguments = self.arguments()?;
        apply(&name, &arguments).map_err(|what| Mistake { at: start, what: what.to_owned() })
    }

    fn arguments(&mut self) -> Result<Vec<Number>, Mistake> {
        self.expect('(')?;
        let mut arguments = vec![self.deeper(Self::sum)?];
        while self.take(',') || self.take(';') {
            arguments.push(self.deeper(Self::sum)?);
        }
        self.expect(')')?;
        Ok(arguments)
    }

    fn deeper(&mut self, part: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        if self.depth == DEPTH_MAX {
            let what = format!("this is nested more than {DEPTH_MAX} deep");
            return Err(Mistake { at: self.place(), what });
        }
        self.depth += 1;
        let value = part(self);
        self.depth -= 1;
        value
    }

    fn expect(&mut self, wanted: char) -> Result<(), Mistake> {
        if self.take(wanted) { Ok(()) } else { Err(self.unexpected(&format!("`{wanted}`"))) }
    }

    fn unexpected(&mut self, wanted: &str) -> Mistake {
        let found = self.peek().map_or_else(|| "the end".to_owned(), |char| format!("`{char}`"));
        Mistake { at: self.at, what: format!("expected {wanted} but found {found}") }
    }

    /// Where the next character is that means something.
    fn place(&mut self) -> usize {
        self.skip_while(char::is_whitespace);
        self.at
    }

    fn peek(&mut self) -> Option<char> {
        let at = self.place();
        self.chars.get(at).copied()
    }

    fn take(&mut self, wanted: char) -> bool {
        // `**` is one sign, a power.
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

fn at_place(at: usize, result: Result<Number, Nonsense>) -> Outcome {
    result.map_err(|what| Mistake { at, what: what.to_owned() })
}

const FUNCTIONS: [&str; 13] =
    ["sqrt", "abs", "round", "floor", "ceil", "min", "max", "ln", "log", "exp", "sin", "cos", "tan"];

fn apply(name: &str, arguments: &[Number]) -> Result<Number, Nonsense> {
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
        _ => Err("this function takes another number of arguments"),
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
