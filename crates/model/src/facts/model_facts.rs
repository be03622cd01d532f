//! The merged facts of a model, each figure with its source.

use protocol::{FigureSource, FigureValue, ModelFigure, ModelOverrides, ModelServerKind, ModelView};

use super::{DiscoveredModel, DiscoveredProvider, table};
use crate::{Price, Provider, ProviderKind, Traits};

/// The assumed context window of an unknown model.
const CONTEXT_UNKNOWN: u64 = 32_768;
/// The assumed window of an unknown local model is smaller, since it takes RAM.
const CONTEXT_UNKNOWN_LOCAL: u64 = 8_192;
/// The largest window that is requested of Ollama unless more is configured: it allocates all of it
/// at once.
const CONTEXT_OLLAMA_MAX: u64 = 40_960;
/// Tokens of the window beyond the conversation: for an answer, and for differences between
/// tokenizers.
const ANSWER_TOKENS: u64 = 4_096;
const LEEWAY_PARTS: u64 = 14;
/// Ollama's window for clients that cannot request one.
const CONTEXT_OLLAMA_FIXED: u64 = 4_096;
/// Anthropic's price of writing to its cache, in hundredths of the input price.
const ANTHROPIC_CACHE_WRITE: u64 = 125;

/// The merged facts of a model.
pub(crate) struct ModelFacts {
    set: ModelOverrides,
    asked: ModelOverrides,
    table: ModelOverrides,
    assumed: ModelOverrides,
    /// The most tokens that the model supports, where its server said so.
    takes: Option<u64>,
    is_anthropic: bool,
    /// Whether Dwell requests the window, rather than the server setting it.
    is_window_ours: bool,
}

impl ModelFacts {
    /// Merges what is configured, what the provider said, and what the table knows.
    pub(crate) fn new(
        provider: &Provider,
        asked: Option<&DiscoveredProvider>,
        model: &str,
        set: ModelOverrides,
        refuses_tools: bool,
    ) -> Self {
        let server = asked.map_or_else(ModelServerKind::default, |asked| asked.server);
        let told = asked.and_then(|asked| asked.model(model));
        let mut asked = told.map(|told| told.figures).unwrap_or_default();
        let takes = told.and_then(|told| told.takes.or(told.figures.context_tokens));
        if provider.kind == ProviderKind::Ollama {
            asked.context_tokens = told.and_then(ollama_window);
        }
        if refuses_tools {
            asked.tools = Some(false);
        }
        let is_local = provider.kind == ProviderKind::Ollama || server.is_local();
        let context = match server {
            ModelServerKind::Ollama if provider.kind != ProviderKind::Ollama => CONTEXT_OLLAMA_FIXED,
            _ if is_local => CONTEXT_UNKNOWN_LOCAL,
            _ => CONTEXT_UNKNOWN,
        };
        let assumed = ModelOverrides {
            context_tokens: Some(context),
            tools: Some(true),
            // A server refuses a picture that its model cannot see; a picture withheld here would
            // be lost silently.
            images: Some(!is_local),
            thinking: Some(false),
            ..ModelOverrides::default()
        };
        let table = table::known(provider, server, model);
        let is_window_ours = provider.kind == ProviderKind::Ollama;
        Self {
            set,
            asked,
            table,
            assumed,
            takes,
            is_anthropic: provider.kind == ProviderKind::Anthropic,
            is_window_ours,
        }
    }

    /// The same for a conversation of this length: a window that Dwell chooses grows with it,
    /// within what the model supports. A configured window stays as it is.
    pub(crate) fn holding(mut self, prompt_tokens: Option<u64>) -> Self {
        if let (true, Some(wanted), Some(takes)) = (self.is_window_ours, prompt_tokens, self.takes) {
            let needed = wanted.saturating_add(ANSWER_TOKENS);
            let needed = needed.saturating_add(needed / LEEWAY_PARTS + 1).min(takes);
            self.asked.context_tokens = self.asked.context_tokens.map(|window| window.max(needed));
        }
        self
    }

