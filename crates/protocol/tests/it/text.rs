//! Long texts, cut.

use protocol::ends;

#[test]
fn of_a_long_text_the_beginning_and_the_end_are_left_in_whole_words() {
    assert_eq!(ends("short", 8), "short");
    assert_eq!(ends("one two three four five six", 16), "one two\n six");
    // Words longer than that are cut between characters.
    assert_eq!(ends(&"ä".repeat(50), 9), "ää\nää");
    assert!(ends(&"word ".repeat(1_000), 100).len() <= 101);
}
