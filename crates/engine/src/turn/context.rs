//! Prompt assembly, in one place: builds the prompt within its budget, and a report of its content.
//!
//! What changes least comes first and the time last, so that a provider's prompt cache stays valid:
//! instructions, tools, profile, pins and the rolling summary; the last messages; the message
//! itself; and beside it, as notes, recalled memories, hints, and the time.

use std::sync::Arc;

use memory::tape::TagFilter;
use model::{Image, KnownItem, Message, Model, Prompt, ToolRequirement, ToolSpec, count, count_message};
use protocol::{Level, MemoryHit, MemoryItem, MemoryUsed, ModelSettings, Origin, Section, UsedItem};
use session::RECENT_TURNS_LEFT;

use super::{
    budget, client, client_tools,
    context_budget::ContextBudget,
    conversation::{self, ConversationHistory, PromptHistory, ReservedTokens},
    desktop_notes::{self, DesktopNotes},
    pictures::Pictures,
    plan::TurnPlan,
    prompt_sections::{self, InstructionParts, PromptSections},
    recalled_memory::{self, ITEMS_MAX},
    state::TurnState,
    structured,
    told_once::{ToldTexts, told_once, without_told},
};

const TRANSFER: &str = include_str!("../../prompts/transfer.md");

/// The notes beside the message take at most one part in this many of the context.
const NOTES_PARTS: u64 = 4;
/// The list of the home's entities takes at most one part in this many.
const ENTITIES_PARTS: u64 = 6;
/// A conversation that takes less than one part in this many is included as a whole, and needs no
/// summary.
const WHOLE_PARTS: u64 = 3;
/// Characters of a message or an answer in a transfer summary.
const TRANSFER_CHARS_MAX: usize = 200;

/// The assembled prompt.
pub(super) struct AssembledPrompt {
    pub(super) prompt: Prompt,
    /// Tokens of the prompt.
    pub(super) tokens: u64,
    /// Tokens that the answer may have.
    pub(super) answer_tokens_max: u64,
}

impl AssembledPrompt {
    /// The same, with this many tokens for the answer.
    pub(super) fn with_answer_tokens(mut self, space: u64) -> Self {
        self.prompt.output_tokens_max = budget::provider_limit(space);
        self.answer_tokens_max = space;
        self
    }
}

/// What stays the same in every round of a turn with one model. It is counted once, since that
/// takes time for a long conversation.
pub(super) struct PromptBase {
    model: String,
    is_wrapping_up: bool,
    system: String,
    pub(super) tools: Arc<[ToolSpec]>,
    /// The last messages, and the current one with its notes.
    messages: Vec<Message>,
    /// The recalled memories in the prompt.
    facts: Vec<MemoryHit>,
    /// What is known from before, as data for models without language understanding.
    known: Vec<KnownItem>,
    /// All sections up to the notes, in order.
    sections: Vec<Section>,
    /// Tokens of all of that.
    tokens: u64,
    tokens_max: u64,
    /// The summary for a model that takes over from another.
    pub(super) transfer: Option<String>,
}

/// Assembles the prompt. With `wrap_up` it contains no tools, and asks for an answer from what is
/// known.
pub(super) fn assemble(
    state: &mut TurnState,
    plan: &TurnPlan,
    model: &dyn Model,
    wrap_up: Option<&str>,
) -> AssembledPrompt {
    let with_calls = calls_tools(state, plan, model, wrap_up);
    let mut rounds = conversation::thread(&state.thread, with_calls);
    rounds.extend(structured::repair_messages(state));
    let rounds_tokens: u64 = rounds.iter().map(count_message).sum();
    let choice = if with_calls { client_tools::choice(state, plan, model) } else { ToolRequirement::Free };
    let now = state.services.world.now();
    let is_temporary = state.input.is_temporary;
    let response_schema = state.input.turn.request.offer.response_schema.clone();
    let background = prompt_base(state, plan, model, wrap_up, rounds_tokens);
    let mut messages = background.messages.clone();
    messages.extend(rounds);
    let prompt = Prompt {
        system: background.system.clone(),
        messages,
        tools: background.tools.to_vec(),
        choice,
        known: background.known.clone(),
        now,
        output_tokens_max: None,
        settings: ModelSettings::default(),
        response_schema,
        is_temporary,
    };
    AssembledPrompt { prompt, tokens: background.tokens + rounds_tokens, answer_tokens_max: u64::MAX }
}

