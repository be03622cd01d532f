//! Commands and questions about the home, understood without a language model.
//!
//! The grammars of the home's languages match a sentence against the names in the home
//! ([`vocabulary`]). The meaning becomes service calls ([`act`], [`media`]) or, for a question, an
//! answer from the known states ([`ask`]): a question never acts. [`follow_up`] reads messages that
//! refer to the previous turn ("and now off again"). The final answer states the actual results of
//! the calls ([`answers`]).

mod act;
mod answers;
mod ask;
mod changes;
mod follow_up;
mod frame_services;
mod frame_targets;
mod frames;
mod inquire;
mod media;
mod resolved_intent;
#[cfg(test)]
mod tests;
mod timers;
mod vocabulary;

use std::sync::{Arc, Mutex, PoisonError};

use ports::{AwaitedChange, Reflex, ReflexCallResult, ReflexInput, Reflexes};
use reflex::{FrameReading, FuzzyResult, Grammar, IntentContext, Lexicon, RecognizedIntent, Vocabulary};
use serde_json::Map;

use answers::AnswerLanguage;
pub use resolved_intent::ResolvedIntent;

use crate::port::{Area, EntityId, HomePort};

/// The confidence of an exact match.
const EXACTLY: f32 = 1.0;
/// The confidence of a follow-up.
const FOLLOW_UP: f32 = 0.9;
/// The confidence of a fuzzy match.
const FUZZY: f32 = 0.7;
/// The longest message that may be a command or a question about the home, in bytes. Longer ones
/// are left to a model without any work.
const MESSAGE_BYTES_MAX: usize = 1024;
/// A placeholder area, so that sentences match that need one.
const ANY_AREA: &str = "\u{1}somewhere";

/// Understands commands and questions about a home.
pub struct HomeReflexes {
    home: Arc<dyn HomePort>,
    grammars: Vec<Grammar>,
    vocabulary: Mutex<Option<(u64, Arc<Vocabulary>)>>,
}

impl HomeReflexes {
    /// Reflexes for a home, in these languages. The first is tried first unless the language of the
    /// message is known.
    pub fn new(home: Arc<dyn HomePort>, grammars: Vec<Grammar>) -> Self {
        Self { home, grammars, vocabulary: Mutex::default() }
    }

    /// The vocabulary, rebuilt when names have changed.
    fn vocabulary(&self) -> Arc<Vocabulary> {
        let mut kept = self.vocabulary.lock().unwrap_or_else(PoisonError::into_inner);
        let revision = self.home.index().revision();
        match kept.as_ref() {
            Some((of, vocabulary)) if *of == revision => vocabulary.clone(),
            _ => {
                let vocabulary = Arc::new(vocabulary::of(self.home.index()));
                *kept = Some((revision, vocabulary.clone()));
                vocabulary
            }
        }
    }

    /// The grammars, with the speaker's language first.
    fn grammars(&self, language: Option<&str>) -> impl Iterator<Item = &Grammar> {
        let is_spoken = move |grammar: &&Grammar| language.is_some_and(|spoken| speaks(grammar.language(), spoken));
        let (first, rest): (Vec<_>, Vec<_>) = self.grammars.iter().partition(is_spoken);
        first.into_iter().chain(rest)
    }

    fn area(&self, said: &ReflexInput<'_>) -> Option<Arc<Area>> {
        let wanted = crate::plain(said.area?);
        let areas = self.home.index().areas();
        areas.into_iter().find(|area| crate::plain(area.id.as_str()) == wanted || crate::plain(&area.name) == wanted)
    }

    fn resolved(&self, understood: &RecognizedIntent, area: Option<&Area>) -> ResolvedIntent {
        ResolvedIntent::of(understood, self.home.index(), area)
    }

    fn reflex(
        &self,
        understood: &RecognizedIntent,
        language: &str,
        area: Option<&Area>,
        confidence: f32,
    ) -> Option<Reflex> {
        if timers::is_about(&understood.intent) {
            return self.timer(understood, language, area, confidence);
        }
        let resolved = self.resolved(understood, area);
        let answer_language = AnswerLanguage::of(language);
        let done = match ask::answer(self.home.as_ref(), &resolved, answer_language) {
            Some(words) => act::ReflexPlan::Answered(words),
            None => act::calls(self.home.index(), &resolved, answer_language)?,
        };
        let is_question = resolved.is_question();
        let (calls, answer, asks_back) = match done {
            act::ReflexPlan::Calls(calls) => (calls, None, false),
            act::ReflexPlan::Answered(words) => (Vec::new(), Some(self.marked(words, answer_language)), false),
            act::ReflexPlan::Asked(words) => (Vec::new(), Some(words), true),
        };
        // A question never changes anything.
        debug_assert!(!is_question || calls.is_empty());
        let slots: Map<_, _> = understood.slots.iter().map(|(name, slot)| (name.clone(), slot.value.clone())).collect();
        let (intent, language) = (understood.intent.clone(), language.to_owned());
        Some(Reflex { intent, slots, language, confidence, is_question, calls, answer, asks_back })
    }

