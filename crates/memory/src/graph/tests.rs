//! Small lives, looked at from several times.

use proptest::prelude::*;
use protocol::{Doubt, EdgeState, Fact, GraphEdge, ItemId, ItemSource, Level, NodeKind, Origin, Timestamp};

use super::{Graph, GraphTimes, SaidFact};

fn day(day: i64) -> Timestamp {
    Timestamp::from_millis(day * 86_400_000)
}

fn id(number: u8) -> ItemId {
    ItemId::from_bytes([number; 16])
}

/// A fact that was said and stored on a day.
fn fact(number: u8, said: i64, subject: Option<&str>, key: &str, value: &str, text: &str) -> SaidFact {
    let fact = Fact {
        fact_id: id(number),
        level: Level::Fact,
        subject: subject.map(str::to_owned),
        vault_id: None,
        key: key.to_owned(),
        value: value.to_owned(),
        text: text.to_owned(),
        priority: 50,
        confidence: 0.9,
        valid_from: day(said),
        valid_until: None,
        superseded_by: None,
        stored_at: day(said),
        source: ItemSource::default(),
        origin: Origin::Trusted,
        expires_at: None,
        doubt: None,
    };
    SaidFact { fact, said_at: day(said) }
}

/// The same fact, replaced by another.
fn until(mut said: SaidFact, end: i64, by: u8) -> SaidFact {
    said.fact.valid_until = Some(day(end));
    said.fact.superseded_by = Some(id(by));
    said
}

fn at(as_of: i64, known_at: i64) -> GraphTimes {
    GraphTimes { as_of: day(as_of), known_at: day(known_at) }
}

/// The edges as lines: `person:maria lives in place:ghent holds`.
fn lines(graph: &Graph) -> Vec<String> {
    let line = |edge: &GraphEdge| {
        let object = edge.object.as_ref().unwrap_or(&edge.value);
        format!("{} {} {object} {:?}", edge.subject, edge.relation, edge.state).to_lowercase()
    };
    let mut lines: Vec<String> = graph.edges.iter().map(line).collect();
    lines.sort();
    lines
}

/// A sister who moved on day 10, which was said on day 20.
fn sister() -> Vec<SaidFact> {
    let mut ghent = until(fact(2, 1, Some("sister"), "sister lives in", "Ghent", "My sister lives in Ghent"), 10, 4);
    ghent.fact.stored_at = day(1);
    let mut bruges = fact(4, 20, Some("Maria"), "lives in", "Bruges", "Maria moved to Bruges ten days ago");
    bruges.fact.valid_from = day(10);
    vec![ghent, fact(3, 5, Some("sister"), "sister's name", "Maria", "My sister's name is Maria"), bruges]
}

#[test]
fn a_name_and_a_relation_are_one_person_also_in_what_was_said_before_the_name() {
    let graph = Graph::of(&sister(), at(30, 30), true);
    assert_eq!(
        lines(&graph),
        [
            "person:maria lives in place:bruges holds",
            "person:maria lives in place:ghent ended",
            "user sister person:maria holds",
        ]
    );
    let maria = graph.find("my sister").unwrap();
    assert_eq!((maria.label.as_str(), maria.kind, maria.facts), ("Maria", NodeKind::Person, 3));
    assert_eq!(
        (maria.aliases.as_slice(), maria.relation.as_deref()),
        (["sister".to_owned()].as_slice(), Some("sister"))
    );
    assert_eq!(graph.find("MARIA").unwrap().id, maria.id);
    assert_eq!(graph.find("me").unwrap().kind, NodeKind::User);
    assert!(graph.find("brother").is_none());
}

#[test]
fn what_was_true_and_what_was_known_are_two_questions() {
    let lives_in = |times: GraphTimes| {
        let graph = Graph::of(&sister(), times, false);
        let homes = graph.edges.into_iter().filter(|edge| edge.relation == "lives in").map(|edge| edge.value);
        homes.collect::<Vec<String>>()
    };
    assert_eq!(lives_in(at(30, 30)), ["Bruges"]);
    assert_eq!(lives_in(at(5, 30)), ["Ghent"]);
    // On day 15 she lived in Bruges, but Dwell learned it on day 20.
    assert_eq!(lives_in(at(15, 30)), ["Bruges"]);
    assert_eq!(lives_in(at(15, 15)), ["Ghent"]);
    assert!(lives_in(at(30, 0)).is_empty());
    // Her name was not known on day 3.
    let early = Graph::of(&sister(), at(3, 3), false);
    assert_eq!(lines(&early), ["person:sister lives in place:ghent holds"]);
    let edge = early.edges.first().unwrap();
    assert_eq!((edge.valid_until, edge.known_until, edge.superseded_by), (None, None, None));
}

