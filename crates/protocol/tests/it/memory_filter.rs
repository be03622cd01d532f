//! Filters of memory, read and written.

use protocol::MemoryFilter;

fn read(json: &str) -> Result<MemoryFilter, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

#[test]
fn a_tree_is_read_and_written() {
    let json = r#"{"and":[{"level":"entry"},{"or":[{"tag":{"name":"topic","value":"pets"}},{"speaker":"Ann"}]},{"not":{"role":"assistant"}}]}"#;
    let tree = read(json).unwrap();
    assert_eq!(serde_json::to_string(&tree).unwrap(), json);
    assert_eq!(tree.fault(), None);
}

#[test]
fn a_malformed_tree_is_named() {
    assert!(read(r#"{"rolle":"user"}"#).unwrap_err().contains("unknown variant `rolle`, expected one of `and`"));
    assert!(read(r#"{"tag":{"nam":"x"}}"#).unwrap_err().contains("unknown field `nam`"));
    assert!(read(r#"{"and":[]}"#).unwrap().fault().unwrap().contains("at least one condition"));
    assert!(read(r#"{"role":" "}"#).unwrap().fault().unwrap().contains("`role`"));
    let deep = format!("{}{{\"role\":\"user\"}}{}", "{\"not\":".repeat(8), "}".repeat(8));
    assert!(read(&deep).unwrap().fault().unwrap().contains("nested"));
    let many = format!("{{\"or\":[{}]}}", vec![r#"{"role":"user"}"#; 64].join(","));
    assert!(read(&many).unwrap().fault().unwrap().contains("conditions"));
}
