//! The sentences of reflexes: those of Home Assistant if they were downloaded, else the built-in
//! ones.

use std::path::Path;

use reflex::{Grammar, GrammarError};

/// Parses a file of Home Assistant's sentences.
pub fn load_grammar(text: &str) -> Result<Grammar, GrammarError> {
    Grammar::load(text)
}

/// The grammars of these languages, from files in a folder, with notices about missing ones.
pub fn grammars(folder: &Path, languages: &[String]) -> (Vec<Grammar>, Vec<String>) {
    let (mut grammars, mut notes) = (Vec::new(), Vec::new());
    for language in languages {
        let path = folder.join(format!("{language}.json"));
        let loaded = if !path.exists()
            && let Some(built_in) = Grammar::built_in(language)
        {
            built_in.map_err(|error| error.to_string())
        } else {
            let read = std::fs::read_to_string(&path).map_err(|error| error.to_string());
            read.and_then(|text| load_grammar(&text).map_err(|error| error.to_string()))
        };
        match loaded {
            Ok(grammar) => grammars.push(grammar),
            Err(error) => notes.push(format!(
                "sentences in `{language}` are not understood without a model: {}: {error}; `dwell setup \
                 --sentences` downloads them",
                path.display()
            )),
        }
    }
    (grammars, notes)
}
