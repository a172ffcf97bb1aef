//! Serialization: tensors of every built-in format come back, and invalid ones are refused.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sparsegen::{
    Coo, CooUnordered, Csc, Csf, Csr, Dcsc, Dcsr, Dense, DenseCol, Dia, Ell, Fill, Format,
    HashRows, HashVector, LevelMap, Map, Pattern, Scalar, SparseVector, Stored, Tensor, level,
};

fn round_trip<V, F>(tensor: &Tensor<V, F>)
where
    V: Stored + Serialize + DeserializeOwned,
    F: Format<Levels: Serialize + DeserializeOwned>,
{
    let text = serde_json::to_string(tensor).unwrap();
    assert_eq!(serde_json::from_str::<Tensor<V, F>>(&text).unwrap(), *tensor, "{text}");
}

fn matrix<F: Format<Shape = [usize; 2]>>() -> Tensor<f64, F> {
    let entries = [([0, 1], 2.0), ([0, 3], 3.0), ([2, 0], 4.5), ([2, 3], -5.0)];
    Tensor::from_triplets([3, 4], entries).unwrap()
}

/// `(i, j) -> (i : bitmap, j : loose_compressed)`, with a fill value
#[derive(Clone, Copy, Debug)]
struct Own;

impl Format for Own {
    const NAME: &'static str = "own";
    const MAP: Map =
        Map::new(&[LevelMap::dimension(0, "bitmap"), LevelMap::dimension(1, "loose_compressed")]);
    const FILL: Fill = Fill::Greatest;
    type Shape = [usize; 2];
    type Levels = (level::Bitmap, level::LooseCompressed);
}

/// `(i, j) -> (i : dense, j : structured(2, 4))`
#[derive(Clone, Copy, Debug)]
struct TwoOfFour;

impl Format for TwoOfFour {
    const NAME: &'static str = "two_of_four";
    const MAP: Map = Map::new(&[
        LevelMap::dimension(0, "dense"),
        LevelMap::dimension(1, "structured").parameters(&[2, 4]),
    ]);
    type Shape = [usize; 2];
    type Levels = (level::Dense, level::Structured<u8, 2, 4>);
}

#[test]
fn tensors_of_every_format_come_back() {
    round_trip(&matrix::<Dense<2>>());
    round_trip(&matrix::<DenseCol<2>>());
    round_trip(&matrix::<Csr<usize, u8>>());
    round_trip(&matrix::<Csc>());
    round_trip(&matrix::<Dcsr>());
    round_trip(&matrix::<Dcsc>());
    round_trip(&matrix::<Coo<2>>());
    round_trip(&matrix::<CooUnordered<2>>());
    round_trip(&matrix::<Csf<2>>());
    round_trip(&matrix::<HashRows>());
    round_trip(&matrix::<Dia>());
    round_trip(&matrix::<Ell>());
    round_trip(&matrix::<Own>());
    round_trip(&matrix::<TwoOfFour>());
    round_trip(&matrix::<Csr>().pattern());
    round_trip(&matrix::<Csr>().map_vals(|value| value as i64));
    round_trip(&Tensor::<bool, SparseVector>::from_triplets([5], [([3], true)]).unwrap());
    round_trip(&Tensor::<f32, HashVector>::from_triplets([5], [([3], 1.5)]).unwrap());
    round_trip(&Tensor::<f64, Scalar>::from_triplets([], [([], 2.5)]).unwrap());
    #[cfg(feature = "complex")]
    round_trip(&matrix::<Csr>().map_vals(|value| sparsegen::c64::new(value, 1.0)));
    #[cfg(feature = "half")]
    round_trip(&matrix::<Csr>().map_vals(sparsegen::f16::from_f64));
}

#[test]
fn invalid_tensors_are_refused() {
    let text = serde_json::to_string(&matrix::<Csr>()).unwrap();
    let check = |from: &str, to: &str, words: &str| {
        assert!(text.contains(from), "{text}");
        let error = serde_json::from_str::<Tensor<f64, Csr>>(&text.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(words), "there is no `{words}` in: {error}");
    };
    check("[1,3,0,3]", "[1,9,0,3]", "level 2, index 1: coordinate 9 is not below");
    check("[1,3,0,3]", "[3,1,0,3]", "coordinates decrease");
    check("[0,2,2,4]", "[0,2,2,5]", "`pos` ends at 5");
    check("[0,2,2,4]", "[0,2,2,-4]", "expected u32");
    check("[3,4]", "[4,3]", "the level's size is 3, the shape's 4");
    check("[3,4]", "[3,4,5]", "expected 2 extents");
    check("-5.0]", "-5.0,6.0]", "5 values");
    check("\"fill\":\"0\"", "\"fill\":\"inf\"", "expected 0");
    check("\"fill\"", "\"full\"", "unknown field `full`");
    let error = serde_json::from_str::<Tensor<f64, Csc>>(&text).unwrap_err().to_string();
    assert!(error.contains("expected (i, j) -> (j : dense, i : compressed)"), "{error}");
    assert!(serde_json::from_str::<Pattern<f64>>("2").is_err());
}
