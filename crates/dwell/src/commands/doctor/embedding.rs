//! The embedding model, without which memory is searched by words only.

use memory::embedding::folder::{self, FolderError};

use super::Diagnosis;
use crate::config::Config;

const AREA: &str = "embedding";

pub(super) fn check(config: &Config) -> Vec<Diagnosis> {
    let card = match config.embedding_model() {
        Ok(card) => card,
        Err(error) => {
            let advice = "correct the setting; `dwell setup --list` shows the names";
            return vec![Diagnosis::problem(AREA, format!("{error:#}"), advice)];
        }
    };
    let dir = config.embedding_dir(card);
    vec![match folder::check(&dir, card.files) {
        Ok(()) => Diagnosis::ok(AREA, format!("{} in {}", card.name, dir.display())),
        Err(FolderError::Missing(_)) => Diagnosis::warning(
            AREA,
            format!("{} is not installed, so search is by words only", card.name),
            format!("dwell setup --model {}", card.name),
        ),
        Err(error) => Diagnosis::problem(AREA, error.to_string(), format!("dwell setup --model {}", card.name)),
    }]
}
