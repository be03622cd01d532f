//! Tests of search: scores, filters and ranking.

use std::time::Duration;

use proptest::prelude::*;
use protocol::{Grouping, ItemId, Level, MemoryId, Score, SearchMode, SearchScope, SessionId, Timestamp, VaultId};

use super::*;

const DAY: u64 = 86_400;

fn id(number: u8) -> ItemId {
    ItemId::from_bytes([number; 16])
}

/// A Wednesday noon.
fn now() -> Timestamp {
    "2023-06-14T12:00:00Z".parse().unwrap()
}

fn days_ago(days: u64) -> Timestamp {
    Timestamp::from_millis(now().as_millis() - i64::try_from(days * DAY * 1000).unwrap())
}

fn said(number: u8, text: &str, days: u64) -> Document {
    let at = days_ago(days).plus(Duration::from_secs(number.into()));
    let memory_id = MemoryId::from_bytes([u8::try_from(days % 200).unwrap(); 16]);
    Document { memory_id: Some(memory_id), ..Document::new(id(number), Level::Entry, text, at) }
}

fn index(documents: impl IntoIterator<Item = Document>) -> DocumentIndex {
    let mut index = DocumentIndex::new();
    documents.into_iter().for_each(|document| index.insert(document));
    index
}

fn found(index: &DocumentIndex, query: &Query) -> Vec<ItemId> {
    index.search(query, now()).iter().map(|hit| hit.id).collect()
}

fn first(index: &DocumentIndex, text: &str) -> Option<ItemId> {
    found(index, &Query::new(text, 5)).first().copied()
}

/// A stand-in for an embedding model: each stem has its direction.
fn vector(text: &str) -> Vec<f32> {
    let mut numbers = vec![0.0_f32; 64];
    for term in terms::terms(text) {
        let place = term.bytes().fold(7_usize, |sum, byte| (sum * 31 + usize::from(byte)) % 64);
        numbers[place] += 1.0;
    }
    numbers
}

fn embed(index: &mut DocumentIndex) {
    for wanted in index.wanting(usize::MAX) {
        assert!(index.set_vector(&wanted, &vector(&wanted.text)));
    }
    assert_eq!(index.unembedded_len(), 0);
}

const SENTENCES: [&str; 8] = [
    "I adopted a grey cat from the shelter.",
    "The meeting with Petra is moved to Thursday.",
    "My 5k time is 27:12.",
    "We had pizza with anchovies.",
    "Order AB-123 has been shipped.",
    "Grandma's recipe needs three lemons.",
    "The boiler makes strange noises again.",
    "I started learning the violin.",
];

fn conversation() -> Vec<Document> {
    (1_u8..).zip(SENTENCES).map(|(number, text)| said(number, text, 40)).collect()
}

#[test]
fn the_same_sentence_comes_first() {
    let mut index = index(conversation());
    for mode in [SearchMode::Lexical, SearchMode::Hybrid, SearchMode::Semantic] {
        for (number, text) in (1_u8..).zip(SENTENCES) {
            let query = Query { vector: Some(vector(text)), mode, ..Query::new(text, 3) };
            assert_eq!(found(&index, &query).first(), Some(&id(number)), "{mode:?} {text}");
        }
        embed(&mut index);
    }
}

#[test]
fn inflected_words_and_codes_are_found() {
    let index = index(conversation());
    assert_eq!(first(&index, "which cats were adopted?"), Some(id(1)));
    assert_eq!(first(&index, "what about ab-123"), Some(id(5)));
    assert_eq!(first(&index, "27:12"), Some(id(3)));
    assert_eq!(first(&index, "Who learns to play violins?"), Some(id(8)));
    assert_eq!(first(&index, "helicopter"), None);
}

#[test]
fn parts_add_up() {
    let mut index = index(conversation());
    embed(&mut index);
    let query = Query { vector: Some(vector("cat")), ..Query::new("When did I get the cat, last month?", 8) };
    for hit in index.search(&query, now()) {
        let Score { total, relevance, recency, pinned, conversation, entity, time, lexical, semantic } = hit.score;
        assert!((total - (relevance + recency + pinned + conversation + entity + time)).abs() < 1e-6);
        assert!((0.0..=0.6001).contains(&relevance) && (0.0..=0.3).contains(&recency));
        assert!((0.0..=1.0).contains(&lexical) && (0.0..=1.0).contains(&semantic));
    }
}

#[test]
fn yesterday_comes_before_last_year() {
    let index = index([said(1, SENTENCES[0], 365), said(2, SENTENCES[0], 1), said(3, SENTENCES[1], 2)]);
    assert_eq!(first(&index, "the grey cat"), Some(id(2)));
}

