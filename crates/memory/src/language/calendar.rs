//! The words of the calendar, and number words, in every language that is read.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

/// Months, long and short.
#[rustfmt::skip]
pub const MONTHS: &[&str] = &[
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
];

/// Whether a word names a day of the week or a month.
pub fn is_day_or_month(word: &str) -> bool {
    ENGLISH.contains(word) || english(word).is_some()
}

/// Days of the week, long and short, and several of them.
#[rustfmt::skip]
pub const WEEKDAYS: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mondays", "tuesdays", "wednesdays",
    "thursdays", "fridays", "saturdays", "sundays", "weekday", "weekdays", "weekend", "weekends",
];

/// Number words in figures.
#[rustfmt::skip]
const NUMBERS: &[(&str, &str)] = &[
    ("zero", "0"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("seventeen", "17"),
    ("eighteen", "18"),
    ("nineteen", "19"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("seventy", "70"),
    ("eighty", "80"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("zwei", "2"),
    ("drei", "3"),
    ("vier", "4"),
    ("fünf", "5"),
    ("sechs", "6"),
    ("sieben", "7"),
    ("acht", "8"),
    ("neun", "9"),
    ("zehn", "10"),
    ("zwölf", "12"),
    ("dos", "2"),
    ("tres", "3"),
    ("cuatro", "4"),
    ("cinco", "5"),
    ("seis", "6"),
    ("siete", "7"),
    ("ocho", "8"),
    ("nueve", "9"),
    ("diez", "10"),
    ("deux", "2"),
    ("trois", "3"),
    ("quatre", "4"),
    ("cinq", "5"),
    ("sept", "7"),
    ("huit", "8"),
    ("neuf", "9"),
    ("dix", "10"),
];

/// Days of the week and months in the other languages, by the English name.
#[rustfmt::skip]
const CALENDAR: &[(&str, &str)] = &[
    ("montag", "monday"),
    ("dienstag", "tuesday"),
    ("mittwoch", "wednesday"),
    ("donnerstag", "thursday"),
    ("freitag", "friday"),
    ("samstag", "saturday"),
    ("sonnabend", "saturday"),
    ("sonntag", "sunday"),
    ("lunes", "monday"),
    ("martes", "tuesday"),
    ("miércoles", "wednesday"),
    ("jueves", "thursday"),
    ("viernes", "friday"),
    ("sábado", "saturday"),
    ("domingo", "sunday"),
    ("lundi", "monday"),
    ("mardi", "tuesday"),
    ("mercredi", "wednesday"),
    ("jeudi", "thursday"),
    ("vendredi", "friday"),
    ("samedi", "saturday"),
    ("dimanche", "sunday"),
    ("januar", "january"),
    ("jänner", "january"),
    ("februar", "february"),
    ("märz", "march"),
    ("mai", "may"),
    ("juni", "june"),
    ("juli", "july"),
    ("oktober", "october"),
    ("dezember", "december"),
    ("enero", "january"),
    ("febrero", "february"),
    ("marzo", "march"),
    ("abril", "april"),
    ("mayo", "may"),
    ("junio", "june"),
    ("julio", "july"),
    ("agosto", "august"),
    ("septiembre", "september"),
    ("octubre", "october"),
    ("noviembre", "november"),
    ("diciembre", "december"),
    ("janvier", "january"),
    ("février", "february"),
    ("mars", "march"),
    ("avril", "april"),
    ("juin", "june"),
    ("juillet", "july"),
    ("août", "august"),
    ("septembre", "september"),
    ("octobre", "october"),
    ("novembre", "november"),
    ("décembre", "december"),
];

// Every word of a message is looked up in these.
static ENGLISH: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| MONTHS.iter().chain(WEEKDAYS).copied().collect());

static NAMES: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let english = WEEKDAYS[..7].iter().chain(&MONTHS[..12]).map(|name| (*name, *name));
    CALENDAR.iter().copied().chain(english).collect()
});

static FIGURES: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| NUMBERS.iter().copied().collect());

/// The English name of a day of the week or a month.
pub fn english(word: &str) -> Option<&'static str> {
    let found = |word: &str| NAMES.get(word).copied();
    // Days are used in the plural; "mais" is no month.
    found(word).or_else(|| found(word.strip_suffix('s')?).filter(|name| name.ends_with("day")))
}

/// The figures of a number word.
pub fn number(word: &str) -> Option<&'static str> {
    FIGURES.get(word).copied()
}
