use super::*;

#[test]
fn integers_are_read_exactly_or_refused() {
    assert_eq!(u64::of_number(Number::Integer("18446744073709551615")), Ok(u64::MAX));
    assert_eq!(i64::of_number(Number::Real("-9.0e18")), Ok(-9_000_000_000_000_000_000));
    assert_eq!(
        u8::of_number(Number::Integer("256")),
        Err("the value `256` does not fit `u8`".to_owned())
    );
    assert_eq!(
        i32::of_number(Number::Real("2.5")),
        Err("the value `2.5` is not an integer".to_owned())
    );
    assert_eq!(
        i32::of_number(Number::Integer("2.5")),
        Err("the value `2.5` is not an integer (a file with such values is declared `real`)"
            .to_owned())
    );
    assert_eq!(u32::of_number(Number::One), Ok(1));
}

#[test]
fn reals_take_integers_of_any_length() {
    let long = "1".repeat(60);
    assert_eq!(f64::of_number(Number::Integer(&long)), Ok(long.parse().unwrap()));
    assert!(f64::of_number(Number::Integer("1.5")).is_err());
    assert!(f64::of_number(Number::Complex("1", "2")).is_err_and(|e| e.contains("`c64`")));
}

#[test]
fn truth_values_are_0_and_1() {
    assert_eq!(bool::of_number(Number::Real("1.0")), Ok(true));
    assert_eq!(bool::of_number(Number::BinaryInteger(0)), Ok(false));
    let refusal = "the value `2` does not fit `bool`, which is 0 or 1".to_owned();
    assert_eq!(bool::of_number(Number::Integer("2")), Err(refusal));
}

#[test]
fn negation_knows_its_limits() {
    assert_eq!(i8::MIN.negated(), None);
    assert_eq!(i8::MAX.negated(), Some(-i8::MAX));
    assert_eq!((-128_i64).negated(), Some(128));
    assert_eq!(0_u8.negated(), Some(0));
    assert_eq!(1_u8.negated(), None);
    assert_eq!(2.5_f64.negated(), Some(-2.5));
}
