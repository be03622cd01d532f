//! Writes a number in words, in all ways that a table knows.

use super::tables::NumberTable;
use crate::lists::Tenths;

/// All spellings of a number.
pub(super) fn of(table: &NumberTable, number: Tenths) -> Vec<String> {
    let Ok(absolute) = u32::try_from(number.0.unsigned_abs()) else { return Vec::new() };
    let (whole, tenth) = (absolute / 10, absolute % 10);
    let mut said = whole_number(table, whole);
    if tenth > 0 {
        let wholes = std::mem::take(&mut said);
        let digits = choices(table.small, tenth as usize);
        for whole in &wholes {
            for point in variants(table.point) {
                said.extend(digits.iter().map(|digit| format!("{whole} {point} {digit}")));
            }
            if tenth == 5 {
                said.extend(variants(table.half).map(|half| format!("{whole}{half}")));
            }
        }
    }
    if number.0 < 0 {
        let signed = variants(table.minus).flat_map(|minus| said.iter().map(move |said| format!("{minus} {said}")));
        said = signed.collect();
    }
    if !table.is_spaced {
        said.iter_mut().for_each(|words| words.retain(|next| next != ' '));
    }
    said
}

fn whole_number(table: &NumberTable, number: u32) -> Vec<String> {
    match number {
        0..100 => below_hundred(table, number),
        100..1000 => with_rest(table, choices(table.hundreds, number as usize / 100 - 1), number % 100, 10),
        1000..11_000 => {
            let mut said = with_rest(table, choices(table.thousands, number as usize / 1000 - 1), number % 1000, 100);
            if number.is_multiple_of(100) && !number.is_multiple_of(1000) && !table.hundred.is_empty() {
                let hundreds = below_hundred(table, number / 100);
                said.extend(hundreds.iter().map(|count| format!("{count}{}", table.hundred)));
            }
            said
        }
        _ => Vec::new(),
    }
}

/// A head with its rest. A rest below `next` leaves a place empty.
fn with_rest(table: &NumberTable, heads: Vec<String>, rest: u32, next: u32) -> Vec<String> {
    if rest == 0 {
        return heads;
    }
    let rests = whole_number(table, rest);
    let mut said = Vec::new();
    for head in &heads {
        let joint = if rest < next && !table.gap.is_empty() { table.gap } else { table.rest };
        for join in joint.split('/') {
            said.extend(rests.iter().map(|rest| format!("{head}{join}{rest}")));
        }
    }
    said
}

fn below_hundred(table: &NumberTable, number: u32) -> Vec<String> {
    if let Some((_, words)) = table.odd.iter().find(|(odd, _)| *odd == number) {
        return variants(words).map(str::to_owned).collect();
    }
    let small = choices(table.small, number as usize);
    if !small.is_empty() {
        return small;
    }
    let (ten, unit) = (number / 10, number % 10);
    let tens = choices(table.tens, (ten as usize).wrapping_sub(2));
    if unit == 0 {
        return tens;
    }
    let units = if unit == 1 && !table.one_before.is_empty() {
        variants(table.one_before).map(str::to_owned).collect()
    } else {
        choices(table.small, unit as usize)
    };
    let mut said = Vec::new();
    for pattern in variants(table.pair) {
        for (ten, unit) in tens.iter().flat_map(|ten| units.iter().map(move |unit| (ten, unit))) {
            said.push(pattern.replace('T', ten).replace('U', unit));
        }
    }
    said
}

/// The words at a position of a row, which may be several.
fn choices(row: &str, index: usize) -> Vec<String> {
    row.split(',').nth(index).map(|words| variants(words).map(str::to_owned).collect()).unwrap_or_default()
}