/// Loads the images of earlier turns that the model sees again.
pub(super) async fn fetch_pictures(state: &mut TurnState, model: &dyn Model) {
    if state.input.recent.iter().any(|turn| !turn.pictures.is_empty()) {
        let share = ContextBudget::of(model.traits(), &state.input.settings.budgets, &state.input.turn.request);
        state.pictures = Pictures::load(&state.services, &state.input.recent, model, share.tokens_max).await;
    }
}

/// Builds the base of the prompt before the first round. Returns the tokens of the prompt.
pub(super) fn prepare(state: &mut TurnState, plan: &TurnPlan, model: &dyn Model) -> u64 {
    let rounds = conversation::thread(&state.thread, shows_tools(state, plan, model));
    let rounds_tokens: u64 = rounds.iter().map(count_message).sum();
    prompt_base(state, plan, model, None, rounds_tokens).tokens + rounds_tokens
}

/// Whether the prompt has tools. The repair of an answer needs none, and without tools more
/// providers can be bound to a schema.
fn calls_tools(state: &TurnState, plan: &TurnPlan, model: &dyn Model, wrap_up: Option<&str>) -> bool {
    wrap_up.is_none() && state.rejected.is_none() && shows_tools(state, plan, model)
}

fn shows_tools(state: &TurnState, plan: &TurnPlan, model: &dyn Model) -> bool {
    !client_tools::shown(state, plan, model).is_empty() && !state.services.is_toolless(model.name())
}

fn prompt_base<'a>(
    state: &'a mut TurnState,
    plan: &TurnPlan,
    model: &dyn Model,
    wrap_up: Option<&str>,
    rounds_tokens: u64,
) -> &'a PromptBase {
    let with_calls = calls_tools(state, plan, model, wrap_up);
    let known = state.prompt_base.take();
    let tools = if with_calls { client_tools::shown(state, plan, model) } else { Arc::default() };
    let is_fresh = |known: &PromptBase| {
        let is_same_way = known.is_wrapping_up == wrap_up.is_some() && known.tools[..] == tools[..];
        known.model == model.name() && is_same_way
    };
    let background = match known.filter(is_fresh) {
        Some(known) => known,
        None => build_base(state, plan, model, wrap_up, tools, rounds_tokens),
    };
    state.prompt_base.insert(background)
}

