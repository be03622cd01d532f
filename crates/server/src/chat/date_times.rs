//! Dates and times in a text, which a client may update each time it sends the same instructions.

/// Whether two texts are the same except for dates like `2026-11-15` and times like `14:05:09` or
/// `2:05 pm`.
pub(super) fn is_same_but_for_times(one: &str, other: &str) -> bool {
    one == other || timeless(one) == timeless(other)
}

/// The text with a placeholder for every date and time.
fn timeless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(char) = rest.chars().next() {
        let begins = char.is_ascii_digit() && !before.is_some_and(is_part_of_number);
        let length = begins.then(|| moment(rest.as_bytes())).flatten();
        match length {
            Some(_) => out.push('\u{fffc}'),
            None => out.push(char),
        }
        let (taken, after) = rest.split_at(length.unwrap_or(char.len_utf8()));
        before = taken.chars().next_back();
        rest = after;
    }
    out
}

fn is_part_of_number(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '.' | ':' | '-' | '_')
}

/// The length of the date, the time, or both at the start of the text.
fn moment(text: &[u8]) -> Option<usize> {
    let Some(date) = date(text) else { return time(text) };
    let joined = matches!(text.get(date), Some(b'T' | b't'));
    let time = joined.then(|| time(&text[date + 1..])).flatten();
    Some(time.map_or(date, |time| date + 1 + time))
}

fn date(text: &[u8]) -> Option<usize> {
    let is_date = digits(text) == 4
        && text.get(4) == Some(&b'-')
        && digits(&text[5..]) == 2
        && text.get(7) == Some(&b'-')
        && digits(&text[8..]) == 2;
    is_date.then_some(10)
}

fn time(text: &[u8]) -> Option<usize> {
    let hours = digits(text);
    let is_time = matches!(hours, 1 | 2) && text.get(hours) == Some(&b':') && digits(&text[hours + 1..]) == 2;
    let mut end = is_time.then_some(hours + 3)?;
    if text.get(end) == Some(&b':') && digits(&text[end + 1..]) == 2 {
        end += 3;
        let fraction = if text.get(end) == Some(&b'.') { digits(&text[end + 1..]) } else { 0 };
        end += if fraction > 0 { fraction + 1 } else { 0 };
    }
    end += half_of_day(&text[end..]).or_else(|| zone(&text[end..])).unwrap_or(0);
    Some(end)
}

/// `am`, ` PM`.
fn half_of_day(text: &[u8]) -> Option<usize> {
    let gap = usize::from(text.first() == Some(&b' '));
    let half = text.get(gap..gap + 2)?;
    let is_half = half[0].eq_ignore_ascii_case(&b'a') || half[0].eq_ignore_ascii_case(&b'p');
    let ends = !text.get(gap + 2).is_some_and(u8::is_ascii_alphanumeric);
    (is_half && half[1].eq_ignore_ascii_case(&b'm') && ends).then_some(gap + 2)
}

/// `Z`, `+01:00`, `-0530`.
fn zone(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'Z' | b'z' => Some(1),
        b'+' | b'-' => match digits(&text[1..]) {
            4 => Some(5),
            2 if text.get(3) == Some(&b':') && digits(&text[4..]) == 2 => Some(6),
            2 => Some(3),
            _ => None,
        },
        _ => None,
    }
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_time_makes_no_difference() {
        for (one, other) in [
            (
                "Current time is 14:05:09. Today's date is 2026-11-15.",
                "Current time is 08:00:00. Today's date is 2027-01-01.",
            ),
            ("It is 9:05 am", "It is 11:59 PM"),
            ("now: 2026-11-15T14:05:09.123+01:00, be brief", "now: 2026-11-16T00:00:00Z, be brief"),
            ("(2026-11-15 14:05)", "(2026-11-16 14:06)"),
            ("同じ 14:05 です", "同じ 14:06 です"),
        ] {
            assert!(is_same_but_for_times(one, other), "{one} / {other}");
        }
    }

    #[test]
    fn anything_else_does() {
        for (one, other) in [
            ("It is 14:05. Be brief.", "It is 14:05. Be long."),
            ("at most 14 words", "at most 15 words"),
            ("version 1.14:05", "version 1.14:06"),
            ("port 10.0.0.1:80", "port 10.0.0.1:81"),
            ("order 12026-11-15", "order 12026-11-16"),
            ("ratio 14:5", "ratio 14:6"),
            ("It is 14:05", "It is noon"),
        ] {
            assert!(!is_same_but_for_times(one, other), "{one} / {other}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_the_same_at_any_time(
            text in "\\PC{0,20}", (hour, minute) in (0..24u8, 0..60u8), (day, month) in (1..29u8, 1..13u8),
        ) {
            let at = |hour: u8, minute: u8, day: u8, month: u8| {
                format!("{text} 2026-{month:02}-{day:02} {hour:02}:{minute:02} {text}")
            };
            prop_assert!(is_same_but_for_times(&at(hour, minute, day, month), &at(12, 0, 1, 1)));
        }

        #[test]
        fn what_has_no_digits_stays_as_it_is(text in "[^0-9]{0,40}") {
            prop_assert_eq!(timeless(&text), text);
        }
    }
}
