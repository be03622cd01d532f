//! Context assembly, in one place: what the model is told, within its budget, and a report of what that was.

use model::{Call, Image, Known, Message, Model, Prompt, ToolSpec, count, count_message, count_prompt};
use protocol::{MemoryUsed, Origin, Section, UsedItem};
use session::{Entry, RecentTurn, Thread};

use super::{budget, plan::Plan, work::Work};
use crate::hub::House;

const SYSTEM: &str = include_str!("../../prompts/system.md");
const WRAP_UP: &str = include_str!("../../prompts/wrap_up.md");
const TRANSFER: &str = include_str!("../../prompts/transfer.md");

/// Models that take at least this much get a larger share of the conversation.
const HIGH_CONTEXT_MIN: u64 = 100_000;
/// Tokens of context, and ended turns in it, for most models and for those.
const SHARE: (u64, usize) = (16_000, 3);
const HIGH_SHARE: (u64, usize) = (64_000, 24);
/// Characters of a message or an answer in a transfer summary.
const TRANSFER_CHARS_MAX: usize = 200;

/// What the model is told.
pub(super) struct Assembled {
    pub(super) prompt: Prompt,
    /// Tokens of all of it.
    pub(super) tokens: u64,
    /// Tokens that the answer may have.
    pub(super) room: u64,
}

impl Assembled {
    /// The same, leaving that much for the answer.
    pub(super) fn with_room(mut self, room: u64) -> Self {
        self.prompt.output_tokens_max = budget::told(room);
        self.room = room;
        self
    }
}

/// What stays the same in every round of a turn with one model: counted once, since a long conversation takes its time.
pub(super) struct Background {
    model: String,
    is_wrapping_up: bool,
    system: String,
    tools: Vec<ToolSpec>,
    recent: Vec<Message>,
    sections: Vec<Section>,
    tokens: u64,
    tokens_max: u64,
    /// The summary that a model is given which takes over from another.
    pub(super) transfer: Option<String>,
}

/// Puts together what the model is told. With `wrap_up` it is shown no tools and told to answer from what it has.
pub(super) fn assemble(work: &mut Work, plan: &Plan, model: &dyn Model, wrap_up: Option<&str>) -> Assembled {
    let shows_tools = wrap_up.is_none() && !plan.tools.is_empty() && !work.house.is_toolless(model.name());
    let own = own(work, model, shows_tools);
    let own_tokens: u64 = own.iter().map(count_message).sum();
    let known = known(work);
    let now = work.house.world.now();
    let background = background(work, plan, model, wrap_up, shows_tools, own_tokens);
    let mut messages = background.recent.clone();
    messages.extend(own);
    let prompt = Prompt {
        system: background.system.clone(),
        messages,
        tools: background.tools.clone(),
        known,
        now,
        output_tokens_max: None,
    };
    Assembled { prompt, tokens: background.tokens + own_tokens, room: u64::MAX }
}

/// Looks back before the first round; gives the tokens of what the model will be told.
pub(super) fn prepare(work: &mut Work, plan: &Plan, model: &dyn Model) -> u64 {
    let shows_tools = !plan.tools.is_empty() && !work.house.is_toolless(model.name());
    let own_tokens: u64 = own(work, model, shows_tools).iter().map(count_message).sum();
    background(work, plan, model, None, shows_tools, own_tokens).tokens + own_tokens
}

/// What the turn itself has said and heard so far.
fn own(work: &Work, model: &dyn Model, with_calls: bool) -> Vec<Message> {
    let request = &work.job.turn.request;
    let mut text = request.message.clone();
    if !request.images.is_empty() && !model.traits().sees {
        // Whoever answers should say so rather than guess.
        text.push_str("\n\n[Pictures came with this message. This model cannot see them.]");
    }
    let mut own = vec![Message::User { text, images: images(work, model) }];
    add_thread(&mut own, &work.thread, with_calls);
    own
}

fn background<'a>(
    work: &'a mut Work,
    plan: &Plan,
    model: &dyn Model,
    wrap_up: Option<&str>,
    shows_tools: bool,
    own_tokens: u64,
) -> &'a Background {
    let is_fresh = |known: &Background| {
        let is_same_way = known.is_wrapping_up == wrap_up.is_some() && known.tools.is_empty() != shows_tools;
        known.model == model.name() && is_same_way
    };
    let known = work.background.take().filter(is_fresh);
    let background = known.unwrap_or_else(|| {
        let tools = if shows_tools { plan.tools.clone() } else { Vec::new() };
        look_back(work, plan, model, wrap_up, tools, own_tokens)
    });
    work.background.insert(background)
}

