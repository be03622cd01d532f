//! What a turn is told of the conversation before it: ended turns as messages of a tape, and the window over them.

use std::collections::BTreeSet;

use memory::tape::{Filter, Kind, Source, Tag, Tags, Window};
use model::{Call, Message, Model, Traits, count_message};
use protocol::{Budgets, Item, Level, OwnerId, Request, TurnId, WindowView};
use session::{Entry, RecentTurn, Round, Thread};

use super::{
    client,
    job::Conversation,
    plan,
    recalled::Recalled,
    scaffold::{self, Before},
};
use crate::hub::House;

/// Models that take at least this much get a larger share of the conversation.
const HIGH_CONTEXT_MIN: u64 = 100_000;
/// Tokens of context, and ended turns in it, for most models and for those.
const SHARE: (u64, usize) = (16_000, 3);
const HIGH_SHARE: (u64, usize) = (64_000, 24);
/// Stands in for the user's words where they have left and the answer has not.
const BEFORE: &str = "(The conversation began earlier.)";
/// Tokens of the rolling summary in a large context.
const SUMMARY_TOKENS_MAX: u64 = 2_000;
/// In a small one it is a fortieth of the context, between these.
const SUMMARY_SMALL: (u64, u64) = (120, 400);

/// What a conversation may take with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) tokens_max: u64,
    turns_max: usize,
    /// Tokens of the rolling summary.
    pub(super) summary_max: u64,
}

impl Share {
    pub(super) fn of(traits: Traits, budgets: &Budgets, request: &Request) -> Self {
        let is_high = traits.context_tokens_max >= HIGH_CONTEXT_MIN;
        let (tokens, turns_max) = if is_high { HIGH_SHARE } else { SHARE };
        let limit = budgets.context_tokens;
        let asked = request.context_window.or(limit).unwrap_or(tokens);
        // Half of what the model takes is left for tools and the answer.
        let tokens_max = asked.min(limit.unwrap_or(u64::MAX)).min(traits.context_tokens_max / 2);
        let (least, most) = SUMMARY_SMALL;
        let summary_max = if tokens_max > SHARE.0 { SUMMARY_TOKENS_MAX } else { (tokens_max / 40).clamp(least, most) };
        Self { tokens_max, turns_max, summary_max }
    }
}

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
}

impl<'a> Unit<'a> {
    /// The turn it is part of.
    const fn turn(self) -> Option<&'a RecentTurn> {
        match self {
            Self::Elsewhere => None,
            Self::Asked(turn) | Self::Entry(turn, _) | Self::Answered(turn) => Some(turn),
        }
    }

    fn messages(self, with_calls: bool) -> Vec<Message> {
        match self {
            Self::Elsewhere => Vec::new(),
            Self::Asked(turn) => vec![Message::user(turn.message.clone())],
            Self::Entry(_, entry) => told(entry, with_calls),
            Self::Answered(turn) => vec![Message::Assistant { text: turn.answer.clone(), calls: Vec::new() }],
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
        let mut window = Window::new(self.share.tokens_max);
        let elsewhere = |kind, source, tokens| memory::tape::Message::new(kind, source, tokens, Unit::Elsewhere);
        window.add(elsewhere(Kind::System, Source::System, around.system));
        if around.pins > 0 {
            window.add(elsewhere(Kind::Pin, Source::User, around.pins));
        }
        for turn in self.turns() {
            for message in self.units(turn) {
                if self.filter.takes(&message) {
                    window.add(message);
                }
            }
        }
        if let Some(tokens) = around.current {
            window.add(elsewhere(Kind::User, Source::User, tokens).current());
        }
        window
    }

    /// The turns that may be told, oldest first: the last ones that the filter takes, and before them what is important.
    fn turns(self) -> impl Iterator<Item = &'a RecentTurn> {
        let taken: Vec<&RecentTurn> = self.recent.iter().filter(|turn| self.takes(turn)).collect();
        let older = taken.len().saturating_sub(self.share.turns_max);
        taken
            .into_iter()
            .enumerate()
            .filter(move |(at, turn)| *at >= older || turn.is_important())
            .map(|(_, turn)| turn)
    }

    /// Whether some of a turn may be told.
    pub(super) fn takes(self, turn: &RecentTurn) -> bool {
        takes(self.filter, turn)
    }

    fn units(self, turn: &'a RecentTurn) -> Vec<memory::tape::Message<Unit<'a>>> {
        let form = (turn.turn_id, self.with_calls, turn.thread.entries().len());
        let tokens = self.house.turn_tokens(form, || {
            let count = |unit: Unit<'_>| unit.messages(self.with_calls).iter().map(count_message).sum();
            units(turn).map(count).collect::<Vec<u64>>().into()
        });
        let message = |(unit, tokens): (Unit<'a>, &u64)| {
            let (kind, source) = kind(unit);
            memory::tape::Message::new(kind, source, *tokens, unit).tagged(tags(unit))
        };
        units(turn).zip(tokens.iter()).map(message).collect()
    }
}

