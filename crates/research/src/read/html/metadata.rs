//! Metadata of a page: its title and its date.

use super::tree::{Node, Tree};
use crate::read::{date, title as tidy};

/// Names of metadata with the date of publication, best first.
const DAYS: [&str; 16] = [
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "citation_publication_date",
    "citation_date",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date",
    "dcterms.created",
    "dc.date.created",
    "parsely-pub-date",
    "sailthru.date",
    "publishdate",
    "publish-date",
    "pubdate",
    "date",
];
/// Names of metadata with the date of the last change, used if there is no other.
const CHANGES: [&str; 4] = ["article:modified_time", "og:updated_time", "last-modified", "dcterms.modified"];
/// Larger JSON-LD is not read.
const JSON_BYTES_MAX: usize = 512 * 1024;

/// The title of the page.
pub(super) fn title(tree: &Tree) -> Option<String> {
    let meta = metas(tree).find(|(name, _)| name == "og:title").and_then(|(_, content)| tidy(content));
    let element = |wanted: &str| {
        let nodes = (0..tree.len()).filter(|at| tree.node(*at).name() == wanted);
        // Images have titles too.
        let mut nodes = nodes.filter(|at| !tree.around(*at).any(|at| tree.node(at).name() == "svg"));
        nodes.find_map(|at| tidy(&tree.words(at)))
    };
    meta.or_else(|| element("title")).or_else(|| element("h1"))
}

/// The date of publication, if the page states it.
pub(super) fn published(tree: &Tree) -> Option<String> {
    let accounts: Vec<_> = (0..tree.len()).filter_map(|at| account(tree, at)).collect();
    let in_accounts = |name: &str| accounts.iter().find_map(|account| in_json(account, name));
    let in_metas = |names: &[&str]| {
        names.iter().find_map(|wanted| metas(tree).find(|(name, _)| name == wanted).and_then(|(_, day)| date::day(day)))
    };
    in_accounts("datePublished")
        .or_else(|| in_metas(&DAYS))
        .or_else(|| in_times(tree))
        .or_else(|| in_accounts("dateModified"))
        .or_else(|| in_metas(&CHANGES))
}

/// All `meta` elements: name and content.
fn metas(tree: &Tree) -> impl Iterator<Item = (String, &str)> {
    (0..tree.len()).filter(|at| tree.node(*at).name() == "meta").filter_map(|at| {
        let node = tree.node(at);
        let name = ["property", "name", "itemprop"].iter().find_map(|attribute| node.attribute(attribute))?;
        Some((name.trim().to_ascii_lowercase(), node.attribute("content")?))
    })
}

/// A `time` element marked as the date of publication, or else the first one.
fn in_times(tree: &Tree) -> Option<String> {
    let times = || tree.inside(0).map(|(_, node)| node).filter(|node| node.name() == "time");
    let is_the_one =
        |node: &&Node| node.attribute("itemprop") == Some("datePublished") || node.attribute("pubdate").is_some();
    let day = |node: &Node| date::day(node.attribute("datetime")?);
    times().filter(is_the_one).find_map(day).or_else(|| times().find_map(day))
}

/// JSON-LD in an element.
fn account(tree: &Tree, at: usize) -> Option<serde_json::Value> {
    let node = tree.node(at);
    let is_account = node.name() == "script"
        && node.attribute("type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/ld+json"));
    let words = is_account.then(|| tree.words(at)).filter(|words| words.len() <= JSON_BYTES_MAX)?;
    serde_json::from_str(&words).ok()
}

/// The first date with that name, at any depth. A work list replaces recursion, so that depth does
/// not matter.
fn in_json(account: &serde_json::Value, name: &str) -> Option<String> {
    let mut waiting = vec![account];
    while let Some(value) = waiting.pop() {
        match value {
            serde_json::Value::Object(fields) => {
                if let Some(day) = fields.get(name).and_then(|day| date::day(day.as_str()?)) {
                    return Some(day);
                }
                waiting.extend(fields.values().rev());
            }
            serde_json::Value::Array(values) => waiting.extend(values.iter().rev()),
            _ => {}
        }
    }
    None
}
