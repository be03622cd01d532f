//! The word lists of the rules. Long lists are written as paragraphs.

/// How one feels or where one is for a moment, and what else is no lasting value.
#[rustfmt::skip]
pub(super) const MOODS: &[&str] = &[
    "hungry", "tired", "late", "sure", "fine", "ok", "okay", "good", "bad", "well", "happy", "sad", "angry", "bored", "busy",
    "sick", "ill", "cold", "hot", "warm", "ready", "done", "back", "here", "there", "away", "out", "in", "off", "on", "up",
    "down", "afraid", "scared", "nervous", "excited", "confused", "lost", "stuck", "sorry", "glad", "curious", "serious",
    "kidding", "joking", "great", "awesome", "terrible", "awful", "nice", "bit", "little", "very", "so", "too", "quite",
    "pretty", "really", "all", "just", "not", "never", "always", "about", "asleep", "awake", "drunk", "early", "wrong",
    "right", "correct", "true", "false", "dead", "broken", "dirty", "clean", "empty", "full", "open", "closed", "gone",
    "missing", "annoying", "slow", "fast", "loud", "quiet", "ridiculous", "weird", "funny", "crazy", "amazing", "beautiful",
    "ugly", "cute", "lovely", "perfect", "important", "interesting", "boring", "hard", "easy", "difficult", "simple", "stressed",
    "exhausted", "sleepy", "thirsty", "alone", "lonely", "worried", "proud", "jealous", "upset", "mad", "furious", "thrilled",
    "grateful", "thankful", "impressed", "surprised", "shocked", "disappointed", "interested", "convinced", "certain", "aware",
    "able", "unable", "willing", "supposed", "allowed", "available", "free", "online", "offline", "outside", "inside", "upstairs",
    "downstairs", "better", "worse", "unclear", "useless", "useful", "helpful", "unfair", "cool", "delicious", "tasty", "sore",
    "injured", "hurt", "hurting", "stiff", "swollen", "itchy", "messy", "chaotic", "doing", "raining", "sunny", "cloudy",
    "unbelievable", "insane", "nuts", "hilarious", "horrible", "mean", "rude", "grumpy", "crashed", "frozen", "delayed", "fun",
    "overdue", "ringing", "complicated", "tough", "rough", "huge", "tiny", "long", "short", "shaking", "terrified", "relieved",
    "embarrassed", "frustrated", "overwhelmed", "anxious", "depressed", "fed", "sweating", "freezing", "starving", "fantastic",
    "wonderful", "brilliant", "stunning", "packed", "crowded", "flat", "sticky", "itching", "bleeding", "acting", "unwell",
];

/// Nouns that a person has one of and speaks of later: "my X is Y" is lasting whatever Y is.
#[rustfmt::skip]
pub(super) const ATTRIBUTES: &[&str] = &[
    "name", "nickname", "surname", "birthday", "anniversary", "address", "password", "pin", "code", "number", "phone", "email",
    "job", "position", "role", "profession", "occupation", "employer", "company", "boss", "manager", "salary", "budget", "rent",
    "mortgage", "price", "fee", "cost", "time", "best", "record", "pb", "pr", "goal", "target", "weight", "height", "size", "age",
    "language", "nationality", "religion", "pronouns", "timezone", "zone", "hobby", "hobbies", "diet", "allergy", "colour",
    "color", "song", "band", "film", "movie", "book", "dish", "food", "drink", "team", "sport", "restaurant", "cafe", "editor",
    "browser", "laptop", "computer", "car", "bike", "bank", "insurance", "doctor", "dentist", "gym", "school", "university",
    "teacher", "coach", "trainer", "deadline", "appointment", "meeting", "flight", "train", "shift", "schedule", "wedding",
    "subject", "major", "degree", "thesis", "project", "plan", "subscription", "provider", "router", "wifi", "network", "plate",
    "licence", "license", "passport", "account", "iban", "username", "handle", "blood", "type", "favourite", "favorite", "wife",
    "husband", "partner", "girlfriend", "boyfriend", "dog", "cat", "cleaner", "landlord", "neighbour", "neighbor", "therapist",
    "day", "days", "hours", "routine", "commute", "breakfast", "lunch", "dinner", "medication", "dose", "dosage", "score", "rank",
    "level", "rate", "limit", "interest", "tariff", "contract", "locker", "seat", "room", "desk", "office", "floor", "gate",
    "stack", "framework", "database", "theme", "font", "phone's", "distro", "os", "system", "version", "airline", "hotel",
    "hairdresser", "barber", "supervisor", "mentor", "colleague", "class", "lesson", "course", "instrument", "genre", "podcast",
    "game", "console", "camera", "watch", "tablet", "headphones", "printer", "club", "group", "supermarket", "bakery", "brand",
    "shampoo", "coffee", "tea", "beer", "wine", "snack", "dessert", "fruit", "vegetable", "season", "holiday", "destination",
    "status", "mileage", "pulse", "pace", "distance", "max", "income", "pension", "savings", "debt", "loan", "bill", "tax",
    "flatmate", "roommate", "president", "chair", "captain", "nanny", "babysitter", "tutor", "vet", "accountant", "lawyer",
    "host", "venue", "location", "place", "stop", "station", "route", "line", "bus", "ferry", "standup", "call", "sync",
    "review", "exam", "interview", "party", "trip", "delivery", "date", "combination", "key", "alarm", "bedtime", "curfew",
    "haircut", "tyre", "temperature", "thermostat", "setting", "streak", "handicap", "elo", "rating", "grade", "average", "gpa",
    "currency", "unit", "units", "keyboard", "shell", "terminal", "repo", "branch", "domain", "server", "ssid", "extension",
];

