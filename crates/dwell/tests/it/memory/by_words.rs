//! Memory by words, in a chat: forgetting after a confirmation, corrections, what is known and why.
//! No model is asked for any of it.

use serde_json::{Value, json};
use testkit::{ModelServer, Program, RestClient, RunningServer};

use super::{exchange, search, settled, texts};
use crate::{program, started};

/// The text of the answer to a message.
async fn said(rest: &RestClient, session: &str, message: &str) -> String {
    let turn = exchange(rest, session, message).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    turn["text"].as_str().unwrap().to_owned()
}

/// With a model that would repeat everything, and with none.
async fn both() -> [(Option<ModelServer>, Program, RunningServer); 2] {
    let (model, with_model, server) = started().await;
    let alone = program();
    let offline = alone.start().await;
    [(Some(model), with_model, server), (None, alone, offline)]
}

#[tokio::test]
async fn what_goes_is_shown_and_a_yes_forgets_it_also_after_a_restart() {
    for (model, program, server) in both().await {
        let rest = server.rest();
        let (session, other) = (rest.session().await, rest.session().await);
        said(&rest, &session, "My locker code is 4711xq.").await;
        said(&rest, &session, "I live in Leiden.").await;
        let asked = model.as_ref().map(|model| model.requests().len());
        let question = said(&rest, &other, "Forget my locker code").await;
        assert!(question.contains("locker code: 4711xq") && question.contains("\"Yes\""), "{question}");
        assert!(!question.contains("Leiden"), "{question}");
        assert_eq!(model.as_ref().map(|model| model.requests().len()), asked, "no model is asked");

        server.kill().await;
        let server = program.start().await;
        let rest = server.rest();
        let done = said(&rest, &other, "Yes.").await;
        assert!(done.starts_with("Forgotten: locker code") && !done.contains("4711"), "{done}");
        settled(&rest).await;
        let found = search(&rest, json!({ "query": "locker code 4711xq" })).await;
        assert!(!found.to_string().contains("4711xq"), "{found}");
        for id in [&session, &other] {
            let log = rest.log(id).await;
            assert!(!Value::from(log.clone()).to_string().contains("4711xq"), "{log:?}");
        }
        assert!(rest.get("/api/v1/memories/export").await.ok().to_string().contains("Leiden"), "the rest stays");
        assert!(!rest.text("/api/v1/memories/export").await.contains("4711xq"));
        // The conversation goes on.
        let turn = exchange(&rest, &other, "What do you know about me?").await;
        assert!(turn["text"].as_str().unwrap().contains("Leiden"), "{turn}");
        drop(model);
    }
}

#[tokio::test]
async fn anything_but_a_yes_leaves_it_and_so_does_a_change_meanwhile() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    said(&rest, &session, "My locker code is 4711xq.").await;
    for answer in ["No.", "Maybe later.", "yes and also tell me a joke"] {
        assert!(said(&rest, &session, "Please forget my locker code.").await.contains("4711xq"));
        said(&rest, &session, answer).await;
        // Only the very next message answers the question.
        let late = said(&rest, &session, "Yes").await;
        assert_eq!(late, "You said: Yes", "{answer}");
        settled(&rest).await;
        let found = search(&rest, json!({ "query": "locker code", "levels": ["fact", "profile"] })).await;
        assert!(found.to_string().contains("4711xq"), "{answer}: {found}");
    }
    assert!(said(&rest, &session, "Forget my locker code").await.contains("4711xq"));
    let elsewhere = rest.session().await;
    said(&rest, &elsewhere, "My locker code is 9922zz now.").await;
    let again = said(&rest, &session, "yes").await;
    assert!(again.contains("9922zz") && again.contains("Yes"), "what would go has changed: {again}");
    assert!(said(&rest, &session, "yes").await.starts_with("Forgotten"));
    settled(&rest).await;
    let found = search(&rest, json!({ "query": "locker code" })).await;
    assert!(!found.to_string().contains("9922zz") && !found.to_string().contains("4711xq"), "{found}");

    // Other sentences with these words go to the model.
    let before = model.requests().len();
    for message in ["Forget it.", "Forget my parachute", "Forget what I told you about Zanzibar"] {
        said(&rest, &session, message).await;
    }
    assert_eq!(model.requests().len(), before + 3, "nothing is known about these");
}

#[tokio::test]
async fn everything_about_a_subject_goes_with_the_messages_about_it() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    said(&rest, &session, "My sister Ada plays the cello.").await;
    said(&rest, &session, "Yesterday Ada broke the blue vase of our aunt.").await;
    said(&rest, &session, "My brother Tom plays the drums.").await;
    let question = said(&rest, &session, "forget what I told you about Ada").await;
    assert!(question.contains("blue vase") && !question.contains("Tom"), "{question}");
    let done = said(&rest, &session, "yes please").await;
    assert!(done.starts_with("Forgotten"), "{done}");
    settled(&rest).await;
    let archive = rest.text("/api/v1/memories/export").await;
    assert!(!archive.contains("blue vase") && !archive.contains("cello") && archive.contains("drums"), "{archive}");
}