fn look_back(
    work: &mut Work,
    plan: &Plan,
    model: &dyn Model,
    wrap_up: Option<&str>,
    tools: Vec<ToolSpec>,
    own_tokens: u64,
) -> Background {
    let tools_tokens: u64 = tools.iter().map(|tool| work.house.tool_tokens(tool)).sum();
    let transfer = work.job.switched.as_ref().map(|it| transfer(work, it.from.as_deref(), model.name()));
    let (system, mut sections) = system(work, plan, transfer.as_deref(), wrap_up);
    let empty = Prompt {
        system: system.clone(),
        messages: Vec::new(),
        tools: Vec::new(),
        known: Vec::new(),
        now: work.house.world.now(),
        output_tokens_max: None,
    };
    let fixed = count_prompt(&empty).total + tools_tokens;
    let (tokens_max, turns_max) = share(work, model);
    let room = tokens_max.saturating_sub(fixed + own_tokens);
    let recent = recent(&work.house, &work.job.recent, turns_max, room, !tools.is_empty());
    let is_pin_tainted = work.job.pins.values().any(|pin| pin.origin == Origin::Untrusted);
    // The summary quotes turns that are no longer in the window.
    let is_transfer_tainted = transfer.is_some() && work.job.recent.iter().any(|turn| turn.is_tainted);
    // What one model was told, the words it said may carry; so this never goes back.
    work.is_context_tainted |= recent.is_tainted || is_pin_tainted || is_transfer_tainted;
    sections.push(Section { name: "tools".to_owned(), tokens: tools_tokens });
    sections.push(Section { name: "recent".to_owned(), tokens: recent.tokens });
    Background {
        model: model.name().to_owned(),
        is_wrapping_up: wrap_up.is_some(),
        tokens: fixed + recent.tokens,
        system,
        tools,
        recent: recent.messages,
        sections,
        tokens_max,
        transfer,
    }
}

/// What the model is told beside the message, as clients see it.
pub(super) fn used(work: &Work, tokens: u64) -> MemoryUsed {
    let items = work.job.pins.values().map(|pin| UsedItem {
        level: "pin".to_owned(),
        text: pin.text.clone(),
        source: pin.turn_id,
    });
    let tainted = work.is_context_tainted;
    let mut used = MemoryUsed { items: items.collect(), tokens, tainted, ..MemoryUsed::default() };
    if let Some(background) = &work.background {
        used.sections.clone_from(&background.sections);
        used.sections.push(Section { name: "task".to_owned(), tokens: tokens.saturating_sub(background.tokens) });
        used.tokens_max = background.tokens_max;
    }
    used
}

/// Tokens and turns that the conversation may take with this model.
fn share(work: &Work, model: &dyn Model) -> (u64, usize) {
    let context = model.traits().context_tokens_max;
    let (tokens, turns) = if context >= HIGH_CONTEXT_MIN { HIGH_SHARE } else { SHARE };
    let asked = work.job.turn.request.context_window.unwrap_or(tokens);
    // Half of what the model takes is left for tools and the answer.
    (asked.min(context / 2), turns)
}

fn system(work: &Work, plan: &Plan, transfer: Option<&str>, wrap_up: Option<&str>) -> (String, Vec<Section>) {
    let mut parts: Vec<(&str, String)> = Vec::new();
    let today = work.house.world.now().to_string();
    let today = today.split('T').next().unwrap_or_default();
    parts.push(("system", format!("{}\n\nToday is {today} (UTC).", SYSTEM.trim())));
    if !work.job.pins.is_empty() {
        let mut pins = String::from("Pinned in this conversation:");
        for (key, pin) in &work.job.pins {
            let from = if pin.origin == Origin::Untrusted { " (taken from a text of unknown origin)" } else { "" };
            pins.push_str(&format!("\n- {key}: {}{from}", pin.text));
        }
        parts.push(("pins", pins));
    }
    if !plan.hints.focus_areas.is_empty() {
        parts.push(("hints", format!("Look at this first: {}.", plan.hints.focus_areas.join(", "))));
    }
    if let Some(transfer) = transfer {
        parts.push(("transfer", transfer.to_owned()));
    }
    if let Some(spent) = wrap_up {
        parts.push(("wrap_up", WRAP_UP.trim().replace("{budget}", spent)));
    }
    let sections = parts.iter().map(|(name, text)| Section { name: (*name).to_owned(), tokens: count(text) }).collect();
    let texts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
    (texts.join("\n\n"), sections)
}

