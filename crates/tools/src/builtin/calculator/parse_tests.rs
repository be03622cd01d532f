//! Values of expressions, and errors for invalid ones.

use proptest::prelude::*;

use super::value;

fn check(expression: &str, expected: &str) {
    let found = value(expression).map(|number| number.to_string());
    assert_eq!(found, Ok(expected.to_owned()), "{expression}");
}

#[test]
fn decimals_are_exact() {
    check("0.1 + 0.2", "0.3");
    check("1.1 * 1.1", "1.21");
    check("1/3*3", "1");
    check("10 / 4", "2.5");
    check("19.99 * 3", "59.97");
    check("1e-3 + 2.5E2", "250.001");
    check("1_000_000 * 1_000_000", "1000000000000");
    check("2^100", "1267650600228229401496703205376");
    check(".5 + 5.", "5.5");
    check("2 / 3", "0.666666666666667");
}

#[test]
fn signs_and_powers_bind_as_in_mathematics() {
    check("2 + 3 * 4", "14");
    check("(2 + 3) * 4", "20");
    check("10 - 4 - 3", "3");
    check("100 / 10 / 2", "5");
    check("-2^2", "-4");
    check("(-2)^2", "4");
    check("2^3^2", "512");
    check("2^-1", "0.5");
    check("2**10", "1024");
    check("--3 - -+2", "5");
    check("0^0", "1");
    check("3 × 4 ÷ 2 − 1", "5");
}

#[test]
fn a_percent_sign_is_a_hundredth_or_a_remainder() {
    check("17% of 240", "40.8");
    check("50%", "0.5");
    check("240 * 17%", "40.8");
    check("10% of 20 ^ 2", "40");
    check("100 - 5%", "99.95");
    check("17 % 5", "2");
    check("17%5", "2");
    check("-7 % 3", "2");
    check("5.5 % 2", "1.5");
    check("7 % (1 + 2)", "1");
    check("(10 + 10)% of 50", "10");
    check("10%% of 1000", "1");
}

#[test]
fn functions_and_constants() {
    check("sqrt(2.25)", "1.5");
    check("sqrt(2)", "1.4142135623731");
    check("abs(-3) + ABS(3)", "6");
    check("round(2.5) + round(-2.5) + floor(-0.5) + ceil(0.2)", "0");
    check("round(3.14159, 2)", "3.14");
    check("round(12345, -2)", "12300");
    check("min(3, 1/3, 2) * 3 + max(1, 2; 3)", "4");
    check("ln(e)", "1");
    check("log(1000)", "3");
    check("log(8, 2)", "3");
    check("exp(0)", "1");
    check("sin(pi)", "0");
    check("cos(π)", "-1");
    check("tan(0)", "0");
    check("2*e", "5.43656365691809");
    check("4^0.5", "2");
}

#[test]
fn what_is_no_expression_is_told_with_the_place() {
    for (expression, at, what) in [
        ("", 0, "expected a number but found the end"),
        ("2 +", 3, "expected a number but found the end"),
        ("2 + * 3", 4, "expected a number but found `*`"),
        ("(2 + 3", 6, "expected `)` but found the end"),
        ("2 + 3)", 5, "expected an operator or the end but found `)`"),
        ("1 / 0", 2, "this divides by zero"),
        ("5 % 0", 2, "this divides by zero"),
        ("0 ^ -1", 2, "this divides by zero"),
        ("tan(pi/2)", 0, "this divides by zero"),
        ("log(2, 1)", 0, "this divides by zero"),
        ("1 + sqrt(-4)", 4, "a negative number has no real square root"),
        ("ln(0)", 0, "only positive numbers have a logarithm"),
        ("(-8)^0.5", 4, "this has no real value"),
        ("10^1000", 2, "the result is too large"),
        ("1e999", 0, "the result is too large"),
        ("sin 3", 4, "expected `(` after `sin` but found `3`"),
        ("sin()", 4, "expected a number but found `)`"),
        ("sin(1, 2)", 0, "this function takes a different number of arguments"),
        ("1.2.3", 0, "this is not a number"),
        ("3,5", 1, "expected an operator or the end but found `,`"),
        ("2 apples", 2, "expected an operator or the end but found `a`"),
    ] {
        let mistake = value(expression).map(|number| number.to_string()).unwrap_err();
        assert_eq!((mistake.at, mistake.what.as_str()), (at, what), "{expression}");
    }
    assert!(value("apples").unwrap_err().what.starts_with("`apples` is not known; there are pi, e, sqrt"));
}

#[test]
fn deep_nesting_is_refused() {
    for one in ["(", "-", "2^", "abs("] {
        let mistake = value(&one.repeat(900)).unwrap_err();
        assert!(mistake.what.contains("64 deep"), "{one}: {}", mistake.what);
    }
    check(&format!("{}1{}", "(".repeat(60), ")".repeat(60)), "1");
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,60}") {
        let _ = value(&text).map(|number| number.to_string());
    }

    #[test]
    fn nothing_that_looks_like_an_expression_makes_it_panic(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "0", "1", "2.5", "1e30", "99999999999999999999999999999999999999", "0.000000000001", "+", "-", "*", "/",
                "%", "^", "**", "(", ")", ",", " of ", "pi", "e", "sqrt(", "round(", "floor(", "log(", "min(", "abs(", "tan(",
            ]),
            0..24,
        ),
    ) {
        let _ = value(&parts.concat()).map(|number| number.to_string());
    }

    #[test]
    fn cents_add_up(one in -1_000_000i64..1_000_000, other in -1_000_000i64..1_000_000) {
        let cents = |value: i64| {
            let (sign, size) = (if value < 0 { "-" } else { "" }, value.abs());
            format!("{sign}{}.{:02}", size / 100, size % 100)
        };
        let sum = value(&format!("{} + {}", cents(one), cents(other))).unwrap();
        let expected = value(&cents(one + other)).unwrap();
        prop_assert_eq!(sum.to_string(), expected.to_string());
    }
}
