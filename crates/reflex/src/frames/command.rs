//! What a sentence means.

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Turn on.
    On,
    /// Turn off.
    Off,
    /// Change over.
    Toggle,
    /// Open.
    Open,
    /// Close.
    Close,
    /// Lock.
    Lock,
    /// Unlock.
    Unlock,
    /// Set to a value.
    Set,
    /// Up: a blind, a volume, a temperature.
    Raise,
    /// Down.
    Lower,
    /// More light.
    Brighter,
    /// Less light.
    Darker,
    /// More sound.
    Louder,
    /// Less sound.
    Quieter,
    /// More heat.
    Warmer,
    /// Less heat.
    Cooler,
    /// Pause.
    Pause,
    /// Go on playing.
    Resume,
    /// The next track.
    Next,
    /// The track before.
    Previous,
    /// No sound.
    Mute,
    /// Sound again.
    Unmute,
    /// Start.
    Start,
    /// Stop.
    Stop,
    /// Clean.
    Clean,
    /// Mow.
    Mow,
    /// Go back to the base.
    Dock,
    /// Activate a scene or a script.
    Activate,
    /// Arm an alarm.
    Arm,
    /// Disarm an alarm.
    Disarm,
    /// Add to a list.
    Add,
    /// Take back what was done.
    Undo,
}

impl Action {
    /// Whether it makes more or less of what there is.
    pub const fn is_relative(self) -> bool {
        use Action::{Brighter, Cooler, Darker, Louder, Lower, Quieter, Raise, Warmer};
        matches!(self, Raise | Lower | Brighter | Darker | Louder | Quieter | Warmer | Cooler)
    }

    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "on" => Self::On,
            "off" => Self::Off,
            "toggle" => Self::Toggle,
            "open" => Self::Open,
            "close" => Self::Close,
            "lock" => Self::Lock,
            "unlock" => Self::Unlock,
            "set" => Self::Set,
            "raise" => Self::Raise,
            "lower" => Self::Lower,
            "brighter" => Self::Brighter,
            "darker" => Self::Darker,
            "louder" => Self::Louder,
            "quieter" => Self::Quieter,
            "warmer" => Self::Warmer,
            "cooler" => Self::Cooler,
            "pause" => Self::Pause,
            "resume" => Self::Resume,
            "next" => Self::Next,
            "previous" => Self::Previous,
            "mute" => Self::Mute,
            "unmute" => Self::Unmute,
            "start" => Self::Start,
            "stop" => Self::Stop,
            "clean" => Self::Clean,
            "mow" => Self::Mow,
            "dock" => Self::Dock,
            "activate" => Self::Activate,
            "arm" => Self::Arm,
            "disarm" => Self::Disarm,
            "add" => Self::Add,
            "undo" => Self::Undo,
            _ => return None,
        })
    }
}

/// A value that something is set to.
#[derive(Debug, Clone, PartialEq)]
pub enum Amount {
    /// A number without a unit.
    Plain(f64),
    /// Percent.
    Percent(f64),
    /// Degrees.
    Degrees(f64),
    /// Kelvin.
    Kelvin(f64),
    /// A colour, by its English name.
    Color(String),
    /// A mode of heating, as `auto`.
    Mode(String),
}

/// What a command or a question is about. Empty if it names nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrameTarget {
    /// The ids of all things with the names in the sentence, by name.
    pub named: Vec<Vec<String>>,
    /// Whether a name was given only in part.
    pub is_partial: bool,
    /// The areas, by id.
    pub areas: Vec<String>,
    /// Kinds, such as `light`, `curtain` or `volume`.
    pub kinds: Vec<String>,
    /// Whether all of the kind are meant.
    pub is_all: bool,
    /// Whether it is meant by a pronoun.
    pub is_pronoun: bool,
}

impl FrameTarget {
    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.areas.is_empty() && self.kinds.is_empty()
    }
}

/// One command.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameCommand {
    /// What is to be done; `None` if the sentence does not say it: "and the bed light too".
    pub action: Option<Action>,
    /// To what.
    pub target: FrameTarget,
    /// The value, or how much more or less if the action is relative: "down by 20 percent".
    pub amount: Option<Amount>,
    /// What is added to a list, as it was said.
    pub item: Option<String>,
    /// Whether the sentence continues an earlier one: "too", "and", "again".
    pub continues: bool,
    /// Whether it has a word of politeness: "movie night, please" is a request.
    pub is_polite: bool,
}

/// What a question is after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionKind {
    /// Whether the target has a state.
    Is(String),
    /// Which have it.
    Which(String),
    /// How many have it.
    HowMany(String),
    /// Whether any has it.
    Any(String),
    /// Whether all have it.
    All(String),
    /// A measured property, as `temperature` or `battery`.
    Property(String),
    /// Its state.
    State,
    /// Where it is.
    Where,
    /// Who is at home.
    Who(String),
    /// Why an area is `cold` or `warm`.
    Why(String),
    /// The weather.
    Weather,
}

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameQuestion {
    /// What it is after.
    pub kind: QuestionKind,
    /// What it is about.
    pub target: FrameTarget,
}

/// The result of reading a sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum FrameReading {
    /// Commands, in their order, with the words that were corrected.
    Commands(Vec<FrameCommand>, Vec<(String, String)>),
    /// A question.
    Question(FrameQuestion),
    /// Several meanings are equally likely, each with its commands. They may come to the same in a
    /// home, or only one of them be possible there.
    Ambiguous(Vec<Vec<FrameCommand>>, Vec<(String, String)>),
    /// Not everything in the sentence is understood.
    Nothing,
}
