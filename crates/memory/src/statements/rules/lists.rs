//! The words that make a value. Long lists are written as paragraphs; one word per line would hide
//! them.

/// Ways of eating.
#[rustfmt::skip]
pub(in super::super) const DIETS: &[&str] = &[
    "vegan", "vegetarian", "veggie", "pescatarian", "pescetarian", "flexitarian", "omnivore", "keto", "ketogenic",
    "paleo", "kosher", "halal", "gluten-free", "dairy-free", "lactose-free", "plant-based", "low-carb", "coeliac",
    "celiac", "carnivore",
];

/// What some do not eat.
#[rustfmt::skip]
pub(in super::super) const FOODS: &[&str] = &[
    "meat", "pork", "beef", "fish", "seafood", "shellfish", "dairy", "gluten", "eggs", "egg", "nuts", "peanuts",
    "sugar", "wheat", "milk", "cheese", "red", "chicken", "lamb", "soy", "mushrooms", "onions", "garlic", "spicy",
];

/// Languages, most of which also name a nation.
#[rustfmt::skip]
pub(in super::super) const LANGUAGES: &[&str] = &[
    "english", "german", "french", "spanish", "italian", "portuguese", "dutch", "swedish", "norwegian", "danish",
    "finnish", "icelandic", "polish", "czech", "slovak", "hungarian", "romanian", "bulgarian", "greek", "turkish",
    "russian", "ukrainian", "croatian", "serbian", "slovenian", "albanian", "arabic", "hebrew", "persian", "farsi",
    "hindi", "urdu", "bengali", "tamil", "chinese", "mandarin", "cantonese", "japanese", "korean", "vietnamese",
    "thai", "indonesian", "malay", "swahili", "catalan", "basque", "irish", "welsh", "latin", "estonian", "latvian",
    "lithuanian", "deutsch", "français", "español", "italiano",
];

/// Trades.
#[rustfmt::skip]
pub(in super::super) const JOBS: &[&str] = &[
    "nurse", "teacher", "engineer", "developer", "programmer", "student", "doctor", "lawyer", "designer", "artist",
    "musician", "writer", "author", "journalist", "chef", "cook", "baker", "farmer", "electrician", "plumber",
    "carpenter", "mechanic", "pilot", "driver", "firefighter", "paramedic", "pharmacist", "dentist", "vet",
    "veterinarian", "accountant", "architect", "scientist", "researcher", "professor", "consultant", "manager",
    "librarian", "photographer", "translator", "therapist", "psychologist", "physicist", "chemist", "biologist",
    "mathematician", "economist", "banker", "cashier", "waiter", "waitress", "barista", "hairdresser", "gardener",
    "freelancer", "contractor", "entrepreneur", "secretary", "surgeon", "midwife", "caretaker", "soldier", "actor",
    "actress", "dancer", "singer", "coach", "trainer", "tutor", "analyst", "administrator", "technician", "builder",
];

/// Lasting states.
#[rustfmt::skip]
pub(in super::super) const STATES: &[&str] = &[
    "married", "divorced", "widowed", "pregnant", "diabetic", "asthmatic", "deaf", "left-handed", "right-handed",
    "colour-blind", "color-blind", "colourblind", "colorblind", "dyslexic",
];

/// People and animals that one has for years.
#[rustfmt::skip]
pub(in super::super) const FAMILY: &[&str] = &[
    "dog", "dogs", "cat", "cats", "son", "sons", "daughter", "daughters", "kid", "kids", "child", "children", "wife",
    "husband", "sister", "sisters", "brother", "brothers", "twin", "twins",
];

/// What follows "my name is" or "call me" when no name does.
#[rustfmt::skip]
pub(in super::super) const NO_NAMES: &[&str] = &[
    "hard", "long", "short", "not", "wrong", "misspelled", "misspelt", "unusual", "common", "taken", "the", "a", "an",
    "on", "in", "at", "spelled", "spelt", "pronounced", "written", "important", "irrelevant", "missing", "private",
    "none", "what", "who", "my", "so", "too", "very", "also", "later", "back", "when", "maybe", "tomorrow", "today",
    "tonight", "now", "soon", "again", "if", "crazy", "old-fashioned", "old", "asap", "please", "before", "after",
    "once", "stupid", "cynical", "anytime", "whatever", "anything", "names", "by", "this", "that", "it", "your",
    "lazy", "picky", "weird", "silly", "i", "ok", "okay", "sure", "sorry", "fine", "good", "well", "bored", "tired",
    "here", "home", "lost", "new", "ready", "happy", "sad", "hungry", "late", "monday", "tuesday", "wednesday",
    "thursday", "friday", "saturday", "sunday", "mr", "one", "from", "to", "up", "for", "as", "train", "bus", "car",
    "foot", "bike", "plane", "boat", "tram", "dr", "mrs", "ms", "prof",
];

/// What follows "I live in" when no place does.
pub(in super::super) const NO_PLACES: &[&str] = &[
    "fear", "hope", "peace", "denial", "hell", "the", "my", "this", "that", "it", "one", "harmony", "here", "there",
    "poverty", "luxury", "pain", "our", "your", "his", "her", "their", "what", "constant", "general", "sin",
];
