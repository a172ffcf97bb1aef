//! Numbers in files, which are read exactly or refused.
//!
//! Error messages complete a sentence of the caller: "the value `1.5` is not …".

use std::num::IntErrorKind;
use std::str::FromStr;

use num_traits::Float;

/// Parses a floating-point number: decimal notation with `e`, `E` or Fortran's `d`, `D` before the
/// exponent, or `nan`, `inf`, `infinity` in any case. A number whose magnitude overflows `T` is an
/// error and does not become infinite.
pub(super) fn float<T: Float + FromStr>(text: &str, type_name: &str) -> Result<T, String> {
    let value: T = match text.parse() {
        Ok(value) => value,
        Err(_) => fortran(text)
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| "is not a number".to_owned())?,
    };
    if value.is_infinite() && text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Err(format!("is too large for `{type_name}`"));
    }
    Ok(value)
}

/// Returns the text with Fortran's exponent letter replaced, if it has exactly one.
fn fortran(text: &str) -> Option<String> {
    let exponent = text.find(['d', 'D'])?;
    Some(format!("{}e{}", &text[..exponent], &text[exponent + 1..]))
}

/// Parses digits with an optional sign.
pub(super) fn integer(text: &str) -> Result<i128, String> {
    text.parse().map_err(|error: std::num::ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "is too large".to_owned(),
        _ => "is not an integer".to_owned(),
    })
}

/// Parses decimal notation whose value is an integer: `3`, `3.0`, `1.5e3`. The conversion is exact:
/// it shifts digits and never rounds.
pub(super) fn whole(text: &str) -> Result<i128, String> {
    let not_whole = || "is not an integer".to_owned();
    // This check of the syntax ensures that the rest of the text is a decimal number.
    if !float::<f64>(text, "f64").unwrap_or(f64::INFINITY).is_finite() {
        return integer(text);
    }
    let (mantissa, exponent) = match text.find(['e', 'E', 'd', 'D']) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, "0"),
    };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let after = after.trim_end_matches('0');
    let digits = format!("{before}{after}");
    if !digits.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        return Ok(0);
    }
    let exponent: i64 = exponent.parse().map_err(|_| not_whole())?;
    let shift = exponent.saturating_sub_unsigned(after.len() as u64);
    let (digits, zeros) = match usize::try_from(shift) {
        Ok(zeros) => (digits.as_str(), zeros),
        // A negative shift is possible only if it drops trailing zeros.
        Err(_) => {
            let dropped = usize::try_from(shift.unsigned_abs()).map_err(|_| not_whole())?;
            let kept = digits.len().checked_sub(dropped).ok_or_else(not_whole)?;
            let (kept, dropped) = digits.split_at(kept);
            if dropped.bytes().any(|byte| byte != b'0') {
                return Err(not_whole());
            }
            (kept, 0)
        }
    };
    let too_large = || "is too large".to_owned();
    let power = u32::try_from(zeros).ok().and_then(|zeros| 10_i128.checked_pow(zeros));
    integer(digits)?.checked_mul(power.ok_or_else(too_large)?).ok_or_else(too_large)
}

/// Returns the number as an integer if it is one; every integer below 2^127 is exact.
pub(super) fn whole_of(number: f64) -> Option<i128> {
    (number.fract() == 0.0 && number.abs() < 2f64.powi(127)).then_some(number as i128)
}

/// Parses an extent, a count or an index: digits of a number that fits `usize`.
pub(super) fn index(text: &str) -> Result<usize, String> {
    text.parse().map_err(|error: std::num::ParseIntError| {
        if *error.kind() == IntErrorKind::PosOverflow {
            "is too large".to_owned()
        } else if text.starts_with('-') && integer(text).is_ok() {
            "is negative".to_owned()
        } else {
            "is not an integer".to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_in_every_notation() {
        let cases = [
            ("1", 1.0),
            ("-.5", -0.5),
            ("+2.", 2.0),
            ("1.5e3", 1500.0),
            ("1.5D+03", 1500.0),
            ("-1d-2", -0.01),
            ("INF", f64::INFINITY),
            ("-infinity", f64::NEG_INFINITY),
            ("1e-400", 0.0),
        ];
        for (text, value) in cases {
            assert_eq!(float::<f64>(text, "f64"), Ok(value), "{text}");
        }
        assert!(float::<f64>("NaN", "f64").is_ok_and(f64::is_nan));
        for text in ["", ".", "e5", "1e", "1,5", "0x10", "1_000", "dd", "--1", "1d2d3", "d"] {
            assert_eq!(float::<f64>(text, "f64"), Err("is not a number".to_owned()), "{text}");
        }
        assert_eq!(float::<f64>("1e999", "f64"), Err("is too large for `f64`".to_owned()));
        assert_eq!(float::<f32>("-1e39", "f32"), Err("is too large for `f32`".to_owned()));
    }

    #[test]
    fn whole_numbers_are_exact() {
        let cases = [
            ("7", 7),
            ("-3.000", -3),
            ("1.5e3", 1500),
            ("1500D-2", 15),
            ("0.0e99999", 0),
            ("-0", 0),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("18446744073709551615", i128::from(u64::MAX)),
            ("00012.50e1", 125),
            (".5e1", 5),
        ];
        for (text, value) in cases {
            assert_eq!(whole(text), Ok(value), "{text}");
        }
        for text in ["0.5", "1e-1", "15e-2", "nan", "inf", "x", "", "-", ".", "1e-9999999999"] {
            assert_eq!(whole(text), Err("is not an integer".to_owned()), "{text}");
        }
        for text in ["1e39", "9e38", "170141183460469231731687303715884105728"] {
            assert_eq!(whole(text), Err("is too large".to_owned()), "{text}");
        }
    }

    #[test]
    fn indices() {
        assert_eq!(index("12"), Ok(12));
        assert_eq!(index("18446744073709551616"), Err("is too large".to_owned()));
        assert_eq!(index("-4"), Err("is negative".to_owned()));
        assert_eq!(index("1.0"), Err("is not an integer".to_owned()));
        assert_eq!(index("x"), Err("is not an integer".to_owned()));
    }
}
