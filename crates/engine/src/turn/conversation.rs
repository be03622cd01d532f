//! The conversation in a turn's prompt: ended turns as messages of a tape, and the window over
//! them.

use std::collections::BTreeSet;

use memory::tape::{ContextWindow, MessageKind, MessageSource, Tag, TagFilter, Tags};
use model::{Call, Message, Model, ToolSpec, count_message};
use protocol::{ContextWindowView, Level, MemoryItem, OwnerId, Request, TurnId};
use session::{RecentTurn, Round, Thread, ThreadEntry};

use super::{
    client,
    context_budget::ContextBudget,
    input::ConversationContext,
    last_exchange::{LastExchange, fitting, shorten},
    pictures::Pictures,
    plan,
    prompt_sections::{self, InstructionParts},
    recalled_memory::RecalledMemory,
    tool_selection::{Selection, SelectionContext, told_call},
};
use crate::hub::Services;

const GO_ON: &str = include_str!("../../prompts/go_on.md");

/// Replaces the user's message if it has left the window and its answer has not.
const BEFORE: &str = "(The conversation began earlier.)";
/// Tokens for the current message are reserved in steps of this part of the window: within a step
/// the same turns stay in the prompt, and the provider's cache stays valid.
const RESERVE_PARTS: u64 = 8;

/// A message of the window.
#[derive(Debug, Clone, Copy)]
pub(super) enum WindowItem<'a> {
    /// Something elsewhere in the prompt that takes space here.
    Elsewhere,
    /// The message of an ended turn.
    Asked(&'a RecentTurn),
    /// A round of calls with its results, or a steering message.
    Entry(&'a RecentTurn, &'a ThreadEntry),
    /// The answer of the turn.
    Answered(&'a RecentTurn),
    /// The message, shortened to this many characters.
    ShortAsked(&'a RecentTurn, usize),
    /// The answer, shortened to this many characters.
    ShortAnswered(&'a RecentTurn, usize),
}

impl<'a> WindowItem<'a> {
    /// The turn it is part of.
    pub(super) const fn turn(self) -> Option<&'a RecentTurn> {
        match self {
            Self::Elsewhere => None,
            Self::Asked(turn)
            | Self::Entry(turn, _)
            | Self::Answered(turn)
            | Self::ShortAsked(turn, _)
            | Self::ShortAnswered(turn, _) => Some(turn),
        }
    }

    pub(super) fn messages(self, with_calls: bool, pictures: Option<&Pictures>) -> Vec<Message> {
        let answered = |text: String| vec![Message::Assistant { text, calls: Vec::new() }];
        match self {
            Self::Elsewhere => Vec::new(),
            Self::Asked(turn) => {
                vec![pictures.map_or_else(|| Message::user(turn.message.clone()), |pictures| pictures.asked(turn))]
            }
            Self::Entry(_, entry) => told(entry, with_calls),
            Self::Answered(turn) => answered(turn.told_answer().into_owned()),
            Self::ShortAsked(turn, chars) => vec![Message::user(shorten(&turn.message, chars))],
            Self::ShortAnswered(turn, chars) => answered(shorten(&turn.told_answer(), chars)),
        }
    }
}

/// The earlier turns, and how they are included.
#[derive(Clone, Copy)]
pub(super) struct ConversationHistory<'a> {
    pub(super) services: &'a Services,
    pub(super) recent: &'a [RecentTurn],
    pub(super) share: ContextBudget,
    pub(super) filter: &'a TagFilter,
    /// Whether calls are included as calls.
    pub(super) with_calls: bool,
    pub(super) pictures: &'a Pictures,
}

/// Tokens of everything around the conversation.
#[derive(Clone, Copy)]
pub(super) struct ReservedTokens {
    /// Instructions and tools.
    pub(super) system: u64,
    pub(super) pins: u64,
    /// The current turn, if there is one.
    pub(super) current: Option<u64>,
}

impl<'a> ConversationHistory<'a> {
    /// The window over the conversation, with tokens reserved for everything around it.
    pub(super) fn window(self, around: ReservedTokens) -> ContextWindow<WindowItem<'a>> {
        let tokens_max = self.share.tokens_max;
        let reserved = around.current.map_or(0, |tokens| reserve(tokens, tokens_max));
        let mut window = ContextWindow::with_reserve(tokens_max, reserved);
        let elsewhere =
            |kind, source, tokens| memory::tape::TapeMessage::new(kind, source, tokens, WindowItem::Elsewhere);
        window.add(elsewhere(MessageKind::System, MessageSource::System, around.system));
        if around.pins > 0 {
            window.add(elsewhere(MessageKind::Pin, MessageSource::User, around.pins));
        }
        let space = tokens_max.saturating_sub(around.system + around.pins + around.current.unwrap_or(0));
        let mut turns = self.turns().peekable();
        while let Some(turn) = turns.next() {
            let mut units = self.units(turn);
            units.retain(|unit| self.filter.takes(unit));
            if turns.peek().is_none() {
                units = fitting(turn, units, space);
            }
            window.add_exchange(units);
        }
        window
    }

    /// Tokens of all turns that may be included.
    pub(super) fn tokens(self) -> u64 {
        self.turns().flat_map(|turn| self.units(turn)).map(|unit| unit.tokens).sum()
    }

    /// How that window contains the last exchange.
    pub(super) fn last_in(self, window: &ContextWindow<WindowItem<'_>>) -> LastExchange {
        LastExchange::in_window(self.turns().last(), window)
    }

    /// The turns that may be included, oldest first.
    fn turns(self) -> impl Iterator<Item = &'a RecentTurn> {
        self.recent.iter().filter(move |turn| self.takes(turn))
    }

    /// Whether some of a turn may be included.
    pub(super) fn takes(self, turn: &RecentTurn) -> bool {
        takes(self.filter, turn)
    }

    fn units(self, turn: &'a RecentTurn) -> Vec<memory::tape::TapeMessage<WindowItem<'a>>> {
        let form = (turn.turn_id, self.with_calls, turn.thread.entries().len());
        let tokens = self.services.turn_tokens(form, || {
            let count = |unit: WindowItem<'_>| unit.messages(self.with_calls, None).iter().map(count_message).sum();
            units(turn).map(count).collect::<Vec<u64>>().into()
        });
        let message = |(unit, tokens): (WindowItem<'a>, &u64)| {
            let (kind, source) = kind(unit);
            // The selection of images changes from turn to turn.
            let has_pictures = matches!(unit, WindowItem::Asked(_)) && !turn.pictures.is_empty();
            let tokens = if has_pictures { self.pictures.count(turn) } else { *tokens };
            memory::tape::TapeMessage::new(kind, source, tokens, unit).tagged(tags(unit))
        };
        units(turn).zip(tokens.iter()).map(message).collect()
    }
}

