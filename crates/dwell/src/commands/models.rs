//! `dwell models`: the available models, their figures, and where each figure comes from.

use protocol::{FigureSource, FigureValue, ModelFigure, ModelPage, ModelView, ProviderView};

use reqwest::Method;

use crate::{command_error::CommandError, config::Config, print_json};

const HEAD: [&str; 8] = ["model", "server", "window", "output", "tools", "images", "thinking", "price in/out"];

pub(crate) async fn run(config: &Config, refresh: bool) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    let page: ModelPage = if refresh {
        client.call_with(Method::POST, "/models/refresh", &serde_json::json!({})).await?
    } else {
        client.get("/models").await?
    };
    if config.output.json {
        return print_json(&page);
    }
    let rows: Vec<[String; 8]> = page.models.iter().map(|model| row(model, &page.providers)).collect();
    print!("{}", table(&rows));
    if !rows.is_empty() {
        println!(
            "\n> default; * configured, no mark: from the provider, + from the built-in table, ~ assumed. Prices: US dollars per million tokens."
        );
    }
    for model in page.models.iter().filter(|model| !model.notices.is_empty()) {
        println!("{}: {}", model.name, model.notices.join("; "));
    }
    for provider in &page.providers {
        println!("{}", provider_line(provider));
    }
    Ok(())
}

fn row(model: &ModelView, providers: &[ProviderView]) -> [String; 8] {
    let mark = if model.is_default { "> " } else { "  " };
    let server = providers.iter().find(|provider| provider.name == model.provider);
    let server = server.map_or_else(String::new, |provider| provider.server.title().to_owned());
    let window = match model.context_tokens_max {
        Some(most) => format!("{} of {most}", figure(model.context_tokens)),
        None => figure(model.context_tokens),
    };
    let price = match (model.price_in, model.price_out) {
        (Some(sent), Some(received)) => format!("{}/{}", figure(sent), figure(received)),
        _ => "-".to_owned(),
    };
    let output = model.output_tokens.map_or_else(|| "-".to_owned(), figure);
    let flags = [model.tools, model.images, model.thinking].map(figure);
    let [tools, images, thinking] = flags;
    [format!("{mark}{}", model.name), server, window, output, tools, images, thinking, price]
}

fn figure(figure: ModelFigure) -> String {
    let value = match figure.value {
        FigureValue::Flag(true) => "yes".to_owned(),
        FigureValue::Flag(false) => "no".to_owned(),
        FigureValue::Tokens(tokens) => tokens.to_string(),
        FigureValue::Dollars(dollars) => dollars.to_string(),
    };
    let mark = match figure.source {
        FigureSource::Set => "*",
        FigureSource::Asked => "",
        FigureSource::Table => "+",
        FigureSource::Assumed => "~",
    };
    format!("{value}{mark}")
}

fn table(rows: &[[String; 8]]) -> String {
    let head = HEAD.map(str::to_owned);
    let head = [format!("  {}", head[0])].into_iter().chain(head[1..].iter().cloned()).collect::<Vec<_>>();
    let all: Vec<Vec<String>> = std::iter::once(head).chain(rows.iter().map(|row| row.to_vec())).collect();
    let widths: Vec<usize> =
        (0..HEAD.len()).map(|n| all.iter().map(|row| row[n].chars().count()).max().unwrap_or_default()).collect();
    let mut text = String::new();
    for row in &all {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn provider_line(provider: &ProviderView) -> String {
    let ProviderView { name, server, address, default_model, .. } = provider;
    let default = match provider.default_source {
        FigureSource::Set => format!("{default_model} (configured)"),
        FigureSource::Asked => format!("{default_model} (chosen from its list)"),
        FigureSource::Table | FigureSource::Assumed => default_model.clone(),
    };
    let listed = match (provider.models, provider.asked_at) {
        (Some(count), Some(at)) => format!("{count} models, asked at {at}"),
        (None, Some(at)) => format!("lists no models (asked at {at}), so any name is passed on"),
        _ => "not asked yet, so any name is passed on".to_owned(),
    };
    let error = provider.error.as_ref().map(|error| format!("\n  request failed: {error}")).unwrap_or_default();
    format!("provider {name}: {} at {address}, default {default}; {listed}{error}", server.title())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_aligned_and_marks_where_figures_come_from() {
        let set = ModelFigure { value: FigureValue::Tokens(8_192), source: FigureSource::Set };
        let assumed = ModelFigure { value: FigureValue::Flag(true), source: FigureSource::Assumed };
        assert_eq!((figure(set), figure(assumed)), ("8192*".to_owned(), "yes~".to_owned()));
        let row = |name: &str| [name, "s", "w", "o", "t", "i", "k", "p"].map(str::to_owned);
        let told = table(&[row("> long/name"), row("  a/b")]);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[1].find(" s "), lines[2].find(" s "));
        assert!(lines[0].starts_with("  model"), "{told}");
    }
}
