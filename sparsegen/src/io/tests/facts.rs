//! Extents and numbers of stored entries of every file of the test data, as stated in its README.

use super::data;
use crate::{Coo, io};

macro_rules! facts {
    ($read:ident: $($test:ident $file:literal $value:ty, $extents:expr, $stored:literal;)*) => {$(
        #[test]
        fn $test() {
            const EXTENTS: &[usize] = &$extents;
            let tensor = io::$read::<$value, Coo<{ EXTENTS.len() }>>(data($file)).unwrap();
            assert_eq!(tensor.shape().as_slice(), EXTENTS);
            assert_eq!(tensor.stored(), $stored);
        }
    )*};
}

facts! { read_mtx:
    bus_1138 "1138_bus.mtx" f64, [1138, 1138], 4054;
    array_int_sym5 "array_int_sym5.mtx" i64, [5, 5], 25;
    array_real_4x5 "array_real_4x5.mtx" f64, [4, 5], 20;
    ash219 "ash219.mtx" u8, [219, 85], 438;
    bcsstk13 "bcsstk13.mtx" f64, [2003, 2003], 83883;
    cryg2500 "cryg2500.mtx" f64, [2500, 2500], 12349;
    empty_3x4 "empty_3x4.mtx" f64, [3, 4], 0;
    fem_unassembled_dups "fem_unassembled_dups.mtx" f64, [169, 169], 1081;
    franz6 "Franz6_id1959_aug.mtx" i8, [10592, 3016], 48472;
    hep_th "hep-th.mtx" f64, [8361, 8361], 31502;
    jagmesh7 "jagmesh7.mtx" f64, [1138, 1138], 7450;
    karate "karate.mtx" usize, [34, 34], 156;
    lfat5_hypersparse "LFAT5_hypersparse.mtx" f64, [2000, 2000], 46;
    lp_e226 "lp_e226.mtx" f64, [223, 472], 2768;
    plskz362 "plskz362.mtx" f32, [362, 362], 1760;
    skew_real5 "skew_real5.mtx" f64, [5, 5], 6;
    west0067_jumbled "west0067_jumbled.mtx" f64, [67, 67], 294;
    west0479 "west0479.mtx" f64, [479, 479], 1910;
    zero_rows "zero_rows_0x4.mtx" f64, [0, 4], 0;
}

#[cfg(feature = "complex")]
facts! { read_mtx:
    hermitian5 "hermitian5.mtx" num_complex::Complex<f64>, [5, 5], 25;
    one_complex "one_complex_1x1.mtx" num_complex::Complex<f64>, [1, 1], 1;
    young1c "young1c.mtx" num_complex::Complex<f32>, [841, 841], 4089;
}

facts! { read_tns:
    kinships "kinships.tns" f64, [104, 25, 104], 10686;
    nations "nations.tns" i32, [14, 55, 14], 1992;
    nycflights5 "nycflights5.tns" u16, [3, 31, 24, 3, 105], 68682;
    parti_12031 "parti_12031.tns" i64, [100, 80, 60], 12031;
    small4 "small4.tns" f64, [2, 2, 3, 3], 8;
}

#[test]
fn symmetric_values_stand_on_both_sides() {
    let matrix = io::read_mtx::<f64, Coo<2>>(data("1138_bus.mtx")).unwrap();
    assert_eq!(matrix.get([0, 0]), Some(1474.779));
    assert_eq!(matrix.get([4, 0]), Some(-9.017133));
    assert_eq!(matrix.get([0, 4]), Some(-9.017133));
    let skew = io::read_mtx::<i64, Coo<2>>(data("skew_real5.mtx")).unwrap();
    assert_eq!(skew.get([3, 1]), Some(24));
    assert_eq!(skew.get([1, 3]), Some(-24));
}

#[cfg(feature = "complex")]
#[test]
fn hermitian_values_are_conjugated() {
    use num_complex::Complex;
    let matrix = io::read_mtx::<Complex<f64>, Coo<2>>(data("hermitian5.mtx")).unwrap();
    let value = Complex::new(-0.681501551465435, 0.5945703215956311);
    assert_eq!(matrix.get([1, 0]), Some(value));
    assert_eq!(matrix.get([0, 1]), Some(value.conj()));
    let diagonal = Complex::new(0.9448533463379065, -0.1540912386777809);
    assert_eq!(matrix.get([0, 0]), Some(diagonal));
}

#[test]
fn duplicates_are_summed() {
    // The constant function is in the kernel of the assembled Laplacian.
    let matrix = io::read_mtx::<f64, Coo<2>>(data("fem_unassembled_dups.mtx")).unwrap();
    let mut sums = [0.0_f64; 169];
    for ([row, _], value) in matrix.iter() {
        sums[row] += value;
    }
    assert!(sums.iter().all(|sum| sum.abs() < 1e-12));
}

#[test]
fn the_first_line_of_a_tensor() {
    let tensor = io::read_tns::<f64, Coo<4>>(data("small4.tns")).unwrap();
    assert_eq!(tensor.get([0, 0, 2, 0]), Some(2.0));
}