/// Whether a filter takes some of a turn.
pub(super) fn takes(filter: &Filter, turn: &RecentTurn) -> bool {
    units(turn).any(|unit| filter.takes_tags(&tags(unit)))
}

/// An ended turn as messages.
fn units(turn: &RecentTurn) -> impl Iterator<Item = Unit<'_>> {
    let entries = turn.thread.entries().iter().map(move |entry| Unit::Entry(turn, entry));
    let answer = (!turn.answer.is_empty()).then_some(Unit::Answered(turn));
    std::iter::once(Unit::Asked(turn)).chain(entries).chain(answer)
}

fn kind(unit: Unit<'_>) -> (Kind, Source) {
    match unit {
        Unit::Elsewhere => (Kind::System, Source::System),
        Unit::Asked(_) | Unit::Entry(_, Entry::Steered(_)) => (Kind::User, Source::User),
        Unit::Entry(_, Entry::Round(round)) if !round.calls.is_empty() => {
            let tools = round.calls.iter().map(|call| call.planned.tool.clone());
            (Kind::Calls, Source::Tools(tools.collect()))
        }
        Unit::Entry(..) | Unit::Answered(_) => (Kind::Assistant, Source::Assistant),
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
    pub(super) fn of(window: &Window<Unit<'_>>, with_calls: bool) -> Self {
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
            told.messages.extend(message.content.messages(with_calls));
            match message.content {
                Unit::Asked(_) => drop(told.asked.insert(turn.turn_id)),
                Unit::Answered(_) => drop(told.answered.insert(turn.turn_id)),
                Unit::Elsewhere | Unit::Entry(..) => {}
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
    let calls = round.calls.iter().map(|call| Call {
        id: call.planned.call_id.clone(),
        tool: call.planned.tool.clone(),
        arguments: call.planned.arguments.clone(),
        signatures: call.planned.signatures.clone(),
    });
    let asked = Message::Assistant { text: round.text.clone(), calls: calls.collect() };
    let results = round.calls.iter().map(|call| Message::Result {
        call_id: call.planned.call_id.clone(),
        tool: call.planned.tool.clone(),
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
    let tools: u64 = if with_calls { tools.iter().map(|tool| house.tool_tokens(tool)).sum() } else { 0 };
    let pins = system.sections.iter().filter(|section| section.name == "pins").map(|section| section.tokens).sum();
    let filter = Filter::default();
    let past = Past { house, recent, share, filter: &filter, with_calls };
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

    fn traits(context_tokens_max: u64) -> Traits {
        Traits { context_tokens_max, price: None, understands: true, sees: false }
    }

    #[test]
    fn the_smallest_limit_counts_and_half_the_model_stays_free() {
        let share = |model: u64, session: Option<u64>, asked: Option<u64>| {
            let budgets = Budgets { context_tokens: session, ..Budgets::default() };
            let request = Request { context_window: asked, ..Request::text("") };
            Share::of(traits(model), &budgets, &request).tokens_max
        };
        assert_eq!((share(32_000, None, None), share(8_000, None, None)), (16_000, 4_000));
        assert_eq!((share(200_000, None, None), share(200_000, None, Some(90_000))), (64_000, 90_000));
        assert_eq!((share(200_000, Some(5_000), None), share(200_000, Some(5_000), Some(90_000))), (5_000, 5_000));
        assert_eq!(share(200_000, Some(5_000), Some(1_000)), 1_000);
    }

    #[test]
    fn a_summary_is_short_where_the_context_is_small() {
        let summary = |model: u64| Share::of(traits(model), &Budgets::default(), &Request::text("")).summary_max;
        assert_eq!((summary(4_000), summary(20_000), summary(32_000), summary(200_000)), (120, 250, 400, 2_000));
    }

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
