//! Parses a template.

use super::{ListPart, TemplateError, TemplatePart};
use crate::text::tidy;

/// Deeper than any language needs; it protects the stack from hostile templates.
const DEEPEST: usize = 64;

/// The parts of a template.
pub(crate) fn parse(template: &str) -> Result<TemplatePart, TemplateError> {
    let chars: Vec<char> = template.trim().chars().collect();
    if chars.is_empty() {
        return Err(TemplateError::Empty);
    }
    let mut parser = TemplateParser { chars: &chars, at: 0 };
    let part = parser.group(None, 0)?;
    match parser.chars.get(parser.at) {
        Some(&unopened) => Err(TemplateError::Unopened(unopened)),
        None => Ok(part),
    }
}

struct TemplateParser<'a> {
    chars: &'a [char],
    at: usize,
}

/// The kind of a group, as far as it has been parsed.
enum Group {
    Sequence(Vec<TemplatePart>),
    Either(Vec<Vec<TemplatePart>>),
    AnyOrder(Vec<Vec<TemplatePart>>),
}

impl Group {
    fn push(&mut self, part: TemplatePart) {
        match self {
            Self::Sequence(parts) => parts.push(part),
            Self::Either(groups) | Self::AnyOrder(groups) => {
                if let Some(last) = groups.last_mut() {
                    last.push(part);
                }
            }
        }
    }

    /// Parts parsed so far become the first item if the separator changes.
    fn separate(self, by: char) -> Self {
        match (self, by) {
            (Self::Either(mut groups), '|') => {
                groups.push(Vec::new());
                Self::Either(groups)
            }
            (Self::AnyOrder(mut groups), ';') => {
                groups.push(Vec::new());
                Self::AnyOrder(groups)
            }
            (Self::Sequence(parts), '|') => Self::Either(vec![parts, Vec::new()]),
            (Self::Sequence(parts), _) => Self::AnyOrder(vec![parts, Vec::new()]),
            (other, '|') => Self::Either(vec![vec![other.finish()], Vec::new()]),
            (other, _) => Self::AnyOrder(vec![vec![other.finish()], Vec::new()]),
        }
    }

    fn finish(self) -> TemplatePart {
        match self {
            Self::Sequence(parts) => one(parts),
            Self::Either(groups) => TemplatePart::Either(groups.into_iter().map(one).collect()),
            Self::AnyOrder(groups) => TemplatePart::AnyOrder(groups.into_iter().map(spaced).collect()),
        }
    }
}

fn one(mut parts: Vec<TemplatePart>) -> TemplatePart {
    match (parts.len(), parts.pop()) {
        (1, Some(part)) => part,
        (_, Some(last)) => {
            parts.push(last);
            TemplatePart::Sequence(parts)
        }
        (_, None) => TemplatePart::nothing(),
    }
}

/// The items of a permutation, with spaces between them.
fn spaced(parts: Vec<TemplatePart>) -> TemplatePart {
    let space = || std::iter::once(TemplatePart::Text(" ".to_owned()));
    TemplatePart::Sequence(space().chain(parts).chain(space()).collect())
}

