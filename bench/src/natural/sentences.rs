//! Two hundred natural messages of about 200 bytes each: every one is two sentences out of forty.
//!
//! Some contain words that other parts of Dwell look for ("since", "now", "new", "again"), some
//! state facts, some ask, some are about a home. Padding with dots would skip all of that work.

/// The first sentences.
const FIRST: [&str; 20] = [
    "My sister Ines has been living in Porto since last spring, and she found a flat near the river only this week.",
    "I moved my running group from Tuesday to Thursday evening, so the Tuesday slot is free for something else now.",
    "The new bakery on Linden Street sells a rye loaf that keeps for five days, which is longer than any I have had.",
    "We are planning a trip to the coast in June with two children, a dog and far too many books for one small car.",
    "I have been learning the cello for three months, and my teacher wants me to play with a pianist in the autumn.",
    "The heating in our living room has been acting up again, it is warm at noon and cold by the time we get home.",
    "My manager asked for a short report about the warehouse in Graz, with last year's numbers and two pictures.",
    "I'm trying to eat less meat this year, mostly lentils, beans and whatever the market has on Saturday mornings.",
    "Our neighbour Marek repaired the old gate yesterday, and he would not take any money for it, as usual.",
    "The book club chose a Portuguese novel from the fifties, and nobody has managed to get past the first chapter.",
    "I need to renew my passport before September, and the office only has appointments at eight in the morning.",
    "My daughter Lea now swims on Mondays and Fridays, and on Wednesdays she has her first lessons in drawing.",
    "The laptop I bought in March gets hot as soon as I open more than a few tabs, although the fan is always on.",
    "I've started to keep bees with a friend from work, two hives behind the allotment, and we know very little yet.",
    "The bridge on my way to work is closed until October, so the ride takes me about forty minutes instead of twenty.",
    "Grandfather turns ninety in May, and he says that he wants no party, only a long table and all of us around it.",
    "I got a new phone number last week, since the old contract was far too expensive for how little I call anyone.",
    "The tomatoes on the balcony have yellow leaves again, although I water them every evening and turn the pots.",
    "We are thinking of getting a second cat, but the first one hides whenever somebody rings at the door.",
    "My bike was stolen from the yard on Sunday, and the insurance wants a receipt that I have never had.",
];

/// The second sentences.
const SECOND: [&str; 20] = [
    "What would you do first in my place?",
    "Could you tell me what I should ask them before Friday?",
    "How much time should I plan for it, roughly?",
    "Please remind me what we said about this the last time.",
    "I would rather not spend more than 250 euros on it.",
    "Do you think it will get better by itself, or should I call somebody?",
    "Can you write me three lines that I could send to Anna about it?",
    "Is there anything that people usually forget in such a case?",
    "I never know whether that is normal or not.",
    "Since then I have not slept very well, to be honest.",
    "What are good and bad reasons for it?",
    "Tom says that it is my own fault, and I am not so sure.",
    "Give me a short answer, I am on the train.",
    "What else would you like to know from me?",
    "By the way, is it worth writing any of this down?",
    "Which of these things should be done before the summer?",
    "And what would it cost to do all of that again next year?",
    "I told Jonas the same yesterday, and he only laughed.",
    "Explain it to me as you would to a friend.",
    "Would you start with the small things or with the large ones?",
];

/// The number of messages.
pub(crate) const COUNT: usize = 200;

/// A message by its number.
pub(crate) fn message(number: usize) -> String {
    let number = number % COUNT;
    let (first, round) = (number % FIRST.len(), number / FIRST.len());
    format!("{} {}", FIRST[first], SECOND[(first * 3 + round * 7) % SECOND.len()])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn they_are_different_and_of_ordinary_length() {
        let all: BTreeSet<String> = (0..COUNT).map(message).collect();
        assert_eq!(all.len(), COUNT);
        assert!(all.iter().all(|message| (110..230).contains(&message.len())));
        let mean = all.iter().map(String::len).sum::<usize>() / COUNT;
        assert!((140..210).contains(&mean), "{mean}");
    }
}