    /// The traits that the engine uses.
    pub(crate) fn traits(&self) -> Traits {
        let all = self.set.or(self.asked).or(self.table).or(self.assumed);
        Traits {
            context_tokens_max: all.context_tokens.unwrap_or(CONTEXT_UNKNOWN_LOCAL),
            output_tokens_max: all.output_tokens,
            price: self.price(&all),
            understands: true,
            sees: all.images.unwrap_or_default(),
            calls_tools: all.tools.unwrap_or(true),
            thinks: all.thinking.unwrap_or_default(),
        }
    }

    fn price(&self, all: &ModelOverrides) -> Option<Price> {
        let input = micros(all.price_in?);
        let output = micros(all.price_out?);
        // A price from one source and a discount from another do not belong together.
        let cached = all.price_cached.filter(|cached| all.price_in.is_some_and(|full| *cached <= full));
        let cache_write = if self.is_anthropic { input * ANTHROPIC_CACHE_WRITE / 100 } else { input };
        Some(Price { input, output, cached: cached.map_or(input, micros), cache_write })
    }

    /// The figures with their sources.
    pub(crate) fn view(&self, name: String, provider: &str, is_default: bool) -> ModelView {
        let context_tokens = self.tokens(|from| from.context_tokens);
        let assumed = |value| ModelFigure { value, source: FigureSource::Assumed };
        let window = self.traits().context_tokens_max;
        let mut notices = Vec::new();
        if let (Some(set), Some(takes)) = (self.set.context_tokens, self.takes)
            && set > takes
        {
            notices.push(format!("set to {set} tokens, but its server says that it takes {takes}"));
        }
        if self.traits().calls_tools && self.asked.tools == Some(false) {
            notices.push("set to call tools, but its server says that it does not".to_owned());
        }
        ModelView {
            name,
            provider: provider.to_owned(),
            is_default,
            context_tokens: context_tokens.unwrap_or_else(|| assumed(FigureValue::Tokens(window))),
            context_tokens_max: self.takes.filter(|takes| *takes > window),
            output_tokens: self.tokens(|from| from.output_tokens),
            tools: self.flag(|from| from.tools).unwrap_or_else(|| assumed(FigureValue::Flag(true))),
            images: self.flag(|from| from.images).unwrap_or_else(|| assumed(FigureValue::Flag(false))),
            thinking: self.flag(|from| from.thinking).unwrap_or_else(|| assumed(FigureValue::Flag(false))),
            price_in: self.dollars(|from| from.price_in),
            price_out: self.dollars(|from| from.price_out),
            price_cached: self.dollars(|from| from.price_cached),
            notices,
        }
    }

    fn first<T>(&self, figure: impl Fn(&ModelOverrides) -> Option<T>) -> Option<(T, FigureSource)> {
        [
            (&self.set, FigureSource::Set),
            (&self.asked, FigureSource::Asked),
            (&self.table, FigureSource::Table),
            (&self.assumed, FigureSource::Assumed),
        ]
        .into_iter()
        .find_map(|(from, source)| Some((figure(from)?, source)))
    }

    fn tokens(&self, figure: impl Fn(&ModelOverrides) -> Option<u64>) -> Option<ModelFigure> {
        self.first(figure).map(|(value, source)| ModelFigure { value: FigureValue::Tokens(value), source })
    }

    fn flag(&self, figure: impl Fn(&ModelOverrides) -> Option<bool>) -> Option<ModelFigure> {
        self.first(figure).map(|(value, source)| ModelFigure { value: FigureValue::Flag(value), source })
    }

    fn dollars(&self, figure: impl Fn(&ModelOverrides) -> Option<f64>) -> Option<ModelFigure> {
        self.first(figure).map(|(value, source)| ModelFigure { value: FigureValue::Dollars(value), source })
    }
}

/// The window requested of Ollama: the one its author configured, else what the model supports, up
/// to a sensible size.
fn ollama_window(told: &DiscoveredModel) -> Option<u64> {
    let takes = told.takes.unwrap_or(u64::MAX);
    match told.figures.context_tokens {
        Some(chosen) => Some(chosen.min(takes)),
        None => told.takes.map(|takes| takes.min(CONTEXT_OLLAMA_MAX)),
    }
}