#[test]
fn a_boss_is_another_person_after_a_change_and_a_correction_never_held() {
    let facts = [
        until(fact(1, 1, None, "boss", "Henrik", "My boss is Henrik"), 10, 2),
        fact(2, 10, None, "boss", "Paula", "My new boss is Paula"),
        fact(3, 2, Some("boss"), "boss's phone", "111", "My boss's phone is 111"),
        fact(4, 12, Some("boss"), "boss's phone", "222", "My boss's phone is 222"),
        until(fact(5, 3, None, "home", "Gent", "I live in Gent"), 4, 6),
        // A correction is true for as long as what it corrects.
        SaidFact { said_at: day(4), fact: Fact { stored_at: day(4), ..fact(6, 3, None, "home", "Ghent", "").fact } },
    ];
    let graph = Graph::of(&facts, at(20, 20), true);
    assert_eq!(
        lines(&graph),
        [
            "person:henrik phone 111 holds",
            "person:paula phone 222 holds",
            "user boss person:henrik ended",
            "user boss person:paula holds",
            "user home place:gent corrected",
            "user home place:ghent holds",
        ]
    );
    assert_eq!(graph.find("boss").unwrap().label, "Paula");
    assert_eq!(graph.nodes["person:henrik"].relation, None, "he is no longer the boss");
    let before = Graph::of(&facts, at(3, 3), true);
    assert!(lines(&before).contains(&"user home place:gent holds".to_owned()));
}

#[test]
fn kinds_of_values_and_subjects_are_told_apart() {
    let facts = [
        fact(1, 1, None, "name", "Tom", "My name is Tom"),
        fact(2, 1, None, "employer", "Bosch", "I work at Bosch"),
        fact(3, 1, None, "work in", "finance", "I work in finance"),
        fact(4, 1, None, "car", "green Skoda", "I drive a green Skoda"),
        fact(5, 1, Some("car"), "car's colour", "red", "My car's colour is red"),
        fact(6, 1, Some("dog"), "dog's name", "Rex", "My dog's name is Rex"),
        fact(7, 1, Some("theo"), "theo's teacher", "Ms Lang", "Theo's teacher is Ms Lang"),
        fact(8, 1, None, "children", "Mia and Leo", "My children are Mia and Leo"),
        fact(9, 1, None, "boiler", "Vaillant", "The boiler is a Vaillant"),
        fact(10, 1, Some("boiler"), "boiler's pressure", "1.5 bar", "The boiler's pressure is 1.5 bar"),
        fact(11, 1, None, "girlfriend", "none", "I have no girlfriend"),
    ];
    let graph = Graph::of(&facts, at(2, 2), false);
    assert_eq!(
        lines(&graph),
        [
            "person:theo teacher person:ms lang holds",
            "thing:boiler pressure 1.5 bar holds",
            "thing:car colour red holds",
            "user boiler thing:boiler holds",
            "user car thing:car holds",
            "user child person:leo holds",
            "user child person:mia holds",
            "user dog animal:rex holds",
            "user employer thing:bosch holds",
            "user girlfriend none holds",
            "user name tom holds",
            "user work in finance holds",
        ]
    );
    assert_eq!(graph.nodes["user"].label, "Tom");
    assert_eq!(graph.find("my dog").unwrap().label, "Rex");
}

#[test]
fn two_people_of_one_name_stay_two_and_one_with_two_names_is_one() {
    let facts = [
        fact(1, 1, Some("sister"), "sister's name", "Maria", "My sister Maria"),
        fact(2, 2, Some("daughter"), "daughter's name", "Maria", "My daughter Maria"),
        fact(3, 3, None, "wife", "Ines", "My wife is Ines"),
        fact(4, 4, None, "partner", "Ines Moreau", "My partner is Ines Moreau"),
    ];
    let graph = Graph::of(&facts, at(9, 9), false);
    let people: Vec<&str> = graph.nodes.keys().map(String::as_str).collect();
    assert_eq!(people, ["person:ines", "person:maria", "person:maria (child)", "user"]);
    assert_eq!(graph.nodes["person:ines"].label, "Ines Moreau");
    assert_eq!(graph.find("wife").unwrap().id, graph.find("Ines").unwrap().id);
}

