//! Tests of temporal expressions.

use jiff::civil::{Date, date};

use super::*;

/// A Wednesday.
const TODAY: Date = date(2023, 6, 14);

fn one(text: &str) -> Option<(String, String)> {
    let spans = read(text, TODAY);
    assert!(spans.len() <= 1, "{text}: {spans:?}");
    spans.first().map(|span| (span.first.to_string(), span.last.to_string()))
}

fn check(text: &str, first: &str, last: &str) {
    assert_eq!(one(text), Some((first.to_owned(), last.to_owned())), "{text}");
}

#[test]
fn days_are_understood() {
    check("What did I do yesterday?", "2023-06-13", "2023-06-13");
    check("the day before yesterday", "2023-06-12", "2023-06-12");
    check("What happened last night", "2023-06-13", "2023-06-13");
    check("last Tuesday", "2023-06-13", "2023-06-13");
    check("last Wednesday", "2023-06-07", "2023-06-07");
    check("next Wednesday", "2023-06-21", "2023-06-21");
    check("on 8 May 2023", "2023-05-08", "2023-05-08");
    check("on May 8th, 2022", "2022-05-08", "2022-05-08");
    check("the 3rd of July", "2022-07-03", "2022-07-03");
    check("at 2021-02-03", "2021-02-03", "2021-02-03");
    check("five days ago", "2023-06-09", "2023-06-09");
}

#[test]
fn longer_times_are_understood() {
    check("last week", "2023-06-05", "2023-06-11");
    check("last weekend", "2023-06-10", "2023-06-11");
    check("this month", "2023-06-01", "2023-06-30");
    check("In May", "2023-05-01", "2023-05-31");
    check("in August", "2022-08-01", "2022-08-31");
    check("in August 2021", "2021-08-01", "2021-08-31");
    check("December 2022", "2022-12-01", "2022-12-31");
    check("in 2021", "2021-01-01", "2021-12-31");
    check("last year", "2022-01-01", "2022-12-31");
    check("two months ago", "2023-03-30", "2023-04-29");
    check("a week ago", "2023-06-04", "2023-06-10");
    check("in the past 2 weeks", "2023-05-31", "2023-06-14");
}

#[test]
fn what_is_not_certain_is_not_understood() {
    let unsure = [
        "May I ask something?",
        "You may go on a march",
        "before May 2022",
        "after 8 May 2023",
        "the other day",
        "some years ago",
        "last time we spoke",
        "in 3000 steps",
        "it took two weeks",
        "room 2021",
    ];
    for text in unsure {
        assert_eq!(one(text), None, "{text}");
    }
}

#[test]
fn several_times_are_several() {
    assert_eq!(read("in May and in June 2022", TODAY).len(), 2);
    assert_eq!(read("yesterday, I said yesterday", TODAY).len(), 1);
}

#[test]
fn no_day_is_too_far() {
    for today in [Date::MIN, Date::MAX, Date::ZERO] {
        read("last week next year two months ago 366 years ago in May tomorrow yesterday", today);
    }
}

#[test]
fn questions_for_a_time_are_known() {
    assert!(asks_when("When did she leave?"));
    assert!(asks_when("In which month was it?"));
    assert!(!asks_when("What did she say when he left?"));
}

#[test]
fn a_vague_time_does_not_meet_a_day() {
    let day = DateSpan::day(date(2023, 5, 8));
    assert!(!day.meets(calendar::year(2023).unwrap()));
    assert!(calendar::year(2023).unwrap().meets(day));
}
