//! What a turn is told of the conversation before it: ended turns as messages of a tape, and the window over them.

use std::collections::BTreeSet;

use memory::tape::{Filter, Kind, Source, Tag, Tags, Window};
use model::{Call, Message, Model, ToolSpec, count_message};
use protocol::{Item, Level, OwnerId, Request, TurnId, WindowView};
use session::{Entry, RecentTurn, Round, Thread};

use super::{
    client,
    job::Conversation,
    last_exchange::{LastExchange, fitting, shorten},
    pictures::Pictures,
    plan,
    recalled::Recalled,
    scaffold::{self, Before},
    share::Share,
    tool_selection::{Selection, Situation, told_call},
};
use crate::hub::House;

const GO_ON: &str = include_str!("../../prompts/go_on.md");

/// Stands in for the user's words where they have left and the answer has not.
const BEFORE: &str = "(The conversation began earlier.)";
/// The room for the message that is to be answered is kept in steps of this part of the window: while it stays within its
/// step, the same turns are told, and a provider finds what it has read before.
const RESERVE_PARTS: u64 = 8;

/// What a message of the window stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Unit<'a> {
    /// What is told elsewhere in the prompt and takes room here.
    Elsewhere,
    /// What an ended turn was asked.
    Asked(&'a RecentTurn),
    /// A round of calls with its results, or what was said in between.
    Entry(&'a RecentTurn, &'a Entry),
    /// What it answered.
    Answered(&'a RecentTurn),
    /// What it was asked, in so many characters.
    ShortAsked(&'a RecentTurn, usize),
    /// What it answered, in so many characters.
    ShortAnswered(&'a RecentTurn, usize),
}

impl<'a> Unit<'a> {
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

/// What is looked back on.
#[derive(Clone, Copy)]
pub(super) struct Past<'a> {
    pub(super) house: &'a House,
    pub(super) recent: &'a [RecentTurn],
    pub(super) share: Share,
    pub(super) filter: &'a Filter,
    /// Whether calls are told as calls.
    pub(super) with_calls: bool,
    pub(super) pictures: &'a Pictures,
}

/// Tokens of what stands around the conversation.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// Instructions and tools.
    pub(super) system: u64,
    pub(super) pins: u64,
    /// The turn that is to be answered, if there is one.
    pub(super) current: Option<u64>,
}

impl<'a> Past<'a> {
    /// The window over the conversation, with room taken for all that stands around it.
    pub(super) fn window(self, around: Around) -> Window<Unit<'a>> {
        let tokens_max = self.share.tokens_max;
        let reserved = around.current.map_or(0, |tokens| reserve(tokens, tokens_max));
        let mut window = Window::with_reserve(tokens_max, reserved);
        let elsewhere = |kind, source, tokens| memory::tape::Message::new(kind, source, tokens, Unit::Elsewhere);
        window.add(elsewhere(Kind::System, Source::System, around.system));
        if around.pins > 0 {
            window.add(elsewhere(Kind::Pin, Source::User, around.pins));
        }
        let room = tokens_max.saturating_sub(around.system + around.pins + around.current.unwrap_or(0));
        let mut turns = self.turns().peekable();
        while let Some(turn) = turns.next() {
            let mut units = self.units(turn);
            units.retain(|unit| self.filter.takes(unit));
            if turns.peek().is_none() {
                units = fitting(turn, units, room);
            }
            window.add_exchange(units);
        }
        window
    }

    /// Tokens of all turns that may be told.
    pub(super) fn tokens(self) -> u64 {
        self.turns().flat_map(|turn| self.units(turn)).map(|unit| unit.tokens).sum()
    }

    /// How that window has the last exchange.
    pub(super) fn last_in(self, window: &Window<Unit<'_>>) -> LastExchange {
        LastExchange::in_window(self.turns().last(), window)
    }

    /// The turns that may be told, oldest first.
    fn turns(self) -> impl Iterator<Item = &'a RecentTurn> {
        self.recent.iter().filter(move |turn| self.takes(turn))
    }

    /// Whether some of a turn may be told.
    pub(super) fn takes(self, turn: &RecentTurn) -> bool {
        takes(self.filter, turn)
    }

    fn units(self, turn: &'a RecentTurn) -> Vec<memory::tape::Message<Unit<'a>>> {
        let form = (turn.turn_id, self.with_calls, turn.thread.entries().len());
        let tokens = self.house.turn_tokens(form, || {
            let count = |unit: Unit<'_>| unit.messages(self.with_calls, None).iter().map(count_message).sum();
            units(turn).map(count).collect::<Vec<u64>>().into()
        });
        let message = |(unit, tokens): (Unit<'a>, &u64)| {
            let (kind, source) = kind(unit);
            // Which pictures are shown changes from turn to turn.
            let has_pictures = matches!(unit, Unit::Asked(_)) && !turn.pictures.is_empty();
            let tokens = if has_pictures { self.pictures.count(turn) } else { *tokens };
            memory::tape::Message::new(kind, source, tokens, unit).tagged(tags(unit))
        };
        units(turn).zip(tokens.iter()).map(message).collect()
    }
}

/// The room that is kept for the message that is to be answered and what stands beside it.
const fn reserve(tokens: u64, tokens_max: u64) -> u64 {
    let step = tokens_max / RESERVE_PARTS;
    if step == 0 { tokens } else { tokens.div_ceil(step) * step }
}

/// Whether some of a turn is told at all, and a filter takes some of it.
pub(super) fn takes(filter: &Filter, turn: &RecentTurn) -> bool {
    !turn.is_left_out() && units(turn).any(|unit| filter.takes_tags(&tags(unit)))
}

/// An ended turn as messages.
fn units(turn: &RecentTurn) -> impl Iterator<Item = Unit<'_>> {
    let entries = turn.thread.entries().iter().map(move |entry| Unit::Entry(turn, entry));
    // Also where there is none, which is said: a question is never followed by the next one as if both were one.
    std::iter::once(Unit::Asked(turn)).chain(entries).chain([Unit::Answered(turn)])
}