impl TemplateParser<'_> {
    /// Parses up to the closing bracket, or to the end.
    fn group(&mut self, close: Option<char>, depth: usize) -> Result<TemplatePart, TemplateError> {
        if depth > DEEPEST {
            return Err(TemplateError::TooDeep(DEEPEST));
        }
        let mut group = Group::Sequence(Vec::new());
        while let Some(&next) = self.chars.get(self.at) {
            match next {
                '(' => {
                    self.at += 1;
                    group.push(self.group(Some(')'), depth + 1)?);
                }
                '[' => {
                    self.at += 1;
                    let inner = self.group(Some(']'), depth + 1)?;
                    group.push(TemplatePart::Either(vec![inner, TemplatePart::nothing()]));
                }
                '{' => {
                    let name = self.name('{', '}')?;
                    group.push(TemplatePart::List(list_part(&name)?));
                }
                '<' => {
                    let name = self.name('<', '>')?;
                    group.push(TemplatePart::Rule(name));
                }
                '|' | ';' => {
                    self.at += 1;
                    group = group.separate(next);
                }
                _ if Some(next) == close => {
                    self.at += 1;
                    return Ok(group.finish());
                }
                ')' | ']' | '}' | '>' => return Err(TemplateError::Unopened(next)),
                _ => group.push(TemplatePart::Text(self.word())),
            }
        }
        match close {
            Some(')') => Err(TemplateError::Unclosed('(')),
            Some(_) => Err(TemplateError::Unclosed('[')),
            None => Ok(group.finish()),
        }
    }

    /// A word with the spaces around it. Each word is a part, because spaces may be missing before
    /// it.
    fn word(&mut self) -> String {
        let mut word = String::new();
        let mut has_ended = false;
        while let Some(&next) = self.chars.get(self.at) {
            match next {
                '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '|' | ';' => break,
                _ if next.is_whitespace() => {
                    has_ended = !word.trim_start().is_empty();
                    word.push(' ');
                }
                _ if has_ended => break,
                '\\' => {
                    self.at += 1;
                    match self.chars.get(self.at) {
                        Some(&escaped) => word.push(escaped),
                        None => break,
                    }
                }
                _ => word.push(next),
            }
            self.at += 1;
        }
        tidy(&word)
    }

    fn name(&mut self, open: char, close: char) -> Result<String, TemplateError> {
        self.at += 1;
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|&next| next == close).ok_or(TemplateError::Unclosed(open))?;
        let name: String = rest.iter().take(length).filter(|&&next| next != '\\').collect();
        self.at += length + 1;
        match name.trim() {
            "" => Err(TemplateError::Nameless),
            name => Ok(name.to_owned()),
        }
    }
}

fn list_part(name: &str) -> Result<ListPart, TemplateError> {
    let (list, slot) = name.split_once(':').unwrap_or((name, name));
    let (list, list_is_capture) = without_at(list);
    let (slot, slot_is_capture) = without_at(slot);
    if list.is_empty() || slot.is_empty() {
        return Err(TemplateError::Nameless);
    }
    Ok(ListPart { list: list.to_owned(), slot: slot.to_owned(), is_capture: list_is_capture || slot_is_capture })
}

fn without_at(name: &str) -> (&str, bool) {
    match name.trim().strip_prefix('@') {
        Some(name) => (name, true),
        None => (name.trim(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &str) -> TemplatePart {
        TemplatePart::Text(words.to_owned())
    }

    #[test]
    fn words_keep_the_spaces_around_them() {
        let parts = parse("turn  on [the] lamp").unwrap();
        let the = TemplatePart::Either(vec![text("the"), TemplatePart::nothing()]);
        assert_eq!(parts, TemplatePart::Sequence(vec![text("turn "), text("on "), the, text(" lamp")]));
    }

    #[test]
    fn lists_have_slots_and_captures() {
        let list = |list: &str, slot: &str, is_capture| {
            TemplatePart::List(ListPart { list: list.to_owned(), slot: slot.to_owned(), is_capture })
        };
        assert_eq!(parse("{a}").unwrap(), list("a", "a", false));
        assert_eq!(parse("{a:b}").unwrap(), list("a", "b", false));
        assert_eq!(parse("{a:@b}").unwrap(), list("a", "b", true));
        assert_eq!(parse("{@b}").unwrap(), list("b", "b", true));
    }

    #[test]
    fn any_order_puts_spaces_around_its_items() {
        let item = |word| TemplatePart::Sequence(vec![text(" "), text(word), text(" ")]);
        assert_eq!(parse("(a;b)").unwrap(), TemplatePart::AnyOrder(vec![item("a"), item("b")]));
    }

    #[test]
    fn escaped_brackets_are_characters() {
        assert_eq!(parse(r"a\[b").unwrap(), text("a[b"));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        assert_eq!(parse("(a"), Err(TemplateError::Unclosed('(')));
        assert_eq!(parse("a]"), Err(TemplateError::Unopened(']')));
        assert_eq!(parse("{a"), Err(TemplateError::Unclosed('{')));
        assert_eq!(parse("<>"), Err(TemplateError::Nameless));
        assert_eq!(parse(" "), Err(TemplateError::Empty));
        assert_eq!(parse(&"(".repeat(100_000)), Err(TemplateError::TooDeep(DEEPEST)));
    }
}
