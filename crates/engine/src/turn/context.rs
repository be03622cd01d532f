//! Context assembly, in one place: what the model is told, within its budget, and a report of what that was.
//!
//! What changes least comes first and the clock last, so that a provider need not read again what it has read before:
//! instructions, tools, profile, pins and the rolling summary; the last messages; the message itself; and beside it, as
//! notes, what was recalled for it, what to look at, and the time.

use std::sync::Arc;

use memory::tape::Filter;
use model::{Choice, Image, Known, Message, Model, Prompt, ToolSpec, count, count_message};
use protocol::{Found, Item, Level, MemoryUsed, ModelSettings, Origin, Section, UsedItem};
use session::RECENT_TURNS_LEFT;

use super::{
    beside::{self, Beside},
    budget, client,
    conversation::{self, Around, Past, Told},
    offer,
    pictures::Pictures,
    plan::Plan,
    recalled::{self, ITEMS_MAX},
    scaffold::{self, Before, Scaffold},
    share::Share,
    work::Work,
};

const TRANSFER: &str = include_str!("../../prompts/transfer.md");

/// Notes beside the message have one part in so many of the context at most.
const NOTES_PARTS: u64 = 4;
/// The list of the home's entities has one part in so many.
const ENTITIES_PARTS: u64 = 6;
/// A conversation that takes less than one part in so many is told whole, and needs no summary.
const WHOLE_PARTS: u64 = 3;
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
    pub(super) tools: Arc<[ToolSpec]>,
    /// The last messages, and the one that is to be answered, with its notes.
    messages: Vec<Message>,
    /// What was recalled and is told.
    facts: Vec<Found>,
    /// What is known from before, for whoever cannot read words.
    known: Vec<Known>,
    /// All parts up to the notes, in order.
    sections: Vec<Section>,
    /// Tokens of all of that.
    tokens: u64,
    tokens_max: u64,
    /// The summary that a model is given which takes over from another.
    pub(super) transfer: Option<String>,
}

/// Puts together what the model is told. With `wrap_up` it is shown no tools and told to answer from what it has.
pub(super) fn assemble(work: &mut Work, plan: &Plan, model: &dyn Model, wrap_up: Option<&str>) -> Assembled {
    let with_calls = wrap_up.is_none() && shows_tools(work, plan, model);
    let rounds = conversation::thread(&work.thread, with_calls);
    let rounds_tokens: u64 = rounds.iter().map(count_message).sum();
    let choice = if with_calls { offer::choice(work, plan, model) } else { Choice::Free };
    let now = work.house.world.now();
    let background = background(work, plan, model, wrap_up, rounds_tokens);
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
    };
    Assembled { prompt, tokens: background.tokens + rounds_tokens, room: u64::MAX }
}

/// Fetches the pictures of earlier turns that the model is shown again.
pub(super) async fn fetch_pictures(work: &mut Work, model: &dyn Model) {
    if work.job.recent.iter().any(|turn| !turn.pictures.is_empty()) {
        let share = Share::of(model.traits(), &work.job.settings.budgets, &work.job.turn.request);
        work.pictures = Pictures::load(&work.house, &work.job.recent, model, share.tokens_max).await;
    }
}

/// Looks back before the first round; gives the tokens of what the model will be told.
pub(super) fn prepare(work: &mut Work, plan: &Plan, model: &dyn Model) -> u64 {
    let rounds = conversation::thread(&work.thread, shows_tools(work, plan, model));
    let rounds_tokens: u64 = rounds.iter().map(count_message).sum();
    background(work, plan, model, None, rounds_tokens).tokens + rounds_tokens
}

fn shows_tools(work: &Work, plan: &Plan, model: &dyn Model) -> bool {
    !offer::shown(work, plan, model).is_empty() && !work.house.is_toolless(model.name())
}

fn background<'a>(
    work: &'a mut Work,
    plan: &Plan,
    model: &dyn Model,
    wrap_up: Option<&str>,
    rounds_tokens: u64,
) -> &'a Background {
    let with_calls = wrap_up.is_none() && shows_tools(work, plan, model);
    let known = work.background.take();
    let tools = if with_calls { offer::shown(work, plan, model) } else { Arc::default() };
    let is_fresh = |known: &Background| {
        let is_same_way = known.is_wrapping_up == wrap_up.is_some() && known.tools[..] == tools[..];
        known.model == model.name() && is_same_way
    };
    let background = match known.filter(is_fresh) {
        Some(known) => known,
        None => look_back(work, plan, model, wrap_up, tools, rounds_tokens),
    };
    work.background.insert(background)
}