    /// The reflex of a sentence about timers.
    fn timer(
        &self,
        understood: &RecognizedIntent,
        language: &str,
        area: Option<&Area>,
        confidence: f32,
    ) -> Option<Reflex> {
        let calls = match timers::plan(understood)? {
            timers::TimerPlan::Call(call) => vec![call],
            timers::TimerPlan::Later { command, seconds } => {
                let area = area.map(|area| area.id.as_str());
                let said = ReflexInput {
                    message: &command,
                    language: Some(language),
                    area,
                    before: &[],
                    previous: None,
                    unclear: None,
                };
                // Only a command that is understood now, and that is no other timer.
                let inner = self.read(&said).filter(|it| !it.is_question && !timers::is_about(&it.intent))?;
                inner.calls.into_iter().map(|call| timers::later(call, &command, seconds)).collect()
            }
        };
        let slots: Map<_, _> = understood.slots.iter().map(|(name, slot)| (name.clone(), slot.value.clone())).collect();
        (!calls.is_empty()).then(|| Reflex {
            intent: understood.intent.clone(),
            slots,
            language: language.to_owned(),
            confidence,
            is_question: false,
            calls,
            answer: None,
            asks_back: false,
        })
    }

    /// The earlier command, completed by the area that this message names.
    fn cleared(&self, said: &ReflexInput<'_>) -> Option<Reflex> {
        let (unclear, place) = (said.unclear?, place(said.message));
        let areas = self.home.index().areas();
        let is_called = |area: &&Arc<Area>| {
            std::iter::once(&area.name).chain(&area.aliases).any(|name| crate::plain(name) == place)
        };
        let Some(area) = areas.iter().find(is_called) else { return self.cleared_by_name(said, unclear, &place) };
        let message = ReflexInput { message: unclear, area: Some(area.id.as_str()), unclear: None, ..*said };
        self.read(&message).filter(|reflex| !reflex.asks_back)
    }

    /// The earlier command, completed by the thing that this message names: "the kitchen speaker"
    /// after "play some jazz".
    fn cleared_by_name(&self, said: &ReflexInput<'_>, unclear: &str, name: &str) -> Option<Reflex> {
        let index = self.home.index();
        let is_called = |entity: &crate::Entity| {
            entity.exposed && std::iter::once(&entity.name).chain(&entity.aliases).any(|own| crate::plain(own) == name)
        };
        let ids: Vec<String> = index.matching(is_called).iter().map(|it| it.entity.id.to_string()).collect();
        let vocabulary = self.vocabulary();
        let nowhere = IntentContext::in_area(ANY_AREA);
        self.grammars(said.language).find_map(|grammar| {
            let mut understood = strictly(grammar, &vocabulary, unclear, &nowhere)?;
            let is_open = !ids.is_empty() && !understood.slots.contains_key("name");
            if !is_open || !may_act_on(unclear, &understood, grammar.language()) {
                return None;
            }
            let slot = reflex::SlotValue {
                value: name.into(),
                text: name.to_owned(),
                origin: reflex::SlotOrigin::List,
                ids: ids.clone(),
                metadata: None,
            };
            understood.slots.insert("name".to_owned(), slot);
            let reflex = self.reflex(&understood, grammar.language(), None, EXACTLY)?;
            Some(reflex).filter(|reflex| !reflex.asks_back && !reflex.calls.is_empty())
        })
    }