fn kind(unit: Unit<'_>) -> (Kind, Source) {
    match unit {
        Unit::Elsewhere => (Kind::System, Source::System),
        Unit::Asked(_) | Unit::ShortAsked(..) | Unit::Entry(_, Entry::Steered(_)) => (Kind::User, Source::User),
        Unit::Entry(_, Entry::Round(round)) if !round.calls.is_empty() => {
            let tools = round.calls.iter().map(|call| call.planned.tool.clone());
            (Kind::Calls, Source::Tools(tools.collect()))
        }
        Unit::Entry(..) | Unit::Answered(_) | Unit::ShortAnswered(..) => (Kind::Assistant, Source::Assistant),
    }
}

/// The tags of a turn hold for all of it; what each message is, it says by itself.
fn tags(unit: Unit<'_>) -> Tags {
    let own = match kind(unit).0 {
        Kind::User => Tag::input(),
        Kind::Calls => Tag::tool_call(),
        Kind::System | Kind::Pin | Kind::Assistant => Tag::output(),
    };
    unit.turn().into_iter().flat_map(|turn| turn.tags.iter().cloned()).chain([own]).collect()
}

/// What is told of the conversation.
pub(super) struct Told {
    pub(super) messages: Vec<Message>,
    pub(super) tokens: u64,
    /// Whether some of it may be anybody's words.
    pub(super) is_tainted: bool,
    /// The turns whose question is told, and those whose answer is.
    asked: BTreeSet<TurnId>,
    answered: BTreeSet<TurnId>,
}

impl Told {
    pub(super) fn of(past: Past<'_>, window: &Window<Unit<'_>>) -> Self {
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
                Unit::Asked(_) => drop(told.asked.insert(turn.turn_id)),
                Unit::Answered(_) => drop(told.answered.insert(turn.turn_id)),
                Unit::Elsewhere | Unit::Entry(..) | Unit::ShortAsked(..) | Unit::ShortAnswered(..) => {}
            }
        }
        if !matches!(told.messages.first(), None | Some(Message::User { .. })) {
            // Many providers and local models want the user's words first.
            let before = Message::user(BEFORE);
            told.tokens += count_message(&before);
            told.messages.insert(0, before);
        }
        told
    }

    /// Whether something memory holds is a message that is told already.
    pub(super) fn has(&self, item: &Item) -> bool {
        let turns = if item.role.as_deref() == Some("assistant") { &self.answered } else { &self.asked };
        item.level == Level::Entry && item.source.turn_id.is_some_and(|turn_id| turns.contains(&turn_id))
    }
}

/// What was said and called in a turn, as messages.
pub(super) fn thread(thread: &Thread, with_calls: bool) -> Vec<Message> {
    thread.entries().iter().flat_map(|entry| told(entry, with_calls)).collect()
}

/// An entry as messages. Where no tools are shown, calls are told in words: some providers refuse a conversation with
/// calls of tools they are not told of.
fn told(entry: &Entry, with_calls: bool) -> Vec<Message> {
    match entry {
        Entry::Steered(text) => vec![Message::user(text.clone())],
        Entry::Round(round) if round.is_cut() && round.calls.is_empty() => {
            let cut = Message::Assistant { text: round.text.clone(), calls: Vec::new() };
            vec![cut, Message::user(GO_ON.trim())]
        }
        Entry::Round(round) if with_calls && !round.calls.is_empty() => called(round),
        Entry::Round(round) => {
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

/// The window of a session as clients see it, for a model: what its next turn would be told of the conversation.
pub(crate) fn window(house: &House, owner: &OwnerId, conversation: &Conversation, model: &dyn Model) -> WindowView {
    let Conversation { settings, recent, pins, standing } = conversation;
    let next = Request::text("");
    let share = Share::of(model.traits(), &settings.budgets, &next);
    let client = client::words(settings);
    let before = Before { client: client.as_deref(), ..Before::default() };
    let system = scaffold::system(pins, &Recalled::default(), before);
    let tools = plan::offered(house, house.has_library(owner), &plan::rules_of(settings), standing, &next, false);
    let with_calls = !tools.is_empty() && !house.is_toolless(model.name());
    let situation = Situation { recent, pinned: &settings.pinned_tools, ..Situation::default() };
    let selection = Selection::of(&house.tools, &house.likely_tools, &tools, situation);
    let shown = selection.shown(&tools, share.tokens_max, ToolSpec::tokens);
    let tools: u64 = if with_calls { shown.iter().map(ToolSpec::tokens).sum() } else { 0 };
    let pins = system.sections.iter().filter(|section| section.name == "pins").map(|section| section.tokens).sum();
    let filter = Filter::default();
    let pictures = Pictures::default();
    let past = Past { house, recent, share, filter: &filter, with_calls, pictures: &pictures };
    let window = past.window(Around { system: system.tokens - pins + tools, pins, current: None });
    let stats = window.stats();
    let said = window.messages().filter(|message| message.content.turn().is_some()).count();
    let all = recent.iter().flat_map(units).count();
    WindowView {
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
    use super::{super::recalled::tests::found, *};

    #[test]
    fn what_is_told_already_is_not_recalled_beside_it() {
        let turn = |n: u8| TurnId::from_bytes([n; 16]);
        let told = Told {
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
