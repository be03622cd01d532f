//! Pages whose URLs are in the question.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{OwnerId, SourceKind};

use super::{Lead, Source, SourceDocument, SourceError, SourceQuery};
use crate::{
    passages,
    web::{Web, address},
};

/// The pages that the question names.
pub struct Pages {
    web: Arc<Web>,
}

impl Pages {
    /// Reads pages through `web`.
    pub fn new(web: Arc<Web>) -> Self {
        Self { web }
    }
}

#[async_trait]
impl Source for Pages {
    fn name(&self) -> &'static str {
        "page"
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Page
    }

    fn sends_out(&self) -> bool {
        true
    }

    async fn is_there(&self, _: &OwnerId) -> bool {
        true
    }

    async fn find(&self, asked: SourceQuery<'_>) -> Result<Vec<Lead>, SourceError> {
        let leads = addresses(asked.question).map(|address| Lead {
            address: address.to_owned(),
            title: address.to_owned(),
            snippet: String::new(),
            published: None,
        });
        Ok(distinct(leads, asked.limit))
    }

    async fn read(&self, _: &OwnerId, lead: &Lead) -> Result<SourceDocument, SourceError> {
        reading(&self.web, lead).await
    }
}

/// Reads a lead that is a page.
pub(super) async fn reading(web: &Web, lead: &Lead) -> Result<SourceDocument, SourceError> {
    let page = web.page(&lead.address).await.map_err(|error| SourceError(error.to_string()))?;
    Ok(SourceDocument {
        address: page.url,
        title: page.text.title,
        published: page.text.published.or_else(|| lead.published.clone()),
        passages: passages::cut(&page.text.body),
        is_cached: page.is_cached,
    })
}

/// The leads that are URLs of pages, each page once.
pub(super) fn distinct(leads: impl IntoIterator<Item = Lead>, limit: usize) -> Vec<Lead> {
    let mut seen = std::collections::HashSet::new();
    let is_new = |lead: &Lead| address::same(&lead.address).is_some_and(|page| seen.insert(page));
    leads.into_iter().filter(is_new).take(limit).collect()
}

/// The URLs in a text, without the punctuation around them.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let ends = |char: char| char.is_whitespace() || "<>\"`{}|\\^".contains(char);
    text.split(ends).filter_map(|word| {
        // The URL may be inside a word, as in `(https://…` or `[words](https://…`.
        let lower = word.to_ascii_lowercase();
        let start = [lower.find("http://"), lower.find("https://")].into_iter().flatten().min()?;
        let address = without_signs(&word[start..]);
        (address.len() > "https://".len()).then_some(address)
    })
}

fn without_signs(mut address: &str) -> &str {
    while let Some(last) = address.chars().next_back() {
        let is_open = |open: char, close: char| address.matches(open).count() < address.matches(close).count();
        let is_sign = match last {
            ')' => is_open('(', ')'),
            ']' => is_open('[', ']'),
            _ => ".,;:!?'*_’”…»。，".contains(last),
        };
        if !is_sign {
            break;
        }
        address = &address[..address.len() - last.len_utf8()];
    }
    address
}

#[cfg(test)]
mod tests {
    use super::addresses;

    #[test]
    fn addresses_are_found_in_sentences() {
        for (text, found) in [
            ("What does https://example.org/a say?", vec!["https://example.org/a"]),
            (
                "Compare (http://a.example/x) and <https://b.example/y>.",
                vec!["http://a.example/x", "https://b.example/y"],
            ),
            ("see [the page](https://a.example/b_(c)), please", vec!["https://a.example/b_(c)"]),
            ("HTTPS://A.example/?q=1&r=2…", vec!["HTTPS://A.example/?q=1&r=2"]),
            ("nothing, http:// nor ftp://x.example nor example.org", vec![]),
        ] {
            assert_eq!(addresses(text).collect::<Vec<_>>(), found, "{text}");
        }
    }
}