fn build_base(
    state: &mut TurnState,
    plan: &TurnPlan,
    model: &dyn Model,
    wrap_up: Option<&str>,
    tools: Arc<[ToolSpec]>,
    rounds_tokens: u64,
) -> PromptBase {
    let with_calls = !tools.is_empty();
    drop_needless_summary(state, model, with_calls);
    let tools_tokens: u64 = tools.iter().map(ToolSpec::tokens).sum();
    let share = ContextBudget::of(model.traits(), &state.input.settings.budgets, &state.input.turn.request);
    let filter = TagFilter::any_of(state.input.turn.request.context_tags.clone());
    let (services, recent, pictures) = (&state.services, &state.input.recent, &state.pictures);
    let past = ConversationHistory { services, recent, share, filter: &filter, with_calls, pictures };
    // Without earlier turns there is nothing to take over.
    let switched = state.input.switched.as_ref().filter(|_| !state.input.recent.is_empty());
    let transfer = switched.map(|it| transfer(state, past, it.from.as_deref(), model.name()));
    let role = desktop_notes::role(&state.input.turn);
    let around = state.surroundings.as_ref();
    let client = client::words(&state.input.settings);
    let response_schema = state.input.turn.request.offer.response_schema.as_ref().map(structured::instruction);
    let entities = around.map(|around| within(&around.base.text, share.tokens_max / ENTITIES_PARTS));
    let before = InstructionParts {
        transfer: transfer.as_deref(),
        role: role.as_deref(),
        client: client.as_deref(),
        entities: entities.as_deref(),
        response_schema: response_schema.as_deref(),
        spent: wrap_up,
        summary_max: share.summary_max,
    };
    let DesktopNotes { mut parts, is_tainted: is_beside_tainted } = desktop_notes::desktop_notes(
        &state.input.turn,
        &state.input.timeline,
        &state.input.desktop,
        &state.input.reload,
    );
    parts.extend(around.filter(|around| !around.news.is_empty()).map(|around| ("around", around.news.clone())));
    let system = prompt_sections::system(&state.input.pins, &state.recalled, before);
    let pins: u64 = system.sections.iter().filter(|section| section.name == "pins").map(|section| section.tokens).sum();

    // Which of the recalled memories are in the conversation anyway is known only once there is a
    // window, and the window must leave space for the notes: so it reserves the most they can take.
    let mut asked = asked(state, model);
    let asked_tokens = count_message(&asked);
    let best: Vec<&MemoryHit> = state.recalled.items().take(ITEMS_MAX).collect();
    let least = prompt_sections::notes(&parts, &[], &plan.hints, state.clock).tokens;
    let most = prompt_sections::notes(&parts, &best, &plan.hints, state.clock).tokens;
    let space = most.min(least.max(share.tokens_max / NOTES_PARTS));
    let system_alone = system.tokens.saturating_sub(pins) + tools_tokens;
    let current = asked_tokens + space + rounds_tokens;
    let window = past.window(ReservedTokens { system: system_alone, pins, current: Some(current) });
    let told = PromptHistory::of(past, &window);
    let taken = system_alone + pins + current;
    let notice = past.last_in(&window).notice(model.name(), share.tokens_max, taken);
    let said = said(state, &told);
    let PromptFacts { facts, known: known_items, notes: beside } = facts(state, plan, &parts, &said, &told, space);
    // The window was fitted to the longer text, so the shorter one fits.
    let PromptSections { text: system, mut sections, tokens: system_tokens } =
        without_told_lines(state, before, &said).unwrap_or(system);
    state.window_notice = notice;
    // The answer may repeat anything that was in the prompt, so this is never reset.
    state.is_tainted_once |= is_beside_tainted || facts.iter().any(|found| found.item.origin == Origin::Untrusted);
    state.is_context_tainted |= state.is_tainted_once || is_tainted(state, &told, transfer.is_some());

    sections.insert(1, Section { name: "tools".to_owned(), tokens: tools_tokens });
    sections.push(Section { name: "recent".to_owned(), tokens: told.tokens });
    sections.push(Section { name: "task".to_owned(), tokens: asked_tokens });
    sections.extend(beside.sections);
    if let Message::User { notes, .. } = &mut asked {
        *notes = beside.text;
    }
    let mut messages = told.messages;
    messages.push(asked);
    PromptBase {
        model: model.name().to_owned(),
        is_wrapping_up: wrap_up.is_some(),
        tokens: system_tokens + tools_tokens + told.tokens + asked_tokens + beside.tokens,
        system,
        tools,
        messages,
        known: known(state, &known_items),
        facts,
        sections,
        tokens_max: share.tokens_max,
        transfer,
    }
}

/// The current message, word for word.
fn asked(state: &TurnState, model: &dyn Model) -> Message {
    let request = &state.input.turn.request;
    let mut text = request.message.clone();
    if !request.images.is_empty() && !model.traits().sees {
        // The model should say so rather than guess.
        text.push_str("\n\n[This message has images. This model cannot see them.]");
    }
    Message::User { text, images: images(state, model), notes: String::new() }
}

/// The rolling summary replaces messages that have left the window. Before that it would only
/// repeat them, and change the beginning of every prompt each time it is rewritten.
fn drop_needless_summary(state: &mut TurnState, model: &dyn Model, with_calls: bool) {
    let share = ContextBudget::of(model.traits(), &state.input.settings.budgets, &state.input.turn.request);
    let (services, recent, pictures) = (&state.services, &state.input.recent, &state.pictures);
    let past = ConversationHistory { services, recent, share, filter: &TagFilter::default(), with_calls, pictures };
    let is_all_told = recent.len() < RECENT_TURNS_LEFT && past.tokens() <= share.tokens_max / WHOLE_PARTS;
    if is_all_told && !recent.is_empty() {
        state.recalled.summary = None;
    }
}

