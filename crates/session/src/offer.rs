//! Checks the tools that a client offers.

use std::collections::BTreeSet;

use protocol::{ClientToolOffer, ToolChoice};

use crate::limits::{CLIENT_TOOL_NAME_CHARS_MAX, CLIENT_TOOLS_BYTES_MAX, CLIENT_TOOLS_MAX};

/// What is wrong with the tools that a client offers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OfferFault {
    /// Too many tools.
    #[error("a client offers at most {CLIENT_TOOLS_MAX} tools, not {tools}")]
    TooMany {
        /// The number of tools.
        tools: usize,
    },
    /// The tools are too large.
    #[error("the client's tools have {bytes} bytes as JSON; at most {CLIENT_TOOLS_BYTES_MAX} are allowed")]
    TooLarge {
        /// Their size.
        bytes: usize,
    },
    /// A name that providers would refuse.
    #[error(
        "`{name}` is not a valid tool name: use 1 to {CLIENT_TOOL_NAME_CHARS_MAX} letters, digits, underscores and hyphens"
    )]
    BadName {
        /// The name.
        name: String,
    },
    /// Two tools have the same name.
    #[error("the client offers two tools named `{name}`")]
    NameTwice {
        /// The name.
        name: String,
    },
    /// The schema does not describe an object, but arguments are always an object.
    #[error("the schema of tool `{name}` does not describe an object")]
    BadSchema {
        /// The tool's name.
        name: String,
    },
    /// The required tool is not offered.
    #[error("a call of `{name}` is required, but the client does not offer that tool")]
    NoSuchTool {
        /// The name.
        name: String,
    },
    /// A call is required, but no tools are offered.
    #[error("a call is required, but the client offers no tools")]
    NoTools,
    /// A steering message cannot bring tools.
    #[error("a steering message cannot change the tools of the running turn")]
    Steers,
}

/// Checks the tools that a client offers.
pub fn check(offer: &ClientToolOffer) -> Result<(), OfferFault> {
    if offer.tools.len() > CLIENT_TOOLS_MAX {
        return Err(OfferFault::TooMany { tools: offer.tools.len() });
    }
    // Plain data always serializes.
    let bytes = serde_json::to_string(&offer.tools).map_or(usize::MAX, |json| json.len());
    if bytes > CLIENT_TOOLS_BYTES_MAX {
        return Err(OfferFault::TooLarge { bytes });
    }
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for tool in &offer.tools {
        let name = || tool.name.chars().take(CLIENT_TOOL_NAME_CHARS_MAX).collect::<String>();
        if !is_name(&tool.name) {
            return Err(OfferFault::BadName { name: name() });
        }
        if !names.insert(&tool.name) {
            return Err(OfferFault::NameTwice { name: name() });
        }
        if !is_object(&tool.input_schema) {
            return Err(OfferFault::BadSchema { name: name() });
        }
    }
    match &offer.tool_choice {
        ToolChoice::Required if names.is_empty() => Err(OfferFault::NoTools),
        ToolChoice::Tool(name) if !names.contains(name.as_str()) => Err(OfferFault::NoSuchTool { name: name.clone() }),
        _ => Ok(()),
    }
}

fn is_name(name: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    (1..=CLIENT_TOOL_NAME_CHARS_MAX).contains(&name.len()) && name.chars().all(is_plain)
}

fn is_object(schema: &serde_json::Value) -> bool {
    schema.as_object().is_some_and(|schema| schema.get("type").is_none_or(|kind| kind == "object"))
}

#[cfg(test)]
mod tests {
    use protocol::ClientTool;
    use serde_json::{Value, json};

    use super::*;

    fn offer(names: &[&str], choice: ToolChoice) -> ClientToolOffer {
        let tool = |name: &&str| ClientTool {
            name: (*name).to_owned(),
            description: String::new(),
            input_schema: json!({ "type": "object" }),
        };
        ClientToolOffer {
            tools: names.iter().map(tool).collect(),
            tool_choice: choice,
            parallel_tool_calls: None,
            response_schema: None,
        }
    }

    #[test]
    fn what_providers_take_is_taken() {
        let long = "x".repeat(CLIENT_TOOL_NAME_CHARS_MAX);
        assert_eq!(check(&offer(&["get_weather", "Get-Weather", "7", &long], ToolChoice::Auto)), Ok(()));
        assert_eq!(check(&offer(&["a"], ToolChoice::Tool("a".to_owned()))), Ok(()));
        assert_eq!(check(&ClientToolOffer::default()), Ok(()));
    }

    #[test]
    fn what_they_would_refuse_is_refused_by_name() {
        let long = "x".repeat(CLIENT_TOOL_NAME_CHARS_MAX + 1);
        for name in ["", "a b", "a.b", "ä", &long] {
            assert!(matches!(check(&offer(&[name], ToolChoice::Auto)), Err(OfferFault::BadName { .. })), "{name}");
        }
        let twice = OfferFault::NameTwice { name: "a".to_owned() };
        assert_eq!(check(&offer(&["a", "a"], ToolChoice::Auto)), Err(twice));
        assert_eq!(check(&offer(&[], ToolChoice::Required)), Err(OfferFault::NoTools));
        let other = OfferFault::NoSuchTool { name: "b".to_owned() };
        assert_eq!(check(&offer(&["a"], ToolChoice::Tool("b".to_owned()))), Err(other));
        for schema in [json!("x"), json!({ "type": "string" }), Value::Null] {
            let mut wrong = offer(&["a"], ToolChoice::Auto);
            wrong.tools[0].input_schema = schema;
            assert_eq!(check(&wrong), Err(OfferFault::BadSchema { name: "a".to_owned() }));
        }
        let names: Vec<String> = (0..=CLIENT_TOOLS_MAX).map(|n| format!("t{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!(matches!(check(&offer(&names, ToolChoice::Auto)), Err(OfferFault::TooMany { .. })));
        let mut large = offer(&["a"], ToolChoice::Auto);
        large.tools[0].description = "x".repeat(CLIENT_TOOLS_BYTES_MAX);
        assert!(matches!(check(&large), Err(OfferFault::TooLarge { .. })));
    }
}