#[test]
fn what_is_new_does_not_displace_what_fits() {
    let mut documents: Vec<Document> =
        (2..60).map(|number| said(number, "We had pizza again with Petra.", 0)).collect();
    documents.push(said(1, SENTENCES[0], 300));
    assert_eq!(first(&index(documents), "Where did I adopt the grey cat?"), Some(id(1)));
}

#[test]
fn a_named_speaker_comes_first() {
    let by = |number, name: &str| Document { speaker: Some(name.to_owned()), ..said(number, "I went hiking.", 9) };
    let index = index([by(1, "Ann"), by(2, "Bob"), by(3, "Cleo")]);
    assert_eq!(first(&index, "Did Bob go hiking?"), Some(id(2)));
    assert_eq!(first(&index, "when was ann's hiking"), Some(id(1)));
}

#[test]
fn a_named_time_comes_first() {
    let text = "We went to the lake.";
    let index =
        index([said(1, text, 1), said(2, text, 9), said(3, text, 40), said(4, "Yesterday we went to the lake.", 11)]);
    assert_eq!(first(&index, "When were we at the lake in May?"), Some(id(3)));
    assert_eq!(first(&index, "Who was at the lake last week?"), Some(id(2)));
    assert_eq!(first(&index, "Who was at the lake on 2 June 2023?"), Some(id(4)));
}

#[test]
fn what_ended_comes_after_what_holds() {
    let fact = |number, text: &str, days| Document {
        key: Some("5k time".to_owned()),
        ..Document::new(id(number), Level::Fact, text, days_ago(days))
    };
    let mut index = index([fact(1, "My 5k time is 27:12", 400), fact(2, "I ran the 5k in 25:50", 200)]);
    index.set_validity(id(1), Some(days_ago(200)), true);
    assert_eq!(first(&index, "What is my 5k time?"), Some(id(2)));
    let hits = index.search(&Query::new("What is my 5k time?", 5), now());
    assert_eq!(hits.len(), 2, "what ended is still found");
    assert!(hits[1].score.time < 0.0);
    let hits = index.search(&Query::new("What was my 5k time in August 2022?", 5), now());
    assert_eq!(hits[0].id, id(1), "at that time it held");
    let history = Query { is_history_wanted: true, ..Query::new("What is my 5k time?", 5) };
    assert!(index.search(&history, now()).iter().all(|hit| hit.score.time >= 0.0));
}

#[test]
fn pins_and_the_same_conversation_count() {
    let session = |number| Some(SessionId::from_bytes([number; 16]));
    let plain = said(1, SENTENCES[0], 9);
    let index = index([
        Document { session_id: session(1), ..plain.clone() },
        Document { id: id(2), level: Level::Profile, ..plain.clone() },
        Document { id: id(3), session_id: session(3), ..plain },
    ]);
    let query = Query { session_id: session(3), ..Query::new("the cat", 5) };
    let hits = index.search(&query, now());
    let part =
        |number| hits.iter().find(|hit| hit.id == id(number)).map(|hit| (hit.score.pinned, hit.score.conversation));
    assert_eq!((part(1), part(2), part(3)), (Some((0.0, 0.0)), Some((0.2, 0.0)), Some((0.0, 0.1))));
    let alone = Query { scope: SearchScope::Conversation, ..query.clone() };
    assert_eq!(found(&index, &alone), [id(3)]);
    assert_eq!(found(&index, &Query { session_id: None, ..alone }), []);
}

#[test]
fn filters_hold() {
    let vault = Some(VaultId::from_bytes([9; 16]));
    let tags = [("topic".to_owned(), "pets".to_owned())];
    let index = index([
        said(1, "a cat", 1),
        Document { vault_id: vault, ..said(2, "a cat", 2) },
        Document { level: Level::Context, ..said(3, "a cat", 3) },
        Document { tags: tags.clone().into(), ..said(4, "a cat", 4) },
    ]);
    let all = Query::new("cat", 9);
    assert_eq!(found(&index, &all).len(), 4);
    assert_eq!(found(&index, &Query { vault_id: vault, ..all.clone() }), [id(2)]);
    assert_eq!(found(&index, &Query { levels: vec![Level::Context, Level::Pin], ..all.clone() }), [id(3)]);
    assert_eq!(found(&index, &Query { tags: tags.into(), ..all.clone() }), [id(4)]);
    assert_eq!(found(&index, &Query { memory_id: said(1, "", 1).memory_id, ..all }), [id(1)]);
}

#[test]
fn a_memory_is_found_once_by_its_best() {
    let index = index([
        said(1, "The cat sleeps.", 5),
        said(2, "My cat is called Minka, a grey cat.", 5),
        said(3, "A dog.", 6),
        said(4, "No cat here.", 6),
    ]);
    let query = Query { group: Grouping::Memory, ..Query::new("What is the name of the grey cat Minka?", 5) };
    assert_eq!(found(&index, &query), [id(2), id(4)]);
}

