//! Sentences made from the templates of a language.

use std::collections::BTreeMap;

use serde_json::Value;

/// A seeded random number generator.
#[derive(Debug, Clone)]
pub(super) struct SeededRandom(u64);

impl SeededRandom {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % end.max(1)
    }

    pub(super) fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// The templates of a file of the sentences package.
pub(super) struct TemplateSource {
    file: Value,
    /// The sentences of each intent, with the block that they are of.
    templates: BTreeMap<String, Vec<(String, Value)>>,
}

/// What stands for `{name}`, `{area}` and `{floor}`.
pub(super) struct SampleNames<'a> {
    pub entities: &'a [String],
    pub areas: &'a [String],
}

impl TemplateSource {
    /// The templates of these intents.
    pub(super) fn of(text: &str, intents: &[&str]) -> Self {
        let file: Value = serde_json::from_str(text).unwrap();
        let mut templates: BTreeMap<String, Vec<(String, Value)>> = BTreeMap::new();
        for (intent, of) in file["intents"].as_object().unwrap() {
            if !intents.contains(&intent.as_str()) {
                continue;
            }
            for block in of["data"].as_array().unwrap() {
                let sentences = block["sentences"].as_array().unwrap().iter();
                let each = sentences.map(|it| (it.as_str().unwrap().to_owned(), block.clone()));
                templates.entry(intent.clone()).or_default().extend(each);
            }
        }
        Self { file, templates }
    }

    /// The intents that have templates.
    pub(super) fn intents(&self) -> Vec<&str> {
        self.templates.keys().map(String::as_str).collect()
    }

    /// A sentence of an intent; `None` if its template leads nowhere, or takes any words.
    pub(super) fn sentence(&self, intent: &str, names: &SampleNames<'_>, chance: &mut SeededRandom) -> Option<String> {
        let (template, block) = chance.of(self.templates.get(intent)?).clone();
        let mut sampler = Sampler { source: self, block: &block, names, chance };
        let text = sampler.alternatives(&template, 0)?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
    }
}

/// Deeper templates are left out.
const DEEPEST: usize = 30;

struct Sampler<'a, 'c> {
    source: &'a TemplateSource,
    block: &'a Value,
    names: &'a SampleNames<'a>,
    chance: &'c mut SeededRandom,
}

impl Sampler<'_, '_> {
    /// One of the alternatives of a group, or all of its parts in any order.
    fn alternatives(&mut self, template: &str, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        let choices = split(template, '|');
        let choice = self.chance.of(&choices).clone();
        let mut parts = split(&choice, ';');
        let mut said = String::new();
        while !parts.is_empty() {
            let part = parts.remove(self.chance.below(parts.len()));
            let text = self.sequence(&part, depth)?;
            said = if said.is_empty() { text } else { format!("{said} {text}") };
        }
        Some(said)
    }

    fn sequence(&mut self, template: &str, depth: usize) -> Option<String> {
        let mut said = String::new();
        let mut rest = template;
        while let Some(next) = rest.chars().next() {
            let Some(close) = closing(next) else {
                // An escaped character stands for itself.
                let skipped = usize::from(next == '\\');
                let taken = rest[skipped..].chars().next()?;
                said.push(taken);
                rest = &rest[skipped + taken.len_utf8()..];
                continue;
            };
            let end = matching(rest, next, close)?;
            let inner = &rest[1..end];
            rest = &rest[end + 1..];
            match next {
                '(' => said.push_str(&self.alternatives(inner, depth + 1)?),
                '[' if self.chance.below(2) == 0 => said.push_str(&self.alternatives(inner, depth + 1)?),
                '<' => {
                    let rule = &self.block["expansion_rules"][inner];
                    let rule = rule.as_str().or_else(|| self.source.file["expansion_rules"][inner].as_str())?;
                    let rule = rule.to_owned();
                    said.push_str(&self.alternatives(&rule, depth + 1)?);
                }
                '{' => said.push_str(&self.value(inner.split(':').next()?, depth)?),
                _ => {}
            }
        }
        Some(said)
    }

    fn value(&mut self, list: &str, depth: usize) -> Option<String> {
        match list {
            "name" => return Some(self.chance.of(self.names.entities).clone()),
            "area" => return Some(self.chance.of(self.names.areas).clone()),
            _ => {}
        }
        let own = &self.block["lists"][list];
        let list = if own.is_null() { &self.source.file["lists"][list] } else { own };
        if let Some(values) = list["values"].as_array().filter(|values| !values.is_empty()) {
            let value = self.chance.of(values);
            let text = value.as_str().or_else(|| value["in"].as_str())?.to_owned();
            return self.alternatives(&text, depth + 1);
        }
        let number = |name: &str| list["range"][name].as_i64();
        let (from, to, step) = (number("from")?.max(0), number("to")?, number("step").unwrap_or(1).max(1));
        let steps = usize::try_from((to - from) / step).ok()? + 1;
        Some((from + step * i64::try_from(self.chance.below(steps)).ok()?).to_string())
    }
}

/// The parts of a template at its outer level.
fn split(template: &str, by: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut depth, mut is_escaped) = (0, false);
    for next in template.chars() {
        match next {
            _ if is_escaped => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            _ if next == by && depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        is_escaped = next == '\\' && !is_escaped;
        parts.last_mut().unwrap().push(next);
    }
    parts
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '(' => ')',
        '[' => ']',
        '<' => '>',
        '{' => '}',
        _ => return None,
    })
}

fn matching(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (at, next) in text.char_indices() {
        if next == open {
            depth += 1;
        } else if next == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}