/// The tokens reserved for the current message and its notes.
const fn reserve(tokens: u64, tokens_max: u64) -> u64 {
    let step = tokens_max / RESERVE_PARTS;
    if step == 0 { tokens } else { tokens.div_ceil(step) * step }
}

/// Whether some of a turn may be included and passes a filter.
pub(super) fn takes(filter: &TagFilter, turn: &RecentTurn) -> bool {
    !turn.is_left_out() && units(turn).any(|unit| filter.takes_tags(&tags(unit)))
}

/// An ended turn as messages.
fn units(turn: &RecentTurn) -> impl Iterator<Item = WindowItem<'_>> {
    let entries = turn.thread.entries().iter().map(move |entry| WindowItem::Entry(turn, entry));
    // Also without an answer, which a note then says: two questions never follow each other
    // directly.
    std::iter::once(WindowItem::Asked(turn)).chain(entries).chain([WindowItem::Answered(turn)])
}

fn kind(unit: WindowItem<'_>) -> (MessageKind, MessageSource) {
    match unit {
        WindowItem::Elsewhere => (MessageKind::System, MessageSource::System),
        WindowItem::Asked(_) | WindowItem::ShortAsked(..) | WindowItem::Entry(_, ThreadEntry::Steered(_)) => {
            (MessageKind::User, MessageSource::User)
        }
        WindowItem::Entry(_, ThreadEntry::Round(round)) if !round.calls.is_empty() => {
            let tools = round.calls.iter().map(|call| call.planned.tool.clone());
            (MessageKind::Calls, MessageSource::Tools(tools.collect()))
        }
        WindowItem::Entry(..) | WindowItem::Answered(_) | WindowItem::ShortAnswered(..) => {
            (MessageKind::Assistant, MessageSource::Assistant)
        }
    }
}

