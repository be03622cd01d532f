//! Parses the tokens of a sum into plain symbols. Unless every token fits, it is not a sum.

use super::scan::Token;

/// The deepest nesting of brackets, so that no message decides how deep the stack gets.
const DEPTH_MAX: usize = 40;

const FUNCTIONS: &[&str] = &["sqrt", "abs", "sin", "cos", "tan", "ln", "log", "exp", "round", "floor", "ceil"];

/// The sum in plain symbols. A single number is not a sum.
pub fn expression(tokens: &[Token]) -> Option<String> {
    let mut parser = Parser { rest: tokens, operations: 0, depth: 0 };
    let sum = parser.sum()?;
    (parser.rest.is_empty() && parser.operations > 0).then(|| without_brackets(&sum).to_owned())
}

/// Without brackets around it all.
fn without_brackets(sum: &str) -> &str {
    let Some(inner) = sum.strip_prefix('(').and_then(|sum| sum.strip_suffix(')')) else {
        return sum;
    };
    let mut depth = 0_i32;
    for char in inner.chars() {
        depth += i32::from(char == '(') - i32::from(char == ')');
        if depth < 0 {
            return sum;
        }
    }
    inner
}

struct Parser<'a> {
    rest: &'a [Token],
    operations: usize,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Option<String> {
        let mut sum = self.product()?;
        loop {
            let sign = if self.takes_symbol('+') || self.takes("plus") {
                '+'
            } else if self.takes_symbol('-') || self.takes("minus") {
                '-'
            } else {
                return Some(sum);
            };
            sum = self.joined(&sum, sign, Self::product)?;
        }
    }

    fn product(&mut self) -> Option<String> {
        let mut product = self.power()?;
        loop {
            let sign = if self.takes_symbol('*') || self.takes("times") || self.takes("multiplied by") {
                '*'
            } else if self.takes_symbol('/') || self.takes("divided by") || self.takes("over") {
                '/'
            } else if self.takes("mod") || self.takes("modulo") {
                '%'
            } else {
                return Some(product);
            };
            product = self.joined(&product, sign, Self::power)?;
        }
    }

    fn power(&mut self) -> Option<String> {
        let base = self.value()?;
        let is_power = self.takes_symbol('^') || self.takes("to the power of") || self.takes("raised to the power of");
        if is_power { self.joined(&base, '^', Self::deeper_power) } else { Some(base) }
    }

    fn deeper_power(&mut self) -> Option<String> {
        self.deeper(Self::power)
    }

    fn joined(&mut self, left: &str, sign: char, right: impl FnOnce(&mut Self) -> Option<String>) -> Option<String> {
        self.operations += 1;
        Some(format!("{left} {sign} {}", right(self)?))
    }

    /// A number with its suffixes.
    fn value(&mut self) -> Option<String> {
        let value = self.atom()?;
        if self.takes_symbol('%') || self.takes("percent") {
            return self.share(&value);
        }
        for (word, exponent) in [("squared", 2), ("cubed", 3)] {
            if self.takes(word) {
                self.operations += 1;
                let is_plain = value.chars().all(|char| char.is_ascii_digit() || char == '.');
                return Some(if is_plain {
                    format!("{value} ^ {exponent}")
                } else {
                    format!("({value}) ^ {exponent}")
                });
            }
        }
        Some(value)
    }

    /// A percentage must be of something: people do not agree on what "200 + 10%" is.
    fn share(&mut self, percent: &str) -> Option<String> {
        self.operations += 1;
        if self.takes("of") {
            let whole = self.deeper(Self::value)?;
            Some(format!("({percent} / 100 * {whole})"))
        } else if self.takes("off") {
            let whole = self.deeper(Self::value)?;
            Some(format!("({whole} * (1 - {percent} / 100))"))
        } else {
            None
        }
    }

    fn atom(&mut self) -> Option<String> {
        self.takes("the");
        if self.takes_symbol('-') {
            return Some(format!("-{}", self.deeper(Self::atom)?));
        }
        if self.takes_symbol('(') {
            let inner = self.deeper(Self::sum)?;
            return self.takes_symbol(')').then(|| format!("({inner})"));
        }
        if self.takes_symbol('√') || self.takes("square root of") || self.takes("root of") {
            self.operations += 1;
            let of = self.deeper(Self::value)?;
            return Some(format!("sqrt({})", without_brackets(&of)));
        }
        if self.takes("cube root of") {
            self.operations += 1;
            return Some(format!("({} ^ (1 / 3))", self.deeper(Self::atom)?));
        }
        for (words, factor) in [("half of", "0.5"), ("twice", "2"), ("double", "2")] {
            if self.takes(words) {
                let product = self.deeper(|parser| parser.joined(factor, '*', Self::value))?;
                return Some(format!("({product})"));
            }
        }
        for (words, sign) in [("sum of", '+'), ("product of", '*')] {
            if self.takes(words) {
                return self.deeper(|parser| parser.list(sign));
            }
        }
        if self.takes("pi") {
            return Some("pi".to_owned());
        }
        self.function().or_else(|| self.number())
    }

    fn function(&mut self) -> Option<String> {
        let name = FUNCTIONS.iter().find(|name| self.takes(name))?;
        self.operations += 1;
        if !self.takes_symbol('(') {
            return Some(format!("{name}({})", self.number()?));
        }
        let inner = self.deeper(Self::sum)?;
        self.takes_symbol(')').then(|| format!("{name}({inner})"))
    }

    /// "3, 4 and 5", at least two.
    fn list(&mut self, sign: char) -> Option<String> {
        let mut list = self.value()?;
        let mut count = 1;
        while self.takes_symbol(',') | self.takes("and") {
            list = self.joined(&list, sign, Self::value)?;
            count += 1;
        }
        (count > 1).then(|| format!("({list})"))
    }

    fn number(&mut self) -> Option<String> {
        if let [Token::Number(number), rest @ ..] = self.rest {
            self.rest = rest;
            return Some(number.clone());
        }
        let (mut total, mut part, mut used) = (0_u64, 0_u64, false);
        while let [Token::Word(word), rest @ ..] = self.rest {
            let Some(values) = word.split('-').map(number_word).collect::<Option<Vec<u64>>>() else {
                break;
            };
            for value in values {
                (total, part) = match value {
                    100 => (total, part.max(1) * 100),
                    1_000.. => (total + part.max(1) * value, 0),
                    _ if part % 100 == 0 || (value < 10 && part % 10 == 0 && part % 100 >= 20) => (total, part + value),
                    // "three four" are two numbers.
                    _ => return None,
                };
            }
            // Larger numbers are not written in words; the bound keeps the sums above from
            // overflowing.
            if total > 1_000_000_000_000 || part > 1_000_000 {
                return None;
            }
            (self.rest, used) = (rest, true);
        }
        used.then(|| (total + part).to_string())
    }

    fn deeper(&mut self, inner: impl FnOnce(&mut Self) -> Option<String>) -> Option<String> {
        self.depth += 1;
        let result = if self.depth > DEPTH_MAX { None } else { inner(self) };
        self.depth -= 1;
        result
    }

    fn takes_symbol(&mut self, symbol: char) -> bool {
        match self.rest {
            [Token::Symbol(found), rest @ ..] if *found == symbol => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// Takes these words if they are next.
    fn takes(&mut self, words: &str) -> bool {
        let mut rest = self.rest;
        for word in words.split(' ') {
            match rest {
                [Token::Word(found), after @ ..] if found == word => rest = after,
                _ => return false,
            }
        }
        self.rest = rest;
        true
    }
}

/// The number a word stands for.
pub fn number_word(word: &str) -> Option<u64> {
    const SMALL: &[&str] = &[
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: &[&str] = &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    if let Some(small) = (0..).zip(SMALL).find_map(|(value, name)| (*name == word).then_some(value)) {
        return Some(small);
    }
    if let Some(tens) = (2..).zip(TENS).find_map(|(value, name)| (*name == word).then_some(value * 10)) {
        return Some(tens);
    }
    match word {
        "hundred" => Some(100),
        "thousand" => Some(1_000),
        "million" => Some(1_000_000),
        _ => None,
    }
}