    /// The second pass, if no grammar matches exactly. An ambiguous text is left to a language
    /// model. Each grammar comes with whether it matches, though the sentence may not be acted on.
    fn forgiving(
        &self,
        said: &ReflexInput<'_>,
        grammars: &[(&Grammar, bool)],
        vocabulary: &Vocabulary,
        area: Option<&Area>,
    ) -> Option<Reflex> {
        let intent_context = IntentContext::in_area(area.map_or(ANY_AREA, |area| area.name.as_str()));
        for (grammar, matches) in grammars {
            if *matches {
                return None;
            }
            match grammar.read_unmatched(vocabulary, said.message, &intent_context) {
                FuzzyResult::Recognized(understood, corrections) => {
                    let mut rest = besides_slots(said.message, &understood);
                    for word in &corrections.left_out {
                        rest = rest.replacen(&word.to_lowercase(), " ", 1);
                    }
                    let acts = !resolved_intent::is_question(&understood.intent);
                    if acts && is_bare(&understood, &rest, Lexicon::of(grammar.language())) {
                        return None;
                    }
                    if is_open_guess(&understood, &corrections) {
                        return None;
                    }
                    let reflex = self.reflex(&understood, grammar.language(), area, FUZZY)?;
                    let is_name = |(said, meant): &(String, String)| vocabulary.has_nearer_name(said, meant);
                    let is_other = !reflex.calls.is_empty()
                        && (corrections.corrected.iter().any(is_name)
                            || !corrections.is_exact()
                                && self.is_nearly_other(said, vocabulary, grammar.language(), area, &reflex.calls));
                    return Some(reflex).filter(|reflex| !is_other && !self.touches_sensitive(reflex));
                }
                FuzzyResult::Ambiguous(_) => return None,
                FuzzyResult::Nothing => {}
            }
        }
        None
    }

    /// The reflex of an exact match. "Play …" takes any words, so that every other reading of them
    /// comes first, and what names something in the home is not the title of a song.
    fn understood(
        &self,
        said: &ReflexInput<'_>,
        vocabulary: &Vocabulary,
        understood: &RecognizedIntent,
        language: &str,
        area: Option<&Area>,
    ) -> Option<Reflex> {
        let query = understood.slots.get("search_query").filter(|slot| slot.is_wildcard());
        let Some(query) = query else {
            let own = self.reflex(&self.without_fillers(understood, language), language, area, EXACTLY);
            // What a template leaves open or asks about may be plain word by word: "which windows
            // are open" is about sensors where no window is a cover.
            let is_plain = own.as_ref().is_some_and(|own| !own.is_question && !own.asks_back);
            let framed = (!is_plain).then(|| self.framed(said, vocabulary, area)).flatten();
            let is_asked = said.message.trim_end().ends_with('?');
            let is_better = |it: &Reflex| it.confidence >= EXACTLY && !it.asks_back && (it.is_question || !is_asked);
            return framed.filter(is_better).or(own);
        };
        if let Some(reflex) = self.framed(said, vocabulary, area) {
            return Some(reflex);
        }
        let is_of_home = Lexicon::of(language).is_none_or(|it| it.mentions_home(vocabulary, &query.text));
        let is_other = is_of_home
            // "Start Momo again" with a slip is no title that ends with "again".
            || Lexicon::of(language).is_some_and(|it| it.ends_with_filler(&query.text))
            || reflex::ends_conditionally(language, &query.text)
            // What comes before the verb is not all a title: "nie … abspielen".
            || begins_with(said.message, &query.text) && reflex::has_condition(language, &query.text)
            || self.is_nearly_other(said, vocabulary, language, area, &[]);
        if is_other { None } else { self.reflex(understood, language, area, EXACTLY) }
    }

    /// A meaning without small words around what goes on a list: "add me some milk, too".
    fn without_fillers(&self, understood: &RecognizedIntent, language: &str) -> RecognizedIntent {
        let mut understood = understood.clone();
        if let (Some(slot), Some(lexicon)) = (understood.slots.get_mut("item"), Lexicon::of(language))
            && slot.is_wildcard()
        {
            slot.text = lexicon.without_fillers(&slot.text);
            slot.value = slot.text.clone().into();
        }
        understood
    }

    /// Whether a message is, but for one slip, a sentence that does something else than these
    /// calls.
    fn is_nearly_other(
        &self,
        said: &ReflexInput<'_>,
        vocabulary: &Vocabulary,
        language: &str,
        area: Option<&Area>,
        calls: &[ports::ReflexCall],
    ) -> bool {
        let intent_context = IntentContext::in_area(area.map_or(ANY_AREA, |area| area.name.as_str()));
        let grammars = self.grammars.iter().filter(|grammar| speaks(grammar.language(), language));
        let mut nearby = grammars.flat_map(|it| it.read_corrected(vocabulary, said.message, &intent_context));
        nearby.any(|it| {
            let other = self.reflex(&it, language, area, FUZZY);
            other.is_some_and(|other| !other.calls.is_empty() && other.calls != calls)
        })
    }

