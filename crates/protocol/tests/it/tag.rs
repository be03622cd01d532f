//! Tags of messages.

use protocol::{Tag, Tags};

#[test]
fn a_tag_is_one_short_word() {
    for good in ["important", "context:lights", "a", "größe", &"x".repeat(64)] {
        assert_eq!(good.parse::<Tag>().unwrap().as_str(), good);
    }
    for bad in ["", " ", "two words", "line\nbreak", "bell\u{7}", "wide\u{3000}space", &"x".repeat(65)] {
        let error = bad.parse::<Tag>().unwrap_err().to_string();
        assert!(error.contains("1 to 64 characters"), "{error}");
    }
}

#[test]
fn a_bad_tag_is_refused_by_name_on_the_wire() {
    let error = serde_json::from_str::<Tags>(r#"["fine", "not fine"]"#).unwrap_err().to_string();
    assert!(error.contains("`not fine` is not a valid tag"), "{error}");
}
