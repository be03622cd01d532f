//! Types are nouns: a type whose whole name is a participle (`Told`, `Asked`, `Waiting`) does not
//! say what it is.

use syn::visit::{self, Visit};
use syn::{Ident, ItemEnum, ItemStruct, ItemTrait, ItemType, ItemUnion};

use crate::tree::SourceFile;
use crate::violation::Violation;

/// Participles without a regular ending.
const IRREGULAR: &[&str] = &[
    "Begun",
    "Bound",
    "Broken",
    "Built",
    "Chosen",
    "Cut",
    "Done",
    "Drawn",
    "Driven",
    "Fallen",
    "Felt",
    "Found",
    "Forgotten",
    "Given",
    "Gone",
    "Heard",
    "Held",
    "Hidden",
    "Kept",
    "Known",
    "Laid",
    "Learnt",
    "Left",
    "Lost",
    "Made",
    "Meant",
    "Met",
    "Overtaken",
    "Paid",
    "Put",
    "Read",
    "Said",
    "Seen",
    "Sent",
    "Shown",
    "Sought",
    "Spent",
    "Split",
    "Spoken",
    "Struck",
    "Taken",
    "Taught",
    "Thought",
    "Thrown",
    "Told",
    "Torn",
    "Understood",
    "Woken",
    "Worn",
    "Written",
];
/// Nouns that end like a participle.
const NOUNS: &[&str] = &[
    "Bed",
    "Binding",
    "Building",
    "Embed",
    "Embedding",
    "Encoding",
    "Exceeding",
    "Feed",
    "Finding",
    "Greeting",
    "Grouping",
    "Heading",
    "Listing",
    "Mapping",
    "Meaning",
    "Need",
    "Nesting",
    "Padding",
    "Ping",
    "Posting",
    "Pricing",
    "Rating",
    "Reading",
    "Ring",
    "Routing",
    "Seed",
    "Setting",
    "Shared",
    "Spacing",
    "Speed",
    "Spelling",
    "String",
    "Thing",
    "Timing",
    "Training",
    "Typing",
    "Warning",
    "Wording",
];

pub fn check(files: &[SourceFile]) -> Vec<Violation> {
    let sources = files.iter().filter(|file| file.path.ends_with(".rs"));
    sources
        .flat_map(|file| {
            let mut finder = Finder { found: Vec::new() };
            let text = file.text();
            // Parsing takes a while, and few files have a candidate. One that does not parse is the
            // compiler's.
            if may_have_participle(&text)
                && let Ok(parsed) = syn::parse_file(&text)
            {
                finder.visit_file(&parsed);
            }
            finder.found.into_iter().map(|(name, line)| {
                let what = format!("type `{name}` is a bare participle: name the thing (`ToldStory`, not `Told`)");
                Violation::new(file.path.as_str(), line, what)
            })
        })
        .collect()
}

/// Whether a word after `struct`, `enum`, `trait`, `type` or `union` is a participle.
fn may_have_participle(text: &str) -> bool {
    let mut words =
        text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    let mut before = words.next().unwrap_or_default();
    words.any(|word| {
        let is_defined = matches!(before, "struct" | "enum" | "trait" | "type" | "union");
        before = word;
        is_defined && is_participle(word)
    })
}

struct Finder {
    found: Vec<(String, usize)>,
}

impl Finder {
    fn look_at(&mut self, ident: &Ident) {
        let name = ident.to_string();
        if is_participle(&name) {
            self.found.push((name, ident.span().start().line));
        }
    }
}

fn is_participle(name: &str) -> bool {
    let is_one_word = name.chars().filter(|letter| letter.is_uppercase()).count() == 1;
    let has_ending = name.ends_with("ed") || name.ends_with("ing");
    is_one_word && !NOUNS.contains(&name) && (has_ending || IRREGULAR.contains(&name))
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.look_at(&item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.look_at(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.look_at(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        self.look_at(&item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_item_union(&mut self, item: &'ast ItemUnion) {
        self.look_at(&item.ident);
        visit::visit_item_union(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::assert_violations;

    fn check_text(text: &str, expected: &[&str]) {
        assert_violations(check(&[SourceFile::new("crates/model/src/a.rs", text)]), expected);
    }

    #[test]
    fn a_bare_participle_is_no_name() {
        check_text("struct Told;", &["crates/model/src/a.rs:1: type `Told` is a bare participle"]);
        check_text("pub enum Asked {}", &["crates/model/src/a.rs:1: type `Asked`"]);
        check_text("mod m { trait Waiting {} }", &["crates/model/src/a.rs:1: type `Waiting`"]);
        check_text("type Found = u8;", &["crates/model/src/a.rs:1: type `Found`"]);
    }

    #[test]
    fn nouns_pass() {
        check_text("struct ToolAnswered; enum Embedding {} struct Setting; struct Feed; struct FoundPassage;", &[]);
        check_text("enum State { Told, Asked }", &[]);
    }
}
