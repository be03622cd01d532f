//! Random templates, and sentences that match them.

use proptest::prelude::*;

/// A part of a template.
#[derive(Debug, Clone)]
pub enum TemplatePiece {
    Word(&'static str),
    /// A sequence with spaces.
    Words(Vec<TemplatePiece>),
    Either(Vec<TemplatePiece>),
    Maybe(Box<TemplatePiece>),
    AnyOrder(Vec<TemplatePiece>),
    /// `{name}`, filled from the home.
    Name,
    Percent,
    /// A word with an optional ending.
    Ending(&'static str, &'static str),
}

impl TemplatePiece {
    pub fn any() -> impl Strategy<Value = Self> {
        let leaf = prop_oneof![
            6 => prop::sample::select(vec!["turn", "on", "the", "off", "it", "über", "what's", "a"]).prop_map(Self::Word),
            1 => Just(Self::Name),
            1 => Just(Self::Percent),
            1 => Just(Self::Ending("light", "s")),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..4).prop_map(Self::Words),
                prop::collection::vec(inner.clone(), 2..4).prop_map(Self::Either),
                inner.clone().prop_map(|piece| Self::Maybe(Box::new(piece))),
                prop::collection::vec(inner, 2..4).prop_map(Self::AnyOrder),
            ]
        })
    }

    /// The template text.
    pub fn template(&self) -> String {
        let joined = |pieces: &[Self], by: &str| pieces.iter().map(Self::template).collect::<Vec<_>>().join(by);
        match self {
            Self::Word(word) => (*word).to_owned(),
            Self::Words(pieces) => joined(pieces, " "),
            Self::Either(pieces) => format!("({})", joined(pieces, "|")),
            Self::Maybe(piece) => format!("[{}]", piece.template()),
            Self::AnyOrder(pieces) => format!("({})", joined(pieces, ";")),
            Self::Name => "{name}".to_owned(),
            Self::Percent => "{percent}".to_owned(),
            Self::Ending(word, ending) => format!("{word}[{ending}]"),
        }
    }

    /// A matching sentence; `choose` picks one of several alternatives.
    pub fn sentence(&self, choose: &mut impl FnMut(usize) -> usize) -> String {
        match self {
            Self::Word(word) => (*word).to_owned(),
            Self::Words(pieces) => {
                let said: Vec<_> = pieces.iter().map(|piece| piece.sentence(choose)).collect();
                said.join(" ")
            }
            Self::Either(pieces) => pieces[choose(pieces.len())].sentence(choose),
            Self::Maybe(piece) if choose(2) == 0 => piece.sentence(choose),
            Self::Maybe(_) => String::new(),
            Self::AnyOrder(pieces) => {
                let mut left: Vec<&Self> = pieces.iter().collect();
                let mut said = Vec::new();
                while !left.is_empty() {
                    said.push(left.remove(choose(left.len())).sentence(choose));
                }
                said.join(" ")
            }
            Self::Name => ["Lamp", "lamp two", "FRONT-DOOR"][choose(3)].to_owned(),
            Self::Percent => ["0", "7", "100", "forty-two", "ninety nine"][choose(5)].to_owned(),
            Self::Ending(word, ending) => [format!("{word}{ending}"), (*word).to_owned()][choose(2)].clone(),
        }
    }
}