/// The lines of a list that fit, with a note that there are more.
fn within(list: &str, tokens_max: u64) -> String {
    if count(list) <= tokens_max {
        return list.to_owned();
    }
    let mut kept = String::new();
    let mut left = tokens_max;
    for line in list.lines() {
        let Some(rest) = left.checked_sub(count(line) + 1) else { break };
        left = rest;
        kept.push_str(line);
        kept.push('\n');
    }
    kept.push_str("(There is more: search_entities finds it.)");
    kept
}

/// The instructions with a summary that repeats neither the profile nor the conversation; none if
/// it does not anyway.
fn without_told_lines(state: &TurnState, before: InstructionParts<'_>, said: &ToldTexts) -> Option<PromptSections> {
    let rolling = state.recalled.summary.as_ref()?;
    let text = without_told(&rolling.text, said, &state.recalled.profile());
    let recalled = (text != rolling.text.trim()).then(|| state.recalled.with_summary(text))?;
    Some(prompt_sections::system(&state.input.pins, &recalled, before))
}

/// The recalled memories of a prompt.
struct PromptFacts {
    /// Those that it tells.
    facts: Vec<MemoryHit>,
    /// Those for models without language understanding, which are given them as data: also what
    /// stands elsewhere in words.
    known: Vec<MemoryHit>,
    /// The notes with them.
    notes: PromptSections,
}

/// The texts of the conversation in the prompt, and of the message.
fn said(state: &TurnState, told: &PromptHistory) -> ToldTexts {
    let mut said = ToldTexts::default();
    said.add(&state.input.turn.request.message);
    for message in &told.messages {
        if let Message::User { text, .. } | Message::Assistant { text, .. } = message {
            said.add(text);
        }
    }
    said
}

/// The recalled memories that are not in the conversation anyway, and the notes with them, within
/// their budget.
fn facts(
    state: &TurnState,
    plan: &TurnPlan,
    parts: &[prompt_sections::PromptPart],
    said: &ToldTexts,
    told: &PromptHistory,
    space: u64,
) -> PromptFacts {
    let (own, request) = (state.input.turn.id, &state.input.turn.request);
    // A fact that was extracted from the message is new only if it says more, such as what held
    // before.
    let is_said = |item: &MemoryItem| item.level == Level::Entry || request.message.contains(item.text.trim());
    let is_own = |item: &MemoryItem| item.source.turn_id == Some(own) && is_said(item);
    let is_new = |found: &&MemoryHit| !is_own(&found.item) && !told.has(&found.item);
    let known: Vec<MemoryHit> = state.recalled.items().filter(is_new).take(ITEMS_MAX).cloned().collect();
    let mut facts = told_once(state.recalled.items().filter(is_new), said, &state.recalled.profile());
    facts.truncate(ITEMS_MAX);
    loop {
        let notes = prompt_sections::notes(parts, &facts, &plan.hints, state.clock);
        if notes.tokens <= space || facts.pop().is_none() {
            return PromptFacts { facts: facts.into_iter().cloned().collect(), known, notes };
        }
    }
}

/// Whether some of the turn's context is untrusted.
fn is_tainted(state: &TurnState, told: &PromptHistory, is_taken_over: bool) -> bool {
    let is_pin_tainted = state.input.pins.values().any(|pin| pin.origin == Origin::Untrusted);
    // The transfer summary quotes turns that are no longer in the window.
    let is_transfer_tainted = is_taken_over && state.input.recent.iter().any(|turn| turn.is_tainted);
    let is_client_tainted = client::is_tainted(&state.input.settings);
    told.is_tainted || is_pin_tainted || is_transfer_tainted || is_client_tainted || state.recalled.is_tainted()
}

