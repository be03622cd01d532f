//! Irregular forms and everyday variants of English words, which no stemmer brings together: "went"
//! and "go", "mum" and "mother".

use std::{collections::HashMap, sync::LazyLock};

/// The base form of an irregular form or a variant.
pub(super) fn base(word: &str) -> Option<&'static str> {
    static FORMS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
        let of_line = |line: &'static str| {
            let mut words = line.split_ascii_whitespace();
            let base = words.next().unwrap_or_default();
            words.map(move |form| (form, base))
        };
        TABLE.lines().flat_map(of_line).collect()
    });
    FORMS.get(word).copied()
}

/// A base form and its other forms per line. Forms that are more often another word ("lay", "bore",
/// "wound") are left out.
const TABLE: &str = "
arise arose arisen
awake awoke awoken
become became
begin began begun
bend bent
bite bit bitten
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
come came
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
give gave given
go went gone goes
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
know knew known
lead led
learn learnt
leave left
lend lent
light lit
lose lost
make made
mean meant
meet met
pay paid
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
spin spun
steal stole stolen
stick stuck
strike struck
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
write wrote written
child children kid kids
man men
woman women
person people
foot feet
tooth teeth
mouse mice
goose geese
life lives
wife wives
knife knives
leaf leaves
half halves
shelf shelves
good better best
bad worse worst
mother mom mum mommy mummy moms
father dad daddy dads
grandmother grandma granny
grandfather grandpa granddad
tv television
photo photograph picture pic
bike bicycle
phone telephone
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irregular_forms_have_their_base() {
        assert_eq!((base("went"), base("bought"), base("children")), (Some("go"), Some("buy"), Some("child")));
        assert_eq!((base("go"), base("walked")), (None, None));
    }
}