/// Converts to millionths of a dollar. Prices are between zero and a million dollars, so nothing is
/// lost.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a price is checked to be in range")]
fn micros(dollars: f64) -> u64 {
    (dollars.clamp(0.0, 1e6) * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use protocol::Timestamp;

    use super::*;

    fn told(takes: u64, chosen: Option<u64>) -> DiscoveredProvider {
        let figures = ModelOverrides { context_tokens: chosen, tools: Some(true), ..ModelOverrides::default() };
        let model = DiscoveredModel { id: "m".to_owned(), figures, takes: Some(takes), ..DiscoveredModel::default() };
        DiscoveredProvider {
            server: ModelServerKind::Ollama,
            models: vec![model],
            asked_at: Timestamp::from_millis(0),
            ..DiscoveredProvider::default()
        }
    }

    fn set(context_tokens: u64) -> ModelOverrides {
        ModelOverrides { context_tokens: Some(context_tokens), ..ModelOverrides::default() }
    }

    #[test]
    fn a_longer_conversation_raises_ollamas_window_within_what_the_model_takes() {
        let ollama = Provider::new("ollama", ProviderKind::Ollama, "m");
        let window = |wanted, set| {
            let merged = ModelFacts::new(&ollama, Some(&told(131_072, None)), "m", set, false);
            merged.holding(wanted).traits().context_tokens_max
        };
        let nothing = ModelOverrides::default();
        assert_eq!((window(None, nothing), window(Some(8_000), nothing)), (40_960, 40_960));
        assert!((80_000..90_000).contains(&window(Some(75_000), nothing)));
        assert_eq!(window(Some(1_000_000), nothing), 131_072);
        assert_eq!(window(Some(75_000), set(16_384)), 16_384);
    }

    #[test]
    fn ollama_is_asked_for_what_fits_and_what_is_set_counts_more() {
        let ollama = Provider::new("ollama", ProviderKind::Ollama, "m");
        let window = |asked: Option<&DiscoveredProvider>, set| {
            let merged = ModelFacts::new(&ollama, asked, "m", set, false);
            let view = merged.view("ollama/m".to_owned(), "ollama", false);
            (merged.traits().context_tokens_max, view.context_tokens.source, view.notices.len())
        };
        let nothing = ModelOverrides::default();
        assert_eq!(window(None, nothing), (8_192, FigureSource::Assumed, 0));
        assert_eq!(window(Some(&told(8_192, None)), nothing), (8_192, FigureSource::Asked, 0));
        assert_eq!(window(Some(&told(40_960, None)), nothing), (40_960, FigureSource::Asked, 0));
        assert_eq!(window(Some(&told(262_144, None)), nothing), (40_960, FigureSource::Asked, 0));
        assert_eq!(window(Some(&told(131_072, Some(65_536))), nothing), (65_536, FigureSource::Asked, 0));
        assert_eq!(window(Some(&told(4_096, Some(65_536))), nothing), (4_096, FigureSource::Asked, 0));
        assert_eq!(window(Some(&told(40_960, None)), set(40_960)), (40_960, FigureSource::Set, 0));
        assert_eq!(window(Some(&told(40_960, None)), set(2_048)), (2_048, FigureSource::Set, 0));
        assert_eq!(window(Some(&told(40_960, None)), set(65_536)), (65_536, FigureSource::Set, 1), "with a notice");
    }

    #[test]
    fn prices_are_in_millionths_and_a_cache_may_cost_more_to_fill() {
        let claude = Provider::new("anthropic", ProviderKind::Anthropic, "m");
        let price = |set| ModelFacts::new(&claude, None, "claude-sonnet-4-5", set, false).traits().price.unwrap();
        let list = price(ModelOverrides::default());
        assert_eq!(
            (list.input, list.output, list.cached, list.cache_write),
            (3_000_000, 15_000_000, 300_000, 3_750_000)
        );
        let cheaper = price(ModelOverrides { price_in: Some(0.1), ..ModelOverrides::default() });
        assert_eq!((cheaper.input, cheaper.cached), (100_000, 100_000), "a cache is never dearer than none");
        let openai = Provider::new("openai", ProviderKind::OpenAi, "m");
        assert_eq!(ModelFacts::new(&openai, None, "unknown", ModelOverrides::default(), false).traits().price, None);
    }
}
