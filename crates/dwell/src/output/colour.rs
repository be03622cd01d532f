//! Colours of a terminal, which `NO_COLOR` turns off.

use std::io::IsTerminal;

use crate::config::variable;

/// A colour of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Green,
    Yellow,
    Red,
    Dim,
}

impl Colour {
    /// The text in this colour, or as it is.
    pub(crate) fn paint(self, text: &str, is_coloured: bool) -> String {
        if !is_coloured {
            return text.to_owned();
        }
        let code = match self {
            Self::Green => "32",
            Self::Yellow => "33",
            Self::Red => "31",
            Self::Dim => "2",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Whether a stream shows colours: it is a terminal that can, and `NO_COLOR` is not set.
pub(crate) fn is_coloured(stream: &impl IsTerminal) -> bool {
    let is_set = |name| variable(name).ok().flatten().is_some();
    let is_dumb = variable("TERM").ok().flatten().as_deref() == Some("dumb");
    stream.is_terminal() && !is_set("NO_COLOR") && !is_dumb
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_painted_only_where_colours_show() {
        assert_eq!(Colour::Red.paint("no", true), "\x1b[31mno\x1b[0m");
        assert_eq!(Colour::Red.paint("no", false), "no");
    }
}