/// The tags of a turn apply to all of its messages; the kind of each message adds one.
fn tags(unit: WindowItem<'_>) -> Tags {
    let own = match kind(unit).0 {
        MessageKind::User => Tag::input(),
        MessageKind::Calls => Tag::tool_call(),
        MessageKind::System | MessageKind::Pin | MessageKind::Assistant => Tag::output(),
    };
    unit.turn().into_iter().flat_map(|turn| turn.tags.iter().cloned()).chain([own]).collect()
}

/// The conversation in the prompt.
pub(super) struct PromptHistory {
    pub(super) messages: Vec<Message>,
    pub(super) tokens: u64,
    /// Whether some of it is untrusted.
    pub(super) is_tainted: bool,
    /// The turns whose question is included, and those whose answer is.
    asked: BTreeSet<TurnId>,
    answered: BTreeSet<TurnId>,
}

impl PromptHistory {
    pub(super) fn of(past: ConversationHistory<'_>, window: &ContextWindow<WindowItem<'_>>) -> Self {
        let mut told = Self {
            messages: Vec::new(),
            tokens: 0,
            is_tainted: false,
            asked: BTreeSet::new(),
            answered: BTreeSet::new(),
        };
        for message in window.messages() {
            let Some(turn) = message.content.turn() else { continue };
            told.tokens += message.tokens;
            told.is_tainted |= turn.is_tainted;
            told.messages.extend(message.content.messages(past.with_calls, Some(past.pictures)));
            match message.content {
                WindowItem::Asked(_) => drop(told.asked.insert(turn.turn_id)),
                WindowItem::Answered(_) => drop(told.answered.insert(turn.turn_id)),
                WindowItem::Elsewhere
                | WindowItem::Entry(..)
                | WindowItem::ShortAsked(..)
                | WindowItem::ShortAnswered(..) => {}
            }
        }
        if !matches!(told.messages.first(), None | Some(Message::User { .. })) {
            // Many providers and local models require a user message first.
            let before = Message::user(BEFORE);
            told.tokens += count_message(&before);
            told.messages.insert(0, before);
        }
        told
    }

    /// Whether a memory item is a message that is included already.
    pub(super) fn has(&self, item: &MemoryItem) -> bool {
        let turns = if item.role.as_deref() == Some("assistant") { &self.answered } else { &self.asked };
        item.level == Level::Entry && item.source.turn_id.is_some_and(|turn_id| turns.contains(&turn_id))
    }
}

/// The text and the calls of a turn, as messages.
pub(super) fn thread(thread: &Thread, with_calls: bool) -> Vec<Message> {
    thread.entries().iter().flat_map(|entry| told(entry, with_calls)).collect()
}

/// An entry as messages. If no tools are offered, calls are written as text: some providers refuse
/// a conversation with calls of tools that the request does not list.
fn told(entry: &ThreadEntry, with_calls: bool) -> Vec<Message> {
    match entry {
        ThreadEntry::Steered(text) => vec![Message::user(text.clone())],
        ThreadEntry::Round(round) if round.is_cut() && round.calls.is_empty() => {
            let cut = Message::Assistant { text: round.text.clone(), calls: Vec::new() };
            vec![cut, Message::user(GO_ON.trim())]
        }
        ThreadEntry::Round(round) if with_calls && !round.calls.is_empty() => called(round),
        ThreadEntry::Round(round) => {
            let mut text = round.text.clone();
            for call in &round.calls {
                let result = call.result.as_ref().map_or("", |result| &result.content);
                let sep = if text.is_empty() { "" } else { "\n" };
                text.push_str(&format!("{sep}[`{}` answered: {result}]", call.planned.tool));
            }
            vec![Message::Assistant { text, calls: Vec::new() }]
        }
    }
}

