//! Texts that must never act: questions, negations, conditions, times, and near misses at locks and
//! alarms.

use reflex::{Grammar, IntentContext, Vocabulary};

use super::disturb::{Disturbance, SeededRandom, disturbed};
use super::measure::is_sensitive;

/// Phrases that turn a command into something else.
const TURNED: &[(&str, &str)] = &[
    ("don't", ""),
    ("please don't", ""),
    ("hey dont", ""),
    ("never", ""),
    ("do not", ""),
    ("you must not", ""),
    ("I'd rather you did not", ""),
    ("why did you", ""),
    ("why didn't you", ""),
    ("when did I", ""),
    ("did you", ""),
    ("do you ever", ""),
    ("should I", ""),
    ("what happens if I", ""),
    ("who told you to", ""),
    ("if it rains,", ""),
    ("when Anna comes home,", ""),
    ("um, unless I say so,", ""),
    ("", "when I leave"),
    ("", "tomorrow"),
    ("", "at 5"),
    ("", "if it gets dark"),
    ("", "later, thanks"),
    ("", "for a moment please"),
    ("", "for ten minutes please"),
    ("", "and open the garage door"),
    ("", "or not"),
    ("", "was what she said"),
    ("he said", ""),
    ("Anna told me to", ""),
    ("remind me to", ""),
    ("I forgot to", ""),
    ("could you tell me how to", ""),
    ("tomorrow, please", ""),
    ("is it true that you", ""),
];

const COMMANDS: &[&str] = &[
    "turn on the ceiling lamp",
    "turn off the desk light",
    "switch on the coffee machine",
    "close the roller blind",
    "open the velvet curtain",
    "turn off the kitchen lights",
    "set the ceiling lamp to 50%",
    "mute the television",
    "activate movie night",
];

const DEAR: &[&str] = &[
    "unlock the front door",
    "lock the back door",
    "open the garage door",
    "close the garage door",
    "open the driveway gate",
    "open the main valve",
    "close the main valve",
    "turn on the garage opener",
    "run unlock everything",
    "lock all the doors",
    "open the garage",
    "set the garage door to 50%",
];

pub(super) fn check(grammar: &Grammar, vocabulary: &Vocabulary, seed: u64, count: usize) {
    let here = IntentContext::in_area("Office");
    let acts = |intent: &str| !intent.contains("Get") && intent != "HassTimerStatus";
    for command in COMMANDS.iter().chain(DEAR) {
        for (before, after) in TURNED {
            let text = format!("{before} {command} {after}");
            let strict = grammar.read(vocabulary, &text, &here);
            let found = grammar.read_fuzzy(vocabulary, &text, &here).intent();
            let is_new = strict.is_none();
            let acted = found.filter(|found| is_new && acts(&found.intent));
            assert!(acted.is_none(), "{text:?} became {acted:?}");
        }
        let text = format!("{command}?");
        let found = grammar.read_fuzzy(vocabulary, &format!("um {text}"), &here).intent();
        assert!(found.is_none(), "{text:?} became {found:?}");
    }
    let mut chance = SeededRandom::new(seed);
    for _ in 0..count {
        for command in DEAR {
            let how = *chance.of(&Disturbance::ALL);
            let Some(text) = disturbed(command, how, &mut chance) else { continue };
            let strict = grammar.read(vocabulary, &text, &here);
            let found = grammar.read_fuzzy(vocabulary, &text, &here).intent();
            let acted = found.filter(|found| strict.is_none() && is_sensitive(found, vocabulary));
            assert!(acted.is_none(), "{text:?} became {acted:?}");
        }
    }
}