/// People and animals of one's own.
#[rustfmt::skip]
pub(super) const RELATIONS: &[&str] = &[
    "wife", "husband", "partner", "girlfriend", "boyfriend", "sister", "brother", "mother", "mum", "mom", "father", "dad", "son",
    "daughter", "child", "baby", "grandma", "grandmother", "grandpa", "grandfather", "aunt", "uncle", "cousin", "niece", "nephew",
    "boss", "manager", "colleague", "coworker", "friend", "neighbour", "neighbor", "landlord", "flatmate", "roommate", "dog",
    "cat", "puppy", "kitten", "rabbit", "hamster", "parrot", "horse", "fiance", "fiancee", "doctor", "dentist", "therapist",
    "teacher", "coach", "trainer", "twin", "mother-in-law", "father-in-law", "sister-in-law", "brother-in-law", "tutor",
    "hairdresser", "vet", "pet", "tortoise", "budgie", "goldfish", "nanny", "babysitter", "supervisor", "mentor", "parents",
    "kids", "children", "ex", "stepson", "stepdaughter", "grandson", "granddaughter", "godson", "goddaughter",
];

/// Things one has for long.
#[rustfmt::skip]
pub(super) const OWNABLES: &[&str] = &[
    "car", "bike", "bicycle", "motorbike", "motorcycle", "scooter", "van", "boat", "house", "flat", "apartment", "garden",
    "laptop", "computer", "phone", "tablet", "camera", "piano", "guitar", "violin", "drone", "printer", "console", "telescope",
    "dog", "dogs", "cat", "cats", "son", "sons", "daughter", "daughters", "kid", "kids", "child", "children", "wife", "husband",
    "sister", "sisters", "brother", "brothers", "twin", "twins", "puppy", "kitten", "rabbit", "rabbits", "hamster", "parrot",
    "horse", "horses", "chicken", "chickens", "hens", "fish", "pets", "cabin", "cottage", "allotment", "sauna", "pool", "garage",
    "e-bike", "ebike", "tv", "monitor", "keyboard", "watch", "girlfriend", "boyfriend", "partner", "roommate", "flatmate",
    "degree", "phd", "licence", "license", "tattoo", "pacemaker", "diabetes", "asthma", "adhd", "dyslexia", "job", "grandchildren",
    "grandchild", "goats", "sheep", "budgies", "snake", "tortoise", "employees", "bedrooms", "siblings", "plants", "bees", "motorhome",
    "campervan", "tent", "caravan", "fridge", "dishwasher", "router", "sofa", "mattress", "bed", "subscription", "membership", "coach",
];

/// Nouns that "I have" is about only for a moment.
#[rustfmt::skip]
pub(super) const HAD_FOR_NOW: &[&str] = &[
    "question", "questions", "problem", "problems", "idea", "ideas", "headache", "cold", "fever", "feeling", "hunch", "doubt",
    "doubts", "issue", "issues", "bug", "error", "minute", "moment", "second", "seconds", "minutes", "time", "fun", "look",
    "point", "favour", "favor", "request", "suggestion", "choice", "clue", "hangover", "cough", "sore", "lot", "bit", "few", "list",
    "file", "text", "table", "function", "dataset", "options", "things", "thing", "go", "chat", "break", "nap", "day", "days", "hours",
    "tasks", "errands", "left", "more", "emails", "email", "messages", "tabs", "beers", "drinks", "guests", "visitors",
];

/// The sort of thing that a known make is.
pub(super) const MAKES: &[(&str, &[&str])] = &[
    (
        "editor",
        &["vim", "neovim", "helix", "emacs", "vscode", "zed", "sublime", "nano", "intellij", "pycharm", "cursor"],
    ),
    ("browser", &["firefox", "chrome", "safari", "brave", "vivaldi", "opera", "edge", "chromium", "arc"]),
    ("operating system", &["linux", "windows", "macos", "ubuntu", "fedora", "debian", "arch", "nixos", "mint"]),
    ("notes app", &["notion", "obsidian", "evernote", "onenote", "logseq", "joplin"]),
    ("messenger", &["whatsapp", "signal", "telegram", "threema"]),
    ("music service", &["spotify", "tidal", "deezer", "qobuz"]),
    ("phone", &["iphone", "pixel", "galaxy", "fairphone", "oneplus", "xiaomi"]),
    (
        "car",
        &[
            "tesla",
            "skoda",
            "škoda",
            "bmw",
            "audi",
            "volkswagen",
            "vw",
            "toyota",
            "honda",
            "ford",
            "volvo",
            "renault",
            "fiat",
            "seat",
            "kia",
            "hyundai",
            "mazda",
            "opel",
            "peugeot",
            "porsche",
            "polestar",
            "dacia",
            "subaru",
            "nissan",
            "mercedes",
            "citroen",
            "suzuki",
            "mini",
            "jeep",
            "lexus",
        ],
    ),
    ("laptop", &["thinkpad", "macbook", "chromebook", "zenbook", "framework"]),
    ("shell", &["bash", "zsh", "fish", "nushell"]),
];

/// The sort of thing a make belongs to.
pub(super) fn sort_of(value: &str) -> Option<&'static str> {
    let lower = value.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| MAKES.iter().find(|(_, makes)| makes.contains(&word)).map(|(sort, _)| *sort))
}
