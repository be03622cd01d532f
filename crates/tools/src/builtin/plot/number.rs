//! Formats numbers for people.

/// A single number.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e15).contains(&size) {
        return format!("{value:e}");
    }
    // Adding zero turns minus zero into zero.
    grouped(&format!("{}", value + 0.0))
}

/// A number on a scale with marks `step` apart and values up to this size.
pub(super) fn on_scale(value: f64, step: f64, size: f64) -> String {
    let value = if value.abs() < step / 1e6 { 0.0 } else { value };
    if !(1e-4..1e15).contains(&size) {
        return if value == 0.0 { "0".to_owned() } else { format!("{value:.1e}") };
    }
    let (unit, mark) = match size {
        size if size >= 1e12 => (1e12, "T"),
        size if size >= 1e9 => (1e9, "B"),
        size if size >= 1e6 => (1e6, "M"),
        _ => (1.0, ""),
    };
    if value == 0.0 {
        return "0".to_owned();
    }
    // Steps are 1, 2 or 5 times a power of ten, so the digits of that power are enough.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "held between 0 and 6 just before")]
    let decimals = (-((step / unit).log10() + 1e-9).floor()).clamp(0.0, 6.0) as usize;
    grouped(&format!("{:.decimals$}", value / unit)) + mark
}

/// Commas between thousands.
fn grouped(number: &str) -> String {
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, part) = rest.find('.').map_or((rest, ""), |at| rest.split_at(at));
    let mut text = sign.to_owned();
    for (n, digit) in whole.chars().enumerate() {
        if n > 0 && (whole.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1234567.5, "1,234,567.5"),
            (-999.0, "-999"),
            (1e300, "1e300"),
            (2.5e-9, "2.5e-9"),
        ] {
            assert_eq!(short(value), expected);
        }
        for (value, step, size, expected) in [
            (0.3, 0.1, 1.0, "0.3"),
            (1e-17, 0.1, 1.0, "0"),
            (2_500.0, 500.0, 5_000.0, "2,500"),
            (2_500_000.0, 500_000.0, 5_000_000.0, "2.5M"),
            (3e9, 1e9, 5e9, "3B"),
            (1.5e20, 5e19, 2e20, "1.5e20"),
            (2e-6, 1e-6, 5e-6, "2.0e-6"),
        ] {
            assert_eq!(on_scale(value, step, size), expected);
        }
    }
}
