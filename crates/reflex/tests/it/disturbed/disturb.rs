//! Disturbs sentences.

/// The kind of a disturbance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Disturbance {
    Filler,
    Politeness,
    Article,
    Swap,
    /// Rare phrases: the matcher's lists have some of their words and few of the whole phrases.
    RareFiller,
    RarePoliteness,
}

impl Disturbance {
    pub(super) const ALL: [Self; 6] =
        [Self::Filler, Self::Politeness, Self::Article, Self::Swap, Self::RareFiller, Self::RarePoliteness];
}

/// A seeded random number generator.
#[derive(Debug, Clone)]
pub(super) struct SeededRandom(u64);

impl SeededRandom {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % end.max(1)
    }

    pub(super) fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Some of them are in the matcher's own lists, some are not.
const FILLERS: &[&str] = &[
    "um",
    "uh",
    "hey",
    "ok so",
    "okay",
    "well",
    "listen",
    "so",
    "right",
    "hmm",
    "oh",
    "please",
    "erm",
    "alright then",
    "uhm",
    "hey there",
    "I was wondering if you could",
    "would you mind if you could",
    "could you please",
    "I'd like you to",
    "can you just",
    "hey computer",
    "hey jarvis",
    "okay buddy",
    "sooo",
    "ummm",
    "ah yes",
    "yo",
    "now then",
    "I need you to",
    "it would be great if you could",
    "I was hoping you could",
    "do me a favour and",
    "if you don't mind",
    "go ahead and",
    "actually",
    "would it be possible to",
    "so um",
    "well you know",
    "excuse me",
    "be so kind as to",
    "I would really appreciate it if you could",
    "hello",
    "good morning",
    "let's see",
    "oh and",
    "yeah so",
    "hi there",
    "just",
    "right so",
    "okay um",
    "listen up",
    "please could you",
    "I think you could",
    "hey could you maybe",
    "quick one",
    "my dear friend",
];

const POLITENESS: &[&str] = &[
    "thanks",
    "thank you",
    "please",
    "for me please",
    "if you don't mind",
    "would you",
    "if you could",
    "cheers",
    "thanks a lot",
    "thank you very much",
    "if you please",
    "will you",
    "thank you so much",
    "please and thank you",
    "when you get a chance",
    "if that's okay",
    "thanks in advance",
    "if you would be so kind",
    "much appreciated",
    "that would be great",
    "mate",
    "my friend",
    "ok",
    "okay thanks",
    "could you",
    "if possible",
    "dear",
    "now please",
    "right away please",
    "you're the best",
    "that would be lovely",
    "I'd appreciate it",
    "pretty please",
    "buddy",
    "if it's not too much trouble",
    "many thanks",
    "for me",
    "thx",
    "alright",
    "thank you kindly",
    "won't you",
    "if you have a moment",
    "that'd be awesome",
    "I would be very grateful",
    "ta",
    "there's a love",
];

const RARE_FILLERS: &[&str] = &[
    "ooh",
    "okey dokey",
    "hey siri",
    "so I guess",
    "hmm well",
    "oh yeah and",
    "may I ask you to",
    "could I trouble you to",
    "be a good sport and",
    "I'd really like it if you'd",
    "uh yeah",
    "mmm",
    "sure so",
    "would you be willing to",
    "I kindly ask you to",
    "hey house",
    "gosh",
    "cool so",
    "fine",
    "oh dear",
    "howdy",
    "I'd be happy if you could",
    "if you'd be so good as to",
    "if you wouldn't mind could you",
    "ah well",
    "hey you",
    "seriously",
    "great now",
    "can I get you to",
    "would you please just",
];

const RARE_POLITENESS: &[&str] = &[
    "thanks a bunch",
    "thanks so much for that",
    "if you'd be so kind",
    "if you can spare a moment",
    "good job",
    "I'd be thankful",
    "thank you dear assistant",
    "you're a lifesaver",
    "that's all for now",
    "many many thanks",
    "if that suits you",
    "please do",
    "thanks pal",
    "when it suits you",
    "sweetheart",
    "that would help a lot",
    "I appreciate your help",
    "please oh please",
    "if you feel like it",
    "bye",
    "you wonderful machine",
    "yes please",
    "whenever it's convenient for you",
    "cheers then",
    "alrighty",
];

/// The disturbed sentence; `None` if the disturbance does not apply.
pub(super) fn disturbed(sentence: &str, how: Disturbance, chance: &mut SeededRandom) -> Option<String> {
    let bare = sentence.trim_end_matches(['?', '.', '!']);
    let end = &sentence[bare.len()..];
    let comma = if chance.below(2) == 0 { "," } else { "" };
    match how {
        Disturbance::Filler => Some(format!("{}{comma} {sentence}", chance.of(FILLERS))),
        Disturbance::RareFiller => Some(format!("{}{comma} {sentence}", chance.of(RARE_FILLERS))),
        Disturbance::Politeness => Some(format!("{bare}{comma} {}{end}", chance.of(POLITENESS))),
        Disturbance::RarePoliteness => Some(format!("{bare}{comma} {}{end}", chance.of(RARE_POLITENESS))),
        Disturbance::Article => {
            let words: Vec<&str> = sentence.split(' ').collect();
            let is_article = |word: &str| matches!(word, "the" | "a" | "an");
            let places: Vec<usize> = (0..words.len()).filter(|&at| is_article(words[at])).collect();
            let place = (!places.is_empty()).then(|| *chance.of(&places))?;
            let kept = words.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, word)| *word);
            Some(kept.collect::<Vec<_>>().join(" "))
        }
        Disturbance::Swap => swapped(sentence, chance),
    }
}

/// Swaps two neighbouring letters of one word.
fn swapped(sentence: &str, chance: &mut SeededRandom) -> Option<String> {
    let mut letters: Vec<char> = sentence.chars().collect();
    let is_place = |at: &usize| {
        let (one, other) = (letters[*at], letters[at + 1]);
        one.is_alphabetic() && other.is_alphabetic() && !one.to_lowercase().eq(other.to_lowercase())
    };
    let places: Vec<usize> = (0..letters.len().saturating_sub(1)).filter(is_place).collect();
    let place = (!places.is_empty()).then(|| *chance.of(&places))?;
    letters.swap(place, place + 1);
    Some(letters.into_iter().collect())
}