    /// The third pass: word by word, in any order. If the language is not known, all languages that
    /// read something have to agree.
    fn framed(&self, said: &ReflexInput<'_>, vocabulary: &Vocabulary, area: Option<&Area>) -> Option<Reflex> {
        let mut lexicons: Vec<&'static Lexicon> =
            self.grammars(said.language).filter_map(|grammar| Lexicon::of(grammar.language())).collect();
        // The language of a sentence is the one that most of its words are of.
        if said.language.is_none() {
            lexicons = Lexicon::most_familiar(lexicons, said.message);
        }
        let mut found: Option<Reflex> = None;
        for lexicon in lexicons {
            let Some(reflex) = self.framed_in(lexicon, said, vocabulary, area) else { continue };
            if said.language.is_some_and(|spoken| speaks(lexicon.language(), spoken)) {
                return Some(reflex);
            }
            match &found {
                Some(known) if known.calls != reflex.calls => return None,
                Some(_) => {}
                None => found = Some(reflex),
            }
        }
        found
    }

    fn framed_in(
        &self,
        lexicon: &'static Lexicon,
        said: &ReflexInput<'_>,
        vocabulary: &Vocabulary,
        area: Option<&Area>,
    ) -> Option<Reflex> {
        let answer_language = AnswerLanguage::of(lexicon.language());
        let index = self.home.index();
        let here = area.map(|area| area.id.clone());
        let context = frames::FrameContext { index, vocabulary, lexicon, said, here, answer_language };
        let reading = lexicon.read(vocabulary, said.message);
        let (mut intent, mut confidence, mut is_question) = ("Adjust", EXACTLY, false);
        let plan = match &reading {
            FrameReading::Commands(commands, slips) => {
                intent = frames::intent(commands.first().and_then(|it| it.action));
                confidence = if slips.is_empty() { EXACTLY } else { FUZZY };
                frames::plan(&context, commands)
            }
            FrameReading::Question(question) => {
                (intent, is_question) = ("HassGetState", true);
                inquire::answer(self.home.as_ref(), question, answer_language).map(act::ReflexPlan::Answered)
            }
            FrameReading::Ambiguous(all, slips) => {
                intent = frames::intent(all.first().and_then(|it| it.first()).and_then(|it| it.action));
                confidence = if slips.is_empty() { EXACTLY } else { FUZZY };
                frames::the_same(&context, all)
            }
            FrameReading::Nothing => None,
        };
        let plan = plan.or_else(|| {
            let call = frames::another_item(&context)?;
            (intent, confidence, is_question) = ("HassListAddItem", FOLLOW_UP, false);
            Some(act::ReflexPlan::Calls(vec![call]))
        })?;
        let (calls, answer, asks_back) = match plan {
            act::ReflexPlan::Calls(calls) => (calls, None, false),
            act::ReflexPlan::Answered(words) => (Vec::new(), Some(self.marked(words, answer_language)), false),
            act::ReflexPlan::Asked(words) => (Vec::new(), Some(words), true),
        };
        let ids: Vec<&serde_json::Value> = calls.iter().map(|call| &call.arguments["target"]["entity_id"]).collect();
        let slots = Map::from_iter([("entities".to_owned(), serde_json::json!(ids))]);
        let (intent, language) = (intent.to_owned(), lexicon.language().to_owned());
        let reflex = Reflex { intent, slots, language, confidence, is_question, calls, answer, asks_back };
        // A lock needs every word as it is.
        let is_guess = confidence < EXACTLY
            && (self.touches_sensitive(&reflex)
                || self.is_nearly_other(said, vocabulary, &reflex.language, area, &reflex.calls));
        (!is_guess).then_some(reflex)
    }

