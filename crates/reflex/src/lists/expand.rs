//! Expands templates to all their texts, where these are few.

use std::collections::BTreeMap;

use crate::automaton::MOST_ORDERED;
use crate::error::GrammarProblem;
use crate::template::TemplatePart;
use crate::text::NormalizedText;

/// The number of texts kept for one value.
const MOST: usize = 2_000;
/// The nesting depth of rules.
const DEEPEST: usize = 24;
/// The number of parts visited for one value.
const MOST_PARTS: usize = 20_000;

/// All texts of a list value, normalized.
pub(crate) fn expand(
    part: &TemplatePart,
    rules: &BTreeMap<String, TemplatePart>,
) -> Result<Vec<Vec<char>>, GrammarProblem> {
    let mut texts: Vec<Vec<char>> = Expansion { rules, parts: 0 }
        .all(part, 0)?
        .iter()
        .map(|text| NormalizedText::new(text).folded().to_vec())
        .filter(|text| !text.is_empty())
        .collect();
    texts.sort_unstable();
    texts.dedup();
    Ok(texts)
}

struct Expansion<'a> {
    rules: &'a BTreeMap<String, TemplatePart>,
    parts: usize,
}

impl Expansion<'_> {
    fn all(&mut self, part: &TemplatePart, depth: usize) -> Result<Vec<String>, GrammarProblem> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(GrammarProblem::TooLarge);
        }
        match part {
            TemplatePart::Text(text) => Ok(vec![text.clone()]),
            TemplatePart::Sequence(parts) => parts.iter().try_fold(vec![String::new()], |texts, part| {
                let next = self.all(part, depth)?;
                joined(&texts, &next)
            }),
            TemplatePart::Either(parts) => {
                let mut texts = Vec::new();
                for part in parts {
                    texts.extend(self.all(part, depth)?);
                }
                bounded(texts)
            }
            TemplatePart::AnyOrder(parts) => {
                let items = parts.iter().map(|part| self.all(part, depth)).collect::<Result<Vec<_>, _>>()?;
                in_any_order(&items, 0)
            }
            TemplatePart::List(list) => Err(GrammarProblem::NestedList(list.list.clone())),
            TemplatePart::Rule(name) => {
                let rule = self.rules.get(name).ok_or_else(|| GrammarProblem::MissingRule(name.clone()))?;
                if depth >= DEEPEST {
                    return Err(GrammarProblem::EndlessRule(name.clone()));
                }
                self.all(rule, depth + 1)
            }
        }
    }
}

fn in_any_order(items: &[Vec<String>], used: u32) -> Result<Vec<String>, GrammarProblem> {
    if items.len() > MOST_ORDERED {
        return Err(GrammarProblem::TooManyOrders(items.len(), MOST_ORDERED));
    }
    let mut texts = Vec::new();
    let mut is_last = true;
    for (index, item) in items.iter().enumerate() {
        if used & (1 << index) == 0 {
            is_last = false;
            texts.extend(joined(item, &in_any_order(items, used | (1 << index))?)?);
            texts = bounded(texts)?;
        }
    }
    Ok(if is_last { vec![String::new()] } else { texts })
}

fn joined(firsts: &[String], seconds: &[String]) -> Result<Vec<String>, GrammarProblem> {
    if firsts.len().saturating_mul(seconds.len()) > MOST {
        return Err(GrammarProblem::TooLarge);
    }
    Ok(firsts.iter().flat_map(|first| seconds.iter().map(move |second| format!("{first}{second}"))).collect())
}

fn bounded(texts: Vec<String>) -> Result<Vec<String>, GrammarProblem> {
    if texts.len() > MOST { Err(GrammarProblem::TooLarge) } else { Ok(texts) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::parse;

    fn texts(template: &str) -> Result<Vec<String>, GrammarProblem> {
        let rules = BTreeMap::from([("the".to_owned(), parse("(the|my)").unwrap())]);
        let texts = expand(&parse(template).unwrap(), &rules)?;
        Ok(texts.into_iter().map(|text| text.into_iter().collect()).collect())
    }

    #[test]
    fn values_that_are_templates_become_texts() {
        assert_eq!(
            texts("[<the>] light[s]").unwrap(),
            ["light", "lights", "my light", "my lights", "the light", "the lights"]
        );
        assert_eq!(texts("(a;b)").unwrap(), ["a b", "b a"]);
        assert_eq!(texts("<none>"), Err(GrammarProblem::MissingRule("none".to_owned())));
        assert_eq!(texts("{list}"), Err(GrammarProblem::NestedList("list".to_owned())));
        assert_eq!(texts(&"[a]".repeat(40)), Err(GrammarProblem::TooLarge));
    }
}
