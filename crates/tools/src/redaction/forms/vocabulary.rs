//! English and German words that distinguish a sentence that reveals a password from one that
//! mentions it. Each list is one string of words separated by spaces.

/// Verbs that link a name to its value.
pub const LINKS: &str = "is was ist war lautet heisst heißt equals";

/// Words before `key` that make it a secret.
pub const KEYS: &str = "api secret access private encryption signing wifi wi-fi wlan wpa wpa2 wpa3 security aws";

/// Words that link a name to a new value. They may also start a purpose, as in `reset the password
/// to continue`.
pub const TOWARDS: &str = "to auf as be";

/// Adverbs that may precede the value.
pub const ADVERBS: &str = "\
    now still just simply currently again always actually also only jetzt nun noch immer einfach aktuell \
    wieder auch nur weiterhin";

/// The first words of a phrase between a name and its verb, as in `password for the guest network
/// is`.
pub const OF: &str = "for of to on at in will here für fürs von vom zu zum zur im am beim auf der des hier";

/// Words that may follow a value.
pub const AFTER: &str = "and but or for please so und aber oder für bitte also thanks danke";

/// Units that a number may count.
pub const MEASURES: &str = "\
    character characters char chars digit digits letter letters bit bits th st nd rd zeichen stellig stellen \
    x";

/// Suffixes of words that describe something.
pub const SUFFIXES: &str = "ed ing able ible ful less ous lich iert";

/// English words that follow `my password is` and are not a password.
pub const STOPS_ENGLISH: &str = "\
    a about above access again all almost alphanumeric already also always an and any as at available awful bad \
    based because below better between blank both broken but by case-sensitive complex continue correct currently \
    dead default different difficult due easier easy either empty enough everywhere fairly fake fine for forgotten \
    fresh from going gone gonna good hard here hers hidden his how identical if important in incorrect insecure \
    invalid it its just kept known less like long longer lost made maybe mine missing more my necessary neither \
    never new no none not nothing now nowhere obvious of off often okay old older on one only optional or our ours \
    out over perhaps private probably proceed public quite random rather really right safe same secret secure \
    sensitive sent set short shorter similar simple simply so some something somewhere stale still stolen strange \
    strong stronger stuck supposed taken temporary terrible than that the their theirs there this to too \
    unavailable under unique unknown unsafe until up usually valid very visible weak weaker weird well-known what \
    when where which with without worse worthless written wrong your yours";

/// German words that follow `mein Passwort ist` and are not a password.
pub const STOPS_GERMAN: &str = "\
    aber abgelaufen als alt am anders auch auf bei beim bekannt besser da das dasselbe dein deins dem den der \
    derselbe die dieselbe doch dort dran egal ein eine einen einfach erforderlich falsch futsch für ganz gleich \
    gut hier hinüber höchstens ihr im immer inkorrekt ist jetzt kein keine keins klar komplex korrekt kurz kürzer \
    lang leer leicht leider länger mein meins mindestens mir mit neu nicht nichts nie niemals nirgends noch nun \
    nur nötig oder ohne privat recht schlecht schon schwach schwer sehr sein sicher sicherer stark unbekannt und \
    ungültig unsicher unter veraltet vergessen verloren verschlüsselt vom von warum weg wenn wie wieder wirklich \
    wo wohl ziemlich zu zum zur über überall";

/// Whether a list contains a word, ignoring case.
pub fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known.eq_ignore_ascii_case(word))
}