/// A round of calls with all its results.
fn called(round: &Round) -> Vec<Message> {
    let calls = round.calls.iter().map(|call| {
        let (id, (tool, arguments)) = (call.planned.call_id.clone(), told_call(&call.planned));
        Call { id, tool, arguments, signatures: call.planned.signatures.clone() }
    });
    let asked = Message::Assistant { text: round.text.clone(), calls: calls.collect() };
    let results = round.calls.iter().map(|call| Message::Result {
        call_id: call.planned.call_id.clone(),
        tool: told_call(&call.planned).0,
        text: call.result.as_ref().map_or_else(String::new, |result| result.content.clone()),
    });
    std::iter::once(asked).chain(results).collect()
}

/// The window of a session for a model, as clients see it: the conversation in its next turn's
/// prompt.
pub(crate) fn window(
    services: &Services,
    owner: &OwnerId,
    conversation: &ConversationContext,
    model: &dyn Model,
) -> ContextWindowView {
    let ConversationContext { settings, recent, pins, saved_approvals: standing } = conversation;
    let next = Request::text("");
    let share = ContextBudget::of(model.traits(), &settings.budgets, &next);
    let client = client::words(settings);
    let before = InstructionParts { client: client.as_deref(), ..InstructionParts::default() };
    let system = prompt_sections::system(pins, &RecalledMemory::default(), before);
    let tools =
        plan::offered(services, services.has_library(owner), &plan::rules_of(settings, &next), standing, &next, false);
    let with_calls = !tools.is_empty() && !services.is_toolless(model.name());
    let situation = SelectionContext { recent, pinned: &settings.pinned_tools, ..SelectionContext::default() };
    let selection = Selection::of(&services.tools, &services.likely_tools, &tools, situation);
    let shown = selection.shown(&tools, share.tokens_max, ToolSpec::tokens);
    let tools: u64 = if with_calls { shown.iter().map(ToolSpec::tokens).sum() } else { 0 };
    let pins = system.sections.iter().filter(|section| section.name == "pins").map(|section| section.tokens).sum();
    let filter = TagFilter::default();
    let pictures = Pictures::default();
    let past = ConversationHistory { services, recent, share, filter: &filter, with_calls, pictures: &pictures };
    let window = past.window(ReservedTokens { system: system.tokens - pins + tools, pins, current: None });
    let stats = window.stats();
    let said = window.messages().filter(|message| message.content.turn().is_some()).count();
    let all = recent.iter().flat_map(units).count();
    ContextWindowView {
        messages: stats.messages,
        tokens: stats.tokens,
        tokens_max: stats.tokens_max,
        utilisation: (stats.utilisation * 10.0).round() / 10.0,
        tags: stats.tags.into_iter().map(|(tag, count)| (tag.into(), count)).collect(),
        evicted: all.saturating_sub(said) as u64,
        health: window.health().iter().map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::recalled_memory::tests::found, *};

    #[test]
    fn what_is_told_already_is_not_recalled_beside_it() {
        let turn = |n: u8| TurnId::from_bytes([n; 16]);
        let told = PromptHistory {
            messages: Vec::new(),
            tokens: 0,
            is_tainted: false,
            asked: BTreeSet::from([turn(1)]),
            answered: BTreeSet::from([turn(2)]),
        };
        let item = |level: Level, role: &str, n: u8| {
            let mut item = found(9, "x").item;
            (item.level, item.role, item.source.turn_id) = (level, Some(role.to_owned()), Some(turn(n)));
            item
        };
        assert!(told.has(&item(Level::Entry, "user", 1)) && told.has(&item(Level::Entry, "assistant", 2)));
        assert!(!told.has(&item(Level::Entry, "user", 2)), "the answer alone is told");
        assert!(!told.has(&item(Level::Entry, "user", 3)), "another turn");
        assert!(!told.has(&item(Level::Fact, "user", 1)), "a fact says more than the message");
    }
}
