//! Slugs: names made from text.

/// The letters and digits of a text, joined by hyphens, with as many whole words as fit.
pub(super) fn slug(text: &str, chars_max: usize) -> String {
    let mut slug = String::new();
    for word in text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let word = word.to_lowercase();
        let chars = slug.chars().count();
        if chars > 0 && chars + 1 + word.chars().count() > chars_max {
            break;
        }
        if chars > 0 {
            slug.push('-');
        }
        slug.extend(word.chars().take(chars_max));
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_whole_words() {
        for (text, expected) in [
            ("Allergic to nuts!", "allergic-to-nuts"),
            ("Müsli um 7:30", "müsli-um-7-30"),
            ("The budget for the kitchen is at most twelve thousand", "the-budget-for-the-kitchen-is-at-most"),
            (&"x".repeat(100), &"x".repeat(40)),
            ("🦉", ""),
        ] {
            assert_eq!(slug(text, 40), expected);
        }
    }
}