/// The context beside the message, as clients see it.
pub(super) fn used(state: &TurnState, tokens: u64) -> MemoryUsed {
    let pins = state.input.pins.iter().map(|(key, pin)| UsedItem {
        source: pin.turn_id,
        key: Some(key.clone()),
        at: Some(pin.at),
        ..UsedItem::text(Level::Pin, pin.text.clone())
    });
    let mut used = MemoryUsed {
        items: pins.chain(state.recalled.used()).collect(),
        tokens,
        tainted: state.is_context_tainted,
        tainted_once: state.is_tainted_once,
        notices: state.recalled.notices.iter().chain(&state.window_notice).cloned().collect(),
        entities: state.surroundings.as_ref().map(|around| around.news.clone()).unwrap_or_default(),
        ..MemoryUsed::default()
    };
    used.digest = Some(digest(state, &used.items));
    if let Some(background) = &state.prompt_base {
        used.items.extend(background.facts.iter().map(recalled_memory::used));
        used.sections.clone_from(&background.sections);
        // The earlier rounds of a resumed turn.
        let rounds = tokens.saturating_sub(background.tokens);
        used.sections.extend((rounds > 0).then(|| Section { name: "rounds".to_owned(), tokens: rounds }));
        used.tokens_max = background.tokens_max;
    }
    used
}

/// A digest of the lasting context: it changes with pins, facts, lines of the profile, the model
/// and the client's instructions. It does not depend on recent messages: requests that refer back
/// to them are never replayed.
fn digest(state: &TurnState, items: &[UsedItem]) -> String {
    let lasts = |item: &&UsedItem| matches!(item.level, Level::Pin | Level::Profile | Level::Fact);
    let lasting: Vec<(&str, Option<&str>, &str)> =
        items.iter().filter(lasts).map(|item| (item.level.as_str(), item.key.as_deref(), item.text.as_str())).collect();
    let client = client::words(&state.input.settings);
    format!("{:032x}", memory::long_term::digest(&(&state.model, lasting, client)))
}

/// What is known from before, as data for models without language understanding.
fn known(state: &TurnState, facts: &[MemoryHit]) -> Vec<KnownItem> {
    let pins = state.input.pins.iter().map(|(key, pin)| KnownItem {
        level: Level::Pin.as_str().to_owned(),
        key: Some(key.clone()),
        text: pin.text.clone(),
        at: pin.at,
        until: None,
        role: None,
        doubt: None,
    });
    let facts = facts.iter().filter(|found| {
        let is_said = |turn_id| state.input.recent.iter().any(|turn| turn.turn_id == turn_id);
        found.item.level != Level::Entry || !found.item.source.turn_id.is_some_and(is_said)
    });
    let wanted = TagFilter::any_of(state.input.turn.request.context_tags.clone());
    let said = state.input.recent.iter().filter(|turn| conversation::takes(&wanted, turn)).map(|turn| KnownItem {
        level: "said".to_owned(),
        key: None,
        text: turn.message.clone(),
        at: turn.at,
        until: None,
        role: None,
        doubt: recalled_memory::doubt_of(&state.recalled, turn),
    });
    let noted = state.recalled.kept.iter().map(recalled_memory::noted);
    let noted = noted.chain(state.recalled.doubtful.iter().map(recalled_memory::noted_doubt));
    noted.chain(pins).chain(state.recalled.known()).chain(facts.map(recalled_memory::known)).chain(said).collect()
}

fn images(state: &TurnState, model: &dyn Model) -> Vec<Image> {
    if !model.traits().sees {
        return Vec::new();
    }
    let images = state.input.turn.request.images.iter().filter_map(|image| match image {
        protocol::Image::Inline { media_type, data } => {
            Some(Image { media_type: media_type.clone(), data: data.clone() })
        }
        // URLs were fetched before the message was accepted.
        protocol::Image::Url { .. } => None,
    });
    images.collect()
}

/// The summary for a model that takes over from another: the first and last messages of the
/// conversation.
fn transfer(state: &TurnState, past: ConversationHistory<'_>, from: Option<&str>, to: &str) -> String {
    let short = |text: &str| -> String {
        let mut short: String = text.chars().take(TRANSFER_CHARS_MAX).collect();
        if short.len() < text.len() {
            short.push('…');
        }
        short.replace('\n', " ")
    };
    let mut turns = String::new();
    for turn in past.recent.iter().filter(|turn| past.takes(turn)) {
        turns.push_str(&format!("- Asked: {}\n  Answered: {}\n", short(&turn.message), short(&turn.answer)));
    }
    let from = from.map_or_else(|| state.services.models.name(None), str::to_owned);
    TRANSFER.trim().replace("{from}", &from).replace("{to}", to).replace("{turns}", turns.trim_end())
}
