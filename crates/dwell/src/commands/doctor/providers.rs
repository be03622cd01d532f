//! Every configured provider: its list of models, and a tiny question.

use super::Diagnosis;
use crate::{commands::model_probe, config::Config};

const AREA: &str = "provider";

pub(super) async fn check(config: &Config) -> Vec<Diagnosis> {
    let providers = config.providers();
    if providers.is_empty() {
        let advice = "`dwell setup` connects a language model";
        return vec![Diagnosis::ok(AREA, format!("none: the offline model answers; {advice}"))];
    }
    let mut lines = Vec::new();
    for provider in providers {
        // The configured model, if it is one of this provider's.
        let own = config.model.name.strip_prefix(&format!("{}/", provider.name));
        let name = provider.name.clone();
        lines.push(match model_probe::probe(provider, own).await {
            Ok(answer) => {
                Diagnosis::ok(AREA, format!("{} answered after {} ms", answer.model, answer.took.as_millis()))
            }
            Err(error) => {
                let advice = format!("check the section [{name}] of the settings; `dwell setup` writes it anew");
                Diagnosis::problem(AREA, error.to_string(), advice)
            }
        });
    }
    lines
}
