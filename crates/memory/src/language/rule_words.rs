//! The words and patterns of the English rules, from their file in `languages/rules/`.
//!
//! Other languages describe whole clauses in their files (see [`super::lexicon`]). English is read
//! by rules in code, which take every word that they look for from here.

use std::{ops::Deref, sync::LazyLock};

use toml::{Table, Value};

const FILE: &str = include_str!("../../languages/rules/en.toml");

/// The words of the English rules. The file is part of the program, and a test reads it.
pub(crate) static ENGLISH: LazyLock<RuleWords> = LazyLock::new(|| RuleWords::read(FILE).unwrap_or_default());

/// Words, or patterns, in their order. They are read once and stay as long as the program runs.
#[derive(Debug, Default)]
pub(crate) struct WordList(Vec<&'static str>);

/// Patterns, and what each of them means.
#[derive(Debug, Default)]
pub(crate) struct WordPairs(Vec<(&'static str, &'static str)>);

/// Sorts of things, and the words for each.
#[derive(Debug, Default)]
pub(crate) struct WordSorts(Vec<(&'static str, WordList)>);

impl Deref for WordList {
    type Target = [&'static str];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Deref for WordPairs {
    type Target = [(&'static str, &'static str)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Deref for WordSorts {
    type Target = [(&'static str, WordList)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// What a list of the file becomes. (The hundreds of lists are read by hand: what serde's derive
/// makes of them takes longer to compile than the rest of the crate.)
trait FromFile: Sized {
    /// `None` if the list is not of this form.
    fn from_file(value: Value) -> Option<Self>;
}

impl FromFile for &'static str {
    fn from_file(value: Value) -> Option<Self> {
        if let Value::String(text) = value { Some(text.leak()) } else { None }
    }
}

impl<T: FromFile> FromFile for Vec<T> {
    fn from_file(value: Value) -> Option<Self> {
        if let Value::Array(values) = value { values.into_iter().map(T::from_file).collect() } else { None }
    }
}

impl<One: FromFile, Two: FromFile> FromFile for (One, Two) {
    fn from_file(value: Value) -> Option<Self> {
        let Value::Array(values) = value else { return None };
        let [one, two] = <[Value; 2]>::try_from(values).ok()?;
        Some((One::from_file(one)?, Two::from_file(two)?))
    }
}

/// An array, or single words as a paragraph.
impl FromFile for WordList {
    fn from_file(value: Value) -> Option<Self> {
        match value {
            Value::String(words) => Some(Self(words.leak().split_whitespace().collect())),
            value => Vec::from_file(value).map(Self),
        }
    }
}

impl FromFile for WordPairs {
    fn from_file(value: Value) -> Option<Self> {
        Vec::from_file(value).map(Self)
    }
}

impl FromFile for WordSorts {
    fn from_file(value: Value) -> Option<Self> {
        Vec::from_file(value).map(Self)
    }
}

/// Takes a list out of its section.
fn take<T: FromFile>(lists: &mut Table, name: &str) -> Result<T, String> {
    lists.remove(name).and_then(T::from_file).ok_or_else(|| format!("`{name}` is missing, or of another form"))
}

/// Refuses what was not taken.
fn taken(lists: &Table) -> Result<(), String> {
    lists.keys().next().map_or(Ok(()), |name| Err(format!("`{name}` is not known")))
}

/// Makes a type of each section of the file: its lists, and what else it has.
macro_rules! sections {
    ($($section:ident: $type:ident { lists: $($list:ident)*; $($field:ident: $kind:ty;)* })*) => {
        $(
            /// A section of the file.
            #[derive(Debug, Default)]
            pub(crate) struct $type { $(pub(crate) $list: WordList,)* $(pub(crate) $field: $kind,)* }

            impl $type {
                fn read(value: Value) -> Result<Self, String> {
                    let Value::Table(mut lists) = value else { return Err("it is no section".to_owned()) };
                    let mut section = Self::default();
                    $(section.$list = take(&mut lists, stringify!($list))?;)*
                    $(section.$field = take(&mut lists, stringify!($field))?;)*
                    taken(&lists).map(|()| section)
                }
            }
        )*

        /// The sections of the file.
        #[derive(Debug, Default)]
        pub(crate) struct RuleWords { $(pub(crate) $section: $type,)* }

        impl RuleWords {
            /// The error names what is wrong.
            fn read(file: &str) -> Result<Self, String> {
                let mut sections: Table = file.parse().map_err(|error: toml::de::Error| error.to_string())?;
                let mut section = |name: &str| sections.remove(name).ok_or_else(|| format!("[{name}] is missing"));
                let mut words = Self::default();
                $(words.$section = $type::read(section(stringify!($section))?)
                    .map_err(|wrong| format!("[{}]: {wrong}", stringify!($section)))?;)*
                taken(&sections).map(|()| words)
            }
        }
    };
}

sections! {
    tokenizer: TokenizerWords {
        lists: titles is_before after_verb after_has at_place after_participle before_participle
            denied_endings denial;
        contractions: WordPairs;
        endings: WordPairs;
    }
    opening: OpeningWords {
        lists: number_words lead_ins long_lead_ins polite_ends;
    }
    imperatives: ImperativesWords {
        lists: sure soft;
    }
    instructions: InstructionsWords {
        lists: openings orders addressed calls please always;
    }
    grammar: GrammarWords {
        lists: speakers renamed own moved from place_prepositions all_articles
            employer_prepositions within of articles own_or_the allergic not on but any_more i and
            determiners and_or do_not allergic_to nicknamed that that_alone are any_articles
            hours_of_day the as_word how_often_words today have parts_of_day one called new namely
            no new_or_different name has copulas will has_or_got to pointers hours how_often
            current be me_or_us;
    }
    nouns: NounsWords {
        lists: moods attributes relations ownables had_for_now;
        makes: WordSorts;
    }
    values: ValuesWords {
        lists: diets foods languages jobs states family no_names no_places;
    }
    key: KeyWords {
        lists: dropped generic small other_addresses owners;
        alike: Vec<WordList>;
    }
    draft: DraftWords {
        lists: contrasts stops others before_new before_value denials prepositions verbs_of_others
            part_openings not_listed to span_ends joints;
    }
    value: ValueWords {
        lists: empty denials;
        as_numbers: WordPairs;
    }
    clause: ClauseWords {
        lists: news leads small_words habit_words subjects shared joints since_date since_event
            labels after_joint after_break too before_verb in_date since_openings update_tails
            adds_tails moment_tails nothing_tails news_pairs ended_pairs moment_pairs news_words
            adding_words;
    }
    extract: ExtractWords {
        lists: work_on make_believe wraps unstated denial_forms clauses casting own_openings
            going_vegan about reached placed favourites speaks denials there_is it before_old_value
            mail_marks pointing_values pointing_keys contrasts;
    }
    profile: ProfileWords {
        lists: other_voices frames not_told trailing since connectors bare_frames errand_openings
            stating_verbs personal_openings joints pleased;
    }
    statement: StatementWords {
        lists: stops new_clause vague liked;
    }
    diet: DietWords {
        lists: diet_openings allergy_openings not_eaten denied allergy_before_cause allergy_nouns
            any_more diet;
    }
    person: PersonWords {
        lists: name_openings home_openings greetings birthday in_date works_as profession
            without_employer job_at relation_stated origin whole_states i_am address works_at
            i_am_now my has_relatives i_am_a married_to;
    }
    preferences: PreferencesWords {
        lists: lasting answer wishes choices openings always_wishes always no_favourite to_me
            prefers favourite;
    }
    habits: HabitsWords {
        lists: verbs prepositions pointed other weak became lacks has drives drive liking owning
            consuming measures participles after_state tall about work_hours no_place no_job
            no_salary own_articles own_article no_home masses uses pronouns purposes places
            no_verb_prepositions routines allowed_objects started married_to years_old years placed
            being_there weakest;
        openings: WordPairs;
        states: WordPairs;
    }
    possessions: PossessionsWords {
        lists: links owned_articles allergies lacked_end illnesses bought bought_articles
            apposition apposed_articles not_apposed announced pays paid_for number;
        ordinals: WordPairs;
    }
    things: ThingsWords {
        lists: verbs scheduled fleeting broken vague endings for_now ordinals not_named labels
            fresh former verb_objects wants not_have does been turned died passed away used
            past_verbs plain_attributes joined unfinished named moved_to due job_at not_lasting
            spans measured_moods happening noun_openings schools no_name goes inverted_verbs
            inverted_adjectives to_be moved_particles died_or_passed used_to_be a_new age
            time_prepositions amounts looks aims pastimes world trade_endings;
    }
    changes: ChangesWords {
        lists: changed ways before_value before_verb passives transferred changes moves cut went
            back not_by_others teams switched passive_openings journeys set rescheduled new_job
            became new_employer joined raced time_units records best new_record record_over
            record_end record_thing_end exchanged exchanged_for exchange_particles not_exchanged
            abandoned left parties orders up_or_down new_value record_article schools;
    }
    endings: EndingsWords {
        lists: given_up before_verb negations stopped food_stopped employer_left separated
            separated_from noun_ends have owned lived worked drove relationships moods job_left am
            as_a driven state_openings habit_object lost_for_now;
    }
    gate: GateWords {
        lists: asking requests;
    }
    duplicates: DuplicatesWords {
        lists: turning no_names;
    }
    said: SaidWords {
        lists: around_value correcting_requests;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_every_list_and_no_empty_one() {
        let words = RuleWords::read(FILE).unwrap();
        assert!(words.habits.verbs.contains(&"drink"));
        let file: Table = FILE.parse().unwrap();
        for (section, lists) in file {
            for (name, list) in lists.as_table().unwrap() {
                let is_empty = list.as_array().is_some_and(Vec::is_empty) || list.as_str().is_some_and(str::is_empty);
                assert!(!is_empty, "{section}.{name}");
            }
        }
    }

    #[test]
    fn a_wrong_file_is_refused_by_name() {
        let refused = |file: &str| RuleWords::read(file).unwrap_err();
        assert_eq!(refused(""), "[tokenizer] is missing");
        let renamed = FILE.replacen("\nverbs_of_others = ", "\nverps = ", 1);
        assert_eq!(refused(&renamed), "[draft]: `verbs_of_others` is missing, or of another form");
        assert_eq!(refused(&FILE.replacen("\n[draft]", "\n[draft]\nmore = []", 1)), "[draft]: `more` is not known");
        assert_eq!(refused(&format!("{FILE}\n[more]\n")), "`more` is not known");
    }
}