    /// Whether a reflex would act on a lock, an alarm, a garage door or the like. The fuzzy matcher
    /// excludes those already; this checks the resolved entities.
    fn touches_sensitive(&self, reflex: &Reflex) -> bool {
        let table = self.home.index().sensitive();
        reflex.calls.iter().any(|call| {
            let field = |name: &str| call.arguments[name].as_str().unwrap_or_default();
            let (domain, service) = (field("domain"), field("service"));
            let ids = call.arguments["target"]["entity_id"].as_array().map(Vec::as_slice).unwrap_or_default();
            let is_meant = |id: &EntityId| {
                let Some(snapshot) = self.home.index().get(id) else { return true };
                let entity = &snapshot.entity;
                let is_called = || {
                    let mut names = std::iter::once(&entity.name).chain(&entity.aliases).map(|name| crate::plain(name));
                    names.any(|name| name.split(' ').any(|word| table.is_exact_word(word)))
                };
                let is_kind = || {
                    table.is_kind(id.domain(), entity.class.as_deref())
                        || entity.class.is_none() && table.is_by_name(id.domain()) && is_called()
                };
                table.decides(id.as_str()).unwrap_or_else(is_kind)
            };
            let mut known = ids.iter().filter_map(|id| id.as_str()?.parse::<EntityId>().ok());
            let is_whole = ids.is_empty() && table.is_domain(domain);
            table.is_service(domain, service) || is_whole || known.any(|id| is_meant(&id))
        })
    }

    /// Marks an answer about a simulated home as such.
    fn marked(&self, words: String, answer_language: AnswerLanguage) -> String {
        if self.home.about().simulated { answer_language.simulated(&words) } else { words }
    }
}

impl Reflexes for HomeReflexes {
    fn read(&self, said: &ReflexInput<'_>) -> Option<Reflex> {
        if said.message.len() > MESSAGE_BYTES_MAX || self.home.index().is_empty() {
            return None;
        }
        if let Some(reflex) = self.cleared(said) {
            return Some(reflex);
        }
        let area = self.area(said);
        let vocabulary = self.vocabulary();
        let intent_context =
            area.as_ref().map_or_else(IntentContext::default, |area| IntentContext::in_area(area.name.clone()));
        let mut read_by: Vec<(&Grammar, bool)> = Vec::with_capacity(self.grammars.len());
        for grammar in self.grammars(said.language) {
            let read = |intent_context: &IntentContext| strictly(grammar, &vocabulary, said.message, intent_context);
            let language = grammar.language();
            let may_act = |it: &RecognizedIntent| may_act_on(said.message, it, language);
            let mut matched = read(&intent_context);
            if let Some(understood) = matched.as_ref().filter(|it| may_act(it)) {
                return self.understood(said, &vocabulary, understood, language, area.as_deref());
            }
            let is_first = read_by.is_empty();
            if let Some(leaning) = is_first.then(|| follow_up::read(self.home.index(), said)).flatten() {
                let follow_up::FollowUp { intent, slots, calls } = leaning;
                let language = language.to_owned();
                return Some(Reflex {
                    intent,
                    slots,
                    language,
                    confidence: FOLLOW_UP,
                    is_question: false,
                    calls,
                    answer: None,
                    asks_back: false,
                });
            }
            if area.is_none() {
                matched = read(&IntentContext::in_area(ANY_AREA));
                if let Some(understood) = matched.as_ref().filter(|it| may_act(it)) {
                    return self.understood(said, &vocabulary, understood, language, None);
                }
            }
            read_by.push((grammar, matched.is_some()));
        }
        let area = area.as_deref();
        self.forgiving(said, &read_by, &vocabulary, area).or_else(|| self.framed(said, &vocabulary, area))
    }

    fn change(&self, clause: &ReflexInput<'_>) -> Option<AwaitedChange> {
        if clause.message.len() > MESSAGE_BYTES_MAX {
            return None;
        }
        let vocabulary = self.vocabulary();
        let mut lexicons = self.grammars(clause.language).filter_map(|grammar| Lexicon::of(grammar.language()));
        let named = lexicons.find_map(|it| changes::read(self.home.index(), it, &vocabulary, clause.message))?;
        Some(AwaitedChange { entity_id: named.entity_id, to: named.to })
    }

    fn answer(&self, _said: &ReflexInput<'_>, reflex: Option<&Reflex>, settled: &[ReflexCallResult]) -> String {
        let answer_language = AnswerLanguage::of(reflex.map_or("en", |reflex| &reflex.language));
        self.marked(answers::of_calls(settled, answer_language), answer_language)
    }
}

/// The place in an answer such as "in the kitchen, please".
fn place(message: &str) -> String {
    const BESIDE: &[&str] = &[
        "the", "in", "my", "our", "please", "one", "that", "at", "on", "of", "im", "in", "der", "die", "das", "den",
        "dem", "bitte", "am",
    ];
    let plain = crate::plain(message);
    let words: Vec<&str> = plain.split(' ').filter(|word| !BESIDE.contains(word)).collect();
    words.join(" ")
}