#[test]
fn doubt_is_shown_once_it_was_said_and_untrusted_text_names_no_one() {
    let mut ghent = fact(1, 1, Some("sister"), "sister lives in", "Ghent", "My sister lives in Ghent");
    ghent.fact.doubt = Some(Doubt { text: "Maria moved".to_owned(), at: day(5), item_id: None });
    let mut forged = fact(2, 2, Some("sister"), "sister's name", "Mallory", "My sister is Mallory");
    forged.fact.origin = Origin::Untrusted;
    let facts = [ghent, forged];
    assert_eq!(
        lines(&Graph::of(&facts, at(9, 9), false)),
        ["person:sister lives in place:ghent doubtful", "user sister mallory holds"]
    );
    let before = Graph::of(&facts[..1], at(4, 4), false);
    assert_eq!(before.edges.first().map(|edge| (edge.state, edge.doubt.is_some())), Some((EdgeState::Holds, false)));
}

/// Facts about a few people, some replaced by later ones, in any order.
fn life() -> impl Strategy<Value = Vec<SaidFact>> {
    let one = (0..3_usize, 0..4_usize, 0..4_usize, 0..40_i64, 0..40_i64, proptest::option::of(0..20_u8));
    proptest::collection::vec(one, 0..20).prop_map(|drawn| {
        let facts = drawn.into_iter().zip(1_u8..).map(|((whom, key, value, valid, late, by), number)| {
            let subject = [None, Some("sister"), Some("Maria")][whom];
            let key = ["name", "lives in", "boss", "diet"][key];
            let value = ["Maria", "Ghent", "Paula and Leo", "vegan"][value];
            let mut said = fact(number, valid + late, subject, key, value, "");
            said.fact.valid_from = day(valid);
            match by {
                Some(by) => until(said, valid + i64::from(by), by),
                None => said,
            }
        });
        facts.collect()
    })
}

proptest! {
    #[test]
    fn a_graph_fits_its_two_times(facts in life(), as_of in 0..80_i64, known_at in 0..80_i64) {
        let times = at(as_of, known_at);
        let graph = Graph::of(&facts, times, true);
        for edge in &graph.edges {
            prop_assert!(edge.valid_from <= times.as_of && edge.known_from <= times.known_at);
            prop_assert!(edge.known_until.is_none_or(|until| until <= times.known_at));
            prop_assert_eq!(edge.valid_until.is_some(), edge.known_until.is_some());
            prop_assert!(graph.nodes.contains_key(&edge.subject));
            prop_assert!(edge.object.as_ref().is_none_or(|object| graph.nodes.contains_key(object)));
            if edge.state == EdgeState::Ended {
                prop_assert!(edge.valid_until.is_some_and(|until| until <= times.as_of));
            }
        }
        // What holds is the same whether the rest is shown or not.
        let holds = |graph: &Graph| {
            let mut edges = graph.edges.clone();
            edges.retain(|edge| edge.state <= EdgeState::Doubtful);
            edges
        };
        prop_assert_eq!(holds(&graph), Graph::of(&facts, times, false).edges);
        // What becomes known later changes nothing about what was known then.
        let (mut fewer, later): (Vec<SaidFact>, Vec<SaidFact>) =
            facts.iter().cloned().partition(|said| said.fact.stored_at <= times.known_at);
        for said in &mut fewer {
            let by = said.fact.superseded_by;
            if later.iter().any(|later| Some(later.fact.fact_id) == by) {
                (said.fact.valid_until, said.fact.superseded_by) = (None, None);
            }
        }
        prop_assert_eq!(&graph, &Graph::of(&fewer, times, true));
        // Every node can be found by its id and has the facts it says.
        for (id, node) in &graph.nodes {
            prop_assert_eq!(&graph.find(id).map(|node| &node.id), &Some(id));
            prop_assert!(node.facts > 0);
            let mut alone = graph.clone();
            alone.retain_subject(id);
            prop_assert_eq!(alone.edges.len(), node.facts as usize);
        }
    }
}