/// What is known from before, for whoever cannot read the system text.
fn known(work: &Work) -> Vec<Known> {
    let pins = work.job.pins.iter().map(|(key, pin)| Known {
        level: "pin".to_owned(),
        key: Some(key.clone()),
        text: pin.text.clone(),
        at: pin.at,
    });
    let said = work.job.recent.iter().map(|turn| Known {
        level: "said".to_owned(),
        key: None,
        text: turn.message.clone(),
        at: turn.at,
    });
    pins.chain(said).collect()
}

fn images(work: &Work, model: &dyn Model) -> Vec<Image> {
    if !model.traits().sees {
        return Vec::new();
    }
    let images = work.job.turn.request.images.iter().filter_map(|image| match image {
        protocol::Image::Inline { media_type, data } => {
            Some(Image { media_type: media_type.clone(), data: data.clone() })
        }
        // Addresses were fetched before the message was accepted.
        protocol::Image::Url { .. } => None,
    });
    images.collect()
}

struct Recent {
    messages: Vec<Message>,
    tokens: u64,
    is_tainted: bool,
}

/// The newest ended turns that fit, whole turns only, oldest first.
fn recent(house: &House, turns: &[RecentTurn], turns_max: usize, room: u64, with_calls: bool) -> Recent {
    let mut taken: Vec<Vec<Message>> = Vec::new();
    let (mut tokens, mut is_tainted) = (0u64, false);
    for turn in turns.iter().rev().take(turns_max) {
        let mut messages = vec![Message::User { text: turn.message.clone(), images: Vec::new() }];
        add_thread(&mut messages, &turn.thread, with_calls);
        if !turn.answer.is_empty() {
            add_words(&mut messages, turn.answer.clone());
        }
        let form = (turn.turn_id, with_calls, turn.thread.entries().len());
        let more = house.turn_tokens(form, || messages.iter().map(count_message).sum());
        if tokens + more > room {
            break;
        }
        tokens += more;
        is_tainted |= turn.is_tainted;
        taken.push(messages);
    }
    Recent { messages: taken.into_iter().rev().flatten().collect(), tokens, is_tainted }
}

/// Adds what was said and called. Where no tools are shown, calls are told in words: some providers refuse a conversation
/// with calls of tools they are not told of.
fn add_thread(messages: &mut Vec<Message>, thread: &Thread, with_calls: bool) {
    for entry in thread.entries() {
        match entry {
            Entry::Steered(text) => messages.push(Message::User { text: text.clone(), images: Vec::new() }),
            Entry::Round(round) if with_calls && !round.calls.is_empty() => {
                let calls = round.calls.iter().map(|call| Call {
                    id: call.planned.call_id.clone(),
                    tool: call.planned.tool.clone(),
                    arguments: call.planned.arguments.clone(),
                    signatures: call.planned.signatures.clone(),
                });
                messages.push(Message::Assistant { text: round.text.clone(), calls: calls.collect() });
                messages.extend(round.calls.iter().map(|call| Message::Result {
                    call_id: call.planned.call_id.clone(),
                    tool: call.planned.tool.clone(),
                    text: call.result.as_ref().map_or_else(String::new, |result| result.content.clone()),
                }));
            }
            Entry::Round(round) => {
                let mut words = round.text.clone();
                for call in &round.calls {
                    let result = call.result.as_ref().map_or("", |result| &result.content);
                    let sep = if words.is_empty() { "" } else { "\n" };
                    words.push_str(&format!("{sep}[`{}` answered: {result}]", call.planned.tool));
                }
                add_words(messages, words);
            }
        }
    }
}

/// Adds words of the assistant; after its own words they go on.
fn add_words(messages: &mut Vec<Message>, words: String) {
    match messages.last_mut() {
        Some(Message::Assistant { text, calls }) if calls.is_empty() => {
            text.push_str("\n\n");
            text.push_str(&words);
        }
        _ => messages.push(Message::Assistant { text: words, calls: Vec::new() }),
    }
}

/// What a model that takes over from another should know of the conversation, by its first and last words.
fn transfer(work: &Work, from: Option<&str>, to: &str) -> String {
    let short = |text: &str| -> String {
        let mut short: String = text.chars().take(TRANSFER_CHARS_MAX).collect();
        if short.len() < text.len() {
            short.push('…');
        }
        short.replace('\n', " ")
    };
    let mut turns = String::new();
    for turn in &work.job.recent {
        turns.push_str(&format!("- Asked: {}\n  Answered: {}\n", short(&turn.message), short(&turn.answer)));
    }
    let from = from.map_or_else(|| work.house.models.name(None), str::to_owned);
    TRANSFER.trim().replace("{from}", &from).replace("{to}", to).replace("{turns}", turns.trim_end())
}
