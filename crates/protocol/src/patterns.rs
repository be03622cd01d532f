//! Regular expressions of JSON Schemas, exactly as strict as the checks that they describe. White
//! space and control characters are those of Unicode, which `\s` is not in every dialect.

/// Text that is not blank.
pub const NOT_BLANK: &str = r"[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";

/// Text without control characters.
pub const NO_CONTROL: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";

/// Text that is not blank and has no control characters.
pub const LINE: &str = r"^[^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\u0000-\u001f\u007f-\u009f]*$";

/// Text without white space and control characters.
pub const WORD: &str = r"^[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$";

/// At least three characters, not counting white space around them.
pub const THREE_CHARACTERS: &str = r"[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][\s\S]+[^\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]";

/// A pattern of tools: `tool` or `tool:scope`.
pub const TOOLS: &str =
    r"^[a-z0-9_*]+(:[^\u0000-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+)?$";

/// The name of a client's tool.
pub const CLIENT_TOOL: &str = "^[A-Za-z0-9_-]{1,64}$";