#[test]
fn a_vector_for_words_that_changed_is_refused() {
    let mut index = index([said(1, "One.", 5)]);
    let stale = index.wanting(9).remove(0);
    index.insert(said(1, "Another one.", 5));
    assert!(!index.set_vector(&stale, &[1.0]));
    assert_eq!(index.unembedded_len(), 1);
}

#[test]
fn what_stands_beside_a_hit_means_more_than_what_stands_alone() {
    let mut index = index([said(1, "Do you have pets?", 5), said(2, "Yes, two.", 5), said(3, "Yes, two.", 9)]);
    embed(&mut index);
    let query = Query { vector: Some(vector("pets")), mode: SearchMode::Semantic, ..Query::new("pets", 9) };
    assert_eq!(found(&index, &query)[..2], [id(1), id(2)]);
}

#[test]
fn vectors_are_kept_and_restored_unless_the_text_changed() {
    let mut before = index(conversation());
    embed(&mut before);
    let mut after = index(conversation());
    for document in conversation() {
        after.restore(document.id, &before.vectors(document.id).unwrap());
    }
    assert_eq!(after.unembedded_len(), 0);
    let mut changed = conversation();
    "Something else.".clone_into(&mut changed[3].text);
    let changed_id = changed[3].id;
    let mut after = index(changed);
    for document in conversation() {
        after.restore(document.id, &before.vectors(document.id).unwrap());
    }
    let wanted: Vec<ItemId> = after.wanting(9).into_iter().map(|wanted| wanted.id).collect();
    assert_eq!(wanted, [changed_id]);
    after.restore(id(1), &[1, 2, 3]);
}

#[test]
fn what_is_removed_leaves_no_word() {
    let mut index = index(conversation());
    embed(&mut index);
    index.remove(id(1));
    assert!(!index.lexicon.knows("cat") && !index.lexicon.knows("adopt"));
    assert!(index.get(id(1)).is_none() && index.vectors(id(1)).is_none());
    assert!(index.wanting(99).iter().all(|wanted| !wanted.text.contains("cat")));
    SENTENCES.iter().zip(1_u8..).skip(1).for_each(|(_, number)| index.remove(id(number)));
    assert!(index.is_empty() && index.unembedded_len() == 0 && index.memories.is_empty());
}

#[derive(Debug, Clone)]
enum Act {
    Insert(u8, usize, u64),
    Remove(u8),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        3 => (1_u8..20, 0..SENTENCES.len(), 0_u64..4).prop_map(|(number, text, days)| Act::Insert(number, text, days)),
        1 => (1_u8..20).prop_map(Act::Remove),
    ];
    proptest::collection::vec(act, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_history_gives_the_index_of_what_is_left(acts in acts(), text in 0..SENTENCES.len(), by_memory in any::<bool>()) {
        let mut lived = DocumentIndex::new();
        let mut left = std::collections::BTreeMap::new();
        for (step, act) in acts.into_iter().enumerate() {
            match act {
                Act::Insert(number, text, days) => {
                    let document = said(number, SENTENCES[text], days);
                    left.insert(number, document.clone());
                    lived.insert(document);
                }
                Act::Remove(number) => {
                    left.remove(&number);
                    lived.remove(id(number));
                }
            }
            if step % 7 == 0 {
                embed(&mut lived);
            }
        }
        let mut fresh = index(left.into_values());
        embed(&mut lived);
        embed(&mut fresh);
        prop_assert_eq!(lived.len(), fresh.len());
        let group = if by_memory { Grouping::Memory } else { Grouping::Item };
        let query = Query { vector: Some(vector(SENTENCES[text])), group, ..Query::new(SENTENCES[text], 9) };
        prop_assert_eq!(lived.search(&query, now()), fresh.search(&query, now()));
    }

    #[test]
    fn no_question_breaks_it(text in "\\PC{0,80}", limit in 0_usize..4) {
        let mut index = index(conversation());
        embed(&mut index);
        let query = Query { vector: Some(vector(&text)), ..Query::new(text, limit) };
        prop_assert!(index.search(&query, now()).len() <= limit);
    }
}

#[test]
fn an_answer_is_found_by_the_words_of_its_question() {
    let by = |number, name: &str, text: &str| Document { speaker: Some(name.to_owned()), ..said(number, text, 9) };
    let index = index([
        by(1, "Ann", "Nice weather."),
        by(2, "Bob", "Which instrument does your uncle play?"),
        by(3, "Ann", "The oboe, since he was nine."),
        by(4, "Bob", "I see."),
        said(5, "The uncle of a friend came by.", 20),
    ]);
    let hits = found(&index, &Query::new("What instrument does the uncle play?", 5));
    assert_eq!(hits[0], id(3), "the answer comes before the question: {hits:?}");
}

