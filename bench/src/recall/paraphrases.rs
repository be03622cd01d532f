//! Our own sentences and questions that share hardly a word, which only embeddings can match.

use std::collections::BTreeSet;

use memory::search::Document;
use protocol::{Grouping, Level, Timestamp};

use super::sets::{IdGenerator, OwnerMemory, Question, QuestionSet};

/// All in one memory, where each sentence is a distractor for the other questions.
pub(crate) fn load() -> QuestionSet {
    let mut ids = IdGenerator::default();
    let (mut documents, mut questions) = (Vec::new(), Vec::new());
    let at = |day: usize| Timestamp::from_millis(1_700_000_000_000 + day as i64 * 86_400_000);
    for (number, (said, asked)) in PAIRS.iter().enumerate() {
        let id = ids.item();
        documents
            .push(Document { role: Some("user".to_owned()), ..Document::new(id, Level::Entry, *said, at(number)) });
        questions.push(Question {
            text: (*asked).to_owned(),
            now: at(PAIRS.len() + 365),
            category: "paraphrase".to_owned(),
            conversation: number,
            gold: BTreeSet::from([id.to_bytes()]),
            is_unanswerable: false,
        });
    }
    QuestionSet {
        name: "Paraphrases, own sentences",
        group: Grouping::Item,
        stores: vec![OwnerMemory { documents, questions }],
    }
}

/// The sentences and their questions.
pub(crate) const PAIRS: [(&str, &str); 40] = [
    ("Our spaniel had to be rushed to the vet after eating chocolate.", "When was the dog ill?"),
    ("I can't have anything with peanuts, my throat swells up.", "Which foods am I allergic to?"),
    ("We finally signed the mortgage for the terraced place in Leeds.", "Which property did we buy a home in?"),
    ("Grandpa passed away in his sleep on Friday.", "Which relative died?"),
    ("My boss gave me the corner office and a bigger pay packet.", "Have I been promoted at work?"),
    ("The Volvo wouldn't start, so I took the bus.", "What was wrong with the car?"),
    ("Dad plays the cello in a quartet on Thursdays.", "Which musical instrument does my father practise?"),
    ("I hand in my dissertation at the end of spring.", "What is the thesis deadline?"),
    ("Marta is expecting twins.", "Who is pregnant?"),
    (
        "The doctor told me to cut down on salt because of my blood pressure.",
        "What medical advice about my diet did I receive?",
    ),
    ("I jog along the canal before breakfast.", "How do I exercise in the mornings?"),
    ("We flew to Lisbon for our anniversary.", "Where did we travel to celebrate our marriage?"),
    ("Someone nicked my bicycle outside the library.", "What was stolen from me?"),
    ("My sister is training to become a nurse.", "What career has my sibling chosen?"),
    ("I only drink decaf after noon or I lie awake.", "Why do I avoid caffeine late in the day?"),
    ("The roof leaks whenever it pours.", "What needs repairing in the house when it rains?"),
    ("I've moved all my savings into index funds.", "How do I invest my money?"),
    ("The little one took her first steps in the kitchen.", "When did our baby begin walking?"),
    ("I gave up cigarettes two winters back.", "Do I smoke?"),
    ("Our flat overlooks the harbour.", "What can be seen from the apartment's windows?"),
    ("I snapped my wrist falling off a ladder.", "Which bone did I break?"),
    ("The wifi password is on the sticker under the router.", "How do I get visitors online?"),
    ("I can't stand horror films.", "Which movie genre do I dislike?"),
    ("My daughter's recital is at the town hall.", "Where will my girl perform?"),
    ("I'm learning to speak Portuguese with an app.", "Which foreign language am I studying?"),
    ("We rescued a tabby from the shelter.", "What kind of pet did we adopt?"),
    ("My passport runs out in August.", "When does my travel document expire?"),
    ("I do not eat meat, and cheese only rarely.", "Am I a vegetarian?"),
    ("The landlord is raising what we pay each month.", "How is our rent changing?"),
    ("I grew up on a dairy farm in the hills.", "Where did I spend my childhood?"),
    ("Tom and I tied the knot in a registry office.", "What kind of wedding did I have?"),
    ("I get sick on boats, even on a calm lake.", "Do I suffer from seasickness?"),
    ("The kettle trips the fuse in the pantry.", "Which appliance causes the electrical problem?"),
    ("I'm reading a thick biography of Marie Curie.", "Which book about a scientist am I in the middle of?"),
    ("She beat me at chess three times in a row.", "Which board game did I lose?"),
    ("I paint landscapes in watercolour at weekends.", "What is my artistic hobby?"),
    ("My knees ache whenever I climb stairs.", "Which joints hurt?"),
    ("We plant tomatoes and beans behind the shed.", "What vegetables grow in the garden?"),
    ("I work nights at the bakery until Easter.", "What shift do I have at my job?"),
    ("I owe my cousin two hundred euros.", "Whom do I have debts with?"),
];
