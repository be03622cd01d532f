//! HTML that does nothing: no script, no style, nothing to fill in, nothing that is loaded from elsewhere.

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

/// Elements that carry text, lists, tables and pictures.
const TAGS: &str = "a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption \
    figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp small span strong sub summary \
    sup table tbody td tfoot th thead tr u ul var";

/// Attributes of some elements. No `class`, `id` or `style`: what stands in a window must not look like the page around it.
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

/// Attributes of all elements.
const ATTRIBUTES_OF_ALL: [&str; 3] = ["dir", "lang", "title"];

/// Elements that go with all that is in them: it was never meant to be read.
const GONE: &str = "script style template noscript iframe object noembed noframes title xmp svg math";

/// The longest HTML, in bytes. What parsing costs can grow with the square of it.
pub(super) const BYTES_MAX: usize = 96 * 1024;
/// Elements of one text; each may have to look at all that are open.
const ELEMENTS_MAX: usize = 5_000;
/// How often a text is cleaned before it is given up on. One parser's mending can make another reading of it.
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

/// What becomes of an attribute that is allowed as such.
fn attribute<'a>(element: &str, name: &str, value: &'a str) -> Option<Cow<'a, str>> {
    let may_stay = match (element, name) {
        (_, "href") => picture::is_link(value),
        (_, "src") => picture::is_inline(value),
        _ => true,
    };
    may_stay.then_some(Cow::Borrowed(value))
}

/// The same without all that could act, load or be filled in. What comes of it comes of itself again.
pub(super) fn harmless(html: &str) -> Result<String, String> {
    fits(html)?;
    let clean = cleaned(html);
    // Mending adds what was left out.
    fits(&clean)?;
    Ok(clean)
}

/// Refuses what would take too long to read.
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

/// How many elements a text begins, before anything is made of them.
fn elements(html: &str) -> usize {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(Counter::default(), TokenizerOpts::default());
    // A counter never asks for a pause.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.get()
}

#[derive(Default)]
struct Counter(Cell<usize>);

impl TokenSink for Counter {
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
    // It reads differently each time: then it is nothing but its words.
    Builder::empty().clean(&clean).to_string()
}