fn variants(words: &str) -> impl Iterator<Item = &str> {
    words.split('/').filter(|_| !words.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(language: &str, tenths: i64) -> Vec<String> {
        of(NumberTable::of(language).unwrap(), Tenths(tenths))
    }

    fn is_said(language: &str, number: i64, words: &str) {
        let said = said(language, number * 10);
        assert!(said.iter().any(|said| said == words), "{language} {number}: {said:?}");
    }

    #[test]
    fn numbers_are_said_in_each_language() {
        for (language, number, words) in [
            ("en", 0, "zero"),
            ("en", 21, "twenty-one"),
            ("en", 100, "one hundred"),
            ("en", 2700, "two thousand seven hundred"),
            ("en", 2700, "twenty-seven hundred"),
            ("en", 105, "a hundred and five"),
            ("de", 1, "eins"),
            ("de", 21, "einundzwanzig"),
            ("de", 100, "hundert"),
            ("de", 2700, "zweitausendsiebenhundert"),
            ("de", 77, "siebenundsiebzig"),
            ("de", 30, "dreißig"),
            ("fr", 21, "vingt et un"),
            ("fr", 71, "soixante et onze"),
            ("fr", 80, "quatre-vingts"),
            ("fr", 97, "quatre-vingt-dix-sept"),
            ("es", 22, "veintidós"),
            ("es", 45, "cuarenta y cinco"),
            ("es", 100, "cien"),
            ("es", 150, "ciento cincuenta"),
            ("it", 21, "ventuno"),
            ("it", 28, "ventotto"),
            ("it", 45, "quarantacinque"),
            ("it", 2000, "duemila"),
            ("nl", 22, "tweeëntwintig"),
            ("nl", 45, "vijfenveertig"),
            ("pt", 35, "trinta e cinco"),
            ("pt", 100, "cem"),
            ("sv", 25, "tjugofem"),
            ("da", 55, "femoghalvtreds"),
            ("nb", 31, "trettien"),
            ("pl", 45, "czterdzieści pięć"),
            ("pl", 100, "sto"),
            ("cs", 45, "čtyřicet pět"),
            ("de-CH", 20, "zwanzig"),
            ("pl", 55, "pięćdziesięciu pięciu"),
            ("pl", 21, "dwadzieścia jeden"),
            ("zh-CN", 50, "五十"),
            ("zh-CN", 2, "两"),
            ("zh-TW", 100, "一百"),
            ("zh-CN", 105, "一百零五"),
            ("zh-CN", 110, "一百十"),
            ("zh-HK", 2700, "兩千七百"),
            ("th", 21, "ยี่สิบเอ็ด"),
            ("th", 50, "ห้าสิบ"),
            ("th", 100, "หนึ่งร้อย"),
            ("th", 2700, "สองพันเจ็ดร้อย"),
        ] {
            is_said(language, number, words);
        }
    }

    #[test]
    fn every_number_to_a_hundred_is_said_and_no_two_alike() {
        for table in super::super::tables::ALL {
            let mut seen = std::collections::BTreeMap::new();
            for number in 0..=100 {
                let said = of(table, Tenths(number * 10));
                assert!(!said.is_empty(), "{} {number}", table.language);
                for words in said {
                    assert_eq!(*seen.entry(words.clone()).or_insert(number), number, "{} {words}", table.language);
                }
            }
            for number in (1000..=10_000).step_by(100) {
                assert!(!of(table, Tenths(number * 10)).is_empty(), "{} {number}", table.language);
            }
        }
    }

    #[test]
    fn fractions_and_signs_have_words() {
        assert!(said("en", 205).contains(&"twenty point five".to_owned()));
        assert!(said("en", 205).contains(&"twenty and a half".to_owned()));
        assert!(said("de", 205).contains(&"zwanzigeinhalb".to_owned()));
        assert!(said("zh-CN", 205).contains(&"二十点五".to_owned()));
        assert!(said("zh-TW", -50).contains(&"零下五".to_owned()));
        assert!(said("th", 205).contains(&"ยี่สิบครึ่ง".to_owned()));
        assert!(said("en", -50).contains(&"minus five".to_owned()));
    }
}