/// The meaning of an exact match, without polite phrases and typos in wildcards.
fn strictly(
    grammar: &Grammar,
    vocabulary: &Vocabulary,
    message: &str,
    intent_context: &IntentContext,
) -> Option<RecognizedIntent> {
    let understood = grammar.read(vocabulary, message, intent_context)?;
    if understood.slots.values().any(reflex::SlotValue::is_wildcard) {
        return grammar.read_fuzzy(vocabulary, message, intent_context).intent().or(Some(understood));
    }
    Some(understood)
}

/// Whether a grammar has the speaker's language, as `de` for `de-AT`.
fn speaks(grammar: &str, spoken: &str) -> bool {
    let base = |language: &str| language.split(['-', '_']).next().unwrap_or_default().to_lowercase();
    grammar.eq_ignore_ascii_case(spoken) || base(grammar) == base(spoken)
}

/// Whether a sentence may be acted on. The question "the kitchen light?" does not switch it on.
fn may_act_on(message: &str, understood: &RecognizedIntent, language: &str) -> bool {
    if resolved_intent::is_question(&understood.intent) {
        return true;
    }
    let lexicon = Lexicon::of(language);
    let is_asked = message.trim_end().ends_with(['?', '？']);
    let is_polite = lexicon.is_some_and(|lexicon| lexicon.asks_politely(message)) || message.contains("please");
    if is_asked && !is_polite {
        return false;
    }
    // What negates, or is about another time, counts wherever it is, except within a name or a
    // title.
    let rest = besides_slots(message, understood);
    let item = understood.slots.get("item").map_or("", |slot| slot.text.as_str());
    // Without a lexicon, the words besides the slots are those of a sentence as it is.
    let is_vetoed = |text: &str| lexicon.is_some_and(|lexicon| lexicon.vetoes(text));
    // A timer has any name, but not "if". The article may be a part of the word: Arabic "tonight".
    let mut names = understood.slots.get("name").into_iter().filter(|slot| slot.is_wildcard());
    let is_name_vetoed = names.any(|slot| {
        let is_said = |word: &&str| slot.text.split_whitespace().any(|part| word.contains(part));
        let whole: Vec<&str> = message.split_whitespace().filter(is_said).collect();
        reflex::has_condition(language, &whole.join(" "))
    });
    let is_item_vetoed = lexicon.map_or_else(|| reflex::has_condition(language, item), |it| it.vetoes(item));
    !is_bare(understood, &rest, lexicon) && !is_vetoed(&rest) && !is_item_vetoed && !is_name_vetoed
}

/// Whether a message begins with a text.
fn begins_with(message: &str, text: &str) -> bool {
    message.trim_start().to_lowercase().starts_with(&text.to_lowercase())
}

/// Whether a reading takes any words as what is to be played, though a word besides names was
/// corrected: it may be any other command then.
fn is_open_guess(understood: &RecognizedIntent, corrections: &reflex::Corrections) -> bool {
    let is_open = understood.slots.get("search_query").is_some_and(reflex::SlotValue::is_wildcard);
    let is_name = |meant: &str| {
        let mut names = ["name", "area", "floor"].iter().filter_map(|slot| understood.slots.get(*slot));
        names.any(|slot| slot.text.to_lowercase().contains(&meant.to_lowercase()))
    };
    is_open && corrections.corrected.iter().any(|(_, meant)| !is_name(meant))
}

/// A message without the names and values in it.
fn besides_slots(message: &str, understood: &RecognizedIntent) -> String {
    let mut rest = message.to_lowercase();
    for slot in understood.slots.values().filter(|slot| !slot.text.is_empty()) {
        rest = rest.replacen(&slot.text.to_lowercase(), " ", 1);
    }
    rest
}

/// Whether a sentence is a name alone, with or without an article: some word has to say what to do.
fn is_bare(understood: &RecognizedIntent, rest: &str, lexicon: Option<&Lexicon>) -> bool {
    let said = understood.slots.values().filter(|slot| slot.origin == reflex::SlotOrigin::List).count();
    let is_nothing = lexicon.map_or(understood.score.literal_chars == 0, |lexicon| lexicon.says_nothing(rest));
    is_nothing && said < 2
}
