//! English.

use super::Phrases;

// One word per line would fill many pages.
#[rustfmt::skip]
pub(super) static ENGLISH: Phrases = Phrases {
    front: &[
        "absolutely", "actually", "ah", "aha", "ahem", "alright", "alrighty", "also", "anyhow", "anyway",
        "appreciate", "basically", "beg", "can", "certainly", "cool", "could", "dokey", "eh", "er", "erm", "excuse",
        "favor", "favour", "fine", "frankly", "gosh", "greetings", "hello", "hey", "hi", "hiya", "hmm", "hmmm",
        "honestly", "hopefully", "howdy", "huh", "ideally", "indeed", "just", "kindly", "listen", "literally", "look",
        "maybe", "mhm", "mind", "mm", "need", "now", "obviously", "oh", "ok", "okay", "okey", "pardon", "perfect",
        "perhaps", "please", "pls", "possibly", "quick", "quickly", "really", "right", "righto", "seriously",
        "simply", "so", "sorry", "sure", "thanks", "then", "totally", "ugh", "uh", "um", "wanna", "want", "well",
        "whoa", "will", "wonder", "wondering", "would", "wow", "yeah", "yep", "yes", "yo", "yup",
    ],
    front_weak: &[
        "a", "able", "am", "an", "and", "any", "as", "ask", "asking", "assistant", "awesome", "be", "bother", "buddy",
        "but", "chance", "computer", "dear", "dude", "everyone", "folks", "for", "friend", "glad", "good", "grateful",
        "great", "guess", "guys", "happy", "hope", "hoping", "i", "i'd", "i'm", "i've", "id", "im", "interested",
        "it", "it'd", "kind", "let", "like", "love", "lovely", "man", "mate", "may", "me", "might", "more", "much",
        "my", "nice", "of", "pal", "possible", "real", "sort", "suppose", "thankful", "that", "that'd", "the",
        "there", "think", "thinking", "to", "too", "trouble", "us", "very", "was", "we", "we'd", "willing", "wish",
        "wonderful", "you", "you'd",
    ],
    front_phrases: "any chance you can|any chance you could|are you able to|be a dear and|be an angel and|be kind enough to|\
        be so kind and|be so kind as to|before i forget|by any chance|by the way|can i get you to|come on|\
        could i get you to|could you be a dear and|do me a favor|do me a favor and|do me a favour|\
        do me a favour and|do me a solid and|do you mind|do you suppose you could|do you think you can|\
        do you think you could|first of all|for goodness sake|for heaven's sake|for me|for the love of god|for us|\
        go ahead and|good afternoon|good day|good evening|good morning|good night|guess what|hang on|heads up|\
        hear me out|hello house|hello there|hey home|hey house|hey there|hi house|hi there|hold on|how about|\
        how about you|i do not suppose you could|i don't suppose you could|i have to ask you to|i hope you can|\
        i hope you could|i mean|i need you to|i think you could|i want you to|i was hoping you could|\
        i was thinking you could|i wish you would|i'd be glad if you|i'd like|i'd like to|i'd like you to|\
        i'd love|i'd love it if you|i'd love to|i'm going to need you to|if i may|if it is not too much trouble|\
        if it isn't too much trouble|if it's not too much trouble|if it's possible|if possible|if we could|\
        if you can|if you could|if you do not mind|if you don't mind|if you get a chance|if you have a moment|\
        if you have a second|if you like|if you might|if you please|if you will|if you would|if you wouldn't mind|\
        if you'd|if you'd be so kind|if you'd be so kind as to|is it possible for you to|is it possible to|\
        is there any chance you can|is there any chance you could|is there any way you could|it is time to|\
        it would be great to|it's time to|let me see|let me think|let's see|listen up|may i ask you to|my dear|\
        my friend|my good friend|my love|oh my|ok house|okay house|one moment|one more thing|one second|one thing|\
        quick one|quick question|real quick|real quick one|see here|so yeah|some help please|time to|to be honest|\
        wait|wait a moment|wait a second|we'd like|we'd love|what i need is to|what i want is to|when you can|\
        when you get a chance|when you get a moment|when you have a moment|when you have a second|\
        when you have time|whenever you can|whenever you're ready|would it be ok to|would it be okay to|\
        would it be possible to|would you be able to|you know|you know what|you should|you there|you wouldn't mind",
    back: &[
        "absolutely", "alright", "alrighty", "amazing", "angel", "appreciate", "appreciated", "asap", "assistant",
        "awesome", "babe", "bless", "boss", "brilliant", "bro", "buddy", "bye", "can", "captain", "champ", "cheers",
        "chief", "computer", "cool", "could", "darling", "dear", "dude", "eh", "everyone", "fab", "fantastic",
        "favor", "favour", "fine", "friend", "genius", "goodbye", "goodnight", "gracias", "grateful", "great", "guys",
        "helpful", "honey", "hun", "kindly", "legend", "love", "lovely", "ma'am", "madam", "man", "mate", "merci",
        "nice", "obliged", "oh", "ok", "okay", "pal", "perfect", "please", "pls", "plz", "pretty", "right",
        "seriously", "sir", "sorry", "star", "super", "sure", "sweet", "sweetheart", "sweetie", "ta", "thank",
        "thankful", "thanks", "thankyou", "then", "thx", "uh", "um", "will", "wonderful", "would", "yeah", "yep",
        "yes", "yup",
    ],
    back_weak: &[
        "a", "absolute", "an", "and", "appreciate", "are", "be", "best", "bunch", "do", "good", "heaps", "help",
        "helps", "i", "i'd", "i'm", "is", "it", "it'd", "it's", "just", "kind", "loads", "lot", "lots", "many",
        "million", "most", "much", "my", "oh", "old", "pretty", "really", "simply", "so", "such", "that", "that'd",
        "that's", "the", "ton", "tons", "total", "truly", "very", "we", "we'd", "well", "you", "you'd", "you're",
        "your",
    ],
    back_phrases: "and i mean it|and that's it|as a favor|as a favour|as always|as quick as you can|as quickly as you can|\
        as soon as possible|as soon as you can|at once|at your convenience|at your leisure|be a dear|be so kind|\
        by the way|can you|can't you|come on|could you|couldn't you|do it for me|do you hear|do you mind|\
        don't you think|for me|for my sake|for us|go on|god bless|got it|how about it|i beg you|i owe you|\
        i owe you one|if i may|if i may ask|if it is not too much trouble|if it isn't too much trouble|\
        if it's all the same to you|if it's no bother|if it's no trouble|if it's not a bother|\
        if it's not too much bother|if it's not too much to ask|if it's not too much trouble|if it's possible|\
        if possible|if that is ok|if that works|if that's alright|if that's fine|if that's ok|if that's okay|\
        if that's possible|if you are able|if you can|if you could|if you could be so kind|if you do not mind|\
        if you don't mind|if you dont mind|if you get a chance|if you have a minute|if you have a moment|\
        if you have a sec|if you have a second|if you have time|if you like|if you may|if you please|if you want|\
        if you will|if you would|if you would be so kind|if you would not mind|if you wouldn't mind|\
        if you'd be so kind|if you're able|immediately|just for me|just for us|let me know|no hurry|no problem|\
        no rush|no worries|now|quick as you can|real quick|right away|right now|thank you again|\
        thank you for doing this|thank you for that|thank you for your help|thank you in advance|thank you kindly|\
        thanks again|thanks as always|thanks for doing this|thanks for everything|thanks for helping|\
        thanks for that|thanks for this|thanks for your help|thanks in advance|that is all|that will be all|\
        that will do|that'll be all|that'll do|that's all|that's it|there you go|there's a dear|\
        there's a good chap|there's a good lad|there's a love|when you can|when you get a chance|\
        when you get a moment|when you get a second|when you have a chance|when you have a minute|\
        when you have a moment|when you have a second|when you have time|when you're able|when you're free|\
        when you're ready|whenever you can|whenever you have time|whenever you're ready|will you|won't you|\
        would you|would you be a dear|would you be so kind|would you mind|wouldn't you|you are the best|you hear|\
        you know|you rock|you rule|you're the best",
    clause_starts: &["if", "when", "whenever"],
    clause_words: &[
        "a", "able", "all", "alright", "an", "any", "are", "ask", "at", "be", "bother", "bothering", "can", "care",
        "chance", "convenient", "could", "do", "don't", "enough", "fancy", "feel", "fine", "for", "free", "get",
        "good", "got", "had", "happy", "has", "hassle", "have", "helpful", "i", "i'd", "if", "imposing",
        "inconvenience", "is", "isn't", "it", "it's", "just", "kind", "like", "manage", "may", "me", "might", "mind",
        "minute", "moment", "much", "no", "not", "ok", "okay", "please", "possible", "possibly", "problem", "ready",
        "sec", "second", "so", "spare", "suits", "that", "that's", "time", "to", "too", "trouble", "troubling", "us",
        "want", "we", "when", "whenever", "will", "willing", "wish", "with", "works", "would", "wouldn't", "you",
        "you'd", "you'll", "you're", "you've",
    ],
    clause_anchors: &[
        "alright", "ask", "bother", "fine", "hassle", "inconvenience", "may", "mind", "ok", "okay", "please",
        "possible", "problem", "trouble", "you", "you'd", "you'll", "you're", "you've",
    ],
    openers: &[
        "bless", "cheers", "ever", "god", "good", "i'd", "many", "much", "old", "ta", "thank", "thanks", "that'd",
        "that's", "there's", "thx", "you're",
    ],
    opener_words: &[
        "all", "always", "as", "at", "doing", "everything", "for", "from", "helping", "in", "now", "of", "our",
        "their", "this", "to", "with", "your",
    ],
    thanks: &["cheers", "thank", "thanks", "thx"],
    starters: &[
        "activate", "add", "adjust", "announce", "brighten", "bring", "broadcast", "cancel", "change", "check",
        "clean", "close", "complete", "continue", "deactivate", "decrease", "delete", "dim", "disable", "dock",
        "enable", "extend", "get", "give", "go", "hoover", "illuminate", "increase", "light", "lock", "lower", "make",
        "move", "mow", "mute", "open", "pause", "play", "press", "put", "raise", "reduce", "remove", "replay",
        "restart", "resume", "return", "run", "set", "shorten", "show", "shut", "silence", "skip", "start", "stop",
        "switch", "take", "tell", "toggle", "turn", "unlock", "unmute", "unpause", "vacuum",
    ],
    modals: &["can", "could", "may", "might", "must", "shall", "to", "will", "would"],
    addressed: &["please", "us", "you", "you'd"],
    greetings: &["dear", "hello", "hey", "hi", "hiya", "howdy", "oi", "ok", "okay", "yo"],
    called: &[
        "alexa", "assistant", "computer", "cortana", "dwell", "echo", "google", "home", "house", "jarvis", "mycroft",
        "nabu", "siri",
    ],
    polite: &[
        "able", "about", "appreciate", "beg", "can", "chance", "could", "dear", "favor", "favour", "glad", "grateful",
        "happy", "hope", "hoping", "kind", "kindly", "like", "love", "mind", "need", "please", "pls", "plz",
        "possible", "thank", "thanks", "want", "will", "wondering", "would",
    ],
    questions: &[
        "ain't", "am", "are", "aren't", "arent", "did", "didn't", "do", "does", "doesn't", "had", "has", "hasn't",
        "have", "haven't", "how", "how's", "hows", "is", "isn't", "isnt", "may", "might", "must", "shall", "should",
        "was", "wasn't", "were", "weren't", "what", "what's", "whats", "when", "where", "where's", "whether", "which",
        "who", "who's", "whose", "why",
    ],
    negations: &[
        "ain't", "aint", "aren't", "arent", "avoid", "can't", "cannot", "cant", "couldn't", "couldnt", "didn't",
        "didnt", "doesn't", "doesnt", "don't", "dont", "except", "forbid", "hardly", "instead", "isn't", "isnt",
        "mustn't", "nah", "needn't", "neither", "never", "no", "none", "nope", "nor", "not", "nothing", "quit",
        "rather", "refuse", "shouldn't", "shouldnt", "stop", "unless", "wasn't", "wasnt", "without", "won't", "wont",
        "wouldn't", "wouldnt",
    ],
    loaded: &[
        "about", "after", "afternoon", "again", "ago", "alarm", "almost", "already", "although", "always", "and",
        "are", "asked", "asks", "at", "automation", "because", "bedtime", "been", "before", "breakfast", "but", "by",
        "cancel", "cause", "could've", "cuz", "dad", "daily", "dawn", "day", "days", "did", "dinner", "do", "does",
        "down", "downstairs", "dream", "dreamt", "during", "dusk", "each", "else", "evening", "every", "everybody",
        "everywhere", "except", "forget", "forgot", "friday", "from", "going", "had", "has", "hate", "hates", "have",
        "he", "here", "hour", "hours", "how", "i", "i've", "if", "imagine", "in", "indoors", "inside", "is", "joking",
        "kidding", "last", "later", "like", "lunch", "maybe", "midnight", "minute", "minutes", "mom", "monday",
        "month", "morning", "mum", "nearly", "next", "night", "nobody", "noon", "off", "on", "once", "only", "or",
        "otherwise", "outdoors", "outside", "perhaps", "pretend", "remember", "remind", "rule", "said", "saturday",
        "say", "says", "schedule", "scheduled", "second", "seconds", "she", "should", "since", "somebody", "someone",
        "sometimes", "soon", "sunday", "sunrise", "sunset", "suppose", "tell", "tells", "than", "then", "there",
        "they", "thursday", "till", "timer", "today", "told", "tomorrow", "tonight", "tonite", "tried", "try",
        "tuesday", "undo", "unless", "until", "up", "upstairs", "used", "wait", "wanted", "wants", "was", "watch",
        "we", "wednesday", "week", "weekdays", "weekend", "weekends", "weekly", "were", "what", "when", "whenever",
        "where", "whether", "which", "while", "who", "whoever", "why", "with", "would've", "year", "yesterday",
    ],
    plain: &[
        "a", "an", "be", "dear", "good", "it", "me", "my", "of", "old", "so", "that", "the", "to", "very", "you",
    ],
    articles: &["the", "a", "an"],
    small: &["at", "by", "for", "from", "in", "of", "to", "with"],
};
