//! Parsing dates in various notations.

/// The first date in a text, as `2026-03-03`.
pub(crate) fn day(text: &str) -> Option<String> {
    // A date is at the beginning, or there is none.
    let text: String = text.chars().take(100).collect();
    in_figures(&text).or_else(|| in_words(&text))
}

/// For example `2026-03-03T08:00:00Z`, `2026/3/3`, `20260303` and PDF's `D:20260303080000`.
fn in_figures(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches("D:");
    let parts: Vec<&str> = text.split(|char: char| !char.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    match *parts.first()? {
        year if year.len() == 4 && parts.len() >= 3 && text.starts_with(year) => {
            whole(number(year)?, number(parts[1])?, number(parts[2])?)
        }
        run if run.len() >= 8 && text.starts_with(run) => {
            whole(number(&run[..4])?, number(&run[4..6])?, number(&run[6..8])?)
        }
        _ => None,
    }
}

/// For example `Tue, 03 Mar 2026 08:00:00 GMT`, `3 March 2026` and `March 3rd, 2026`.
fn in_words(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| month(word).is_some())?;
    let month = month(words[at])?;
    let day_of = |word: &str| number(word.trim_end_matches(|char: char| char.is_ascii_alphabetic()));
    let after = |n: usize| words.get(at + n).copied();
    let before = at.checked_sub(1).and_then(|before| day_of(words[before])).filter(|day| *day <= 31);
    match before {
        Some(day) => whole(number(after(1)?)?, month, day),
        None => whole(number(after(2)?)?, month, day_of(after(1)?)?),
    }
}

fn month(word: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let word = word.to_ascii_lowercase();
    let is_it =
        |month: &&str| word.len() >= 3 && (month.starts_with(&word) || word == "sept" && **month == *"september");
    MONTHS.iter().position(is_it).and_then(|at| u32::try_from(at + 1).ok())
}

fn number(text: &str) -> Option<u32> {
    (text.len() <= 4).then(|| text.parse().ok())?
}

/// The date, if it exists.
fn whole(year: u32, month: u32, day: u32) -> Option<String> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    ((1000..=9999).contains(&year) && (1..=days).contains(&day)).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn days_are_read_however_they_are_written() {
        for text in [
            "2026-03-03",
            "2026-03-03T08:00:00+01:00",
            " 2026/3/3 ",
            "20260303",
            "20260303T0800Z",
            "D:20260303080000Z",
            "Tue, 03 Mar 2026 08:00:00 GMT",
            "3 March 2026",
            "March 3rd, 2026",
            "Published Mar 3, 2026 at noon",
        ] {
            assert_eq!(day(text).as_deref(), Some("2026-03-03"), "{text}");
        }
        assert_eq!(day("2024-02-29").as_deref(), Some("2024-02-29"));
        for text in
            ["", "yesterday", "2026", "2026-13-01", "2025-02-29", "0001-01-01", "March", "on 3 occasions", "12.50", "é"]
        {
            assert_eq!(day(text), None, "{text}");
        }
    }
}