#[tokio::test]
async fn what_was_told_is_explained_and_corrected() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let diary = rest.post("/api/v1/sessions", json!({ "key": "diary" })).await.ok();
    let diary = diary["session_id"].as_str().unwrap();
    said(&rest, diary, "My locker code is 4712.").await;
    settled(&rest).await;
    let session = rest.session().await;
    let known = said(&rest, &session, "What do you know about me?").await;
    assert!(known.contains("locker code: 4712"), "{known}");
    let why = said(&rest, &session, "Why do you think that?").await;
    assert!(why.contains("My locker code is 4712.") && why.contains("the session diary"), "{why}");
    let today = rest.get("/api/v1/memories?level=entry&limit=1").await.ok()["items"][0]["at"].clone();
    assert!(why.contains(&today.as_str().unwrap()[..10]), "{why}");

    let right = said(&rest, &session, "That's wrong, it is 4711").await;
    assert!(right.contains("locker code: 4711") && right.contains("4712"), "{right}");
    let facts = search(&rest, json!({ "query": "locker code", "levels": ["fact", "profile"] })).await;
    assert_eq!(facts["items"][0]["value"], "4711", "{facts}");
    let known = said(&rest, &session, "what do you know about me").await;
    assert!(known.contains("4711") && !known.contains("4712"), "{known}");
    let why = said(&rest, &session, "How do you know that?").await;
    assert!(why.contains("You corrected it"), "{why}");

    let set = said(&rest, &session, "Set my profile: diet = vegan").await;
    assert_eq!(set, "Your profile says now: diet: vegan.");
    let profile = rest.get("/api/v1/profile").await.ok();
    assert!(profile.to_string().contains("vegan"), "{profile}");
    assert_eq!(profile["data"].as_array().unwrap().iter().filter(|line| line["origin"] != "trusted").count(), 0);
    // A forgotten correction leaves no trace in the messages that made it.
    assert!(said(&rest, &session, "Forget my locker code").await.contains("4711"));
    said(&rest, &session, "yes").await;
    settled(&rest).await;
    let log = Value::from(rest.log(&session).await).to_string();
    assert!(!log.contains("4711") && !log.contains("4712"), "{log}");
    assert_eq!(texts(&search(&rest, json!({ "query": "4711 4712" })).await), [""; 0]);
}

/// A conversation about memory in another language: what is stated, asked and answered.
struct Dialogue {
    stated: &'static str,
    known: [&'static str; 2],
    why: [&'static str; 2],
    wrong: [&'static str; 2],
    forget: [&'static str; 2],
    no: [&'static str; 2],
    yes: [&'static str; 2],
}

const DIALOGUES: &[Dialogue] = &[
    Dialogue {
        stated: "Mein Spindcode ist 4712.",
        known: ["Was weißt du über mich?", "Das weiß ich über dich:"],
        why: ["Woher weißt du das?", "Du hast am "],
        wrong: ["Das stimmt nicht, er lautet 4711.", "Berichtigt."],
        forget: ["Vergiss bitte meinen Spindcode", "Das würde endgültig vergessen:"],
        no: ["Nein", "Es wurde nichts vergessen."],
        yes: ["Ja, bitte.", "Vergessen: "],
    },
    Dialogue {
        stated: "Mi código de taquilla es 4712.",
        known: ["¿Qué sabes de mí?", "Esto es lo que sé de ti:"],
        why: ["¿Por qué piensas eso?", "Dijiste "],
        wrong: ["Eso no es correcto, es 4711.", "Corregido."],
        forget: ["Olvida mi código de taquilla", "Esto se olvidaría para siempre:"],
        no: ["No, gracias", "No se ha olvidado nada."],
        yes: ["Sí", "Olvidado: "],
    },
    Dialogue {
        stated: "Mon code de casier est 4712.",
        known: ["Que sais-tu de moi ?", "Voici ce que je sais de toi :"],
        why: ["Pourquoi penses-tu ça ?", "Tu as dit "],
        wrong: ["C'est faux, c'est 4711.", "Corrigé."],
        forget: ["Oublie mon code de casier", "Ceci serait oublié pour de bon :"],
        no: ["Non merci", "Rien n'a été oublié."],
        yes: ["Oui", "Oublié : "],
    },
];

#[tokio::test]
async fn german_spanish_and_french_are_understood_and_answered_in_their_language() {
    let (model, program, server) = started().await;
    for (number, dialogue) in DIALOGUES.iter().enumerate() {
        let rest = server.rest_as(Some(&crate::owners::add(&program, &format!("owner{number}")).await));
        let (diary, session) = (rest.session().await, rest.session().await);
        said(&rest, &diary, dialogue.stated).await;
        settled(&rest).await;
        let asked = model.requests().len();
        let [question, answer] = dialogue.known;
        let known = said(&rest, &session, question).await;
        assert!(known.starts_with(answer) && known.contains("4712"), "{known}");
        let [question, answer] = dialogue.why;
        let why = said(&rest, &session, question).await;
        assert!(why.contains(answer) && why.contains(dialogue.stated.trim_end_matches('.')), "{why}");
        let [question, answer] = dialogue.wrong;
        let right = said(&rest, &session, question).await;
        assert!(right.starts_with(answer) && right.contains("4711"), "{right}");
        let [question, answer] = dialogue.forget;
        for [reply, done] in [dialogue.no, dialogue.yes] {
            let shown = said(&rest, &session, question).await;
            assert!(shown.starts_with(answer) && shown.contains("4711"), "{shown}");
            let done_now = said(&rest, &session, reply).await;
            assert!(done_now.starts_with(done), "{done_now}");
        }
        assert_eq!(model.requests().len(), asked, "no model is asked");
        settled(&rest).await;
        let found = search(&rest, json!({ "query": "4711" })).await;
        assert_eq!(texts(&found), [""; 0], "{found}");
    }
}
