//! Orders that wait for something: every way to divide a sentence is given, because only others
//! know what can happen.

use schedule::{ConditionalOrder, ScheduleKind, read_conditional, read_sentence};

fn readings(text: &str, language: &str) -> Vec<(ScheduleKind, String, String, bool)> {
    let parts = |it: ConditionalOrder| (it.kind, it.text, it.condition, it.repeats);
    read_conditional(text, language).into_iter().map(parts).collect()
}

fn divides(language: &str, said: &str, kind: ScheduleKind, text: &str, condition: &str, repeats: bool) {
    let found = readings(said, language);
    let wanted = (kind, text.to_owned(), condition.to_owned(), repeats);
    assert!(found.contains(&wanted), "{said}: {found:?}");
}

#[test]
fn reminders_and_orders_wait_for_a_condition_in_six_languages() {
    use ScheduleKind::{Order, Reminder};
    let opens = "the garage door opens";
    divides("en", "Remind me to fetch the mail when the garage door opens", Reminder, "fetch the mail", opens, false);
    divides("en", "when the garage door opens, remind me to fetch the mail", Reminder, "fetch the mail", opens, false);
    divides("en", "Tell me when the garage door opens!", Reminder, opens, opens, false);
    divides("en", "let me know as soon as the garage door opens", Reminder, opens, opens, false);
    divides("en", "tell me whenever the garage door opens", Reminder, opens, opens, true);
    divides(
        "en",
        "turn on the hall light when Marta comes home",
        Order,
        "turn on the hall light",
        "Marta comes home",
        false,
    );
    divides(
        "en",
        "every time Marta comes home turn on the light",
        Order,
        "turn on the light",
        "Marta comes home",
        true,
    );
    let de = "das Garagentor aufgeht";
    divides("de", "Sag mir Bescheid, wenn das Garagentor aufgeht", Reminder, de, de, false);
    divides("de", "Wenn das Garagentor aufgeht, schalte das Licht ein", Order, "schalte das Licht ein", de, false);
    let es = "se abra la puerta";
    divides("es", "avísame cuando se abra la puerta", Reminder, es, es, false);
    let fr = "la porte s'ouvre";
    divides("fr", "préviens-moi quand la porte s'ouvre", Reminder, fr, fr, false);
    let it = "si apre la porta";
    divides("it", "avvisami quando si apre la porta", Reminder, it, it, false);
    let nl = "de garagedeur opengaat";
    divides("nl", "laat me weten wanneer de garagedeur opengaat", Reminder, nl, nl, false);
}

#[test]
fn what_is_no_such_order_is_not_divided() {
    for said in [
        "tell me when",
        "remind me tomorrow at 8 to call when the shop opens",
        "when it rains and when it snows turn on the light",
        "do not turn on the light when it rains",
    ] {
        assert_eq!(readings(said, "en"), [], "{said}");
    }
    assert_eq!(readings("the light goes on when I come home", "en"), []);
    assert_eq!(readings("what is the weather when it rains", "en"), []);
    let context = schedule::SentenceContext {
        language: "en",
        now: "2026-11-18T09:00:00Z".parse().unwrap(),
        zone: "Europe/Berlin",
    };
    assert_eq!(read_sentence("tell me when the garage door opens", &context), None, "it has no time");
}
