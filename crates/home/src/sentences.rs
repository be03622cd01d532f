//! The sentences of reflexes: those of Home Assistant if they were downloaded, else the built-in
//! ones, and the user's own.

use std::path::Path;

use reflex::{Grammar, GrammarError};

use crate::custom_sentences::CustomSentences;

/// Parses a file of Home Assistant's sentences.
pub fn load_grammar(text: &str) -> Result<Grammar, GrammarError> {
    Grammar::load(text)
}

/// The grammars of these languages: Home Assistant's sentences from files in one folder, else the
/// built-in ones, with the user's own from another; and what is wrong with the files.
pub fn grammars(sentences: &Path, custom: &Path, languages: &[String]) -> (Vec<Grammar>, Vec<String>) {
    let mut own = CustomSentences::read(custom);
    let (mut grammars, mut notices) = (Vec::new(), Vec::new());
    for language in languages {
        let path = sentences.join(format!("{language}.json"));
        let base = match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if Grammar::is_built_in(language) && error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        };
        let missing = |error: String| {
            format!(
                "sentences in `{language}` are not understood without a model: {}: {error}; `dwell setup --sentences` \
                 downloads them",
                path.display()
            )
        };
        let base = base.unwrap_or_else(|error| {
            notices.push(missing(error));
            None
        });
        match own.grammar(language, base.as_deref()) {
            Ok(grammar) => grammars.push(grammar),
            // That there are none is said above.
            Err(GrammarError::Empty) if base.is_none() => {}
            Err(error) => notices.push(missing(error.to_string())),
        }
    }
    notices.extend(own.into_faults().iter().map(ToString::to_string));
    (grammars, notices)
}