fn look_back(
    work: &mut Work,
    plan: &Plan,
    model: &dyn Model,
    wrap_up: Option<&str>,
    tools: Arc<[ToolSpec]>,
    rounds_tokens: u64,
) -> Background {
    let with_calls = !tools.is_empty();
    drop_needless_summary(work, model, with_calls);
    let tools_tokens: u64 = tools.iter().map(ToolSpec::tokens).sum();
    let share = Share::of(model.traits(), &work.job.settings.budgets, &work.job.turn.request);
    let filter = Filter::any_of(work.job.turn.request.context_tags.clone());
    let (house, recent, pictures) = (&work.house, &work.job.recent, &work.pictures);
    let past = Past { house, recent, share, filter: &filter, with_calls, pictures };
    // Who was told nothing before has nothing to take over.
    let switched = work.job.switched.as_ref().filter(|_| !work.job.recent.is_empty());
    let transfer = switched.map(|it| transfer(work, past, it.from.as_deref(), model.name()));
    let role = beside::role(&work.job.turn);
    let around = work.surroundings.as_ref();
    let client = client::words(&work.job.settings);
    let entities = around.map(|around| within(&around.base.text, share.tokens_max / ENTITIES_PARTS));
    let before = Before {
        transfer: transfer.as_deref(),
        role: role.as_deref(),
        client: client.as_deref(),
        entities: entities.as_deref(),
        spent: wrap_up,
        summary_max: share.summary_max,
    };
    let Beside { mut parts, is_tainted: is_beside_tainted } =
        beside::beside(&work.job.turn, &work.job.timeline, &work.job.desktop, &work.job.reload);
    parts.extend(around.filter(|around| !around.news.is_empty()).map(|around| ("around", around.news.clone())));
    let Scaffold { text: system, mut sections, tokens: system_tokens } =
        scaffold::system(&work.job.pins, &work.recalled, before);
    let pins: u64 = sections.iter().filter(|section| section.name == "pins").map(|section| section.tokens).sum();

    // Which of what was recalled stands in the conversation anyway is known only once there is a window, and the window
    // must leave room for the notes: so it leaves as much as they take at most.
    let mut asked = asked(work, model);
    let asked_tokens = count_message(&asked);
    let best: Vec<&Found> = work.recalled.items().take(ITEMS_MAX).collect();
    let least = scaffold::notes(&parts, &[], &plan.hints, work.clock).tokens;
    let most = scaffold::notes(&parts, &best, &plan.hints, work.clock).tokens;
    let room = most.min(least.max(share.tokens_max / NOTES_PARTS));
    let system_alone = system_tokens.saturating_sub(pins) + tools_tokens;
    let current = asked_tokens + room + rounds_tokens;
    let window = past.window(Around { system: system_alone, pins, current: Some(current) });
    let told = Told::of(past, &window);
    let taken = system_alone + pins + current;
    let notice = past.last_in(&window).notice(model.name(), share.tokens_max, taken);
    let (facts, beside) = facts(work, plan, &parts, &told, room);
    work.window_notice = notice;
    // What one model was told, the words it said may carry; so this never goes back.
    work.is_tainted_once |= is_beside_tainted || facts.iter().any(|found| found.item.origin == Origin::Untrusted);
    work.is_context_tainted |= work.is_tainted_once || is_tainted(work, &told, transfer.is_some());

    sections.insert(1, Section { name: "tools".to_owned(), tokens: tools_tokens });
    sections.push(Section { name: "recent".to_owned(), tokens: told.tokens });
    sections.push(Section { name: "task".to_owned(), tokens: asked_tokens });
    sections.extend(beside.sections);
    if let Message::User { notes, .. } = &mut asked {
        *notes = beside.text;
    }
    let mut messages = told.messages;
    messages.push(asked);
    Background {
        model: model.name().to_owned(),
        is_wrapping_up: wrap_up.is_some(),
        tokens: system_tokens + tools_tokens + told.tokens + asked_tokens + beside.tokens,
        system,
        tools,
        messages,
        known: known(work, &facts),
        facts,
        sections,
        tokens_max: share.tokens_max,
        transfer,
    }
}

/// The message that is to be answered, word for word.
fn asked(work: &Work, model: &dyn Model) -> Message {
    let request = &work.job.turn.request;
    let mut text = request.message.clone();
    if !request.images.is_empty() && !model.traits().sees {
        // Whoever answers should say so rather than guess.
        text.push_str("\n\n[Pictures came with this message. This model cannot see them.]");
    }
    Message::User { text, images: images(work, model), notes: String::new() }
}

/// The rolling summary stands for what has left the window. While nothing has, it would tell the same twice, and change the
/// beginning of every prompt each time it is written anew.
fn drop_needless_summary(work: &mut Work, model: &dyn Model, with_calls: bool) {
    let share = Share::of(model.traits(), &work.job.settings.budgets, &work.job.turn.request);
    let (house, recent, pictures) = (&work.house, &work.job.recent, &work.pictures);
    let past = Past { house, recent, share, filter: &Filter::default(), with_calls, pictures };
    let is_all_told = recent.len() < RECENT_TURNS_LEFT && past.tokens() <= share.tokens_max / WHOLE_PARTS;
    if is_all_told && !recent.is_empty() {
        work.recalled.summary = None;
    }
}

/// The lines of a list that fit, and that there is more.
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