#[test]
fn irregular_forms_and_related_words_are_found() {
    let index = index([
        said(1, "I bought a tent in Leeds.", 30),
        said(2, "My career is in nursing.", 60),
        said(3, "The weather is mild.", 90),
    ]);
    assert_eq!(first(&index, "When did I buy the tent?"), Some(id(1)));
    let hits = index.search(&Query::new("my job in nursing", 5), now());
    assert_eq!(hits[0].id, id(2));
}

#[test]
fn what_is_new_counts_more_where_it_is_asked_for() {
    let index = index([said(1, SENTENCES[0], 1), said(2, SENTENCES[1], 1)]);
    let recency = |text: &str, weight| {
        let query = Query { recency: weight, ..Query::new(text, 5) };
        index.search(&query, now())[0].score.recency
    };
    assert!(recency("the grey cat", None) < 0.05);
    assert!(recency("the grey cat", Some(0.3)) > 0.25);
    assert!(recency("the grey cat now", None) > 0.25);
}

#[test]
fn many_documents_at_once_give_the_same_index() {
    let documents: Vec<Document> = (0..=255)
        .flat_map(|number: u8| [said(number, SENTENCES[usize::from(number) % 8], u64::from(number) % 5)])
        .collect();
    let documents: Vec<Document> = documents
        .into_iter()
        .flat_map(|document| {
            let other = Document {
                id: ItemId::from_bytes({
                    let mut bytes = document.id.to_bytes();
                    bytes[0] ^= 255;
                    bytes
                }),
                ..document.clone()
            };
            [document, other]
        })
        .collect();
    let one_by_one = index(documents.clone());
    let mut at_once = DocumentIndex::new();
    let stored = |document: &Document| Some(StoredDocument { document: document.clone(), words: None, vectors: None });
    let unsaved = at_once.insert_all(PreparedDocuments::of_all(&documents, stored));
    assert_eq!(unsaved.len(), documents.len());
    assert_eq!(at_once.len(), one_by_one.len());
    for text in SENTENCES {
        let query = Query::new(text, 20);
        assert_eq!(at_once.search(&query, now()), one_by_one.search(&query, now()), "{text}");
    }
}

#[test]
fn a_stored_index_is_the_same_and_what_does_not_fit_is_read_again() {
    let mut before = index(conversation());
    embed(&mut before);
    let mut parts: Vec<(Document, Vec<u8>, Vec<u8>)> = conversation()
        .into_iter()
        .map(|it| {
            let (words, vectors) = (before.words(it.id).unwrap(), before.vectors(it.id).unwrap());
            (it, words, vectors)
        })
        .collect();
    let load = |parts: &[(Document, Vec<u8>, Vec<u8>)]| {
        let mut after = DocumentIndex::new();
        let stored = |part: &(Document, Vec<u8>, Vec<u8>)| {
            let (words, vectors) = (part.1.clone().leak(), part.2.clone().leak());
            Some(StoredDocument { document: part.0.clone(), words: Some(words), vectors: Some(vectors) })
        };
        let unsaved = after.insert_all(PreparedDocuments::of_all(parts, stored));
        (after, unsaved)
    };
    let (after, unsaved) = load(&parts);
    assert_eq!((unsaved.len(), after.unembedded_len()), (0, 0));
    for text in SENTENCES {
        let query = Query { vector: Some(vector(text)), ..Query::new(text, 20) };
        assert_eq!(after.search(&query, now()), before.search(&query, now()), "{text}");
    }
    // One has another text by now, and the bytes of another are damaged.
    parts[0].0.text = "I adopted a parrot.".to_owned();
    parts[1].1[20] ^= 4;
    let (after, unsaved) = load(&parts);
    assert_eq!((unsaved, after.unembedded_len()), (vec![id(1), id(2)], 1));
    assert_eq!(first(&after, "the parrot"), Some(id(1)));
    assert_eq!(first(&after, "meeting on Thursday"), Some(id(2)));
    assert!(!after.lexicon.knows("cat"));
}

#[test]
fn a_text_that_cannot_be_embedded_is_set_aside() {
    let mut index = index([said(1, "One.", 5)]);
    let text = index.wanting(9).remove(0);
    index.set_aside(&text);
    assert_eq!((index.wanting(9).len(), index.unembedded_len()), (0, 0));
    assert_eq!(index.set_aside_ids().into_iter().collect::<Vec<_>>(), [id(1)]);
    index.remove(id(1));
    assert!(index.set_aside_ids().is_empty());
}
