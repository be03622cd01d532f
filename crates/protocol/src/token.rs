//! Scoped tokens: credentials of an owner that may do less than the owner's own token.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{OwnerId, Timestamp, TokenId};

/// What a token may do. Each scope includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// It reads: sessions, turns, memory, artifacts, the home, statistics.
    Read,
    /// It also talks: it starts sessions and sends messages. The turns of its messages use tools
    /// that only read.
    Talk,
    /// It also acts: its turns use all tools that the policy allows, and it answers approvals,
    /// plans, and changes or deletes what is stored.
    Act,
    /// It does everything that the owner's own token does, such as making tokens.
    Admin,
}

impl Scope {
    /// All scopes, the least first.
    pub const ALL: [Self; 4] = [Self::Read, Self::Talk, Self::Act, Self::Admin];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Talk => "talk",
            Self::Act => "act",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that is not the name of a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a scope: use `read`, `talk`, `act` or `admin`")]
pub struct BadScope(String);

impl FromStr for Scope {
    type Err = BadScope;

    fn from_str(text: &str) -> Result<Self, BadScope> {
        let known = Self::ALL.into_iter().find(|scope| scope.name() == text);
        known.ok_or_else(|| BadScope(text.chars().take(32).collect()))
    }
}

/// `POST /api/v1/tokens`: the token that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenSpec {
    /// What it is called, for the list.
    #[schemars(length(min = 1, max = 100), regex(pattern = crate::patterns::LINE))]
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// Days after which it ends, at most 3650. Default: it does not end by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 3650))]
    pub expires_in_days: Option<u32>,
    /// The owner it is for. Only the operator can name another than themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<OwnerId>,
}

/// A token without its secret text, of which only a digest is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenView {
    /// Its id.
    pub token_id: TokenId,
    /// What it is called.
    pub name: String,
    /// The owner it is for.
    pub owner: OwnerId,
    /// What it may do.
    pub scope: Scope,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends, if it does by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to the minute; absent if it never was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
}

/// A token that was just made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IssuedToken {
    /// The token. It is shown this once.
    pub token: String,
    /// What is known of it later.
    #[serde(flatten)]
    pub view: TokenView,
}

/// `GET /api/v1/tokens`: the tokens, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TokenPage {
    /// The tokens.
    pub data: Vec<TokenView>,
}
