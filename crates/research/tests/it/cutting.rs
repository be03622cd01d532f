//! Passages are verbatim parts of the text.

use proptest::prelude::*;
use research::passages::{CHARS_MAX, cut};

fn words(n: usize) -> String {
    (0..n).map(|n| format!("Word{n}")).collect::<Vec<_>>().join(" ") + "."
}

#[test]
fn short_paragraphs_go_together_and_long_ones_are_cut_between_sentences() {
    assert_eq!(cut(" One.\n\nTwo.\n"), ["One.\n\nTwo."]);
    assert_eq!(cut(" \n\n"), Vec::<String>::new());
    let sentence = words(20);
    let long = [sentence.as_str(); 12].join(" ");
    let pieces = cut(&long);
    assert_eq!(pieces.len(), 2);
    assert!(pieces.iter().all(|piece| piece.ends_with('.') && piece.starts_with("Word0")), "{pieces:?}");
}

#[test]
fn headings_stay_with_what_follows() {
    let paragraph = words(100);
    let body = format!("# One\n\n{paragraph}\n\n## Two\n\n{paragraph}\n\n## Three\n### Four\n{paragraph}");
    let pieces = cut(&body);
    let begin: Vec<&str> = pieces.iter().map(|piece| piece.split("\n\n").next().unwrap()).collect();
    assert_eq!(begin[..2], ["# One", "## Two"]);
    assert!(begin[2].starts_with("## Three\n### Four\nWord0"), "{begin:?}");
    assert_eq!(pieces.len(), 3);
    // Also before a paragraph that has to be split.
    let pieces = cut(&format!("{paragraph}\n\n## Two\n\n{}", [paragraph.as_str(); 3].join(" ")));
    assert!(pieces[1].starts_with("## Two\n\nWord0"), "{pieces:?}");
}

#[test]
fn tables_are_kept_whole_or_cut_between_rows() {
    let table = |rows: usize| (0..rows).map(|n| format!("| month {n} | {n}00 kWh |")).collect::<Vec<_>>().join("\n");
    let paragraph = words(90);
    let small = table(10);
    let pieces = cut(&format!("{paragraph}\n\n{small}\n\n{paragraph}"));
    assert!(pieces.iter().any(|piece| piece.contains(&small)), "{pieces:?}");
    let pieces = cut(&table(200));
    assert!(
        pieces.len() > 4 && pieces.iter().all(|piece| piece.starts_with('|') && piece.ends_with('|')),
        "{pieces:?}"
    );
}

#[test]
fn text_without_any_place_to_cut_is_cut_all_the_same() {
    let pieces = cut(&"ü".repeat(5000));
    assert_eq!(pieces.concat(), "ü".repeat(5000));
    assert!(pieces.iter().all(|piece| piece.chars().count() <= CHARS_MAX));
    let spread = format!("# Heading{}text{}# End", "\n".repeat(5000), " \n".repeat(5000));
    assert_eq!(cut(&spread), ["# Heading", "text", "# End"]);
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

/// A document-like text.
fn document() -> impl Strategy<Value = String> {
    let block = prop_oneof![
        "#{1,4} [A-Za-z ]{0,400}",
        "[a-zé]{1,12}( [a-z,]{1,12}){0,60}\\.",
        "([A-Z][a-z ]{1,90}[.!?] ){1,40}",
        "(\\| [a-z]{1,9} \\| [0-9]{1,5} \\|\n){1,60}",
        "\\|[a-z]{800,1400}\\|",
        "(- [a-z ]{1,60}\n){1,30}",
        "[a-zü]{500,2500}",
        "\n{1,1200}",
        "\\PC{0,300}",
    ];
    proptest::collection::vec((block, proptest::sample::select(vec!["\n", "\n\n", " \n \n"])), 0..12)
        .prop_map(|blocks| blocks.into_iter().map(|(block, gap)| block + gap).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_is_lost_or_said_twice(body in document()) {
        let pieces = cut(&body);
        prop_assert_eq!(without_space(&pieces.concat()), without_space(&body));
        let mut rest = body.as_str();
        for piece in &pieces {
            prop_assert!(piece.trim() == piece && !piece.is_empty());
            prop_assert!(piece.chars().count() <= CHARS_MAX);
            // Each occurs in the text after the one before.
            let at = rest.find(piece.as_str());
            prop_assert!(at.is_some());
            rest = &rest[at.unwrap() + piece.len()..];
        }
    }

    #[test]
    fn most_passages_stand_for_themselves(body in "([A-Z][a-z ]{20,150}[.]( |\n\n)){20,60}") {
        let pieces = cut(&body);
        let short = pieces.iter().filter(|piece| piece.chars().count() < 250).count();
        prop_assert!(short * 3 <= pieces.len(), "{pieces:?}");
    }
}