/// What was recalled and does not stand in the conversation anyway, and the notes that tell it, within their room.
fn facts(work: &Work, plan: &Plan, parts: &[scaffold::Part], told: &Told, room: u64) -> (Vec<Found>, Scaffold) {
    let (own, request) = (work.job.turn.id, &work.job.turn.request);
    // A fact that was read off the message is news only where it says more, such as what held before.
    let is_said = |item: &Item| item.level == Level::Entry || request.message.contains(item.text.trim());
    let is_own = |item: &Item| item.source.turn_id == Some(own) && is_said(item);
    let new = work.recalled.items().filter(|found| !is_own(&found.item) && !told.has(&found.item));
    let mut facts: Vec<&Found> = new.take(ITEMS_MAX).collect();
    loop {
        let notes = scaffold::notes(parts, &facts, &plan.hints, work.clock);
        if notes.tokens <= room || facts.pop().is_none() {
            return (facts.into_iter().cloned().collect(), notes);
        }
    }
}

/// Whether some of what the turn is told may be anybody's words.
fn is_tainted(work: &Work, told: &Told, is_taken_over: bool) -> bool {
    let is_pin_tainted = work.job.pins.values().any(|pin| pin.origin == Origin::Untrusted);
    // The transfer summary quotes turns that are no longer in the window.
    let is_transfer_tainted = is_taken_over && work.job.recent.iter().any(|turn| turn.is_tainted);
    let is_client_tainted = client::is_tainted(&work.job.settings);
    told.is_tainted || is_pin_tainted || is_transfer_tainted || is_client_tainted || work.recalled.is_tainted()
}

/// What the model is told beside the message, as clients see it.
pub(super) fn used(work: &Work, tokens: u64) -> MemoryUsed {
    let pins = work.job.pins.iter().map(|(key, pin)| UsedItem {
        source: pin.turn_id,
        key: Some(key.clone()),
        at: Some(pin.at),
        ..UsedItem::text(Level::Pin, pin.text.clone())
    });
    let mut used = MemoryUsed {
        items: pins.chain(work.recalled.used()).collect(),
        tokens,
        tainted: work.is_context_tainted,
        tainted_once: work.is_tainted_once,
        notices: work.recalled.notices.iter().chain(&work.window_notice).cloned().collect(),
        entities: work.surroundings.as_ref().map(|around| around.news.clone()).unwrap_or_default(),
        ..MemoryUsed::default()
    };
    used.digest = Some(digest(work, &used.items));
    if let Some(background) = &work.background {
        used.items.extend(background.facts.iter().map(recalled::used));
        used.sections.clone_from(&background.sections);
        // What a turn that goes on has done already.
        let rounds = tokens.saturating_sub(background.tokens);
        used.sections.extend((rounds > 0).then(|| Section { name: "rounds".to_owned(), tokens: rounds }));
        used.tokens_max = background.tokens_max;
    }
    used
}

/// What stands for what lasts of what was known: other pins, facts or lines of the profile make another one, as does
/// another model or another wish of the client. What was said of late, in whatever form, does not: whoever compares leaves out words that lean on it.
fn digest(work: &Work, items: &[UsedItem]) -> String {
    let lasts = |item: &&UsedItem| matches!(item.level, Level::Pin | Level::Profile | Level::Fact);
    let lasting: Vec<(&str, Option<&str>, &str)> =
        items.iter().filter(lasts).map(|item| (item.level.as_str(), item.key.as_deref(), item.text.as_str())).collect();
    let client = client::words(&work.job.settings);
    format!("{:032x}", memory::room::digest(&(&work.model, lasting, client)))
}

/// What is known from before, for whoever cannot read words.
fn known(work: &Work, facts: &[Found]) -> Vec<Known> {
    let pins = work.job.pins.iter().map(|(key, pin)| Known {
        level: Level::Pin.as_str().to_owned(),
        key: Some(key.clone()),
        text: pin.text.clone(),
        at: pin.at,
        until: None,
    });
    let facts = facts.iter().filter(|found| {
        let is_said = |turn_id| work.job.recent.iter().any(|turn| turn.turn_id == turn_id);
        found.item.level != Level::Entry || !found.item.source.turn_id.is_some_and(is_said)
    });
    let wanted = Filter::any_of(work.job.turn.request.context_tags.clone());
    let said = work.job.recent.iter().filter(|turn| conversation::takes(&wanted, turn)).map(|turn| Known {
        level: "said".to_owned(),
        key: None,
        text: turn.message.clone(),
        at: turn.at,
        until: None,
    });
    let noted = work.recalled.kept.iter().map(recalled::noted);
    noted.chain(pins).chain(work.recalled.known()).chain(facts.map(recalled::known)).chain(said).collect()
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

/// What a model that takes over from another should know of the conversation, by its first and last words.
fn transfer(work: &Work, past: Past<'_>, from: Option<&str>, to: &str) -> String {
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
    let from = from.map_or_else(|| work.house.models.name(None), str::to_owned);
    TRANSFER.trim().replace("{from}", &from).replace("{to}", to).replace("{turns}", turns.trim_end())
}
