//! Sanitizes HTML: no scripts, no styles, no form fields, nothing loaded from elsewhere.

use std::{
    borrow::Cow,
    cell::Cell,
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use ammonia::{Builder, UrlRelative};
use html5ever::{
    tendril::StrTendril,
    tokenizer::{BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
};

use super::picture;

/// Allowed elements: text, lists, tables and images.
const TAGS: &str = "a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption \
    figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp small span strong sub summary \
    sup table tbody td tfoot th thead tr u ul var";

/// Allowed attributes of some elements. No `class`, `id` or `style`: window content must not
/// imitate the page around it.
const ATTRIBUTES: [(&str, &[&str]); 8] = [
    ("a", &["href"]),
    ("bdo", &["dir"]),
    ("col", &["span"]),
    ("details", &["open"]),
    ("img", &["src", "alt", "width", "height"]),
    ("ol", &["start", "reversed"]),
    ("td", &["colspan", "rowspan"]),
    ("th", &["colspan", "rowspan", "scope"]),
];

/// Allowed attributes of all elements.
const ATTRIBUTES_OF_ALL: [&str; 3] = ["dir", "lang", "title"];

/// Elements that are removed with all their content, which is not meant for readers.
const GONE: &str = "script style template noscript iframe object noembed noframes title xmp svg math";

/// The largest HTML in bytes. The cost of parsing can be quadratic.
pub(super) const BYTES_MAX: usize = 96 * 1024;
/// The number of elements of one text. Parsing may compare each with all open ones.
const ELEMENTS_MAX: usize = 5_000;
/// The number of sanitizing rounds. Repairing the markup can change how it is parsed the next time.
const ROUNDS_MAX: usize = 8;

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(TAGS.split(' ').collect())
        .clean_content_tags(GONE.split(' ').collect())
        .tag_attributes(
            ATTRIBUTES.iter().map(|(tag, names)| (*tag, names.iter().copied().collect())).collect::<HashMap<_, _>>(),
        )
        .generic_attributes(HashSet::from(ATTRIBUTES_OF_ALL))
        .url_schemes(HashSet::from(["http", "https", "mailto", "data"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer"))
        .strip_comments(true)
        .attribute_filter(attribute);
    builder
});

/// Filters an allowed attribute by its value.
fn attribute<'a>(element: &str, name: &str, value: &'a str) -> Option<Cow<'a, str>> {
    let may_stay = match (element, name) {
        (_, "href") => picture::is_link(value),
        (_, "src") => picture::is_inline(value),
        _ => true,
    };
    may_stay.then_some(Cow::Borrowed(value))
}

/// Sanitizes HTML. The result is stable: sanitizing it again does not change it.
pub(super) fn harmless(html: &str) -> Result<String, String> {
    fits(html)?;
    let clean = cleaned(html);
    // Repairing adds missing tags, so the size is checked again.
    fits(&clean)?;
    Ok(clean)
}

/// Refuses HTML that would take too long to parse.
fn fits(html: &str) -> Result<(), String> {
    if html.len() > BYTES_MAX {
        return Err(format!("content.html: has {} bytes, and HTML at most {BYTES_MAX}: shorten it", html.len()));
    }
    let count = elements(html);
    if count > ELEMENTS_MAX {
        return Err(format!(
            "content.html: has {count} elements, and HTML at most {ELEMENTS_MAX}: show less, or a table"
        ));
    }
    Ok(())
}

/// The number of elements of a text, counted before it is parsed.
fn elements(html: &str) -> usize {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(TagCounter::default(), TokenizerOpts::default());
    // The counter never pauses the tokenizer.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.get()
}

#[derive(Default)]
struct TagCounter(Cell<usize>);

impl TokenSink for TagCounter {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if matches!(token, Token::TagToken(tag) if tag.kind == TagKind::StartTag) {
            self.0.set(self.0.get() + 1);
        }
        TokenSinkResult::Continue
    }
}

fn cleaned(html: &str) -> String {
    let mut clean = SANITISER.clean(html).to_string();
    for _ in 0..ROUNDS_MAX {
        let again = SANITISER.clean(&clean).to_string();
        if again == clean {
            return clean;
        }
        clean = again;
    }
    // The result is not stable, so only the text is kept.
    Builder::empty().clean(&clean).to_string()
}
